//go:build browser

package serve_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// tab is the page in a real browser.
type tab struct {
	t       *testing.T
	ctx     context.Context
	base    string
	console iter.Seq2[chromedp.ConsoleMessage, error]
}

// browse opens "slurmlab serve" for a path in a tab of Debian's Chromium. Without it the test
// fails: "make test-page" has it in a container. The page shows the last name of the path alone.
func browse(t *testing.T, path string) *tab {
	t.Helper()
	t.Chdir(filepath.Dir(path))
	address := command(t, filepath.Base(path))
	// The container has neither a user for the sandbox nor anybody to protect.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WSURLReadTimeout(hosttest.Hang))
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, base: address}
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
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool]("Boolean("+expression+")", chromedp.WithPollingTimeout(0))); err != nil {
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

// named checks that everything that can be pressed has a name, that tables have headings, and that the page
// has its title and landmarks.
func (b *tab) named(page string) {
	b.t.Helper()
	for what, missing := range map[string]string{
		"buttons and links without a name": "[...document.querySelectorAll('button, a, select')].filter((e) => !(e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent).trim())",
		"inputs without a label":           "[...document.querySelectorAll('input')].filter((e) => !e.getAttribute('aria-label') && !e.labels.length)",
		"canvases without a name":          "[...document.querySelectorAll('canvas.over, canvas.tall')].filter((e) => !e.getAttribute('aria-label'))",
		"tables without headings":          "[...document.querySelectorAll('table')].filter((e) => !e.querySelector('thead th[scope=col]'))",
		"ids that are there twice":         "[...document.querySelectorAll('[id]')].filter((e) => document.querySelectorAll('#' + CSS.escape(e.id)).length > 1)",
		"landmarks":                        "['main', 'header nav', 'h1'].filter((s) => document.querySelectorAll(s).length !== 1)",
		"descriptions that are not there":  "[...document.querySelectorAll('[aria-describedby]')].filter((e) => !document.getElementById(e.getAttribute('aria-describedby')))",
	} {
		if n := value[int](b, "("+missing+").length"); n > 0 {
			b.t.Errorf("%s: %d %s", page, n, what)
		}
	}
	if title := value[string](b, "document.title"); !strings.HasSuffix(title, " – slurmlab") {
		b.t.Errorf("%s: title %q", page, title)
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
// show the panel of each, and headings sort by Enter.
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
		told = append(told, value[string](b, "document.querySelector('.jobpanel h2').textContent"))
	}
	if told[0] == told[1] || !strings.HasPrefix(told[1], "Job ") {
		t.Errorf("key n tells of %q", told)
	}
	if b.picture("canvas.over") == unchosen {
		t.Error("the chosen job is not marked")
	}
	panel := value[string](b, "document.querySelector('.jobpanel').textContent")
	id := strings.TrimPrefix(told[1], "Job ")
	for _, want := range []string{"submitted", "eligible", "waited", "slowdown", "Job " + id + " of S-V.2-backfill-seed1"} {
		if !strings.Contains(panel, want) {
			t.Errorf("the panel of job %s lacks %q: %s", id, want, panel)
		}
	}
	b.do(chromedp.KeyEvent("p"))
	b.until(fmt.Sprintf("document.querySelector('.jobpanel h2').textContent === %q", told[0]))
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("document.querySelector('.jobpanel h2').textContent === 'No job chosen'")

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
	b.until("document.querySelector('.jobpanel h2').textContent.startsWith('Job ')")
	if text := value[string](b, "[...document.querySelectorAll('.curve output')].map((o) => o.textContent).join()"); !strings.ContainsAny(text, "123456789") {
		t.Errorf("at the cursor the curves have %q", text)
	}
	b.do(chromedp.MouseClickXY(x, y))
	b.until("document.querySelector('.words pre')")
	b.shot("run-job")
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
		b.named(page)
	}
	b.quiet()
}

// A run that is under way appears on its page as it goes, and its name cannot become markup.
func TestInBrowserUnderWay(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "runs")
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

