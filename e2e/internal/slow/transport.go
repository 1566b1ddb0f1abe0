package slow

import (
	"net/http"
	"strings"
	"time"
)

// Transport delays each call before it passes it on, and notes it in the Record of
// its context. It is safe for concurrent use.
type Transport struct {
	http.RoundTripper

	// Read, Write and Status are the delays of calls that read, that write, and
	// that write a status.
	Read, Write, Status time.Duration
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	begin := time.Now()
	defer func() { record(req.Context(), Call{Phase: phase(req), Begin: begin, End: time.Now()}) }()
	select {
	case <-time.After(t.delay(phase(req))):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	return t.RoundTripper.RoundTrip(req)
}

func (t *Transport) delay(p Phase) time.Duration {
	switch p {
	case Status:
		return t.Status
	case Write:
		return t.Write
	default:
		return t.Read
	}
}

func phase(req *http.Request) Phase {
	switch {
	case req.Method == http.MethodGet:
		return Read
	case strings.HasSuffix(req.URL.Path, "/status"):
		return Status
	default:
		return Write
	}
}
