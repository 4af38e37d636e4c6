package clock

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// readEnv collects the variables by which libfaketime finds its library and
// its shared memory, up to the line "ready".
func readEnv(r io.Reader) ([]string, error) {
	var env []string
	preload := false
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if line == "ready" {
			if !preload {
				return nil, errNoLibrary
			}
			return env, nil
		}
		name, _, _ := strings.Cut(line, "=")
		if name == "LD_PRELOAD" || strings.HasPrefix(name, "FAKETIME") {
			env = append(env, line)
			preload = preload || name == "LD_PRELOAD"
		}
	}
	return nil, fmt.Errorf("read faketime environment: %w", io.ErrUnexpectedEOF)
}
