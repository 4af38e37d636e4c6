package metric

import (
	"fmt"
	"slices"
)

func workloadMeasures() []Measure {
	return []Measure{
		{
			Key: "completed", Column: "completed", Name: "Completed jobs", Unit: Jobs, Brief: "jobs that ended well, of all",
			Definition: "jobs that Slurm accounts as COMPLETED, of all jobs of the workload (jobs)", Source: "ours",
			Value: known(func(m Metrics) float64 { return float64(m.Completed) }),
			Of:    func(m Metrics) float64 { return float64(m.Jobs) }, OfColumn: "jobs",
		},
		{
			Key: "failed", Column: "failed", Name: "Failed jobs", Unit: Jobs, Brief: "jobs that did not end as planned",
			Definition: "jobs that did not end as their workload plans, whether they started or not: cancelled, killed at their limit, lost with a node", Source: "ours", Better: Lower,
			Value: known(func(m Metrics) float64 { return float64(m.Failed) }),
		},
		{
			Key: "cancelled_pending.cancelled", Column: "cancelled_pending", Name: "Cancelled pending", Unit: Jobs, Brief: "jobs whose users gave up waiting",
			Definition: "jobs that their users cancelled because they waited, of all with the outcome cancelled_pending, which count in no mean over jobs",
			Source:     "ours", Better: Lower,
			Value: partOf(func(m Metrics) *CancelledPending { return m.CancelledPending }, func(c CancelledPending) float64 { return float64(c.Cancelled) }),
			Of:    func(m Metrics) float64 { return float64(m.CancelledPending.Jobs) }, OfColumn: "cancelled_pending_jobs",
		},
		{
			Key: "theoretical_runtime_s", Column: "theoretical_runtime_h", Name: "Theoretical runtime", Unit: Hours, Brief: "work of all jobs / all cores",
			Definition: "sum over all jobs of run time × cores asked for, / all cores", Source: "AUCSCHED 6.2", Subject: OfWorkload,
			Value: known(func(m Metrics) float64 { return m.TheoreticalRuntime }),
		},
		{
			Key: "lower_bound_s", Column: "lower_bound_h", Name: "Lower bound", Unit: Hours, Brief: "no schedule can be shorter",
			Definition: "no schedule of these jobs on this machine is shorter: linear program over the mixes of requests that fit on a node, never below the last arrival + run time",
			Source:     "ours", Subject: OfWorkload,
			Value: known(func(m Metrics) float64 { return m.LowerBound }),
		},
	}
}

func scheduleMeasures() []Measure {
	return []Measure{
		{
			Key: "makespan_s", Column: "makespan_h", Name: "Makespan", Papers: "Runtime", Unit: Hours, Brief: "first submission to last end",
			Definition: "last end − first submission; the end of a job with the outcome cancelled_pending does not count; metrics.json also has it as runtime_s", Source: "AUCSCHED 6.2", Better: Lower,
			Value: known(func(m Metrics) float64 { return m.Makespan }),
		},
		{
			Key: "cpu_utilization", Column: "cpu_utilization_percent", Name: "CPU utilisation", Unit: Percent, Brief: "theoretical runtime / makespan",
			Definition: "theoretical runtime / makespan, at most 1", Source: "AUCSCHED 6.2, AUCSCHED2 4", Better: Higher,
			Value: known(func(m Metrics) float64 { return m.CPUUtilization }),
		},
		{
			Key: "gpu_utilization", Column: "gpu_utilization_percent", Name: "GPU utilisation", Unit: Percent, Brief: "GPU time in use, of all GPU time",
			Definition: "sum of allocated GPUs × execution, / (GPUs × makespan); shards and MPS are parts of GPUs", Source: "AUCSCHED2 4", Better: Higher, GPU: true,
			Value: known(func(m Metrics) float64 { return m.GPUUtilization }),
		},
		{
			Key: "esp_efficiency", Column: "esp_efficiency_percent", Name: "ESP efficiency", Unit: Percent, Brief: "ESP's published minimum / makespan",
			Definition: "ESP's published minimum (10773 s of ESP-2, minimum_runtime of its spec) / makespan; unknown for workloads without one, and when a job did not complete. Published figures are with the rule for Z jobs (--full-configuration Z)",
			Source:     "ESP-2.2.1, README", Better: Higher,
			Value: optional(func(m Metrics) *float64 { return m.ESPEfficiency }),
		},
		{
			Key: "user_fairness", Column: "user_fairness", Name: "User fairness", Unit: Ratio, Brief: "1 when all users are served alike",
			Definition: "(sum of x)² / (users × sum of x²), x being the mean bounded slowdown of a user's jobs. It is 1 when all are served alike, 1 / users when one alone waits, and unknown for fewer than two users",
			Source:     "Jain, Chiu, Hawe, DEC-TR-301 (1984)", Better: Higher,
			Value: optional(func(m Metrics) *float64 { return m.UserFairness }),
		},
	}
}

