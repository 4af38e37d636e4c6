# slurmlab. "make help" lists what there is to do.

SHELL := /bin/sh
.DEFAULT_GOAL := help

LINT_VERSION := v2.15.0
# The kind of cluster that "make image" builds, by the release series of its Slurm.
SLURM ?= 24.11
TAG := $(if $(filter 24.11,$(SLURM)),latest,$(SLURM))
IMAGE ?= slurmlab:$(TAG)
TOOLBOX ?= slurmlab-toolbox:$(TAG)
IMAGE_26_05 ?= slurmlab:26.05
TOOLBOX_26_05 ?= slurmlab-toolbox:26.05
DEMO := runs/demo-$(shell date +%Y%m%d-%H%M%S)

# The version names the sources that go into slurmlab and the image, so that a
# binary and an image of different sources are told apart even when nothing is
# committed.
SOURCES := $(shell find cmd containers djsb emulator faultpoint faults plugin-bridge policy results slurmctl workloads \
	-type f ! -name '*_test.go' ! -path 'cmd/faults/*' ! -path 'cmd/soak/*' ! -path 'cmd/queues/*' ! -path '*/testdata/*' ! -path '*/vclock/test/*' | LC_ALL=C sort) \
	docs/doc.go docs/glossary.go docs/glossary.md go.mod go.sum
# FAULTS=1 builds slurmlab and the image with the points of package faultpoint.
VERSION := 0.1.0-$(shell cat $(SOURCES) | sha256sum | cut -c1-12)$(if $(FAULTS),-faults)
REVISION := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.revision=$(REVISION)

# The packages with tests on real clusters. Those under a fast clock run one after the other
# (-p 1), since a busy machine bends their time; those in real time mostly wait.
REAL_TIME := ./plugin-bridge/agent ./slurmctl/slurmtest ./djsb/jobs
INTEGRATION := ./containers/slurm/clock ./containers/slurm ./containers/slurm/kinds ./containers/slurm/external ./containers/slurm/slurmd ./containers/slurm/joblog \
	./slurmctl/channel ./emulator ./cmd/slurmlab/internal/lab ./cmd/slurmlab/internal/cli

# The packages whose tests solve with HiGHS.
HIGHS := ./plugin-bridge/solver/... ./plugin-bridge/papers/... ./plugin-bridge/journaltest

# The virtual clock's own tests, on one core as in a cluster. Those of each call run on
# the libc of either kind of cluster.
VCLOCK := containers/slurm/image/toolbox.sh taskset -c 0 \
	make --no-print-directory -C containers/slurm/vclock OUT=/src/build/vclock

export IMAGE IMAGE_26_05 TOOLBOX TARBALL TARBALL_SHA256
# The same for all that is compiled outside the toolbox, so that commands, tests, what
# tests build, and lint compile each package once.
export CGO_ENABLED := 0
export GOFLAGS ?= -trimpath
# The reaper image of testcontainers cannot be pulled everywhere; slurmlab
# removes its containers itself.
export TESTCONTAINERS_RYUK_DISABLED := true

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build the slurmlab command into build/
	go build -ldflags "$(LDFLAGS)" -o build/slurmlab ./cmd/slurmlab

.PHONY: image
image: ## build the cluster image of SLURM (24.11, compiled the first time, or 26.05)
	FAULTS=$(FAULTS) containers/slurm/image/build.sh $(VERSION) $(SLURM)

.PHONY: demo
demo: build image-26.05 ## emulate 128 GPU nodes, compare the auction with backfill, write a report
	build/slurmlab compare --slurm 26.05 --image $(IMAGE_26_05) --machine S --workload V.2 \
		--policies backfill-whole-queue,auction --estimated-runtime 20m --replicas 1 --seed 1 --out $(DEMO)
	@echo "report: $(DEMO)/report.html"

# Two things at a time where they do not disturb each other: the virtual clock's tests have
# core 0 to themselves, and tests in real time mostly wait.
.PHONY: test
test: build ## run every test: host, toolbox (HiGHS, virtual clock) and real cluster
	$(MAKE) --no-print-directory -j 2 image image-26.05
	$(MAKE) --no-print-directory -j 2 test-highs test-vclock
	$(MAKE) --no-print-directory test-page
	$(MAKE) --no-print-directory -j 2 test-real-time test-host images-faults
	$(MAKE) --no-print-directory test-cluster
	$(MAKE) --no-print-directory test-faults

.PHONY: image-26.05 test-host test-highs test-vclock test-real-time test-cluster test-faults
image-26.05:
	$(MAKE) --no-print-directory SLURM=26.05 IMAGE=$(IMAGE_26_05) TOOLBOX=$(TOOLBOX_26_05) image

# The tag integration adds files and takes none away, so that one vet sees both builds.
test-host:
	go vet -tags integration,browser ./...
	go test -exec $(CURDIR)/.ci/same-cases ./...

# The page of "slurmlab serve" in Debian's Chromium, which the test's own image has.
# SHOTS=DIR keeps pictures of it there.
.PHONY: test-page
test-page: ## test the page of "slurmlab serve" in a browser
	cmd/slurmlab/internal/serve/browser/test.sh $(if $(SHOTS),-test.v)

