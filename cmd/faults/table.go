package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/slurmlab/slurmlab/cmd/faults/internal/check"
	"github.com/slurmlab/slurmlab/cmd/faults/internal/plan"
)

const (
	tableName    = "table.md"
	outcomesName = "outcomes.jsonl"
	// verdictName is in the directory of each cell: a later build may have other
	// metrics, and would find those of an earlier one wrong.
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
func writeTables(out string, verdicts []check.Verdict, planned int) error {
	var lines, text bytes.Buffer
	encoder := json.NewEncoder(&lines)
	fmt.Fprintf(&text, "%d of %d cells were played.\n\n", len(verdicts), planned)
	text.WriteString("| action | victim | point | policy | Slurm | run | s | what slurmlab says | broken |\n|---|---|---|---|---|---|--:|---|---|\n")
	for _, v := range verdicts {
		if err := encoder.Encode(v); err != nil {
			return fmt.Errorf("write outcomes: %w", err)
		}
		c, f := v.Facts.Cell, v.Facts
		status := string(f.Status)
		if f.Finish != nil && *f.Finish == 0 {
			status += ", then finished"
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s | %s | %.0f | %s | %s |\n",
			c.Action, c.Victim, c.Point, c.Policy, c.Slurm, status, f.TookSeconds, short(f.Reason), broken(v.Broken))
	}
	text.WriteString("\nThese cannot be produced:\n\n")
	for _, why := range plan.Reasons() {
		fmt.Fprintf(&text, "- %s\n", why)
	}
	return write(out, map[string][]byte{tableName: text.Bytes(), outcomesName: lines.Bytes()})
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