func jobMeasures() []Measure {
	mean := func(key, column, name, papers, brief string, unit Unit, definition, source string, get func(Metrics) MeanStd) Measure {
		return Measure{
			Key: key, Column: column, Name: name, Papers: papers, Brief: brief, Unit: unit, Definition: definition, Source: source, Better: Lower,
			Value: func(m Metrics) (float64, bool) { return get(m).Mean, m.some() }, Std: func(m Metrics) float64 { return get(m).Std },
		}
	}
	return []Measure{
		mean("waiting_s", "waiting_mean_h", "Waiting time", "", "start − submission", Hours,
			"start − submission", "AUCSCHED 6.2", func(m Metrics) MeanStd { return m.Waiting }),
		mean("turnaround_s", "turnaround_mean_h", "Turnaround time", "", "end − submission", Hours,
			"end − submission", "AUCSCHED 6.2", func(m Metrics) MeanStd { return m.Turnaround }),
		mean("slowdown", "slowdown_mean", "Slowdown", "", "turnaround / execution", Ratio,
			"turnaround / execution, an execution counting at least 1 s", "AUCSCHED 6.2", func(m Metrics) MeanStd { return m.Slowdown }),
		mean("bounded_slowdown", "bounded_slowdown_mean", "Bounded slowdown", "", "slowdown, execution at least 10 s", Ratio,
			"max(1, turnaround / max(execution, 10 s))", "Feitelson, JSSPP 2001", func(m Metrics) MeanStd { return m.BoundedSlowdown }),
		mean("fragmentation", "fragmentation_mean", "Fragmentation", "", "blocks of adjacent nodes of a job", Blocks,
			"blocks of consecutive nodes of a job", "AUCSCHED 6.2", func(m Metrics) MeanStd { return m.Fragmentation }),
		mean("spread", "spread_mean", "Spread", "", "a job's span of nodes / its nodes", Ratio,
			"(last node index − first + 1) / nodes of a job", "AUCSCHED 6.2", func(m Metrics) MeanStd { return m.Spread }),
		mean("packing", "packing_mean", "Packing", "Packing factor", "nodes of a job / fewest possible", Ratio,
			"nodes of a job / the fewest nodes that it could have got", "IPSCHED VI", func(m Metrics) MeanStd { return m.Packing }),
		{
			Key: "switch_spread", Column: "switch_spread_mean", Name: "Switch spread", Unit: Ratio, Brief: "leaf switches / fewest possible",
			Definition: "leaf switches that the nodes of a job are connected to / the fewest that as many nodes need; unknown without a tree of switches",
			Source:     "ours", Better: Lower,
			Value: func(m Metrics) (float64, bool) {
				if m.SwitchSpread == nil {
					return 0, false
				}
				return m.SwitchSpread.Mean, m.some()
			},
			Std: func(m Metrics) float64 {
				if m.SwitchSpread == nil {
					return 0
				}
				return m.SwitchSpread.Std
			},
		},
	}
}

