package hosttest

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The plan of three pages: order, places, and what is left out.
func TestPlan(t *testing.T) {
	steps, err := Steps([]string{"b", "a", "c"}, map[string]string{
		"a": "```python\nx = 1\n```\n```sh\none\n```\n\n```yaml\nnodes: 3\n```\n```python\nprint(x)\n```\n",
		"b": "# Title\n\n```sh\nmake demo\n```\ntext\n```sh\nmake test\n```\n```sh\ntwo\nthree\n```\n",
		"c": "```sh\ntwo\nthree\n```\n```sh\ntwo\n```",
	})
	want := []Step{
		{Page: "b", Line: 4, Script: "make demo\n", AtTop: true},
		{Page: "b", Line: 8, Script: "make test\n", AtTop: true, Skip: "it would run itself"},
		{Page: "b", Line: 11, Script: "two\nthree\n"},
		{Page: "a", Line: 5, Script: "one\n"},
		{Page: "a", Line: 2, Script: "x = 1\nprint(x)\n", Python: true},
		{Page: "c", Line: 2, Script: "two\nthree\n", Skip: "it is run as b:11"},
		{Page: "c", Line: 6, Script: "two\n"},
	}
	if err != nil || !reflect.DeepEqual(steps, want) {
		t.Errorf("got\n%+v, %v\nwant\n%+v", steps, err, want)
	}
}

// A step comes after those that share a file, the repository or the cluster with it, and after no other.
func TestStepsThatShareComeInOrder(t *testing.T) {
	steps := []Step{
		0:  {Script: "slurmlab run --out my-run\n"},
		1:  {Script: "slurmlab run --out my-run-again\n"},
		2:  {Script: "slurmlab report my-run --out my-run.html\n"},
		3:  {Script: "open('my-run/jobs.csv')\n", Python: true},
		4:  {Script: "cat > ./study.yaml <<END\nseeds: 1\nEND\n"},
		5:  {Script: "slurmlab campaign run study.yaml\n"},
		6:  {Script: "slurmlab metrics study/one my-run-again\n"},
		7:  {Script: "slurmlab up\nslurmlab down\n"},
		8:  {Script: "slurmlab top --once\n"},
		9:  {Script: "make demo\n", AtTop: true},
		10: {Script: "make install\n", AtTop: true},
		11: {Script: "slurmlab report demo/S-*\n"},
	}
	want := [][]int{2: {0}, 3: {0, 2}, 5: {4}, 6: {1, 4, 5}, 8: {7}, 10: {9}, 11: {9}}
	got := Earlier(steps)
	for i := range steps {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("step %d comes after %v, want %v", i, got[i], want[i])
		}
	}
}

// Steps run beside each other, none before an earlier one has ended; after a failure those that come after it are left out.
func TestStepsRunInOrder(t *testing.T) {
	steps := []Step{
		{Script: "slurmlab run --out a\n"},
		{Script: "slurmlab report a --out b\n"},
		{Script: "slurmlab report b\n"},
		{Script: "slurmlab run --out c\n"},
		{Script: "slurmlab report c\n"},
	}
	var mu sync.Mutex
	ended := map[string]bool{}
	var left []string
	beside := make(chan struct{})
	InOrder(steps, func(s Step) bool {
		if strings.Contains(s.Script, "--out a") {
			<-beside
		}
		if strings.Contains(s.Script, "report c") {
			// The first step has not ended.
			close(beside)
		}
		mu.Lock()
		defer mu.Unlock()
		if s.Script == steps[1].Script && !ended[steps[0].Script] || s.Script == steps[4].Script && !ended[steps[3].Script] {
			t.Errorf("%q ran too early", s.Script)
		}
		ended[s.Script] = true
		return !strings.Contains(s.Script, "report a")
	}, func(s, failed Step) { left = append(left, s.Script+failed.Script) })
	if len(ended) != 4 || ended[steps[2].Script] || !slices.Equal(left, []string{steps[2].Script + steps[1].Script}) {
		t.Errorf("ran %v, left out %q", ended, left)
	}
}

