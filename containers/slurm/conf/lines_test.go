package conf_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/slurmctl/site"
)

// table are the keys of slurm_conf_options in src/common/read_config.c of a release series.
func table(t *testing.T, series string) []string {
	t.Helper()
	if series == site.Series {
		return site.SlurmKeys()
	}
	text, err := os.ReadFile("testdata/keys-" + series)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// Each key that a Slurm has can be set or has a reason why not, but for the one whose words are settings of their
// own. No key can be set that none has. The test looks at series that have a table in testdata.
func TestEachKeyIsDecided(t *testing.T) {
	tables, err := filepath.Glob("testdata/keys-*")
	tables = append(tables, "keys-"+site.Series)
	if err != nil || len(tables) < 2 {
		t.Fatalf("got the tables %q, %v", tables, err)
	}
	var all, latest []string
	for _, name := range tables {
		series := strings.TrimPrefix(filepath.Base(name), "keys-")
		latest = table(t, series)
		all = append(all, latest...)
		for _, key := range conf.Keys() {
			if has := conf.CheckSeries(key, series) == nil; has != slices.Contains(latest, key) {
				t.Errorf("%s in Slurm %s: got %t, want %t", key, series, has, !has)
			}
		}
	}
	for _, key := range all {
		value := "1"
		if key == "SelectTypeParameters" {
			value = "CR_Core"
		}
		err := conf.CheckLine(key, value)
		switch {
		case key == "SchedulerParameters":
		case slices.Contains(conf.Keys(), key) != (err == nil):
			t.Errorf("%s: got %v", key, err)
		case err != nil && strings.Contains(err.Error(), "no such line"):
			t.Errorf("%s: got %v, want a reason", key, err)
		}
	}
	for _, key := range conf.Keys() {
		if !slices.Contains(latest, key) {
			t.Errorf("%s can be set, and the newest Slurm does not have it", key)
		}
		if err := conf.CheckSeries(key, "26.05-slurmd"); err != nil {
			t.Error(err)
		}
	}
	if !slices.IsSorted(conf.Keys()) {
		t.Error("the keys are out of order")
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"SchedulerTimeSlice", "banana", ""},
		{"PriorityWeightTRES", "CPU=1000,Mem=2", ""},
		{"StateSaveLocation", "/tmp", "StateSaveLocation: slurmlab sets it itself, as the files of a cluster are in memory"},
		{"SelectType", "select/linear", "SelectType: slurmlab sets it itself, as jobs share nodes by their cores and GPUs"},
		{"AccountingStorageTRES", "gres/gpu", "AccountingStorageTRES: slurmlab sets it itself, as a run reads in the accounting how its jobs ended"},
		{"NodeName", "x", "NodeName: the machine file sets nodes and partitions: write it there"},
		{"schedulertimeslice", "60", `schedulertimeslice: slurm.conf has no such line; did you mean "SchedulerTimeSlice"?`},
		{"Colour", "red", "Colour: slurm.conf has no such line"},
		{"KillWait", "", `KillWait: "" is not allowed, want 1 to 1000 letters of ASCII without blanks, quotes, # and \`},
		{"KillWait", "1 OverTimeLimit=5", `KillWait: "1 OverTimeLimit=5" is not allowed, want 1 to 1000 letters of ASCII without blanks, quotes, # and \`},
		{"KillWait", "1#", `KillWait: "1#" is not allowed, want 1 to 1000 letters of ASCII without blanks, quotes, # and \`},
		{"KillWait", "1\\", `KillWait: "1\\" is not allowed, want 1 to 1000 letters of ASCII without blanks, quotes, # and \`},
		{"KillWait", "ä", `KillWait: "ä" is not allowed, want 1 to 1000 letters of ASCII without blanks, quotes, # and \`},
	} {
		got := ""
		if err := conf.CheckLine(c.key, c.value); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s=%s: got %q, want %q", c.key, c.value, got, c.want)
		}
	}
	if err := conf.CheckSeries("LicenseParameters", "24.11"); err == nil || err.Error() != "LicenseParameters: Slurm 24.11 has no such line in slurm.conf, want Slurm 26.05" {
		t.Errorf("got %v", err)
	}
}

// What stops or starts jobs, or has resources that an agent does not plan, is not for one.
func TestPassesAgent(t *testing.T) {
	var passing []string
	for _, key := range conf.Keys() {
		if conf.PassesAgent(key) != "" {
			passing = append(passing, key)
		}
	}
	want := "DefCPUPerGPU DefMemPerCPU DefMemPerGPU DefMemPerNode FairShareDampeningFactor LicenseParameters Licenses MCSParameters MCSPlugin " +
		"MaxMemPerCPU MaxMemPerNode PreemptExemptTime PreemptMode PreemptParameters PreemptType SelectTypeParameters TopologyParam"
	if got := strings.Join(passing, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPut(t *testing.T) {
	const file = "ClusterName=x\nJobRequeue=0\nSelectTypeParameters=CR_Core\nDefMemPerCPU=5\nNodeName=n1 Sockets=1\nPartitionName=main\n"
	for _, c := range []struct{ lines, want string }{
		{"", file},
		{"KillWait=60", strings.Replace(file, "NodeName", "KillWait=60\nNodeName", 1)},
		{"JobRequeue=1 KillWait=60", strings.NewReplacer("Requeue=0", "Requeue=1", "NodeName", "KillWait=60\nNodeName").Replace(file)},
		// Slurm would heed one of the two alone.
		{"DefMemPerNode=7", strings.Replace(file, "DefMemPerCPU=5", "DefMemPerNode=7", 1)},
	} {
		if got := conf.PutLines(file, conf.ParseLines(c.lines)); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.lines, got, c.want)
		}
	}
	if got := conf.PutLines("A=1", conf.Lines{"KillWait=1"}); got != "A=1\nKillWait=1" {
		t.Errorf("without nodes: got %q", got)
	}
}

// A slurm.conf has each line once and all of its own other ones, in their order.
func TestPutHasEachLineOnce(t *testing.T) {
	keys := conf.Keys()
	rapid.Check(t, func(t *rapid.T) {
		var lines conf.Lines
		for _, key := range rapid.SliceOfN(rapid.SampledFrom(keys), 1, 6).Draw(t, "keys") {
			lines = lines.With(key, rapid.StringMatching(`[a-z0-9=,_]{1,5}`).Draw(t, "value"))
		}
		old := rapid.SliceOfN(rapid.SampledFrom(keys), 0, 6).Draw(t, "old")
		file := "ClusterName=x\n"
		for _, key := range slices.Compact(slices.Sorted(slices.Values(old))) {
			file += key + "=old\n"
		}
		got := strings.Split(conf.PutLines(file+"NodeName=n1\n", lines), "\n")
		for _, line := range lines {
			key, _, _ := strings.Cut(line, "=")
			count := 0
			for _, one := range got {
				if strings.HasPrefix(one, key+"=") {
					count++
				}
			}
			if count != 1 || !slices.Contains(got, line) {
				t.Fatalf("%s stands %d times in %q", line, count, got)
			}
		}
		if got[0] != "ClusterName=x" || slices.Index(got, "NodeName=n1") != len(got)-2 {
			t.Fatalf("got %q", got)
		}
	})
}

// As Slurm 26.05.5 prints it.
const shown = `Configuration data as of 2026-11-25T13:00:00
AccountingStorageBackupHost = (null)
DefMemPerCPU            = 100
EnforcePartLimits       = ALL
JobDefaults             = DefCPUPerGPU=2,DefMemPerGPU=50
KillWait                = 30 sec
OverTimeLimit           = UNLIMITED
PreemptMode             = GANG,SUSPEND
PriorityFavorSmall      = No
PriorityMaxAge          = 7-00:00:00
PriorityFlags           = MAX_TRES,SMALL_RELATIVE_TO_TIME
PriorityWeightFairShare = 5
SchedulerParameters     = bf_continue,bf_window=5760
SchedulerTimeSlice      = 60 sec
SelectTypeParameters    = CR_CORE_MEMORY
SLURM_CONF              = /etc/slurm/slurm.conf

Cgroup Support Configuration:
KillWait                = 99
PluginDebug = (null)

Slurmctld(primary) at localhost is UP
`

func TestCompare(t *testing.T) {
	values := conf.Shown(shown)
	for _, c := range []struct{ line, want string }{
		{"SchedulerTimeSlice=60", ""},
		{"SchedulerTimeSlice=0x3c", ""},
		{"SchedulerTimeSlice=61", "SchedulerTimeSlice: the setting is 61, and the running Slurm has 60 sec"},
		{"KillWait=30", ""},
		{"OverTimeLimit=INFINITE", ""},
		{"OverTimeLimit=5", "OverTimeLimit: the setting is 5, and the running Slurm has UNLIMITED"},
		{"SelectTypeParameters=CR_Core_Memory", ""},
		{"SelectTypeParameters=CR_Core", "SelectTypeParameters: the setting is CR_Core, and the running Slurm has CR_CORE_MEMORY"},
		{"PreemptMode=SUSPEND,GANG", ""},
		{"PriorityFavorSmall=NO", ""},
		{"PriorityFavorSmall=0", ""},
		{"PriorityFavorSmall=YES", "PriorityFavorSmall: the setting is YES, and the running Slurm has No"},
		{"PriorityMaxAge=10080", ""},
		{"PriorityMaxAge=7-0", ""},
		{"PriorityMaxAge=7", "PriorityMaxAge: the setting is 7, and the running Slurm has 7-00:00:00"},
		{"PriorityFlags=SMALL_RELATIVE_TO_TIME,MAX_TRES", ""},
		{"PriorityWeightFairshare=5", ""},
		{"DefCPUPerGPU=2", ""},
		{"DefMemPerCPU=100", ""},
		{"SchedulerParameters=bf_window=5760,bf_continue", ""},
		{"DefMemPerNode=7", "DefMemPerNode: Slurm did not take DefMemPerNode=7: scontrol show config has no such line"},
		{"AccountingStorageBackupHost=x", "AccountingStorageBackupHost: Slurm did not take AccountingStorageBackupHost=x: scontrol show config has no such line"},
	} {
		got := ""
		effective, differences := conf.CompareLines(conf.Lines{c.line}, values)
		if len(differences) > 0 {
			got = differences[0].String()
		}
		key, _, _ := strings.Cut(c.line, "=")
		if missing := strings.Contains(c.want, "did not take"); got != c.want || (effective[key] == "") != missing {
			t.Errorf("%s: got %q and the effective %q, want %q", c.line, got, effective[key], c.want)
		}
	}
}

func TestChangedLines(t *testing.T) {
	lines := conf.ParseLines("KillWait=60 PriorityWeightTRES=CPU=1,Mem=2")
	changed := lines.With("KillWait", "5").With("OverTimeLimit", "1")
	if got := changed.String(); got != "KillWait=5 PriorityWeightTRES=CPU=1,Mem=2 OverTimeLimit=1" || lines[0] != "KillWait=60" {
		t.Errorf("got %s of %s", got, lines)
	}
	if got := changed.Values(); len(got) != 3 || got["PriorityWeightTRES"] != "CPU=1,Mem=2" {
		t.Errorf("got %v", got)
	}
	if conf.ParseLines("").Values() != nil {
		t.Error("no lines have values")
	}
}

// slurmctld does not start with what select/cons_tres has no resource to consume from (select_p_node_init in
// src/plugins/select/cons_tres/select_cons_tres.c), or two of them (_parse_select_type_param in src/common/read_config.c).
func TestSelectTypeParameters(t *testing.T) {
	for value, problem := range map[string]string{
		"CR_Core_Memory": "", "cr_socket": "", "CR_CPU,CR_LLN": "", "CR_LLN,CR_CORE,CR_PACK_NODES": "",
		"CR_Memory": "is a word of select/linear", "CR_Core,CR_Memory": "is a word of select/linear",
		"CR_LLN": "exactly one of", "CR_Core,CR_CPU": "exactly one of",
	} {
		err := conf.CheckLine("SelectTypeParameters", value)
		if (err == nil) != (problem == "") || err != nil && !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: got %v, want %q", value, err, problem)
		}
	}
}
