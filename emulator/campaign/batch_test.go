package campaign_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/emulator/campaign"
)

func runs(takes ...time.Duration) []campaign.TaskRun {
	var all []campaign.TaskRun
	for i, d := range takes {
		all = append(all, campaign.TaskRun{Dir: fmt.Sprint("r", i), Takes: d})
	}
	return all
}

func text(t *testing.T, tasks []campaign.Task) string {
	t.Helper()
	lines, err := campaign.TaskLines(tasks)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(strings.ReplaceAll(lines, `"`, ""), "\n", " ")
}

// A task is full after ten minutes of each of its cores, or with the number of runs that was asked for.
func TestTasks(t *testing.T) {
	const m = time.Minute
	all := runs(4*m, 6*m, m, 12*m, 3*m)
	for _, c := range []struct {
		cores, perTask int
		want           string
		takes          time.Duration
	}{
		{1, 0, "[r0,r1] [r2,r3] [r4] ", 13 * m},
		{2, 0, "[r0,r1,r2,r3] [r4] ", 17 * m},
		{1, 2, "[r0,r1] [r2,r3] [r4] ", 13 * m},
		{1, 1, "[r0] [r1] [r2] [r3] [r4] ", 12 * m},
		{3, 9, "[r0,r1,r2,r3,r4] ", 13 * m},
	} {
		tasks := campaign.Tasks(all, c.cores, c.perTask)
		if got := text(t, tasks); got != c.want {
			t.Errorf("%d cores, %d runs a task: %s, want %s", c.cores, c.perTask, got, c.want)
		}
		if got := campaign.TasksTake(tasks, c.cores); got != c.takes {
			t.Errorf("%d cores, %d runs a task: %s, want %s", c.cores, c.perTask, got, c.takes)
		}
	}
	if got := campaign.Tasks(nil, 1, 0); got != nil {
		t.Errorf("without runs: %v", got)
	}
}

func TestArrays(t *testing.T) {
	tasks := campaign.Tasks(runs(1, 1, 1, 1, 1), 1, 1)
	var got []string
	for _, a := range campaign.Arrays(tasks, 2) {
		got = append(got, text(t, a))
	}
	if want := []string{"[r0] [r1] ", "[r2] [r3] ", "[r4] "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Any name of a directory comes back from the file of an array.
func TestLine(t *testing.T) {
	task := campaign.Task{{Dir: "S-V.1 \"a\"\n\t-seed1"}, {Dir: "é"}}
	lines, err := campaign.TaskLines([]campaign.Task{runs(1), task})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := campaign.TaskLine(lines, 1); err != nil || !slices.Equal(got, []string{task[0].Dir, "é"}) {
		t.Errorf("%q, %v", got, err)
	}
	for _, c := range []struct {
		text string
		task int
		want string
	}{
		{lines, 2, "task: got 2, want 0 to 1"},
		{lines, -1, "task: got -1, want 0 to 1"},
		{"[]\n", 0, `line 1: got "[]", want a list of the names of run directories`},
		{"[\"a\"]\nx\n", 1, `line 2: got "x", want a list of the names of run directories`},
	} {
		if _, err := campaign.TaskLine(c.text, c.task); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestArray(t *testing.T) {
	a := campaign.Array{
		Site: campaign.Site{Account: "astro", Partition: "long", Cores: 4}, Name: campaign.ArrayName("my study,2"), Tasks: 12,
		Limit: 90 * time.Minute, Memory: 3<<30 + 1, Output: "/shared/50%/on", Command: []string{"/shared/slurmlab", "campaign", "work", "/shared/ada's study"},
	}
	want := "sbatch --parsable --job-name=slurmlab-my_study_2 --array=0-11 --nodes=1 --ntasks=1 --cpus-per-task=4 --hint=nomultithread " +
		"--mem=3073M --time=90 --requeue --open-mode=append --signal=B:TERM@60 --output=/shared/50%%/on/%A_%a.out --account=astro --partition=long"
	if got := strings.Join(a.Argv(), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want = "#!/bin/sh\nexec '/shared/slurmlab' 'campaign' 'work' '/shared/ada'\\''s study' --task \"$SLURM_ARRAY_TASK_ID\"\n"
	if got := a.Script(); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestLimit(t *testing.T) {
	for _, c := range []struct {
		takes time.Duration
		lost  int
		want  time.Duration
	}{
		{time.Second, 0, 10 * time.Minute},
		{time.Second, 2, 40 * time.Minute},
		{10*time.Minute + time.Second, 0, 31 * time.Minute},
		{20 * time.Minute, 1, 2 * time.Hour},
	} {
		if got := campaign.TaskLimit(c.takes, c.lost); got != c.want {
			t.Errorf("%s, lost %d times: %s, want %s", c.takes, c.lost, got, c.want)
		}
	}
}

func TestAnswers(t *testing.T) {
	for out, want := range map[string]string{"17\n": "17", "17;west\n": "17", "": "", "sbatch: error\n": "", "0\n": "", "-3\n": ""} {
		if got, err := campaign.JobID(out); got != want || (err == nil) != (want != "") {
			t.Errorf("sbatch's %q: %q, %v, want %q", out, got, err, want)
		}
	}
	const config = "MaxArraySize2 = 7\nMaxArraySize            = 1001\nMaxJobCount = 10000\n"
	if got, err := campaign.MaxArraySize(config); got != 1001 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	for _, bad := range []string{"", "MaxArraySize = 0\n", "MaxArraySize = 99999999999999999999\n"} {
		if got, err := campaign.MaxArraySize(bad); err == nil {
			t.Errorf("%q is read as %d", bad, got)
		}
	}
}

func TestLive(t *testing.T) {
	live, err := campaign.LiveTasks("17_0 RUNNING\n17_1 COMPLETING\n17_10 PENDING\n\n18 RUNNING\n")
	want := map[campaign.TaskID]bool{{Job: "17", Task: 0}: true, {Job: "17", Task: 1}: true, {Job: "17", Task: 10}: false}
	if err != nil || fmt.Sprint(live) != fmt.Sprint(want) {
		t.Errorf("%v, %v, want %v", live, err, want)
	}
	for _, bad := range []string{"17_0\n", "17_x RUNNING\n", "17_[0-3] PENDING\n", "x_1 PENDING\n", "slurm_load_jobs error: Unable to contact\n"} {
		if live, err := campaign.LiveTasks("17_0 RUNNING\n" + bad); err == nil || !strings.HasPrefix(err.Error(), "squeue line 2: ") {
			t.Errorf("%q is read as %v, %v", bad, live, err)
		}
	}
}

// Whatever squeue prints is read or refused; each task that is read stands there with its number.
func FuzzLive(f *testing.F) {
	f.Add("17_0 RUNNING\n17_10 PENDING\n18 RUNNING\n")
	f.Add("17_[0-3%2] PENDING\n")
	f.Fuzz(func(t *testing.T, out string) {
		live, err := campaign.LiveTasks(out)
		if err != nil && live != nil {
			t.Errorf("%q has tasks %v and an error", out, live)
		}
		for id := range live {
			if !strings.Contains(out, id.Job+"_") || id.Task < 0 {
				t.Errorf("%q has no task %v", out, id)
			}
		}
	})
}
