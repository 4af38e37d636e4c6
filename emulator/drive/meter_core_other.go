//go:build !linux

package drive

// onlyCore knows no cores: clusters run on Linux, other systems only read what
// they left.
func onlyCore() (core int, ok bool) { return 0, false }
