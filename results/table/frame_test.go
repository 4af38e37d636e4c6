package table

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type thing struct {
	key, word string
	value     float64
}

func things(t rapid.TB, list []thing, names ...string) Frame {
	t.Helper()
	frame, err := NewFrame(list,
		Word(names[0], func(x thing) string { return x.key }),
		Word(names[1], func(x thing) string { return x.word }),
		Number(names[2], func(x thing) float64 { return x.value }))
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

func drawThings(t *rapid.T, label string) []thing {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) thing {
		return thing{
			// Keys that gota's own names of groups would take for each other.
			key:   rapid.SampledFrom([]string{"a", "a_b", "b", "b_c", "", "1", "1.0", "true", "NaN"}).Draw(t, "key"),
			word:  rapid.SampledFrom([]string{"a", "b_c", "c"}).Draw(t, "word"),
			value: rapid.SampledFrom([]float64{0, 1, -2.5, 1e-300, 1.0 / 3, math.MaxFloat64, math.NaN()}).Draw(t, "value"),
		}
	}), 0, 8).Draw(t, label)
}

// The rows of a join are what two loops over the rows find, in their order, with
// every digit of the numbers.
func TestJoinIsTwoLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		left, right := drawThings(t, "left"), drawThings(t, "right")
		joined, err := things(t, left, "key", "word", "value").Join(things(t, right, "key", "word", "other"), "key", "word")
		if err != nil {
			t.Fatal(err)
		}
		var got, want [][4]string
		for i := range joined.Rows() {
			r := Row{joined, i}
			got = append(got, [4]string{r.Word("key"), r.Word("word"), exact(r.Number("value")), exact(r.Number("other"))})
		}
		for _, a := range left {
			for _, b := range right {
				if a.key == b.key && a.word == b.word {
					want = append(want, [4]string{a.key, a.word, exact(a.value), exact(b.value)})
				}
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// Each word's group has the known numbers of its rows in their order, with every
// digit.
func TestGroupByKeepsOrderAndDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawThings(t, "list")
		groups, err := things(t, list, "key", "word", "value").GroupBy("key", "value")
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][]float64{}
		for _, x := range list {
			if !math.IsNaN(x.value) {
				want[x.key] = append(want[x.key], x.value)
			}
		}
		for key, group := range groups {
			if !slices.Equal(group["value"], want[key]) {
				t.Fatalf("group %q: got %v, want %v", key, group["value"], want[key])
			}
			delete(want, key)
		}
		if len(want) > 0 {
			t.Fatalf("no groups %v", want)
		}
	})
}

// Where keeps the rows with the word, which may be none.
func TestWhere(t *testing.T) {
	list := []thing{{"a", "x", 1}, {"b", "y", 2}, {"a", "z", 3}}
	for key, want := range map[string]string{"a": "x1z3", "b": "y2", "c": ""} {
		kept, err := things(t, list, "key", "word", "value").Where("key", key)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i := range kept.Rows() {
			got += Row{kept, i}.Word("word") + exact(Row{kept, i}.Number("value"))
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
}

// A row in which one of the numbers is unknown is in none of the lists, so that
// they stay side by side.
func TestGroupByLeavesOutUnknownRows(t *testing.T) {
	frame, err := NewFrame([]float64{1, math.NaN(), 3},
		Word("key", func(float64) string { return "k" }),
		Number("a", func(v float64) float64 { return v }),
		Number("b", func(v float64) float64 { return 10 * v }))
	if err != nil {
		t.Fatal(err)
	}
	groups, err := frame.GroupBy("key", "a", "b")
	if want := (Group{"a": {1, 3}, "b": {10, 30}}); err != nil || !reflect.DeepEqual(groups["k"], want) {
		t.Errorf("got %v, %v, want %v", groups, err, want)
	}
}

// A fault that gota keeps in its frame, hides by renaming a column or panics on is
// returned as an error.
func TestFrameFaults(t *testing.T) {
	word := func(name string) Field[int] { return Word(name, strconv.Itoa) }
	if _, err := NewFrame([]int{1}, word("a"), word("a")); err == nil || err.Error() != `make frame: two columns "a"` {
		t.Errorf("got error %v", err)
	}
	if _, err := NewFrame([]int{1}); err == nil || !strings.Contains(err.Error(), "make frame") {
		t.Errorf("got error %v", err)
	}
	frame, err := NewFrame([]int{1}, word("a"), word("b"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := frame.Join(frame, "a"); err == nil || err.Error() != `join frames: both have a column "b"` {
		t.Errorf("got error %v", err)
	}
	if _, err := frame.Join(frame, "a", "b", "c"); err == nil || !strings.Contains(err.Error(), "join frames") {
		t.Errorf("got error %v", err)
	}
	if _, err := frame.Select(As{"c", "d"}); err == nil || !strings.Contains(err.Error(), "select columns") {
		t.Errorf("got error %v", err)
	}
	if _, err := frame.Where("c", "1"); err == nil || !strings.Contains(err.Error(), "select rows") {
		t.Errorf("got error %v", err)
	}
	if _, err := frame.GroupBy("c", "a"); err == nil || !strings.Contains(err.Error(), "group rows") {
		t.Errorf("got error %v", err)
	}
}
