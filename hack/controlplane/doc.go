// Command controlplane prints a folder that holds kube-apiserver and etcd, for
// KUBEBUILDER_ASSETS. Where it must, it builds both from their Go modules, at
// the versions that go.mod selects: that takes minutes, once for each version
// in a user's cache folder. Nothing but the folder goes to standard output.
//
//	export KUBEBUILDER_ASSETS="$(go -C hack/controlplane run .)"
//
// A KUBEBUILDER_ASSETS that is set already wins, so that released binaries can
// be used instead. An interrupted build goes on where it ended; of two at once,
// one waits for the other.
package main
