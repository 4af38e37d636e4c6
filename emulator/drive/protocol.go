package drive

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Request asks for one run. Slurmlabd reads it as one line of JSON on its
// standard input; when that input ends, the run stops. The lines after it are replies of a
// program on the user's machine.
type Request struct {
	Spec
	// From is where the run before stopped that this one continues, nil for a whole run. The
	// cluster was booted from that checkpoint.
	From *Position `json:"from,omitempty"`
}

// Event is one line of slurmlabd's output; exactly one field is set.
type Event struct {
	Progress *Progress    `json:"progress,omitempty"`
	Cycle    *trace.Cycle `json:"cycle,omitempty"`
	End      *End         `json:"end,omitempty"`
	// Heard is what has become known of starts and ends of jobs.
	Heard *trace.Progress `json:"heard,omitempty"`
	// Restart is a daemon that died and serves again.
	Restart *trace.Restart `json:"restart,omitempty"`
	// Happened is an event that was carried out, or that Slurm refused.
	Happened *trace.Happened `json:"happened,omitempty"`
	// Warning is what people should know while the run goes on.
	Warning string `json:"warning,omitempty"`
	// Alive is a sign of life, see StayAlive.
	Alive bool `json:"alive,omitempty"`
	// Call is for the program of a policy "host:FILE". Its plugin.Reply is a line of
	// slurmlabd's input.
	Call *plugin.Call `json:"call,omitempty"`
}

// AliveInterval is the real time between two signs of life.
const AliveInterval = time.Second

// StayAlive gives a sign of life at every AliveInterval until ctx ends. Whatever else
// the run does, slurmlab can tell a cluster that works from one that is paused.
func StayAlive(ctx context.Context, sign func() error) error {
	for {
		if err := sign(); err != nil {
			return err
		}
		if err := sleep(ctx, AliveInterval); err != nil {
			return err
		}
	}
}

// Progress counts jobs at virtual time Time since the start of the run.
type Progress struct {
	Time float64 `json:"time_s"`
	// Began is that start.
	Began     time.Time `json:"began"`
	Submitted int       `json:"submitted"`
	Running   int       `json:"running"`
	Done      int       `json:"done"`
}

// End says how the run ended.
type End struct {
	Status       trace.Status `json:"status"`
	Reason       string       `json:"reason,omitempty"`
	SlurmVersion string       `json:"slurm_version"`
	// EffectiveSettings is that of trace.Run.
	EffectiveSettings map[string]string `json:"effective_settings,omitempty"`
	HiGHSVersion      string            `json:"highs_version"`
	MariaDBVersion    string            `json:"mariadb_version,omitempty"`
	Submitted         int               `json:"submitted"`
	// Cycles is the number of events with a Cycle before this one: a reader who got
	// fewer has lost some.
	Cycles        int     `json:"cycles"`
	ArrivalLagMax float64 `json:"arrival_lag_max_s"`
	// Lateness has the actions of the run.
	Lateness    *trace.Lateness `json:"lateness,omitempty"`
	RealSeconds float64         `json:"real_s"`
	// MemoryBytes is that of trace.Run.
	MemoryBytes int64 `json:"memory_bytes,omitempty"`
	// Fidelity is nil when it could not be measured.
	Fidelity *trace.Fidelity `json:"fidelity,omitempty"`
	// Position is where the run stopped at Request.StopAt, nil where it did not. The cluster
	// has left its state in boot.CheckpointDir then.
	Position *Position `json:"position,omitempty"`
}

// OutDir is where a run leaves sacct.txt, sdiag.txt and, if it has an agent,
// SnapshotsName in the container.
const (
	OutDir        = "/var/lib/slurmlab/out"
	SnapshotsName = "snapshots.jsonl.gz"
)

// ModelsDir is where a run leaves its integer programs in the container.
const ModelsDir = "/var/lib/slurmlab/models"

// Serialise makes an emitter of events from an encoder that is not safe for
// concurrent use.
func Serialise[E any](encode func(any) error) func(E) error {
	var mu sync.Mutex
	return func(e E) error {
		mu.Lock()
		defer mu.Unlock()
		if err := encode(e); err != nil {
			return fmt.Errorf("emit event: %w", err)
		}
		return nil
	}
}
