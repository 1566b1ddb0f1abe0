# The commands are make demo and make test; make help lists their parts.
#
# Nothing is needed but Go, git, make and a C compiler (for -race): the tools
# and the control plane are built from Go modules, at the versions that the
# go.mod files under hack/ name. The browser and the Prometheus of the tests are
# Debian's, which make debian installs.

.DEFAULT_GOAL := help
.SHELLFLAGS   := -ec
.NOTPARALLEL:

EXAMPLES := examples/certrotator examples/minimal
RELEASED := $(EXAMPLES) otel
UNIT     := . $(RELEASED) bench hack/controlplane hack/deploy hack/tools hack/release
MODULES  := $(UNIT) e2e
TIDY     := $(MODULES) hack/lint
COMPAT   := v0.24.1 v0.25.3
PARTS    := tidy generated lint unit compat e2e
DEBIAN   := chromium prometheus

# What users copy or get carries no replace: here it builds in a workspace of its
# folder at the root, which is not committed. Nothing else does.
WORKSPACES := $(CURDIR)/examples/go.work $(CURDIR)/otel/go.work
WORKSPACE  := $(CURDIR)/examples/go.work
export GOWORK = $(or $(foreach folder,$(firstword $(subst /, ,$(filter $(RELEASED),$*))),$(CURDIR)/$(folder)/go.work),off)

# Shell text: a pinned tool's path; the control plane's folder; all benchmarks, those
# on the control plane too; go test with its events kept for the summary.
tool      = "$$(GOWORK=off go -C $(CURDIR)/hack/tools tool -n $(1))"
assets    = KUBEBUILDER_ASSETS="$$(GOWORK=off go -C $(CURDIR)/hack/controlplane run .)"; export KUBEBUILDER_ASSETS
benchmarks = $(assets); export TRIMTAB_OPERATOR=$(CURDIR)/bin/certrotator; \
	cd bench; go run ./cmd/bench -e2e ../e2e -benchstat $(call tool,benchstat)
RESULTS  := $(CURDIR)/bin/results
gotestsum = mkdir -p $(RESULTS); gotestsum=$(call tool,gotestsum); \
	"$$gotestsum" --format pkgname --format-hide-empty-pkg --jsonfile $(RESULTS)/$(subst /,-,$@).json --

.PHONY: demo
demo: operator/certrotator operator/stock ## Watch an operator on a real control plane; DEMO_FLAGS are its flags.
	@go -C e2e build -o $(CURDIR)/bin/demo ./cmd/demo
	@$(assets); exec bin/demo --operator $(CURDIR)/bin/certrotator --stock $(CURDIR)/bin/stock $(DEMO_FLAGS)

.PHONY: test
test: ## Run all that a change must pass; the last line counts the tests.
	@rm -rf $(RESULTS); mkdir -p $(RESULTS)
	@code=0; $(MAKE) --no-print-directory --keep-going $(PARTS) || code=1; \
	go -C hack/tools run ./summary $(RESULTS)/*.json || code=1; exit $$code

.PHONY: bench
bench: operator/certrotator ## Compare speed, memory and fairness with peers, 20 minutes; writes bench/README.md and bench/plots, with BENCH_FLAGS=-n only prints.
	@$(benchmarks) $(BENCH_FLAGS)

.PHONY: bench-quick
bench-quick: operator/certrotator ## The same with fewer cases and keys, 3 minutes.
	@$(benchmarks) -quick $(BENCH_FLAGS)

.PHONY: bench-scale
bench-scale: ## Measure up to 100,000 objects and 1,000,000 requests in one process, 15 minutes; writes docs/scaling.md, with BENCH_FLAGS=-n only prints.
	@$(assets); cd bench; go run ./cmd/scale -benchstat $(call tool,benchstat) $(BENCH_FLAGS)

## The parts of make test, each for one module or version after the other

.PHONY: tidy
tidy: $(TIDY:%=tidy/%) tidy/compat ## Check that each go.mod is tidy and that hack/compat is up to date.

tidy/%:
	go -C $* mod tidy -diff

# What is released is tidied as its user does it, once its trimtab is published:
# a copy of its go.mod says where that is found until then.
$(RELEASED:%=tidy/%): tidy/%:
	@echo "go -C $* mod tidy -diff"
	@copy="$$(mktemp -d)"; trap 'rm -rf "$$copy"' EXIT; export GOWORK=off; \
	cp $*/go.mod $*/go.sum "$$copy"; \
	go mod edit -replace github.com/trimtab/trimtab=$(CURDIR) "$$copy/go.mod"; \
	go -C $* mod tidy -diff -modfile "$$copy/go.mod"

tidy/compat:
	$(call unchanged,hack/compat,compat-tidy)

.PHONY: generated
generated: ## Check that the generated files are up to date.
	$(call unchanged,examples/certrotator,generate-example)
	$(call unchanged,deploy docs,generate-deploy)

# $(call unchanged,FOLDERS,TARGET) makes the target and fails if a folder is another
# then.
unchanged = @copy="$$(mktemp -d)"; trap 'rm -rf "$$copy"' EXIT; tar c $(1) | tar x -C "$$copy"; \
	$(MAKE) --no-print-directory $(2); for folder in $(1); do \
	diff -ru "$$copy/$$folder" $$folder || { echo "$$folder was not up to date; make $(2) has changed it as shown"; exit 1; }; done

