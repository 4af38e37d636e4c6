package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/workloads"
)

// nothing stands where a value is unknown or does not exist.
const nothing = "–"

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// number writes v with about four significant digits, a whole number without
// decimals.
func number(v float64) string {
	if v == math.Trunc(v) {
		return fixed(v, 0)
	}
	return fixed(v, decimals(v))
}

// meanStd writes both with the decimals that suit the mean.
func meanStd(v metric.MeanStd) string {
	return fixed(v.Mean, decimals(v.Mean)) + " ± " + fixed(v.Std, decimals(v.Mean))
}

// decimals are the digits after the point that make four significant ones
// from 1 on; smaller values have three.
func decimals(v float64) int {
	d := 3
	for limit := 10.0; d > 0 && math.Abs(v) >= limit; limit *= 10 {
		d--
	}
	return d
}

// fixed writes v with a number of decimals and a real minus sign.
func fixed(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nothing
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return strings.Replace(text, "-", "−", 1)
}

// percent writes a fraction of 1.
func percent(v float64) string { return fixed(100*v, 1) + " %" }

// orNothing writes texts that may be empty.
func orNothing(s string) string {
	if s == "" {
		return nothing
	}
	return s
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return nothing
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

func machineText(m workloads.Machine) string {
	return fmt.Sprintf("%s: %s of %s and %s", m.Name, plural(m.Nodes, "node"), plural(m.Cores, "core"), plural(m.GPUs, "GPU"))
}

// jsonText writes raw JSON for people; what is no JSON is shown as it is.
func jsonText(raw json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return string(raw)
	}
	return out.String()
}

// countTexts writes a histogram as "12 × optimal, 1 × time limit", the most
// frequent first.
func countTexts(counts map[string]int) string {
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(a, b int) bool {
		if counts[keys[a]] != counts[keys[b]] {
			return counts[keys[a]] > counts[keys[b]]
		}
		return keys[a] < keys[b]
	})
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = fmt.Sprintf("%d × %s", counts[k], orNothing(k))
	}
	return strings.Join(parts, ", ")
}
