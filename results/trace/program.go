package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
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

// MostKept is the largest program in bytes of which a run keeps a copy: scripts, and what compilers make of a scheduler.
const MostKept = 16 << 20

// ProgramOf is what the record says of a policy's program with that file, name and SHA-256, nil without a file.
func ProgramOf(file, name, sum string) (*KeptProgram, error) {
	if file == "" {
		return nil, nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	kept := &KeptProgram{Bytes: info.Size(), SHA256: sum}
	if kept.Bytes <= MostKept {
		kept.File = path.Join(ProgramName, name)
	}
	return kept, nil
}

// KeepProgram copies the program from its file into the run, unless it is too large. A program that has another sum by now is
// refused, and nothing is copied: it would run under the sum of another one.
func (d Dir) KeepProgram(from string, kept KeptProgram) error {
	file, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("program: %w", err)
	}
	defer func() { _ = file.Close() }()
	read := func(w io.Writer) error {
		hash := sha256.New()
		if _, copyErr := io.Copy(io.MultiWriter(w, hash), file); copyErr != nil {
			return fmt.Errorf("program: %w", copyErr)
		}
		if hex.EncodeToString(hash.Sum(nil)) != kept.SHA256 {
			return fmt.Errorf("program: %s was changed since this command began; run the command again", from)
		}
		return nil
	}
	if kept.File == "" {
		return read(io.Discard)
	}
	to := filepath.Join(d.path, kept.File)
	if err = os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("program: %w", err)
	}
	if err = WriteAtomic(to, read); err != nil {
		return err
	}
	// It can be named as exec:FILE again.
	return os.Chmod(to, 0o755)
}

// CheckProgram says that the copy of a run's program is not the program that ran. Without a copy there is nothing to check.
func (d Dir) CheckProgram(run Run) error {
	if run.Program == nil || run.Program.File == "" {
		return nil
	}
	copied := filepath.Join(d.path, run.Program.File)
	file, err := d.Open(run.Program.File)
	if err != nil {
		return fmt.Errorf("the program of the run is gone: %w", err)
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err = io.Copy(hash, file); err != nil {
		return fmt.Errorf("read %s: %w", copied, err)
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); sum != run.Program.SHA256 {
		return fmt.Errorf("%s is not the program that ran: its SHA-256 is %.12s…, run.json has %.12s…", copied, sum, run.Program.SHA256)
	}
	return nil
}
