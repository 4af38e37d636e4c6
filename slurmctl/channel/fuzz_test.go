package channel

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// No text of a user breaks a row: whatever the cells have is read as it was written.
func TestRowsSurviveEscaping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune("a\t\n\r\\ntr\x00\x1b\x1fé "))), 0, 5).Draw(t, "cells")
		row := writeRow(append([]string{"job"}, cells...))
		word, got, err := parseRow(row)
		if err != nil || word != "job" || !slices.Equal(got, cells) || strings.ContainsAny(row, "\n\r") {
			t.Fatalf("%q: %q %q, %v, want %q", row, word, got, err, cells)
		}
	})
}

// A row is an error, or what it says is all that it has.
func FuzzParseRow(f *testing.F) {
	f.Add("job\t7\ta\\tb")
	f.Add(`\`)
	f.Add("\t\\")
	f.Fuzz(func(t *testing.T, row string) {
		word, cells, err := parseRow(row)
		if err == nil && !strings.ContainsAny(row, "\n\r") && word+writeRow(append([]string{""}, cells...)) != row {
			t.Errorf("%q: %q %q", row, word, cells)
		}
	})
}

// parseAnswer splits a text into rows, those that can be.
func parseAnswer(text string) Answer {
	a := Answer{Life: 1}
	for line := range strings.Lines(text) {
		if word, cells, err := parseRow(strings.TrimSuffix(line, "\n")); err == nil {
			a.Rows = append(a.Rows, Row{Word: word, Cells: cells})
		}
	}
	a.Count = len(a.Rows)
	return a
}

// Whatever a helper says, a picture has as many things as the helper says, each under
// its own number, or it is empty and there is an error.
func FuzzPicture(f *testing.F) {
	f.Add("node\t0\tn1\tIDLE\t12\t0\t1\t0\t\tmain\tcpu=12\t\t\nnode\t1\tn2\tIDLE+DRAIN\t12\t0\t1\t0\t\tmain\tcpu=12,gres/gpu=2\t\tgpu:2\n")
	f.Add("gone\t0")
	f.Fuzz(func(t *testing.T, text string) {
		var nodes picture[slurmctl.NodeRecord]
		a := parseAnswer(text)
		err := nodes.apply(a, "node", func(cells []string) (slurmctl.NodeRecord, error) { return slurmctl.ReadNode(cells[1:]) })
		if err == nil && len(nodes.inOrder()) != a.Count || err != nil && len(nodes.all) > 0 {
			t.Errorf("%q: %d nodes, %v", text, len(nodes.all), err)
		}
		var jobs picture[queued]
		if err := jobs.apply(a, "job", readQueued); err != nil && len(jobs.all) > 0 {
			t.Errorf("%q: %d jobs, %v", text, len(jobs.all), err)
		}
		for id, j := range jobs.all {
			if j.ID != id {
				t.Errorf("%q: job %d under %d", text, j.ID, id)
			}
		}
	})
}

// A placement has each node of the job, or there is none.
func FuzzDetail(f *testing.F) {
	cells := strings.Repeat("\t", 4) + "1\tN/A\tN/A" + strings.Repeat("\t1", 4) + "\tcpu=1,node=1\t\t0\t0-00:01:00\tn[1-4]" + strings.Repeat("\t", 8)
	f.Add("detail\t7"+cells, "cpu=1\thas\t1\t4\t2\t4\tgpu:1")
	f.Add("detail\t7"+cells, "\twaits")
	f.Fuzz(func(t *testing.T, queued, placement string) {
		word, cells, err := parseRow(queued + "\t" + placement)
		if err != nil {
			return
		}
		d, _, err := readDetail(Row{Word: word, Cells: cells})
		if err == nil && d.ID == 0 {
			t.Errorf("%q: %+v", cells, d)
		}
		if names, expandErr := values.ExpandHosts(d.NodeList); err == nil && d.Allocations != nil && (expandErr != nil || len(names) != len(d.Allocations)) {
			t.Errorf("%q: %d allocations on %d nodes", cells, len(d.Allocations), len(names))
		}
	})
}

// The picture of a queue in which jobs come, change and go is that queue, whether the
// helper lives on or not.
func TestPictureIsTheQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p picture[string]
		life, seen, real := 1, map[int]string{}, map[int]string{}
		for range rapid.IntRange(1, 20).Draw(t, "questions") {
			for range rapid.IntRange(0, 5).Draw(t, "changes") {
				id := rapid.IntRange(1, 6).Draw(t, "job")
				if real[id] = rapid.StringMatching(`[ab]?`).Draw(t, "name"); real[id] == "" {
					delete(real, id)
				}
			}
			if rapid.IntRange(0, 4).Draw(t, "death") == 0 {
				life, seen = life+1, map[int]string{}
			}
			a := Answer{Life: life, Count: len(real)}
			for id := 1; id <= 6; id++ {
				_, was := seen[id]
				name, is := real[id]
				switch {
				case was && !is:
					a.Rows = append(a.Rows, Row{"gone", []string{string(rune('0' + id))}})
				case is && name != seen[id]:
					a.Rows = append(a.Rows, Row{"job", []string{string(rune('0' + id)), name}})
				}
				if seen[id] = name; !is {
					delete(seen, id)
				}
			}
			if err := p.apply(a, "job", func(cells []string) (string, error) { return cells[1], nil }); err != nil {
				t.Fatal(err)
			}
			var want []string
			for id := 1; id <= 6; id++ {
				if name, is := real[id]; is {
					want = append(want, name)
				}
			}
			if got := p.inOrder(); !slices.Equal(got, want) {
				t.Fatalf("%q, want %q", got, want)
			}
		}
	})
}
