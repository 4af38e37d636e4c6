package trace

import (
	"errors"
	"fmt"
)

// maxFaults bounds the length of an error message: a file in the wrong format
// has a fault on every line and the first ones say it all.
const maxFaults = 20

// faults collects the faults of one file, so that a reader can name all of
// them at once.
type faults struct {
	list []error
	more int
}

func (f *faults) addf(format string, args ...any) {
	if len(f.list) == maxFaults {
		f.more++
		return
	}
	f.list = append(f.list, fmt.Errorf(format, args...))
}

// err returns nil when nothing was collected.
func (f *faults) err() error {
	if f.more > 0 {
		return errors.Join(append(f.list, fmt.Errorf("and %d more faults", f.more))...)
	}
	return errors.Join(f.list...)
}
