package slurm

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/testcontainers/testcontainers-go/wait"
)

// growing is a container whose log has one more line each time it is read.
type growing struct {
	wait.StrategyTarget
	lines []string
	read  int
}

func (g *growing) Logs(context.Context) (io.ReadCloser, error) {
	g.read = min(g.read+1, len(g.lines))
	return io.NopCloser(strings.NewReader(strings.Join(g.lines[:g.read], ""))), nil
}

func (g *growing) State(context.Context) (*container.State, error) {
	return &container.State{Running: true, Status: container.StateRunning}, nil
}

// Each stage is told once and in order, whatever else the container logs, and the
// wait ends with the ready line.
func TestBootLog(t *testing.T) {
	log := &growing{lines: []string{
		"slurmlab: booting 1/5 database\n", "a line of another program\n", "slurmlab: booting 2/5 slurmdbd\n",
		"slurmlab: booting 3/5 slurmctld\nslurmlab: booting 4/5 slurmd\n", "it says slurmlab: cluster ready\n",
		"slurmlab: booting 5/5 nodes\n", "slurmlab: cluster ready\n", "slurmlab: booting again\n",
	}}
	var told []string
	wait := bootLog(func(stage string) { told = append(told, stage) })
	if err := wait.WaitUntilReady(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	want := []string{"1/5 database", "2/5 slurmdbd", "3/5 slurmctld", "4/5 slurmd", "5/5 nodes"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if log.read != 7 {
		t.Errorf("read %d lines, want to end at the ready line", log.read)
	}
}
