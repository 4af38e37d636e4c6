package papers

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// builder is a model under construction.
type builder struct {
	model model
	// nodes are the names of the nodes in names of variables and rows.
	nodes []string
}

func newBuilder(name string, s auction.Snapshot, ranges []nodeRange) *builder {
	b := &builder{
		model: model{Program: program.Program{Name: name, Maximise: true}, snapshot: s, ranges: ranges},
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

// reserve makes room for so many more variables and rows.
func (b *builder) reserve(variables, rows int) {
	p := &b.model.Program
	p.Variables, p.Rows = slices.Grow(p.Variables, variables), slices.Grow(p.Rows, rows)
	b.model.jobs = slices.Grow(b.model.jobs, variables)
}

// variable adds a whole variable of a job, from 0 to upper, and returns its index.
func (b *builder) variable(job, upper int, objective float64, name string, args ...any) int {
	b.model.Program.Variables = append(b.model.Program.Variables, program.Variable{
		Name: fmt.Sprintf(name, args...), Upper: float64(upper), Integer: true, Objective: objective,
	})
	b.model.jobs = append(b.model.jobs, job)
	return len(b.model.Program.Variables) - 1
}

// takes notes that each unit of a variable takes so many cores of a node for a job.
func (b *builder) takes(variable, job, node, cores int) {
	b.model.takes = append(b.model.takes, take{variable, job, node, cores})
}

// terms is the left-hand side of a row, ascending in variables.
type terms struct {
	variables    []int
	coefficients []float64
}

// termsOf returns terms with room for so many.
func termsOf(room int) terms {
	return terms{variables: make([]int, 0, room), coefficients: make([]float64, 0, room)}
}

func (t *terms) add(variable int, coefficient float64) {
	if coefficient != 0 {
		t.variables = append(t.variables, variable)
		t.coefficients = append(t.coefficients, coefficient)
	}
}

// row adds a row. A row without terms is left out if it holds, as 0 <= 8 does. If it
// does not hold, as 0 >= 8, it is kept, so that the program has no solution.
func (b *builder) row(t terms, sense program.Sense, rhs float64, name string, args ...any) {
	holds := sense == program.AtMost && rhs >= 0 || sense == program.AtLeast && rhs <= 0 || rhs == 0
	if len(t.variables) == 0 && holds {
		return
	}
	b.model.Program.Rows = append(b.model.Program.Rows, program.Row{
		Name: fmt.Sprintf(name, args...), Variables: t.variables, Coefficients: t.coefficients, Sense: sense, RHS: rhs,
	})
}
