package controller

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

func TestCheckSpec(t *testing.T) {
	times := func(duration, renewBefore time.Duration) func(*certv1.CertificateSpec) {
		return func(s *certv1.CertificateSpec) {
			s.Duration.Duration, s.RenewBefore = duration, &metav1.Duration{Duration: renewBefore}
		}
	}
	names := func(names ...string) func(*certv1.CertificateSpec) {
		return func(s *certv1.CertificateSpec) { s.DNSNames = names }
	}
	for name, tt := range map[string]struct {
		change func(*certv1.CertificateSpec)
		want   string // in the message; "" if the spec is good
	}{
		"good":             {func(*certv1.CertificateSpec) {}, ""},
		"wildcard":         {names("*.example.com"), ""},
		"one label":        {names("localhost"), ""},
		"shortest":         {times(10*time.Second, 5*time.Second), ""},
		"shortest, thirds": {func(s *certv1.CertificateSpec) { s.Duration.Duration = 10 * time.Second }, ""},
		"90 days":          {times(2160*time.Hour, 720*time.Hour), ""},
		"no name":          {names(), "spec.dnsNames is empty"},
		"empty name":       {names(""), `spec.dnsNames has ""`},
		"space":            {names("a", "b c"), `spec.dnsNames has "b c"`},
		"upper case":       {names("Shop"), `spec.dnsNames has "Shop"`},
		"inner wildcard":   {names("a.*.b"), `spec.dnsNames has "a.*.b"`},
		"long name":        {names(strings.Repeat("a.", 127) + "a"), "spec.dnsNames has"},
		"no Secret":        {func(s *certv1.CertificateSpec) { s.SecretName = "" }, `spec.secretName is ""`},
		"bad Secret":       {func(s *certv1.CertificateSpec) { s.SecretName = "a/b" }, `spec.secretName is "a/b"`},
		"no algorithm":     {func(s *certv1.CertificateSpec) { s.KeyAlgorithm = "" }, `spec.keyAlgorithm is ""`},
		"bad algorithm":    {func(s *certv1.CertificateSpec) { s.KeyAlgorithm = "DSA" }, `spec.keyAlgorithm is "DSA"`},
		"too short":        {times(9*time.Second, time.Second), "spec.duration is 9s, want at least 10s"},
		"negative":         {times(-time.Hour, time.Second), "spec.duration is -1h0m0s"},
		"renewed at once":  {times(time.Hour, time.Hour), "spec.renewBefore is 1h0m0s, want at least 5s less than spec.duration, 1h0m0s"},
		"longer than life": {times(time.Hour, 2*time.Hour), "spec.renewBefore is 2h0m0s"},
		"nearly all":       {times(10*time.Second, 5*time.Second+1), "spec.renewBefore is 5.000000001s"},
		"renewed never":    {times(time.Hour, 0), "spec.renewBefore is 0s, want more than 0s"},
		"renewed after":    {times(time.Hour, -1), "spec.renewBefore is -1ns, want more than 0s"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := newCertificate().Spec
			tt.change(&spec)
			err := checkSpec(&spec)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			var trouble *trouble
			require.ErrorAs(t, err, &trouble)
			require.Equal(t, certv1.ReasonInvalidSpec, trouble.reason)
			require.Contains(t, trouble.message, tt.want)
		})
	}
}
