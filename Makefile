# slurmlab. "make help" lists what there is to do.

SHELL := /bin/sh
.DEFAULT_GOAL := help

LINT_VERSION := v2.15.0
# The release series of Slurm, the default first.
SERIES := $(shell sed -n 's/^\([0-9][0-9.]*\).*/\1/p' containers/slurm/backend/series.txt)
OTHERS := $(wordlist 2,$(words $(SERIES)),$(SERIES))
# The series whose image "make image" builds. IMAGE and TOOLBOX are its own; of the other series they have the series behind
# their names, with _ for its dot, such as IMAGE_26_05.
SLURM ?= $(firstword $(SERIES))
TAG := $(if $(filter $(firstword $(SERIES)),$(SLURM)),latest,$(SLURM))
IMAGE ?= slurmlab:$(TAG)
TOOLBOX ?= slurmlab-toolbox:$(TAG)
$(eval IMAGE_$(subst .,_,$(firstword $(SERIES))) ?= $$(IMAGE))
of = $($1_$(subst .,_,$2))
$(foreach s,$(OTHERS),$(eval IMAGE_$(subst .,_,$s) ?= slurmlab:$s) $(eval TOOLBOX_$(subst .,_,$s) ?= slurmlab-toolbox:$s))
DEMO := runs/demo-$(shell date +%Y%m%d-%H%M%S)

# The version names the sources that go into slurmlab and the image, so that a
# binary and an image of different sources are told apart even when nothing is
# committed.
SOURCES := $(shell find cmd containers emulator internal plugin-bridge results slurmctl workloads \
	-type f ! -name '*_test.go' ! -path 'internal/hosttest/*' ! -path 'cmd/slurmlab/reference/*' ! -path '*/testdata/*' ! -path '*/vclock/test/*' | LC_ALL=C sort) \
	docs/doc.go docs/glossary.go docs/glossary.md go.mod go.sum
# FAULTS=1 builds slurmlab and the image with the points of package faultpoint.
VERSION := 0.1.0-$(shell cat $(SOURCES) | sha256sum | cut -c1-12)$(if $(FAULTS),-faults)
REVISION := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.revision=$(REVISION)

# Packages with tests on real clusters have files with the tag integration. Tests of the command line wait for a free core,
# as two users do. More of them than there are cores leave no core idle.
CLUSTERS = $(sort $(addprefix ./,$(patsubst %/,%,$(dir $(shell grep -rl --include='*_test.go' '^//go:build integration' cmd containers emulator plugin-bridge slurmctl)))))
WHOLE_RUNS := ./emulator/run
COMMANDS := ./cmd/slurmlab/internal/cli
# Real applications in real time, which mostly wait.
DJSB := ./emulator/djsb/jobs

# Tests of the command line that are steps of their own: those that watch runs on a terminal, whose runs go on slowly, so
# that somebody could look; every command of the pages; campaigns on several engines; campaigns on a site's Slurm.
UI := ^Test(Top|UI|UICompares)$$
PAGES := ^TestREADME$$
CAMPAIGNS := ^TestCampaignOnEngines$$
SITE := ^TestCampaignOnSlurm$$

# The tests and examples that need a cluster: all in files with the tag. "make test-host" runs the others.
ON_CLUSTERS = ^($(shell grep -rl --include='*_test.go' '^//go:build integration' $(CLUSTERS) | \
	xargs grep -hoE '^func (Test|Example)[A-Za-z0-9_]*' | sed 's/^func //' | sort -u | paste -s -d '|'))$$

# Each target with tests takes PKG, its packages, RUN, a pattern of tests (whose $ is no variable of make), and TESTFLAGS. What a failed test keeps of its
# cluster is below build/artifacts.
# Without debug information the largest test is compiled and linked with 2.7 instead of 3.4 s of processor time.
GO_TEST = mkdir -p build/artifacts && $(NICE) go test -vet=off -ldflags=-w $(if $(value RUN),-run '$(value RUN)') -artifacts -outputdir $(CURDIR)/build/artifacts $(TESTFLAGS)
# Properties draw the same cases each time.
SAME := -exec $(CURDIR)/.ci/same-cases
ON_CLUSTER = $(GO_TEST) $(SAME) -tags integration -count=1 -timeout 80m $(if $(value RUN),,-run '$(ON_CLUSTERS)')

