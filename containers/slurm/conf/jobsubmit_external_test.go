package conf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	interpreter "github.com/yuin/gopher-lua"

	"github.com/slurmlab/slurmlab/containers/slurm/jobs"
)

const timed = "#!/bin/bash\n# slurmlab seconds=600\nsleep 600\n"

// external is the script of a cluster of external nodes that keeps scripts in dir.
func external(t *testing.T, hold bool, dir string) string {
	t.Helper()
	script := strings.Replace(jobSubmit(submitOptions{Hold: hold, External: true}, fourNodes()), `"`+ScriptDir+`"`, `"`+dir+`"`, 1)
	if !strings.Contains(script, dir) {
		t.Fatal("the script does not name its directory")
	}
	return script
}

// submitTo calls slurm_job_submit of a script.
func submitTo(t *testing.T, script string, asked desc) (accepted bool, after map[string]string, told string) {
	t.Helper()
	p := loadScript(t, script)
	code, after, told := p.call("slurm_job_submit", submission(asked), p.state.NewTable(), interpreter.LNumber(0))
	return code == 0, after, told
}

// Slurm takes an external job only without a script (_validate_job_desc in src/slurmctld/job_mgr.c). So the script is
// kept elsewhere and found again by the admin comment, beside the request of a held job.
func TestJobsBecomeExternal(t *testing.T) {
	for hold, before := range map[bool]string{false: "slurmlab script=", true: "slurmlab tasks=2 nodes=0 tasks_per_node=0 script="} {
		dir := t.TempDir()
		asked := desc{"num_tasks": 2, "min_cpus": 2, "script": timed, "bitflags": 0x2}
		accepted, after, told := submitTo(t, external(t, hold, dir), asked)
		name, found := strings.CutPrefix(after["admin_comment"], before)
		if !accepted || !found || after["script"] != "" || after["bitflags"] != "16777218" {
			t.Fatalf("hold %v: accepted %v, told %q, %v", hold, accepted, told, after)
		}
		if kept, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(kept) != timed {
			t.Errorf("hold %v: kept %q, %v", hold, kept, err)
		}
		// A script that is loaded again, as after a restart of slurmctld, overwrites none.
		if _, again, _ := submitTo(t, external(t, hold, dir), asked); again["admin_comment"] == after["admin_comment"] {
			t.Errorf("hold %v: two jobs have %s", hold, after["admin_comment"])
		}
	}
}

func TestWhatExternalNodesCannotRunIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		asked desc
		told  string
	}{
		"srun":            {desc{}, "srun and salloc need nodes with a slurmd"},
		"array":           {desc{"script": timed, "array_inx": "1-3"}, "job arrays need nodes with a slurmd"},
		"part of several": {desc{"script": timed, "het_job_offset": 0}, "heterogeneous jobs need nodes with a slurmd"},
		"requeue":         {desc{"script": timed, "requeue": 1}, "--requeue needs nodes with a slurmd"},
		"container":       {desc{"script": timed, "container": "/bundle"}, "--container needs nodes with a slurmd"},
		"nowhere to keep": {desc{"script": timed}, "its script cannot be kept"},
	} {
		dir := t.TempDir()
		if name == "nowhere to keep" {
			dir = filepath.Join(dir, "missing")
		}
		accepted, _, told := submitTo(t, external(t, false, dir), c.asked)
		if accepted || !strings.Contains(told, c.told) {
			t.Errorf("%s: accepted %v, told %q, want %q", name, accepted, told, c.told)
		}
		if !strings.Contains(told, "cannot be kept") && !strings.Contains(told, "--backend frontend or slurmd") {
			t.Errorf("%s: told %q, want it to name the backend that has it", name, told)
		}
	}
}

// A user who writes the line of a script's time wrongly hears of it from sbatch: the runner would read it when the job starts.
func TestTimeOfAScript(t *testing.T) {
	for line, want := range map[string]string{
		"seconds=600": "", "seconds=1:150,2:75": "", "seconds=5 end=out_of_memory": "",
		"seconds=5m":            `seconds: got "5m", allowed whole seconds such as 600`,
		"seconds=1:60,x":        `seconds: got "x", allowed whole seconds such as 600`,
		"end=failed":            `the line "# slurmlab end=failed" has no time`,
		"seconds=5 end=oom":     `got " end=oom" behind the seconds, allowed end=failed`,
		"seconds=5 end=failed ": `got " end=failed " behind the seconds, allowed end=failed`,
	} {
		accepted, _, told := submitTo(t, external(t, false, t.TempDir()), desc{"script": "#!/bin/sh\n# slurmlab " + line + "\nsleep 5\n"})
		if accepted != (want == "") || !strings.Contains(told, want) {
			t.Errorf("%s: accepted %v, told %q, want %q", line, accepted, told, want)
		}
		// package jobs reads what is accepted, and nothing else.
		if _, err := jobs.Parse("#!/bin/sh\n# slurmlab " + line + "\n"); (err == nil) != accepted {
			t.Errorf("%s: package jobs says %v", line, err)
		}
	}
}

// What sbatch sent and Slurm would lose of an external job is kept beside its script. No
// text of a user's makes an entry of its own, and nobody sees what job_submit/names added.
func TestSubmissionIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		asked  desc
		want   string
	}{
		"arguments and variables": {"#!/bin/sh\nmake\n", desc{
			"argc": 3, "argv": []string{"job.sh", "a b", "variable=X=1"},
			"environment": desc{
				"PATH": "/bin", "X": "1\nvariable=Y=2", "EMPTY": "",
				"SLURMLAB_NAMES": "PATH\nX\nEMPTY\nGONE\nSLURMLAB_NAMES\n", "SLURMLAB_OPEN_MODE": "a", "SLURMLAB_SIGNAL": "10 60 1",
			},
		}, "open_mode=a\x00signal=10 60 1\x00argument=a b\x00argument=variable=X=1\x00variable=PATH=/bin\x00variable=X=1\nvariable=Y=2\x00variable=EMPTY=\x00"},
		"nothing":               {"#!/bin/sh\nmake\n", desc{"argc": 1, "argv": []string{"job.sh"}, "environment": desc{}}, "open_mode=\x00signal=\x00"},
		"a time in other words": {"#!/bin/bash\n#  slurmlab seconds=3\n", desc{"environment": desc{}}, "open_mode=\x00signal=\x00"},
	} {
		dir := t.TempDir()
		c.asked["script"] = c.script
		accepted, after, told := submitTo(t, external(t, false, dir), c.asked)
		if !accepted {
			t.Errorf("%s: told %q", name, told)
			continue
		}
		kept := filepath.Join(dir, strings.TrimPrefix(after["admin_comment"], "slurmlab script="))
		if script, err := os.ReadFile(kept); err != nil || string(script) != c.script {
			t.Errorf("%s: kept %q, %v", name, script, err)
		}
		if got, err := os.ReadFile(kept + ".submission"); err != nil || string(got) != c.want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, c.want)
		}
	}
	dir := t.TempDir()
	if accepted, _, told := submitTo(t, external(t, false, dir), desc{"script": timed}); !accepted {
		t.Error(told)
	}
	if all, err := filepath.Glob(filepath.Join(dir, "*.submission")); len(all) > 0 || err != nil {
		t.Errorf("a script with a time has %v, %v", all, err)
	}
}
