// Package v1 is the API of certrotator: the kind Certificate of the group
// certs.trimtab.dev.
//
// +kubebuilder:object:generate=true
// +groupName=certs.trimtab.dev
package v1
