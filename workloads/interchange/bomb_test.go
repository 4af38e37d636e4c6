package interchange_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/workloads/interchange"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// repeated reads as head, and then part again and again, total bytes in all.
type Repeated struct {
	head, part string
	total      int
}

func (r Repeated) packed(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	block := strings.Repeat(r.part, 1<<16/len(r.part))
	if _, err := io.WriteString(packed, r.head); err != nil {
		t.Fatal(err)
	}
	for written := 0; written < r.total; written += len(block) {
		if _, err := io.WriteString(packed, block); err != nil {
			t.Fatal(err)
		}
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Issue 16, item 6: a trace of some kB that unpacks to 64 MB, in whatever way, gets one
// clear error, and is never in memory as a whole.
func TestPackedBombs(t *testing.T) {
	const total = 64 << 20
	jobs := `{"profiles": {"p": {"type": "delay", "delay": 1}}, "jobs": [`
	long := "got more than 1048576 bytes, allowed 1048576"
	for _, tt := range []struct {
		name, format string
		bomb         Repeated
		want         string
	}{
		{"a line", "swf", Repeated{"", "1", total}, "line: " + long},
		{"a line", "sacct", Repeated{"JobID|State|", "x", total}, "line: " + long},
		{"a line", "helios", Repeated{"job_id,", "x", total}, "line: " + long},
		{"a name", "batsim", Repeated{jobs + `{"id": "`, "x", total}, "t:1: JSON: " + long},
		{"a key", "batsim", Repeated{`{"`, "x", total}, "t:1: JSON: " + long},
		{"blanks", "batsim", Repeated{jobs, " ", total}, "t:1: JSON: " + long},
		{"lists", "batsim", Repeated{`{"x": `, "[", total}, "t:1: JSON: lists and objects are nested too deeply, allowed 1000"},
		{"lists in a job", "batsim", Repeated{jobs + `{"id": `, "[", total}, "t:1: JSON: "},
	} {
		t.Run(tt.format+": "+tt.name, func(t *testing.T) {
			packed := tt.bomb.packed(t)
			source := records.Source{Name: "t", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil }}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := interchange.Import(source, tt.format, io.Discard, optionsS())
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(fmt.Sprintf("%.300s", err), tt.want) {
				t.Errorf("got %.300v\nwant %s", err, tt.want)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
				t.Errorf("took %d MB of memory for an error", used>>20)
			}
		})
	}
}
