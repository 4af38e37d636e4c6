//go:build browser

package serve_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"golang.org/x/sys/unix"
)

// tab is the page in a real browser.
type tab struct {
	t       *testing.T
	ctx     context.Context
	base    string
	console iter.Seq2[chromedp.ConsoleMessage, error]
}

// browse opens a tab of Debian's Chromium. Without it the test fails: "make test-page" has
// it in a container.
func browse(t *testing.T, paths ...string) *tab {
	t.Helper()
	s := open(t, paths...)
	// The container has neither a user for the sandbox nor anybody to protect.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox)
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, base: s.base + "/" + token + "/"}
	b.do(chromedp.EmulateViewport(1440, 900))
	b.console = chromedp.Console(ctx)
	b.do(chromedp.Navigate(b.base))
	b.until("document.querySelector('main h1')")
	return b
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// visit goes to a part of the page.
func (b *tab) visit(hash string) {
	b.t.Helper()
	value[bool](b, fmt.Sprintf("location.hash = %q, true", hash))
}

// value evaluates an expression on the page; promises are waited for.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression to be true; the test's own time limit ends it.
func (b *tab) until(expression string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool]("Boolean("+expression+")")); err != nil {
		b.t.Fatalf("waiting for %s: %v", expression, err)
	}
}

// settled waits until two frames are drawn, and the chart is no moved picture of itself.
func (b *tab) settled() {
	b.t.Helper()
	value[bool](b, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
	b.until("document.querySelector('canvas.bars')?.dataset.drawn !== 'moved'")
}

// picture is the content of a canvas.
func (b *tab) picture(selector string) string {
	b.t.Helper()
	b.settled()
	return value[string](b, fmt.Sprintf("document.querySelector(%q).toDataURL()", selector))
}

func (b *tab) scheme(name string) {
	b.t.Helper()
	parameters := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, parameters); err != nil {
		b.t.Fatal(err)
	}
}

// quiet ends the test if the page has written anything to the console: an error, a
// refusal of the policy, a file that is missing.
func (b *tab) quiet() {
	b.t.Helper()
	const end = "the end of the test"
	value[bool](b, fmt.Sprintf("console.info(%q), true", end))
	for m, err := range b.console {
		if err != nil {
			b.t.Fatal(err)
		}
		if m.Text == end {
			return
		}
		b.t.Errorf("console: %s", m)
	}
}

// shot keeps a picture of the page where SHOTS says.
func (b *tab) shot(name string) {
	b.t.Helper()
	folder := os.Getenv("SHOTS")
	if folder == "" {
		return
	}
	b.settled()
	data, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), data, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// openRun goes to a run by its link on the first page.
func (b *tab) openRun(name string) {
	b.t.Helper()
	b.visit("#/")
	link := fmt.Sprintf("[...document.querySelectorAll('tbody a')].find((a) => a.textContent === %q)", name)
	b.until(link + " !== undefined")
	value[bool](b, link+".click(), true")
	b.until("document.querySelector('canvas.bars')?.clientHeight > 0 && document.querySelectorAll('tbody tr').length > 0")
	b.settled()
}

