package controller

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

const (
	// minDuration is the shortest life of a certificate; the CRD says so, too.
	minDuration = 10 * time.Second

	// minRest is what renewBefore has to leave of the duration, so that a
	// certificate is not renewed over and over.
	minRest = 5 * time.Second
)

// checkSpec returns an invalidSpec error that names the first impossible field
// and its value. The API server has refused most of them already, by the rules
// in the CRD; an older CRD or a rule over two fields may have let some pass.
func checkSpec(spec *certv1.CertificateSpec) error {
	if len(spec.DNSNames) == 0 {
		return invalidSpec("spec.dnsNames is empty, want at least one name.")
	}
	for _, name := range spec.DNSNames {
		if faults := dnsNameFaults(name); len(faults) > 0 {
			return invalidSpec(fmt.Sprintf("spec.dnsNames has %q: %s.", name, faults[0]))
		}
	}
	if faults := validation.IsDNS1123Subdomain(spec.SecretName); len(faults) > 0 {
		return invalidSpec(fmt.Sprintf("spec.secretName is %q: %s.", spec.SecretName, faults[0]))
	}
	if !slices.Contains(keyAlgorithms(), spec.KeyAlgorithm) {
		return invalidSpec(fmt.Sprintf("spec.keyAlgorithm is %q, want one of %v.", spec.KeyAlgorithm, keyAlgorithms()))
	}
	return checkTimes(spec)
}

func checkTimes(spec *certv1.CertificateSpec) error {
	duration, renewBefore := spec.Duration.Duration, renewBefore(spec)
	switch {
	case duration < minDuration:
		return invalidSpec(fmt.Sprintf("spec.duration is %v, want at least %v.", duration, minDuration))
	case renewBefore <= 0:
		return invalidSpec(fmt.Sprintf("spec.renewBefore is %v, want more than 0s.", renewBefore))
	case renewBefore > duration-minRest:
		return invalidSpec(fmt.Sprintf("spec.renewBefore is %v, want at least %v less than spec.duration, %v.", renewBefore, minRest, duration))
	}
	return nil
}

func dnsNameFaults(name string) []string {
	if strings.HasPrefix(name, "*.") {
		return validation.IsWildcardDNS1123Subdomain(name)
	}
	return validation.IsDNS1123Subdomain(name)
}

// lifetime is how long a new certificate is valid: X.509 knows whole seconds.
func lifetime(spec *certv1.CertificateSpec) time.Duration {
	return spec.Duration.Truncate(time.Second)
}

// renewBefore is how long before its end a certificate is renewed.
func renewBefore(spec *certv1.CertificateSpec) time.Duration {
	if spec.RenewBefore != nil {
		return spec.RenewBefore.Duration
	}
	return lifetime(spec) / 3
}
