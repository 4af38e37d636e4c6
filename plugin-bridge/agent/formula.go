package agent

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

// Formula gives each waiting job a number. Slurm starts jobs with greater numbers first: "-limit" is shortest job first.
// The zero value has no formula.
type Formula struct {
	program *vm.Program
	// waits says that the numbers change while jobs wait, and value that they need the auction's value.
	waits, value bool
}

// facts are what a formula can name of a job. Times are in seconds. They are also the documentation of its names.
type facts struct {
	Wait   float64 `expr:"wait"`
	Limit  float64 `expr:"limit"`
	Cores  float64 `expr:"cores"`
	GPUs   float64 `expr:"gpus"`
	Nodes  float64 `expr:"nodes"`
	Submit float64 `expr:"submit"`
	Value  float64 `expr:"value"`
}

// FormulaNames is what a formula may consist of, for messages and help.
const FormulaNames = "numbers, + - * / ** ( ), min, max, abs, sqrt, log2, log10, and of a job wait, limit and submit in seconds, cores, gpus, nodes and value"

// ParseFormula reads a formula in the syntax of github.com/expr-lang/expr. It can only compute.
func ParseFormula(text string) (Formula, error) {
	options := []expr.Option{expr.Env(facts{}), expr.AsFloat64(), expr.DisableAllBuiltins(), expr.MaxNodes(200)}
	for _, name := range []string{"abs", "max", "min"} {
		options = append(options, expr.EnableBuiltin(name))
	}
	for name, of := range map[string]func(float64) float64{"sqrt": math.Sqrt, "log2": math.Log2, "log10": math.Log10} {
		options = append(options, expr.Function(name, func(params ...any) (any, error) { return of(number(params[0])), nil },
			new(func(float64) float64), new(func(int) float64)))
	}
	program, err := expr.Compile(text, options...)
	if err != nil {
		// The rest of the text shows the place with a mark below it.
		first, _, _ := strings.Cut(err.Error(), "\n")
		return Formula{}, errors.New(first)
	}
	var seen formulaNodes
	root := program.Node()
	ast.Walk(&root, &seen)
	if seen.foreign {
		return Formula{}, errors.New("lists, texts and loops are not allowed")
	}
	// The value of a job grows with its wait where limits are far apart.
	return Formula{program: program, waits: seen.wait || seen.value, value: seen.value}, nil
}

func number(value any) float64 {
	if whole, is := value.(int); is {
		return float64(whole)
	}
	return value.(float64)
}

// formulaNodes are what a formula consists of (ast.Visitor).
type formulaNodes struct{ wait, value, foreign bool }

func (f *formulaNodes) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		f.wait = f.wait || n.Value == "wait"
		f.value = f.value || n.Value == "value"
	case *ast.BinaryNode:
		f.foreign = f.foreign || n.Operator == ".."
	case *ast.BuiltinNode:
		f.foreign = f.foreign || n.Name != "abs" && n.Name != "max" && n.Name != "min"
	case *ast.IntegerNode, *ast.FloatNode, *ast.UnaryNode, *ast.ConditionalNode, *ast.CallNode, *ast.BoolNode:
	default:
		f.foreign = true
	}
}

// none says that there is no formula.
func (f Formula) none() bool { return f.program == nil }

// scores returns the number of each job of a snapshot. submitted are the seconds from the start of the run to each submission, and
// worth values the jobs as an auction does. A job without a time limit counts like the longest one.
func (f Formula) scores(s auction.Snapshot, submitted []float64, worth auction.Options) ([]float64, error) {
	var values []float64
	if f.value {
		values = worth.Worth(s)
	}
	longest := 1.0
	for _, j := range s.Jobs {
		longest = max(longest, j.TimeLimit.Seconds())
	}
	scores := make([]float64, len(s.Jobs))
	for i, j := range s.Jobs {
		of := facts{
			Wait: j.Waited.Seconds(), Limit: j.TimeLimit.Seconds(), Cores: float64(j.Tasks()), GPUs: float64(totalGPUs(j)),
			Nodes: float64(max(1, j.Nodes)), Submit: submitted[i],
		}
		if of.Limit == 0 {
			of.Limit = longest
		}
		if values != nil {
			of.Value = values[i]
		}
		out, err := vm.Run(f.program, of)
		if err != nil {
			return nil, fmt.Errorf("formula of job %d: %w", j.ID, err)
		}
		scores[i] = out.(float64)
	}
	return scores, nil
}

// totalGPUs are those that a job asks for on all its nodes.
func totalGPUs(j bidding.Job) int { return j.GPUs * max(1, j.Nodes) }
