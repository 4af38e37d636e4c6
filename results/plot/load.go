package plot

import (
	"io"
	"math"

	gonum "gonum.org/v1/plot"

	"github.com/slurmlab/slurmlab/results/metric"
)

// Load draws how full the machine was and how long the queue, over time. One schedule has CPU cores and GPUs in one
// panel and the queue below it. Several have a panel each with a line per policy. A panel below shows the idle GPUs
// that a job drawn from the workload cannot use (FGD, see metric.Series). Utilisation is the allocated part of all
// cores or GPUs at that moment. The queue counts jobs that were submitted and have not started. A machine without
// GPUs has no GPU line or panel.
//
// The error lists every fault in the schedules.
func Load(w io.Writer, schedules ...Schedule) error {
	if err := validateAll(schedules); err != nil {
		return err
	}
	// The colours of one schedule's curves go with the Gantt chart's: CPUs are cool, GPUs warm.
	const gpuColour, cpuColour, queueColour = 0, 1, 4
	single := len(schedules) == 1
	longest := 1.0
	var cpu, gpu, fragmented, queue []curve
	for i, s := range schedules {
		series := metric.NewSeries(s.Machine, s.Jobs)
		cores := curve{s.Name, scaled(series.UsedCores, s.Machine.AllCores()), lineStyle(i)}
		gpus := curve{s.Name, scaled(series.UsedGPUs, s.Machine.AllGPUs()), lineStyle(i)}
		waiting := curve{s.Name, series.Queue, lineStyle(i)}
		if single {
			cores.label, cores.style = "CPU cores", lineStyle(cpuColour)
			gpus.label, gpus.style = "GPUs", lineStyle(gpuColour)
			waiting.style = lineStyle(queueColour)
		}
		cpu, queue = append(cpu, cores), append(queue, waiting)
		if s.Machine.GPUs > 0 {
			gpu = append(gpu, gpus)
		}
		if len(series.FragmentedGPUs) > 0 {
			fragmented = append(fragmented, curve{s.Name, scaled(series.FragmentedGPUs, s.Machine.AllGPUs()), gpus.style})
		}
		for _, p := range series.Queue {
			longest = math.Max(longest, p.V)
		}
	}

	span := visibleSpan(end(schedules))
	percent := func(yLabel string) *gonum.Plot { return axes("", span, yLabel, 1, percentTicks()) }
	var panels []panel
	if single {
		panels = append(panels, curvePanel("Utilisation", percent("in use [%]"), append(cpu, gpu...)))
	} else {
		panels = append(panels, curvePanel("CPU utilisation", percent("cores in use [%]"), cpu))
		if len(gpu) > 0 {
			panels = append(panels, curvePanel("GPU utilisation", percent("GPUs in use [%]"), gpu))
		}
	}
	if len(fragmented) > 0 {
		panels = append(panels, curvePanel("Fragmented GPUs", percent("of all GPUs [%]"), fragmented))
	}
	below := curvePanel("Queue length",
		axes("time since the first submission", span, "waiting jobs", longest*1.05, countTicks(longest)), queue)
	panels = append(panels, below)
	// One legend serves all panels.
	for i := range panels[1:] {
		panels[1+i].legend = nil
	}
	return figure(w, "Utilisation, fragmentation and queue length over time: "+policies(schedules), 120, 1, panels)
}

// scaled divides the values of a step function by capacity.
func scaled(points []metric.Point, capacity int) []metric.Point {
	out := make([]metric.Point, len(points))
	for i, p := range points {
		out[i] = metric.Point{T: p.T, V: p.V / float64(capacity)}
	}
	return out
}
