package plugin

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Names of the modules' files.
const (
	PythonClientFile = "slurmlab.py"
	PythonGymFile    = "slurmlab_gym.py"
	PythonBatsimFile = "slurmlab_batsim.py"
)

//go:embed python/slurmlab.py
var pythonClient []byte

//go:embed python/slurmlab_gym.py
var pythonGym []byte

//go:embed python/slurmlab_batsim.py
var pythonBatsim []byte

// PythonClient is the module slurmlab.
func PythonClient() []byte { return pythonClient }

// WritePython writes the modules into a directory, which it creates, and returns their files.
func WritePython(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("write the modules: %w", err)
	}
	var files []string
	for _, m := range []struct {
		name string
		text []byte
	}{{PythonClientFile, pythonClient}, {PythonGymFile, pythonGym}, {PythonBatsimFile, pythonBatsim}} {
		file := filepath.Join(dir, m.name)
		// The last two are programs of policies as well.
		if err := os.WriteFile(file, m.text, 0o755); err != nil {
			return nil, fmt.Errorf("write the modules: %w", err)
		}
		files = append(files, file)
	}
	return files, nil
}

// PythonEnviron writes the modules into a temporary directory, which the caller removes, and
// returns this process's environment with it as the last place that Python looks at.
func PythonEnviron() (dir string, env []string, err error) {
	if dir, err = os.MkdirTemp("", "slurmlab-python-"); err != nil {
		return "", nil, fmt.Errorf("write the modules: %w", err)
	}
	if _, err = WritePython(dir); err != nil {
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
