package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Free says in which settings two runs may differ and still stand side by side,
// as replicas may differ in the seed. The zero value lets them differ in nothing.
type Free struct {
	// Tool frees the version of slurmlab and its image, but not the version of Slurm. A run of an old slurmlab that
	// did not record Slurm's scheduler is then taken to have had the other run's.
	Tool bool
	// Workload frees the workload and the jobs that it makes. Jobs frees only the
	// jobs in workload.csv, which another seed or window changes; Seed and Window free
	// the seed and the window themselves, but not the number of windows.
	Workload, Jobs, Seed, Window bool
	// Policy frees the policy with its parameters, Slurm's scheduler and
	// priorities.
	Policy bool
	// Backend frees the backend with its image and version of Slurm.
	Backend bool
	// Clock frees the clock with its scales.
	Clock bool
	// Machine frees the machine, and the numbers that nodes of the same list of events have there.
	Machine bool
	// Events frees what happens to the cluster.
	Events bool
}

// Difference is a setting in which two runs differ.
type Difference struct {
	// Name is the field of run.json, with the path to the inner one that differs:
	// "machine.nodes". Jobs that differ are "workload.csv".
	Name string
	// A and B are the values in JSON, cut where they are long; "absent" for none.
	A, B string
}

// Differences are all settings in which two runs differ.
type Differences []Difference

// String lists the differences: "machine.nodes (128 and 256), seed (1 and 2)".
func (d Differences) String() string {
	parts := make([]string, len(d))
	for i, difference := range d {
		parts[i] = fmt.Sprintf("%s (%s and %s)", difference.Name, difference.A, difference.B)
	}
	return strings.Join(parts, ", ")
}

// Names are the fields of run.json that differ, each once and without the path
// into it: "machine", "seed". The work comes first, then the software, the policy
// and the clock.
func (d Differences) Names() []string {
	var names []string
	for _, field := range settings() {
		if slices.ContainsFunc(d, func(one Difference) bool {
			return one.Name == field.name || strings.HasPrefix(one.Name, field.name+".")
		}) {
			names = append(names, field.name)
		}
	}
	return names
}

// setting is a field of Settings that two runs are compared in.
type setting struct {
	name  string
	value func(Settings) any
	// may says whether a and b may differ in it.
	may func(free Free, a, b Settings) bool
}

// settings lists the fields of Settings in the order in which differences are named: the work, the software, the
// policy, the clock. highs_version is left out, because it follows from the image, and runs without an agent have
// none. So is events_name: events that are equal may stand in files of two names.
func settings() []setting {
	tool := func(f Free, _, _ Settings) bool { return f.Tool }
	workload := func(f Free, _, _ Settings) bool { return f.Workload }
	policy := func(f Free, _, _ Settings) bool { return f.Policy }
	clock := func(f Free, _, _ Settings) bool { return f.Clock }
	backend := func(f Free, _, _ Settings) bool { return f.Backend }
	// Another backend has an image and a version of Slurm of its own.
	other := func(f Free, a, b Settings) bool { return f.Backend && a.Backend != b.Backend }
	never := func(Free, Settings, Settings) bool { return false }
	// Two policies have parameters of their own, so a difference of parameters is
	// not listed beside one of the policy.
	ofPolicy := func(f Free, a, b Settings) bool { return f.Policy || a.PolicyToday() != b.PolicyToday() }
	scheduler := func(f Free, a, b Settings) bool {
		unknown := a.SchedulerType == "" || b.SchedulerType == ""
		return ofPolicy(f, a, b) || f.Tool && unknown
	}
	return []setting{
		{"machine", func(s Settings) any { return s.Machine }, func(f Free, _, _ Settings) bool { return f.Machine }},
		{"workload", func(s Settings) any { return s.Workload }, workload},
		{"workload_spec", func(s Settings) any { return s.WorkloadSpec }, func(f Free, a, b Settings) bool {
			return f.Workload || a.Workload != b.Workload
		}},
		{"seed", func(s Settings) any { return s.Seed }, func(f Free, _, _ Settings) bool { return f.Seed }},
		{"window", func(s Settings) any { return orAbsent(s.Window) }, func(f Free, _, _ Settings) bool { return f.Window }},
		{"windows", func(s Settings) any { return orAbsent(s.Windows) }, never},
		{"tool_version", func(s Settings) any { return s.ToolVersion }, tool},
		{"git_revision", func(s Settings) any { return s.GitRevision }, func(f Free, a, b Settings) bool {
			return f.Tool || a.GitRevision == "" || b.GitRevision == ""
		}},
		{"image_id", func(s Settings) any { return s.ImageID }, func(f Free, a, b Settings) bool {
			return f.Tool || other(f, a, b) || a.ImageID == "" || b.ImageID == ""
		}},
		{"backend", func(s Settings) any { return s.Form }, backend},
		{"slurm", func(s Settings) any { return s.Series }, backend},
		{"slurm_version", func(s Settings) any { return s.SlurmVersion }, func(f Free, a, b Settings) bool {
			return other(f, a, b) || a.SlurmVersion == "" || b.SlurmVersion == ""
		}},
		{"policy", func(s Settings) any { return s.PolicyToday() }, policy},
		{"policy_parameters", func(s Settings) any { return s.Parameters }, ofPolicy},
		{"value_rule", func(s Settings) any { return s.ValueRule }, ofPolicy},
		{"scheduler_type", func(s Settings) any { return s.SchedulerType }, scheduler},
		{"scheduler_parameters", func(s Settings) any { return s.SchedulerParameters }, scheduler},
		{"priority_type", func(s Settings) any { return s.PriorityType }, ofPolicy},
		{"priority_parameters", func(s Settings) any { return s.PriorityParameters }, ofPolicy},
		{"slurm_settings", func(s Settings) any { return s.SlurmSettings }, ofPolicy},
		{"full_configuration", func(s Settings) any { return s.FullConfiguration }, never},
		{"events", func(s Settings) any { return s.Events }, func(f Free, a, b Settings) bool { return f.Events || f.Machine && a.sameList(b) }},
		{"clock", func(s Settings) any { return s.Clock }, clock},
		{"time_scale", func(s Settings) any { return s.TimeScale }, clock},
		{"think_scale", func(s Settings) any { return s.ThinkScale }, clock},
		{"continues", func(s Settings) any {
			if s.Continues == nil {
				return nil
			}
			return s.Continues.Checkpoint
		}, func(f Free, a, b Settings) bool {
			// Each seed has a past of its own.
			return f.Seed && a.Seed != b.Seed && (a.Continues == nil) == (b.Continues == nil)
		}},
	}
}

