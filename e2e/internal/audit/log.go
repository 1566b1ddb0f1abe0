package audit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Write is a request that would change something, once it was answered.
type Write struct {
	User        string
	Verb        string
	Group       string
	Resource    string
	Subresource string
	Namespace   string
	Name        string
	Code        int
	DryRun      bool
	At          time.Time
}

// OK tells whether the request was carried out.
func (w Write) OK() bool {
	return w.Code < 300 && !w.DryRun
}

// Is tells whether the request was for that resource and no subresource of it.
func (w Write) Is(resource string) bool {
	return w.Resource == resource && w.Subresource == ""
}

// String names the request in one line.
func (w Write) String() string {
	resource := w.Resource
	if w.Subresource != "" {
		resource += "/" + w.Subresource
	}
	return fmt.Sprintf("%s %s %s %s/%s: %d", w.User, w.Verb, resource, w.Namespace, w.Name, w.Code)
}

// Log is an audit log, read from where it was at Open. Not safe for concurrent
// use.
type Log struct {
	path   string
	offset int64
}

// Open returns the log at path from its present end: what was written before
// is not seen.
func Open(path string) (*Log, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return &Log{path: path, offset: info.Size()}, nil
}

// Read returns the writes since the last Read, in the order in which they
// were answered.
func (l *Log) Read() ([]Write, error) {
	file, err := os.Open(l.path)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(l.offset, io.SeekStart); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return l.readLines(bufio.NewReader(file))
}

// readLines reads whole lines and leaves one that is still being written.
func (l *Log) readLines(r *bufio.Reader) ([]Write, error) {
	var writes []Write
	for {
		line, err := r.ReadBytes('\n')
		if err == io.EOF { //nolint:errorlint // ReadBytes returns the bare value
			return writes, nil
		}
		if err != nil {
			return writes, fmt.Errorf("audit: %w", err)
		}
		l.offset += int64(len(line))
		w, err := parse(line)
		if err != nil {
			return writes, err
		}
		writes = append(writes, w)
	}
}

// event is as much of an audit event as a Write needs.
type event struct {
	Verb string
	User struct{ Username string }

	ObjectRef struct {
		APIGroup, Resource, Subresource, Namespace, Name string
	}
	ResponseStatus struct{ Code int }
	RequestURI     string
	StageTimestamp time.Time
}

func parse(line []byte) (Write, error) {
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		return Write{}, fmt.Errorf("audit: line %q: %w", line, err)
	}
	return Write{
		User:        e.User.Username,
		Verb:        e.Verb,
		Group:       e.ObjectRef.APIGroup,
		Resource:    e.ObjectRef.Resource,
		Subresource: e.ObjectRef.Subresource,
		Namespace:   e.ObjectRef.Namespace,
		Name:        e.ObjectRef.Name,
		Code:        e.ResponseStatus.Code,
		DryRun:      strings.Contains(e.RequestURI, "dryRun=All"),
		At:          e.StageTimestamp,
	}, nil
}
