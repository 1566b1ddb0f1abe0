package ratelimit

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// maxBytes is far more than a limiter needs.
const maxBytes = 64 << 10

// ParseConfig reads a [Config] from YAML or JSON, of which it is one document of at
// most 64 KiB. It returns all faults, joined and by their lines, each with the path
// of its field and the value: what is unknown, is there twice, or is impossible, a
// zero included where what is left out has a default. Of more than 50 it returns
// the first, and how many more there are.
//
// Numbers are decimal. There are no aliases and no merge keys, and at most 16
// limiters are within each other.
//
// Nothing at all is an error too, for it is more likely a file that is not
// finished; the document {} is the zero Config.
func ParseConfig(data []byte) (Config, error) {
	root, err := document(data)
	if err != nil {
		return Config{}, err
	}
	return decode(root)
}

// UnmarshalYAML implements [yaml.Unmarshaler], for a Config in a larger
// configuration, whose lines it counts. It replaces all of c, or nothing if there
// is an error, which is that of [ParseConfig]. A null does not come here, and
// leaves c as it is.
//
// It is called by go.yaml.in/yaml/v3, and by no other package for YAML:
// gopkg.in/yaml.v3 would read other names into c. One that makes JSON of YAML, as
// sigs.k8s.io/yaml does, calls UnmarshalJSON.
func (c *Config) UnmarshalYAML(n *yaml.Node) error {
	read, err := decode(n)
	if err != nil {
		return err
	}
	*c = read
	return nil
}

// UnmarshalJSON implements [encoding/json.Unmarshaler], for a Config in a larger
// configuration. It replaces all of c, or nothing if there is an error, which is
// that of [ParseConfig], with lines that are counted from where the Config begins.
// A null leaves c as it is.
func (c *Config) UnmarshalJSON(data []byte) error {
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return nil
	}
	read, err := ParseConfig(data)
	if err != nil {
		return err
	}
	*c = read
	return nil
}

func decode(n *yaml.Node) (Config, error) {
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	d := decoder{lines: map[string]int{"": n.Line}, unread: make(map[string]bool)}
	var c Config
	d.config(&c)(n, "")
	d.check(c.faults(""))
	if err := errors.Join(d.errors()...); err != nil {
		return Config{}, err
	}
	return c, nil
}

// document returns the one value that data holds.
func document(data []byte) (*yaml.Node, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("ratelimit: the configuration has %d bytes, want at most %d", len(data), maxBytes)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if b := bytes.TrimSpace(data); len(b) > 0 && b[0] == '{' {
		data = bytes.ReplaceAll(data, []byte("\t"), []byte(" ")) // YAML has all of JSON but its tabs.
	}
	var doc, more yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		return nil, errors.New("ratelimit: the configuration is empty, want a limiter")
	case err != nil:
		return nil, fmt.Errorf("ratelimit: %w", err)
	}
	switch err := decoder.Decode(&more); {
	case err == nil:
		return nil, fmt.Errorf("ratelimit: line %d: the configuration goes on, want one document", more.Line)
	case !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("ratelimit: the configuration goes on, want one document: %w", err)
	}
	return &doc, nil
}