// orAbsent is nil, which is no value in JSON, for 0.
func orAbsent(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// Differences lists the settings in which two runs differ and may not. A revision,
// an image or a version of Slurm that one of them does not know is no difference.
func (s Settings) Differences(other Settings, free Free) Differences {
	var list Differences
	for _, field := range settings() {
		if !field.may(free, s, other) {
			list = append(list, compareValues(field.name, inJSON(field.value(s)), inJSON(field.value(other)))...)
		}
	}
	return list
}

// SourceDifferences is the difference in what Slurm was made from, where both runs know it.
func (r Run) SourceDifferences(other Run) Differences {
	if len(r.SlurmSources) == 0 || len(other.SlurmSources) == 0 {
		return nil
	}
	return compareValues("slurm_sources", inJSON(r.SlurmSources), inJSON(other.SlurmSources))
}

// workloadCSV is the name of a difference of the jobs.
const workloadCSV = "workload.csv"

// Differences returns the differences of the settings and, unless they are free, of the jobs in workload.csv.
func (d Data) Differences(other Data, free Free) Differences {
	list := d.Run.Differences(other.Run.Settings, free)
	if !free.Workload && !free.Jobs && !bytes.Equal(d.Workload, other.Workload) {
		list = append(list, Difference{workloadCSV, checksum(d.Workload), checksum(other.Workload)})
	}
	return list
}

// checksum is the beginning of the SHA-256 of a file.
func checksum(text []byte) string { return fmt.Sprintf("sha256 %.4x", sha256.Sum256(text)) }

// inJSON is a value as it is in run.json: an object is a map, an empty text is
// absent (nil). A json.RawMessage that is no JSON is compared as text.
func inJSON(value any) any {
	text, err := json.Marshal(value)
	if raw, ok := value.(json.RawMessage); ok {
		text, err = raw, nil
		if len(raw) == 0 {
			return nil
		}
	}
	in := json.NewDecoder(bytes.NewReader(text))
	// A seed may have more digits than a float64 holds.
	in.UseNumber()
	var plain any
	if err = errors.Join(err, in.Decode(&plain)); err != nil {
		return string(text)
	}
	if plain == "" {
		return nil
	}
	return plain
}

// compareValues lists the differences of two values of JSON; objects are compared
// field by field.
func compareValues(name string, a, b any) Differences {
	innerA, isA := a.(map[string]any)
	innerB, isB := b.(map[string]any)
	if !isA || !isB {
		if reflect.DeepEqual(a, b) {
			return nil
		}
		return Differences{{name, word(a), word(b)}}
	}
	all := maps.Clone(innerA)
	maps.Copy(all, innerB)
	var list Differences
	for _, field := range slices.Sorted(maps.Keys(all)) {
		list = append(list, compareValues(name+"."+field, innerA[field], innerB[field])...)
	}
	return list
}

// word is a value of JSON, cut where it is long, or "absent".
func word(value any) string {
	if value == nil {
		return "absent"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	const longest = 80 // a line; an image's ID has 73
	if short := []rune(string(text)); len(short) > longest {
		return string(short[:longest]) + "..."
	}
	return string(text)
}