# The packages whose tests solve with HiGHS.
HIGHS := ./plugin-bridge/solver/... ./plugin-bridge/papers/... ./plugin-bridge/journal

# The virtual clock's own tests, on one core as in a cluster. Those of each call run on
# the libc of either kind of cluster.
VCLOCK := containers/slurm/image/toolbox.sh taskset -c 0 \
	make --no-print-directory -C containers/slurm/vclock OUT=/src/build/vclock

export IMAGE $(foreach s,$(OTHERS),IMAGE_$(subst .,_,$s)) TOOLBOX TARBALL TARBALL_SHA256
# Whose images and containers these are, for .ci/clean.
export SLURMLAB_CHECKOUT := $(shell containers/slurm/image/checkout.sh)
# The same for all that is compiled outside the toolbox, so that commands, tests, what
# tests build, and lint compile each package once.
export CGO_ENABLED := 0
export GOFLAGS ?= -trimpath
# The reaper image of testcontainers cannot be pulled everywhere; slurmlab
# removes its containers itself.
export TESTCONTAINERS_RYUK_DISABLED := true

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build the slurmlab command into build/
	go build -ldflags "$(LDFLAGS)" -o build/slurmlab ./cmd/slurmlab

# What it plays queues with is its own, and no part of slurmlab.
QUEUES_VERSION = 0.1.0-$(shell find tools/queues -type f ! -name '*_test.go' | LC_ALL=C sort | xargs cat $(SOURCES) | sha256sum | cut -c1-12)

.PHONY: queues
queues: ## build the benchmark of real queues into build/
	go build -ldflags "-X main.version=$(QUEUES_VERSION)" -o build/queues ./tools/queues

.PHONY: man
man: ## write the manual pages into build/man
	rm -rf build/man
	go run ./cmd/slurmlab/reference man build/man $(VERSION)

.PHONY: reference
reference: ## write the pages of docs/reference, and the schema of machine files, from the code
	go run ./cmd/slurmlab/reference pages docs/reference
	go run ./cmd/slurmlab/reference schema docs

.PHONY: site
site: ## turn the documentation into a site that opens from disk, build/site/index.html
	rm -rf build/site
	go run ./tools/site build/site

# As GNU's conventions have it: PREFIX is where it will be, DESTDIR where a package is put
# together. Images are not installed: Docker has them.
PREFIX ?= /usr/local
SHARE = $(DESTDIR)$(PREFIX)/share
.PHONY: install install-files
install: install-files ## install command, manual pages and completions below PREFIX (/usr/local)
install-files: build man
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(SHARE)/man/man1" "$(SHARE)/bash-completion/completions" \
		"$(SHARE)/zsh/site-functions" "$(SHARE)/fish/vendor_completions.d"
	install -m 755 build/slurmlab "$(DESTDIR)$(PREFIX)/bin/slurmlab"
	install -m 644 build/man/*.1 "$(SHARE)/man/man1"
	build/slurmlab completion bash >"$(SHARE)/bash-completion/completions/slurmlab"
	build/slurmlab completion zsh >"$(SHARE)/zsh/site-functions/_slurmlab"
	build/slurmlab completion fish >"$(SHARE)/fish/vendor_completions.d/slurmlab.fish"

.PHONY: uninstall
uninstall: ## remove what "make install" with the same PREFIX has put there
	rm -f "$(DESTDIR)$(PREFIX)/bin/slurmlab" "$(SHARE)/man/man1/slurmlab.1" "$(SHARE)"/man/man1/slurmlab-*.1 \
		"$(SHARE)/bash-completion/completions/slurmlab" "$(SHARE)/zsh/site-functions/_slurmlab" \
		"$(SHARE)/fish/vendor_completions.d/slurmlab.fish"

# What a release consists of: for each platform an archive to unpack below /usr/local, the images as files that
# "slurmlab image load", docker load, skopeo and podman read, the list of all parts, and checksums. Times are that
# of the commit, so that the same sources give the same bytes.
RELEASE := build/release
PLATFORMS ?= linux/amd64 linux/arm64 linux/ppc64le
RELEASE_IMAGES ?= $(IMAGE) $(foreach s,$(OTHERS),$(call of,IMAGE,$s))
COMMIT_TIME = $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
.PHONY: release release-binaries release-images release-sbom
release: ## put binaries, images, SBOM and checksums into build/release (needs the images)
	rm -rf $(RELEASE)
	mkdir -p $(RELEASE)
	$(MAKE) --no-print-directory release-binaries
	$(MAKE) --no-print-directory release-images
	$(MAKE) --no-print-directory release-sbom
	cd $(RELEASE) && sha256sum -- * >SHA256SUMS
	@ls -l $(RELEASE)

release-binaries: build
	for platform in $(PLATFORMS); do \
		name=slurmlab-$(VERSION)-$$(echo $$platform | tr / -) && \
		rm -rf build/stage && \
		$(MAKE) --no-print-directory install-files PREFIX= DESTDIR=build/stage && \
		GOOS=$${platform%/*} GOARCH=$${platform#*/} go build -ldflags "$(LDFLAGS)" -o build/stage/bin/slurmlab ./cmd/slurmlab && \
		install -D -m 644 LICENSE build/stage/share/doc/slurmlab/LICENSE && \
		tar --sort=name --mtime=@$(COMMIT_TIME) --owner=0 --group=0 --numeric-owner -C build/stage -c bin share | gzip -n >$(RELEASE)/$$name.tar.gz || exit 1; \
	done

