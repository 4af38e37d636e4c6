package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
)

// kind is what a user does while a process is killed.
type kind string

// The kinds.
const (
	aRun        kind = "run"
	aCheckpoint kind = "checkpoint"
	aCampaign   kind = "campaign"
	anArchive   kind = "campaign --archive"
	anUp        kind = "up"
)

// kinds lists the kinds, a run twice: most of what people do is one.
func kinds() []kind { return []kind{aRun, aRun, aCheckpoint, aCampaign, anArchive, anUp} }

// kill is a SIGKILL at a random instant: everything about it that a seed decides.
type kill struct {
	seed, number uint64
	kind         kind
	// slurm is the word of the backend, as a cell has it.
	slurm, policy string
	// share is the instant, as a share of the time that the same commands take without a kill.
	share float64
	// victim and process choose among the names of the processes that live at the instant, and among the processes of that name.
	victim, process uint64
}

// draw is the kill of a number.
func draw(seed, number uint64) kill {
	source := rand.New(rand.NewPCG(seed, number))
	k := kill{seed: seed, number: number}
	k.kind = kinds()[source.IntN(len(kinds()))]
	backends, policies := check.Backends(), []string{policy.Backfill, policy.Auction, check.Program}
	k.slurm, k.policy = backends[source.IntN(len(backends))], policies[source.IntN(len(policies))]
	k.share, k.victim, k.process = source.Float64(), source.Uint64(), source.Uint64()
	if k.kind == aCheckpoint {
		// No other backend and no program has checkpoints.
		k.slurm = check.Of(backend.External)
		if k.policy == check.Program {
			k.policy = policy.Auction
		}
	}
	return k
}

// name is the name of the directory of a kill.
func (k kill) name() string { return fmt.Sprintf("%d-%d", k.seed, k.number) }

// step is a command of slurmlab.
type step struct {
	name string
	args []string
	// run is the directory of the run that the command makes, if it makes one. stops says that the run stops for a
	// checkpoint.
	run   string
	stops bool
}

// Names of steps.
const (
	stepStudy  = "study"
	stepJobs   = "jobs"
	stepStatus = "status"
	stepDown   = "down"
)

// jobsOfUp are the names of the jobs that are submitted to a cluster of "up".
func jobsOfUp() []string { return []string{"a", "b", "c", "d", "e", "f"} }

// scriptOfUp submits the jobs, waits for their end, and prints them from the accounting once that has their ends. A
// slurmctld that was killed does not answer for a while. The accounting may come some seconds after the ends; a slurmdbd
// that does not answer must not hold the script forever. A job whose slurmstepd was killed ends at its limit: slurmctld
// may not learn of it before.
func scriptOfUp() string {
	return fmt.Sprintf(`set -e
for name in %s; do sbatch --quiet --job-name $name --nodes 2 --ntasks 8 --time 2 --wrap "sleep 20"; done
until queue=$(squeue --noheader) && test -z "$queue"; do sleep 5; done
for try in $(seq 100); do
	rows=$(sacct --allocations --parsable2 --noheader --format %s)
	case $rows in *Unknown*) sleep 1 ;; *) break ;; esac
done
echo "$rows"`, strings.Join(jobsOfUp(), " "), check.ColumnsUp)
}

// ofCluster are the flags of a cluster.
func (s stage) ofCluster(k kill) []string {
	b := check.BackendOf(k.slurm)
	return []string{
		"--backend", string(b.Form), "--slurm", b.Series, "--image", s.Image(k.slurm), "--machine", s.Machine,
		"--policy", s.scheduler(k.policy), "--core", s.Core,
	}
}

// steps are the commands of a kill, whose files are in a directory. Again names them for a user who begins once more.
func (s stage) steps(k kill, dir string, again bool) []step {
	named := func(name string) string {
		if again {
			name += "-again"
		}
		return name
	}
	run := func(name string, flags ...string) step {
		out := filepath.Join(dir, named(name))
		return step{name: named(name), run: out, args: append([]string{"run", "--quiet", "--out", out}, flags...)}
	}
	switch k.kind {
	case aRun:
		return []step{run("run", append(s.ofCluster(k), "--workload", s.Workload)...)}
	case aCheckpoint:
		past := run("past", append(s.ofCluster(k), "--workload", s.Workload, "--stop-at", "40s")...)
		past.stops = true
		return []step{past, run("run", "--checkpoint", past.run, "--image", s.Image(k.slurm), "--core", s.Core)}
	case aCampaign, anArchive:
		args := []string{
			"campaign", "run", s.study(k), "--quiet", "--out", filepath.Join(dir, stepStudy), "--image", s.Image(k.slurm), "--core", s.Core,
			"--repeats", "0", "--parallel", "1",
		}
		if k.kind == anArchive {
			args = append(args, "--archive", "whole")
		}
		return []step{{name: named(stepStudy), args: args}}
	default:
		name := []string{"--name", "kills-" + k.name()}
		return []step{
			{name: named(string(anUp)), args: append(append([]string{"up"}, name...), s.ofCluster(k)...)},
			{name: named(stepJobs), args: append(append([]string{"shell"}, name...), "--", "bash", "-c", scriptOfUp())},
			{name: named(stepStatus), args: append([]string{"status"}, name...)},
			{name: named(stepDown), args: append([]string{"down"}, name...)},
		}
	}
}

// study is the campaign file of a kill, beside the files that it names.
func (s stage) study(k kill) string {
	return filepath.Join(filepath.Dir(s.Machine), fmt.Sprintf("study-%s-%s.yaml", k.slurm, k.policy))
}

// writeStudy writes the campaign file of a kill: two runs.
func (s stage) writeStudy(k kill) error {
	b, other := check.BackendOf(k.slurm), policy.Backfill
	if k.policy == other {
		other = policy.Auction
	}
	own := k.policy
	if own == check.Program {
		own = policy.ExecPrefix + filepath.Base(s.Program)
	}
	text := fmt.Sprintf("machines: %s\nworkloads: %s\nbackend: %s\nslurm: %s\npolicies: [%s, %s]\n",
		filepath.Base(s.Machine), filepath.Base(s.Workload), b.Form, b.Series, own, other)
	return os.WriteFile(s.study(k), []byte(text), 0o644)
}

// runsOfStudy is the number of runs of a campaign.
const runsOfStudy = 2
