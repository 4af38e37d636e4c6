package workloads

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// MachineFile is a machine with groups as the text of a machine file; LoadMachine reads the same machine from it.
func MachineFile(m Machine) string {
	var rules []string
	for _, key := range input.Keys[layout.Layout]() {
		if !slices.Contains(nodeKeys(), key.Name) {
			rules = append(rules, key.Name)
		}
	}
	w := writers()
	return w.Write(m, "name") + w.Write(m.Layout, nodeKeys()...) + w.Write(m, "switches", "blocks") + w.Write(m.Layout, rules...)
}

// writers write what the readers of openYAML read.
func writers() input.Writers {
	return input.Writers{
		"MiB": func(value any) string {
			if value == 0 {
				return ""
			}
			return (Memory(value.(int)) * MiB).String()
		},
		"seconds": func(value any) string {
			if value == 0 {
				return ""
			}
			return (time.Duration(value.(int)) * time.Second).String()
		},
		"minutes": func(value any) string { return minutesOf(value.(int)) },
		"gpus":    func(value any) string { return gpusText(value.([]layout.GPU)) },
		"settings": func(value any) string {
			return flow(value.(map[string]string), input.Word, func(_, v string) string { return input.Word(v) })
		},
		"licenses": func(value any) string {
			var pairs []string
			for _, l := range value.([]layout.License) {
				pairs = append(pairs, input.Word(l.Name)+": "+strconv.Itoa(l.Count))
			}
			return input.Flow(pairs)
		},
		"tres": func(value any) string {
			if tres := value.(layout.TRES); tres != nil {
				return cmp.Or(flow(tres, tresKey, tresText), "{}")
			}
			return ""
		},
	}
}

// flow is a map as a mapping on one line, by its keys.
func flow[V any](values map[string]V, key func(string) string, text func(string, V) string) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		pairs = append(pairs, key(name)+": "+text(name, values[name]))
	}
	return input.Flow(pairs)
}

// gpusText is a number of GPUs without a type, or numbers by type.
func gpusText(gpus []layout.GPU) string {
	var pairs []string
	for _, gpu := range gpus {
		if gpu.Type == "" && len(gpus) == 1 {
			return strconv.Itoa(gpu.Count)
		}
		pairs = append(pairs, input.Word(gpu.Type)+": "+strconv.Itoa(gpu.Count))
	}
	return input.Flow(pairs)
}

// minutesOf is a time as people write it in a machine file: 90m, 24h, 7-00:00:00; "" for none.
func minutesOf(minutes int) string {
	const day = 24 * 60
	d := time.Duration(minutes) * time.Minute
	switch {
	case minutes == 0:
		return ""
	case minutes > day && minutes%60 == 0:
		return fmt.Sprintf("%d-%02d:00:00", minutes/day, minutes%day/60)
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", minutes/60)
	}
	return fmt.Sprintf("%dm", minutes)
}

// tresKey is the name of a resource as a key of YAML: a colon, as in gres/gpu:a100, would end it.
func tresKey(name string) string {
	if strings.Contains(name, ":") {
		return strconv.Quote(name)
	}
	return name
}

func tresText(name string, n int) string {
	if name == "mem" && n > 0 {
		return (Memory(n) * MiB).String()
	}
	return strconv.Itoa(n)
}