// spreadMeasures say more of the jobs than means over all of them, and of the machine than the papers' quotients.
func spreadMeasures() []Measure {
	measure := func(key, column, name, brief string, unit Unit, better Direction, definition, source string, value func(Metrics) (float64, bool)) Measure {
		return Measure{Key: key, Column: column, Name: name, Brief: brief, Unit: unit, Better: better, Definition: definition, Source: source, Value: value}
	}
	list := slices.Concat(
		quantileMeasures("waiting_quantiles_s", "waiting_%s_h", "Waiting", "Longest wait", "start − submission", Hours, func(m Metrics) *Quantiles { return m.WaitingQuantiles }),
		quantileMeasures("bounded_slowdown_quantiles", "bounded_slowdown_%s", "BSLD", "BSLD max", "bounded slowdown", Ratio, func(m Metrics) *Quantiles { return m.SlowdownQuantiles }),
	)
	inSpan := func(m Metrics) *float64 {
		if m.BusySpan == nil {
			return nil
		}
		return m.BusySpan.Waiting
	}
	span := func(get func(BusySpan) float64) func(Metrics) (float64, bool) {
		return partOf(func(m Metrics) *BusySpan { return m.BusySpan }, get)
	}
	busyGPU := measure("busy_span.gpu_in_use", "busy_gpu_in_use_percent", "Busy GPUs in use", "GPUs in use in the busy span", Percent, Higher,
		"GPUs in use, of all, in the busy span", "ours", span(func(s BusySpan) float64 { return s.GPUInUse }))
	busyGPU.GPU = true
	return append(list,
		measure("area_weighted_slowdown", "area_weighted_slowdown", "Weighted slowdown", "slowdown by core-seconds", Ratio, Lower,
			"slowdown weighted by allocated cores × execution of each job: a wide long job counts as many small ones", "ours", optional(func(m Metrics) *float64 { return m.AreaSlowdown })),
		measure("cpu_in_use", "cpu_in_use_percent", "Cores in use", "core time in use, of all", Percent, Higher,
			"sum of allocated cores × execution, / (cores × makespan); unlike CPU utilisation it does not credit a job for work that it was spared, by more GPUs or an early end", "ours", optional(func(m Metrics) *float64 { return m.CPUInUse })),
		measure("lost_work", "lost_work_percent", "Lost work", "core time of jobs that failed", Percent, Lower,
			"part of the core-seconds in use that jobs had that did not complete: failed, cancelled, or killed at a limit or with a node", "ours", optional(func(m Metrics) *float64 { return m.LostWork })),
		measure("never_started", "never_started", "Never started", "jobs without a wait", Jobs, Lower,
			"jobs that ended without a start, except those that the workload cancels while pending: their waits are censored, and in no mean and no quantile", "ours",
			partOf(func(m Metrics) *int { return m.NeverStarted }, func(n int) float64 { return float64(n) })),
		measure("busy_span.from_s", "busy_from_h", "Busy span from", "when the machine gets too small", Hours, Neither,
			"first time at which the jobs would have more cores or GPUs in use than the machine has, if each started as it was submitted. It is the same under every policy, and unknown if it is not before the last submission", "ours", span(func(s BusySpan) float64 { return s.From })),
		measure("busy_span.to_s", "busy_to_h", "Busy span to", "last submission", Hours, Neither,
			"the last submission, if the machine gets too small before", "ours", span(func(s BusySpan) float64 { return s.To })),
		measure("busy_span.cpu_in_use", "busy_cpu_in_use_percent", "Busy cores in use", "cores in use in the busy span", Percent, Higher,
			"cores in use, of all, in the busy span", "ours", span(func(s BusySpan) float64 { return s.CPUInUse })),
		busyGPU,
		measure("busy_span.waiting_s", "busy_waiting_mean_h", "Busy waiting", "wait of jobs of the busy span", Hours, Lower,
			"mean of start − submission over the jobs that are submitted in the busy span", "ours", optional(inSpan)),
	)
}

