//go:build browser

package serve_test

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Figures of a run of 10,000 jobs on 1408 nodes; docs/design/026-serve.md has them. What is
// asserted is that all of it is there, and that moving the chart draws it anew.
func TestInBrowserFigures(t *testing.T) {
	folder := t.TempDir()
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
	t.Logf("drawing all jobs takes %s ms", value[string](b, "document.querySelector('canvas.bars').dataset.took"))
	// Frames are counted as the browser gives them, with a key pressed in each.
	const pan = `(async (zooms, key) => {
		const chart = document.querySelector('canvas.over');
		const press = (key) => chart.dispatchEvent(new KeyboardEvent('keydown', { key }));
		const frame = () => new Promise(requestAnimationFrame);
		press('0');
		for (let i = 0; i < zooms; i++) press('+');
		await frame();
		let longest = 0;
		const began = performance.now();
		let last = began;
		for (let i = 0; i < 30; i++) {
			press(i % 2 ? key : '+'); press(i % 2 ? '-' : key);
			await frame();
			longest = Math.max(longest, performance.now() - last);
			last = performance.now();
		}
		return [(last - began) / 30, longest];
	})`
	for _, c := range []struct{ name, call string }{
		{"the whole run", pan + "(0, 'ArrowUp')"}, {"a tenth of it", pan + "(6, 'ArrowRight')"},
	} {
		frames := value[[]float64](b, c.call)
		t.Logf("moving %s: %.0f ms a frame, the longest %.0f ms", c.name, frames[0], frames[1])
	}
	before := b.picture("canvas.bars")
	value[bool](b, "document.querySelector('canvas.over').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' })), true")
	if b.picture("canvas.bars") == before {
		t.Error("an arrow key does not move the chart")
	}
	b.shot("large-zoomed")
	t.Logf("heap of the page %.0f MB", value[float64](b, "performance.memory.usedJSHeapSize")/1e6)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "VmHWM") {
			t.Logf("the server with its test, at most: %s", strings.TrimSpace(strings.TrimPrefix(line, "VmHWM:")))
		}
	}
	b.quiet()
}