.PHONY: lint
lint: $(MODULES:%=lint/%) ## Run the linters and the format check.

lint/%: $(WORKSPACES)
	@echo "golangci-lint in $*"
	@golangci="$$(GOWORK=off go -C hack/lint tool -n golangci-lint)"; cd $*; "$$golangci" run --allow-parallel-runners ./...

.PHONY: unit
unit: $(UNIT:%=unit/%) ## Run the unit tests with the race detector.

unit/hack/deploy: debian

# go test takes a result from its cache although a file outside of the module has
# changed: the pages, the dashboard and the modules that these read are there.
unit/hack/tools unit/hack/deploy unit/hack/release: uncached := -count=1

unit/%: $(WORKSPACES)
	@echo "go test -race in $*"
	@cd $*; $(gotestsum) -race $(uncached) -timeout 20m ./...

.PHONY: compat
compat: $(COMPAT:%=compat/%) compat/differential ## Run the root's tests against newer controller-runtimes.

# How many random sequences the queue and controller-runtime's are compared by.
compat/%: export TRIMTAB_QUEUE_SEQUENCES := 100000

compat/differential:
	@echo "go test of the queue beside controller-runtime's"
	@$(gotestsum) -run TestDeliversAsControllerRuntimes ./queue

compat/%:
	@echo "go test with controller-runtime $*"
	@$(gotestsum) -modfile hack/compat/$(basename $*).mod ./...

.PHONY: e2e
e2e: debian operator/certrotator-race operator/stock ## Run the tests against a real control plane.
	@$(assets); export TRIMTAB_OPERATOR=$(CURDIR)/bin/certrotator-race; \
	cd e2e; $(gotestsum) -race -p 1 -timeout 30m ./...

## What they need

.PHONY: apidiff
apidiff: ## Show what the library's API has lost since the last release.
	@tag="$$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null)" || { echo "there is no release yet"; exit 0; }; \
	base="$$(mktemp -d)"; trap 'git worktree remove --force "$$base/tree"; rm -rf "$$base"' EXIT; \
	git worktree add --quiet --detach "$$base/tree" "$$tag"; apidiff=$(call tool,apidiff); \
	(cd "$$base/tree"; "$$apidiff" -m -w "$$base/api" github.com/trimtab/trimtab); \
	"$$apidiff" -m -incompatible "$$base/api" github.com/trimtab/trimtab

.PHONY: vulncheck
vulncheck: $(WORKSPACE) ## Look for known vulnerabilities in the examples, as of hack/release's golang.org/x/vulndb.
	@db="$$(mktemp -d)"; trap 'rm -rf "$$db"' EXIT; tools() { GOWORK=off go -C hack/release "$$@"; }; \
	"$$(tools tool -n indexdb)" -vulns "$$(tools list -m -f '{{.Dir}}' golang.org/x/vulndb)/data/osv" -out "$$db"; \
	export GOWORK=$(WORKSPACE); govulncheck="$$(tools tool -n govulncheck)"; code=0; \
	for example in $(EXAMPLES); do (cd $$example; "$$govulncheck" -db "file://$$db" ./...) || code=1; done; exit $$code

.PHONY: controlplane
controlplane: ## Print the folder of kube-apiserver and etcd; build them if need be.
	@go -C hack/controlplane run .

.PHONY: debian
debian: ## Install Debian's browser and Prometheus, if they are missing.
	@hack/debian.sh $(DEBIAN)

operator/%: $(WORKSPACE)
	@GOWORK=$(WORKSPACE) go -C examples/certrotator build $(FLAGS_$*) -o $(CURDIR)/bin/$* ./cmd

# The stock operator is the example with controller-runtime's own queue and
# handlers: an overlay puts another setup.go in the place of its own.
FLAGS_certrotator-race := -race
FLAGS_stock            := -overlay ../../e2e/cmd/demo/testdata/stock/overlay.json

$(WORKSPACES): $(CURDIR)/%/go.work: Makefile $(RELEASED:%=%/go.mod)
	@rm -f $@; export GOWORK=$@; cd $*; \
	go work init $(patsubst $*%,.%,$(filter $* $*/%,$(RELEASED))); go work edit -replace github.com/trimtab/trimtab=..

## What brings files up to date

.PHONY: generate
generate: generate-example generate-deploy ## Write the example's deepcopy, CRD and RBAC, the dashboard, the rules and their docs.

.PHONY: generate-example
generate-example: $(WORKSPACE)
	@controller_gen=$(call tool,controller-gen); export GOWORK=$(WORKSPACE); \
	$(MAKE) -C examples/certrotator generate manifests CONTROLLER_GEN="$$controller_gen"

.PHONY: generate-deploy
generate-deploy:
	@go -C hack/deploy run . -root $(CURDIR)

.PHONY: compat-tidy
compat-tidy: $(COMPAT:%=compat-tidy/%) ## Write hack/compat from the root's go.mod.

compat-tidy/%: file = hack/compat/$(basename $*)
compat-tidy/%:
	@mkdir -p hack/compat; cp go.mod $(file).mod; cp go.sum $(file).sum
	@go mod edit -go 1.26.0 -require sigs.k8s.io/controller-runtime@$* $(file).mod
	@go mod tidy -modfile $(file).mod

.PHONY: help
help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
