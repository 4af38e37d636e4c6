//go:build browser

package serve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Figures of a run of 10,000 jobs on 1408 nodes; docs/design/026-serve.md has them. The test asserts that all of it
// is there, that moving the chart redraws it, and the bounds of that page. These compare medians of one run and count
// elements, so that a busy machine keeps them.
func TestInBrowserFigures(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "runs")
	synthetic(t, folder, 10_000)
	b := browse(t, folder)
	b.openRun("tsubame-10000-jobs")
	if text := value[string](b, "document.querySelector('section.table:last-of-type [role=status]').textContent"); !strings.HasSuffix(text, "of 10000") {
		t.Errorf("the table of jobs has %q", text)
	}
	b.shot("large-whole")
	b.do(chromedp.Reload())
	b.until("document.querySelector('canvas.bars')?.clientHeight > 0")
	b.settled()
	drawn := value[float64](b, "performance.now()")
	t.Logf("first paint %.0f ms, chart drawn %.0f ms after the page was asked for",
		value[float64](b, "performance.getEntriesByName('first-contentful-paint')[0].startTime"), drawn)
	const press = "document.querySelector('canvas.over').dispatchEvent(new KeyboardEvent('keydown', { key: %q })), true"
	var draws []float64
	for range repetitions {
		for _, key := range []string{"+", "0"} {
			value[bool](b, fmt.Sprintf(press, key))
			b.settled()
		}
		b.until("document.querySelector('canvas.bars').dataset.drawn === 'whole'")
		draws = append(draws, value[float64](b, "Number(document.querySelector('canvas.bars').dataset.took)"))
	}
	took := median(draws)
	t.Logf("drawing all jobs takes %.0f ms", took)
	b.elements(mostElements)
	// Frames are counted as the browser gives them, with a key pressed in each.
	const pan = `(async (zooms, key) => {
		const chart = document.querySelector('canvas.over');
		const press = (key) => chart.dispatchEvent(new KeyboardEvent('keydown', { key }));
		const frame = () => new Promise(requestAnimationFrame);
		press('0');
		for (let i = 0; i < zooms; i++) press('+');
		await frame();
		const frames = [];
		for (let i = 0, last = performance.now(); i < 31; i++) {
			press(i % 2 ? key : '+'); press(i % 2 ? '-' : key);
			await frame();
			frames.push(performance.now() - last);
			last = performance.now();
		}
		return frames;
	})`
	for _, c := range []struct{ name, call string }{
		{"the whole run", pan + "(0, 'ArrowUp')"}, {"a tenth of it", pan + "(6, 'ArrowRight')"},
	} {
		frames := value[[]float64](b, c.call)
		usual := median(frames)
		t.Logf("moving %s: %.0f ms a frame, the longest %.0f ms", c.name, usual, slices.Max(frames))
		if usual >= took {
			t.Errorf("a frame while %s is moved takes %.0f ms, as long as to draw all jobs, %.0f ms", c.name, usual, took)
		}
	}
	before := b.picture("canvas.bars")
	value[bool](b, fmt.Sprintf(press, "ArrowRight"))
	if b.picture("canvas.bars") == before {
		t.Error("an arrow key does not move the chart")
	}
	b.shot("large-zoomed")
	b.memory()
	b.quiet()
}

// repetitions is how often a figure is taken of which the median counts.
const repetitions = 7

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// mostElements bounds what a page holds, whatever it is about: a table shows a hundred rows at a time.
const mostElements = 8000

// elements logs how many elements the page has, and ends well if they are within the bound.
func (b *tab) elements(most int) {
	b.t.Helper()
	n := value[int](b, "document.querySelectorAll('*').length")
	b.t.Logf("%d elements", n)
	if n > most {
		b.t.Errorf("the page has %d elements, more than %d", n, most)
	}
}

// memory logs what page and server take.
func (b *tab) memory() {
	b.t.Helper()
	b.t.Logf("heap of the page %.0f MB", value[float64](b, "performance.memory.usedJSHeapSize")/1e6)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if name, size, _ := strings.Cut(strings.TrimSpace(line), ":"); name == "VmRSS" || name == "VmHWM" {
			b.t.Logf("the server with its test, %s: %s", map[string]string{"VmRSS": "now", "VmHWM": "at most"}[name], strings.TrimSpace(size))
		}
	}
}

// Figures of a campaign of 60 runs of some 450 jobs each: two policies, three workloads, ten seeds.
func TestInBrowserCampaignFigures(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "study")
	campaignOf(t, folder, 10, "V.1", "V.2", "IV.2")
	for _, workload := range []string{"V.1", "V.2", "IV.2"} {
		for seed := 1; seed <= 10; seed++ {
			madeRun(t, folder, workload, wholeQueue, seed)
			madeRun(t, folder, workload, "auction", seed)
		}
	}
	b := browse(t, folder)
	b.memory()
	open := func() float64 {
		b.visit("#/")
		b.until("document.querySelectorAll('tbody input').length === 60")
		value[bool](b, "performance.clearResourceTimings(), document.querySelector('a.button[href^=\"#/folder/\"]').click(), true")
		b.until("document.querySelectorAll('.matrix tbody tr').length === 3")
		b.elements(mostElements)
		return value[float64](b, "performance.getEntriesByType('resource').find((e) => e.name.includes('/api/folder/')).duration")
	}
	first := open()
	var cached []float64
	for range repetitions {
		cached = append(cached, open())
	}
	again := median(cached)
	t.Logf("the folder compared: %.0f ms, from the cache: %.0f ms", first, again)
	if again >= first {
		t.Errorf("asked again for the folder, the server takes %.0f ms, before that %.0f ms", again, first)
	}
	if text := value[string](b, "document.querySelector('.matrix').innerText"); strings.Count(text, "10 repetitions") != 3 {
		t.Errorf("the matrix has %q", text)
	}
	b.memory()
	b.quiet()
}