// A step that fails costs the steps that need what it makes, directly or not, and no step that reads, beside it, what an
// earlier one made.
func TestFailureCostsWhatNeedsIt(t *testing.T) {
	steps := []Step{
		{Script: "slurmlab run --out a\n"},
		{Script: "slurmlab explain a > b.txt\n"},
		{Script: "slurmlab metrics a\n"},
		{Script: "head b.txt > c.txt\n"},
		{Script: "head c.txt\n"},
		{Script: "make demo\n", AtTop: true},
		{Script: "make man\n", AtTop: true},
		{Script: "slurmlab up --nodes 9\n"},
		{Script: "slurmlab status\n"},
		{Script: "slurmlab shell\n"},
	}
	for fails, want := range map[int][]int{0: {1, 2, 3, 4}, 1: {3, 4}, 2: nil, 5: nil, 7: {8, 9}, 8: nil} {
		var left []int
		InOrder(steps, func(s Step) bool { return s.Script != steps[fails].Script }, func(s, _ Step) {
			left = append(left, slices.IndexFunc(steps, func(other Step) bool { return other.Script == s.Script }))
		})
		if slices.Sort(left); !slices.Equal(left, want) {
			t.Errorf("%q fails: left out %v, want %v", steps[fails].Script, left, want)
		}
	}
}

// Outputs and pictures belong to the steps that make them: a command of its own is a step.
func TestStepsWithOutputs(t *testing.T) {
	steps, err := Steps([]string{"a", "b"}, map[string]string{"a": examplePage, "b": "<!-- picture: one/load.svg -->\n![Load](c.svg)\n"})
	if err != nil || len(steps) != 2 {
		t.Fatalf("got %+v, %v", steps, err)
	}
	one, two := steps[0], steps[1]
	if len(one.Outputs) != 2 || len(one.Pictures) != 0 {
		t.Errorf("got %+v", one)
	}
	if two.Script != "second one --format markdown\n" || two.Line != 20 || len(two.Outputs) != 1 || len(two.Pictures) != 2 ||
		two.Pictures[1].Page != "b" || two.Pictures[1].File != "c.svg" {
		t.Errorf("got %+v", two)
	}
	// The last step that mentions a folder has made its pictures.
	steps, err = Steps([]string{"a"}, map[string]string{"a": "<!-- picture: x/y.svg -->\n![a](y.svg)\n\n```sh\nrun --out x\n```\n```sh\nreport x\n```\n```sh\nother\n```\n"})
	if err != nil || len(steps) != 3 || len(steps[1].Pictures) != 1 {
		t.Errorf("got %+v, %v", steps, err)
	}
	// What a page shows at its top may be made by a block further down.
	steps, err = Steps([]string{"a"}, map[string]string{"a": "<!-- output: read x -->\n```text\na\n```\n\n```sh\nrun --out x\n```\n"})
	if err != nil || len(steps) != 2 || steps[1].Script != "read x\n" || !slices.Equal(Earlier(steps)[1], []int{0}) {
		t.Errorf("got %+v, %v", steps, err)
	}
	for page, want := range map[string]string{
		"<!-- output -->\n```text\na\n```\n":                              "p:1: no step of the page",
		"```sh\nmake test\n```\n<!-- output -->\n```text\na\n```\n":       "p:4: no step of the page",
		"```sh\na --out x\n```\n<!-- picture: y/z.svg -->\n![a](z.svg)\n": "p:4: no step makes y/z.svg",
		"```sh\na --out x\n```\n<!-- output: -->\ntext\n":                 "p: line 4: want a block of code",
	} {
		if _, err := Steps([]string{"p"}, map[string]string{"p": page}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", page, err, want)
		}
	}
}

// A step runs after the steps of other pages that make what it reads.
func TestNeeded(t *testing.T) {
	steps := []Step{
		{Page: "a", Script: "run --out x\n"}, {Page: "a", Script: "run --out y\n"}, {Page: "b", Script: "read x > z\n"},
		{Page: "c", Script: "read z\n"}, {Page: "d", Script: "read y\n"},
	}
	var pages []string
	for _, s := range Needed(steps, func(i int) bool { return steps[i].Page == "c" }) {
		pages = append(pages, s.Page)
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(pages, want) {
		t.Errorf("got %q, want %q", pages, want)
	}
}
