package metric

import "slices"

// important lists the keys of the measures that tables show, the most important first:
// a narrow screen has those at the front. All others are details, which only complete
// tables and CSV have.
func important() []string {
	return []string{
		"makespan_s", "cpu_utilization", "waiting_s", "gpu_utilization", "esp_efficiency", "slowdown", "completed", "cancelled_pending.cancelled", "packing",
		"bounded_slowdown", "waiting_quantiles_s.max", "spread", "fragmentation", "cpu_in_use", "never_started", "switch_spread", "cycle_s.mean", "theoretical_runtime_s", "lower_bound_s",
		"placement.exact", "elapsed_error_s.max", "speed",
	}
}

// Rank is the rank of the measure by importance, 1 for the most important one. It is
// false for a detail.
func (m Measure) Rank() (rank int, shown bool) {
	at := slices.Index(important(), m.Key)
	return at + 1, at >= 0
}
