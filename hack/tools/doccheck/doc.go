// Package doccheck keeps what is written about Trimtab true. Its tests read every
// page and every doc comment of the repository, and fail where
//
//   - a Go snippet does not compile, see Snippets;
//   - a link leads nowhere, see Links;
//   - a name in backticks does not exist, see Names.
//
// Nothing is asked of the network: an http link has to be well-formed only. Run them
// with -count=1: go test does not see that a page outside of this module has changed.
//
// The surprise: a snippet need not be a file. It may be declarations, statements,
// an expression, or the middle of a builder's chain; what it takes for granted, such
// as ctx, mgr or obj, stands in context.go.txt. What a single one needs beyond that
// stands right before it in an HTML comment, which no reader sees:
//
//	<!-- go:
//	var tenants map[string]string
//	-->
package doccheck
