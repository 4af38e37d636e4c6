package campaign

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
)

// The values of the flag --core that are no number.
const (
	CoreAuto = "auto"
	CoreNone = "none"
)

// CheckCore checks the flag --core.
func CheckCore(core string) error {
	if core == CoreAuto || core == CoreNone {
		return nil
	}
	if n, err := strconv.Atoi(core); err == nil && n >= 0 {
		return nil
	}
	return fmt.Errorf("core: %q is not allowed, want auto, none, or the number of a core", core)
}

// CoreThere checks that the engine's machine has the core of the flag --core.
func CoreThere(ctx context.Context, on run.Engine, core string) error {
	number, err := strconv.Atoi(core)
	if err != nil {
		return nil
	}
	processors, err := on.Processors(ctx)
	if err == nil && !slices.Contains(processors, number) {
		err = faults.Usage(fmt.Errorf("core: %d is not there, want auto, none, or 0 to %d", number, len(processors)-1))
	}
	return err
}

// slot is what a cluster runs on: a core of the machine of an engine, nil for a cluster that is not confined.
type slot struct {
	on   run.Engine
	core *int
}

// slots are what the clusters of an experiment run on.
type slots struct {
	// free holds the slot of each cluster that may run at a time.
	free    chan slot
	release func()
}

// slotsOn are cores that were taken.
func slotsOn(taken []run.Core) slots {
	c := slots{free: make(chan slot, len(taken)), release: func() { run.ReleaseCores(taken) }}
	for i := range taken {
		c.free <- slot{taken[i].On, &taken[i].Number}
	}
	return c
}

// TakeCore takes the core of one cluster as the flag --core says, nil for one that is not confined, until release is
// called.
func TakeCore(ctx context.Context, on run.Engine, flag string, waiting func([]run.Holder)) (core *int, release func(), err error) {
	c, err := takeCores(ctx, on, flag, 1, waiting)
	if err != nil {
		return nil, nil, err
	}
	return (<-c.free).core, c.release, nil
}

// takeCores takes up to want cores as the flag --core says; it waits until at
// least one is free, and tells waiting who has them.
func takeCores(ctx context.Context, on run.Engine, flag string, want int, waiting func([]run.Holder)) (slots, error) {
	var numbers []*int
	switch flag {
	case CoreAuto:
		taken, err := run.TakeCores(ctx, on, want, waiting)
		if err != nil {
			return slots{}, err
		}
		return slotsOn(taken), nil
	case CoreNone:
		numbers = make([]*int, min(want, runtime.NumCPU()))
	default:
		// With a number the user may share a core that another cluster has. A second
		// cluster of this command on it would only slow down the first.
		number, err := strconv.Atoi(flag)
		if err != nil {
			return slots{}, fmt.Errorf("core: %w", err)
		}
		numbers = []*int{&number}
	}
	c := slots{free: make(chan slot, len(numbers)), release: func() {}}
	for _, number := range numbers {
		c.free <- slot{on, number}
	}
	return c, nil
}
