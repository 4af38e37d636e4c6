package drive

import "golang.org/x/sys/unix"

// onlyCore returns the processor core to which this process is confined; ok is
// false if it may use several.
func onlyCore() (core int, ok bool) {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil || allowed.Count() != 1 {
		return 0, false
	}
	for !allowed.IsSet(core) {
		core++
	}
	return core, true
}