// quantileMeasures are the median, the 95th and the 99th percentile and the largest value.
func quantileMeasures(key, column, name, largest, of string, unit Unit, get func(Metrics) *Quantiles) []Measure {
	one := func(part, word, brief, definition string, value func(Quantiles) float64) Measure {
		return Measure{
			Key: key + "." + part, Column: fmt.Sprintf(column, part), Name: word, Brief: brief, Unit: unit, Better: Lower,
			Definition: definition + " over the jobs that started (nearest rank)", Source: "ours", Value: partOf(get, value),
		}
	}
	return []Measure{
		one("p50", name+" p50", "half of the jobs have less", "median of "+of, func(q Quantiles) float64 { return q.Median }),
		one("p95", name+" p95", "95 % of the jobs have less", "95th percentile of "+of, func(q Quantiles) float64 { return q.P95 }),
		one("p99", name+" p99", "99 % of the jobs have less", "99th percentile of "+of, func(q Quantiles) float64 { return q.P99 }),
		one("max", largest, "the largest of all jobs", "largest "+of, func(q Quantiles) float64 { return q.Max }),
	}
}

func gpuMeasures() []Measure {
	of := func(get func(GPUFragmentation) float64) func(Metrics) (float64, bool) {
		return partOf(func(m Metrics) *GPUFragmentation { return m.GPUFragmentation }, get)
	}
	return []Measure{
		{
			Key: "gpu_fragmentation.gaps", Column: "gpu_fragmentation_gaps", Name: "GPU idle gaps", Unit: Ratio, Brief: "0 where idle time is in one piece",
			Definition: "mean over all GPUs of 1 − sum of f² / (sum of f)², f being the times for which the GPU is idle without a break: 0 for one gap or none. Accounting does not tell the GPUs of a node apart: the k-th is in use while k or more are",
			Source:     "Gehr and Schneider, CCGrid 2009, as evalys 4.0.7 has it, p = 2", Better: Lower, GPU: true,
			Value: of(func(f GPUFragmentation) float64 { return f.Gaps }),
		},
		{
			Key: "gpu_fragmentation.fgd", Column: "gpu_fragmentation_fgd_percent", Name: "GPU FGD", Unit: Percent, Brief: "idle GPU time of no use to jobs",
			Definition: "part of the idle GPU-seconds that a job drawn from the workload cannot use. Such a job asks for no GPU, or one node's share of it finds too few idle GPUs or cores on the node",
			Source:     "Weng et al., USENIX ATC 2023, section 3", Better: Lower, GPU: true,
			Value: of(func(f GPUFragmentation) float64 { return f.FGD }),
		},
		{
			Key: "gpu_fragmentation.blocks", Column: "gpu_fragmentation_blocks", Name: "GPU fragmentation", Unit: Blocks, Brief: "fragmentation of jobs with GPUs",
			Definition: "fragmentation of the jobs that got GPUs, mean", Source: "AUCSCHED 6.2", Better: Lower, GPU: true,
			Value: of(func(f GPUFragmentation) float64 { return f.Blocks }),
		},
	}
}

func cycleMeasures() []Measure {
	cost := func(key, column, name, brief, definition string, get func(CycleCost) *float64) Measure {
		return Measure{
			Key: key, Column: column, Name: name, Brief: brief, Unit: RealSeconds, Definition: definition, Source: "ours", Better: Lower,
			Value: optional(func(m Metrics) *float64 { return get(m.Cycle) }),
		}
	}
	return []Measure{
		cost("cycle_s.mean", "cycle_mean_s", "Cycle mean", "real time of a scheduler's pass", "real time that one pass of the scheduler thinks; passes in which a program of the user's was not asked do not count",
			func(c CycleCost) *float64 { return c.Mean }),
		cost("cycle_s.p99", "cycle_p99_s", "Cycle p99", "99 % of the passes take no longer",
			"the least time that 99 % of the passes do not exceed; Slurm does not tell it of its own", func(c CycleCost) *float64 { return c.P99 }),
		cost("cycle_s.max", "cycle_max_s", "Cycle max", "the longest pass", "the longest pass",
			func(c CycleCost) *float64 { return c.Max }),
	}
}

