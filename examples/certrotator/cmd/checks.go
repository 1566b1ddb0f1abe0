package main

import (
	"fmt"
	"math"
	"net"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

// bad says which flag has which value, and what it should be.
func bad(flag string, value any, want string, args ...any) error {
	return fmt.Errorf("--%s=%v: want %s", flag, value, fmt.Sprintf(want, args...))
}

func checkNumber(flag string, value, least, most int) error {
	if value < least || value > most {
		return bad(flag, value, "%d to %d", least, most)
	}
	return nil
}

func checkDuration(flag string, value, least time.Duration) error {
	if value < least {
		return bad(flag, value, "at least %v", least)
	}
	return nil
}

// checkPeriod knows 0, for never.
func checkPeriod(flag string, value time.Duration) error {
	if value == 0 || value >= time.Second {
		return nil
	}
	return bad(flag, value, "at least 1s, or 0 for never")
}

func checkFraction(flag string, value float64) error {
	if math.IsNaN(value) || value < 0 || value > 1 {
		return bad(flag, value, "0 to 1")
	}
	return nil
}

// checkRate knows -1, no limit; zero would be client-go's default, and what is
// no number no limit at all.
func checkRate(flag string, value float64) error {
	if value == -1 || (value > 0 && value <= math.MaxFloat32) {
		return nil
	}
	return bad(flag, value, "more than 0, or -1 for no limit")
}

func checkAddress(flag, value string) error {
	if value == "0" {
		return nil
	}
	_, port, err := net.SplitHostPort(value)
	if err != nil {
		return bad(flag, value, "host:port, :port, or 0")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return bad(flag, value, "a port of 0 to 65535")
	}
	return nil
}

func checkSecret(flag, value string) error {
	namespace, name, found := strings.Cut(value, "/")
	if !found || len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
		return bad(flag, value, "namespace/name")
	}
	return nil
}
