package workloads

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
)

// Workload is what Load found: a Spec, an ESP, or a fixed list of jobs.
type Workload struct {
	name string
	// spec is nil for a list.
	spec generator
	list jobList
	// window says which part of a list the jobs are.
	window portion
}

// generator is a Spec or an ESP. Its JSON form is a valid spec file.
type generator interface {
	Generate(m Machine, seed uint64) ([]Job, error)
}

// jobList is the content of a .csv or .txt file.
type jobList struct {
	path   string
	sha256 string
	// origin says where an imported list comes from and what was done to it.
	origin []string
	jobs   []Job
	lines  []int
}

// Endings returns the endings of the files that Load reads.
func Endings() []string { return []string{".yaml", ".yml", ".csv", ".txt"} }

// Load returns the embedded workload of that name, or the one in a file when
// the argument contains a slash or ends in .yaml, .yml, .csv or .txt:
//
//   - .yaml, .yml: a Spec, see specs/V.yaml for the keys, or an ESP, see
//     specs/ESP-2.yaml
//   - .csv: jobs in the form of WriteCSV
//   - .txt: a job a line, its run time in seconds and then sbatch options; all
//     jobs arrive at 0
//
// A file's workload is named after the file. The error of a bad file lists its
// faults with their lines.
func Load(nameOrFile string) (Workload, error) {
	var names []string
	for _, b := range Builtins() {
		if b.Name == nameOrFile {
			return b.load()
		}
		names = append(names, b.Name)
	}
	extensions := Endings()
	if !input.IsFile(nameOrFile, extensions...) {
		return Workload{}, fmt.Errorf("find workload: no workload %s, allowed a name of slurmlab workload list or a %s file%s%s",
			faults.Quote(nameOrFile), strings.Join(extensions, ", "), faults.DidYouMean(nameOrFile, names), ofTrace(nameOrFile))
	}
	if !slices.Contains(extensions, filepath.Ext(nameOrFile)) {
		return Workload{}, fmt.Errorf("read workload: got file %s, allowed endings %s%s",
			nameOrFile, strings.Join(extensions, ", "), ofTrace(nameOrFile))
	}
	data, err := readFile(nameOrFile)
	if err != nil {
		return Workload{}, fmt.Errorf("read workload: %w", err)
	}
	return parseWorkload(nameOrFile, data)
}

// ListOf is a workload of a list of jobs that stands in no file, as one that was made from a trace has. origin says where it comes
// from.
func ListOf(name string, origin []string, jobs []Job) (Workload, error) {
	var text bytes.Buffer
	if err := WriteCSV(&text, jobs); err != nil {
		return Workload{}, err
	}
	sum := sha256.Sum256(text.Bytes())
	list := jobList{path: name + ".csv", sha256: hex.EncodeToString(sum[:]), origin: origin, jobs: jobs, lines: make([]int, len(jobs))}
	return Workload{name: name, list: list}, nil
}

