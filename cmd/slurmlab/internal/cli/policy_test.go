package cli

import (
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator"
)

// TestFlagsOverPolicy: flags that are given take the place of a policy's settings,
// and no others do, also where a flag's value is its default.
func TestFlagsOverPolicy(t *testing.T) {
	own := func(name string) emulator.Parameters {
		d, err := emulator.FindPolicy(name)
		if err != nil {
			t.Fatal(err)
		}
		return d.Parameters
	}
	tests := []struct {
		policy string
		args   []string
		change func(*emulator.Parameters)
	}{
		{"ipsched", nil, func(*emulator.Parameters) {}},
		{"ipsched", []string{"--machine", "M", "--seed", "3"}, func(*emulator.Parameters) {}},
		{"ipsched", []string{"--solve-limit", "10s", "--window=7"}, func(p *emulator.Parameters) { p.SolveLimit, p.Window = 10*time.Second, 7 }},
		{"ipsched", []string{"--interval", "5s"}, func(p *emulator.Parameters) { p.Interval = 5 * time.Second }},
		{"auction1", []string{"--slurm-bids=false", "--dump-models"}, func(p *emulator.Parameters) { p.SlurmBids, p.DumpModels = false, true }},
		{"auction2", []string{"--only-blocks", "--shrink", "nothing"}, func(p *emulator.Parameters) { p.OnlyBlocks, p.Shrink = true, "nothing" }},
	}
	for _, tt := range tests {
		var e experiment
		cmd := &cobra.Command{}
		e.flags(cmd)
		if err := cmd.ParseFlags(tt.args); err != nil {
			t.Fatal(err)
		}
		got, err := e.policy(tt.policy)
		want := own(tt.policy)
		tt.change(&want)
		if err != nil || got.Parameters != want {
			t.Errorf("%s %v: %+v, %v; want %+v", tt.policy, tt.args, got.Parameters, err, want)
		}
	}
}
