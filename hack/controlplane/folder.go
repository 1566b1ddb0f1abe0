package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// variable is where envtest, and so this command, looks for a folder.
const variable = "KUBEBUILDER_ASSETS"

// checkNamed returns an error unless the folder that the variable names can be
// used as it is.
func checkNamed(folder string) error {
	if !filepath.IsAbs(folder) {
		return fmt.Errorf("controlplane: %s=%q: must be an absolute path", variable, folder)
	}
	for _, c := range components() {
		if err := checkProgram(filepath.Join(folder, c.name)); err != nil {
			return fmt.Errorf("controlplane: %s=%q: %w", variable, folder, err)
		}
	}
	return nil
}

// checkProgram returns an error unless the file can be executed.
func checkProgram(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return fmt.Errorf("%s is not an executable file", file)
	}
	return nil
}

// cacheFolder returns the folder for the releases in the user's cache.
func cacheFolder(releases []release) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("controlplane: no cache folder to build in (set XDG_CACHE_HOME, or %s): %w", variable, err)
	}
	var key []string
	for _, r := range releases {
		key = append(key, r.version)
	}
	key = append(key, runtime.GOOS, runtime.GOARCH)
	return filepath.Join(cache, "trimtab", "controlplane", strings.Join(key, "-")), nil
}
