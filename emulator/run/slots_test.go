package run

import (
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// The rule for memory is above what clusters of Slurm 26.05 took at most, and below one and a half of it
// (docs/records/023-campaigns).
func TestMemory(t *testing.T) {
	for _, tt := range []struct {
		machine, policy string
		measured        int64 // MiB
	}{
		{"S", policy.Backfill, 213}, {"M", policy.Backfill, 216}, {"L", policy.Backfill, 247}, {"tsubame", policy.Backfill, 267},
		{"S", policy.Auction, 232}, {"M", policy.Auction, 239}, {"L", policy.Auction, 278}, {"tsubame", policy.Auction, 309},
	} {
		c := estimated(t, tt.machine, "V.2", time.Hour, tt.policy)
		c.Backend = backend.All().Of(backend.External)
		if got := c.Estimate().Memory >> 20; got < tt.measured || got > tt.measured*3/2 {
			t.Errorf("%s under %s: %d MiB, measured %d", tt.machine, tt.policy, got, tt.measured)
		}
	}
}

// Any of the runs that go at a time fit, beside one hard program where there is an agent.
func TestAtATime(t *testing.T) {
	small, large := estimated(t, "S", "V.2", 20*time.Minute, policy.Backfill), estimated(t, "tsubame", "V.2", 20*time.Minute, policy.Backfill)
	agent := estimated(t, "S", "V.2", 20*time.Minute, policy.Auction)
	one, big := uint64(small.memory()), uint64(large.memory())
	if big <= one {
		t.Fatalf("%d bytes on tsubame, %d on S", big, one)
	}
	capped := large
	capped.Memory = int64(one)
	for name, c := range map[string]struct {
		runs []Config
		free uint64
		want int
	}{
		"all":                      {[]Config{small, small, small}, 3 * one, 3},
		"a byte less":              {[]Config{small, small, small}, 3*one - 1, 2},
		"the largest count":        {[]Config{small, large, small, large}, 2*big + one - 1, 2},
		"not even one":             {[]Config{small, small}, one - 1, 1},
		"an agent":                 {[]Config{small, agent}, hardProgram + one + uint64(agent.memory()), 2},
		"an agent, a byte less":    {[]Config{small, agent}, hardProgram + one + uint64(agent.memory()) - 1, 1},
		"a limit that is narrower": {[]Config{capped, capped}, 2 * one, 2},
	} {
		if got := AtATime(c.runs, c.free); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
		// So much and no more is asked of a node for as many.
		if need := Together(c.runs, c.want); name != "not even one" && (need > c.free || AtATime(c.runs, need) < c.want) {
			t.Errorf("%s: %d runs take %d bytes of %d", name, c.want, need, c.free)
		}
	}
	if free, known := FreeMemory(); known && free < 1<<20 {
		t.Errorf("this machine has %d bytes left", free)
	}
}

// What runs leave on the disk is asked for before anything starts, beside the room of those that go at a time.
func TestDisk(t *testing.T) {
	c := estimated(t, "tsubame", "V.2", time.Hour, policy.Auction)
	if got := Disk(c) >> 10; got < 1044 || got > 3*1044 {
		t.Errorf("got %d KiB, measured 1044", got)
	}
	if Disk(c, c, c) != 3*Disk(c) {
		t.Errorf("three runs take %d bytes, one %d", Disk(c, c, c), Disk(c))
	}
}
