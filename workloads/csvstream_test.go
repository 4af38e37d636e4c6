package workloads

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A stream of rows has the jobs, the origin and the faults of the whole file.
func TestStreamCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		users := rapid.Bool().Draw(t, "users")
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		text := "# source: x" + end + csvHeader
		if users {
			text += ",user"
		}
		text += end
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			row := fmt.Sprintf("%d,%d,%s,120,%d,8,%d,0,0,0,a", rapid.IntRange(0, 900).Draw(t, "id"), rapid.IntRange(0, 9).Draw(t, "arrival"),
				rapid.SampledFrom([]string{"60", "120", "121", "x"}).Draw(t, "runtime"), rapid.IntRange(0, 2).Draw(t, "nodes"), rapid.IntRange(0, 4).Draw(t, "per node"))
			if users {
				row += "," + rapid.SampledFrom([]string{"", "eve", "Eve"}).Draw(t, "user")
			}
			text += row + end
		}
		jobs, want := ReadCSV(strings.NewReader(text), "w.csv")
		var got []Job
		origin, err := StreamCSV(strings.NewReader(text), "w.csv", func(j Job) { got = append(got, j) })
		switch {
		case want == nil && (err != nil || !slices.Equal(got, jobs)):
			t.Fatalf("%s\ngot %+v, %v\nwant %+v", text, got, err, jobs)
		case want != nil && err == nil:
			t.Fatalf("%s\nwant the error %v", text, want)
		case want != nil && !strings.Contains(want.Error(), "as in line") && !strings.Contains(want.Error(), "jobs: got 0") && err.Error() != want.Error():
			t.Fatalf("%s\ngot  %v\nwant %v", text, err, want)
		case !slices.Equal(origin, []string{"source: x"}):
			t.Fatalf("origin %q", origin)
		}
	})
	_, err := StreamCSV(strings.NewReader(csvHeader+"\n"+strings.Repeat("1", 70_000)), "w.csv", func(Job) {})
	wantError(t, err, "w.csv:2: row: got more than 65536 bytes, allowed 65536")
	_, err = StreamCSV(strings.NewReader(csvHeader+"\n"), "w.csv", func(Job) {})
	wantError(t, err, "w.csv: jobs: got 0, allowed at least one")
}
