package formulation

import (
	"fmt"
	"math"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// builder is a model under construction.
type builder struct {
	model Model
	// nodes are the names of the nodes in names of variables and rows.
	nodes []string
}

func newBuilder(name string, s auction.Snapshot, ranges []NodeRange) *builder {
	b := &builder{
		model: Model{Program: program.Program{Name: name, Maximise: true}, snapshot: s, ranges: ranges},
		nodes: make([]string, len(s.Nodes)),
	}
	used := make(map[string]bool, len(s.Nodes))
	for i, n := range s.Nodes {
		b.nodes[i] = program.CleanName(n.Name)
		if n.Name == "" || used[b.nodes[i]] {
			b.nodes[i] = fmt.Sprintf("#%d", i)
		}
		used[b.nodes[i]] = true
	}
	return b
}

// variable adds a whole variable from 0 to upper and returns its index.
func (b *builder) variable(upper int, objective float64, name string, args ...any) int {
	b.model.Program.Variables = append(b.model.Program.Variables, program.Variable{
		Name: fmt.Sprintf(name, args...), Upper: float64(upper), Integer: true, Objective: objective,
	})
	return len(b.model.Program.Variables) - 1
}

// takes notes that each unit of a variable takes cores of a node.
func (b *builder) takes(variable, job, node, cores int) {
	b.model.takes = append(b.model.takes, take{variable, job, node, cores})
}

// terms is the left-hand side of a row, ascending in variables.
type terms struct {
	variables    []int
	coefficients []float64
}

func (t *terms) add(variable int, coefficient float64) {
	if coefficient != 0 {
		t.variables = append(t.variables, variable)
		t.coefficients = append(t.coefficients, coefficient)
	}
}

// row adds a row. One without terms is left out if it holds; one that cannot
// hold is kept, so that the program has no solution either.
func (b *builder) row(t terms, sense program.Sense, rhs float64, name string, args ...any) {
	holds := sense == program.AtMost && rhs >= 0 || sense == program.AtLeast && rhs <= 0 || rhs == 0
	if len(t.variables) == 0 && holds {
		return
	}
	b.model.Program.Rows = append(b.model.Program.Rows, program.Row{
		Name: fmt.Sprintf(name, args...), Variables: t.variables, Coefficients: t.coefficients, Sense: sense, RHS: rhs,
	})
}

// priorities are P_j: Slurm's own as they are, or those of the repaired form.
func priorities(s auction.Snapshot, literal bool) []float64 {
	if !literal {
		return s.Priorities()
	}
	all := make([]float64, len(s.Jobs))
	for j, job := range s.Jobs {
		all[j] = job.Priority
	}
	return all
}

// alpha is AUCSCHED equation (10) as it is written.
func alpha(priorities []float64, bids int) float64 {
	least := math.Inf(1)
	for _, p := range priorities {
		least = math.Min(least, p)
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least / float64(bids+1)
}
