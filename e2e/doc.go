// Package e2e tests the example operator, as a process of its own, and controllers
// in the tests' process, against a real API server. The tests need
// KUBEBUILDER_ASSETS, the folder of kube-apiserver and etcd, and TRIMTAB_OPERATOR,
// the operator's binary; make e2e sets both.
package e2e
