package metric

func workloadMeasures() []Measure {
	return []Measure{
		{
			Key: "completed", Column: "completed", Title: "Jobs completed", Name: "Completed jobs", Unit: Jobs, Brief: "jobs that ended well, of all",
			Definition: "jobs that Slurm accounts as COMPLETED, of all jobs of the workload (jobs)", Source: "ours",
			Value: known(func(m Metrics) float64 { return float64(m.Completed) }),
			Of:    func(m Metrics) float64 { return float64(m.Jobs) }, OfColumn: "jobs",
		},
		{
			Key: "failed", Column: "failed", Title: "Failed jobs", Name: "Failed jobs", Unit: Jobs, Brief: "jobs that did not end as planned",
			Definition: "jobs that did not end as their workload plans, whether they started or not: cancelled, killed at their limit, lost with a node", Source: "ours", Better: Lower,
			Value: known(func(m Metrics) float64 { return float64(m.Failed) }),
		},
		{
			Key: "cancelled_pending.cancelled", Column: "cancelled_pending", Title: "Gave up", Name: "Cancelled while pending", Unit: Jobs, Brief: "jobs whose users gave up waiting",
			Definition: "jobs that their users cancelled because they waited, of all with the outcome cancelled_pending, which count in no mean over jobs",
			Source:     "ours", Better: Lower,
			Value: func(m Metrics) (float64, bool) {
				if m.CancelledPending == nil {
					return 0, false
				}
				return float64(m.CancelledPending.Cancelled), true
			},
			Of: func(m Metrics) float64 { return float64(m.CancelledPending.Jobs) }, OfColumn: "cancelled_pending_jobs",
		},
		{
			Key: "theoretical_runtime_s", Column: "theoretical_runtime_h", Title: "Theo. runtime", Name: "Theoretical runtime", Unit: Hours, Brief: "work of all jobs / all cores",
			Definition: "sum over all jobs of run time × cores asked for, / all cores", Source: "AUCSCHED 6.2", Subject: OfWorkload,
			Value: known(func(m Metrics) float64 { return m.TheoreticalRuntime }),
		},
		{
			Key: "lower_bound_s", Column: "lower_bound_h", Title: "Lower bound", Name: "Lower bound", Unit: Hours, Brief: "no schedule can be shorter",
			Definition: "no schedule of these jobs on this machine is shorter: linear program over the mixes of requests that fit on a node, never below the last arrival + run time",
			Source:     "ours", Subject: OfWorkload,
			Value: known(func(m Metrics) float64 { return m.LowerBound }),
		},
	}
}

func scheduleMeasures() []Measure {
	return []Measure{
		{
			Key: "runtime_s", Column: "runtime_h", Title: "Runtime", Name: "Runtime", Unit: Hours, Brief: "first submission to last end",
			Definition: "last end − first submission (makespan); the end of a job with the outcome cancelled_pending is none", Source: "AUCSCHED 6.2", Better: Lower,
			Value: known(func(m Metrics) float64 { return m.Runtime }),
		},
		{
			Key: "cpu_utilization", Column: "cpu_utilization_percent", Title: "CPU util", Name: "CPU utilisation", Unit: Percent, Brief: "theoretical runtime / runtime",
			Definition: "theoretical runtime / runtime, at most 1", Source: "AUCSCHED 6.2, AUCSCHED2 4", Better: Higher,
			Value: known(func(m Metrics) float64 { return m.CPUUtilization }),
		},
		{
			Key: "gpu_utilization", Column: "gpu_utilization_percent", Title: "GPU util", Name: "GPU utilisation", Unit: Percent, Brief: "GPU time in use, of all GPU time",
			Definition: "sum of allocated GPUs × execution, / (GPUs × runtime)", Source: "AUCSCHED2 4", Better: Higher, GPU: true,
			Value: known(func(m Metrics) float64 { return m.GPUUtilization }),
		},
		{
			Key: "esp_efficiency", Column: "esp_efficiency_percent", Title: "ESP efficiency", Name: "ESP efficiency", Unit: Percent, Brief: "ESP's published minimum / runtime",
			Definition: "ESP's published minimum (10773 s of ESP-2, minimum_runtime of its spec) / runtime; unknown for workloads without one, and when a job did not complete. Published figures are with the rule for Z jobs (--full-configuration Z)",
			Source:     "ESP-2.2.1, README", Better: Higher,
			Value: optional(func(m Metrics) *float64 { return m.ESPEfficiency }),
		},
		{
			Key: "user_fairness", Column: "user_fairness", Title: "Fairness", Name: "Fairness over users", Unit: Ratio, Brief: "1 when all users are served alike",
			Definition: "(sum of x)² / (users × sum of x²), x being the mean bounded slowdown of a user's jobs: 1 when all are served alike, 1 / users when one alone waits; unknown for fewer than two users",
			Source:     "Jain, Chiu, Hawe, DEC-TR-301 (1984)", Better: Higher,
			Value: optional(func(m Metrics) *float64 { return m.UserFairness }),
		},
	}
}

