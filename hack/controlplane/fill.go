package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// fill builds what the folder lacks. Only one process at a time does so.
func fill(ctx context.Context, folder string, releases []release, stderr io.Writer) error {
	if len(missing(folder, releases)) == 0 {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("controlplane: %w", err)
	}
	unlock, err := lock(ctx, filepath.Join(folder, ".lock"), stderr)
	if err != nil {
		return err
	}
	defer unlock()

	if err := sweep(folder); err != nil {
		return err
	}
	for _, r := range missing(folder, releases) {
		if err := install(ctx, folder, r, stderr); err != nil {
			return err
		}
	}
	return nil
}

// missing returns the releases that the folder has no program of. A program
// that is there is whole, since it was renamed into its place.
func missing(folder string, releases []release) []release {
	var lacking []release
	for _, r := range releases {
		if checkProgram(filepath.Join(folder, r.name)) != nil {
			lacking = append(lacking, r)
		}
	}
	return lacking
}

// workPattern names the folders in which programs are built.
const workPattern = ".build-*"

// sweep removes what killed builds left in the folder.
func sweep(folder string) error {
	left, err := filepath.Glob(filepath.Join(folder, workPattern))
	if err != nil {
		return fmt.Errorf("controlplane: %w", err)
	}
	for _, work := range left {
		if err := os.RemoveAll(work); err != nil {
			return fmt.Errorf("controlplane: %w", err)
		}
	}
	return nil
}

// install builds the release beside the folder's programs, tries it, and only
// then gives it its name.
func install(ctx context.Context, folder string, r release, stderr io.Writer) error {
	work, err := os.MkdirTemp(folder, workPattern)
	if err != nil {
		return fmt.Errorf("controlplane: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }() // a folder that stays is swept by the next run

	program := filepath.Join(work, r.name)
	if err := build(ctx, r, program, stderr); err != nil {
		return err
	}
	if err := try(ctx, r, program); err != nil {
		return err
	}
	if err := os.Rename(program, filepath.Join(folder, r.name)); err != nil {
		return fmt.Errorf("controlplane: %w", err)
	}
	return nil
}
