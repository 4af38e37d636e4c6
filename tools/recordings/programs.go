package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/papers"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// programs writes DIR/RUN-cycle-000007.json.gz and .mps for each cycle of a recording.
func programs(dir, recording string) error {
	text, err := os.ReadFile(filepath.Join(recording, "run.json"))
	if err != nil {
		return err
	}
	var run struct {
		Parameters struct {
			Method    string `json:"method"`
			Objective string `json:"objective"`
		} `json:"policy_parameters"`
	}
	if err = json.Unmarshal(text, &run); err != nil {
		return fmt.Errorf("%s: run.json: %w", recording, err)
	}
	if err = os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if dumped, _ := filepath.Glob(filepath.Join(recording, "models", "*.json.gz")); len(dumped) > 0 {
		return writeDumped(dir, filepath.Base(recording), dumped)
	}
	in, err := os.Open(filepath.Join(recording, "snapshots.jsonl.gz"))
	if err != nil {
		return err
	}
	_, err = journal.Read(in, in.Name(), func(c journal.Entry) error {
		p, failed := formulated(run.Parameters.Method, run.Parameters.Objective, c)
		if failed != nil || len(p.Variables) == 0 {
			return failed
		}
		p.Name = fmt.Sprintf("%s-cycle-%06d", filepath.Base(recording), c.Cycle)
		return save(filepath.Join(dir, p.Name), p)
	})
	return errors.Join(err, in.Close())
}

// writeDumped writes the programs that a run dumped, by its name.
func writeDumped(dir, run string, files []string) error {
	for _, file := range files {
		in, err := os.Open(file)
		if err != nil {
			return err
		}
		p, err := program.Read(file, in)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
		p.Name = run + "-" + strings.TrimSuffix(filepath.Base(file), ".json.gz")
		if err = save(filepath.Join(dir, p.Name), p); err != nil {
			return err
		}
	}
	return nil
}

// errFormulated ends a decision when its program is known.
var errFormulated = errors.New("formulated")

// formulated is the program of a cycle as its policy solves it.
func formulated(method, objective string, c journal.Entry) (p program.Program, err error) {
	if method == "auction" {
		r, failed := journal.Replay(c)
		return papers.AUCSCHED2(c.Snapshot, r.Bids, r.Problem), failed
	}
	o := papers.DeciderOptions{
		Solve: func(_ context.Context, made program.Program, _ []float64, _ time.Duration) (program.Solution, error) {
			p = made
			return program.Solution{}, errFormulated
		},
		Limit: time.Minute, Bids: c.Options.Bids,
	}
	if objective == "priority-cores" {
		o.Objective = papers.ByPriorityCores
	}
	decider := papers.NewIPSCHED(o)
	if method == "aucsched" {
		decider = papers.NewAUCSCHED(o)
	}
	if _, err = decider.Decide(context.Background(), c.Snapshot, c.Options.Bids.MaxBids); errors.Is(err, errFormulated) {
		err = nil
	}
	return p, err
}

func save(base string, p program.Program) error {
	put := func(name string, write func(io.Writer) error) error {
		file, err := os.Create(name)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	}
	return errors.Join(
		put(base+".json.gz", func(out io.Writer) error {
			packed := gzip.NewWriter(out)
			return errors.Join(program.WriteJSON(packed, p), packed.Close())
		}),
		// A maximum is the minimum of the opposite: CBC ignores OBJSENSE.
		put(base+".mps", func(out io.Writer) error { return auctiontest.WriteMPS(out, auctiontest.Minimised(p)) }),
	)
}

// limit is how long CBC may think about a program.
const limit = 60 * time.Second

// tally is what came of the programs of one run.
type tally struct{ programs, same, unproven, apart int }

// compare solves each program of the answers with CBC. Two optima are the same when they
// differ by at most 1e-6 of their size, which is what both solvers allow themselves. A
// program that one of them did not prove is no disagreement, unless the point of one is
// better than the bound of the other.
func compare(out io.Writer, dir, answers string) error {
	text, err := os.ReadFile(answers)
	if err != nil {
		return err
	}
	var all []struct {
		File string `json:"file"`
		program.Answer
	}
	if err = json.Unmarshal(text, &all); err != nil {
		return fmt.Errorf("%s: %w", answers, err)
	}
	runs := map[string]*tally{}
	for _, a := range all {
		name := strings.TrimSuffix(filepath.Base(a.File), ".json.gz")
		run, _, _ := strings.Cut(name, "-cycle-")
		if runs[run] == nil {
			runs[run] = &tally{}
		}
		runs[run].programs++
		best, proven, failed := cbc(filepath.Join(dir, name+".mps"))
		switch {
		case failed != nil:
			return fmt.Errorf("%s: %w", name, failed)
		case !proven || a.Status != program.StatusOptimal || a.Objective == nil:
			runs[run].unproven++
			if proven && a.Objective != nil && *a.Objective > best+tolerance(best) {
				runs[run].apart++
			}
		case math.Abs(*a.Objective-best) <= tolerance(best):
			runs[run].same++
		default:
			runs[run].apart++
			fmt.Fprintf(os.Stderr, "%s: slurmlab dev solve has %.9g, cbc %.9g\n", name, *a.Objective, best)
		}
	}
	table := "| run | programs | same optimum | not proven by both | apart |\n|---|---|---|---|---|\n"
	names := make([]string, 0, len(runs))
	for run := range runs {
		names = append(names, run)
	}
	slices.Sort(names)
	for _, run := range names {
		t := runs[run]
		table += fmt.Sprintf("| %s | %d | %d | %d | %d |\n", run, t.programs, t.same, t.unproven, t.apart)
	}
	_, err = io.WriteString(out, table)
	return err
}

func tolerance(v float64) float64 { return 1e-6 * max(1, math.Abs(v)) }

// cbc returns the maximum that CBC finds, and whether it has proven it. CBC writes its
// answer's first line as "Optimal - objective value -12.5" or "Stopped on time - ...".
func cbc(file string) (best float64, proven bool, err error) {
	answer := file + ".cbc"
	// Its own allowances are 1e-4 of the objective unless these are set.
	cmd := exec.Command("cbc", file, "-ratioGap", "0", "-allowableGap", "0", "-seconds", strconv.Itoa(int(limit.Seconds())), "-solve", "-solution", answer)
	if said, failed := cmd.CombinedOutput(); failed != nil {
		return 0, false, fmt.Errorf("cbc: %w: %s", failed, said)
	}
	in, err := os.Open(answer)
	if err != nil {
		return 0, false, err
	}
	lines := bufio.NewScanner(in)
	lines.Scan()
	status, value, found := strings.Cut(lines.Text(), " - objective value ")
	if err = errors.Join(lines.Err(), in.Close()); err != nil {
		return 0, false, err
	}
	if !found {
		return 0, false, fmt.Errorf("%s: got %q, allowed STATUS - objective value NUMBER", answer, lines.Text())
	}
	least, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return -least, status == "Optimal", err
}
