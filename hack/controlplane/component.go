package main

import (
	"fmt"
	"strings"
)

// component is one program of the control plane.
type component struct {
	name   string                        // of the program's file, as envtest looks for it
	module string                        // whose version is the program's
	main   string                        // the program's package
	stamp  func(version string) []string // linker flags that tell the program its version
}

// components returns what a control plane is made of.
func components() []component {
	return []component{
		{"kube-apiserver", "k8s.io/kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver", stampKubernetes},
		{"etcd", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3", stampNothing},
	}
}

// stampKubernetes sets what Kubernetes' own build sets: else kube-apiserver says,
// to clients too, that it is v0.0.0-master.
func stampKubernetes(version string) []string {
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")

	var flags []string
	for _, pkg := range []string{"k8s.io/client-go/pkg/version", "k8s.io/component-base/version"} {
		flags = append(flags,
			fmt.Sprintf("-X %s.gitVersion=%s", pkg, version),
			fmt.Sprintf("-X %s.gitMajor=%s", pkg, major),
			fmt.Sprintf("-X %s.gitMinor=%s", pkg, minor),
		)
	}
	return flags
}

// stampNothing is for etcd, whose version is a constant in its source.
func stampNothing(string) []string { return nil }
