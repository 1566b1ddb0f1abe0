module github.com/trimtab/trimtab/hack/deploy

go 1.26.0

require (
	github.com/grafana/grafana-foundation-sdk/go v0.0.22 // indirect
	github.com/stretchr/testify v1.11.1 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
)
