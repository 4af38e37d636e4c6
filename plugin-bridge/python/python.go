package python

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Names of the modules' files.
const (
	ClientFile = "slurmlab.py"
	GymFile    = "slurmlab_gym.py"
	BatsimFile = "slurmlab_batsim.py"
)

//go:embed slurmlab.py
var client []byte

//go:embed slurmlab_gym.py
var gym []byte

//go:embed slurmlab_batsim.py
var batsim []byte

// Client is the module slurmlab.
func Client() []byte { return client }

// Write writes the modules into a directory, which it creates, and returns their files.
func Write(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("write the modules: %w", err)
	}
	var files []string
	for _, m := range []struct {
		name string
		text []byte
	}{{ClientFile, client}, {GymFile, gym}, {BatsimFile, batsim}} {
		file := filepath.Join(dir, m.name)
		// The last two are programs of policies, too.
		if err := os.WriteFile(file, m.text, 0o755); err != nil {
			return nil, fmt.Errorf("write the modules: %w", err)
		}
		files = append(files, file)
	}
	return files, nil
}

// Environ writes the modules into a temporary directory, which the caller removes, and
// returns this process's environment with it as the last place that Python looks at.
func Environ() (dir string, env []string, err error) {
	if dir, err = os.MkdirTemp("", "slurmlab-python-"); err != nil {
		return "", nil, fmt.Errorf("write the modules: %w", err)
	}
	if _, err = Write(dir); err != nil {
		_ = os.RemoveAll(dir)
		return "", nil, err
	}
	path := dir
	if own := os.Getenv("PYTHONPATH"); own != "" {
		path = strings.Join([]string{own, dir}, string(os.PathListSeparator))
	}
	// Of two values of a name the last one counts.
	return dir, append(os.Environ(), "PYTHONPATH="+path), nil
}
