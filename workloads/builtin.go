package workloads

import (
	"embed"
	"fmt"
)

//go:embed specs/*.yaml
var specFiles embed.FS

// Builtin is an embedded workload: a file in specs and what its version changes.
type Builtin struct {
	Name string
	// About says in one line where the workload comes from.
	About  string
	file   string
	change func(*Spec)
}

// Builtins returns the embedded workloads, the papers' in their order.
func Builtins() []Builtin {
	return append(aucsched(), aucsched2()...)
}

// Names returns the names of the embedded workloads: I.1, I.2, I.3, II.1, ...
func Names() []string {
	var names []string
	for _, b := range Builtins() {
		names = append(names, b.Name)
	}
	return names
}

// aucsched are the workloads of AUCSCHED Table 4, in three versions each: ".1"
// none, ".2" "roughly half", ".3" all contiguous (section 6.1 and the second
// column of Table 5).
func aucsched() []Builtin {
	var out []Builtin
	for _, family := range []string{"I", "II", "III", "IV", "V"} {
		for i, contiguous := range []float64{0, 0.5, 1} {
			out = append(out, Builtin{
				Name:   fmt.Sprintf("%s.%d", family, i+1),
				About:  fmt.Sprintf("AUCSCHED Table 4, workload %s, 4 h, %.0f %% contiguous", family, 100*contiguous),
				file:   family,
				change: func(s *Spec) { s.Contiguous = contiguous },
			})
		}
	}
	return out
}

// aucsched2 are the workloads of AUCSCHED2 section 4: "For NC workloads, none of
// the jobs requests contiguous resource allocation. For HC workloads,
// approximately half", "For FC workloads, all". "When testing SLURM/Backfill, we
// use type A,B,C,D,E jobs. [...] AUCSCHED2 that offers GPU ranges support is
// tested by using A,B,C',D',E type jobs": the files in specs have the ranges,
// and the workloads without them the same jobs on the least GPUs.
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
				Builtin{name, about, file.name, func(s *Spec) { s.Contiguous = version.contiguous; exactGPUs(s) }},
				Builtin{name + ".ranges", about + ", GPU ranges", file.name, func(s *Spec) { s.Contiguous = version.contiguous }})
		}
	}
	return out
}

// exactGPUs turns C' and D' of AUCSCHED2 Table 2 into C and D.
func exactGPUs(s *Spec) {
	for i, t := range s.Types {
		if t.GPUsMax > 0 {
			s.Types[i].GPUsMax = 0
			s.Types[i].Class = t.Class[:1]
		}
	}
}

func (b Builtin) load() (Workload, error) {
	file := "specs/" + b.file + ".yaml"
	data, err := specFiles.ReadFile(file)
	if err != nil {
		return Workload{}, fmt.Errorf("read workload: %w", err)
	}
	s, err := ParseSpec(file, data)
	if err != nil {
		return Workload{}, err
	}
	s.Name = b.Name
	b.change(&s)
	return Workload{name: b.Name, spec: &s}, nil
}
