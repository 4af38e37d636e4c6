package interchange_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// endless is an SWF trace of n jobs that is made while it is read.
type endless struct {
	n, next int
	rest    []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		if e.next == e.n {
			return 0, io.EOF
		}
		e.next++
		e.rest = fmt.Appendf(e.rest, "%d %d 1 %d %d -1 -1 -1 3600 -1 1 %d 1 1 1 1 -1 -1\n", e.next, e.next*6, 1+e.next%3000, 1+e.next%1024, e.next%700)
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func (e *endless) Close() error { return nil }

// heapWatch notes the largest live heap while rows are written.
type heapWatch struct {
	bytes, due int
	most       uint64
}

func (h *heapWatch) Write(p []byte) (int, error) {
	h.bytes += len(p)
	if h.bytes >= h.due {
		h.due = h.bytes + 1<<20
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		h.most = max(h.most, m.HeapAlloc)
	}
	return len(p), nil
}

// A trace of 5 million lines must import in bounded memory: ten times the jobs
// may not need even twice the heap.
func TestMemoryIsBounded(t *testing.T) {
	hosttest.Long(t, "reads 10^6 lines twice")
	heap := func(n int) uint64 {
		var w heapWatch
		src := interchange.Source{Name: "endless", Open: func() (io.ReadCloser, error) { return &endless{n: n}, nil }}
		summary, err := interchange.Import(src, "swf", &w, optionsS())
		if err != nil || summary.Jobs != n {
			t.Fatalf("%d jobs, %v", summary.Jobs, err)
		}
		return w.most
	}
	small, large := heap(100_000), heap(1_000_000)
	t.Logf("live heap %d KiB for 10^5 jobs, %d KiB for 10^6", small>>10, large>>10)
	if ratio := float64(large) / float64(small); math.IsNaN(ratio) || ratio > 2 {
		t.Errorf("the heap grew %.1f times", ratio)
	}
}

func BenchmarkImportSWF(b *testing.B) {
	const n = 100_000
	src := interchange.Source{Name: "endless", Open: func() (io.ReadCloser, error) { return &endless{n: n}, nil }}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := interchange.Import(src, "swf", io.Discard, optionsS()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/job")
}

// manyJSON streams a dump of so many jobs without having it in memory.
func manyJSON(jobs int) interchange.Source {
	return streamed(func(w io.Writer) error {
		_, err := io.WriteString(w, "{\"jobs\": [\n")
		for i := 1; i <= jobs && err == nil; i++ {
			separator := ","
			if i == 1 {
				separator = ""
			}
			_, err = fmt.Fprintf(w, `%s{"job_id": %d, "account": "lab", "user": "user%d", "partition": "p", "allocation_nodes": 1, "nodes": "n1", "steps": [{"step": {"id": "%d.batch", "name": "batch"}, "tres": {"requested": {"max": [], "min": []}}}],
 "time": {"elapsed": 326, "eligible": %d, "end": %d, "start": %d, "submission": %d, "limit": {"set": true, "infinite": false, "number": 60}}, "state": {"current": ["COMPLETED"], "reason": "None"}, "submit_line": "sbatch job.sh",
 "required": {"CPUs": 1, "memory_per_cpu": {"set": true, "infinite": false, "number": 3840}}, "tres": {"allocated": [{"type": "cpu", "name": "", "id": 1, "count": 1}, {"type": "mem", "name": "", "id": 2, "count": 3840}]}}
`, separator, i, i%100, i, 1741662974+i, 1741663400+i, 1741663074+i, 1741662974+i)
		}
		if err == nil {
			_, err = io.WriteString(w, "]}\n")
		}
		return err
	})
}

// manySacct is the same as a table.
func manySacct(jobs int) interchange.Source {
	return streamed(func(w io.Writer) error {
		_, err := io.WriteString(w, documented)
		for i := 1; i <= jobs && err == nil; i++ {
			_, err = fmt.Fprintf(w, "%d|COMPLETED|%d|%d|%d|00:05:26|01:00:00|1|1|cpu=1,mem=3840M|cpu=1,mem=3840M|user%d|p|3840M||lab|normal|%d|None|||%d|n1|sbatch job.sh\n", i, 1741662974+i, 1741663074+i, 1741663400+i, i%100, 1741662974+i, i)
		}
		return err
	})
}

func streamed(write func(io.Writer) error) interchange.Source {
	return interchange.Source{Name: "many", Open: func() (io.ReadCloser, error) {
		in, out := io.Pipe()
		go func() {
			text := bufio.NewWriterSize(out, 1<<16)
			_ = out.CloseWithError(errors.Join(write(text), text.Flush()))
		}()
		return in, nil
	}}
}

// importing returns the processor time of an import.
func importing(t testing.TB, from interchange.Source) time.Duration {
	t.Helper()
	began := hosttest.ProcessorTime(t)
	if _, err := interchange.Import(from, "sacct", io.Discard, optionsS()); err != nil {
		t.Fatal(err)
	}
	return hosttest.ProcessorTime(t) - began
}

// Ten times the jobs take at most twelve times the time. What else runs can slow a try down and make none faster, so the least of each counts.
func TestSacctGrows(t *testing.T) {
	for what, many := range map[string]func(int) interchange.Source{"JSON": manyJSON, "table": manySacct} {
		t.Run(what, func(t *testing.T) {
			least := map[int]time.Duration{2000: time.Hour, 20_000: time.Hour}
			ratio := 0.0
			const most, tries = 12, 10
			for try := 0; try < tries && (try < 3 || ratio > most); try++ {
				for jobs, before := range least {
					least[jobs] = min(before, importing(t, many(jobs)))
				}
				ratio = float64(least[20_000]) / float64(least[2000])
			}
			if ratio > most {
				t.Errorf("ten times the jobs take %.1f times the time, allowed %d", ratio, most)
			}
		})
	}
}

func BenchmarkSacct(b *testing.B) {
	for what, many := range map[string]func(int) interchange.Source{"json": manyJSON, "table": manySacct} {
		b.Run(what+"-400000", func(b *testing.B) {
			var used time.Duration
			for b.Loop() {
				used += importing(b, many(400_000))
			}
			b.ReportMetric(used.Seconds()/float64(b.N), "processor-s/op")
		})
	}
}
