package run

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// ownProcessors lists the processors that this process may run on, which in a task of a job are those
// of the task.
func ownProcessors() ([]int, error) {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return nil, fmt.Errorf("find processors: %w", err)
	}
	var all []int
	for number := 0; len(all) < allowed.Count(); number++ {
		if allowed.IsSet(number) {
			all = append(all, number)
		}
	}
	return all, nil
}
