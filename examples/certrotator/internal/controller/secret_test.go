package controller

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	certv1 "github.com/trimtab/trimtab/examples/certrotator/api/v1"
)

// onlyCertificate is a client of a cluster with one Certificate and no Secret.
type onlyCertificate struct {
	client.Client

	cert *certv1.Certificate
}

func (c onlyCertificate) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	cert, ok := object.(*certv1.Certificate)
	if !ok || c.cert == nil || key != client.ObjectKeyFromObject(c.cert) {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	c.cert.DeepCopyInto(cert)
	return nil
}

// The cache may see the end of a Secret before that of its Certificate. Then
// the Secret is not made again.
func TestReadSecretOfADeletedCertificate(t *testing.T) {
	cached := newCertificate()
	replaced, terminating := newCertificate(), newCertificate()
	replaced.UID = "another"
	terminating.DeletionTimestamp = new(metav1.NewTime(testNow()))

	for name, c := range map[string]struct {
		live *certv1.Certificate
		want error
	}{
		"there":       {cached, nil},
		"gone":        {nil, errUnwanted},
		"replaced":    {replaced, errUnwanted},
		"terminating": {terminating, errUnwanted},
	} {
		t.Run(name, func(t *testing.T) {
			r := &CertificateReconciler{Client: onlyCertificate{cert: cached}, Live: onlyCertificate{cert: c.live}}
			secret, err := r.readSecret(t.Context(), cached)
			require.ErrorIs(t, err, c.want)
			require.Nil(t, secret)
		})
	}
}