// The slider of time shows what each node has in use, in a picture and in words, and buttons do what the pointer
// does.
func TestInBrowserTime(t *testing.T) {
	b := browse(t, recorded)
	b.openRun("S-V.2-auction-seed1")
	const slider, words = "document.querySelector('.time input')", "document.querySelector('#instant').textContent"
	empty, said := b.picture("canvas.nodes"), value[string](b, words)
	value[bool](b, slider+".focus(), true")
	b.do(chromedp.KeyEvent(kb.PageUp), chromedp.KeyEvent(kb.PageUp), chromedp.KeyEvent(kb.ArrowRight))
	text := value[string](b, words)
	if text == said || b.picture("canvas.nodes") == empty || value[string](b, slider+".getAttribute('aria-valuetext')") != text {
		t.Errorf("keys on the slider leave %q and the picture of nodes as they were", text)
	}
	// The nodes are added up from the rows of jobs, the curves from their times.
	var busy, nodes, full, cores, all, gpus, allGPUs, jobs int
	if _, err := fmt.Sscanf(regexp.MustCompile(`(\d),(\d)`).ReplaceAllString(text[strings.Index(text, ": ")+2:], "$1$2"), "%d of %d nodes have jobs, %d of them no free core; %d of %d cores and %d of %d GPUs are in use by %d job",
		&busy, &nodes, &full, &cores, &all, &gpus, &allGPUs, &jobs); err != nil {
		t.Errorf("%q: %v", text, err)
	}
	curves := value[[]string](b, "[...document.querySelectorAll('.curve output')].map((o) => o.textContent.replaceAll(',', ''))")
	if curves[0] != fmt.Sprint(cores) || curves[1] != fmt.Sprint(gpus) || cores == 0 || nodes != 128 || all != 1024 || allGPUs != 256 || busy < full || jobs == 0 {
		t.Errorf("%q, where the curves have %q", text, curves)
	}
	whole := b.picture("canvas.bars")
	for _, name := range []string{"Zoom in (+)", "Fewer nodes", "Zoom out (−)", "More nodes"} {
		before := b.picture("canvas.bars")
		value[bool](b, fmt.Sprintf("document.querySelector('button[aria-label=%q]').click(), true", name))
		if b.picture("canvas.bars") == before {
			t.Errorf("%s does nothing", name)
		}
	}
	value[bool](b, "document.querySelector('button[aria-label=\"Zoom in (+)\"]').click(), true")
	value[bool](b, "document.querySelector('button[aria-label=\"Whole run (0)\"]').click(), true")
	if b.picture("canvas.bars") != whole {
		t.Error("the whole run does not come back")
	}
	b.quiet()
}

// A table of many rows has pages, and a filter that leaves those with the words.
func TestInBrowserTables(t *testing.T) {
	b := browse(t, recorded)
	b.openRun("S-V.2-auction-seed1")
	const table = "document.querySelector('section.table:last-of-type')"
	status := func() string { return value[string](b, table+".querySelector('[role=status]').textContent") }
	press := func(name string) {
		value[bool](b, fmt.Sprintf("%s.querySelector('button[aria-label=%q]').click(), true", table, name))
	}
	pages := []string{status()}
	first := value[string](b, table+".querySelector('tbody tr').textContent")
	for range 4 {
		press("Rows after")
		pages = append(pages, status())
	}
	if got := strings.Join(pages, ", "); got != "1–100 of 464, 101–200 of 464, 201–300 of 464, 301–400 of 464, 401–464 of 464" {
		t.Errorf("pages %s", got)
	}
	if !value[bool](b, table+".querySelector('button[aria-label=\"Rows after\"]').disabled") {
		t.Error("there is a page after the last one")
	}
	value[bool](b, table+".querySelector('input').focus(), true")
	b.do(chromedp.KeyEvent("gpu2"))
	rows := value[[]string](b, "[..."+table+".querySelectorAll('tbody tr')].map((r) => r.children[11].textContent)")
	if len(rows) == 0 || strings.Trim(strings.Join(rows, ""), "gpu2") != "" || !strings.HasSuffix(status(), fmt.Sprintf("%d of 464", len(rows))) && len(rows) < 100 {
		t.Errorf("filtered: %s with %d rows", status(), len(rows))
	}
	b.do(chromedp.KeyEvent("no such word"))
	if got := status(); got != "0 of 464" {
		t.Errorf("no row is left, and the table says %s", got)
	}
	value[bool](b, fmt.Sprintf("(() => { const i = %s.querySelector('input'); i.value = ''; i.dispatchEvent(new Event('input')); return true })()", table))
	if got := value[string](b, table+".querySelector('tbody tr').textContent"); got != first || status() != pages[0] {
		t.Errorf("without the filter: %s", status())
	}
	b.quiet()
}

