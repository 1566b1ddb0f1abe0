package ratelimit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trimtab/trimtab/ratelimit"
)

// Each fault names its line, the path of its field, and the value. RL02: an explicit
// zero is one.
func TestParseConfigFaults_RL02(t *testing.T) {
	const duration = `want a duration with its unit, such as "30s"`
	for _, tt := range []struct{ text, want string }{
		{"preset: Fast", `line 1: preset is "Fast", want Default, InCluster, ExternalAPI or Gentle`},
		{"preset: gentle", `line 1: preset is "gentle", want Default`},
		{`preset: ""`, `line 1: preset is "", want the name of a preset`},
		{"preset:", "line 1: preset is null, want the name of a preset"},
		{"preset: [Gentle]", "line 1: preset is a list, want the name of a preset"},
		{"preset: 5", `line 1: preset is "5", want Default`},
		{"exponential:", "line 1: exponential is null, want fields, or {} for none"},
		{"exponential: 5ms", `line 1: exponential is "5ms", want fields`},
		{"exponential: [{}]", "line 1: exponential is a list, want fields"},
		{"exponential:\n  baseDelay: 0s", "line 2: exponential.baseDelay is 0s, want more than 0"},
		{"exponential:\n  baseDelay: 0", "line 2: exponential.baseDelay is 0, want more than 0"},
		{"exponential:\n  baseDelay: -5ms", "line 2: exponential.baseDelay is -5ms, want more than 0"},
		{"exponential:\n  baseDelay: 5", "line 2: exponential.baseDelay is 5, " + duration},
		{"exponential:\n  baseDelay: 1.5", "line 2: exponential.baseDelay is 1.5, " + duration},
		{"exponential:\n  baseDelay: soon", `line 2: exponential.baseDelay is "soon", ` + duration},
		{"exponential:\n  baseDelay: 1d", `line 2: exponential.baseDelay is "1d", ` + duration},
		{"exponential:\n  baseDelay: 9999999h", `line 2: exponential.baseDelay is "9999999h", ` + duration},
		{"exponential:\n  baseDelay: true", "line 2: exponential.baseDelay is true, " + duration},
		{"exponential:\n  baseDelay: {}", "line 2: exponential.baseDelay is an object, " + duration},
		{"exponential:\n  baseDelay: 2006-01-02", "line 2: exponential.baseDelay is 2006-01-02, " + duration},
		{"exponential:\n  baseDelay: 1h\n  maxDelay: 1m", "line 3: exponential.maxDelay is 1m0s, want at least baseDelay, 1h0m0s"},
		{"# more than the default\nexponential:\n  baseDelay: 1h", "line 2: exponential.maxDelay is 16m40s, want at least baseDelay, 1h0m0s"},
		{"exponential:\n  factor: 0.5", "line 2: exponential.factor is 0.5, want a finite number of at least 1"},
		{"exponential:\n  factor: 0", "line 2: exponential.factor is 0, want more than 0"},
		{"exponential:\n  factor: -0.0", "line 2: exponential.factor is -0.0, want more than 0"},
		{"exponential:\n  factor: .nan", "line 2: exponential.factor is .nan, want a decimal number"},
		{"exponential:\n  factor: NaN", `line 2: exponential.factor is "NaN", want a decimal number`},
		{"exponential:\n  factor: .inf", "line 2: exponential.factor is .inf, want a decimal number"},
		{"exponential:\n  factor: 1e400", "line 2: exponential.factor is \"1e400\", want a decimal number"},
		{"exponential:\n  jitter: 1.5", "line 2: exponential.jitter is 1.5, want a number from 0 to 1"},
		{"exponential:\n  jitter: -0.1", "line 2: exponential.jitter is -0.1, want a number from 0 to 1"},
		{"exponential:\n  jitter: 20%", `line 2: exponential.jitter is "20%", want a decimal number`},
		{"exponential:\n  jitter:", "line 2: exponential.jitter is null, want a number"},
		{"exponential:\n  ttl: 0s", "line 2: exponential.ttl is 0s, want more than 0"},
		{"exponential:\n  maxItems: 0", "line 2: exponential.maxItems is 0, want more than 0"},
		{"exponential:\n  maxItems: 1.0", "line 2: exponential.maxItems is 1.0, want a whole decimal number"},
		{"exponential:\n  maxItems: 1e3", "line 2: exponential.maxItems is 1e3, want a whole decimal number"},
		{"exponential:\n  maxItems: 99999999999999999999", "line 2: exponential.maxItems is 99999999999999999999, want a whole decimal number"},
		{"exponential:\n  MaxItems: 1", "line 2: exponential.MaxItems is unknown, want one of baseDelay, factor, jitter, maxDelay, maxItems, ttl"},
		{"fastSlow:\n  fastDelay: 1h", "line 1: fastSlow.slowDelay is 16m40s, want at least fastDelay, 1h0m0s"},
		{"fastSlow:\n  fastAttempts: 0", "line 2: fastSlow.fastAttempts is 0, want more than 0"},
		{"fastSlow:\n  attempts: 1", "line 2: fastSlow.attempts is unknown, want one of fastAttempts, fastDelay, jitter"},
		{"constant: {}", "line 1: constant.delay is missing"},
		{"constant:\n  delay: 0s", "line 2: constant.delay is 0s, want more than 0"},
		{"constant:\n  delay: 1s\n  delays: 1s", "line 3: constant.delays is unknown, want one of delay, jitter, maxItems, ttl"},
		{"bucket:\n  rate: 010", "line 2: bucket.rate is 010, want a decimal number"},
		{"bucket:\n  rate: 0x10", "line 2: bucket.rate is 0x10, want a decimal number"},
		{"bucket:\n  rate: 1_000", "line 2: bucket.rate is 1_000, want a decimal number"},
		{"bucket:\n  rate: \"10\"", `line 2: bucket.rate is "10", want a decimal number`},
		{"bucket:\n  rate: 1e-300", "line 2: bucket.rate is 1e-300, want more: one would be there in over 292 years"},
		{"bucket:\n  rate: 1:30", `line 2: bucket.rate is "1:30", want a decimal number`},
		{"bucket:\n  burst: 010", "line 2: bucket.burst is 010, want a whole decimal number"},
		{"bucket:\n  burst: 0o10", "line 2: bucket.burst is 0o10, want a whole decimal number"},
		{"bucket:\n  burst: 1_000", "line 2: bucket.burst is 1_000, want a whole decimal number"},
		{"bucket:\n  burst: -1", "line 2: bucket.burst is -1, want more than 0"},
		{"bucket:\n  burst: '5'", `line 2: bucket.burst is "5", want a whole decimal number`},
		{"bucket:\n  qps: 5", "line 2: bucket.qps is unknown, want one of burst, maxDelay, rate"},
		{"perNamespace:", "line 1: perNamespace is null"},
		{"perNamespace:\n  bucket:\n    rate: 0", "line 3: perNamespace.bucket.rate is 0, want more than 0"},
		{"perNamespace: {bucket: {}, preset: Gentle}", "line 1: perNamespace.bucket is beside preset, want one of them"},
		{"maxOf: []", "line 1: maxOf is empty, want at least one limiter"},
		{"maxOf: {}", "line 1: maxOf is an object, want a list of limiters"},
		{"maxOf:\n- {}\n-", "line 3: maxOf[1] is null, want fields"},
		{"maxOf:\n- {}\n- preset: Fast", `line 3: maxOf[1].preset is "Fast"`},
		{"capped: {maxDelay: 1s}", "line 1: capped.limiter is missing"},
		{"capped: {limiter: {}}", "line 1: capped.maxDelay is missing"},
		{"capped:\n  maxDelay: 1s\n  limiter: Gentle", `line 3: capped.limiter is "Gentle", want fields`},
		{"byError: {}", "line 1: byError.default is missing"},
		{"byError:\n  default: {}\n  classes:\n    success: {}", `line 4: byError.classes["success"]: want the class of a failure`},
		{"byError:\n  default: {}\n  classes:\n    \"\": {}", `line 4: byError.classes[""]: want the class of a failure`},
		{"byError:\n  default: {}\n  classes:\n    a.b[0]:\n      bucket: {rate: -1}", `line 5: byError.classes["a.b[0]"].bucket.rate is -1, want more than 0`},
		{"byError:\n  default: {}\n  classes:\n    a.b:\n      exponential:\n        baseDelay: 1h", `line 5: byError.classes["a.b"].exponential.maxDelay is 16m40s`},
		{"byError:\n  default: {}\n  classes:\n    a: {}\n    a: {}", `line 5: byError.classes["a"] is there twice, before in line 4`},
		{"byError: {default: {}, classes: []}", "line 1: byError.classes is a list, want fields"},
		{"byError: {default: {}, classes: }", "line 1: byError.classes is null, want fields"},
		{"retryAfter: {}", "line 1: retryAfter.limiter is missing"},
		{"retryAfter:\n  limiter: {}\n  maxDelay: 0s", "line 3: retryAfter.maxDelay is 0s, want more than 0"},
		{"retryAfter:\n  limiter: {}\n  jitter: 2", "line 3: retryAfter.jitter is 2, want a number from 0 to 1"},
		{"budget: {share: 1}", "line 1: budget.limiter is missing"},
		{"budget:\n  limiter: {}\n  share: 0", "line 3: budget.share is 0, want more than 0"},
		{"budget:\n  limiter: {}\n  share: 2", "line 3: budget.share is 2, want a number from 0 to 1"},
		{"budget:\n  limiter: {}\n  minRate: 0", "line 3: budget.minRate is 0, want more than 0"},
		{"budget:\n  limiter: {}\n  weight: 2", "line 3: budget.weight is unknown, want one of burst, limiter, maxDelay, minRate, share"},
		{"presets: Gentle", "line 1: presets is unknown, want one of bucket, budget, byError, capped"},
		{"preset: Gentle\npreset: Gentle", "line 2: preset is there twice, before in line 1"},
		{"preset: Gentle\nbucket: {}", "line 2: bucket is beside preset, want one of them"},
	} {
		_, err := ratelimit.ParseConfig([]byte(tt.text))
		require.ErrorContains(t, err, "ratelimit: "+tt.want, tt.text)
		require.NotContains(t, err.Error(), "\n", tt.text) // One fault is told once.
	}
}

