package backend

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// A backend is found by its name, its form is known, and its Slurm is in its image.
func TestBackends(t *testing.T) {
	all := All()
	for i, b := range all {
		found, err := all.Find(b.Name())
		if err != nil || found != b {
			t.Errorf("%q finds %v, %v", b.Name(), found, err)
		}
		if !strings.HasPrefix(b.Name(), b.Series) {
			t.Errorf("the name %q does not begin with its series %q", b.Name(), b.Series)
		}
		if b.Traits().About == "" || b.Traits().nodes == nil {
			t.Errorf("%s has the unknown form %q", b.Name(), b.Form)
		}
		if all[:i].Has(b.Name()) {
			t.Errorf("two backends are called %s", b.Name())
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
			if err := all.Fit(b.Name(), 1<<20, false); err != nil {
				t.Errorf("%s: %v", b.Name(), err)
			}
			continue
		}
		if err := all.Fit(b.Name(), most, false); err != nil {
			t.Errorf("%s: %v", b.Name(), err)
		}
		err := all.Fit(b.Name(), most+1, false)
		if err == nil {
			t.Errorf("%s has more than its most nodes", b.Name())
			continue
		}
		for _, other := range all {
			if named := slices.Contains(valuesOfSlurm(err), other.Name()); named != (other == b || other.Traits().MaxNodes == 0) {
				t.Errorf("%v: names %s: %t", err, other.Name(), named)
			}
		}
	}
	for _, b := range all {
		err := all.Fit(b.Name(), 2, true)
		var want []string
		for _, other := range all {
			if other == b || other.Traits().Groups {
				want = append(want, other.Name())
			}
		}
		if got := valuesOfSlurm(err); b.Traits().Groups != (err == nil) || err != nil && !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("groups of nodes with %s: %v", b.Name(), err)
		}
	}
	if err := all.Fit("25.05", 1, false); err == nil || !strings.Contains(err.Error(), `slurm: "25.05" is not allowed`) {
		t.Errorf("an unknown backend gives %v", err)
	}
}

// valuesOfSlurm are the backends that an error names.
func valuesOfSlurm(err error) []string {
	var values []string
	for _, match := range regexp.MustCompile(`--slurm ([^ ,]+)`).FindAllStringSubmatch(fmt.Sprint(err), -1) {
		values = append(values, match[1])
	}
	return values
}

// A series costs a line of the table (issue 39: "Two series of one form can stand beside each other ... A test adds an
// invented series"). Its backends have names and an image of their own, and all else is that of their forms.
func TestInventedSeries(t *testing.T) {
	const line = "99.11  external,slurmd  sid  packages  -\n"
	all := read(table + line)
	was, added := all[:len(all)-2], all[len(all)-2:]
	if !slices.Equal(was, All()) || !slices.Equal(added, List{{External, "99.11"}, {OnNodes, "99.11"}}) {
		t.Fatalf("got %v", all)
	}
	all = read("24.11  frontend\n26.05  external,slurmd\n" + line)
	for _, b := range added {
		found, err := all.Find(b.Name())
		if err != nil || found != b || b.Image() != "slurmlab:99.11" {
			t.Errorf("%s: found %v with image %s, %v", b.Name(), found, b.Image(), err)
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
		{all.Fit("99.11", 1<<20, true), ""},
		{all.Fit("26.05-slurmd", 129, false), "machine: 129 nodes are not allowed with --slurm 26.05-slurmd, want at most 128, or --slurm 24.11, --slurm 26.05 or --slurm 99.11"},
		{all.Fit("99.11-slurmd", 4, true), "machine: groups of nodes are not allowed with --slurm 99.11-slurmd, want --slurm 26.05 or --slurm 99.11"},
		{all.CheckEvents("99.11"), ""},
		{all.CheckEvents("24.11"), "events: not allowed with --slurm 24.11, want --slurm 26.05 or --slurm 99.11"},
	} {
		if got := fmt.Sprint(test.err); test.err == nil && test.want != "" || test.err != nil && got != test.want {
			t.Errorf("got %s, want %q", got, test.want)
		}
	}
	if got := all.Which(func(t Traits) bool { return t.Stops }).String(); got != "26.05 or 99.11" {
		t.Errorf("runs stop on %s", got)
	}
	if _, err := all.Find("99.12"); err == nil || err.Error() != `slurm: "99.12" is not allowed, want 24.11, 26.05, 26.05-slurmd, 99.11 or 99.11-slurmd` {
		t.Errorf("got %v", err)
	}
}

// configured is the whole configuration of a cluster, and the programs that stand for its nodes.
func configured(t *testing.T, b Backend) string {
	t.Helper()
	s := conf.Spec{
		Slurm: b.Name(), Nodes: 4, Cores: 8, GPUs: 2, Scheduler: conf.Scheduler{Type: conf.Backfill, Lines: "LicenseParameters=x"},
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
