//go:build highs && cgo

package highs_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// eachState runs a benchmark for each kind of recorded state, number of bids a
// job and objective.
func eachState(b *testing.B, measure func(b *testing.B, problems []auction.Problem)) {
	states, err := auctiontest.States()
	if err != nil {
		b.Fatal(err)
	}
	kind := func(s auctiontest.State) string {
		switch {
		case s.Busy() < 0.1:
			return "idle"
		case s.Busy() < 0.8:
			return "half"
		case strings.Contains(s.Run, "fine"):
			return "busy-fine"
		default:
			return "busy"
		}
	}
	for _, want := range []string{"busy", "busy-fine", "half", "idle"} {
		for _, bids := range []int{5, 15, 50} {
			for _, o := range []auction.Objective{auction.ObjectivePriority, auction.ObjectiveValue} {
				b.Run(fmt.Sprintf("state=%s/bids=%d/objective=%s", want, bids, o), func(b *testing.B) {
					var problems []auction.Problem
					for _, s := range states {
						if kind(s) != want {
							continue
						}
						p, err := s.Problem(bids, o)
						if err != nil {
							b.Fatal(err)
						}
						problems = append(problems, p)
					}
					for b.Loop() {
						measure(b, problems)
					}
				})
			}
		}
	}
}

// BenchmarkStates measures the solver on states of real runs.
func BenchmarkStates(b *testing.B) {
	limit := benchLimit(b)
	eachState(b, func(b *testing.B, problems []auction.Problem) { measure(b, problems, limit) })
}

// BenchmarkStatesHiGHS is HiGHS alone on the program of the paper, its defaults.
func BenchmarkStatesHiGHS(b *testing.B) { eachState(b, measurePlain) }

// BenchmarkStatesCBC and BenchmarkStatesGLPK are those solvers with their
// defaults, no gap allowed, and a limit of 5 s that they keep themselves.
func BenchmarkStatesCBC(b *testing.B) {
	eachState(b, func(b *testing.B, problems []auction.Problem) {
		measureCommand(b, problems, regexp.MustCompile(`Result - Optimal solution found`),
			"cbc", "p.mps", "-ratioGap", "0", "-allowableGap", "0", "-seconds", "5", "-solve")
	})
}

// BenchmarkStatesGLPK is described at BenchmarkStatesCBC.
func BenchmarkStatesGLPK(b *testing.B) {
	eachState(b, func(b *testing.B, problems []auction.Problem) {
		measureCommand(b, problems, regexp.MustCompile(`INTEGER OPTIMAL SOLUTION FOUND`),
			"glpsol", "--freemps", "p.mps", "--tmlim", "5")
	})
}

// measureCommand runs a solver on MPS files and counts the processor time of the
// command, reading included.
func measureCommand(b *testing.B, problems []auction.Problem, proof *regexp.Regexp, name string, arguments ...string) {
	var times []float64
	optimal := 0
	for n, p := range problems {
		dir := b.TempDir()
		file, err := os.Create(filepath.Join(dir, "p.mps"))
		if err != nil {
			b.Fatal(err)
		}
		if err = errors.Join(auctiontest.WriteMPS(file, auctiontest.Minimised(general(p))), file.Close()); err != nil {
			b.Fatal(err)
		}
		command := exec.Command(name, arguments...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		if err != nil {
			b.Fatalf("%s: %v\n%s", name, err, out)
		}
		state := command.ProcessState
		times = append(times, (state.UserTime() + state.SystemTime()).Seconds())
		proven := proof.Match(out)
		if proven {
			optimal++
		}
		narrate("%d: %s %.3f s optimal %v", n, name, times[n], proven)
	}
	reportTimes(b, optimal, times)
}

// general writes a packing problem as a general program.
func general(p auction.Problem) program.Program {
	g := program.Program{Name: "p", Maximise: true}
	for i, v := range p.Objective {
		g.Variables = append(g.Variables, program.Variable{Name: fmt.Sprintf("b%d", i), Upper: 1, Integer: true, Objective: v})
	}
	for r, row := range p.Rows {
		line := program.Row{Name: fmt.Sprintf("r%d", r), Variables: row.Columns, Sense: program.AtMost, RHS: float64(row.Bound)}
		for _, a := range row.Coefficients {
			line.Coefficients = append(line.Coefficients, float64(a))
		}
		g.Rows = append(g.Rows, line)
	}
	return g
}
