# slurmlab. "make help" lists what there is to do.

SHELL := /bin/sh
.DEFAULT_GOAL := help

LINT_VERSION := v2.15.0
VALE_VERSION := v3.21.0
# The release series of Slurm, the default first.
SERIES := $(shell sed -n 's/^\([0-9][0-9.]*\).*/\1/p' containers/slurm/backend/series.txt)
OTHERS := $(wordlist 2,$(words $(SERIES)),$(SERIES))
# The series whose image "make image" builds. IMAGE and TOOLBOX are its own; of the other series they have the series behind
# their names, with _ for its dot, such as IMAGE_24_11.
SLURM ?= $(firstword $(SERIES))
TAG := $(if $(filter $(firstword $(SERIES)),$(SLURM)),latest,$(SLURM))
IMAGE ?= slurmlab:$(TAG)
TOOLBOX ?= slurmlab-toolbox:$(TAG)
$(eval IMAGE_$(subst .,_,$(firstword $(SERIES))) ?= $$(IMAGE))
of = $($1_$(subst .,_,$2))
$(foreach s,$(OTHERS),$(eval IMAGE_$(subst .,_,$s) ?= slurmlab:$s) $(eval TOOLBOX_$(subst .,_,$s) ?= slurmlab-toolbox:$s))
DEMO := runs/demo-$(shell date +%Y%m%d-%H%M%S)
# The series of the demo's backend, the default's where BACKEND names none.
DEMO_SLURM = $(if $(BACKEND),$(or $(shell awk '!/^\#/ && $$2 ~ /(^|,)$(BACKEND)(,|$$)/ { print $$1; exit }' containers/slurm/backend/series.txt),$(error BACKEND=$(BACKEND) is not known, want external, slurmd or frontend)),$(firstword $(SERIES)))

# The version names the sources that go into slurmlab and the image, so that a
# binary and an image of different sources are told apart even when nothing is
# committed.
SOURCES := $(shell find cmd containers emulator internal plugin-bridge results slurmctl workloads \
	-type f ! -name '*_test.go' ! -path 'internal/hosttest/*' ! -path 'cmd/slurmlab/reference/*' ! -path '*/testdata/*' ! -path '*/vclock/test/*' | LC_ALL=C sort) \
	docs/doc.go docs/glossary.go docs/glossary.md go.mod go.sum
# FAULTS=1 builds the image with the points of package faultpoint; build-faults builds slurmlab with them.
VERSION := 0.1.0-$(shell cat $(SOURCES) | sha256sum | cut -c1-12)$(if $(FAULTS),-faults)
REVISION := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.revision=$(REVISION)

