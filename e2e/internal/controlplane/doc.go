// Package controlplane runs a real kube-apiserver and etcd on loopback, by
// controller-runtime's envtest, with the kubeconfig files and the audit log
// that tests and the demo need.
package controlplane
