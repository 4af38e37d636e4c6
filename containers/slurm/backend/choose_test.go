package backend

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Issue 40: "Without --backend the form follows from machine, workload and policy ... and is said in one line; with it, what it
// lacks is refused", and "an old flag or key is a fault that names the new one".
func TestChoose(t *testing.T) {
	all := invented()
	for _, test := range []struct {
		name         string
		asked        Choice
		needs        Needs
		want, reason string
		err          string
	}{
		{"nothing", Choice{}, Needs{}, "external-26.05", "", ""},
		{"a large machine", Choice{}, Needs{Nodes: 10_000, Groups: true}, "external-26.05", "", ""},
		{"events and checkpoints", Choice{}, Needs{Events: true, Stops: true, Rootless: true}, "external-26.05", "", ""},
		{"a script with srun", Choice{}, Needs{Nodes: 128, Scripts: true}, "slurmd-26.05", "backend slurmd, as external has no srun, steps and job arrays", ""},
		{"such a script on many nodes", Choice{}, Needs{Nodes: 129, Scripts: true}, "frontend-24.11", "backend frontend, as external has no srun, steps and job arrays", ""},
		{"an application that computes", Choice{}, Needs{Nodes: 2, Scripts: true, Daemons: true}, "slurmd-26.05", "backend slurmd, as external has no srun, steps and job arrays and no slurmd of each node", ""},
		{"what no backend has", Choice{}, Needs{Groups: true, Scripts: true}, "external-26.05", "", ""},
		{"a series of one form", Choice{Series: "24.11"}, Needs{}, "frontend-24.11", "backend frontend, as external has no Slurm 24.11", ""},
		{"a series of two forms", Choice{Series: "99.11"}, Needs{}, "external-99.11", "", ""},
		{"a series and a need", Choice{Series: "99.11"}, Needs{Scripts: true}, "slurmd-99.11", "backend slurmd, as external has no srun, steps and job arrays", ""},
		{"a series that lacks a need", Choice{Series: "24.11"}, Needs{Events: true}, "frontend-24.11", "backend frontend, as external has no Slurm 24.11", ""},
		{"a form", Choice{Form: FrontEnd}, Needs{Events: true}, "frontend-24.11", "", ""},
		{"a form and a series", Choice{OnNodes, "99.11"}, Needs{}, "slurmd-99.11", "", ""},
		{"the default", Choice{External, "26.05"}, Needs{}, "external-26.05", "", ""},
		{"an unknown form", Choice{Form: "frontent"}, Needs{}, "", "", `backend: "frontent" is not allowed, want external, slurmd or frontend; did you mean "frontend"?`},
		{"an unknown series", Choice{Series: "25.05"}, Needs{}, "", "", `slurm: "25.05" is not allowed, want 26.05, 24.11 or 99.11`},
		{"both unknown", Choice{"none", "25.05"}, Needs{}, "", "", `backend: "none" is not allowed, want external, slurmd or frontend` + "\n" + `slurm: "25.05" is not allowed, want 26.05, 24.11 or 99.11`},
		{"a form without the series", Choice{External, "24.11"}, Needs{}, "", "", `slurm: 24.11 is not allowed with --backend external, want --slurm 26.05 or 99.11, or --backend frontend`},
		{"the word for both", Choice{Series: "26.05-slurmd"}, Needs{}, "", "", `slurm: "26.05-slurmd" is not allowed, want --backend slurmd --slurm 26.05`},
	} {
		got, reason, err := all.Choose(test.asked, test.needs)
		if err != nil {
			if err.Error() != test.err {
				t.Errorf("%s: got %v, want %s", test.name, err, test.err)
			}
			continue
		}
		if test.err != "" || got.Name() != test.want || reason != test.reason {
			t.Errorf("%s: got %s because %q, want %s because %q, error %q", test.name, got.Name(), reason, test.want, test.reason, test.err)
		}
	}
}

// Several forms and series are each form with each series that it has, and each of them has a partner.
func TestSelect(t *testing.T) {
	all := invented()
	for _, test := range []struct{ forms, series, want string }{
		{"", "", "external-26.05"},
		{"external frontend", "", "external-26.05 frontend-24.11"},
		{"", "24.11 26.05", "frontend-24.11 external-26.05"},
		{"external slurmd", "26.05 99.11", "external-26.05 external-99.11 slurmd-26.05 slurmd-99.11"},
		{"external frontend", "24.11 26.05", "external-26.05 frontend-24.11"},
		{"external frontend", "26.05", "slurm: 26.05 is not allowed with --backend frontend, want --slurm 24.11, or --backend external or --backend slurmd"},
		{"external", "26.05 24.11", "slurm: 24.11 is not allowed with --backend external, want --slurm 26.05 or 99.11, or --backend frontend"},
		{"external none", "", `backend: "none" is not allowed, want external, slurmd or frontend`},
	} {
		chosen, _, err := all.Select(strings.Fields(test.forms), strings.Fields(test.series), Needs{})
		var names []string
		for _, b := range chosen {
			names = append(names, b.Name())
		}
		got := strings.Join(names, " ")
		if err != nil {
			got = fmt.Sprint(err)
		}
		if got != test.want {
			t.Errorf("--backend %s --slurm %s: got %s, want %s", test.forms, test.series, got, test.want)
		}
	}
}

// Slurm 24.11 is compiled without topology/block here (compile.sh of containers/slurm/image/frontend).
func TestBlocksNeedABackend(t *testing.T) {
	const want = "machine: blocks of nodes are not allowed with --backend frontend, want --backend external"
	if err := All().CheckBlocks(All().Of(FrontEnd), true); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := errors.Join(All().CheckBlocks(All().Of(FrontEnd), false), All().CheckBlocks(Default(), true)); err != nil {
		t.Error(err)
	}
	if b, _, err := All().Choose(Choice{}, Needs{Blocks: true}); err != nil || b != Default() {
		t.Errorf("got %v, %v", b, err)
	}
}
