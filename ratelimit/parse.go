package ratelimit

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// ParseConfig reads a [Config] from YAML or JSON, of which it is one document. It
// returns all faults, joined, each with its line, the path of its field, and the value:
// what is unknown, is there twice, or is impossible, a zero included where what is left
// out has a default. Nothing at all is an error too, for it is more likely a file that
// is not finished; the document {} is the zero Config.
func ParseConfig(data []byte) (Config, error) {
	root, err := document(data)
	if err != nil {
		return Config{}, err
	}
	return decode(root)
}

// UnmarshalYAML implements [yaml.Unmarshaler], for a Config in a larger configuration.
// It returns the errors of [ParseConfig].
func (c *Config) UnmarshalYAML(n *yaml.Node) (err error) {
	*c, err = decode(n)
	return err
}

// UnmarshalJSON implements [encoding/json.Unmarshaler], for a Config in a larger
// configuration. It returns the errors of [ParseConfig], whose lines are counted from
// where the Config begins.
func (c *Config) UnmarshalJSON(data []byte) (err error) {
	*c, err = ParseConfig(data)
	return err
}

func decode(n *yaml.Node) (Config, error) {
	d := decoder{lines: make(map[string]int)}
	var c Config
	d.config(&c)(n, "")
	if len(d.errs) == 0 {
		for _, f := range c.faults("") {
			d.errs = append(d.errs, d.located(f))
		}
	}
	if err := errors.Join(d.errs...); err != nil {
		return Config{}, err
	}
	return c, nil
}

// document returns the one value that data holds.
func document(data []byte) (*yaml.Node, error) {
	if b := bytes.TrimSpace(data); len(b) > 0 && b[0] == '{' {
		data = bytes.ReplaceAll(data, []byte("\t"), []byte(" ")) // YAML has all of JSON but its tabs.
	}
	var doc, more yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("ratelimit: the configuration is empty, want a limiter")
	case err != nil:
		return nil, fmt.Errorf("ratelimit: %w", err)
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("ratelimit: the configuration goes on after its end, want one document")
	}
	return doc.Content[0], nil
}
