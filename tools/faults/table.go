package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
)

const (
	tableName    = "table.md"
	outcomesName = "outcomes.jsonl"
	// verdictName is in the directory of each cell. A later build may have other metrics, and would judge metrics of
	// an earlier build wrong.
	verdictName = "verdict.json"
)

func saveVerdict(dir string, v check.Verdict) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("save verdict: %w", err)
	}
	return write(dir, map[string][]byte{verdictName: append(data, '\n')})
}

func loadVerdict(dir string) (v check.Verdict, err error) {
	data, err := os.ReadFile(filepath.Join(dir, verdictName))
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		err = fmt.Errorf("load verdict: %w", err)
	}
	return v, err
}

// writeTables writes what came of the cells, for people and for programs.
func writeTables(out string, verdicts []check.Verdict, planned []check.Cell) error {
	lines, err := outcomes(verdicts)
	if err != nil {
		return err
	}
	return write(out, map[string][]byte{tableName: markdown(verdicts, planned), outcomesName: lines})
}

// outcomes are the verdicts, one a line.
func outcomes(verdicts []check.Verdict) ([]byte, error) {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, v := range verdicts {
		if err := encoder.Encode(v); err != nil {
			return nil, fmt.Errorf("write outcomes: %w", err)
		}
	}
	return lines.Bytes(), nil
}

// Lines of a document between which it says how many cells hold.
const (
	tableBegins = "<!-- cells: written by make faults-table -->\n"
	tableEnds   = "<!-- end of cells -->\n"
)

// intoDocument replaces what a document says of the cells, and writes the verdicts beside it.
func intoDocument(path string, verdicts []check.Verdict, planned []check.Cell) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	before, rest, begins := bytes.Cut(text, []byte(tableBegins))
	_, after, ends := bytes.Cut(rest, []byte(tableEnds))
	if !begins || !ends {
		return fmt.Errorf("write table: %s has no lines %q and %q", path, strings.TrimSpace(tableBegins), strings.TrimSpace(tableEnds))
	}
	lines, err := outcomes(verdicts)
	if err != nil {
		return err
	}
	whole := slices.Concat(before, []byte(tableBegins+"\n"), summary(verdicts, planned), []byte("\n"+tableEnds), after)
	return write(filepath.Dir(path), map[string][]byte{filepath.Base(path): whole, outcomesName: lines})
}

// summary says how many cells were played, and how many of them broke no invariant.
func summary(verdicts []check.Verdict, planned []check.Cell) []byte {
	holds, ofPlan := 0, 0
	for _, v := range verdicts {
		if len(v.Broken) == 0 {
			holds++
		}
		if slices.Contains(planned, v.Facts.Cell) {
			ofPlan++
		}
	}
	return fmt.Appendf(nil, "%d of the %d cells of the plan were played, and %d others that were named; of these %d, %d broke no invariant.\n",
		ofPlan, len(planned), len(verdicts)-ofPlan, len(verdicts), holds)
}

// markdown is the table of the cells that were played.
func markdown(verdicts []check.Verdict, planned []check.Cell) []byte {
	text := bytes.NewBuffer(summary(verdicts, planned))
	text.WriteString("\n| action | victim | point | policy | Slurm | run | s | what slurmlab says | broken |\n|---|---|---|---|---|---|--:|---|---|\n")
	for _, v := range verdicts {
		c, f := v.Facts.Cell, v.Facts
		status := string(f.Status)
		if f.Finish != nil && *f.Finish == 0 {
			status += ", then finished"
		}
		fmt.Fprintf(text, "| %s | %s | %s | %s | %s | %s | %.0f | %s | %s |\n",
			c.Action, c.Victim, c.Point, c.Policy, c.Slurm, status, f.TookSeconds, short(cmp.Or(f.Reason, v.Told)), broken(v.Broken))
	}
	text.WriteString("\nThese cannot be produced:\n\n")
	for _, why := range check.Reasons() {
		fmt.Fprintf(text, "- %s\n", why)
	}
	return text.Bytes()
}

func write(out string, files map[string][]byte) error {
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(out, name), data, 0o644); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

// short is the beginning of a reason, in one cell of a table.
func short(reason string) string {
	const most = 100
	first, _, _ := strings.Cut(reason, "\n")
	if len(first) > most {
		first = strings.ToValidUTF8(first[:most], "") + "..."
	}
	return strings.ReplaceAll(first, "|", "\\|")
}

func broken(all []check.Broken) string {
	var texts []string
	for _, b := range all {
		texts = append(texts, short(b.String()))
	}
	return strings.Join(texts, "; ")
}
