//go:build browser

package report

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// realName gives a run the names that runs have.
func realName(r *metric.Result, policy string, seed int) {
	r.Run.Policy, r.Run.Seed = policy, uint64(seed)
	r.Run.ID = fmt.Sprintf("S-V.2.a-long-name-%s-26.05-seed%d", policy, seed)
	r.Path = "/home/somebody/studies/of-backfill-and-auction/" + r.Run.ID
	r.Workload = []byte{byte(seed)}
	underJumpClock(r)
}

// pagesOfAllForms writes a page of each form with as much on it as there can be, and names the files.
func pagesOfAllForms(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	var runs []metric.Result
	for seed := range 3 {
		for i, policy := range []string{"backfill-whole-queue", "auction"} {
			r := completeRun(t, "", []string{"backfill", "auction"}[i], 190+3*seed+i, float64(60*(1-i)))
			realName(&r, policy, seed+1)
			r.Jobs[0].State = "CANCELLED"
			if i == 1 {
				r.Cycles[1].Checked[0] = trace.Placement{Job: 1, Planned: "n[1-17],n[20-33] 8(x31)", Actual: "n[1-17],n[21-34] 8(x31)"}
				r.Cycles[len(r.Cycles)-1].Unplaced = []trace.Refusal{{Job: 3, Reason: "it names several partitions, batch-with-a-long-name,interactive-with-a-long-name"}}
			}
			compute(t, &r)
			runs = append(runs, r)
		}
	}
	pages := map[string]string{}
	save := func(name string, in Input) {
		var out bytes.Buffer
		if err := Write(&out, in); err != nil {
			t.Fatal(err)
		}
		pages[name] = filepath.Join(dir, name+".html")
		if err := os.WriteFile(pages[name], out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	save("one run", Input{Runs: runs[:1]})
	save("two runs", Input{Runs: runs[:2]})
	save("more runs than stand side by side", Input{Runs: runs})

	pairs, err := NewPairs(runs, "size")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if _, err = pairs.Write(out); err != nil {
		t.Fatal(err)
	}
	pages["replicas"] = filepath.Join(out, pageName)

	folder := Folder{Path: t.TempDir()}
	folder.Take(runs)
	study, err := NewStudy(folder, metric.FindMeasure("waiting_s"), metric.FindMeasure("packing"), []metric.Measure{metric.FindMeasure("waiting_s")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := study.Write(); err != nil {
		t.Fatal(err)
	}
	pages["study"] = filepath.Join(folder.Path, pageName)
	return pages
}

// TestReportInBrowser opens the pages in Debian's Chromium. No element may be wider than the page or than what
// surrounds it, and nothing scrolls sideways, on a narrow page or a wide one; a wide one has pictures side by side.
func TestReportInBrowser(t *testing.T) {
	pages := pagesOfAllForms(t)
	// The container has neither a user for the sandbox nor anybody to protect.
	allocator, stop := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WSURLReadTimeout(hosttest.Hang))...)
	t.Cleanup(stop)
	tab, closeTab := chromedp.NewContext(allocator)
	t.Cleanup(closeTab)
	for name, path := range pages {
		for _, width := range []int{700, 1200, 1800} {
			if err := chromedp.Do(tab, chromedp.EmulateViewport(int64(width), 900), chromedp.Navigate("file://"+filepath.ToSlash(path))); err != nil {
				t.Fatal(err)
			}
			if wide := asked[[]string](t, tab, tooWide); len(wide) > 0 {
				t.Errorf("%s: at %d pixels these are too wide:\n%s", name, width, strings.Join(wide, "\n"))
			}
			if broken := asked[[]string](t, tab, brokenHeadings); len(broken) > 0 {
				t.Errorf("%s: at %d pixels these headings have broken words:\n%s", name, width, strings.Join(broken, "\n"))
			}
			if used := asked[float64](t, tab, "Math.max(...[...document.querySelectorAll('svg, table')].map((e) => e.getBoundingClientRect().right)) / innerWidth"); used < 0.9 {
				t.Errorf("%s: at %d pixels only %.0f %% of the width are used", name, width, 100*used)
			}
			beside := asked[int](t, tab, "(() => { const all = [...document.querySelectorAll('.pictures figure')].map((e) => e.getBoundingClientRect().top); return all.filter((top) => top === all[0]).length; })()")
			if all := asked[int](t, tab, "document.querySelectorAll('.pictures')[0].children.length"); name != "study" && name != "replicas" && all > 1 && (beside > 1) != (width == 1800) {
				t.Errorf("%s: at %d pixels %d of %d pictures are side by side", name, width, beside, all)
			}
		}
	}
}

// tooWide lists elements that are wider than the page or than what they are in, and those that scroll sideways.
const tooWide = `[...document.querySelectorAll('body *')].filter((e) => {
	if (e.closest('svg') && e.tagName !== 'svg' || !e.getClientRects().length) return false;
	const box = e.getBoundingClientRect(), around = e.parentElement.getBoundingClientRect();
	const inline = getComputedStyle(e).display === 'inline';
	return box.right > document.documentElement.clientWidth || !inline && box.right > around.right + 1 || !inline && e.scrollWidth > e.clientWidth + 1;
}).map((e) => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 60))`

// brokenHeadings lists the headings with a word that goes over several lines.
const brokenHeadings = `[...document.querySelectorAll('th')].filter((e) => {
	const range = document.createRange(), text = document.createTreeWalker(e, NodeFilter.SHOW_TEXT).nextNode();
	return text && [...text.data.matchAll(/[^\s-]+/g)].some((word) => {
		range.setStart(text, word.index);
		range.setEnd(text, word.index + word[0].length);
		return range.getClientRects().length > 1;
	});
}).map((e) => e.textContent)`

// asked is the value of an expression on the page.
func asked[T any](t *testing.T, tab context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(tab, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}
