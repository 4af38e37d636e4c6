package slurmctl

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// inputrc holds settings of readline for scontrol. scontrol adds each line that it reads to readline's history, and
// would grow by every command of a long run. The file is in memory: a full /tmp must not keep a run from beginning, and
// a killed process leaves nothing there.
func inputrc() (*os.File, error) {
	descriptor, err := unix.MemfdCreate("inputrc", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("write settings of readline: %w", err)
	}
	file := os.NewFile(uintptr(descriptor), "inputrc")
	if _, err = file.WriteString("set history-size 0\n"); err != nil {
		return nil, fmt.Errorf("write settings of readline: %w", errors.Join(err, file.Close()))
	}
	return file, nil
}
