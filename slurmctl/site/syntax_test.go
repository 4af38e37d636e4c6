package site_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/slurmctl/site"
)

// pairOf is Key=Value of a file that a writer writes.
type pairOf struct{ key, value string }

// The machine does not depend on how a legal file is written (src/common/parse_config.c): case of keys, blanks around the sign, quotes,
// continued lines, comments, escapes, included files, operators, values that stand twice in a line, and DEFAULT lines.
func TestSpellingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := drawConf(t)
		var plain strings.Builder
		for _, line := range lines {
			for _, p := range line {
				_, _ = fmt.Fprintf(&plain, "%s=%s ", p.key, p.value)
			}
			plain.WriteString("\n")
		}
		w := writer{t: t, included: map[string]string{}}
		written := w.file(lines, "slurm.conf")
		want, err := site.Read([]site.File{{Name: "slurm.conf", Text: plain.String()}}, site.ReadOptions{})
		if err != nil {
			t.Fatalf("%v of\n%s", err, plain.String())
		}
		got, err := site.Read([]site.File{{Name: "slurm.conf", Text: written}}, site.ReadOptions{Open: func(name string) (string, error) {
			if part, ok := w.included[name]; ok {
				return part, nil
			}
			return "", errors.New("no such file")
		}})
		if err != nil {
			t.Fatalf("%v of\n%s", err, written)
		}
		if asText, wanted := strings.ToLower(text(got)), strings.ToLower(text(want)); asText != wanted {
			t.Errorf("got\n%s\nwant\n%s\nof\n%s\nand %q", asText, wanted, written, w.included)
		}
	})
}

