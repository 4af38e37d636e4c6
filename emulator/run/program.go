package run

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
)

// hostPatience is how long a program on this machine may take to end after its input has ended.
const hostPatience = 2 * time.Second

// mostKept is the largest program in bytes of which a run keeps a copy: scripts, and what compilers make of a scheduler.
const mostKept = 16 << 20

// program is what the record says of the policy's program, nil without one.
func (c Config) program() (*trace.KeptProgram, error) {
	if c.Policy.ProgramFile == "" {
		return nil, nil
	}
	info, err := os.Stat(c.Policy.ProgramFile)
	if err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	kept := &trace.KeptProgram{Bytes: info.Size(), SHA256: c.Policy.Parameters.ProgramSum}
	if kept.Bytes <= mostKept {
		kept.File = path.Join(trace.ProgramName, c.Policy.Parameters.Program)
	}
	return kept, nil
}

// keepProgram copies the policy's program into the run. A program that was changed since the policy was read is refused:
// it would run under the sum of another one.
func (c Config) keepProgram(dir trace.Dir, kept *trace.KeptProgram) error {
	if kept == nil {
		return nil
	}
	sum, err := policy.CheckProgram(c.Policy.ProgramFile)
	if err != nil {
		return fmt.Errorf("program: %w", err)
	}
	if sum != kept.SHA256 {
		return fmt.Errorf("program: %s was changed since this command began; run the command again", c.Policy.ProgramFile)
	}
	if kept.File == "" {
		return nil
	}
	from, err := os.Open(c.Policy.ProgramFile)
	if err != nil {
		return fmt.Errorf("program: %w", err)
	}
	defer func() { _ = from.Close() }()
	to := filepath.Join(dir.Path(), kept.File)
	if err = os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("program: %w", err)
	}
	err = trace.WriteAtomic(to, func(w io.Writer) error {
		_, copyErr := io.Copy(w, from)
		return copyErr
	})
	if err != nil {
		return err
	}
	// It can be named as exec:FILE again.
	return os.Chmod(to, 0o755)
}

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
