package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// What one run on the largest built-in machine needs. slurmctld and MariaDB take 0.3 GB, each running job's
// slurmstepd about 2 MB of its own, HiGHS up to 1.4 GB on the hardest auctions measured.
const (
	minMemory = 3 << 30
	minDisk   = 3 << 30
)

// Finding is the outcome of one check.
type Finding struct {
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

// Faulty says that the check found a fault.
func (f Finding) Faulty() bool { return f.outcome() == outcomeFault }

func (f Finding) outcome() string {
	switch {
	case f.fault == nil:
		return outcomeGood
	case errors.Is(f.fault, errNotChecked):
		return outcomeNotChecked
	default:
		return outcomeFault
	}
}

func (f Finding) text() (found, remedy string) {
	if f.fault == nil {
		return f.good, ""
	}
	return FaultText(f.fault)
}

// FaultText is what was found, and what to do about it, if that is known.
func FaultText(err error) (found, remedy string) {
	var env *EnvironmentError
	if errors.As(err, &env) {
		return env.Fault, env.Remedy
	}
	return err.Error(), ""
}

// MarshalJSON implements json.Marshaler.
func (f Finding) MarshalJSON() ([]byte, error) {
	found, remedy := f.text()
	return json.Marshal(struct {
		Check   string `json:"check"`
		Outcome string `json:"outcome"`
		Found   string `json:"found"`
		Remedy  string `json:"remedy,omitempty"`
	}{f.what, f.outcome(), found, remedy})
}

// WriteFindings writes a line for each finding, and its remedy below it.
func WriteFindings(w io.Writer, Findings []Finding) error {
	marks := map[string]string{outcomeGood: "ok   ", outcomeFault: "FAULT", outcomeNotChecked: "-    "}
	for _, f := range Findings {
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

// Checks looks at what a run needs (the engine, the cluster image that image looks at, memory, free space), and at the
// containers of earlier runs.
func Checks(ctx context.Context, image func() (good string, err error)) []Finding {
	engine := Finding{what: "docker"}
	version, err := CheckEngine(ctx)
	engine.good, engine.fault = "Docker Engine "+version+" answers", err

	img := Finding{what: "image", fault: errNotChecked}
	clusters, orphans := Finding{what: "clusters", fault: errNotChecked}, Finding{what: "orphans", fault: errNotChecked}
	if err == nil {
		img.good, img.fault = image()
		clusters, orphans = leftovers(ctx)
	}
	return []Finding{engine, img, memory(), disk(), clusters, orphans}
}

func memory() Finding {
	f := Finding{what: "memory"}
	available, known := FreeMemory()
	switch {
	case !known:
		f.fault = errors.New("read memory: the kernel does not say how much is available")
	case available < minMemory:
		f.fault = &EnvironmentError{
			Fault:  fmt.Sprintf("%.1f GB available, a large machine needs %.0f GB", gigabytes(available), gigabytes(minMemory)),
			Remedy: "close other programs, or emulate machine S or M",
		}
	}
	f.good = fmt.Sprintf("%.1f GB available", gigabytes(available))
	return f
}

func disk() Finding {
	f := Finding{what: "disk"}
	free, err := FreeSpace(".")
	if err != nil {
		f.fault = err
		return f
	}
	f.good = fmt.Sprintf("%.1f GB free here", gigabytes(free))
	if free < minDisk {
		f.fault = &EnvironmentError{
			Fault:  f.good + fmt.Sprintf(", the image and a campaign need %.0f GB", gigabytes(minDisk)),
			Remedy: "free some space",
		}
	}
	return f
}

// leftovers lists the containers of slurmlab that somebody uses, and as a fault those
// that nobody does.
func leftovers(ctx context.Context) (clusters, orphans Finding) {
	clusters = Finding{what: "clusters", good: "none is running"}
	orphans = Finding{what: "orphans", good: "no container without its slurmlab"}
	all, err := Containers(ctx, "", "")
	if err != nil {
		clusters.fault, orphans.fault = err, err
		return clusters, orphans
	}
	var used, unused, ids []string
	for _, c := range all {
		text := fmt.Sprintf("%s %s (%s)", c.Role, c.Name, c.State)
		switch c.Bond() {
		case BondHeld:
			used = append(used, text)
			continue
		case BondKept:
			used = append(used, text+", whose files are fetched by: slurmlab run --resume "+c.Directory())
			continue
		case BondOrphan:
			text += ", whose slurmlab was killed"
		case BondLeft:
			text += ", which its slurmlab has left"
		case BondStray:
			text += ", of whose run nothing is known here"
		}
		unused, ids = append(unused, text), append(ids, fmt.Sprintf("%.12s", c.ID))
	}
	if len(used) > 0 {
		clusters.good = strings.Join(used, ", ") + "; slurmlab down --all removes them"
	}
	if len(unused) > 0 {
		orphans.fault = &EnvironmentError{
			Fault:  "nobody uses the container of " + strings.Join(unused, ", "),
			Remedy: "docker rm --force " + strings.Join(ids, " "),
		}
	}
	return clusters, orphans
}

func gigabytes(n uint64) float64 { return float64(n) / 1e9 }
