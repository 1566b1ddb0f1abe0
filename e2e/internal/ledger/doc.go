// Package ledger follows Certificates and their Secrets by watch, so that a
// certificate that was served past its end is noticed even if it was renewed
// a moment later.
package ledger
