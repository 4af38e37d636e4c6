package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/plot"
)

// overSetting draws lines of means over these values, each mean the number of its value.
func overSetting(t *testing.T, lines int, values ...string) string {
	t.Helper()
	p := plot.SettingPanel{Title: "Waiting time h", Zero: true}
	var names []string
	for l := range lines {
		var line []plot.SettingPoint
		for i, value := range values {
			y := float64(l + i + 1)
			line = append(line, plot.SettingPoint{Value: value, Y: y, Low: y - 0.5, High: y + 0.5})
		}
		p.Lines, names = append(p.Lines, line), append(names, string(rune('a'+l)))
	}
	var out bytes.Buffer
	if err := plot.OverSetting(&out, "Setting window", "window", 1, names, p); err != nil {
		t.Fatal(err)
	}
	svg := out.String()
	err := error(nil)
	for decoder := xml.NewDecoder(&out); err == nil; {
		_, err = decoder.Token()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("the picture is no XML: %v", err)
	}
	return svg
}

// where is where the words stand from left to right: the x of each in the picture.
func where(t *testing.T, svg string, words ...string) []float64 {
	t.Helper()
	var xs []float64
	for _, word := range words {
		found := regexp.MustCompile(`x="([-0-9.]+)"[^>]*>` + regexp.QuoteMeta(word) + `<`).FindStringSubmatch(svg)
		if found == nil {
			t.Fatalf("no %q in %s", word, svg)
		}
		var x float64
		if err := xml.Unmarshal([]byte("<x>"+found[1]+"</x>"), &x); err != nil {
			t.Fatal(err)
		}
		xs = append(xs, x)
	}
	return xs
}

// Numbers whose steps are factors have equal steps on the axis, numbers with equal differences stand at their place,
// times count in seconds, and words stand beside each other in their order.
func TestOverSettingAxis(t *testing.T) {
	for name, c := range map[string]struct {
		values []string
		// ratio of the step to the third value to the step to the second.
		ratio float64
		bands int
	}{
		"factors":     {[]string{"10", "100", "1000"}, 1, 1},
		"differences": {[]string{"10", "20", "40"}, 1, 1}, // factors of 2
		"even steps":  {[]string{"10", "30", "50"}, 1, 1},
		"uneven":      {[]string{"0", "10", "30"}, 2, 1},
		"times":       {[]string{"30s", "1m", "2m"}, 1, 1},
		"words":       {[]string{"true", "false", "7"}, 1, 0},
	} {
		svg := overSetting(t, 1, c.values...)
		x := where(t, svg, c.values...)
		if got := (x[2] - x[1]) / (x[1] - x[0]); x[1] <= x[0] || math.Abs(got-c.ratio) > 0.1 {
			t.Errorf("%s: the values stand at %v, steps %g, want %g", name, x, got, c.ratio)
		}
		if got := strings.Count(svg, "fill-opacity"); got != c.bands {
			t.Errorf("%s: got %d bands, want %d", name, got, c.bands)
		}
	}
}

// Lines are named if there are several, and labels do not cover each other.
func TestOverSettingNames(t *testing.T) {
	if svg := overSetting(t, 2, "1", "2"); !strings.Contains(svg, ">a<") || !strings.Contains(svg, ">b<") {
		t.Error("the lines have no names")
	}
	svg := overSetting(t, 1, "1000000", "1000001", "2000000")
	if strings.Contains(svg, ">1000001<") || !strings.Contains(svg, ">2000000<") {
		t.Error("want the labels of 1000000 and 2000000, and none that covers the first")
	}
	nan := math.NaN()
	nothing := plot.SettingPanel{Title: "x", Zero: true, Lines: [][]plot.SettingPoint{{{Value: "1", Y: nan, Low: nan, High: nan}}}}
	if err := plot.OverSetting(io.Discard, "", "", 1, nil, nothing); err == nil {
		t.Error("a panel without a mean was drawn")
	}
	if err := plot.OverSetting(io.Discard, "", "", 1, nil); err == nil {
		t.Error("no panel was drawn")
	}
}
