package configfile_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/trimtab/trimtab/ratelimit/configfile"
)

// A manager starts the file; here the example does.
func ExampleOpen() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // It is a temporary one.
	path := filepath.Join(folder, "ratelimit.yaml")
	save := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			panic(err)
		}
	}

	save("exponential: {baseDelay: 1s, maxDelay: 5m}\n")
	reloaded := make(chan error)
	file, err := configfile.Open[string](path, configfile.Options{OnReload: func(err error) { reloaded <- err }})
	if err != nil {
		panic(err)
	}
	limiter := file.Limiter()
	fmt.Println(limiter.When("default/bucket"))

	save("exponential: {baseDelay: 2s, maxDelay: 5m}\n")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- file.Start(ctx) }()
	fmt.Println(<-reloaded, limiter.When("default/bucket"))
	cancel()
	fmt.Println(<-ended)
	// Output:
	// 1s
	// <nil> 4s
	// <nil>
}
