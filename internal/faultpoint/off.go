//go:build !faults

package faultpoint

// At does nothing.
func At(string) {}

// Environment is what a container needs for its points: nothing.
func Environment() map[string]string { return nil }

// Binds are the mounts that a container needs for its points: none.
func Binds() []string { return nil }
