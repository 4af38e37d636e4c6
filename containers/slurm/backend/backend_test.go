package backend

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// The form of each backend is known, its name is its own, and its Slurm is in its image.
func TestBackends(t *testing.T) {
	all := All()
	for i, b := range all {
		if err := all.Check(b); err != nil || b.Name() != string(b.Form)+"-"+b.Series {
			t.Errorf("%q: %v", b.Name(), err)
		}
		if b.Traits().About == "" || b.Traits().nodes == nil {
			t.Errorf("%s has the unknown form %q", b.Name(), b.Form)
		}
		if all[:i].Has(b) {
			t.Errorf("two backends are called %s", b.Name())
		}
		if got := b.Label("fifo"); (got == "fifo") != (i == 0) || !strings.HasSuffix(got, b.Name()) && i > 0 {
			t.Errorf("the directories of %s are called %s", b.Name(), got)
		}
	}
	if all[0] != Default() || Default().Image() != "slurmlab:latest" {
		t.Errorf("the default is %v with image %s, want the first, with slurmlab:latest", Default(), Default().Image())
	}
}

// A machine that a backend cannot have is refused with the backends that have it.
func TestFit(t *testing.T) {
	all := All()
	for _, b := range all {
		most := b.Traits().MaxNodes
		if most == 0 {
			if err := all.Fit(b, 1<<20, false); err != nil {
				t.Errorf("%s: %v", b.Name(), err)
			}
			continue
		}
		if err := all.Fit(b, most, false); err != nil {
			t.Errorf("%s: %v", b.Name(), err)
		}
		err := all.Fit(b, most+1, false)
		if err == nil {
			t.Errorf("%s has more than its most nodes", b.Name())
			continue
		}
		for _, other := range all {
			if named := slices.Contains(formsIn(err), string(other.Form)); named != (other == b || other.Traits().MaxNodes == 0) {
				t.Errorf("%v: names %s: %t", err, other.Name(), named)
			}
		}
	}
	for _, b := range all {
		err := all.Fit(b, 2, true)
		want := map[string]bool{}
		for _, other := range all {
			if other == b || other.Traits().Groups {
				want[string(other.Form)] = true
			}
		}
		if got := formsIn(err); b.Traits().Groups != (err == nil) || err != nil && !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(maps.Keys(want))) {
			t.Errorf("groups of nodes with %s: %v", b.Name(), err)
		}
	}
}

// formsIn are the values of --backend that an error names.
func formsIn(err error) []string {
	var values []string
	for _, match := range regexp.MustCompile(`--backend ([^ ,]+)`).FindAllStringSubmatch(fmt.Sprint(err), -1) {
		values = append(values, match[1])
	}
	return values
}

// invented is a table with a series that nobody has.
func invented() List {
	return read("26.05  external,slurmd\n24.11  frontend\n99.11  external,slurmd  sid  packages  -\n")
}

// A series costs a line of the table (issue 39: "Two series of one form can stand beside each other ... A test adds an
// invented series"). Its backends have names and an image of their own; the rest comes from their forms.
func TestInventedSeries(t *testing.T) {
	all := invented()
	added := List{{External, "99.11"}, {OnNodes, "99.11"}}
	if len(all) != 5 || !slices.Equal(all[3:], added) {
		t.Fatalf("got %v", all)
	}
	for _, b := range added {
		if err := all.Check(b); err != nil || b.Image() != "slurmlab:99.11" {
			t.Errorf("%s: image %s, %v", b.Name(), b.Image(), err)
		}
		usual := all.Of(b.Form)
		if usual.Series == b.Series || usual.Traits().About != b.Traits().About || usual.Traits().MaxNodes != b.Traits().MaxNodes {
			t.Errorf("%s is not like %s", b.Name(), usual.Name())
		}
		if got, want := configured(t, b), configured(t, usual); got != want {
			t.Errorf("%s has\n%s\nwant that of %s\n%s", b.Name(), got, usual.Name(), want)
		}
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{all.Fit(added[0], 1<<20, true), ""},
		{all.Fit(added[1], 129, false), "machine: 129 nodes are not allowed with --backend slurmd, want at most 128, or --backend external or --backend frontend"},
		{all.Fit(added[1], 4, true), "machine: groups of nodes are not allowed with --backend slurmd, want --backend external"},
		{all.CheckEvents(added[0]), ""},
		{all.CheckEvents(Backend{FrontEnd, "24.11"}), "events: not allowed with --backend frontend, want --backend external"},
	} {
		if got := fmt.Sprint(test.err); test.err == nil && test.want != "" || test.err != nil && got != test.want {
			t.Errorf("got %s, want %q", got, test.want)
		}
	}
	if got := all.Which(func(t Traits) bool { return t.Stops }); got.String() != "external" || !slices.Equal(got.Series(), []string{"26.05", "99.11"}) {
		t.Errorf("runs stop on %v", got)
	}
}

// configured is the whole configuration of a cluster, and the programs that stand for its nodes.
func configured(t *testing.T, b Backend) string {
	t.Helper()
	s := conf.Spec{
		Form: string(b.Form), Slurm: b.Series, Nodes: 4, Cores: 8, GPUs: 2, Scheduler: conf.Scheduler{Type: conf.Backfill, Lines: "LicenseParameters=x"},
		Priority: priority.Basic, Clock: clock.Settings{Kind: clock.KindReal},
	}
	nodes := b.Nodes(s)
	files, err := conf.Files(s, nodes.Conf, conf.Root())
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range files {
		fmt.Fprintf(&text, "%s %o %s\n%s\n", f.Name, f.Mode, f.Link, f.Data)
	}
	fmt.Fprintln(&text, nodes.Programs, nodes.Starts, nodes.PerNode, nodes.PerJob)
	return text.String()
}
