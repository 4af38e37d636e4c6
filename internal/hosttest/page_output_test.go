package hosttest

import (
	"regexp"
	"strings"
	"testing"
)

const printed = `Over 2 replicas of workload V.2.

                                     Seeds
Metric       backfill  auction      needed
---------  ----------  -------  ----------
Runtime h       0.361    0.338           7
Runtime          none     none           -
CPU util %     46.739   50.135           7
Waiting h       0.060    0.060       >1000

Runtime h is explained elsewhere.
`

// Only the rows that are asked for stay of a table, and nothing beside tables that have some.
func TestSelect(t *testing.T) {
	markdown := "| metric    |  a |\n| --------- | -: |\n| Runtime h |  1 |\n| Waiting h |  2 |\n"
	for _, c := range []struct{ printed, rows, want string }{
		{printed + "\n\n", "", printed},
		{printed, "Waiting h;Runtime h", "                                     Seeds\nMetric       backfill  auction      needed\n" +
			"---------  ----------  -------  ----------\nRuntime h       0.361    0.338           7\nWaiting h       0.060    0.060       >1000\n"},
		{printed + "\n" + markdown, "Waiting", "                                     Seeds\nMetric       backfill  auction      needed\n" +
			"---------  ----------  -------  ----------\nWaiting h       0.060    0.060       >1000\n\n| metric    |  a |\n| --------- | -: |\n| Waiting h |  2 |\n"},
		{printed + "\n" + markdown, "Waiting h 2", "| metric    |  a |\n| --------- | -: |\n| Waiting h |  2 |\n"},
		{markdown + "\n" + markdown, "Runtime h", strings.Replace(markdown+"\n"+markdown, "| Waiting h |  2 |\n", "", 2)},
	} {
		var o Output
		if c.rows != "" {
			o.Rows = strings.Split(c.rows, ";")
		}
		if got, err := o.Select(c.printed); err != nil || got != c.want {
			t.Errorf("rows %q: got %v\n%swant\n%s", c.rows, err, got, c.want)
		}
	}
	o := Output{Rows: []string{"Runtime h", "Wait"}}
	if _, err := o.Select(printed); err == nil || !strings.Contains(err.Error(), `begins with "Wait":`) {
		t.Errorf("got %v, want that no row is left for Wait", err)
	}
}

func TestDiffer(t *testing.T) {
	for _, c := range []struct {
		shape      bool
		any        string
		page, made string
		same       bool
		rows       []string
	}{
		{false, "", "a  1.5\n", "a  1.5\n\n", true, nil},
		{false, "", "a  1.5\n", "a  1.6\n", false, nil},
		{false, "", "a  1.5\n", "a 1.5\n", false, nil},
		{true, "", "Waiting h   0.060  [-1.5, 2.0]\n", "Waiting h  10.060  [0.1, -20.25]\n", true, nil},
		{true, "", "Metric  a\n------  -----\nx       1.500\n", "Metric  a\n------  ------\nx       11.500\n", true, nil},
		{true, "", "41 of 41 done after 18 s, 0:36:25, 132x\n", "41 of 41 done after 7 s, 1:00:00, 9.5x\n", true, nil},
		{true, "", "41 of 41 done\n", "40 of 41 done\n", false, nil},
		{true, "", "started at 10m21s, 1h2m3s later, at 0s\n", "started at 5s, 40m0s later, at 3m\n", true, nil},
		{true, "", "n[41-58] of V.2, seed1\n", "n[41-59] of V.2, seed1\n", false, nil},
		{true, "", "V.1 of auction1\n", "V.2 of auction1\n", false, nil},
		{true, "", "about 40 s of one core, 3 MB, 90 %\n", "about 4 s of one core, 13 MB, 8 %\n", true, nil},
		{true, "", "12 metrics\n", "13 metrics\n", false, nil},
		{true, "", "a  1.5\nb  1.5\n", "a  1.5\n", false, nil},
		{true, "", "Waiting h  1.5\n", "Waiting s  1.5\n", false, nil},
		{true, "", "Waiting h  1.5\n", "Waiting s  1.5\n", true, []string{"Waiting"}},
		{true, "auction$|backfill$|no difference shown$", "Slowdown  0.1  auction\n", "Slowdown  2.1  no difference shown\n", true, nil},
		{true, "auction$|backfill$", "Slowdown  0.1  auction\n", "Slowdown  2.1  fifo\n", false, nil},
		{false, "in \\d+ jobs", "1.5 in 3 jobs\n", "1.5 in 4 jobs\n", true, nil},
		{false, "in \\d+ jobs", "1.5 in 3 jobs\n", "1.6 in 4 jobs\n", false, nil},
	} {
		o := Output{Shape: c.shape, Text: c.page, Rows: c.rows}
		if c.any != "" {
			o.Any = regexp.MustCompile("(?m)" + c.any)
		}
		if got := o.Differ(c.made); (got == "") != c.same {
			t.Errorf("shape %v, any %q: %q and %q: got %q, want the same: %v", c.shape, c.any, c.page, c.made, got, c.same)
		}
	}
}
