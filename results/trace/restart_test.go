package trace

import "testing"

// A daemon may die between the boot and the start of the run.
func TestRestartText(t *testing.T) {
	const rest = " the start of the run and was started again; it did not serve for 0.4 s of virtual time"
	for time, want := range map[float64]string{12: "12 s after", -2.5: "2 s before", 0: "0 s after"} {
		r := Restart{Daemon: "slurmdbd", How: "signal: killed", Time: time, Seconds: 0.4}
		if got := r.Text(); got != "slurmdbd died (signal: killed) "+want+rest {
			t.Errorf("%g: %s", time, got)
		}
	}
}