# The picture of docs/serve.md.
.PHONY: shots
shots:
	SHOTS=build/shots cmd/slurmlab/internal/serve/browser/test.sh
	cp build/shots/run-light.png docs/img/serve-run.png

test-highs:
	containers/slurm/image/toolbox.sh taskset -c 1-1023 go test -exec /src/.ci/same-cases -tags highs $(HIGHS)

test-vclock:
	$(VCLOCK) check check-shell asan tsan stress SECONDS=30
	TOOLBOX=slurmlab-toolbox:26.05 $(VCLOCK)-26.05 check check-shell

test-real-time:
	go test -exec $(CURDIR)/.ci/same-cases -tags integration -count=1 -p 3 -parallel 4 -timeout 18m $(REAL_TIME)

test-cluster:
	go test -exec $(CURDIR)/.ci/same-cases -tags integration -count=1 -p 1 -timeout 18m $(INTEGRATION)

# Some cells of the fault campaign, and its points, which only its build has.
test-faults: images-faults
	go test -exec $(CURDIR)/.ci/same-cases -tags faults -run Holds ./faultpoint
	$(PLAY) --cells sample --out build/faults/sample

.PHONY: lint
lint: bin/golangci-lint-$(LINT_VERSION) ## check style and import rules (golangci-lint, pinned)
	$< run ./...
	$< run --build-tags integration ./...

bin/golangci-lint-$(LINT_VERSION):
	GOBIN=$(CURDIR)/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv bin/golangci-lint $@

.PHONY: stress
stress: image ## strain the virtual clock for SECONDS (600) of real time
	$(VCLOCK) stress SECONDS=$(or $(SECONDS),600)

# The states of the solver's benchmarks, from real runs of about four minutes each.
STATES := build/states
STATE_RUN := build/slurmlab run --machine tsubame --policy auction --window 200 --max-bids 3000 --image $(IMAGE) --quiet

.PHONY: bench-instances
bench-instances: build image ## record the states of real runs that "bench" solves anew
	$(STATE_RUN) --workload V.1 --seed 2 --out $(STATES)/V.1-seed2
	$(STATE_RUN) --workload V.2 --seed 1 --out $(STATES)/V.2-seed1
	$(STATE_RUN) --workload IV.1 --seed 3 --out $(STATES)/IV.1-seed3
	$(STATE_RUN) --workload plugin-bridge/auctiontest/testdata/V-fine.yaml --seed 1 --out $(STATES)/V-fine-seed1
	go run ./plugin-bridge/auctiontest/record plugin-bridge/auctiontest/testdata/states.jsonl.gz \
		$(STATES)/V.1-seed2 $(STATES)/V.2-seed1 $(STATES)/IV.1-seed3 $(STATES)/V-fine-seed1

# The campaign goes on where it stopped. CELLS plays cells again (names separated by
# commas), SEED chooses other ones, FOR=5m stops in time, and CORE=1 has the clusters on
# that core. Cells that stop a victim for good mostly wait: PARALLEL=6 plays as many of
# them at a time. faults-table writes what came of the cells into the documents.
PLAY := build/faults/faults
.PHONY: faults faults-table
faults: images-faults ## break runs on purpose (hours), CELLS="KILL runner drain auction 26.05" one of them
	$(PLAY) $(if $(CELLS),--cells "$(CELLS)") $(if $(SEED),--seed $(SEED)) $(if $(FOR),--for $(FOR)) $(if $(CORE),--core $(CORE)) $(if $(PARALLEL),--parallel $(PARALLEL))

faults-table: build-faults
	$(PLAY) --table --doc docs/experiments/016-faults.md $(if $(SEED),--seed $(SEED))

# Many jobs through one cluster. As root; JOBS=2000 is a short one, POLICY=auction one of
# the two runs, and CORE=1 has the cluster on that core.
.PHONY: soak
soak: build image-26.05 ## send 20,000 jobs through one cluster and look whether anything grows (as root)
	go run ./cmd/soak --image $(IMAGE_26_05) $(if $(JOBS),--jobs $(JOBS)) $(if $(POLICY),--policy $(POLICY)) $(if $(CORE),--core $(CORE))

.PHONY: build-faults commands-faults images-faults
build-faults:
	$(MAKE) --no-print-directory FAULTS=1 commands-faults

commands-faults:
	go build -tags faults -ldflags "$(LDFLAGS)" -o build/faults/slurmlab ./cmd/slurmlab
	go build -o $(PLAY) ./cmd/faults

images-faults: build-faults
	$(MAKE) --no-print-directory FAULTS=1 SLURM=26.05 IMAGE=slurmlab:faults-26.05 TOOLBOX=$(TOOLBOX_26_05) image
	$(MAKE) --no-print-directory FAULTS=1 IMAGE=slurmlab:faults image

.PHONY: bench
bench: image ## time the auction (in the toolbox, with HiGHS) and the parsers
	containers/slurm/image/toolbox.sh go test -tags highs -run '^$$' -bench . -benchmem -timeout 60m ./plugin-bridge/...
	go test -run '^$$' -bench . -benchmem ./slurmctl/... ./results/... ./workloads/...
