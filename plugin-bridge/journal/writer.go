package journal

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Writer writes cycles to a file. Each is handed to the underlying writer in one
// piece, so that a file never lacks a cycle that was written.
type Writer struct {
	out    io.Writer
	memory memory
	packed *gzip.Writer
}

// NewWriter returns a writer for a file that is empty.
func NewWriter(out io.Writer) *Writer {
	// Only an invalid level is an error. The scheduler waits for the writing, so speed is worth more than size.
	packed, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	return &Writer{out: out, memory: newMemory(), packed: packed}
}

// Write appends a cycle.
func (w *Writer) Write(c Entry) error {
	l := line{
		Cycle: c.Cycle, Time: c.Snapshot.Now.Seconds(), Opts: c.Options, Rest: c.Snapshot,
		Selections: c.Selections, Outside: c.Outside,
	}
	l.Rest.Now, l.Rest.Nodes, l.Rest.Jobs, l.Rest.Running = 0, nil, nil, nil
	l.Machine, l.Free = w.memory.encodeNodes(c.Snapshot.Nodes)
	jobs := slices.Clone(c.Snapshot.Jobs)
	for i := range jobs {
		l.Priorities = append(l.Priorities, jobs[i].Priority)
		jobs[i].Priority = 0
	}
	if slices.Equal(l.Priorities, descending(len(jobs))) {
		l.Priorities = nil
	}
	l.Jobs, l.Window = news(w.memory.jobs, jobs, func(j bidding.Job) int { return j.ID })
	l.Placed, l.Running = news(w.memory.running, c.Running, func(r machine.Holding) int { return r.Job })
	l.Occupy, l.Occupied = w.memory.encodeOccupied(c.Snapshot.Running)

	var member bytes.Buffer
	w.packed.Reset(&member)
	if err := json.NewEncoder(w.packed).Encode(l); err != nil {
		return fmt.Errorf("record cycle %d: %w", c.Cycle, err)
	}
	if err := w.packed.Close(); err != nil {
		return fmt.Errorf("record cycle %d: %w", c.Cycle, err)
	}
	if _, err := w.out.Write(member.Bytes()); err != nil {
		return fmt.Errorf("record cycle %d: %w", c.Cycle, err)
	}
	return nil
}