release-images:
	for image in $(RELEASE_IMAGES); do \
		docker save $$image | go run ./tools/release image $(RELEASE)/slurmlab-$(VERSION)-image-$${image##*:}.tar || exit 1; \
	done

release-sbom: build
	go run ./tools/release sbom $(RELEASE)/slurmlab-$(VERSION).cdx.json $(VERSION) $$(date -u -d @$(COMMIT_TIME) +%Y-%m-%dT%H:%M:%SZ) \
		build/slurmlab $(RELEASE_IMAGES)

.PHONY: image
image: ## build the cluster image of SLURM, a series of containers/slurm/backend/series.txt (the first)
	FAULTS=$(FAULTS) containers/slurm/image/build.sh $(VERSION) $(SLURM)

.PHONY: demo
demo: build image-26.05 ## emulate 128 GPU nodes, compare the auction with backfill, write a report
	build/slurmlab compare --slurm 26.05 --image $(IMAGE_26_05) --machine S --workload V.2 \
		--policies backfill-whole-queue,auction --estimated-runtime 20m --replicas 1 --seed 1 --out $(DEMO)
	@echo "report: $(DEMO)/report.html"

# What runs beside what stands in tools/suite. LINT=1 checks style, too; make itself defines LINT as "lint".
.PHONY: test
test: ## run every test: host, toolbox (HiGHS, virtual clock) and real cluster
	go run ./tools/suite $(if $(filter 1,$(LINT)),-lint)

.PHONY: $(SERIES:%=image-%) test-host test-host-long test-highs test-vclock test-clusters test-djsb test-runs test-commands test-ui test-pages test-campaigns test-site test-faults play-faults
image-$(firstword $(SERIES)): image

$(OTHERS:%=image-%): image-%:
	$(MAKE) --no-print-directory SLURM=$* IMAGE=$(call of,IMAGE,$*) TOOLBOX=$(call of,TOOLBOX,$*) image

# A node of a site's cluster, for the tests of clusters without Docker.
BASE := containers/slurm/image/base.sh
.PHONY: image-site
image-site:
	base=$$($(BASE) trixie) && DOCKER_CLI_HINTS=false docker build --network=$(or $(NETWORK),host) --build-arg BASE=$$base --tag slurmlab-site:latest \
		emulator/run/testdata/site >build/site-image.log 2>&1 || { tail -n 20 build/site-image.log >&2; exit 1; }

# Debian's pandas and Gymnasium, for the programs of docs/pandas.md and docs/plugins.md in TestREADME and for gym.txtar, and
# its ZeroMQ, for batsim.txtar.
.PHONY: image-pandas
image-pandas:
	base=$$($(BASE) forky) && DOCKER_CLI_HINTS=false docker build --network=$(or $(NETWORK),host) --build-arg BASE=$$base --tag slurmlab-pandas:latest \
		cmd/slurmlab/internal/cli/testdata/pandas >build/pandas.log 2>&1 || { tail -n 20 build/pandas.log >&2; exit 1; }

# The tag integration adds files and takes none away, so that one vet sees both builds, and none of the tests has to
# look again.
.PHONY: vet
vet:
	nice go vet -tags integration,browser ./...

# What needs no cluster gives way to what does. With LONG=0 the tests that take long are left out.
LONG_TESTS = $(sort $(dir $(shell grep -rl --include='*_test.go' -e 'hosttest[.]Long' -e 'hosttest[.]Brief' .)))
test-host: NICE := nice
test-host: export LONG ?= 0
test-host:
	$(GO_TEST) $(SAME) -timeout 40m $(or $(PKG),./...)

test-host-long:
	$(MAKE) --no-print-directory test-host LONG=1 PKG='$(or $(PKG),$(LONG_TESTS))'

# The page of "slurmlab serve", and the search of the site, in Debian's Chromium, which the test's own image has.
# SHOTS=DIR keeps pictures of it there.
.PHONY: test-page
test-page: ## test the page of "slurmlab serve" and the search of the site in a browser
	cmd/slurmlab/internal/serve/browser/test.sh $(TESTFLAGS)

# The pictures of docs/serve.md.
.PHONY: shots
shots:
	SHOTS=build/shots cmd/slurmlab/internal/serve/browser/test.sh
	cp build/shots/run-story.png docs/img/serve-run.png
	cp build/shots/folder-dark.png docs/img/serve-folder.png

# The pictures of docs/tutorials, by the commands that stand there.
.PHONY: pictures
pictures: build
	rm -rf build/pictures
	build/slurmlab compare --slurm 26.05 --image $(IMAGE_26_05) --machine S --workload V.2 --estimated-runtime 10m --replicas 4 --out build/pictures/first
	sed -n '/^machines:/,/^    settings/p' docs/tutorials/campaign.md >build/pictures/windows.yaml
	build/slurmlab campaign run build/pictures/windows.yaml --image $(IMAGE_26_05) --repeats 0
	build/slurmlab campaign report build/pictures/windows
	cp build/pictures/first/gantt.svg docs/img/tutorial-gantt.svg
	cp build/pictures/windows/sensitivity-auction-window.svg docs/img/tutorial-window.svg

# The picture of README.md. The figures beside it are those of the same pair of runs: they
# are in build/pictures/demo/report.html, and have to be written there anew with it.
.PHONY: picture-demo
picture-demo:
	rm -rf build/pictures/demo
	$(MAKE) --no-print-directory demo DEMO=build/pictures/demo
	cp build/pictures/demo/gantt.svg docs/img/demo-gantt.svg

# The pictures, the texts and the recording of docs/top.md: terminals of TestTop and TestUICompares.
.PHONY: shots-top
shots-top:
	mkdir -p build/shots
	SHOTS=$(CURDIR)/build/shots go test -tags integration -count=1 -run 'Test(Top|UICompares)$$' ./cmd/slurmlab/internal/cli
	cp build/shots/top.svg build/shots/top.txt build/shots/compare-ui.svg build/shots/compare-ui.txt build/shots/compare-ui.cast docs/img

test-highs:
	containers/slurm/image/toolbox.sh taskset -c 1-1023 go test -exec /src/.ci/same-cases -tags highs,netgo,osusergo $(if $(value RUN),-run '$(value RUN)') $(TESTFLAGS) $(or $(PKG),$(HIGHS))

test-vclock:
	$(VCLOCK) check check-shell asan tsan stress SECONDS=30
	$(foreach s,$(OTHERS),TOOLBOX=$(call of,TOOLBOX,$s) $(VCLOCK)-$s check check-shell &&) true

test-clusters:
	$(ON_CLUSTER) -p 2 -parallel 2 $(or $(PKG),$(filter-out $(WHOLE_RUNS) $(COMMANDS) $(DJSB),$(CLUSTERS)))

test-djsb:
	$(ON_CLUSTER) -parallel 4 $(DJSB)

test-runs:
	$(ON_CLUSTER) -parallel 4 $(WHOLE_RUNS)

test-commands:
	$(ON_CLUSTER) -parallel 3 $(if $(value RUN),,-skip '$(UI)|$(PAGES)|$(CAMPAIGNS)|$(SITE)') $(COMMANDS)

test-ui: only = $(UI)
test-pages: only = $(PAGES)
test-campaigns: only = $(CAMPAIGNS)
test-site: only = $(SITE)
test-ui test-pages test-campaigns test-site:
	$(ON_CLUSTER) $(if $(value RUN),,-run '$(only)') $(COMMANDS)

# Some cells of the fault campaign, and its points, which only its build has: SAMPLE=long those of "make test-long".
SAMPLE ?= sample
test-faults: $(if $(filter long,$(SAMPLE)),images-faults,image-faults)
	$(MAKE) --no-print-directory play-faults

play-faults:
	$(GO_TEST) $(SAME) -tags faults $(if $(value RUN),,-run Holds) ./internal/faultpoint
	$(PLAY) --cells $(SAMPLE) --out build/faults/$(SAMPLE)

.PHONY: test-long
test-long: ## run what takes too long for "make test", and note what came of it in .ci/long-tests.csv
	go run ./tools/suite -long

# The tags add files and take none away, so that one look sees all builds but those that need a C compiler.
.PHONY: lint
lint: bin/golangci-lint-$(LINT_VERSION) ## check style and import rules (golangci-lint, pinned)
	nice $< run --build-tags integration,browser $(or $(PKG),./...)

# The packages with changes since SINCE, committed or not.
SINCE ?= $(shell git merge-base HEAD @{upstream} 2>/dev/null || git rev-parse HEAD^)
CHANGED = $(sort $(addprefix ./,$(patsubst %/,%,$(dir $(wildcard $(shell git diff --name-only $(SINCE) -- '*.go'; git ls-files --others --exclude-standard '*.go'))))))
.PHONY: check
check: build vet ## the fast loop: build, vet, host tests, lint of packages changed since SINCE (the commit before)
	go test -vet=off ./...
	$(if $(CHANGED),$(MAKE) --no-print-directory lint PKG='$(CHANGED)')

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
	go run ./tools/recordings states plugin-bridge/auctiontest/testdata/states.jsonl.gz \
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
	$(PLAY) --table --doc docs/records/016-faults/README.md $(if $(SEED),--seed $(SEED))

# Many jobs through one cluster. As root; JOBS=2000 is a short one, POLICY=auction one of
# the two runs, and CORE=1 has the cluster on that core.
.PHONY: soak
soak: build image-26.05 ## send 20,000 jobs through one cluster and look whether anything grows (as root)
	go run ./tools/soak --image $(IMAGE_26_05) $(if $(JOBS),--jobs $(JOBS)) $(if $(POLICY),--policy $(POLICY)) $(if $(CORE),--core $(CORE))

# Small runs, four at a time beside a busy disk; those with a verdict in build/strain are not made again.
.PHONY: strain
strain: build image image-26.05 ## make RUNS (1,000) small runs on a busy machine: what is late must be told
	go run ./tools/strain --image $(IMAGE) --image-26-05 $(IMAGE_26_05) $(if $(RUNS),--runs $(RUNS)) $(if $(FOR),--for $(FOR))

.PHONY: build-faults commands-faults image-faults images-faults
build-faults:
	$(MAKE) --no-print-directory FAULTS=1 commands-faults

commands-faults:
	go build -tags faults -ldflags "$(LDFLAGS)" -o build/faults/slurmlab ./cmd/slurmlab
	go build -o $(PLAY) ./tools/faults

image-faults: build-faults
	$(MAKE) --no-print-directory FAULTS=1 SLURM=26.05 IMAGE=slurmlab:faults-26.05 TOOLBOX=$(TOOLBOX_26_05) image

images-faults: image-faults
	$(MAKE) --no-print-directory FAULTS=1 IMAGE=slurmlab:faults image

.PHONY: bench
bench: image ## time the auction (in the toolbox, with HiGHS) and the parsers
	containers/slurm/image/toolbox.sh go test -tags highs -run '^$$' -bench . -benchmem -timeout 60m ./plugin-bridge/... ./tools/queues/...
	go test -run '^$$' -bench . -benchmem ./slurmctl/... ./results/... ./workloads/...