// Without a pointer: Tab comes to the chart, keys move and zoom it, go from job to job and
// tell the story of each, and headings sort by Enter.
func TestInBrowserKeys(t *testing.T) {
	b := browse(t, recorded)
	b.openRun("S-V.2-backfill-seed1")
	for i := 0; !value[bool](b, "document.activeElement.matches('canvas.over')"); i++ {
		if i > 40 {
			t.Fatal("Tab does not come to the chart")
		}
		b.do(chromedp.KeyEvent(kb.Tab))
	}
	whole := b.picture("canvas.bars")
	seen := map[string]string{whole: "the whole"}
	for _, key := range []string{"+", "+", kb.ArrowRight, kb.ArrowLeft + kb.ArrowLeft, "-"} {
		b.do(chromedp.KeyEvent(key))
		now := b.picture("canvas.bars")
		if before, twice := seen[now]; twice {
			t.Errorf("after key %q the picture is that of %s", key, before)
		}
		seen[now] = fmt.Sprintf("key %q", key)
	}
	b.do(chromedp.KeyEvent("0"))
	if b.picture("canvas.bars") != whole {
		t.Error("key 0 does not bring the whole run back")
	}
	unchosen := b.picture("canvas.over")
	var told []string
	for range 2 {
		b.do(chromedp.KeyEvent("n"))
		b.until("document.querySelector('.words pre')")
		told = append(told, value[string](b, "document.querySelector('.story h2').textContent"))
	}
	if told[0] == told[1] || !strings.HasPrefix(told[1], "Job ") {
		t.Errorf("key n tells of %q", told)
	}
	if b.picture("canvas.over") == unchosen {
		t.Error("the chosen job is not marked")
	}
	story := value[string](b, "document.querySelector('.story').textContent")
	id := strings.TrimPrefix(told[1], "Job ")
	for _, want := range []string{"submitted", "eligible", "waited", "slowdown", "job " + id + " of S-V.2-backfill-seed1.zip"} {
		if !strings.Contains(story, want) {
			t.Errorf("the story of job %s lacks %q: %s", id, want, story)
		}
	}
	b.do(chromedp.KeyEvent("p"))
	b.until(fmt.Sprintf("document.querySelector('.story h2').textContent === %q", told[0]))
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("document.querySelector('.story h2').textContent === 'No job chosen'")

	const waited = "[...document.querySelectorAll('section.table:last-of-type th button')].find((h) => h.textContent === 'Waited')"
	value[bool](b, waited+".focus(), true")
	b.do(chromedp.KeyEvent(kb.Enter))
	if got := value[string](b, waited+".parentElement.getAttribute('aria-sort')"); got != "descending" {
		t.Errorf("Enter sorts %q", got)
	}
	longest := value[string](b, "document.querySelector('section.table:last-of-type tbody tr').children[5].textContent")
	if first := value[string](b, waited+".click(), document.querySelector('section.table:last-of-type tbody tr').children[5].textContent"); first >= longest {
		t.Errorf("the shortest wait is %s, the longest %s", first, longest)
	}
	b.quiet()
}

// The pointer finds the job that is drawn under it, drags and zooms the chart, and moves
// the cursor of time through the curves.
func TestInBrowserPointer(t *testing.T) {
	b := browse(t, recorded)
	b.openRun("S-V.2-backfill-seed1")
	box := value[[]float64](b, "(() => { const r = document.querySelector('canvas.over').getBoundingClientRect(); return [r.left, r.top, r.width, r.height] })()")
	x, y := box[0]+box[2]*0.3, box[1]+box[3]*0.4
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
	b.until("document.querySelector('.story h2').textContent.startsWith('Job ')")
	if text := value[string](b, "[...document.querySelectorAll('.curve output')].map((o) => o.textContent).join()"); !strings.ContainsAny(text, "123456789") {
		t.Errorf("at the cursor the curves have %q", text)
	}
	b.do(chromedp.MouseClickXY(x, y))
	b.until("document.querySelector('.words pre')")
	b.shot("run-light")
	before := b.picture("canvas.bars")
	value[bool](b, "document.querySelector('canvas.over').dispatchEvent(new WheelEvent('wheel', { deltaY: -400, clientX: 500, clientY: 500, cancelable: true })), true")
	zoomed := b.picture("canvas.bars")
	b.do(chromedp.DragAndDropXY(x, y, x-200, y))
	if dragged := b.picture("canvas.bars"); zoomed == before || dragged == zoomed {
		t.Error("wheel or drag do not change the chart")
	}
	b.quiet()
}

// In light and in dark words have the contrast that WCAG 2.1 AA asks for, and the chart is
// drawn in the colours of its ground.
func TestInBrowserThemes(t *testing.T) {
	b := browse(t, recorded)
	b.openRun("S-V.2-auction-seed1")
	const contrast = `((name) => {
		const of = (text) => {
			const probe = document.createElement('i');
			probe.style.color = text; document.body.append(probe);
			const [r, g, b] = getComputedStyle(probe).color.match(/[\d.]+/g).map((c) => c / 255).map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
			probe.remove();
			return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
		};
		const [x, y] = [of('var(--' + name + ')'), of('var(--paper)')];
		return Math.max(x, y) / Math.min(x, y);
	})`
	pictures := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		for _, name := range []string{"ink", "soft", "link", "good", "bad", "busy"} {
			if got := value[float64](b, fmt.Sprintf("%s(%q)", contrast, name)); got < 4.5 {
				t.Errorf("%s: contrast of %s is %.2f", scheme, name, got)
			}
		}
		pictures[b.picture("canvas.strip")] = true
		b.shot("run-" + scheme)
		b.do(chromedp.EmulateViewport(420, 900))
		if wide := value[float64](b, "document.documentElement.scrollWidth"); wide > 420 {
			t.Errorf("%s: a page of 420 pixels is %g wide", scheme, wide)
		}
		b.shot("narrow-" + scheme)
		b.do(chromedp.EmulateViewport(1440, 900))
	}
	if len(pictures) != 2 {
		t.Error("curves look the same in light and dark")
	}
	b.quiet()
}

