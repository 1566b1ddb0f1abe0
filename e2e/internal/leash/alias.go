package leash

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// The variables through which a program tells its own alias what to become.
const (
	assetsVariable = "TRIMTAB_LEASH_ASSETS"
	parentVariable = "TRIMTAB_LEASH_PARENT"
)

// Alias makes, in folder, an alias of each of the tools in assets, and returns
// an error that names the first tool that is not there.
func Alias(folder, assets string, tools ...string) error {
	for _, tool := range tools {
		path := filepath.Join(assets, tool)
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("leash: no %s in %s: %w", tool, assets, err)
		}
		target, err := target(path)
		if err != nil {
			return err
		}
		if err := os.Symlink(target, filepath.Join(folder, tool)); err != nil {
			return fmt.Errorf("leash: %w", err)
		}
	}
	return announce(assets)
}

// announce leaves word for the aliases: where the tools are, and whose they are.
func announce(assets string) error {
	if err := os.Setenv(assetsVariable, assets); err != nil {
		return fmt.Errorf("leash: %w", err)
	}
	if err := os.Setenv(parentVariable, strconv.Itoa(os.Getpid())); err != nil {
		return fmt.Errorf("leash: %w", err)
	}
	return nil
}
