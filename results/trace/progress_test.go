package trace

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"
)

// What is written is read back, and of a writer that was killed in the middle of a line
// everything before it.
func TestProgressRoundTrip(t *testing.T) {
	d := copyRun(t)
	if lines, err := d.Progress(); lines != nil || err != nil {
		t.Errorf("without the file: %+v, %v", lines, err)
	}
	want := []Progress{
		{Time: 12.5, Jobs: []Seen{{Job: 7, Slurm: 1, Start: 12, Nodes: "n[1-2]", Cores: 16}}},
		{Time: 99.25},
		{Time: 120, Jobs: []Seen{
			{Job: 7, Slurm: 1, State: "COMPLETED", Start: 11, End: 110, Nodes: "n[1-2]", Cores: 16, GPUs: 4},
			{Job: 8, Slurm: 2, State: "CANCELLED", End: 115},
		}},
	}
	var text bytes.Buffer
	for _, line := range want {
		if err := WriteProgress(&text, line); err != nil {
			t.Fatal(err)
		}
	}
	for _, torn := range []string{"", `{"time_s":130,"jobs":[{"job":9,"sl`, `{"time_s":130}`} {
		if err := os.WriteFile(d.ProgressFile(), append(bytes.Clone(text.Bytes()), torn...), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := d.Progress(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("with %q at the end: got %+v, %v", torn, got, err)
		}
	}
}

func TestProgressFaults(t *testing.T) {
	d := copyRun(t)
	for text, want := range map[string]string{
		"{\"time_s\":1}\nrunning\n": "progress.jsonl:2: want what became known of jobs as JSON",
		"null\n":                    "progress.jsonl:1: field time_s: it is missing",
		"{\"time_s\":1,\"jobs\":[{\"job\":\"a\"}]}\n": "progress.jsonl:1: ",
	} {
		if err := os.WriteFile(d.ProgressFile(), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Progress(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}
