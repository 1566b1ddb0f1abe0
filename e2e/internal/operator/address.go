package operator

import (
	"fmt"
	"net"
)

// freeAddresses returns two different loopback addresses that nobody listens on.
func freeAddresses() (first, second string, err error) {
	a, err := listen()
	if err != nil {
		return "", "", err
	}
	defer func() { _ = a.Close() }()
	b, err := listen() // while the first is taken
	if err != nil {
		return "", "", err
	}
	defer func() { _ = b.Close() }()
	return a.Addr().String(), b.Addr().String(), nil
}

func listen() (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("operator: %w", err)
	}
	return l, nil
}