// A job that is chosen has its decisions and its bids, by the words of "explain".
func TestInBrowserStory(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "runs")
	auctioned(t, folder, "auction")
	b := browse(t, folder)
	b.openRun("auction")
	value[bool](b, "document.querySelector('canvas.over').focus(), true")
	for range 12 {
		b.do(chromedp.KeyEvent("n"))
	}
	b.until("document.querySelector('.words dl')")
	panel := value[string](b, "document.querySelector('.jobpanel').innerText")
	for _, want := range []string{"Decisions", "won with a bid of class", "In the cycles while it waited", "bid in", "lost in", "Why it waited"} {
		if !strings.Contains(panel, want) {
			t.Errorf("the panel lacks %q: %s", want, panel)
		}
	}
	b.quiet()
}

// The folder of a campaign that is half done: a matrix in the metric that keys choose, verdicts in words, and each
// run with its state, in light and dark.
func TestInBrowserFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "study")
	campaignOf(t, folder, 5, "V.1", "V.2", "IV.2")
	for _, workload := range []string{"V.1", "V.2", "IV.2"} {
		for seed := 1; seed <= 4; seed++ {
			madeRun(t, folder, workload, wholeQueue, seed)
			madeRun(t, folder, workload, "auction", seed)
		}
	}
	copyRun(t, folder, runName("V.2", "auction", 5), map[string]any{"value_rule": auction.DefaultRule().String(), "policy_parameters": policy.DefaultParameters(), "seed": 5, "status": "failed", "reason": "the disk is full"})
	b := browse(t, folder)
	value[bool](b, "document.querySelector('a.button[href^=\"#/folder/\"]').click(), true")
	b.until("document.querySelectorAll('.matrix tbody tr').length === 3")
	for i := 0; !value[bool](b, "document.activeElement.matches('.matrix select')"); i++ {
		if i > 20 {
			t.Fatal("Tab does not come to the choice of a metric")
		}
		b.do(chromedp.KeyEvent(kb.Tab))
	}
	const cells = "[...document.querySelectorAll('.matrix tbody td')].map((c) => c.innerText).join('|')"
	const chosen = "document.activeElement.value"
	if got := value[string](b, chosen); got != "Waiting time h" {
		t.Errorf("the matrix opens with %s", got)
	}
	after := value[string](b, cells)
	b.do(chromedp.KeyEvent("M"))
	if got := value[string](b, chosen); got != "Makespan h" || value[string](b, cells) == after {
		t.Errorf("M chooses %s", got)
	}
	if !strings.Contains(after, "better: auction") || !strings.Contains(after, "4 complete (4 disturbed), 1 broken") || !strings.Contains(after, "4 repetitions") {
		t.Errorf("the matrix has %q", after)
	}
	runs := value[string](b, "document.querySelector('.matrix + div').innerText")
	for _, want := range []string{"missing", "broken", "disturbed", "the disk is full", "seed 5"} {
		if !strings.Contains(runs, want) {
			t.Errorf("the runs lack %q: %s", want, runs)
		}
	}
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		b.do(chromedp.EmulateViewport(420, 900))
		if wide := value[float64](b, "document.documentElement.scrollWidth"); wide > 420 {
			t.Errorf("%s: a page of 420 pixels is %g wide", scheme, wide)
		}
		b.do(chromedp.EmulateViewport(1440, 900))
		b.shot("folder-" + scheme)
	}
	b.named("folder")
	value[bool](b, "[...document.querySelectorAll('.matrix + div tbody a')].find((a) => a.innerText === 'broken').click(), true")
	b.until("document.querySelector('h1 + .badge')?.textContent === 'failed'")
	b.quiet()
}

