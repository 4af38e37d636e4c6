package run

import "testing"

// The reason of a run whose container was killed says so (issue 16, invariant 7).
func TestSignalOfAnExitCode(t *testing.T) {
	for code, want := range map[int]string{0: "", 1: "", 137: " (killed)", 143: " (terminated)"} {
		if got := signalled(code); got != want {
			t.Errorf("exit code %d: %q, want %q", code, got, want)
		}
	}
}
