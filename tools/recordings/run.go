package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// kept are the keys of run.json that say what was recorded.
var kept = []string{
	"git_revision", "highs_version", "machine", "workload", "seed", "policy", "policy_parameters", "priority_type",
}

// mostCycles is how many cycles of a run are copied. A journal line refers to
// those before it, so that only the first ones can be kept.
const mostCycles = 150

// copyRun copies the first cycles of a run, and the settings that they were decided under, to a new directory.
func copyRun(to, run string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(run, "run.json"))
	if err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err = json.Unmarshal(text, &all); err != nil {
		return err
	}
	some := map[string]json.RawMessage{}
	for _, key := range kept {
		some[key] = all[key]
	}
	if text, err = json.MarshalIndent(some, "", "  "); err != nil {
		return err
	}
	if err = os.WriteFile(filepath.Join(to, "run.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	last, err := snapshots(filepath.Join(to, "snapshots.jsonl.gz"), filepath.Join(run, "snapshots.jsonl.gz"))
	if err != nil {
		return err
	}
	return cycles(filepath.Join(to, "cycles.jsonl.gz"), filepath.Join(run, "cycles.jsonl"), last)
}

// snapshots copies the first lines of a journal, byte by byte, and returns the
// number of the last cycle. The copy is packed as a whole, which takes a tenth of
// the space of the journal, where each line is packed alone.
func snapshots(to, from string) (last int, err error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	unpacked, err := gzip.NewReader(bufio.NewReader(in))
	if err != nil {
		return 0, err
	}
	return last, pack(to, func(out io.Writer) error {
		lines := bufio.NewReader(unpacked)
		for range mostCycles {
			line, err := lines.ReadBytes('\n')
			if errors.Is(err, io.EOF) {
				return nil
			}
			var numbered struct{ Cycle int }
			if err = errors.Join(err, json.Unmarshal(line, &numbered)); err != nil {
				return err
			}
			last = numbered.Cycle
			if _, err = out.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// cycles copies the records of the cycles that had a window, up to the last one,
// without the phases of the solver.
func cycles(to, from string, last int) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	return errors.Join(pack(to, func(out io.Writer) error {
		decoder, encoder := json.NewDecoder(in), json.NewEncoder(out)
		for {
			var c map[string]any
			err := decoder.Decode(&c)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if number, _ := c["cycle"].(float64); int(number) > last || c["window"] == 0.0 {
				continue
			}
			delete(c, "solver_phases")
			if err = encoder.Encode(c); err != nil {
				return err
			}
		}
	}), in.Close())
}

// pack writes a gzip file.
func pack(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	packed, err := gzip.NewWriterLevel(file, gzip.BestCompression)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	return errors.Join(write(packed), packed.Close(), file.Close())
}
