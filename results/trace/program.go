package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
)

// ProgramName is the folder, in a run directory, of the program that decided.
const ProgramName = "program"

// KeptProgram is the program of a run.
type KeptProgram struct {
	// File is the copy, below the run directory; it is empty where the program is too large to be kept.
	File   string `json:"file,omitempty"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// CheckProgram says that the copy of a run's program is not the program that ran. Without a copy there is nothing to check.
func (d Dir) CheckProgram(run Run) error {
	if run.Program == nil || run.Program.File == "" {
		return nil
	}
	path := filepath.Join(d.path, run.Program.File)
	file, err := d.Open(run.Program.File)
	if err != nil {
		return fmt.Errorf("the program of the run is gone: %w", err)
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err = io.Copy(hash, file); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); sum != run.Program.SHA256 {
		return fmt.Errorf("%s is not the program that ran: its SHA-256 is %.12s…, run.json has %.12s…", path, sum, run.Program.SHA256)
	}
	return nil
}
