package workloads

import (
	"time"

	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// openYAML opens a file whose keys the types of this package and of package layout say.
func openYAML(file string, data []byte) *input.Document {
	doc := input.Open(file, data, input.Allowed)
	doc.Readers = Readers()
	return doc
}

// Readers read the values of machine files that have a form of their own: sizes, times, GPUs, settings of partitions, licences
// and resources.
func Readers() map[string]input.Reader {
	return map[string]input.Reader{
		"MiB": func(v input.Value, into any) {
			var size Memory
			v.ReadInto(&size)
			*into.(*int) = int(size / MiB)
		},
		"seconds": func(v input.Value, into any) {
			var d Duration
			v.ReadInto(&d)
			*into.(*int) = int(d.Seconds())
		},
		"minutes":  func(v input.Value, into any) { *into.(*int) = readMinutes(v) },
		"gpus":     func(v input.Value, into any) { *into.(*[]layout.GPU) = readGPUs(v) },
		"settings": func(v input.Value, into any) { *into.(*map[string]string) = readSettings(v) },
		"licenses": func(v input.Value, into any) { *into.(*[]layout.License) = readLicenses(v) },
		"tres":     func(v input.Value, into any) { *into.(*layout.TRES) = readTRES(v) },
	}
}

// readMinutes reads a time as Slurm writes it, or a duration with its unit.
func readMinutes(v input.Value) int {
	if text, ok := v.Text(); ok {
		if d, err := time.ParseDuration(text); err == nil && d >= time.Minute && d%time.Minute == 0 {
			return int(d / time.Minute)
		}
		if d, ok := values.TimeLimit(text); ok && d > 0 {
			return int(d / time.Minute)
		}
	}
	v.Mistyped("whole minutes like 90m, 24h, 7-00:00:00 or 12:00:00")
	return 0
}

// readGPUs reads a count, or counts by type.
func readGPUs(v input.Value) []layout.GPU {
	switch {
	case v.IsInt():
		return []layout.GPU{{Count: v.Int()}}
	case v.IsMapping():
		var list []layout.GPU
		for name, count := range v.Mapping().All() {
			list = append(list, layout.GPU{Type: name, Count: count.Int()})
		}
		return list
	}
	v.Mistyped("a whole number, or one for each type: {a100: 4}")
	return nil
}

// readSettings reads the settings of a partition by their keys in slurm.conf.
func readSettings(v input.Value) map[string]string {
	settings := map[string]string{}
	for key, value := range v.Mapping().All() {
		text, ok := value.Text()
		if !ok && value.IsInt() {
			text, ok = value.Scalar()
		}
		if !ok {
			value.Mistyped("a value as in slurm.conf, such as gpuqos or 2")
			continue
		}
		settings[key] = text
	}
	return settings
}

// readLicenses reads numbers by the names of licences.
func readLicenses(v input.Value) []layout.License {
	var list []layout.License
	for name, count := range v.Mapping().All() {
		list = append(list, layout.License{Name: name, Count: count.Int()})
	}
	return list
}

// readTRES reads numbers by the names of resources; memory has a unit.
func readTRES(v input.Value) layout.TRES {
	tres := layout.TRES{}
	for name, value := range v.Mapping().All() {
		text, ok := value.Text()
		if name != "mem" || !ok {
			tres[name] = value.Int()
			continue
		}
		n, ok := values.MiB(text)
		if !ok {
			var size Memory
			value.ReadInto(&size)
			n = int(size / MiB)
		}
		tres[name] = n
	}
	return tres
}