// drawConf is a slurm.conf in its plain form, a line of pairs each.
func drawConf(t *rapid.T) [][]pairOf {
	lines := [][]pairOf{{{"ClusterName", "c"}}, {{"SchedulerParameters", "bf_continue,bf_window=2880"}}}
	if rapid.Bool().Draw(t, "whole nodes") {
		lines = append(lines, []pairOf{{"SelectType", "select/linear"}})
	}
	shared := []pairOf{{"RealMemory", fmt.Sprint(rapid.IntRange(8000, 90000).Draw(t, "memory"))}, {"Weight", fmt.Sprint(rapid.IntRange(1, 99).Draw(t, "weight"))}}
	for i := range rapid.IntRange(1, 4).Draw(t, "node lines") {
		line := append([]pairOf{
			{"NodeName", fmt.Sprintf("n%d-[%d-%d]", i, rapid.IntRange(1, 5).Draw(t, "first"), rapid.IntRange(5, 20).Draw(t, "last"))},
			{"Sockets", fmt.Sprint(rapid.IntRange(1, 4).Draw(t, "sockets"))}, {"CoresPerSocket", fmt.Sprint(rapid.IntRange(1, 32).Draw(t, "cores"))},
			{"ThreadsPerCore", fmt.Sprint(rapid.IntRange(1, 2).Draw(t, "threads"))},
		}, shared...)
		if rapid.Bool().Draw(t, "GPUs") {
			line = append(line, pairOf{"Gres", "gpu:a100:4"})
		}
		if rapid.Bool().Draw(t, "features") {
			line = append(line, pairOf{"Feature", "ib,fast"})
		}
		if rapid.Bool().Draw(t, "reserved") {
			line = append(line, pairOf{"MemSpecLimit", "1000"})
		}
		lines = append(lines, line)
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "partitions") {
		line := []pairOf{{"PartitionName", fmt.Sprintf("p%d", i)}, {"Nodes", "ALL"}, {"Default", map[bool]string{true: "YES", false: "NO"}[i == 0]}}
		for _, p := range []pairOf{{"MaxTime", "1-00:00:00"}, {"PriorityTier", "7"}, {"LLN", "YES"}, {"OverSubscribe", "EXCLUSIVE"}, {"MaxCPUsPerNode", "6"}, {"AllowGroups", "ml"}} {
			if rapid.Bool().Draw(t, p.key) {
				line = append(line, p)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// writer writes lines in any legal way.
type writer struct {
	t        *rapid.T
	included map[string]string
}

func (w *writer) yes(what string) bool { return rapid.IntRange(0, 3).Draw(w.t, what) == 0 }

func (w *writer) blank(least int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{" ", "\t"}), least, 2).Draw(w.t, "blanks"), "")
}

// file writes lines, of which it moves some to a file that this one includes, or what nodes share to DEFAULT.
func (w *writer) file(lines [][]pairOf, name string) string {
	var b strings.Builder
	for _, line := range lines {
		switch {
		case w.yes("comment"):
			b.WriteString(rapid.SampledFrom([]string{"# NodeName=x \\ ", "", "  \t", "#", "   # a \\# b"}).Draw(w.t, "text") + "\n")
		case w.yes("include") && len(w.included) < 4:
			part := fmt.Sprintf("%s.%d", name, len(w.included))
			w.included[part] = ""
			w.included[part] = w.file([][]pairOf{line}, part)
			b.WriteString(rapid.SampledFrom([]string{"Include ", "include\t", "INCLUDE  "}).Draw(w.t, "word") + part + "\n")
			continue
		}
		if key := line[0].key; key == "NodeName" && w.yes("default") {
			// All lines of nodes share these two.
			b.WriteString(w.line(append([]pairOf{{"NodeName", "DEFAULT"}}, line[4:6]...)) + "\n")
			line = append(append([]pairOf{}, line[:4]...), line[6:]...)
		}
		b.WriteString(w.line(line) + "\n")
	}
	return b.String()
}

func (w *writer) line(pairs []pairOf) string {
	var b strings.Builder
	for i, p := range pairs {
		if i > 0 {
			if w.yes("continued") {
				b.WriteString(w.blank(1) + "\\" + rapid.SampledFrom([]string{"", " ", " # comment"}).Draw(w.t, "end") + "\n" + w.blank(0))
			} else {
				b.WriteString(w.blank(1))
			}
			if w.yes("twice") {
				b.WriteString(p.key + "=1" + w.blank(1))
			}
		}
		b.WriteString(w.spelled(p.key) + w.blank(0) + "=" + w.blank(0) + w.value(p))
	}
	if w.yes("end of line") {
		b.WriteString(rapid.SampledFrom([]string{" ", "\t# comment", "#", "\r"}).Draw(w.t, "end"))
	}
	return b.String()
}

func (w *writer) spelled(key string) string {
	return rapid.SampledFrom([]string{key, strings.ToLower(key), strings.ToUpper(key)}).Draw(w.t, "case")
}

// value writes a value in quotes, with a backslash before a character, over two lines, or as another number or boolean.
func (w *writer) value(p pairOf) string {
	value := p.value
	switch {
	case value == "YES" && w.yes("boolean"):
		value = rapid.SampledFrom([]string{"yes", "Up", "TRUE", "1"}).Draw(w.t, "true")
	case value == "NO" && w.yes("boolean"):
		value = rapid.SampledFrom([]string{"no", "Down", "FALSE", "0"}).Draw(w.t, "false")
	case p.key == "CoresPerSocket" && w.yes("number"):
		var n int
		_, _ = fmt.Sscan(value, &n)
		value = fmt.Sprintf(rapid.SampledFrom([]string{"%#x", "%#o", "+%d"}).Draw(w.t, "base"), n)
	}
	at := rapid.IntRange(1, len(value)).Draw(w.t, "at")
	switch {
	case w.yes("escape"):
		value = value[:at-1] + `\` + value[at-1:]
	case w.yes("split") && at < len(value):
		value = value[:at] + "\\\n" + value[at:]
	}
	if w.yes("quotes") {
		return `"` + value + `"`
	}
	return value
}
