package trace

import (
	"fmt"
	"strings"
	"testing"
)

// Issue 40: "run.json keeps slurm and gains backend"; what was recorded before has form and series in the one word.
func TestRecordedBackends(t *testing.T) {
	for fields, want := range map[string]Backend{
		``:                                       {"frontend", "24.11"},
		`"slurm": "24.11",`:                      {"frontend", "24.11"},
		`"slurm": "26.05",`:                      {"external", "26.05"},
		`"slurm": "26.05-slurmd",`:               {"slurmd", "26.05"},
		`"backend": "slurmd", "slurm": "26.05",`: {"slurmd", "26.05"},
		`"backend": "external", "slurm": "99.11",`:   {"external", "99.11"},
		`"backend": "frontend", "slurm": "24.11",`:   {"frontend", "24.11"},
		`"slurm": "a word that nobody has written",`: {"", "a word that nobody has written"},
	} {
		text := `{"schema_version": 1, ` + fields + ` "status": "failed", "reason": "as a test", "machine": {"name": "m", "nodes": 1, "cores": 1, "gpus": 0}}`
		run, err := DecodeRun(strings.NewReader(text), "run.json")
		if err != nil || run.Backend != want {
			t.Errorf("%s: got %+v, %v", fields, run.Backend, err)
		}
	}
}

// Folders that were begun before have directories and keys by the old words, which follow from today's backends.
func TestFormerWords(t *testing.T) {
	for word, b := range former() {
		label := "fifo-" + word
		if b.Form == "frontend" {
			word, label = "24.11", "fifo"
		}
		if got := b.Former(); got != word || b.FormerLabel("fifo") != label {
			t.Errorf("%s was %s, in directories %s", b.BackendName(), got, b.FormerLabel("fifo"))
		}
		key, err := Settings{Backend: b}.Key()
		other, otherErr := Settings{Backend: Backend{"external", "99.11"}}.Key()
		if err != nil || otherErr != nil || key == other {
			t.Errorf("%s: key %s, that of another backend %s, errors %v", b.BackendName(), key, other, fmt.Sprint(err, otherErr))
		}
	}
	if got := (Backend{"external", "99.11"}).Former(); got != "external-99.11" {
		t.Errorf("a backend that is newer is %s", got)
	}
}
