package interchange_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/workloads/interchange"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// stream is a trace that is written while it is read, so that no test has it in memory. Reading and writing take turns
// on one goroutine, so nothing is read while the heap is measured.
type stream struct {
	format, head, tail string
	// row is the row of a job, which has a number from 1.
	row func(job int) string
}

// streams are traces in the forms that large ones have.
func streams() map[string]stream {
	return map[string]stream{
		"SWF": {format: "swf", row: func(i int) string {
			return fmt.Sprintf("%d %d 1 %d %d -1 -1 -1 3600 -1 1 %d 1 1 1 1 -1 -1\n", i, i*6, 1+i%3000, 1+i%1024, i%700)
		}},
		"sacct": {format: "sacct", head: documented, row: func(i int) string {
			return fmt.Sprintf("%d|COMPLETED|%d|%d|%d|00:05:26|01:00:00|1|1|cpu=1,mem=3840M|cpu=1,mem=3840M|user%d|p|3840M||lab|normal|%d|None|||%d|n1|sbatch job.sh\n",
				i, 1741662974+i, 1741663074+i, 1741663400+i, i%100, 1741662974+i, i)
		}},
		"sacct of fixed width": {format: "sacct", head: "JobIDRaw          State       User     Submit      Start        End   NNodes      NCPUS \n" +
			"------------ ---------- ---------- ---------- ---------- ---------- -------- ---------- \n", row: func(i int) string {
			return fmt.Sprintf("%-12d %10s %10s %d %d %d %8d %10d \n", i, "COMPLETED", fmt.Sprintf("user%d", i%100), 1741662974+i, 1741663074+i, 1741663400+i, 1, 1)
		}},
		"sacct as JSON": {format: "sacct", head: "{\"jobs\": [\n", row: func(i int) string {
			separator := ","
			if i == 1 {
				separator = ""
			}
			return fmt.Sprintf(`%s{"job_id": %d, "account": "lab", "user": "user%d", "partition": "p", "allocation_nodes": 1, "nodes": "n1", "steps": [{"step": {"id": "%d.batch", "name": "batch"}, "tres": {"requested": {"max": [], "min": []}}}],
 "time": {"elapsed": 326, "eligible": %d, "end": %d, "start": %d, "submission": %d, "limit": {"set": true, "infinite": false, "number": 60}}, "state": {"current": ["COMPLETED"], "reason": "None"}, "submit_line": "sbatch job.sh",
 "required": {"CPUs": 1, "memory_per_cpu": {"set": true, "infinite": false, "number": 3840}}, "tres": {"allocated": [{"type": "cpu", "name": "", "id": 1, "count": 1}, {"type": "mem", "name": "", "id": 2, "count": 3840}]}}
`, separator, i, i%100, i, 1741662974+i, 1741663400+i, 1741663074+i, 1741662974+i)
		}, tail: "]}\n"},
		"table of columns": {format: "acme", head: "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time\n", row: func(i int) string {
			return fmt.Sprintf("job%d,user%d,1,2,8,Other,COMPLETED,%d,%d,%d,326,100,652\n", i, i%100, 1741662974+i, 1741663074+i, 1741663400+i)
		}},
	}
}

// of is the trace of so many jobs. Watch, if there is one, is called before the last job is read, and before the one
// in the middle.
func (s stream) of(jobs int, watch func()) records.Source {
	return records.Source{Name: "many", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(&reading{stream: s, jobs: jobs, watch: watch, rest: s.head}), nil
	}}
}

// reading is a stream that is being read.
type reading struct {
	stream
	jobs, done int
	watch      func()
	rest       string
}

func (r *reading) Read(p []byte) (int, error) {
	switch {
	case r.rest != "":
	case r.done == r.jobs:
		return 0, io.EOF
	default:
		if r.watch != nil && (r.done == r.jobs/2 || r.done == r.jobs-1) {
			r.watch()
		}
		r.done++
		if r.rest = r.row(r.done); r.done == r.jobs {
			r.rest += r.tail
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// mustImport imports a trace of so many jobs.
func mustImport(t testing.TB, s stream, jobs int, watch func()) {
	t.Helper()
	summary, err := interchange.Import(s.of(jobs, watch), s.format, io.Discard, optionsS())
	if err != nil || summary.Jobs != jobs {
		t.Fatalf("%d jobs of %d, %v", summary.Jobs, jobs, err)
	}
}

// An import reads a trace of millions of jobs without having it in memory: of a job it keeps the id alone, which takes
// about two bytes (ids). One more number for each job fails this test.
func TestImportHasNoTraceInMemory(t *testing.T) {
	const few, many, most = 3000, 30_000, 4
	for what, s := range streams() {
		t.Run(what, func(t *testing.T) {
			heap := func(jobs int) int {
				highest := uint64(0)
				mustImport(t, s, jobs, func() {
					var m runtime.MemStats
					// The first collection leaves what pools have (sync.Pool).
					runtime.GC()
					runtime.GC()
					runtime.ReadMemStats(&m)
					highest = max(highest, m.HeapAlloc)
				})
				return int(highest)
			}
			small, large := heap(few), heap(many)
			each := float64(large-small) / (many - few)
			t.Logf("live heap %d KiB with %d jobs, %d KiB with %d", small>>10, few, large>>10, many)
			if each > most {
				t.Errorf("each job takes %.1f bytes of the heap, want at most %d", each, most)
			}
		})
	}
}

// The time of an import grows with the jobs. So do the bytes that it allocates, which no other process changes: ten
// times the jobs need at most twelve times as many.
func TestImportGrowsWithTheJobs(t *testing.T) {
	const few, many, most = 500, 5000, 12
	for what, s := range streams() {
		t.Run(what, func(t *testing.T) {
			allocated := func(jobs int) float64 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				mustImport(t, s, jobs, nil)
				runtime.ReadMemStats(&after)
				return float64(after.TotalAlloc - before.TotalAlloc)
			}
			if ratio := allocated(many) / allocated(few); ratio > most {
				t.Errorf("ten times the jobs allocate %.1f times the bytes, want at most %d", ratio, most)
			}
			hosttest.Linear(t, few, func(jobs int) func() {
				return func() { mustImport(t, s, jobs, nil) }
			})
		})
	}
}

// BenchmarkImport imports 400,000 jobs.
func BenchmarkImport(b *testing.B) {
	const jobs = 400_000
	for what, s := range streams() {
		b.Run(strings.ReplaceAll(what, " ", "-"), func(b *testing.B) {
			began := hosttest.ProcessorTime(b)
			for b.Loop() {
				mustImport(b, s, jobs, nil)
			}
			b.ReportMetric((hosttest.ProcessorTime(b)-began).Seconds()/float64(b.N), "processor-s/op")
		})
	}
}
