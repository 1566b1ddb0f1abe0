package ratelimit_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/trimtab/trimtab/ratelimit"
)

// All that there is, in YAML and as it is read.
const allKinds = `
maxOf:
- preset: Gentle
- exponential: {baseDelay: 750ms, maxDelay: 15m, factor: 1.5, jitter: 0.2, ttl: 2h, maxItems: 1000}
- fastSlow: {fastDelay: 1s, slowDelay: 1m, fastAttempts: 3, jitter: 0, ttl: 1h, maxItems: 10}
- constant: {delay: 1m30s, jitter: 1, ttl: 1h, maxItems: 1}
- bucket: {rate: .5, burst: 50, maxDelay: 1h}
- perNamespace: {}
- capped:
    limiter: {}
    maxDelay: 1m
- byError:
    default: {}
    classes:
      conflict: {constant: {delay: 1s}}
      quota.exceeded: {preset: Gentle}
- retryAfter: {limiter: {}, maxDelay: 10m, jitter: 0.1}
- budget: {limiter: {}, share: 0.2, minRate: 1e1, burst: 7, maxDelay: 1s}
`

func wantOfAllKinds() ratelimit.Config {
	second := ratelimit.Config{Constant: &ratelimit.ConstantOptions{Delay: time.Second}}
	return ratelimit.Config{MaxOf: []ratelimit.Config{
		{Preset: ratelimit.Gentle},
		{Exponential: &ratelimit.ExponentialOptions{BaseDelay: 750 * time.Millisecond, MaxDelay: 15 * time.Minute, Factor: 1.5, Jitter: 0.2, TTL: 2 * time.Hour, MaxItems: 1000}},
		{FastSlow: &ratelimit.FastSlowOptions{FastDelay: time.Second, SlowDelay: time.Minute, FastAttempts: 3, TTL: time.Hour, MaxItems: 10}},
		{Constant: &ratelimit.ConstantOptions{Delay: 90 * time.Second, Jitter: 1, TTL: time.Hour, MaxItems: 1}},
		{Bucket: &ratelimit.BucketOptions{Rate: 0.5, Burst: 50, MaxDelay: time.Hour}},
		{PerNamespace: &ratelimit.Config{}},
		{Capped: &ratelimit.CappedConfig{MaxDelay: time.Minute}},
		{ByError: &ratelimit.ByErrorConfig{Classes: map[string]ratelimit.Config{"conflict": second, "quota.exceeded": {Preset: ratelimit.Gentle}}}},
		{RetryAfter: &ratelimit.RetryAfterConfig{MaxDelay: 10 * time.Minute, Jitter: 0.1}},
		{Budget: &ratelimit.BudgetConfig{BudgetOptions: ratelimit.BudgetOptions{Share: 0.2, MinRate: 10, Burst: 7, MaxDelay: time.Second}}},
	}}
}

func TestParseConfig(t *testing.T) {
	asJSON := func(text string) string {
		var v any
		require.NoError(t, yaml.Unmarshal([]byte(text), &v))
		data, err := json.MarshalIndent(v, "", "\t")
		require.NoError(t, err)
		return string(data)
	}
	constant := ratelimit.Config{Constant: &ratelimit.ConstantOptions{Delay: time.Second}}
	for name, tt := range map[string]struct {
		text string
		want ratelimit.Config
	}{
		"all kinds":             {allKinds, wantOfAllKinds()},
		"all kinds, CRLF":       {strings.ReplaceAll(allKinds, "\n", "\r\n"), wantOfAllKinds()},
		"all kinds, BOM":        {"\ufeff" + allKinds, wantOfAllKinds()},
		"JSON with tabs":        {asJSON(allKinds), wantOfAllKinds()},
		"JSON with BOM":         {"\ufeff" + asJSON(allKinds), wantOfAllKinds()},
		"JSON with CRLF":        {strings.ReplaceAll(asJSON(allKinds), "\n", "\r\n"), wantOfAllKinds()},
		"JSON in one line":      {`{"constant":{"delay":"1s"}}`, constant},
		"JSON with escapes":     {`{"con\u0073tant":{"delay":"\u0031s"}}`, constant},
		"zero":                  {"{}", ratelimit.Config{}},
		"with markers":          {"# numbers\n---\nconstant: {delay: 1s}\n...\n", constant},
		"with comments":         {"constant: # each\n  # a second\n  delay: 1s # each time\n", constant},
		"an anchor nobody uses": {"constant: &c {delay: 1s}\n", constant},
		"quoted":                {`"constant": {'delay': "1s"}`, constant},
		"UTF-16":                {"\xff\xfe{\x00}\x00", ratelimit.Config{}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := ratelimit.ParseConfig([]byte(tt.text))
			require.NoError(t, err)
			require.Equal(t, tt.want, c)
		})
	}
}

