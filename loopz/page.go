package loopz

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"net/http"
)

var (
	//go:embed page/page.html
	pageHTML []byte
	//go:embed page/page.css
	pageCSS []byte
	//go:embed page/page.js
	pageJS []byte
)

// page is the one document of the page, its style and script in it: it works behind
// whatever path a proxy gives it. Nothing in it comes from the cluster.
type page struct {
	document []byte
	policy   string // what a browser may load and run: just what is in the document
}

func newPage() *page {
	document := bytes.Replace(pageHTML, []byte("/*style*/"), pageCSS, 1)
	document = bytes.Replace(document, []byte("/*script*/"), pageJS, 1)
	return &page{
		document: document,
		policy: fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			hash(pageJS), hash(pageCSS)),
	}
}

// hash returns the source of a policy that is just this content.
func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (p *page) serve(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", p.policy)
	_, _ = w.Write(p.document) // Nobody is left to be told.
}
