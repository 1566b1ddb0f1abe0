// Package certcheck judges whether a Certificate was served: by crypto/x509
// alone, sharing no code with the operator that it judges.
package certcheck
