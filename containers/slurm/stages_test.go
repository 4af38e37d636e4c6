package slurm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go/wait"
)

// booting is a container with a log, of which the engine sends a line at a time, and the state that it ends with.
type booting struct {
	wait.StrategyTarget
	lines  []string
	state  container.State
	failed error
	sent   int
}

func (b *booting) Inspect(context.Context) (*container.InspectResponse, error) {
	return &container.InspectResponse{ID: "c0ffee"}, nil
}

func (b *booting) State(context.Context) (*container.State, error) { return &b.state, nil }

func (b *booting) ContainerLogs(_ context.Context, id string, options client.ContainerLogsOptions) (client.ContainerLogsResult, error) {
	if id != "c0ffee" || !options.Follow || !options.ShowStdout {
		return nil, errors.New("not what is asked of an engine")
	}
	return io.NopCloser(b), nil
}

// Read sends the next line as the engine does: its stream and its length, in eight bytes, and the line.
func (b *booting) Read(to []byte) (int, error) {
	if b.sent == len(b.lines) {
		if b.failed != nil {
			return 0, b.failed
		}
		return 0, io.EOF
	}
	header := []byte{byte(stdcopy.Stdout), 0, 0, 0, 0, 0, 0, 0}
	binary.BigEndian.PutUint32(header[4:], uint32(len(b.lines[b.sent])))
	b.sent++
	return copy(to, append(header, b.lines[b.sent-1]...)), nil
}

var stages = []string{
	"slurmlab: booting 1/5 database\n", "a line of another program\n", "slurmlab: booting 2/5 slurmdbd\n",
	"slurmlab: booting 3/5 slurmctld\nslurmlab: booting 4/5 slurmd\n", "it says slurmlab: cluster ready\n",
	"slurmlab: booting 5/5 nodes\n",
}

// Each stage is reported once and in order, whatever else the container logs, and the wait ends with the ready line.
func TestBootLog(t *testing.T) {
	log := &booting{lines: slices.Concat(stages, []string{"slurmlab: cluster ready\n", "slurmlab: booting again\n"})}
	var told []string
	wait := &bootLog{log, func(stage string) { told = append(told, stage) }}
	if err := wait.WaitUntilReady(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	want := []string{"1/5 database", "2/5 slurmdbd", "3/5 slurmctld", "4/5 slurmd", "5/5 nodes"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// A log that ends tells why: the container has ended, or the engine does not answer.
func TestBootLogEnds(t *testing.T) {
	for _, tt := range []struct {
		log  booting
		want string
	}{
		{booting{state: container.State{Status: container.StateExited, ExitCode: 3}}, "container exited with code 3"},
		{booting{state: container.State{Status: container.StateExited, ExitCode: 137, OOMKilled: true}}, "container crashed with out-of-memory (OOMKilled)"},
		{booting{failed: errors.New("connection reset")}, "the cluster has not booted\nconnection reset"},
	} {
		tt.log.lines = stages
		err := (&bootLog{&tt.log, func(string) {}}).WaitUntilReady(t.Context(), &tt.log)
		if err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

// A line of any length is no reason to fail.
func TestLongLineOfBoot(t *testing.T) {
	log := bytes.NewBufferString(strings.Repeat("x", 1<<20) + "\n" + ReadyLine + "\n")
	if ready, err := readBoot(log, func(string) {}); !ready || err != nil {
		t.Errorf("got %v, %v", ready, err)
	}
}
