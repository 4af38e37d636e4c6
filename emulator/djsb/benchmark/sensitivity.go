package benchmark

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// Turn is how far one parameter can move before a finding turns over.
type Turn struct {
	Finding   string
	Parameter string
	// Value is what the run had, Allowed the range of values that there are.
	Value, AllowedLow, AllowedHigh float64
	// Margin of the finding at Value; above 0 it holds.
	Margin float64
	// Low and High bound the values around Value at which the finding stays as it is. At an
	// end of the allowed range nothing turns it over.
	Low, High float64
}

// parameter is one that is moved.
type parameter struct {
	name      string
	low, high float64
	of        func(*Parameters) *float64
}

// parameters are those of Contention, within what its Validate allows beside the others,
// and the delay, up to the length of an analytics of the paper.
func parameters(p Parameters) []parameter {
	const most = 0.9
	return []parameter{
		{"saturating", 0.05, 1, func(p *Parameters) *float64 { return &p.Saturating }},
		{"switch_loss", 0, most, func(p *Parameters) *float64 { return &p.SwitchLoss }},
		{"pressure_none", 0, p.PressureFull, func(p *Parameters) *float64 { return &p.PressureNone }},
		{"pressure_full", p.PressureNone, 1, func(p *Parameters) *float64 { return &p.PressureFull }},
		{"pressure_loss", 0, most, func(p *Parameters) *float64 { return &p.PressureLoss }},
		{"start_delay_s", 0, 10, func(p *Parameters) *float64 { return &p.StartDelay }},
	}
}

// The parts of a node's memory that the simulation has before and after, where a finding is on
// more memory.
const (
	lightMemory     = 8 // as figure 3 has 4 GiB of 32
	heavyMemory     = 2 // as figure 4 has 16 GiB
	sensitivitySeed = 1
)

// withMemory is the configuration with a simulation that has that part of a node's memory.
func withMemory(c djsbconfig.DJSB, part workloads.Memory) djsbconfig.DJSB {
	c.Simulation.TotalMemory = c.Machine.Memory / part * workloads.Memory(c.Simulation.Nodes())
	return c
}

// onMemory are the findings on more memory.
func onMemory(c djsbconfig.DJSB) []djsb.Between {
	return slices.DeleteFunc(djsb.FindingsBetween(), func(f djsb.Between) bool { return !f.Applies(withMemory(c, lightMemory), withMemory(c, heavyMemory)) })
}

// margins are how much each finding holds with some parameters.
func margins(ctx context.Context, c djsbconfig.DJSB, p Parameters) (map[string]float64, error) {
	var runs [3][]djsb.Summary
	for i, config := range []djsbconfig.DJSB{c, withMemory(c, lightMemory), withMemory(c, heavyMemory)} {
		var err error
		if runs[i], err = InMemory(ctx, config, p, sensitivitySeed); err != nil {
			return nil, err
		}
	}
	out := map[string]float64{}
	for _, f := range djsb.Findings() {
		out[f.Name] = f.Margin(runs[0])
	}
	for _, f := range onMemory(c) {
		out[f.Name] = f.Margin(runs[1], runs[2])
	}
	return out, nil
}

// names are the findings in their order.
func names(c djsbconfig.DJSB) []string {
	var out []string
	for _, f := range djsb.Findings() {
		out = append(out, f.Name)
	}
	for _, f := range onMemory(c) {
		out = append(out, f.Name)
	}
	return out
}

// gridSteps are the values of a parameter that are tried on each side, and halvings how often
// the step in which a finding turns over is halved: 1/1000 of the side.
const (
	gridSteps = 8
	halvings  = 7
)

