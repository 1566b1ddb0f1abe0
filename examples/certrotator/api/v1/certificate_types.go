package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConditionReady is True while the Secret holds a certificate that is valid and
// matches the spec.
const ConditionReady = "Ready"

// The reasons of the condition Ready.
const (
	// ReasonIssued: the Secret holds what the spec asks for, by the current CA.
	ReasonIssued = "Issued"

	// ReasonInvalidSpec: the spec asks for something impossible. Nothing is
	// issued or renewed until it changes; an earlier Secret stays as it is.
	ReasonInvalidSpec = "InvalidSpec"

	// ReasonCAUnavailable: the Secret of the CA is missing or unusable. Ready
	// stays True as long as the certificate that was issued before is valid.
	ReasonCAUnavailable = "CAUnavailable"

	// ReasonSecretConflict: a Secret of that name belongs to somebody else. It
	// is left alone.
	ReasonSecretConflict = "SecretConflict"
)

// The reasons of the events on a Certificate, beside those of the condition.
const (
	// EventIssued: the first certificate, or a new one for a changed spec.
	EventIssued = ReasonIssued

	// EventRenewed: a new certificate in time before the end of the old one, or
	// because the CA was replaced.
	EventRenewed = "Renewed"

	// EventRepaired: the Secret was deleted or tampered with.
	EventRepaired = "Repaired"
)

// KeyAlgorithm is the kind and size of a private key.
//
// +kubebuilder:validation:Enum=ECDSA-P256;ECDSA-P384;RSA-2048;RSA-4096;Ed25519
type KeyAlgorithm string

// The key algorithms.
const (
	ECDSAP256 KeyAlgorithm = "ECDSA-P256"
	ECDSAP384 KeyAlgorithm = "ECDSA-P384"
	RSA2048   KeyAlgorithm = "RSA-2048"
	RSA4096   KeyAlgorithm = "RSA-4096"
	Ed25519   KeyAlgorithm = "Ed25519"
)

// CertificateSpec is the certificate that is wanted.
type CertificateSpec struct {
	// dnsNames are the names that the certificate is valid for. The first label
	// may be a wildcard.
	//
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=253
	// +kubebuilder:validation:items:Pattern=`^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	DNSNames []string `json:"dnsNames,omitempty"`

	// duration is how long a certificate is valid from the moment of its issue,
	// in whole seconds. One that would outlive its CA ends with the CA.
	//
	// +optional
	// +kubebuilder:default="2160h"
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('10s')",message="must be at least 10s"
	Duration metav1.Duration `json:"duration,omitzero"`

	// renewBefore is how long before its end a certificate is renewed. It must
	// be shorter than the duration. The default is a third of the duration.
	//
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	// +kubebuilder:validation:XValidation:rule="duration(self) > duration('0s')",message="must be longer than 0s"
	RenewBefore *metav1.Duration `json:"renewBefore,omitempty"`

	// secretName is the Secret, in the same namespace, that the certificate is
	// kept in. It is created; one that belongs to somebody else is left alone.
	//
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	SecretName string `json:"secretName,omitempty"`

	// keyAlgorithm is the kind of the private key. Every issue makes a new key.
	//
	// +optional
	// +kubebuilder:default=ECDSA-P256
	KeyAlgorithm KeyAlgorithm `json:"keyAlgorithm,omitempty"`
}

// CertificateStatus is the certificate as it was last seen in its Secret.
type CertificateStatus struct {
	// observedGeneration is the generation of the spec that this status is of.
	//
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions has one type, Ready.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// notBefore is the start of the certificate's validity. It lies a little
	// before the issue, for clients whose clocks are behind.
	//
	// +optional
	NotBefore *metav1.Time `json:"notBefore,omitempty"`

	// notAfter is the end of the certificate's validity.
	//
	// +optional
	NotAfter *metav1.Time `json:"notAfter,omitempty"`

	// renewalTime is when the certificate will be renewed.
	//
	// +optional
	RenewalTime *metav1.Time `json:"renewalTime,omitempty"`

	// serialNumber is the certificate's serial number, in hexadecimal.
	//
	// +optional
	SerialNumber string `json:"serialNumber,omitempty"`

	// issuerFingerprint is the SHA-256 of the CA's certificate that signed, in
	// hexadecimal.
	//
	// +optional
	IssuerFingerprint string `json:"issuerFingerprint,omitempty"`
}

// Certificate is a certificate and its key in a Secret, issued by the operator's
// CA and renewed in time.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=tcert
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Secret",type=string,JSONPath=`.spec.secretName`
// +kubebuilder:printcolumn:name="Not After",type=string,JSONPath=`.status.notAfter`
// +kubebuilder:printcolumn:name="Renewal",type=string,JSONPath=`.status.renewalTime`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Certificate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the certificate that is wanted.
	//
	// +required
	Spec CertificateSpec `json:"spec"`

	// status is the certificate that there is.
	//
	// +optional
	Status CertificateStatus `json:"status,omitempty"`
}

// CertificateList is a list of Certificates.
//
// +kubebuilder:object:root=true
type CertificateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Certificate `json:"items"`
}
