package audit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/e2e/internal/audit"
)

// line is an audit event as an API server writes it, cut to what matters.
func line(verb, subresource, name string, code int, query string) string {
	return fmt.Sprintf(`{"kind":"Event","stage":"ResponseComplete","verb":%q,"user":{"username":"rotator"},`+
		`"requestURI":"/api/v1/namespaces/ns/secrets/x%s","objectRef":{"resource":"secrets","namespace":"ns",`+
		`"name":%q,"subresource":%q},"responseStatus":{"code":%d},"stageTimestamp":"2026-01-02T03:04:05.678901Z"}`,
		verb, query, name, subresource, code)
}

func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	file, err := os.Create(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })

	fmt.Fprintln(file, line("create", "", "before", 201, ""))
	log, err := audit.Open(path)
	require.NoError(t, err)

	writes, err := log.Read()
	require.NoError(t, err)
	require.Empty(t, writes, "what was written before Open")

	fmt.Fprintln(file, line("update", "", "a", 200, ""))
	fmt.Fprintln(file, line("update", "status", "a", 409, ""))
	half := line("create", "", "b", 201, "?dryRun=All")
	fmt.Fprint(file, half[:20])
	writes, err = log.Read()
	require.NoError(t, err)
	require.Len(t, writes, 2)
	require.Equal(t, "rotator update secrets ns/a: 200", writes[0].String())
	require.True(t, writes[0].OK() && writes[0].Is("secrets"))
	require.Equal(t, "rotator update secrets/status ns/a: 409", writes[1].String())
	require.False(t, writes[1].OK() || writes[1].Is("secrets"))

	fmt.Fprintln(file, half[20:])
	writes, err = log.Read()
	require.NoError(t, err)
	require.Len(t, writes, 1)
	require.False(t, writes[0].OK(), "a dry run changes nothing")

	fmt.Fprintln(file, "rubbish")
	_, err = log.Read()
	require.ErrorContains(t, err, `line "rubbish`)
}

func TestOpenWithoutFile(t *testing.T) {
	_, err := audit.Open(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