// ofTrace says how a file that is there but is no workload could become one. By its ending SWF
// is a trace, wherever it is.
func ofTrace(file string) string {
	if filepath.Ext(file) == ".swf" {
		return "; a trace becomes a .csv file by slurmlab workload import"
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return "; a trace becomes a .csv file by slurmlab workload import"
}

func parseWorkload(file string, data []byte) (Workload, error) {
	var (
		jobs   []Job
		lines  []int
		origin []string
		err    error
	)
	switch filepath.Ext(file) {
	case ".csv":
		jobs, lines, origin, err = parseCSV(file, data)
	case ".txt":
		jobs, lines, err = parseText(file, data)
	default:
		return parseGenerator(file, data)
	}
	if err != nil {
		return Workload{}, err
	}
	name := input.BaseName(file)
	if !input.IsName(name) {
		return Workload{}, fmt.Errorf("%s: file name: got %s, allowed are %s", faults.Quote(file), faults.Quote(name), input.NameRule)
	}
	sum := sha256.Sum256(data)
	list := jobList{path: file, sha256: hex.EncodeToString(sum[:]), jobs: jobs, lines: lines, origin: origin}
	return Workload{name: name, list: list}, nil
}

// parseGenerator reads a spec file of either kind.
func parseGenerator(file string, data []byte) (Workload, error) {
	if _, found := openYAML(file, data).Root().Peek("generator"); found {
		e, err := ParseESP(file, data)
		if err != nil {
			return Workload{}, err
		}
		return Workload{name: e.Name, spec: e}, nil
	}
	s, err := ParseSpec(file, data)
	if err != nil {
		return Workload{}, err
	}
	return Workload{name: s.Name, spec: s}, nil
}

// Name is the embedded name, the name in the spec, or the file's base name
// without its ending.
func (w Workload) Name() string { return w.name }

// Drawn says whether the jobs depend on the seed. The jobs of a list do not.
func (w Workload) Drawn() bool { return w.spec != nil }

// Origin says, a line each, where an imported list of jobs comes from and what
// was done to it. It is nil for all other workloads.
func (w Workload) Origin() []string { return w.list.origin }

// SpecJSON is the workload_spec of run.json: the Spec or the ESP, which is
// itself a valid spec file, or {"file": base name, "sha256": hex, "origin": [...]} of a list.
func (w Workload) SpecJSON() (json.RawMessage, error) {
	var value any = w.spec
	if w.spec == nil {
		value = struct {
			File   string   `json:"file"`
			SHA256 string   `json:"sha256"`
			Origin []string `json:"origin,omitempty"`
		}{filepath.Base(w.list.path), w.list.sha256, w.list.origin}
	}
	out, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode workload spec: %w", err)
	}
	return out, nil
}

// WithEstimatedRuntime returns the workload with another theoretical runtime:
// whole seconds, 1s..720h. A number of jobs in the spec changes in proportion. It
// is an error for a workload whose jobs are fixed.
func (w Workload) WithEstimatedRuntime(d time.Duration) (Workload, error) {
	s, ok := w.spec.(Spec)
	if !ok {
		return Workload{}, fmt.Errorf("theoretical-runtime: got workload %s, a fixed list of jobs, allowed generated workloads", w.name)
	}
	if before := s.EstimatedRuntime.Duration; s.Jobs > 0 && before > 0 {
		s.Jobs = min(MaxJobs, max(1, int(math.Round(float64(s.Jobs)*d.Seconds()/before.Seconds()))))
	}
	s.EstimatedRuntime = Duration{d}
	if faults := s.faults(); len(faults) > 0 {
		// The spec was good before, so that only the new value can be at fault.
		faults[0].Field = "theoretical-runtime"
		return Workload{}, faults[0]
	}
	return Workload{name: w.name, spec: s}, nil
}

// Jobs returns the jobs in submission order: by arrival, at the same arrival
// as generated or listed. The seed does not matter to a list. The error names
// everything in the workload that does not fit on the machine.
func (w Workload) Jobs(m Machine, seed uint64) ([]Job, error) {
	if w.spec != nil {
		if err := m.CheckEqual("workload " + w.name + ", which is generated,"); err != nil {
			return nil, fmt.Errorf("%w; take a .csv or .txt file of jobs, or import a trace", err)
		}
		return w.spec.Generate(m, seed)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	rep := faults.List{Name: w.list.path}
	jobs := slices.Clone(w.list.jobs)
	for i := range jobs {
		jobs[i] = jobs[i].shared(m)
		for _, f := range jobs[i].misfits(m) {
			rep.Add(w.list.lines[i], jobs[i].describe(f))
		}
	}
	if err := rep.Err(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(jobs, func(a, b Job) int { return a.Arrival - b.Arrival })
	return jobs, nil
}

// readFile reads a whole input file. The bound keeps a device file or a wrong
// file from filling the memory; MaxJobs rows need a tenth of it.
func readFile(file string) ([]byte, error) {
	const most = 64 << 20
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	if len(data) > most {
		return nil, fmt.Errorf("%s: got more than %d MiB, allowed %d", file, most>>20, most>>20)
	}
	return data, nil
}
