package run

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
)

// hostPatience is how long a program on this machine may take to end after its input has ended.
const hostPatience = 2 * time.Second

// hosted is the program of a policy "host:FILE", which does what slurmlabd calls for.
type hosted struct {
	server *plugin.Server
	words  *os.File
	module string
}

// newHosted returns the program of a run, not started yet. Its standard error goes to the logs
// of the run. It is in this process's directory and has its environment, and the module
// slurmlab in its PYTHONPATH.
func newHosted(p policy.Policy, dir trace.Dir, say func(any) error) (*hosted, error) {
	file, err := filepath.Abs(p.ProgramFile)
	if err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	if err = os.MkdirAll(dir.Logs(), 0o755); err != nil {
		return nil, fmt.Errorf("log of the program: %w", err)
	}
	words, err := os.OpenFile(filepath.Join(dir.Logs(), "program.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("log of the program: %w", err)
	}
	module, env, err := plugin.PythonEnviron()
	if err != nil {
		_ = words.Close()
		return nil, err
	}
	program := plugin.NewProcess(plugin.Command{
		Argv: []string{file}, Env: env, Stderr: plugin.HeadOf(words, plugin.MostWords), Patience: hostPatience,
	})
	reply := func(r plugin.Reply) {
		// If slurmlabd reads no more, the run has ended.
		_ = say(r)
	}
	return &hosted{plugin.NewServer(program, reply), words, module}, nil
}

// Close ends the program.
func (h *hosted) Close() {
	h.server.Close()
	_ = h.words.Close()
	_ = os.RemoveAll(h.module)
}

// line writes v as a line of JSON.
func line(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}
