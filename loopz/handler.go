package loopz

import (
	"encoding/json"
	"net/http"
)

// handler serves the page and its JSON.
type handler struct {
	page    func() *page // made when somebody looks
	sampler *sampler
}

// ServeHTTP implements [http.Handler].
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "loopz only shows: use GET or HEAD", http.StatusMethodNotAllowed)
		return
	}
	switch format := r.URL.Query().Get("format"); format {
	case "":
		h.page().serve(w)
	case "json":
		h.json(w)
	default:
		http.Error(w, "loopz has no such format: leave it out for the page, or use format=json", http.StatusBadRequest)
	}
}

func (h *handler) json(w http.ResponseWriter) {
	body, err := h.sampler.body(func(r *Report) ([]byte, error) { return json.Marshal(r) })
	if err != nil { // A Report has nothing that JSON lacks.
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	_, _ = w.Write(body) // Nobody is left to be told.
}
