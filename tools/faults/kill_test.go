package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
)

// "any process of a run at random instants of random runs, on every backend, with --archive, campaigns, checkpoints and
// up" (issue 41): few kills have each of them, a seed draws the same kills again, and another seed others. A checkpoint
// is drawn only where docs/checkpoints.md allows one.
func TestDraw(t *testing.T) {
	seen := map[string]bool{}
	for number := range uint64(60) {
		k := draw(1, number)
		if k != draw(1, number) || k == draw(2, number) {
			t.Errorf("kill %d is %+v, then %+v; of another seed %+v", number, k, draw(1, number), draw(2, number))
		}
		if k.share < 0 || k.share >= 1 {
			t.Errorf("kill %d is at %g of the time", number, k.share)
		}
		for _, word := range []string{string(k.kind), k.slurm, k.policy} {
			seen[word] = true
		}
		if k.kind == aCheckpoint && (k.slurm != check.Backends()[0] || k.policy == check.Program) {
			t.Errorf("kill %d has a checkpoint of %s under %s", number, k.slurm, k.policy)
		}
	}
	for _, want := range append([]string{string(aRun), string(aCheckpoint), string(aCampaign), string(anArchive), string(anUp), policy.Backfill, policy.Auction, check.Program}, check.Backends()...) {
		if !seen[want] {
			t.Errorf("of 60 kills none has %s", want)
		}
	}
}

// What begins once more takes no directory of what broke, and a campaign has the folder that is there.
func TestStepsAgain(t *testing.T) {
	s := stage{Image: func(string) string { return "image" }, Machine: "m.yaml", Workload: "w.csv", Program: "p.py", Core: "none"}
	for _, k := range []kind{aRun, aCheckpoint, aCampaign, anArchive, anUp} {
		drawn := kill{kind: k, slurm: check.Backends()[0], policy: policy.Auction}
		first, again := s.steps(drawn, "d", false), s.steps(drawn, "d", true)
		if len(first) == 0 || len(first) != len(again) {
			t.Fatalf("%s: %d steps and %d", k, len(first), len(again))
		}
		for i := range first {
			if first[i].name == again[i].name || first[i].run != "" && first[i].run == again[i].run {
				t.Errorf("%s: %+v again is %+v", k, first[i], again[i])
			}
			if same := slices.Equal(first[i].args, again[i].args); same != (first[i].run == "") {
				t.Errorf("%s: %q again is %q", k, first[i].args, again[i].args)
			}
		}
	}
}

// A victim is drawn by its name first: of many slurmds and one slurmctld both are killed as often.
func TestChoose(t *testing.T) {
	all := []process{{7, "slurmd"}, {3, "slurmd"}, {5, "slurmctld"}, {9, "slurmd"}}
	for _, tt := range []struct {
		name, which uint64
		want        process
	}{{0, 8, all[2]}, {1, 0, all[1]}, {3, 2, all[3]}, {2, 1, all[2]}} {
		if got, some := choose(all, tt.name, tt.which); !some || got != tt.want {
			t.Errorf("%d, %d: got %v, want %v", tt.name, tt.which, got, tt.want)
		}
	}
	if _, some := choose(nil, 0, 0); some {
		t.Error("of no processes one is chosen")
	}
}

// Names are of the command lines that a cluster has.
func TestNameOf(t *testing.T) {
	for want, command := range map[string][]string{
		"slurmctld":       {"slurmctld", "-D"},
		"slurmlabd run":   {"/usr/local/bin/slurmlabd", "run"},
		"slurmlab":        {"build/slurmlab"},
		"slurmlab run":    {"build/slurmlab", "run", "--policy", "exec:misbehaves.py"},
		"slurmstepd":      {"slurmstepd: [3.batch]"},
		"job script":      {"/bin/sh", "/var/spool/slurmd/job00003/slurm_script"},
		"plug-in":         {"python3", "/opt/misbehaves.py"},
		"runc":            {"runc", "init"},
		"slurmlabd exec":  {"slurmlabd", "exec", "--", "sbatch"},
		"mariadbd":        {"mariadbd", "--user=mysql"},
		"slurmchannel":    {"/usr/local/bin/slurmchannel"},
		"slurmlab status": {"slurmlab", "status"},
		nameless:          {": [3.batch]"},
	} {
		if got := nameOf(command); got != want {
			t.Errorf("%q: got %q, want %q", command, got, want)
		}
	}
}

// A record is continued where it stops: numbers that have a row are not played again unless they are named, rows that
// killed nothing do not count, and of a kill that was played again the last row counts.
func TestRecordOfKillsGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record", killsName)
	row := func(number, victim, broken string) killRow {
		all := killRow{}
		for _, name := range killColumns() {
			all[name] = "a \"quoted\"\nvalue, with all"
		}
		all["seed"], all["number"], all["victim"], all["broken"] = "1", number, victim, broken
		return all
	}
	want := []killRow{row("1", "slurmctld", "(8) left over"), row("2", "", ""), row("1", "slurmdbd", "")}
	for _, r := range want {
		if err := addKill(path, r); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := readKills(path)
	if err != nil || !reflect.DeepEqual(rows, want) {
		t.Fatalf("read %v, %v, want %v", rows, err, want)
	}
	if last := lastKills(rows); len(last) != 1 || last[0]["victim"] != "slurmdbd" {
		t.Errorf("the last are %v", last)
	}
	k := killing{campaign: &campaign{seed: 1}, kills: 3, backends: check.Backends()}
	if got := slices.Collect(k.next(rows)); !slices.Equal(got, []uint64{3, 4}) {
		t.Errorf("plays %v, want two more from 3 on", got)
	}
	k.numbers = []uint{1, 7}
	if got := slices.Collect(k.next(rows)); !slices.Equal(got, []uint64{1, 7}) {
		t.Errorf("plays %v, want those that are named", got)
	}
	if err = os.WriteFile(path, []byte("seed,number\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = readKills(path); err == nil {
		t.Error("a record of other columns is read")
	}
}

// What the page says of the kills is what its record has.
func TestRecordedKills(t *testing.T) {
	const record = "../../docs/records/016-faults/"
	rows, err := readKills(record + killsName)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(record + "kills.md")
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := countKills(rows); !strings.Contains(string(page), want) {
		t.Errorf("the page does not say: %s", want)
	}
}
