package named_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trimtab/trimtab/internal/named"
)

type clustered struct {
	Cluster string
	reconcile.Request
}

type hidden struct {
	reconcile.Request
	cluster string
	shard   int
}

type spelled struct {
	Cluster string
	reconcile.Request
}

func (s spelled) String() string { return fmt.Sprintf("%s:%s", s.Cluster, s.Name) }

type plain struct{ Cluster, Name string }

func TestOf(t *testing.T) {
	web := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: "web"}}
	for _, tc := range []struct {
		request any
		name    string
	}{
		{"a", "a"},
		{7, "7"},
		{web, "default/web"},
		{web.NamespacedName, "default/web"},
		{clustered{"east", web}, "east/default/web"},
		{clustered{"", web}, "default/web"},
		{hidden{web, "east", 3}, "east/3/default/web"},
		{spelled{"east", web}, "east:web"},
		{plain{"east", "web"}, "{east web}"},
		{struct{}{}, "{}"},
		{nil, "<nil>"},
	} {
		require.Equal(t, tc.name, named.Of(tc.request))
	}
}
