package otel

import "strings"

// maxText is the length, in bytes, after which a text is cut: enough for the longest
// name and for what matters of an error, which may hold a whole object.
const maxText = 1024

// text returns s as an attribute or a name can have it: not too long, and UTF-8.
func text(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxText)], "\uFFFD")
}