// All faults are named by their lines, and what could not be read has no other one.
func TestParseConfigManyFaults(t *testing.T) {
	const text = `maxOf:
- exponential: {baseDelay: 1h, maxDelay: soon, jitter: 2}
  bucket: {rate: 0}
- capped:
    limiter: {preset: Fast}
    maxDelays: 1m
- fastSlow:
    jitter: 0.1
    jitter: -1
- byError:
    default: 5
    classes: {success: {}}
more: {}
`
	_, err := ratelimit.ParseConfig([]byte(text))
	want := `line 2: maxOf[0].exponential.maxDelay is "soon", want a duration with its unit, such as "30s"
line 2: maxOf[0].exponential.jitter is 2, want a number from 0 to 1
line 3: maxOf[0].bucket.rate is 0, want more than 0
line 3: maxOf[0].bucket is beside exponential, want one of them
line 5: maxOf[1].capped.maxDelay is missing
line 5: maxOf[1].capped.limiter.preset is "Fast", want Default, InCluster, ExternalAPI or Gentle
line 6: maxOf[1].capped.maxDelays is unknown, want one of limiter, maxDelay
line 9: maxOf[2].fastSlow.jitter is there twice, before in line 8
line 11: maxOf[3].byError.default is 5, want fields, or {} for none
line 12: maxOf[3].byError.classes["success"]: want the class of a failure
line 13: more is unknown, want one of bucket, budget, byError, capped, constant, exponential, fastSlow, maxOf, perNamespace, preset, retryAfter`
	require.EqualError(t, err, "ratelimit: "+strings.ReplaceAll(want, "\n", "\nratelimit: "))
}

// An unknown name, and one that is there twice, is named at each level.
func TestParseConfigUnknownAndTwice(t *testing.T) {
	for _, path := range []string{
		"", "exponential", "fastSlow", "constant", "bucket", "perNamespace", "perNamespace.bucket", "capped", "capped.limiter",
		"byError", "byError.default", "retryAfter", "retryAfter.limiter", "budget", "budget.limiter.budget",
	} {
		var text strings.Builder
		indent, depth := "", 0
		for name := range strings.SplitSeq(path, ".") {
			if name != "" {
				text.WriteString(indent + name + ":\n")
				indent += "  "
				depth++
			}
		}
		text.WriteString(indent + "odd: 1\n" + indent + "odd: 1\n")
		_, err := ratelimit.ParseConfig([]byte(text.String()))
		field := strings.TrimPrefix(path+".odd", ".")
		require.ErrorContains(t, err, "line "+string(rune('1'+depth))+": "+field+" is unknown, want one of ", path)
		require.ErrorContains(t, err, "line "+string(rune('2'+depth))+": "+field+" is there twice, before in line "+string(rune('1'+depth)), path)
	}
}