// The matrix of two machines under one policy has the comparison in a column of its own, and fits the window of a laptop and of a
// wide screen.
func TestInBrowserMatrixOfMachines(t *testing.T) {
	folder := t.TempDir()
	for seed := 1; seed <= 3; seed++ {
		copyOf(t, "S-V.2-backfill-seed1.zip", folder, fmt.Sprintf("S-V.2-backfill-seed%d", seed), map[string]any{"policy": wholeQueue, "seed": seed})
		copyOf(t, "S-V.2-backfill-seed1.zip", folder, fmt.Sprintf("S-with-eight-more-GPU-nodes-V.2-backfill-seed%d", seed), map[string]any{
			"policy": wholeQueue, "seed": seed, "machine": map[string]any{"name": "S-with-eight-more-GPU-nodes", "nodes": 128, "cores": 16, "gpus": 2},
		})
	}
	b := browse(t, folder)
	value[bool](b, "document.querySelector('a.button[href^=\"#/folder/\"]').click(), true")
	b.until("document.querySelectorAll('.matrix tbody tr').length === 2")
	text := value[string](b, "document.querySelector('.matrix').innerText")
	for _, want := range []string{"S-with-eight-more-GPU-nodes", "3 repetitions"} {
		if !strings.Contains(text, want) {
			t.Errorf("the matrix lacks %q: %s", want, text)
		}
	}
	// A table of pairs of machines has no machine of its own: a column without a cell is left out.
	if heads := value[string](b, "[...document.querySelectorAll('.table')].find((t) => t.innerText.startsWith('Metrics by pairs')).querySelector('thead').innerText"); strings.HasPrefix(heads, "Machine") {
		t.Errorf("the columns are %q", heads)
	}
	for _, width := range []int64{1200, 2560} {
		b.do(chromedp.EmulateViewport(width, 900))
		if wide := value[float64](b, "document.documentElement.scrollWidth"); wide > float64(width) {
			t.Errorf("a page of %d pixels is %g wide", width, wide)
		}
		if cut := value[float64](b, "((m) => m.scrollWidth - m.clientWidth)(document.querySelector('.matrix').parentElement)"); cut > 0 {
			t.Errorf("at %d pixels %g of the matrix are hidden", width, cut)
		}
		// A long name may not break letter by letter because other columns need the width.
		const narrow = "Math.min(...[...document.querySelectorAll('.scroll tbody td:not(.number)')].map((c) => c.clientWidth))"
		if cell := value[float64](b, narrow); cell < 60 {
			t.Errorf("at %d pixels a cell with text is %g wide", width, cell)
		}
		b.shot(fmt.Sprintf("matrix-machines-%d", width))
	}
	b.named("matrix of machines")
	b.quiet()
}

// Also under Slurm's own scheduler, its folder and the curves of a run follow it.
func TestInBrowserFollows(t *testing.T) {
	folder := t.TempDir()
	dir, _, known := underWay(t, folder)
	write := func(until float64) {
		t.Helper()
		if err := os.WriteFile(dir.ProgressFile(), []byte(known(until)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(1000)
	other := copyRun(t, t.TempDir(), "other", nil)
	b := browse(t, folder)
	b.openRun("live")
	const upTo = "document.querySelector('.note').textContent"
	early := value[string](b, upTo)
	if !strings.Contains(early, "that Slurm has logged") {
		t.Errorf("the page says %q", early)
	}
	b.shot("backfill-early")
	picture := b.picture("canvas.bars")
	write(3000)
	b.until(fmt.Sprintf("%s !== %q", upTo, early))
	if b.picture("canvas.bars") == picture {
		t.Error("the chart has not grown")
	}
	b.shot("backfill-later")

	const list = "fetch('api/list').then((answer) => answer.json()).then(({ folders }) => folders[0])"
	b.visit("#/curves/" + value[string](b, list+".then(({ runs }) => runs[0].key)"))
	b.until("document.querySelector('canvas.tall')")
	picture = b.picture("canvas.tall")
	write(6000)
	b.until(fmt.Sprintf("document.querySelector('canvas.tall').toDataURL() !== %q", picture))

	b.visit("#/folder/" + value[string](b, list+".then(({ key }) => key)"))
	b.until("document.querySelector('.matrix')?.textContent.includes('No run is complete')")
	if err := os.Rename(other, filepath.Join(folder, "other")); err != nil {
		t.Fatal(err)
	}
	b.until("document.querySelector('.matrix').textContent.includes('1 complete')")
	b.quiet()
}

// A what-if study shows the table of scenarios, the curves of waits as a picture that is drawn, and who is hurt.
func TestInBrowserWhatIf(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "whatif")
	runs := whatIfOf(t, folder)
	made(t, runs["site-2026-03-02-base-seed1"], 0)
	made(t, runs["site-2026-03-02-slow-seed1"], 7200)
	b := browse(t, folder)
	value[bool](b, "document.querySelector('a.button[href^=\"#/folder/\"]').click(), true")
	b.until("document.querySelector('figure img')?.naturalWidth > 0")
	text := value[string](b, "document.querySelector('main').innerText")
	for _, want := range []string{"What changes", "+2.00", "How long jobs wait", "Who is hurt", "anna", "4 runs of the study are not complete", "missing"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q: %s", want, text)
		}
	}
	b.do(chromedp.EmulateViewport(420, 900))
	if wide := value[float64](b, "document.documentElement.scrollWidth"); wide > 420 {
		t.Errorf("a page of 420 pixels is %g wide", wide)
	}
	b.do(chromedp.EmulateViewport(1440, 900))
	b.shot("whatif")
	b.named("what if")
	b.quiet()
}