# Packages with tests on real clusters have files with the tag integration. Tests of the command line wait for a free core,
# as two users do. More of them than there are cores leave no core idle.
CLUSTERS = $(sort $(addprefix ./,$(patsubst %/,%,$(dir $(shell grep -rl --include='*_test.go' '^//go:build integration' cmd containers emulator plugin-bridge slurmctl)))))
WHOLE_RUNS := ./emulator/run
COMMANDS := ./cmd/slurmlab/internal/cli
# Real applications in real time, which mostly wait.
DJSB := ./emulator/djsb/benchmark

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
# the libc of either backend.
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
	@awk -F ':.*## ' '/^[a-z0-9.-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

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
		series=$${image##*:}; [ "$$series" != latest ] || series=$(firstword $(SERIES)); \
		docker save $$image | go run ./tools/release image $(RELEASE)/slurmlab-$(VERSION)-image-$$series.tar || exit 1; \
	done

release-sbom: build
	go run ./tools/release sbom $(RELEASE)/slurmlab-$(VERSION).cdx.json $(VERSION) $$(date -u -d @$(COMMIT_TIME) +%Y-%m-%dT%H:%M:%SZ) \
		build/slurmlab $(RELEASE_IMAGES)

.PHONY: image
image: ## build the cluster image (Slurm 26.05; image-24.11 for Slurm 24.11)
	FAULTS=$(FAULTS) containers/slurm/image/build.sh $(VERSION) $(SLURM)

.PHONY: demo
demo: build image-$(DEMO_SLURM) ## emulate 128 GPU nodes, compare the auction with backfill, write a report (BACKEND=frontend: with one slurmd)
	build/slurmlab compare $(if $(BACKEND),--backend $(BACKEND)) --image $(call of,IMAGE,$(DEMO_SLURM)) --machine S --workload V.2 \
		--policies backfill,auction --theoretical-runtime 20m --replicas 1 --seed 1 --out $(DEMO)
	@echo "report: $(DEMO)/report.html"

# What runs beside what stands in tools/suite. LINT=1 checks style, too; make itself defines LINT as "lint".
.PHONY: test
test: ## run every test: host, toolbox (HiGHS, virtual clock) and real cluster
	go run ./tools/suite $(if $(filter 1,$(LINT)),-lint)

.PHONY: $(SERIES:%=image-%) test-host test-host-long test-highs test-vclock test-clusters test-clusters-long test-djsb test-runs test-commands test-ui test-pages test-campaigns test-site test-faults play-faults
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
test-page: ## test the page of "slurmlab serve", the search of the site and the report in a browser
	cmd/slurmlab/internal/serve/browser/test.sh $(TESTFLAGS)

# The pictures of docs/serve.md.
.PHONY: shots
shots:
	SHOTS=build/shots cmd/slurmlab/internal/serve/browser/test.sh
	cp build/shots/run-job.png docs/img/serve-run.png
	cp build/shots/folder-dark.png docs/img/serve-folder.png

# What pages show stands below a comment with the command that prints it (internal/hosttest). The pages without a cluster can
# be written without Docker: UPDATE_PAGES=1 go test -count=1 -run TestOutputsOfPages ./cmd/slurmlab/internal/cli
.PHONY: docs
docs: build image image-24.11 image-pandas ## run the commands of the pages, PAGE=docs/run.md some, and write what they print
	UPDATE_RECORDS=1 go test -count=1 ./docs
	UPDATE_PAGES=1 PAGE=$(PAGE) $(MAKE) --no-print-directory test-pages

# The pictures, the texts and the recording of docs/top.md: terminals of TestTop and TestUICompares.
.PHONY: shots-top
shots-top:
	mkdir -p build/shots
	SHOTS=$(CURDIR)/build/shots go test -tags integration -count=1 -run 'Test(Top|UICompares)$$' ./cmd/slurmlab/internal/cli
	cp build/shots/top.svg build/shots/top.txt build/shots/compare-ui.svg build/shots/compare-ui.txt build/shots/compare-ui.cast docs/img

# The toolbox of Slurm 24.11 has the solver's own command, with which tests compare, and HiGHS 1.10. HiGHS 1.14, which the
# other one has, ends a program of the papers by an assertion of its own (HighsMipSolverData.cpp, lb_consistent).
SOLVING = TOOLBOX=$(TOOLBOX_24_11) containers/slurm/image/toolbox.sh
test-highs:
	$(SOLVING) taskset -c 1-1023 go test -exec /src/.ci/same-cases -tags highs,netgo,osusergo $(if $(value RUN),-run '$(value RUN)') $(TESTFLAGS) $(or $(PKG),$(HIGHS))

test-vclock:
	$(VCLOCK) check check-shell stress SECONDS=10
	$(foreach s,$(OTHERS),TOOLBOX=$(call of,TOOLBOX,$s) $(VCLOCK)-$s check check-shell &&) true

# With LONG=0 the tests that take long are left out (hosttest.Long): "make test-long" runs them.
test-clusters test-djsb test-runs test-commands test-ui test-pages test-campaigns test-site: export LONG ?= 0

test-clusters:
	$(ON_CLUSTER) -p 2 -parallel 2 $(or $(PKG),$(filter-out $(WHOLE_RUNS) $(COMMANDS) $(DJSB),$(CLUSTERS)))

test-djsb:
	$(ON_CLUSTER) -parallel 4 $(DJSB)

# Two tests share a core (CoreOf); one more that has none, or waits for one, keeps no core idle.
test-runs:
	$(ON_CLUSTER) -parallel 5 $(WHOLE_RUNS)

test-commands:
	$(ON_CLUSTER) -parallel 4 $(if $(value RUN),,-skip '$(UI)|$(PAGES)|$(CAMPAIGNS)|$(SITE)') $(COMMANDS)

test-ui: only = $(UI)
test-pages: only = $(PAGES)
test-campaigns: only = $(CAMPAIGNS)
test-site: only = $(SITE)
test-ui test-pages test-campaigns test-site:
	$(ON_CLUSTER) $(if $(value RUN),,-run '$(only)') $(COMMANDS)

# The tests on clusters that ask hosttest.Long, and their packages.
LONG_FILES = $(shell grep -rl --include='*_test.go' '^//go:build integration' $(CLUSTERS) | xargs grep -l 'hosttest[.]Long')
LONG_ON_CLUSTERS = ^($(shell awk -F '[^A-Za-z0-9_]+' '/^func Test/ { name = $$2 } /hosttest[.]Long/ { print name }' $(LONG_FILES) | sort -u | paste -s -d '|'))$$
test-clusters-long:
	$(MAKE) --no-print-directory test-clusters LONG=1 PKG='$(sort $(addprefix ./,$(patsubst %/,%,$(dir $(LONG_FILES)))))' RUN='$(or $(value RUN),$(LONG_ON_CLUSTERS))'

# Some cells of the fault campaign, and its points, which only its build has: SAMPLE=long those of "make test-long".
SAMPLE ?= sample
test-faults: $(if $(filter long,$(SAMPLE)),images-faults,image-faults)
	$(MAKE) --no-print-directory play-faults

play-faults:
	$(GO_TEST) $(SAME) -tags faults $(if $(value RUN),,-run Holds) ./internal/faultpoint
	$(PLAY) --cells $(SAMPLE) --out build/faults/$(SAMPLE)
	rm -f build/faults/$(SAMPLE)/kills.csv
	$(PLAY) kills --kills $(if $(filter long,$(SAMPLE)),30,2) --out build/faults/$(SAMPLE) --record build/faults/$(SAMPLE)/kills.csv $(if $(filter long,$(SAMPLE)),,--backends 26.05 --numbers 4,13)

.PHONY: test-long
test-long: ## run what takes too long for "make test", and note what came of it in .ci/long-tests.csv
	go run ./tools/suite -long

# The tags add files and take none away, so that one look sees all builds but those that need a C compiler.
.PHONY: lint style prose
lint: style prose ## check style, import rules and prose (golangci-lint and Vale, pinned)

style: bin/golangci-lint-$(LINT_VERSION) ## check Go style and import rules in PKG (all)
	nice $< run --build-tags integration,browser $(or $(PKG),./...)

prose: bin/vale-$(VALE_VERSION) ## check the prose of pages, comments and messages
	nice $< --output=line --minAlertLevel=error README.md CONTRIBUTING.md CHANGELOG.md docs \
		cmd containers emulator examples internal plugin-bridge results slurmctl tools workloads

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

# Its parsers of source files are in C and C++.
bin/vale-$(VALE_VERSION):
	CGO_ENABLED=1 GOBIN=$(CURDIR)/bin go install github.com/vale-cli/vale/v3/cmd/vale@$(VALE_VERSION)
	mv bin/vale $@

.PHONY: claims
claims: ## make the tables of all records from the kept runs again, and check the numbers of each claim (docs/claims.md)
	go test -vet=off -count=1 -run 'Claims|Record|Tuned|SameAnswers|CellsOfPairs|DifferencesOfPlugins' ./docs
	go test -vet=off -count=1 -run 'Recorded' ./results/compare ./tools/queues ./cmd/slurmlab/internal/cli

.PHONY: stress
stress: image ## run the virtual clock's tests under sanitizers, and strain it for SECONDS (600) of real time
	$(VCLOCK) asan tsan stress SECONDS=$(or $(SECONDS),600)

# The states of the solver's benchmarks, from real runs of about four minutes each.
STATES := build/states
STATE_RUN := build/slurmlab run --machine tsubame --policy auction --set window=200 --set max_bids=3000 --backend frontend --image $(IMAGE_24_11) --quiet

.PHONY: bench-instances
bench-instances: build image-24.11 ## record the states of real runs that "bench" solves anew
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

# Kills of random processes, on the usual build and images. The record of them goes on where its rows end.
.PHONY: kills
kills: build image image-24.11 ## kill random processes at random instants of random runs (KILLS=200 SEED=1, FOR=20m ends in time)
	go build -o build/kills ./tools/faults
	build/kills kills --slurmlab build/slurmlab --image $(IMAGE) --image-24-11 $(IMAGE_24_11) --out build/kill-runs \
		$(if $(KILLS),--kills $(KILLS)) $(if $(SEED),--seed $(SEED)) $(if $(FOR),--for $(FOR)) $(if $(CORE),--core $(CORE)) \
		$(if $(NUMBERS),--numbers $(NUMBERS)) $(if $(BACKENDS),--backends $(BACKENDS))

faults-table: build-faults
	$(PLAY) --table --doc docs/records/016-faults/README.md $(if $(SEED),--seed $(SEED))

# Many jobs through one cluster. As root; JOBS=2000 is a short one, POLICY=auction one of
# the two runs, and CORE=1 has the cluster on that core.
.PHONY: soak
soak: build image ## send 20,000 jobs through one cluster and look whether anything grows (as root)
	go run ./tools/soak --image $(IMAGE) $(if $(JOBS),--jobs $(JOBS)) $(if $(POLICY),--policy $(POLICY)) $(if $(CORE),--core $(CORE))

# Small runs, four at a time beside a busy disk. The record of them is docs/records/038-strain: runs that it has of these
# sources are not made again. FOR=20m ends in time.
.PHONY: strain
strain: build image image-24.11 ## make RUNS (1,000) small runs on a busy machine: what is late must be told
	go run ./tools/strain --version $(VERSION) --image $(IMAGE) --image-24-11 $(IMAGE_24_11) $(if $(RUNS),--runs $(RUNS)) $(if $(FOR),--for $(FOR)); \
		came=$$?; UPDATE_RECORDS=1 go test -run TestTablesOfRecords ./docs >/dev/null; exit $$came

.PHONY: build-faults commands-faults image-faults images-faults
build-faults:
	$(MAKE) --no-print-directory FAULTS=1 commands-faults

commands-faults:
	go build -tags faults -ldflags "$(LDFLAGS)" -o build/faults/slurmlab ./cmd/slurmlab
	go build -o $(PLAY) ./tools/faults

image-faults: build-faults ## build slurmlab and an image with the points where "make faults" breaks runs
	$(MAKE) --no-print-directory FAULTS=1 IMAGE=slurmlab:faults image

images-faults: image-faults
	$(MAKE) --no-print-directory FAULTS=1 SLURM=24.11 IMAGE=slurmlab:faults-24.11 TOOLBOX=$(TOOLBOX_24_11) image

.PHONY: bench
bench: image-24.11 ## time the auction (in the toolbox, with HiGHS) and the parsers
	$(SOLVING) go test -tags highs -run '^$$' -bench . -benchmem -timeout 60m ./plugin-bridge/... ./tools/queues/...
	go test -run '^$$' -bench . -benchmem ./slurmctl/... ./results/... ./workloads/...
