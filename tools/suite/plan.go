package main

import (
	"slices"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
)

// step is one part of "make test".
type step struct {
	name string
	// target is the target of make, with its arguments.
	target []string
	// needs are the steps that must have passed before.
	needs []string
	// load is how many cores the step keeps busy, in tenths. A step that mostly waits for packages or
	// for real time has few.
	load int
	// cores says that the step has clusters on all cores of the machine. One such step runs at a time.
	cores bool
	// tests says that the step runs "go test", of whose events at least one must arrive.
	tests bool
	// set is the set of steps that the step belongs to.
	set set
}

// set is what is asked for by one command.
type set string

const (
	// tests is "make test".
	tests set = "test"
	// lint is what LINT=1 adds to it, unlinted what lint does as well and so takes away.
	lint     set = "lint"
	unlinted set = "unlinted"
	// long is "make test-long".
	long set = "long"
)

// plan is the table of steps. Those stand first that keep others waiting or take longest: if a long one began last, a core
// would be idle beside it. Loads follow from measured times: one that installs packages or runs in real time mostly waits, one
// of the compiler keeps all cores busy and gives way to others. Steps with a cluster on each core stand one after the other: each
// jump of a clock waits until everybody on its core has had a turn, so that clusters on one core lose time. Clusters that are
// watched (ui) wait for real time and for the watcher, and take no core from others. The image of each of the backends is built,
// and whatever runs on all of them waits for all images.
//
// The set long has what takes minutes and what few changes can break. host-long has tests that ask hosttest.Long or
// hosttest.Brief: five play whole workloads in memory, one imports 5 million lines, one plays 900 more seeds of faults, and two
// read the record of one more table of a paper.
// clusters-long has the policies, plug-ins, stopped runs, agents on a front end and scripts that show on clusters what others of
// "make test" show for their kind.
// faults-long has cells of the fault campaign on the compiled Slurm, and those that end by a limit of a minute. strain has
// runs beside a busy disk. stress has ten minutes of the virtual clock in real time, and its tests under sanitizers, which are
// those of vclock once more.
func plan(all backend.List) []step {
	compiled, packaged := imageOf(all.Of(backend.FrontEnd)), imageOf(all.Of(backend.External))
	built := images(all)
	every := func(more ...string) []string { return append(stepNames(built), more...) }
	return append(built, []step{
		{set: tests, name: "build", target: []string{"build"}, load: 8},
		{set: tests, name: "image-pandas", target: []string{"image-pandas"}, needs: []string{packaged}, load: 3},
		{set: tests, name: "image-site", target: []string{"image-site"}, needs: []string{compiled}, load: 3},
		{set: tests, name: "djsb", target: []string{"test-djsb"}, needs: every("image-site"), load: 1, tests: true},
		{set: tests, name: "site", target: []string{"test-site"}, needs: []string{packaged, "image-site", "build"}, load: 1, tests: true},
		{set: tests, name: "ui", target: []string{"test-ui"}, needs: []string{packaged, "build"}, load: 4, tests: true},
		{set: tests, name: "clusters", target: []string{"test-clusters"}, needs: every("image-site"), load: 6, tests: true},
		{set: tests, name: "host", target: []string{"test-host"}, needs: []string{"build"}, load: 8, tests: true},
		{set: tests, name: "image-faults", target: []string{"image-faults"}, needs: []string{packaged}, load: 5},
		{set: tests, name: "faults", target: []string{"play-faults"}, needs: []string{"image-faults"}, load: 7, cores: true, tests: true},
		{set: tests, name: "runs", target: []string{"test-runs"}, needs: every("image-site", "build"), load: 10, cores: true, tests: true},
		{set: tests, name: "pages", target: []string{"test-pages"}, needs: every("image-pandas", "build"), load: 10, cores: true, tests: true},
		{set: tests, name: "campaigns", target: []string{"test-campaigns"}, needs: []string{packaged, "build"}, load: 6, cores: true, tests: true},
		{set: tests, name: "page", target: []string{"test-page"}, needs: []string{packaged}, load: 5, tests: true},
		{set: unlinted, name: "vet", target: []string{"vet"}, load: 7},
		{set: tests, name: "commands", target: []string{"test-commands"}, needs: every("image-pandas", "image-site", "build"), load: 10, cores: true, tests: true},
		{set: tests, name: "vclock", target: []string{"test-vclock"}, needs: every(), load: 9},
		{set: tests, name: "highs", target: []string{"test-highs"}, needs: []string{compiled}, load: 9, tests: true},
		{set: lint, name: "lint", target: []string{"style"}, load: 4},
		{set: lint, name: "prose", target: []string{"prose"}, load: 4},
		{set: long, name: "host-long", target: []string{"test-host-long"}, load: 10, tests: true},
		{set: long, name: "clusters-long", target: []string{"test-clusters-long"}, needs: every("image-pandas", "image-site", "build"), load: 10, cores: true, tests: true},
		{set: long, name: "strain", target: []string{"strain", "RUNS=300"}, load: 20},
		{set: long, name: "faults-long", target: []string{"test-faults", "SAMPLE=long"}, load: 10, tests: true},
		{set: long, name: "stress", target: []string{"stress", "SECONDS=600"}, load: 10},
	}...)
}

// images build the image of each series.
func images(all backend.List) []step {
	var list []step
	for _, b := range all {
		name := imageOf(b)
		if slices.ContainsFunc(list, func(s step) bool { return s.name == name }) {
			continue
		}
		load := 4
		if b.Form == backend.FrontEnd {
			// Its Slurm is compiled.
			load = 8
		}
		list = append(list, step{set: tests, name: name, target: []string{name}, load: load})
	}
	return list
}

// imageOf is the step that builds the image of a backend, and the target of make.
func imageOf(b backend.Backend) string { return "image-" + b.Series }
