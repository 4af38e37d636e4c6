package cli

import (
	"context"
	"fmt"
	"runtime"
	"strconv"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
)

// The values of the flag --core that are no number.
const (
	coreAuto = "auto"
	coreNone = "none"
)

// checkCore checks the flag --core.
func checkCore(core string) error {
	if core == coreAuto || core == coreNone {
		return nil
	}
	if n, err := strconv.Atoi(core); err == nil && n >= 0 {
		return nil
	}
	return fmt.Errorf("core: %q is not allowed, want auto, none, or the number of a core", core)
}

// coreThere checks that the engine's machine has the core of the flag --core.
func coreThere(ctx context.Context, core string) error {
	number, err := strconv.Atoi(core)
	if err != nil {
		return nil
	}
	count, err := lab.Processors(ctx)
	if err == nil && number >= count {
		err = usage(fmt.Errorf("core: %d is not there, want auto, none, or 0 to %d", number, count-1))
	}
	return err
}

// cores are what the clusters of an experiment run on.
type cores struct {
	// free holds the core of each cluster that may run at a time; nil stands for
	// a cluster that is not confined.
	free    chan *int
	release func()
}

// takeCores takes up to want cores as the flag --core says; it waits until at
// least one is free, and tells waiting who has them.
func takeCores(ctx context.Context, flag string, want int, waiting func([]lab.Holder)) (cores, error) {
	var numbers []*int
	release := func() {}
	switch flag {
	case coreAuto:
		taken, err := lab.TakeCores(ctx, want, waiting)
		if err != nil {
			return cores{}, err
		}
		release = func() { lab.ReleaseCores(taken) }
		for _, core := range taken {
			numbers = append(numbers, &core.Number)
		}
	case coreNone:
		numbers = make([]*int, min(want, runtime.NumCPU()))
	default:
		// With a number the user may share a core that another cluster has. A second
		// cluster of this command on it would only slow down the first.
		number, err := strconv.Atoi(flag)
		if err != nil {
			return cores{}, fmt.Errorf("core: %w", err)
		}
		numbers = []*int{&number}
	}
	c := cores{free: make(chan *int, len(numbers)), release: release}
	for _, number := range numbers {
		c.free <- number
	}
	return c, nil
}
