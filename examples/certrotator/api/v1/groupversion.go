package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of the kinds in this package.
var GroupVersion = schema.GroupVersion{Group: "certs.trimtab.dev", Version: "v1"} //nolint:gochecknoglobals // a struct can't be a constant

// AddToScheme tells scheme about the kinds in this package.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Certificate{}, &CertificateList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
