package input_test

import (
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/input"
)

// delay is a text with a form of its own.
type delay struct{ time.Duration }

func (d *delay) UnmarshalText(text []byte) (err error) {
	d.Duration, err = time.ParseDuration(string(text))
	return err
}

func (d *delay) Wanted() string { return "a time like 3s" }

type entry struct {
	Name  string   `json:"name" about:"its {Name}" need:"yes"`
	Count int      `json:"count" about:"how many" default:"1"`
	State string   `json:"state" about:"'up' or 'down'" default:"up" after:"words"`
	Words []string `json:"words" about:"it's said"`
}

type inner struct {
	Ratio float64 `json:"ratio" about:"a part"`
	Wait  delay   `json:"wait" about:"how long"`
	Hours int     `json:"hours_h" yaml:"hours" about:"a unit" as:"hours"`
	Other int     `json:"other"`
}

type whole struct {
	Entries []entry     `json:"entries" about:"entries"`
	Inner   inner       `json:"inner" about:"in "`
	Any     input.Value `json:"any" about:"anything"`
	On      bool        `json:"on" about:"whether" read:"first"`
}

func open(text string) *input.Document {
	d := input.Open("x.yaml", []byte(text), input.Allowed)
	d.Readers = map[string]input.Reader{"hours": func(v input.Value, into any) { *into.(*int) = 60 * v.Int() }}
	return d
}

func TestRead(t *testing.T) {
	d := open("entries: [{name: a}, {name: b, count: 3, words: [x, y]}]\ninner: {ratio: 0.5, wait: 3s, hours: 2}\nany: [1]\non: true\n")
	var w whole
	d.Root().ReadAll(&w)
	if err := d.Err(nil); err != nil {
		t.Fatal(err)
	}
	if a, b := w.Entries[0], w.Entries[1]; a.Count != 1 || a.State != "up" || b.Count != 3 || len(b.Words) != 2 {
		t.Errorf("got %+v", w.Entries)
	}
	if w.Inner.Ratio != 0.5 || w.Inner.Wait.Duration != 3*time.Second || w.Inner.Hours != 120 || !w.Any.There() || !w.On {
		t.Errorf("got %+v", w)
	}
}

// Each fault has the line of its value, and an unknown key names the others in the order of reading.
func TestFaults(t *testing.T) {
	d := open("entries:\n  - {name: 3}\n  - nothing\ninner:\n  wait: soon\n  other: 1\nnone: 1\n")
	var w whole
	d.Root().ReadAll(&w)
	want := `x.yaml:2: entries[0].name: got 3, allowed text (in quotes where it looks like something else)
x.yaml:3: entries[1]: got "nothing", allowed a mapping of keys to values
x.yaml:5: inner.wait: got "soon", allowed a time like 3s
x.yaml:6: inner.other: unknown key, allowed ratio, wait, hours
x.yaml:7: none: unknown key, allowed on, entries, inner, any`
	if err := d.Err(nil); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestKeys(t *testing.T) {
	want := map[string]string{
		"name": "its {Name}; this key is needed", "count": "how many; 1 without it", "state": "`up` or `down`; `up` without it", "words": "it's said",
	}
	for _, k := range input.Keys[entry]() {
		if got := input.Markdown(k.About); got != want[k.Name] {
			t.Errorf("%s: got %q, want %q", k.Name, got, want[k.Name])
		}
	}
	var paths []string
	input.Walk[struct {
		In inner `json:"in" about:"inner: "`
	}](func(path, about string, _ any) { paths = append(paths, path+" "+about) })
	if len(paths) != 3 || paths[1] != "in.wait inner: how long" {
		t.Errorf("got %q", paths)
	}
}

// What Write leaves out is what Read has without the key; words that YAML takes for something else are in quotes.
func TestWrite(t *testing.T) {
	w := input.Writers{}
	got := w.Write(whole{Entries: []entry{{Name: "no", Count: 1, State: "up"}, {Name: "b", Count: 2, State: "down", Words: []string{"1e5", "x y"}}}, On: true}, "entries", "on")
	want := "on: true\nentries:\n  - {name: \"no\"}\n  - {name: b, count: 2, words: [\"1e5\", \"x y\"], state: down}\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
