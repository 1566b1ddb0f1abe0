package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

func TestFingerprint(t *testing.T) {
	of := func(data map[string]string) string {
		sum, err := fingerprint(&corev1.ConfigMap{Data: data})
		require.NoError(t, err)
		return sum
	}
	require.Equal(t, of(map[string]string{"a": "1", "b": "2"}), of(map[string]string{"b": "2", "a": "1"}))
	require.NotEqual(t, of(map[string]string{"a": "1"}), of(map[string]string{"a": "2"}))
	require.NotEqual(t, of(map[string]string{"a": "b=c"}), of(map[string]string{"a=b": "c"}))
}
