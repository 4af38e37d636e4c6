package trace

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// WriteCycle appends one line to cycles.jsonl.
func WriteCycle(w io.Writer, c Cycle) error {
	line, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("write cycle %d: %w", c.Cycle, err)
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write cycle %d: %w", c.Cycle, err)
	}
	return nil
}

// mostCycles bounds the cycles of a run, which are in memory together: 60 days of them, one every five seconds.
const mostCycles = 1 << 20

// ReadCycles reads cycles.jsonl; name is used in errors. Unknown fields are
// ignored. A last line that has no newline and is no JSON is what a killed
// writer leaves: it is dropped and reported by truncated. A bad line anywhere
// else is an error "name:line: ...".
func ReadCycles(r io.Reader, name string) (cycles []Cycle, truncated bool, err error) {
	lines := bufio.NewReader(r)
	for line := 1; ; line++ {
		text, err := lines.ReadString('\n')
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return nil, false, fmt.Errorf("read %s: %w", name, err)
		}
		if last && text == "" {
			return cycles, false, nil
		}
		if last && !json.Valid([]byte(text)) {
			return cycles, true, nil
		}
		var c Cycle
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			return nil, false, fmt.Errorf("%s:%d: want one cycle as JSON: %w", name, line, err)
		}
		// "null" is valid JSON for any struct and would pass as a cycle of zeros.
		if !strings.HasPrefix(strings.TrimSpace(text), "{") {
			return nil, false, fmt.Errorf("%s:%d: want one cycle as a JSON object", name, line)
		}
		if len(cycles) == mostCycles {
			return nil, false, fmt.Errorf("%s:%d: got more than %d cycles, allowed %[3]d", name, line, mostCycles)
		}
		cycles = append(cycles, c)
		if last {
			return cycles, false, nil
		}
	}
}
