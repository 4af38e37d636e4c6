package workloads

import (
	"embed"
	"fmt"
	"slices"
)

//go:embed specs/*.yaml
var specFiles embed.FS

// Builtin is an embedded workload: a file in specs and what its version changes.
type Builtin struct {
	Name string
	// About says in one line where the workload comes from.
	About  string
	file   string
	change func(generator) generator
}

// Builtins returns the embedded workloads, the papers' in their order.
func Builtins() []Builtin {
	return slices.Concat(aucsched(), aucsched2(), esp())
}

// aucsched are the workloads of AUCSCHED Table 4, in three versions each: ".1"
// none, ".2" "roughly half", ".3" all contiguous (section 6.1 and the second
// column of Table 5).
func aucsched() []Builtin {
	var out []Builtin
	for _, family := range []string{"I", "II", "III", "IV", "V"} {
		for i, contiguous := range []float64{0, 0.5, 1} {
			name := fmt.Sprintf("%s.%d", family, i+1)
			out = append(out, Builtin{
				Name:   name,
				About:  fmt.Sprintf("AUCSCHED Table 4, workload %s, 4 h, %.0f %% contiguous", family, 100*contiguous),
				file:   family,
				change: changed(name, func(s *Spec) { s.Contiguous = contiguous }),
			})
		}
	}
	return out
}

// aucsched2 are the workloads of AUCSCHED2 section 4. "For NC workloads, none of the jobs requests contiguous
// resource allocation. For HC workloads, approximately half". "For FC workloads, all". "When testing SLURM/Backfill,
// we use type A,B,C,D,E jobs. [...] AUCSCHED2 that offers GPU ranges support is tested by using A,B,C',D',E type
// jobs". So the files in specs have the ranges, and the workloads without them have the same jobs on the least GPUs.
func aucsched2() []Builtin {
	var out []Builtin
	for _, file := range []struct{ name, about string }{
		{"1", "AUCSCHED2 workload 1, 350 jobs, 5 h as in the text"},
		{"2", "AUCSCHED2 workload 2, 700 jobs, 10 h as in the text"},
		{"1.table3", "AUCSCHED2 workload 1, 350 jobs, 3.12 h as in Table 3"},
		{"2.table3", "AUCSCHED2 workload 2, 700 jobs, 6.21 h as in Table 3"},
	} {
		number, table := file.name[:1], file.name[1:]
		for _, version := range []struct {
			name       string
			contiguous float64
		}{{"NC", 0}, {"HC", 0.5}, {"FC", 1}} {
			name := number + "." + version.name + table
			about := fmt.Sprintf("%s, %.0f %% contiguous", file.about, 100*version.contiguous)
			out = append(out,
				Builtin{name, about, file.name, changed(name, func(s *Spec) {
					s.Contiguous = version.contiguous
					exactGPUs(s)
				})},
				Builtin{name + ".ranges", about + ", GPU ranges", file.name, changed(name+".ranges", func(s *Spec) {
					s.Contiguous = version.contiguous
				})})
		}
	}
	return out
}

// exactGPUs takes the ranges of GPUs off a job type: C' and D' of AUCSCHED2 Table 2
// become C and D.
func exactGPUs(s *Spec) {
	for i, t := range s.Types {
		if t.GPUsMax > 0 {
			s.Types[i].GPUsMax = 0
			s.Types[i].Class = t.Class[:1]
		}
	}
}

// esp are ESP-2 and the CPU-GPU workload of IPSCHED section V, each once with the run
// times of ESP-2.2.1 and once with those of IPSCHED. "Since we have doubled all of the jobs other than the Z-jobs
// in the workload, we have also doubled the earliest time to submit Z-jobs."
func esp() []Builtin {
	const (
		times221     = "run times of ESP-2.2.1"
		timesIPSCHED = "run times of IPSCHED figure 3(a)"
		gpu          = "IPSCHED's CPU-GPU workload, 458 jobs"
		random       = gpu + ", sizes changed by RAND(-4,4)"
	)
	as := func(name string, copies, change int) func(generator) generator {
		return func(g generator) generator {
			e := g.(ESP)
			e.Name, e.GPUCopies, e.SizeChange = name, copies, change
			if copies > 0 || change > 0 {
				// The minimum run time was published for the unchanged jobs only.
				e.MinimumRuntime = Duration{}
			}
			for i := range e.Types {
				for k := range e.Types[i].Earliest {
					if copies > 0 {
						e.Types[i].Earliest[k].Duration *= 2
					}
				}
			}
			return e
		}
	}
	entry := func(name, about, file string, copies, change int) Builtin {
		return Builtin{Name: name, About: about, file: file, change: as(name, copies, change)}
	}
	const original, paper = "ESP-2", "ESP-2.ipsched"
	return []Builtin{
		entry(original, "ESP-2, 230 jobs, "+times221, original, 0, 0),
		entry(paper, "ESP-2, 230 jobs, "+timesIPSCHED, paper, 0, 0),
		entry("ESP-2.gpu", gpu+", "+timesIPSCHED, paper, 2, 0),
		entry("ESP-2.gpu.rand", random+", "+timesIPSCHED, paper, 2, 4),
		entry("ESP-2.gpu.221", gpu+", "+times221, original, 2, 0),
		entry("ESP-2.gpu.rand.221", random+", "+times221, original, 2, 4),
	}
}

// changed makes a Spec of another name in which change has set some values.
func changed(name string, change func(*Spec)) func(generator) generator {
	return func(g generator) generator {
		s := g.(Spec)
		s.Name = name
		change(&s)
		return s
	}
}

// Source is the commented spec file that the workload is a version of.
func (b Builtin) Source() (string, error) {
	data, err := specFiles.ReadFile("specs/" + b.file + ".yaml")
	if err != nil {
		return "", fmt.Errorf("read workload: %w", err)
	}
	return string(data), nil
}

func (b Builtin) load() (Workload, error) {
	source, err := b.Source()
	if err != nil {
		return Workload{}, err
	}
	w, err := parseGenerator("specs/"+b.file+".yaml", []byte(source))
	if err != nil {
		return Workload{}, err
	}
	return Workload{name: b.Name, spec: b.change(w.spec)}, nil
}