func TestParseConfigBadDocuments(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":               {"", "is empty, want a limiter"},
		"white space":           {" \n\t\n", "ratelimit: "},
		"only a comment":        {"# to do\n", "is empty, want a limiter"},
		"only a BOM":            {"\ufeff", "is empty, want a limiter"},
		"only a marker":         {"---\n", "line 2: the configuration is null, want fields, or {} for none"},
		"null":                  {"null", "line 1: the configuration is null, want fields, or {} for none"},
		"a text":                {"\n\nGentle", `line 3: the configuration is "Gentle", want fields`},
		"a list":                {"- preset: Gentle", "line 1: the configuration is a list, want fields"},
		"two documents":         {"preset: Gentle\n---\npreset: Default\n", "line 2: the configuration goes on, want one document"},
		"rubbish after the end": {"preset: Gentle\n...\n}}\n", "the configuration goes on, want one document: "},
		"YAML with a tab":       {"constant:\n\tdelay: 1s", "line 2"},
		"an open brace":         {"constant: {delay: 1s", "ratelimit: yaml: line 1"},
		"no UTF-8":              {"preset: \xff\xfe", "ratelimit: yaml: "},
		"a control character":   {"preset: \x00", "ratelimit: yaml: "},
		"an unknown alias":      {"preset: *p", "ratelimit: yaml: unknown anchor 'p'"},
		"an alias":              {"maxOf:\n- &a {preset: Gentle}\n- *a\n", "line 3: maxOf[1] is the alias *a, want fields"},
		"an alias of a scalar":  {"fastSlow:\n  fastDelay: &a 1s\n  slowDelay: *a", "line 3: fastSlow.slowDelay is the alias *a, want a duration"},
		"an alias as a name":    {"maxOf:\n- preset: &p preset\n- *p : Gentle", "line 3: maxOf[1] has a field with the name the alias *p, want a text"},
		"an alias of itself":    {"maxOf: &a\n- *a", "line 2: maxOf[0] is the alias *a"},
		"a merge key":           {"exponential:\n  <<: {maxDelay: 1m}", "line 2: exponential.<< is unknown, want one of"},
		"an object as a name":   {"? {a: b}\n: 1", "line 1: the configuration has a field with the name an object"},
		"a long name":           {strings.Repeat("a", 1000) + ": 1", "line 1: the configuration has a field with a name of 1000 bytes, want at most 100"},
		"a long value":          {"constant: {delay: " + strings.Repeat("a", 1000) + "}", `constant.delay is "` + strings.Repeat("a", 100) + `"…, want a duration`},
		"a megabyte":            {strings.Repeat("garbage: [\n", 1<<20/11), "bytes, want at most 65536"},
		"garbage":               {strings.Repeat("x{[,: \n", 9000), "ratelimit: there are 8950 more faults"},
		"deep, flow":            {strings.Repeat("{perNamespace: ", 4000) + strings.Repeat("}", 4000), "is within 16 limiters, want at most 15"},
		"deep, block":           {strings.Repeat("? ", 30000), "ratelimit: yaml: "},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := ratelimit.ParseConfig([]byte(tt.text))
			require.ErrorContains(t, err, tt.want)
			require.ErrorContains(t, err, "ratelimit: ")
			require.Zero(t, c)
			require.Less(t, len(err.Error()), 10_000)
		})
	}
}

