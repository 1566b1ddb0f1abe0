package operator

import (
	"fmt"
	"net"
)

// freeAddresses returns n different loopback addresses that nobody listens on.
func freeAddresses(n int) ([]string, error) {
	addresses := make([]string, 0, n)
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("operator: %w", err)
		}
		defer func() { _ = l.Close() }() // all stay open until the last is found
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, nil
}
