package agent_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/slurmtest"
)

// misread is a cluster of which spoil may change what a command prints.
type misread struct {
	*slurmtest.Cluster
	spoil func(command string, out []byte) []byte
}

func (m *misread) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	out, err := m.Cluster.Run(ctx, stdin, argv...)
	if m.spoil != nil {
		out = m.spoil(argv[0]+" "+argv[len(argv)-1], out)
	}
	return out, err
}

func newMisread(t *testing.T, nodes, jobs int) (*misread, *agent.Slurm) {
	t.Helper()
	m := &misread{Cluster: slurmtest.New(slurmtest.Config{Nodes: nodes, Cores: 8})}
	client := &slurmctl.Client{Runner: m}
	for i := range jobs {
		if _, err := client.Submit(t.Context(), sbatch.Request{
			Name: string(rune('1' + i)), Tasks: 8, TimeLimit: time.Hour, Hold: true, Script: "#!/bin/sh\nsleep 600\n",
		}); err != nil {
			t.Fatal(err)
		}
	}
	return m, agent.NewSlurm(client, client)
}

// firstLine is an answer that was cut short.
func firstLine(out []byte) []byte {
	line, _, _ := bytes.Cut(out, []byte("\n"))
	return append(line, '\n')
}

// An answer with fewer nodes than there are is an error, first or later, and the agent
// goes on with the next one.
func TestNodeTableCutShort(t *testing.T) {
	for name, cut := range map[string]int{"first answer": 0, "later answer": 1} {
		t.Run(name, func(t *testing.T) {
			m, slurm := newMisread(t, 3, 3)
			a := newAgent(slurm)
			asked, failed, released := 0, 0, 0
			m.spoil = func(command string, out []byte) []byte {
				if command != "scontrol node" {
					return out
				}
				asked++
				if asked-1 == cut {
					return firstLine(out)
				}
				return out
			}
			for range 4 {
				record, err := a.Cycle(t.Context(), 0)
				if (err != nil) != (record.Error != "") {
					t.Errorf("error %v, and the record has %q", err, record.Error)
				}
				if err != nil {
					failed++
				}
				released += len(record.Released)
				m.Advance(time.Second)
			}
			if failed != 1 || released != 3 {
				t.Errorf("%d cycles failed, %d jobs were released, want 1 and 3", failed, released)
			}
		})
	}
}

// A released job that is missing from an answer has not started: its node is not given
// away again.
func TestQueueCutShort(t *testing.T) {
	m, slurm := newMisread(t, 1, 2)
	a := newAgent(slurm)
	if record, err := a.Cycle(t.Context(), 0); err != nil || len(record.Released) != 1 {
		t.Fatalf("record %+v, %v, want one release", record, err)
	}
	m.spoil = func(command string, out []byte) []byte {
		if command[:6] == "squeue" {
			_, out, _ = bytes.Cut(out, []byte("\n"))
		}
		return out
	}
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || len(record.Released)+len(record.Checked) > 0 || a.Waiting() != 1 {
		t.Fatalf("record %+v, %v, %d wait, want the released job to wait", record, err, a.Waiting())
	}
	m.spoil = nil
	m.Advance(time.Second)
	if record, err = a.Cycle(t.Context(), 0); err != nil || len(record.Checked) != 1 || !record.Checked[0].Exact {
		t.Errorf("record %+v, %v, want the start to be verified", record, err)
	}
}
