package projected

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

const data = "..data"

// Volume is a mounted ConfigMap. The zero Volume is of no use.
type Volume struct {
	folder   string
	versions int
}

// New returns a volume in a folder, which is there and empty.
func New(folder string) *Volume { return &Volume{folder: folder} }

// Path returns where the file of that name is, once it is written.
func (v *Volume) Path(name string) string { return filepath.Join(v.folder, name) }

// Write replaces all files, by their names, at once: it writes them into a folder of
// their own, swaps the link to that, through which the link of each goes, and deletes
// the folder from before. A file that is there no more leaves its link.
func (v *Volume) Write(files map[string]string) error {
	before, err := os.Readlink(v.Path(data))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("projected: %w", err)
	}
	v.versions++
	version := fmt.Sprintf("..2026_01_01_00_00_%02d", v.versions)
	err = errors.Join(v.fill(version, files), v.swap(version), v.link(files))
	if err == nil && before != "" {
		err = os.RemoveAll(v.Path(before))
	}
	if err != nil {
		return fmt.Errorf("projected: %w", err)
	}
	return nil
}

// fill makes the folder of a version.
func (v *Volume) fill(version string, files map[string]string) error {
	if err := os.Mkdir(v.Path(version), 0o700); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(v.Path(version), name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// swap makes it the one that counts.
func (v *Volume) swap(version string) error {
	next := v.Path(data + "_tmp")
	if err := os.Symlink(version, next); err != nil {
		return err
	}
	return os.Rename(next, v.Path(data))
}

// link makes the links of files that had none.
func (v *Volume) link(files map[string]string) error {
	for name := range files {
		err := os.Symlink(filepath.Join(data, name), v.Path(name))
		if err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}
