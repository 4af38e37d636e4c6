package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/workloads"
)

// nothing stands where a value is unknown or does not exist.
const nothing = text.Nothing

// meanStd writes both with the decimals that suit the mean.
func meanStd(v metric.MeanStd) string {
	return text.Fixed(v.Mean, text.Decimals(v.Mean)) + " ± " + text.Fixed(v.Std, text.Decimals(v.Mean))
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return nothing
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

func machineText(m workloads.Machine) string {
	if m.Unequal() {
		return m.Name + ": " + m.Size()
	}
	return fmt.Sprintf("%s: %s of %s and %s", m.Name, text.Plural(m.Nodes, "node"), text.Plural(m.Cores, "core"), text.Plural(m.GPUs, "GPU"))
}

// jsonText writes raw JSON for people; what is no JSON is shown as it is.
func jsonText(raw json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return string(raw)
	}
	return out.String()
}