// What a screen reader hears: everything that can be pressed has a name, tables have
// headings, and the page its language, title and landmarks.
func TestInBrowserNames(t *testing.T) {
	b := browse(t, recorded)
	for _, page := range []string{"list", "run", "curves"} {
		switch page {
		case "list":
			b.visit("#/")
			b.until("document.querySelector('tbody a')")
			b.shot("list-light")
		case "run":
			b.openRun("S-V.2-auction-seed1")
		case "curves":
			b.visit("#/")
			b.until("document.querySelectorAll('tbody input').length > 5")
			value[bool](b, "[...document.querySelectorAll('tbody input')].slice(3, 6).forEach((i) => i.click()), true")
			value[bool](b, "document.querySelector('a.button').click(), true")
			b.until("document.querySelectorAll('canvas.tall').length === 3")
			b.shot("curves-light")
		}
		for what, missing := range map[string]string{
			"buttons and links without a name": "[...document.querySelectorAll('button, a')].filter((e) => !(e.getAttribute('aria-label') || e.textContent).trim())",
			"inputs without a label":           "[...document.querySelectorAll('input')].filter((e) => !e.getAttribute('aria-label') && !e.labels.length)",
			"canvases without a name":          "[...document.querySelectorAll('canvas.over, canvas.tall')].filter((e) => !e.getAttribute('aria-label'))",
			"tables without headings":          "[...document.querySelectorAll('table')].filter((e) => !e.querySelector('thead th[scope=col]'))",
			"ids that are there twice":         "[...document.querySelectorAll('[id]')].filter((e) => document.querySelectorAll('#' + CSS.escape(e.id)).length > 1)",
			"landmarks":                        "['main', 'header nav', 'h1'].filter((s) => document.querySelectorAll(s).length !== 1)",
			"descriptions that are not there":  "[...document.querySelectorAll('[aria-describedby]')].filter((e) => !document.getElementById(e.getAttribute('aria-describedby')))",
		} {
			if n := value[int](b, "("+missing+").length"); n > 0 {
				t.Errorf("%s: %d %s", page, n, what)
			}
		}
		if title := value[string](b, "document.title"); !strings.HasSuffix(title, " – slurmlab") {
			t.Errorf("%s: title %q", page, title)
		}
	}
	b.quiet()
}

// A run that is under way appears on its page as it goes, and its name cannot become markup.
func TestInBrowserUnderWay(t *testing.T) {
	folder := t.TempDir()
	record := map[string]any{"status": "incomplete", "reason": "x", "policy": "<img src=x onerror=alert(1)>"}
	path := copyRun(t, folder, "live", record, "sacct.txt", "sdiag.txt")
	file := filepath.Join(path, "cycles.jsonl")
	all, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(all), "\n")
	if err = os.WriteFile(file, []byte(strings.Join(lines[:20], "")), 0o644); err != nil {
		t.Fatal(err)
	}
	lock, err := os.Open(filepath.Join(path, "workload.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	if err = unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	b := browse(t, folder)
	b.openRun("live")
	const badge, upTo = "document.querySelector('h1 + .badge').textContent", "document.querySelector('.note').textContent"
	if got := value[string](b, badge); got != "running" {
		t.Errorf("marked as %q", got)
	}
	early, picture := value[string](b, upTo), b.picture("canvas.bars")
	if !strings.Contains(early, "of virtual time") || value[bool](b, "document.querySelector('img') !== null") {
		t.Errorf("the page says %q, or has an image", early)
	}
	if err = os.WriteFile(file, []byte(strings.Join(lines[:100], "")), 0o644); err != nil {
		t.Fatal(err)
	}
	b.until(fmt.Sprintf("%s !== %q", upTo, early))
	if b.picture("canvas.bars") == picture {
		t.Error("the chart has not grown")
	}
	if err = lock.Close(); err != nil {
		t.Fatal(err)
	}
	b.until(badge + " === 'incomplete'")
	b.quiet()
}
