//go:build integration

package channel_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/channel"
)

// changer is a way to change jobs.
type changer interface {
	submitter
	Cancel(ctx context.Context, ids ...int) error
	Annotate(ctx context.Context, id int, text string) error
	Known(ctx context.Context) (map[string]int, error)
}

// What the channel changes, slurmctld and accounting tell as if the commands had: a job that waits or runs is cancelled in
// the same states and by its owner, one that has ended or is none is no fault, a text is kept as it is, and one that
// lacks memory ends as if slurmstepd had told of it. It runs where a cluster is; TestSameAsCommandsInContainers carries it
// there.
func TestChangesAsCommands(t *testing.T) {
	if os.Getenv(inCluster) == "" {
		t.Skip("no Slurm here; TestSameAsCommandsInContainers runs this test where there is one")
	}
	shell := &slurmctl.Exec{Env: append(os.Environ(), "TZ=UTC")}
	reader := channel.NewReader(shell, time.Minute)
	defer func() { _ = reader.Close() }()
	all, _ := requests(false)
	base, user := all[0], "0"
	owner := strings.TrimSpace(run(t, "id -u carol 2>/dev/null || { useradd carol && id -u carol; }"))
	var shown, states [2]string
	for way, change := range []changer{reader.Client, reader} {
		var ids []int
		for _, name := range []string{"", "carol", "", "carol", ""} {
			r := base
			r.User = name
			id, err := change.Submit(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		// The first two wait, the others run.
		run(t, fmt.Sprintf(`for id in %d %d %d; do scontrol update JobId=$id ResetAccrueTime; scontrol release $id; done
until [ "$(squeue -h -t R -j %d,%d,%d -o %%i | wc -l)" = 3 ]; do sleep 0.1; done`, ids[2], ids[3], ids[4], ids[2], ids[3], ids[4]))
		if err := change.Annotate(t.Context(), ids[4], "two words\tand a \"quote\" \\"); err != nil {
			t.Error(err)
		}
		_, text, _ := strings.Cut(run(t, fmt.Sprintf("scontrol show job %d", ids[4])), "Extra=")
		shown[way], _, _ = strings.Cut(text, "\n")
		for range 2 {
			// The second time they have ended.
			if err := change.Cancel(t.Context(), append(ids[:4:4], 999_999)...); err != nil {
				t.Errorf("way %d: %v", way, err)
			}
		}
		if ended, err := reader.End(t.Context(), ids[4], 253); err != nil || !ended {
			t.Errorf("ended %t, %v", ended, err)
		}
		states[way] = run(t, fmt.Sprintf(`until [ -z "$(squeue -h -j %[1]d,%[2]d,%[3]d 2>/dev/null)" ]; do sleep 0.1; done
until [ "$(sacct -n -X -P -j %[1]d,%[2]d,%[3]d -o end | grep -c T)" = 3 ]; do sleep 0.1; done
sacct -n -X -P -j %[1]d,%[2]d,%[3]d -o uid,state,exitcode`, ids[2], ids[3], ids[4]))
	}
	if shown[0] != shown[1] || shown[0] == "" {
		t.Errorf("Extra %q, by the channel %q", shown[0], shown[1])
	}
	if want := fmt.Sprintf("%[1]s|CANCELLED by %[1]s|0:0\n%[2]s|CANCELLED by %[2]s|0:0\n%[1]s|OUT_OF_MEMORY|0:125\n", user, owner); states[1] != want {
		t.Errorf("sacct tells\n%s, want\n%s", states[1], want)
	}
	// scancel of root is one by root.
	if want := strings.ReplaceAll(states[1], "CANCELLED by "+owner, "CANCELLED by "+user); states[0] != want {
		t.Errorf("sacct tells of scancel\n%s, want\n%s", states[0], want)
	}
	before, err := reader.Client.Known(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if known, err := reader.Known(t.Context()); err != nil || !maps.Equal(known, before) || known["same"] == 0 {
		t.Errorf("known are %v, %v, want %v", known, err, before)
	}
}