func emulationMeasures() []Measure {
	about := func(key, column, name, brief string, unit Unit, better Direction, definition string, value func(Metrics) (float64, bool)) Measure {
		return Measure{
			Key: key, Column: column, Name: name, Brief: brief, Unit: unit, Better: better,
			Definition: definition, Source: "ours", Subject: OfEmulation, Value: value,
		}
	}
	return []Measure{
		{
			Key: "placement.exact", Column: "placement_exact", Name: "Placed as planned", Unit: Jobs, Brief: "jobs that got what was planned",
			Definition: "jobs that got exactly the nodes, cores and GPUs planned for them, of the started jobs that were compared with their plan (placement.checked)",
			Source:     "ours", Subject: OfEmulation,
			Value: partOf(func(m Metrics) *PlacementCount { return m.Placement }, func(p PlacementCount) float64 { return float64(p.Exact) }),
			Of:    func(m Metrics) float64 { return float64(m.Placement.Checked) }, OfColumn: "placement_checked",
		},
		about("elapsed_error_s.mean", "elapsed_error_mean_s", "Elapsed error mean", "|execution − run time|", Seconds, Lower,
			"|execution − run time| of the jobs that ended as planned at the end of their run time. With a GPU range, this is the run time on the GPUs that the job got (AUCSCHED2 equation 5)",
			known(func(m Metrics) float64 { return m.ElapsedError.Mean })),
		about("elapsed_error_s.max", "elapsed_error_max_s", "Elapsed error max", "largest |execution − run time|", Seconds, Lower,
			"the largest of them", known(func(m Metrics) float64 { return m.ElapsedError.Max })),
		about("elapsed_error_s.exact", "elapsed_exact", "Jobs without elapsed error", "jobs that are off by 0 s", Jobs, Neither,
			"jobs with an error of 0 s", known(func(m Metrics) float64 { return float64(m.ElapsedError.Exact) })),
		about("elapsed_error_s.within_1s", "elapsed_within_1s", "Jobs within 1 s", "jobs, off by at most 1 s", Jobs, Neither,
			"jobs with an error of 0 or 1 s", known(func(m Metrics) float64 { return float64(m.ElapsedError.WithinSecond) })),
		about("arrival_lag_max_s", "arrival_lag_max_s", "Arrival lag max", "largest submission − arrival", Seconds, Lower,
			"largest submission − arrival, from run.json", known(func(m Metrics) float64 { return m.ArrivalLagMax })),
		about("real_s", "real_s", "Real time", "real time that the run took", RealSeconds, Neither,
			"real time from the first submission to the last end, from run.json", known(func(m Metrics) float64 { return m.RealSeconds })),
		about("speed", "speed", "Speed", "makespan / real time", Ratio, Higher,
			"makespan / real time", optional(func(m Metrics) *float64 { return m.Speed })),
	}
}

func known(value func(Metrics) float64) func(Metrics) (float64, bool) {
	return func(m Metrics) (float64, bool) { return value(m), true }
}

func optional(value func(Metrics) *float64) func(Metrics) (float64, bool) {
	return partOf(value, func(v float64) float64 { return v })
}

// partOf is a value of a part of the metrics that not every run has.
func partOf[T any](part func(Metrics) *T, value func(T) float64) func(Metrics) (float64, bool) {
	return func(m Metrics) (float64, bool) {
		if p := part(m); p != nil {
			return value(*p), true
		}
		return 0, false
	}
}