// A Config in a larger configuration has the lines of that.
func TestUnmarshalYAML(t *testing.T) {
	var big struct {
		Name  string
		Limit ratelimit.Config
	}
	big.Limit.Preset = ratelimit.Gentle
	require.NoError(t, yaml.Unmarshal([]byte("name: a\nlimit:\n"), &big), "null")
	require.Equal(t, ratelimit.Config{Preset: ratelimit.Gentle}, big.Limit)
	require.ErrorContains(t, yaml.Unmarshal([]byte("name: a\nlimit:\n  constant:\n    delay: 0s\n"), &big), "line 4: constant.delay is 0s, want more than 0")
	require.Equal(t, ratelimit.Config{Preset: ratelimit.Gentle}, big.Limit)

	require.NoError(t, yaml.Unmarshal([]byte("limit: {constant: {delay: 1s}}"), &big))
	require.Equal(t, constant(), big.Limit)
	require.NoError(t, yaml.Unmarshal([]byte("name: a\nlimits: &l {preset: Default}\nlimit: *l\n"), &big))
	require.Equal(t, ratelimit.Config{Preset: ratelimit.Default}, big.Limit)

	var doc yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte("constant: {delay: 1s}"), &doc))
	require.NoError(t, doc.Decode(&big.Limit))
	require.Equal(t, constant(), big.Limit)
	require.NoError(t, big.Limit.UnmarshalYAML(&doc))
	require.Error(t, big.Limit.UnmarshalYAML(&yaml.Node{}))
}

func TestUnmarshalJSON(t *testing.T) {
	var big struct {
		Limit   ratelimit.Config
		Pointer *ratelimit.Config
	}
	big.Limit.Preset = ratelimit.Gentle
	require.NoError(t, json.Unmarshal([]byte(`{"limit": null, "pointer": null}`), &big))
	require.Equal(t, ratelimit.Config{Preset: ratelimit.Gentle}, big.Limit)
	require.Nil(t, big.Pointer)
	require.ErrorContains(t, json.Unmarshal([]byte("{\"limit\": {\n\t\"constant\": {\"delay\": 5}}}"), &big), `line 2: constant.delay is 5, want a duration with its unit, such as "30s"`)
	require.Equal(t, ratelimit.Config{Preset: ratelimit.Gentle}, big.Limit)

	require.NoError(t, json.Unmarshal([]byte("{\"limit\": {\n\t\"constant\": {\"delay\":\t\"1s\"}}, \"pointer\": {}}"), &big))
	require.Equal(t, constant(), big.Limit)
	require.Equal(t, &ratelimit.Config{}, big.Pointer)
	require.Error(t, json.Unmarshal([]byte(`{"limit": "Gentle"}`), &big))
}

// What parses is valid, and its limiter gives no delay outside its bounds.
func FuzzParseConfig(f *testing.F) {
	for _, seed := range []string{allKinds, "", "# a", "---", "{}", "{\"preset\":\t\"Gentle\"}", "bucket: {rate: 1e-9}", "exponential: {maxDelay: 2562047h, factor: 1e308}", "maxOf: &a\n- *a", "<<: {}", "\ufeff{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ratelimit.ParseConfig(data)
		if err != nil {
			require.Zero(t, c)
			require.ErrorContains(t, err, "ratelimit: ")
			return
		}
		require.NoError(t, c.Validate())
		l, err := ratelimit.Build[namespaced](c)
		require.NoError(t, err)
		for range 40 {
			for _, item := range []namespaced{{"a", "b"}, {"c", "d"}} {
				d := max(l.WhenError(item, nil, "conflict"), l.When(item))
				require.GreaterOrEqual(t, d, time.Duration(0))
				require.LessOrEqual(t, d, ratelimit.Longest(c))
			}
		}
	})
}