func jobMeasures() []Measure {
	mean := func(key, column, title, name, brief string, unit Unit, definition, source string, get func(Metrics) MeanStd) Measure {
		return Measure{
			Key: key, Column: column, Title: title, Name: name, Brief: brief, Unit: unit, Definition: definition, Source: source, Better: Lower,
			Value: known(func(m Metrics) float64 { return get(m).Mean }), Std: func(m Metrics) float64 { return get(m).Std },
		}
	}
	return []Measure{
		mean("waiting_s", "waiting_mean_h", "Waiting", "Waiting time", "start − submission", Hours,
			"start − submission", "AUCSCHED 6.2", func(m Metrics) MeanStd { return m.Waiting }),
		mean("turnaround_s", "turnaround_mean_h", "Turnaround", "Turnaround time", "end − submission", Hours,
			"end − submission", "AUCSCHED 6.2", func(m Metrics) MeanStd { return m.Turnaround }),
		mean("slowdown", "slowdown_mean", "Slowdown", "Slowdown", "turnaround / execution", Ratio,
			"turnaround / execution, an execution counting at least 1 s", "AUCSCHED 6.2", func(m Metrics) MeanStd { return m.Slowdown }),
		mean("bounded_slowdown", "bounded_slowdown_mean", "Bounded slowdown", "Bounded slowdown", "slowdown, execution at least 10 s", Ratio,
			"max(1, turnaround / max(execution, 10 s))", "Feitelson, JSSPP 2001", func(m Metrics) MeanStd { return m.BoundedSlowdown }),
		mean("fragmentation", "fragmentation_mean", "Fragmentation", "Fragmentation", "blocks of adjacent nodes of a job", Blocks,
			"blocks of consecutive nodes of a job", "AUCSCHED 6.2", func(m Metrics) MeanStd { return m.Fragmentation }),
		mean("spread", "spread_mean", "Spread", "Spread", "a job's span of nodes / its nodes", Ratio,
			"(last node index − first + 1) / nodes of a job", "AUCSCHED 6.2", func(m Metrics) MeanStd { return m.Spread }),
		mean("packing", "packing_mean", "Packing", "Packing factor", "nodes of a job / fewest possible", Ratio,
			"nodes of a job / the fewest nodes that it could have got", "IPSCHED VI", func(m Metrics) MeanStd { return m.Packing }),
		{
			Key: "switch_spread", Column: "switch_spread_mean", Title: "Switch spread", Name: "Switch spread", Unit: Ratio, Brief: "leaf switches / fewest possible",
			Definition: "leaf switches that the nodes of a job are connected to / the fewest that as many nodes need; unknown without a tree of switches",
			Source:     "ours", Better: Lower,
			Value: func(m Metrics) (float64, bool) {
				if m.SwitchSpread == nil {
					return 0, false
				}
				return m.SwitchSpread.Mean, true
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

func gpuMeasures() []Measure {
	of := func(get func(GPUFragmentation) float64) func(Metrics) (float64, bool) {
		return func(m Metrics) (float64, bool) {
			if m.GPUFragmentation == nil {
				return 0, false
			}
			return get(*m.GPUFragmentation), true
		}
	}
	return []Measure{
		{
			Key: "gpu_fragmentation.gaps", Column: "gpu_fragmentation_gaps", Title: "GPU frag. gaps", Name: "GPU fragmentation, gaps in time", Unit: Ratio, Brief: "0 where idle time is in one piece",
			Definition: "mean over all GPUs of 1 − sum of f² / (sum of f)², f being the times for which the GPU is idle without a break: 0 for one gap or none. Accounting does not tell the GPUs of a node apart: the k-th is in use while k or more are",
			Source:     "Gehr and Schneider, CCGrid 2009, as evalys 4.0.7 has it, p = 2", Better: Lower, GPU: true,
			Value: of(func(f GPUFragmentation) float64 { return f.Gaps }),
		},
		{
			Key: "gpu_fragmentation.fgd", Column: "gpu_fragmentation_fgd_percent", Title: "GPU frag. FGD", Name: "GPU fragmentation, FGD", Unit: Percent, Brief: "idle GPU time of no use to jobs",
			Definition: "part of the idle GPU-seconds that a job drawn from the workload cannot use: because it asks for no GPU, or one node's share of it finds too few idle GPUs or cores on the node",
			Source:     "Weng et al., USENIX ATC 2023, section 3", Better: Lower, GPU: true,
			Value: of(func(f GPUFragmentation) float64 { return f.FGD }),
		},
		{
			Key: "gpu_fragmentation.blocks", Column: "gpu_fragmentation_blocks", Title: "GPU frag. blocks", Name: "GPU fragmentation, blocks", Unit: Blocks, Brief: "fragmentation of jobs with GPUs",
			Definition: "fragmentation of the jobs that got GPUs, mean", Source: "AUCSCHED 6.2", Better: Lower, GPU: true,
			Value: of(func(f GPUFragmentation) float64 { return f.Blocks }),
		},
	}
}

func cycleMeasures() []Measure {
	cost := func(key, column, title, name, brief, definition string, get func(CycleCost) *float64) Measure {
		return Measure{
			Key: key, Column: column, Title: title, Name: name, Brief: brief, Unit: RealSeconds, Definition: definition, Source: "ours", Better: Lower,
			Value: optional(func(m Metrics) *float64 { return get(m.Cycle) }),
		}
	}
	return []Measure{
		cost("cycle_s.mean", "cycle_mean_s", "Cycle", "Cycle, mean", "real time of a scheduler's pass", "real time that one pass of the scheduler thinks",
			func(c CycleCost) *float64 { return c.Mean }),
		cost("cycle_s.p99", "cycle_p99_s", "Cycle p99", "Cycle, 99th percentile", "99 % of the passes take no longer",
			"the least time that 99 % of the passes do not exceed; Slurm does not tell it of its own", func(c CycleCost) *float64 { return c.P99 }),
		cost("cycle_s.max", "cycle_max_s", "Longest cycle", "Cycle, longest", "the longest pass", "the longest pass",
			func(c CycleCost) *float64 { return c.Max }),
	}
}

func emulationMeasures() []Measure {
	about := func(key, column, title, name, brief string, unit Unit, better Direction, definition string, value func(Metrics) (float64, bool)) Measure {
		return Measure{
			Key: key, Column: column, Title: title, Name: name, Brief: brief, Unit: unit, Better: better,
			Definition: definition, Source: "ours", Subject: OfEmulation, Value: value,
		}
	}
	return []Measure{
		{
			Key: "placement.exact", Column: "placement_exact", Title: "Placement", Name: "Placed as planned", Unit: Jobs, Brief: "jobs that got what was planned",
			Definition: "jobs that got exactly the nodes, cores and GPUs planned for them, of the started jobs that were compared with their plan (placement.checked)",
			Source:     "ours", Subject: OfEmulation,
			Value: func(m Metrics) (float64, bool) {
				if m.Placement == nil {
					return 0, false
				}
				return float64(m.Placement.Exact), true
			},
			Of: func(m Metrics) float64 { return float64(m.Placement.Checked) }, OfColumn: "placement_checked",
		},
		about("elapsed_error_s.mean", "elapsed_error_mean_s", "Elapsed error", "Elapsed error, mean", "|execution − run time|", Seconds, Lower,
			"|execution − run time| of the jobs that ended as planned at the end of their run time; with a GPU range the run time on the GPUs that the job got (AUCSCHED2 equation 5)",
			known(func(m Metrics) float64 { return m.ElapsedError.Mean })),
		about("elapsed_error_s.max", "elapsed_error_max_s", "Largest elapsed error", "Elapsed error, largest", "largest |execution − run time|", Seconds, Lower,
			"the largest of them", known(func(m Metrics) float64 { return m.ElapsedError.Max })),
		about("elapsed_error_s.exact", "elapsed_exact", "Exact jobs", "Jobs without elapsed error", "jobs that are off by 0 s", Jobs, Neither,
			"jobs with an error of 0 s", known(func(m Metrics) float64 { return float64(m.ElapsedError.Exact) })),
		about("elapsed_error_s.within_1s", "elapsed_within_1s", "Jobs within 1 s", "Jobs with an elapsed error of at most 1 s", "jobs, off by at most 1 s", Jobs, Neither,
			"jobs with an error of 0 or 1 s", known(func(m Metrics) float64 { return float64(m.ElapsedError.WithinSecond) })),
		about("arrival_lag_max_s", "arrival_lag_max_s", "Arrival lag", "Arrival lag, largest", "largest submission − arrival", Seconds, Lower,
			"largest submission − arrival, from run.json", known(func(m Metrics) float64 { return m.ArrivalLagMax })),
		about("real_s", "real_s", "Real time", "Real time", "real time that the run took", RealSeconds, Neither,
			"real time from the first submission to the last end, from run.json", known(func(m Metrics) float64 { return m.RealSeconds })),
		about("speed", "speed", "Speed", "Speed", "runtime / real time", Ratio, Higher,
			"runtime / real time", optional(func(m Metrics) *float64 { return m.Speed })),
	}
}

func known(value func(Metrics) float64) func(Metrics) (float64, bool) {
	return func(m Metrics) (float64, bool) { return value(m), true }
}

func optional(value func(Metrics) *float64) func(Metrics) (float64, bool) {
	return func(m Metrics) (float64, bool) {
		if v := value(m); v != nil {
			return *v, true
		}
		return 0, false
	}
}
