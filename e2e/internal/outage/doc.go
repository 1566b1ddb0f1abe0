// Package outage makes the API server refuse to write Secrets in a namespace
// for a while, by an admission policy: a failure as real as a broken webhook.
package outage
