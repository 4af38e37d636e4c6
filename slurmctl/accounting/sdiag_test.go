package accounting

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestReadSdiag(t *testing.T) {
	text, err := os.ReadFile("testdata/sdiag.txt")
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadSdiag(bytes.NewReader(text), "sdiag.txt")
	want := Sdiag{Cycles: 11, MeanMicros: 560, MaxMicros: 1234, Exits: []SdiagExit{{"End of job queue", 11}}}
	if err != nil || !reflect.DeepEqual(got, want) || len(got.Early()) > 0 {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	// Slurm prints no mean before the first cycle, and a warning in the middle of one.
	got, err = ReadSdiag(strings.NewReader("Backfilling stats (WARNING: data obtained in the middle of backfilling execution.)\n\tTotal cycles: 0\n\tMax cycle:  0\n"), "s")
	if err != nil || !reflect.DeepEqual(got, Sdiag{}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// src/plugins/sched/backfill: a cycle that is cut short counts under the limit
// that it hit, and jobs behind it were not looked at.
func TestSdiagExits(t *testing.T) {
	const stats = "Backfilling stats\n\tTotal cycles: 9\n\tMax cycle: 4\n\tMean cycle: 2\n\n"
	got, err := ReadSdiag(strings.NewReader(stats+"Backfill exit\n\tEnd of job queue: 5\n\tHit bf_max_job_test: 3\n"+
		"\tHit table size limit (bf_node_space_size): 0\n\tTimeout (bf_max_time): 1\n\nRemote: x\n"), "s")
	if want := []SdiagExit{{"Hit bf_max_job_test", 3}, {"Timeout (bf_max_time)", 1}}; err != nil || !reflect.DeepEqual(got.Early(), want) || len(got.Exits) != 4 {
		t.Errorf("got %+v, %v, want early %+v", got, err, want)
	}
}

// slurmctld begins to count again at midnight (src/slurmctld/controller.c, _slurmctld_background): outputs that begin at different
// instants are summed up, and of those that begin at the same one the last counts.
func TestSdiagOverMidnights(t *testing.T) {
	output := func(since, cycles, longest, mean, early string) string {
		return "*****\nsdiag output at a moment\nData since      " + since + "\n*****\nBackfilling stats\n\tTotal cycles: " + cycles +
			"\n\tMax cycle: " + longest + "\n\tMean cycle: " + mean + "\n\nBackfill exit\n\tEnd of job queue: 1\n\tTimeout (bf_max_time): " + early + "\n"
	}
	monday, asked, tuesday := output("Mon (1)", "10", "500", "100", "4"), output("Mon (1)", "20", "600", "200", "5"), output("Tue (2)", "10", "900", "500", "0")
	for text, want := range map[string]Sdiag{
		monday:                   {Cycles: 10, MeanMicros: 100, MaxMicros: 500, Exits: []SdiagExit{{"End of job queue", 1}, {"Timeout (bf_max_time)", 4}}},
		monday + asked:           {Cycles: 20, MeanMicros: 200, MaxMicros: 600, Exits: []SdiagExit{{"End of job queue", 1}, {"Timeout (bf_max_time)", 5}}},
		monday + asked + tuesday: {Cycles: 30, MeanMicros: 300, MaxMicros: 900, Exits: []SdiagExit{{"End of job queue", 2}, {"Timeout (bf_max_time)", 5}}},
	} {
		if got, err := ReadSdiag(strings.NewReader(text), "s"); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	bad := monday + strings.Replace(tuesday, "Total cycles: 10", "Total cycles: ten", 1)
	if _, err := ReadSdiag(strings.NewReader(bad), "s"); err == nil || !strings.Contains(err.Error(), "s:18: field Total cycles") {
		t.Errorf("got error %v, want one of line 18", err)
	}
}

func TestReadSdiagFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "s: field Total cycles is missing",
		"Total cycles: 3\n": "field Total cycles is missing",
		"Backfilling stats\n\tTotal cycles: 3\n\tMax cycle: 4\n":                    "field Mean cycle is missing",
		"Backfilling stats\n\tTotal cycles: x\n":                                    "s:2: field Total cycles",
		"Backfilling stats\n\tTotal cycles: 1\n\tTotal cycles: 1\n":                 "s:3: field Total cycles",
		"Backfilling stats\n\tTotal cycles: 0\n\tMax cycle: 0\nBackfilling stats\n": "s:4: a second section",
		"Backfilling stats\n\nBackfill exit\n\tEnd of job queue: many\n":            "s:4: field End of job queue",
		"Backfill exit\n\tA: 1\n\tA: 1\n":                                           "s:3: field A",
		"Backfill exit\n\tno colon\n":                                               "s:2: field no colon",
	} {
		if _, err := ReadSdiag(strings.NewReader(text), "s"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want one with %q", text, err, want)
		}
	}
}

func FuzzReadSdiag(f *testing.F) {
	text, err := os.ReadFile("testdata/sdiag.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ReadSdiag(strings.NewReader(text), "fuzz")
		if err == nil && (s.Cycles < 0 || s.MeanMicros < 0 || s.MaxMicros < 0) {
			t.Errorf("accepted %+v", s)
		}
	})
}
