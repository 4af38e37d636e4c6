package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/run"
)

// What one run on the largest built-in machine needs. slurmctld and MariaDB take 0.3 GB, each running job's
// slurmstepd about 2 MB of its own, HiGHS up to 1.4 GB on the hardest auctions measured.
const (
	minMemory = 3 << 30
	minDisk   = 3 << 30
)

func doctorCommand(s *State) *cobra.Command {
	var b backendFlags
	var l listing
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that this machine can run slurmlab",
		Long: `Checks Docker, the cluster image, memory, free space, and the containers of
slurmlab. A container that nobody uses any more is a fault: its slurmlab was
killed, or could not remove it. The remedy removes it. So does the next run,
compare or paper, if the run of the container is known on this machine.`,
		Example: "  slurmlab doctor\n  slurmlab doctor --backend frontend",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(l.check(), b.choose(backend.Needs{})); err != nil {
				return usage(err)
			}
			findings := checks(cmd.Context(), s, b)
			if err := l.print(s, findings, func(w io.Writer) error { return writeFindings(w, findings) }); err != nil {
				return err
			}
			bad := 0
			for _, f := range findings {
				if f.outcome() == outcomeFault {
					bad++
				}
			}
			if bad > 0 {
				return fmt.Errorf("%d of %d checks found a fault", bad, len(findings))
			}
			return nil
		},
	}
	l.flag(cmd)
	b.flags(cmd)
	return cmd
}

// finding is the outcome of one check.
type finding struct {
	what  string
	good  string
	fault error
}

// The outcomes of a check.
const (
	outcomeGood       = "ok"
	outcomeFault      = "fault"
	outcomeNotChecked = "not checked"
)

func (f finding) outcome() string {
	switch {
	case f.fault == nil:
		return outcomeGood
	case errors.Is(f.fault, errNotChecked):
		return outcomeNotChecked
	default:
		return outcomeFault
	}
}

// text is what was found, and what to do about it, if that is known.
func (f finding) text() (found, remedy string) {
	if f.fault == nil {
		return f.good, ""
	}
	var env *run.EnvironmentError
	if errors.As(f.fault, &env) {
		return env.Fault, env.Remedy
	}
	return f.fault.Error(), ""
}

// MarshalJSON implements json.Marshaler.
func (f finding) MarshalJSON() ([]byte, error) {
	found, remedy := f.text()
	return json.Marshal(struct {
		Check   string `json:"check"`
		Outcome string `json:"outcome"`
		Found   string `json:"found"`
		Remedy  string `json:"remedy,omitempty"`
	}{f.what, f.outcome(), found, remedy})
}

func writeFindings(w io.Writer, findings []finding) error {
	marks := map[string]string{outcomeGood: "ok   ", outcomeFault: "FAULT", outcomeNotChecked: "-    "}
	for _, f := range findings {
		found, remedy := f.text()
		if remedy != "" {
			found += "\n                remedy: " + remedy
		}
		if _, err := fmt.Fprintf(w, "%s  %-8s %s\n", marks[f.outcome()], f.what, found); err != nil {
			return err
		}
	}
	return nil
}

// errNotChecked stands for the outcome of a check that needs Docker without it.
var errNotChecked = errors.New("not checked: Docker cannot be reached")

func checks(ctx context.Context, s *State, b backendFlags) []finding {
	engine := finding{what: "docker"}
	version, err := run.CheckEngine(ctx)
	engine.good, engine.fault = "Docker Engine "+version+" answers", err

	img := finding{what: "image", fault: errNotChecked}
	clusters, orphans := finding{what: "clusters", fault: errNotChecked}, finding{what: "orphans", fault: errNotChecked}
	if err == nil {
		found, imageErr := b.find(ctx, s, run.Docker{})
		img.fault = imageErr
		img.good = fmt.Sprintf("%s is there: slurmlab %s, Slurm %s, %d MB", b.imageName(), found.Version, found.Slurm, found.Size/1e6)
		for _, p := range found.Sources {
			img.good += "\n                " + p
		}
		clusters, orphans = leftovers(ctx)
	}
	return []finding{engine, img, memory(), disk(), clusters, orphans}
}

func memory() finding {
	f := finding{what: "memory"}
	available, known := run.FreeMemory()
	switch {
	case !known:
		f.fault = errors.New("read memory: the kernel does not say how much is available")
	case available < minMemory:
		f.fault = &run.EnvironmentError{
			Fault:  fmt.Sprintf("%.1f GB available, a large machine needs %.0f GB", gigabytes(available), gigabytes(minMemory)),
			Remedy: "close other programs, or emulate machine S or M",
		}
	}
	f.good = fmt.Sprintf("%.1f GB available", gigabytes(available))
	return f
}

func disk() finding {
	f := finding{what: "disk"}
	free, err := run.FreeSpace(".")
	if err != nil {
		f.fault = err
		return f
	}
	f.good = fmt.Sprintf("%.1f GB free here", gigabytes(free))
	if free < minDisk {
		f.fault = &run.EnvironmentError{
			Fault:  f.good + fmt.Sprintf(", the image and a campaign need %.0f GB", gigabytes(minDisk)),
			Remedy: "free some space",
		}
	}
	return f
}

// leftovers lists the containers of slurmlab that somebody uses, and as a fault those
// that nobody does.
func leftovers(ctx context.Context) (clusters, orphans finding) {
	clusters = finding{what: "clusters", good: "none is running"}
	orphans = finding{what: "orphans", good: "no container without its slurmlab"}
	all, err := run.Containers(ctx, "", "")
	if err != nil {
		clusters.fault, orphans.fault = err, err
		return clusters, orphans
	}
	var used, unused, ids []string
	for _, c := range all {
		text := fmt.Sprintf("%s %s (%s)", c.Role, c.Name, c.State)
		switch c.Bond() {
		case run.BondHeld:
			used = append(used, text)
			continue
		case run.BondKept:
			used = append(used, text+", whose files are fetched by: slurmlab run --resume "+c.Directory())
			continue
		case run.BondOrphan:
			text += ", whose slurmlab was killed"
		case run.BondLeft:
			text += ", which its slurmlab has left"
		case run.BondStray:
			text += ", of whose run nothing is known here"
		}
		unused, ids = append(unused, text), append(ids, fmt.Sprintf("%.12s", c.ID))
	}
	if len(used) > 0 {
		clusters.good = strings.Join(used, ", ") + "; slurmlab down --all removes them"
	}
	if len(unused) > 0 {
		orphans.fault = &run.EnvironmentError{
			Fault:  "nobody uses the container of " + strings.Join(unused, ", "),
			Remedy: "docker rm --force " + strings.Join(ids, " "),
		}
	}
	return clusters, orphans
}

func gigabytes(n uint64) float64 { return float64(n) / 1e9 }
