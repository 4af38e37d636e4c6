//go:build highs && cgo

package papers

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// other is a solver of its own, which reads MPS. All are in the toolbox, and the
// test fails without them.
type other struct {
	name string
	// minimum is for solvers that know no OBJSENSE.
	minimum bool
	argv    []string
	// objective finds the optimum in the file "solution".
	objective *regexp.Regexp
}

func others() []other {
	return []other{
		{
			name: "highs", argv: []string{"highs", "--model_file", "p.mps", "--options_file", "highs.txt", "--solution_file", "solution"},
			objective: regexp.MustCompile(`(?s)^Model status\nOptimal\n.*?\nObjective (\S+)\n`),
		},
		{
			name: "cbc", minimum: true, argv: []string{"cbc", "p.mps", "-ratioGap", "0", "-allowableGap", "0", "-solve", "-solution", "solution"},
			objective: regexp.MustCompile(`^Optimal - objective value (\S+)\n`),
		},
		{
			name: "glpsol", minimum: true, argv: []string{"glpsol", "--freemps", "p.mps", "--write", "solution"},
			objective: regexp.MustCompile(`(?m)^s mip \d+ \d+ o (\S+)$`),
		},
	}
}

func (o other) solve(t *testing.T, p program.Program) float64 {
	t.Helper()
	dir := t.TempDir()
	if o.minimum {
		p = auctiontest.Minimised(p)
	}
	file, err := os.Create(filepath.Join(dir, "p.mps"))
	if err != nil {
		t.Fatal(err)
	}
	if err = auctiontest.WriteMPS(file, p); err != nil {
		t.Fatal(err)
	}
	if err = file.Close(); err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(filepath.Join(dir, "highs.txt"), []byte("mip_rel_gap=0\nmip_abs_gap=0\nthreads=1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(o.argv[0], o.argv[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", o.name, err, out)
	}
	solution, err := os.ReadFile(filepath.Join(dir, "solution"))
	if err != nil {
		t.Fatalf("%s: %v\n%s", o.name, err, out)
	}
	match := o.objective.FindSubmatch(solution)
	if match == nil {
		t.Fatalf("%s: no optimum in\n%s\n%s", o.name, solution, out)
	}
	value, err := strconv.ParseFloat(string(match[1]), 64)
	if err != nil {
		t.Fatalf("%s: %v", o.name, err)
	}
	if o.minimum {
		value = 0 - value
	}
	return value
}

// middleWindow has 12 nodes, a third of them partly used, and 6 jobs.
func middleWindow(seed uint64) auction.Snapshot {
	r := rand.New(rand.NewPCG(seed, 24))
	var s auction.Snapshot
	for i := range 12 {
		n := machine.Node{Name: fmt.Sprintf("n%d", i+1), Cores: 8, GPUs: 2, FreeCores: 8, FreeGPUs: 2}
		if r.IntN(3) == 0 {
			n.FreeCores, n.FreeGPUs = r.IntN(9), r.IntN(3)
		}
		s.Nodes = append(s.Nodes, n)
	}
	for i := range 6 {
		j := bidding.Job{ID: i + 1, Priority: float64(6 - i)}
		size := 1 + r.IntN(6)
		switch r.IntN(3) {
		case 0:
			j.Cores = size * (1 + r.IntN(8))
		case 1:
			j.Nodes, j.Cores, j.GPUs = size, size*(1+r.IntN(8)), r.IntN(3)
		default:
			j.Nodes, j.CoresPerNode, j.GPUs = size, 1+r.IntN(8), r.IntN(3)
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// TestSolversAgree: HiGHS through our own calls, and HiGHS, CBC and GLPK from
// the MPS file, have the same optimum.
func TestSolversAgree(t *testing.T) {
	models := map[string]model{}
	for seed := range uint64(10) {
		s, bids := randomAuction(seed)
		models[fmt.Sprintf("small IPSCHED %d", seed)] = formulateIPSCHED(randomIPSCHED(seed))
		models[fmt.Sprintf("small AUCSCHED %d", seed)] = formulateAUCSCHED(s, bids)
		models[fmt.Sprintf("small AUCSCHED2 %d", seed)] = formulateAUCSCHED2(s, bids)
	}
	for seed := range uint64(3) {
		s := middleWindow(seed)
		bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 5})).Bids()
		models[fmt.Sprintf("middle AUCSCHED %d", seed)] = formulateAUCSCHED(s, bids)
		models[fmt.Sprintf("middle AUCSCHED2 %d", seed)] = formulateAUCSCHED2(s, bids)
		s.Nodes, s.Jobs = s.Nodes[:8], s.Jobs[:4]
		models[fmt.Sprintf("middle IPSCHED %d", seed)] = formulateIPSCHED(s, ByPriority, nodeRanges(s))
	}
	for _, o := range others() {
		if _, err := exec.LookPath(o.name); err != nil {
			t.Fatalf("the toolbox lacks a solver: %v", err)
		}
	}
	for name, m := range models {
		if len(m.Program.Variables) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			want, _ := solveHiGHS(t, m)
			if want.Status != program.StatusOptimal {
				t.Fatalf("%v", want)
			}
			for _, o := range others() {
				if got := o.solve(t, m.Program); !near(got, want.Objective) {
					t.Errorf("%s: %.9g, want %.9g", o.name, got, want.Objective)
				}
			}
		})
	}
}
