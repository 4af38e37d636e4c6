package journal

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Read reads the cycles of a file and hands each to use, until that fails. name
// is used in errors, which name the line too. A file that is cut off in its last
// line is what a killed writer leaves: truncated reports it, and the line is
// dropped.
func Read(in io.Reader, name string, use func(Entry) error) (truncated bool, err error) {
	packed, err := gzip.NewReader(bufio.NewReader(in))
	if errors.Is(err, io.EOF) {
		return false, nil // no cycle at all
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", name, err)
	}
	lines, m := bufio.NewReader(packed), newMemory()
	for number := 1; ; number++ {
		text, err := readLine(lines)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return true, nil
		case errors.Is(err, io.EOF):
			return len(bytes.TrimSpace(text)) > 0, nil
		case err != nil:
			return false, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		var l line
		if err = json.Unmarshal(text, &l); err != nil {
			return false, fmt.Errorf("%s:%d: want one cycle as JSON: %w", name, number, err)
		}
		c, err := m.decode(l)
		if err != nil {
			return false, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if err = use(c); err != nil {
			return false, err
		}
	}
}

// Bounds of what a line may make in memory.
const (
	maxLine  = 64 << 20
	maxNodes = values.MaxHosts
)

// readLine is ReadBytes('\n') for lines of up to maxLine bytes: a file of some kB can
// unpack to any size.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("line: got more than %d MiB, allowed %d", maxLine>>20, maxLine>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// decode puts a line together with what is known from those before.
func (m *memory) decode(l line) (Entry, error) {
	c := Entry{
		Cycle: l.Cycle, Options: l.Opts, Snapshot: l.Rest, Selections: l.Selections, Outside: l.Outside,
	}
	c.Snapshot.Now = time.Duration(math.Round(l.Time * float64(time.Second)))
	var err error
	if c.Snapshot.Nodes, err = m.decodeNodes(l); err != nil {
		return c, err
	}
	if c.Snapshot.Running, err = m.decodeOccupied(l, len(c.Snapshot.Nodes)); err != nil {
		return c, err
	}
	for _, j := range l.Jobs {
		m.jobs[j.ID] = j
	}
	if l.Priorities == nil {
		l.Priorities = descending(len(l.Window))
	}
	if len(l.Priorities) != len(l.Window) {
		return c, fmt.Errorf("field priorities: %d for a window of %d jobs", len(l.Priorities), len(l.Window))
	}
	for i, id := range l.Window {
		j, known := m.jobs[id]
		if !known {
			return c, fmt.Errorf("field window: job %d was never described", id)
		}
		j.Priority = l.Priorities[i]
		c.Snapshot.Jobs = append(c.Snapshot.Jobs, j)
	}
	for _, r := range l.Placed {
		if err := validate(r.Allocation, len(c.Snapshot.Nodes)); err != nil {
			return c, fmt.Errorf("field placed: job %d: %w", r.Job, err)
		}
		m.running[r.Job] = r
	}
	for _, id := range l.Running {
		r, known := m.running[id]
		if !known {
			return c, fmt.Errorf("field running: job %d was never described", id)
		}
		c.Running = append(c.Running, r)
	}
	if err := c.Snapshot.Validate(); err != nil {
		return c, err
	}
	return c, nil
}

// validate checks the place of a running job on a machine of so many nodes.
func validate(a machine.Allocation, nodes int) error {
	if len(a.Nodes) != len(a.Cores) {
		return fmt.Errorf("%d nodes and cores on %d", len(a.Nodes), len(a.Cores))
	}
	for _, n := range a.Nodes {
		if n < 0 || n >= nodes {
			return fmt.Errorf("node %d, allowed are indices of the %d nodes", n, nodes)
		}
	}
	return nil
}

func (m *memory) decodeNodes(l line) ([]machine.Node, error) {
	if l.Machine != nil {
		m.nodes = nil
	}
	for _, g := range l.Machine {
		names, err := values.ExpandHosts(g.Nodes)
		if err != nil {
			return nil, fmt.Errorf("field machine: %w", err)
		}
		if len(m.nodes)+len(names) > maxNodes {
			return nil, fmt.Errorf("field machine: more than %d nodes", maxNodes)
		}
		for _, name := range names {
			n := g.Each
			n.Name = name
			m.nodes = append(m.nodes, n)
		}
	}
	nodes := make([]machine.Node, 0, len(m.nodes))
	for _, r := range l.Free {
		if r[0] < 1 || len(nodes)+r[0] > len(m.nodes) {
			return nil, fmt.Errorf("field free: a run of %d nodes after %d of %d", r[0], len(nodes), len(m.nodes))
		}
		for range r[0] {
			n := m.nodes[len(nodes)]
			n.FreeCores, n.FreeGPUs, n.FreeMemory = r[1], r[2], r[3]
			nodes = append(nodes, n)
		}
	}
	if len(nodes) < len(m.nodes) {
		return nil, fmt.Errorf("field free: %d of %d nodes", len(nodes), len(m.nodes))
	}
	return nodes, nil
}
