//go:build browser

package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// TestSearchInBrowser opens the site of this repository from disk in Debian's Chromium, as a
// reader does, finds a page by its title and goes there.
func TestSearchInBrowser(t *testing.T) {
	dir := t.TempDir()
	t.Chdir("../..")
	if err := run([]string{dir}, io.Discard); err != nil {
		t.Fatal(err)
	}
	// The container has neither a user for the sandbox nor anybody to protect.
	allocator, stop := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WSURLReadTimeout(hosttest.Hang))...)
	t.Cleanup(stop)
	page, closePage := chromedp.NewContext(allocator)
	t.Cleanup(closePage)
	if err := chromedp.Do(page, chromedp.Navigate("file://"+filepath.ToSlash(filepath.Join(dir, "index.html")))); err != nil {
		t.Fatal(err)
	}
	const title = "Keys of a machine file"
	typed(t, page, title)
	wait(t, page, fmt.Sprintf("document.querySelector('#found a b')?.textContent === %q", title))
	wait(t, page, "document.querySelectorAll('#found mark').length > 0")
	if err := chromedp.Do(page, chromedp.KeyEvent(kb.Enter)); err != nil {
		t.Fatal(err)
	}
	wait(t, page, fmt.Sprintf("location.pathname.endsWith('/reference/machine-file.html') && document.querySelector('h1').textContent === %q", title))
	// This page is a folder further down; the index is found from there as well.
	typed(t, page, "Capacity nowhereatall")
	wait(t, page, "document.getElementById('found').textContent === 'Nothing was found.'")
	typed(t, page, "")
	wait(t, page, "document.getElementById('found').hidden")
}

// typed puts a text into the field of the search.
func typed(t *testing.T, page context.Context, text string) {
	t.Helper()
	// The script of the search listens when the page is complete.
	wait(t, page, "document.readyState === 'complete'")
	wait(t, page, fmt.Sprintf("(() => { const field = document.getElementById('search'); field.focus(); field.value = %q; "+
		"return field.dispatchEvent(new Event('input', {bubbles: true})); })()", text))
}

// wait asks the page until an expression is true; the test's own time limit ends it. A page
// that is left gives no answer.
func wait(t *testing.T, page context.Context, expression string) {
	t.Helper()
	for {
		is, err := chromedp.Run(page, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		switch {
		case err == nil && is:
			return
		case page.Err() != nil:
			t.Fatalf("waiting for %s: %v", expression, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
