package text

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", -3: "−3", 0.0004: "0.000", -0.0004: "0.000", 1.23456: "1.235", 12.3456: "12.35",
		123.456: "123.5", 1234.56: "1235", 1e9: "1000000000", math.Inf(1): Nothing,
	} {
		if got := Number(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
	if got := Number(math.NaN()); got != Nothing {
		t.Errorf("NaN: %q", got)
	}
}

// A number on the page is the number of the run to three digits or a
// thousandth.
func TestNumberIsClose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-1e12, 1e12).Draw(t, "v")
		back, err := strconv.ParseFloat(strings.Replace(Number(v), "−", "-", 1), 64)
		if err != nil || math.Abs(back-v) > math.Max(0.0006, 0.0006*math.Abs(v)) {
			t.Fatalf("%g is shown as %s (%v)", v, Number(v), err)
		}
	})
}

// A terminal gives East Asian characters two columns and combining ones none; a name in
// two parts is as wide as both.
func TestWidth(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a ± b": 5, "作業": 4, "e\u0301": 1, "×−≤": 3} {
		if got := Width(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for seconds, want := range map[float64]string{
		0: "0 s", 59.4: "59 s", 59.6: "1 min 0 s", 3599: "59 min 59 s", 3600: "1 h 0 min", 11640: "3 h 14 min",
	} {
		if got := Duration(seconds); got != want {
			t.Errorf("%g s: %q, want %q", seconds, got, want)
		}
	}
}

// A name with an escape sequence stands as text where it would have cleared the screen.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{"V.2 backfill": "V.2 backfill", "a\x1b[2Jb": "a?[2Jb", "zwei\nZeilen": "zwei?Zeilen", "Größe 数": "Größe 数"} {
		if got := Printable(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// A terminal prints the text as it is read, and obeys none of it.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb\tc": "a\nb\tc", "a\x1b[2Jb\r": `a\x1b[2Jb\r`, "\x00\x7f": `\x00\x7f`, "\u009b": `\u009b`, "a\u202egnp": `a\u202egnp`,
		"\xff": `\xff`, "\ufffd": "\ufffd", "Größe 数 👩‍👩‍👧": "Größe 数 👩‍👩‍👧",
	} {
		if got := string(Plain([]byte(text))); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.Byte()).Draw(t, "text")
		plain := Plain(text)
		if again := Plain(plain); string(again) != string(plain) {
			t.Fatalf("%q becomes %q, and then %q", text, plain, again)
		}
	})
}

func TestMinutes(t *testing.T) {
	for minutes, want := range map[int]string{1: "0-00:01:00", 90: "0-01:30:00", 2 * 24 * 60: "2-00:00:00"} {
		if got := Minutes(minutes); got != want {
			t.Errorf("%d: got %s, want %s", minutes, got, want)
		}
	}
}
