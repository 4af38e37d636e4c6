package drive_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// limiting notes the commands that impose limits, with their times. The cluster in memory knows no limits, so that sacctmgr and
// the updates of partitions do nothing there.
type limiting struct {
	slow
	mu      sync.Mutex
	imposed []imposedAt
	// refused is a command that gets no answer once.
	refused string
}

type imposedAt struct {
	after   time.Duration
	command string
}

func (l *limiting) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	command := strings.Join(argv, " ")
	partition, modify := strings.HasPrefix(command, "scontrol update PartitionName="), strings.HasPrefix(command, "sacctmgr -i modify")
	if partition || modify || strings.HasPrefix(command, "scontrol update NodeName=") {
		l.mu.Lock()
		again := l.refused != "" && strings.Contains(command, l.refused)
		if again {
			l.refused = ""
		} else {
			l.slow.mu.Lock()
			l.imposed = append(l.imposed, imposedAt{time.Since(l.first), command})
			l.slow.mu.Unlock()
		}
		l.mu.Unlock()
		if again {
			return nil, &slurmctl.CommandError{Argv: argv, ExitCode: 1, Stderr: argv[0] + ": error: Zero Bytes were transmitted or received"}
		}
		if partition || modify {
			return nil, nil
		}
	}
	return l.slow.Run(ctx, stdin, argv...)
}

// limited is a machine of two partitions with a limit of each kind and a drained node.
func limited(t *testing.T) workloads.Machine {
	t.Helper()
	m, err := workloads.MachineOf("mini", layout.Layout{
		Groups:     []layout.Group{{Name: "cn", Count: 4, Sockets: 1, Cores: 8, Threads: 1, GPUs: []layout.GPU{{Type: "a100", Count: 2}}}},
		Partitions: []layout.Partition{{Name: "main", Groups: []string{"cn"}, Default: true, MaxTime: 240, PriorityTier: 1, PriorityJobFactor: 1}},
		QOS:        []layout.QOS{{Name: "low", Limits: layout.Limits{GrpTRES: layout.TRES{"gres/gpu": 2}}}},
		Down:       []layout.Down{{Nodes: "n1", State: layout.StateDrain, Reason: "what if"}},
	}, workloads.Tree{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A cluster whose jobs ran before begins without limits and drained nodes. It gets them once these jobs have started and before
// the others arrive, all of them and also if a command gets no answer at first. The job on the drained node runs on. A
// cluster of which no job ran before begins with them.
func TestLimitsAreImposed(t *testing.T) {
	before := workloads.Job{ID: 1, Runtime: 600, Limit: 1200, Nodes: 1, Cores: 8, CoresPerNode: 8, Class: "a", Past: workloads.Past{Ran: 300}}
	later := workloads.Job{ID: 2, Arrival: workloads.HeadStart, Runtime: 60, Limit: 600, Cores: 8, Class: "a"}
	for name, c := range map[string]struct {
		jobs    []workloads.Job
		refused string
		want    []string
	}{
		"state":       {[]workloads.Job{before, later}, "", []string{"scontrol update PartitionName=main MaxTime=240", "scontrol update NodeName=n1 State=DRAIN Reason=what if", "sacctmgr -i modify qos where name=low set GrpTRES=gres/gpu=2"}},
		"no answer":   {[]workloads.Job{before, later}, "sacctmgr", []string{"scontrol update PartitionName=main MaxTime=240", "scontrol update NodeName=n1 State=DRAIN Reason=what if", "sacctmgr -i modify qos where name=low set GrpTRES=gres/gpu=2"}},
		"none before": {[]workloads.Job{later}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, false, 0, c.jobs...)
				runner := &limiting{slow: slow{b, false}, refused: c.refused}
				client := &slurmctl.Client{Runner: runner}
				b.driver.Client, b.driver.Slurm, b.driver.Request.Machine = client, client, limited(t)
				if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
					t.Fatalf("end %+v", end)
				}
				var got []string
				for _, i := range runner.imposed {
					got = append(got, i.command)
					if i.after < 30*time.Second || i.after >= workloads.HeadStart*time.Second {
						t.Errorf("%s came %v after the first job, want it after the start of the jobs that ran before and before the others arrive", i.command, i.after)
					}
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("got %q, want %q", got, c.want)
				}
				for _, row := range b.rows(t) {
					if row.State != "COMPLETED" {
						t.Errorf("job %s ended as %s", row.JobName, row.State)
					}
				}
			})
		})
	}
}
