package serve_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/serve"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/table"
)

// study is what these tests read of a folder.
type study struct {
	Findings   []string     `json:"findings"`
	Matrix     serve.Matrix `json:"matrix"`
	Comparison *struct {
		Rows [][]string `json:"rows"`
	} `json:"comparison"`
	Runs *struct {
		Rows [][]string `json:"rows"`
	} `json:"runs"`
}

// folderAt is the address of the only folder of a page, below the page's.
func folderAt(t *testing.T, address string) string {
	t.Helper()
	var list struct{ Folders []struct{ Key string } }
	fetch(t, address, "api/list", &list)
	if len(list.Folders) != 1 {
		t.Fatalf("got %d folders", len(list.Folders))
	}
	return "api/folder/" + list.Folders[0].Key
}

// A campaign that is half done shows how each of its runs stands, and compares those that
// are complete; once all are, the page shows that without being started again.
func TestCampaignFolder(t *testing.T) {
	folder := t.TempDir()
	campaignOf(t, folder, 3, "V.2")
	madeRun(t, folder, "V.2", wholeQueue, 1)
	madeRun(t, folder, "V.2", "auction", 1)
	failed := copyRun(t, folder, runName("V.2", "auction", 2), map[string]any{"value_rule": auction.DefaultRule().String(), "policy_parameters": policy.DefaultParameters(), "seed": 2, "status": "failed", "reason": "the disk is full"})
	running := copyRun(t, folder, runName("V.2", wholeQueue, 2), map[string]any{"seed": 2, "status": "incomplete", "reason": "x"}, "sacct.txt")
	lock, err := os.Open(filepath.Join(running, "workload.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err = unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	address := command(t, folder)
	at := folderAt(t, address)
	var half study
	fetch(t, address, at, &half)
	m := half.Matrix
	if len(m.Places) != 1 || m.Places[0].Workload != "V.2" || !slices.Equal(m.Policies, []string{wholeQueue, "auction"}) || len(m.Pairs) != 1 || m.Pairs[0] != [2]string{wholeQueue, "auction"} {
		t.Fatalf("got %+v", m)
	}
	waiting := slices.IndexFunc(m.Metrics, func(m serve.MatrixMetric) bool { return m.Title == "Waiting time h" })
	if waiting != 0 {
		t.Errorf("the matrix opens with %s, not with waiting", m.Metrics[0].Title)
	}
	place := m.Places[0]
	for i, want := range []string{"1 complete (1 disturbed), 1 running, 1 missing", "1 complete (1 disturbed), 1 broken, 1 missing"} {
		if got := place.Policies[i]; got.States != want || len(got.Means) != len(m.Metrics) {
			t.Errorf("%s: got %+v, want the states %s", m.Policies[i], got, want)
		}
	}
	verdict := place.Pairs[0].Verdicts[waiting]
	if place.Pairs[0].Replicas != "1 seed" || verdict.Words != "one pair, no verdict" || verdict.Better != "" || verdict.Difference == "" {
		t.Errorf("got %+v", place.Pairs[0])
	}
	for _, run := range m.Runs {
		there := run.State != "missing"
		if (run.Key != "") != there {
			t.Errorf("%s run has the key %q", run.State, run.Key)
		}
		if there {
			var d document
			fetch(t, address, "api/run/"+run.Key, &d)
			if d.Name != run.Name && d.Name != run.Name+".zip" {
				t.Errorf("the link of %s leads to %s", run.Name, d.Name)
			}
		}
		if want := map[string]string{"broken": "the disk is full"}[run.State]; run.Why != want {
			t.Errorf("%s is %s because %q", run.Name, run.State, run.Why)
		}
	}
	if len(m.Runs) != 6 || !slices.ContainsFunc(half.Findings, func(s string) bool { return strings.HasPrefix(s, "4 runs of the study are not complete") }) {
		t.Errorf("%d runs, findings %q", len(m.Runs), half.Findings)
	}

	if err = lock.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{failed, running} {
		if err = os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, seed := range []int{2, 3} {
		madeRun(t, folder, "V.2", wholeQueue, seed)
		madeRun(t, folder, "V.2", "auction", seed)
	}
	var whole study
	fetch(t, address, at, &whole)
	place = whole.Matrix.Places[0]
	if place.Policies[1].States != "3 complete (3 disturbed)" || place.Pairs[0].Replicas != "3 repetitions" || len(whole.Runs.Rows) != 6 {
		t.Errorf("when all is there: %+v with %d rows", place, len(whole.Runs.Rows))
	}
	// The three runs of a policy are one run here.
	if got := place.Policies[1].Means[waiting]; got != m.Places[0].Policies[1].Means[waiting] {
		t.Errorf("mean wait %s over three equal runs, %s over one", got, m.Places[0].Policies[1].Means[waiting])
	}
}

// Nothing is complete yet: that is no fault of the folder.
func TestCampaignBegins(t *testing.T) {
	folder := t.TempDir()
	campaignOf(t, folder, 1, "V.2")
	copyRun(t, folder, runName("V.2", "auction", 1), map[string]any{"value_rule": auction.DefaultRule().String(), "policy_parameters": policy.DefaultParameters(), "status": "incomplete", "reason": "interrupted by the user"})
	address := command(t, folder)
	at := folderAt(t, address)
	var got study
	fetch(t, address, at, &got)
	place := got.Matrix.Places[0]
	if place.Policies[0].States != "1 missing" || place.Policies[1].States != "1 broken" || len(got.Matrix.Metrics) != 0 || got.Runs != nil || got.Comparison != nil {
		t.Errorf("got %+v", got)
	}
	answer, err := http.Get(address + at + "/runs.csv")
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a table of no run: %s", answer.Status)
	}
}

// A folder of compared runs has no campaign file; its matrix has the runs found.
func TestComparedFolder(t *testing.T) {
	var got study
	address := command(t, recorded)
	fetch(t, address, folderAt(t, address), &got)
	m := got.Matrix
	if len(m.Runs) != 12 || len(m.Places) < 3 || len(m.Pairs) != len(m.Policies)-1 {
		t.Fatalf("%d runs, %d places, policies %q, pairs %q", len(m.Runs), len(m.Places), m.Policies, m.Pairs)
	}
	for _, p := range m.Places {
		for i, cell := range p.Policies {
			if (cell.States == "") != (len(cell.Means) == 0) {
				t.Errorf("%s under %s: %+v", p.Workload, m.Policies[i], cell)
			}
		}
	}
}

// Two machines, or two lists of events, under one policy are a pair of the matrix, in the row of the second one.
func TestFolderOfOnePolicyCompares(t *testing.T) {
	for name, tt := range map[string]struct {
		other map[string]any
		pair  [2]string
	}{
		"machines": {map[string]any{"machine": map[string]any{"name": "S2", "nodes": 128, "cores": 16, "gpus": 2}}, [2]string{"S", "S2"}},
		"events":   {map[string]any{"events": map[string]any{"count": 1, "sha256": "ab"}, "events_name": "drain"}, [2]string{"no events", "drain"}},
	} {
		folder := t.TempDir()
		for seed := 1; seed <= 2; seed++ {
			of := map[string]any{"seed": seed}
			copyRun(t, folder, fmt.Sprintf("first-seed%d", seed), of)
			maps.Copy(of, tt.other)
			copyRun(t, folder, fmt.Sprintf("second-seed%d", seed), of)
		}
		var got study
		address := command(t, folder)
		fetch(t, address, folderAt(t, address), &got)
		m := got.Matrix
		if len(m.Pairs) != 1 || m.Pairs[0] != tt.pair || len(m.Places) != 2 {
			t.Fatalf("%s: got the pairs %q and %d places, want %q at the second of two", name, m.Pairs, len(m.Places), tt.pair)
		}
		if first := m.Places[0].Pairs; len(first) != 1 || !first[0].Elsewhere {
			t.Errorf("%s: the first place has %+v", name, first)
		}
		if second := m.Places[1].Pairs; len(second) != 1 || second[0].Elsewhere || second[0].Replicas != "2 repetitions" || len(second[0].Verdicts) != len(m.Metrics) {
			t.Errorf("%s: the second place has %+v", name, second)
		}
	}
}

// A job lies on nodes with their names at the site, where the machine says these.
func TestNodesHaveTheSitesNames(t *testing.T) {
	folder := t.TempDir()
	copyRun(t, folder, "one", map[string]any{"machine": map[string]any{"name": "S", "nodes": 128, "cores": 8, "gpus": 2, "layout": map[string]any{
		"groups":     []any{map[string]any{"name": "ga", "count": 128, "sockets": 1, "cores": 8, "threads": 1, "gpus": []any{map[string]any{"count": 2}}, "hosts": "ga[001-128]"}},
		"partitions": []any{map[string]any{"name": "main", "groups": []any{"ga"}, "default": true}},
	}}})
	address := command(t, folder)
	var at struct {
		Matrix struct{ Runs []struct{ Key string } }
	}
	fetch(t, address, folderAt(t, address), &at)
	var run struct {
		Machine struct{ Names []string } `json:"machine_of"`
		Jobs    []struct{ List string }  `json:"jobs_of"`
	}
	fetch(t, address, "api/run/"+at.Matrix.Runs[0].Key, &run)
	if len(run.Machine.Names) != 128 || run.Machine.Names[127] != "ga128" {
		t.Fatalf("got the names %q", run.Machine.Names)
	}
	for _, j := range run.Jobs {
		if j.List != "" && !strings.HasPrefix(j.List, "ga") {
			t.Errorf("a job lies on %s", j.List)
		}
	}
}

// The page takes every list of a folder for a list, also where one policy alone leaves nothing to compare.
func TestFolderOfOnePolicy(t *testing.T) {
	folder := t.TempDir()
	copyRun(t, folder, "alone", map[string]any{"status": "incomplete", "reason": "interrupted by the user"})
	address := command(t, folder)
	var got struct {
		Matrix struct {
			Metrics, Policies, Pairs, Runs []any
			Places                         []struct{ Policies, Pairs []any }
		}
	}
	fetch(t, address, folderAt(t, address), &got)
	m := got.Matrix
	if len(m.Places) != 1 || len(m.Runs) != 1 || m.Metrics == nil || m.Pairs == nil || m.Places[0].Pairs == nil {
		t.Errorf("a list is null: %+v", m)
	}
}

// A folder is compared again only when what it holds has changed.
func TestFolderIsComparedOnce(t *testing.T) {
	folder := t.TempDir()
	campaignOf(t, folder, 2, "V.2")
	one := copyRun(t, folder, "one", nil)
	frame, err := table.NewFrame([]int{1}, table.Word("word", func(int) string { return "x" }))
	if err != nil {
		t.Fatal(err)
	}
	words, err := table.New(frame, table.Words("Word", "word"))
	if err != nil {
		t.Fatal(err)
	}
	times := 0
	s := openWith(t, func(string) (serve.Study, error) {
		times++
		return serve.Study{Complete: 1, Comparison: words, Few: words, Runs: words}, nil
	}, folder)
	at := folderAt(t, s.base+"/"+token+"/")
	ask := func() {
		t.Helper()
		for _, part := range []string{"", "/comparison.csv", "/runs.csv", ""} {
			if answer, body := s.get(at + part); answer.StatusCode != http.StatusOK {
				t.Fatalf("%s: %s", answer.Status, body)
			}
		}
	}
	ask()
	if times != 1 {
		t.Errorf("compared %d times for one page and two tables", times)
	}
	later := time.Now().Add(time.Minute)
	for i, change := range []func() error{
		func() error { return os.Chtimes(filepath.Join(one, "sacct.txt"), later, later) },
		func() error {
			return os.WriteFile(filepath.Join(folder, run.InputsName, "campaign.yaml"), []byte("x"), 0o644)
		},
		func() error { return os.WriteFile(filepath.Join(folder, "two.zip"), []byte("x"), 0o644) },
		func() error { return os.Rename(one, filepath.Join(folder, "three")) },
	} {
		if err = change(); err != nil {
			t.Fatal(err)
		}
		ask()
		if times != i+2 {
			t.Errorf("after change %d of the folder it was compared %d times", i, times)
		}
	}
	if err = os.WriteFile(filepath.Join(folder, "report.html"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if ask(); times != 5 {
		t.Errorf("a report that was written had the folder compared again: %d times", times)
	}
}