// Sensitivity moves each parameter alone and tells where each finding of the paper turns over.
// The configuration is run with its scenarios of the paper and one sample.
func Sensitivity(ctx context.Context, c djsbconfig.DJSB, p Parameters) ([]Turn, error) {
	c.NumOfSamples, c.NumOfRefAnalysis = 1, 1
	c.Scenarios = djsb.PaperScenarios()
	here, err := margins(ctx, c, p)
	if err != nil {
		return nil, fmt.Errorf("sensitivity: %w", err)
	}
	var out []Turn
	for _, parameter := range parameters(p) {
		at := func(value float64) (map[string]float64, error) {
			moved := p
			*parameter.of(&moved) = value
			return margins(ctx, c, moved)
		}
		value := *parameter.of(&p)
		turns := map[string]*Turn{}
		for _, name := range names(c) {
			turns[name] = &Turn{
				Finding: name, Parameter: parameter.name, Value: value, AllowedLow: parameter.low, AllowedHigh: parameter.high,
				Margin: here[name], Low: parameter.low, High: parameter.high,
			}
		}
		for _, end := range []float64{parameter.low, parameter.high} {
			found, err := turning(value, end, here, at)
			if err != nil {
				return nil, fmt.Errorf("sensitivity: %s: %w", parameter.name, err)
			}
			for name, v := range found {
				if end < value {
					turns[name].Low = v
				} else {
					turns[name].High = v
				}
			}
		}
		for _, name := range names(c) {
			out = append(out, *turns[name])
		}
	}
	slices.SortStableFunc(out, func(a, b Turn) int { return slices.Index(names(c), a.Finding) - slices.Index(names(c), b.Finding) })
	return out, nil
}

// turning has, for each finding that turns over between value and end, the last value at which
// it has not.
func turning(value, end float64, here map[string]float64, at func(float64) (map[string]float64, error)) (map[string]float64, error) {
	found := map[string]float64{}
	if value == end {
		return found, nil
	}
	before := value
	for step := 1; step <= gridSteps; step++ {
		now := value + (end-value)*float64(step)/gridSteps
		there, err := at(now)
		if err != nil {
			return nil, err
		}
		for name, margin := range here {
			if _, known := found[name]; known || same(margin, there[name]) {
				continue
			}
			stays, turned := before, now
			for range halvings {
				middle := (stays + turned) / 2
				between, err := at(middle)
				if err != nil {
					return nil, err
				}
				if same(margin, between[name]) {
					stays = middle
				} else {
					turned = middle
				}
			}
			found[name] = stays
		}
		before = now
	}
	return found, nil
}

// same says that a finding holds with both margins, or with neither.
func same(a, b float64) bool { return (a > 0) == (b > 0) }

// moved is a finding with its turns, one for each parameter.
type moved []Turn

// SensitivityTable has a row for each finding of Sensitivity, with a column for each parameter.
func SensitivityTable(turns []Turn) (table.Table, error) {
	var rows []moved
	for _, t := range turns {
		if last := len(rows) - 1; last >= 0 && rows[last][0].Finding == t.Finding {
			rows[last] = append(rows[last], t)
			continue
		}
		rows = append(rows, moved{t})
	}
	fields := []table.Field[moved]{
		table.Word("finding", func(m moved) string { return m[0].Finding }),
		table.Word("model", func(m moved) string { return djsb.Verdict(m[0].Margin) }),
		table.Number("margin", func(m moved) float64 { return m[0].Margin }),
	}
	columns := []table.Column{table.Words("Finding of the paper", "finding"), table.Words("In the model", "model"), table.Numbers("Margin", "margin", 3).Ranked(1)}
	if len(rows) == 0 {
		return table.Table{}, errors.New("make table: no findings")
	}
	for i, first := range rows[0] {
		low, high := first.Parameter+"_from", first.Parameter+"_to"
		fields = append(fields, table.Number(low, func(m moved) float64 { return m[i].Low }), table.Number(high, func(m moved) float64 { return m[i].High }))
		columns = append(columns, table.Column{
			Title: fmt.Sprintf("%s %.3g", first.Parameter, first.Value), Names: []string{low, high}, Left: true,
			Show: func(r table.Row) string {
				t := first
				t.Low, t.High = r.Number(low), r.Number(high)
				return t.words()
			},
		})
	}
	frame, err := table.NewFrame(rows, fields...)
	if err != nil {
		return table.Table{}, fmt.Errorf("make table: %w", err)
	}
	return table.New(frame, columns...)
}

// words say where the finding turns over.
func (t Turn) words() string {
	side := func(word string, at, end float64) string {
		switch {
		case at == end:
			return ""
		// The last step is as narrow as this.
		case math.Abs(at-end) < (t.AllowedHigh-t.AllowedLow)/200:
			return fmt.Sprintf("at %.3g", end)
		default:
			return fmt.Sprintf("%s %.3g", word, at)
		}
	}
	words := strings.Trim(side("below", t.Low, t.AllowedLow)+", "+side("above", t.High, t.AllowedHigh), ", ")
	return cmp.Or(words, "never")
}
