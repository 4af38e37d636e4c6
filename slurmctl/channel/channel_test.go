package channel_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/channel"
)

// TestMain lets the test binary play slurmchannel when it is called by that name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "slurmchannel" {
		os.Exit(playChannel(os.Getenv("LIVES")))
	}
	os.Exit(m.Run())
}

// playChannel lives the first life of a directory that nobody has lived yet: a file
// with an answer to each question, or "hang", or "die" after the text before it. Once it hangs, the directory has
// the file "hangs".
func playChannel(lives string) int {
	files, err := filepath.Glob(filepath.Join(lives, "life-*"))
	if err != nil || len(files) == 0 {
		fmt.Fprintln(os.Stderr, "no life\tis left")
		return 3
	}
	slices.Sort(files)
	text, err := os.ReadFile(files[0])
	if err == nil {
		err = os.Rename(files[0], filepath.Join(lives, "lived-"+filepath.Base(files[0])))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 4
	}
	answers := strings.Split(string(text), "\n--\n")
	for in := bufio.NewScanner(os.Stdin); in.Scan() && len(answers) > 0; answers = answers[1:] {
		before, dies := strings.CutSuffix(answers[0], "die")
		switch {
		case answers[0] == "hang":
			if err = os.WriteFile(filepath.Join(lives, "hangs"), nil, 0o600); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 4
			}
			time.Sleep(time.Hour)
		case dies:
			fmt.Print(before)
			return 5
		}
		fmt.Println(answers[0])
	}
	return 0
}

// open returns a reader whose helpers live the given lives.
func open(t *testing.T, timeout time.Duration, lives ...string) *channel.Reader {
	t.Helper()
	return openIn(t, t.TempDir(), timeout, lives...)
}

// openIn is open with the directory of the lives.
func openIn(t *testing.T, dir string, timeout time.Duration, lives ...string) *channel.Reader {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err = os.Symlink(self, filepath.Join(dir, "slurmchannel")); err != nil {
		t.Fatal(err)
	}
	for i, life := range lives {
		if err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("life-%d", i)), []byte(life), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// A test binary built for coverage complains without that directory.
	r := channel.NewReader(&slurmctl.Exec{Bin: dir, Env: []string{"LIVES=" + dir, "GOCOVERDIR=" + dir}}, timeout)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// life joins the answers of a helper.
func life(answers ...string) string { return strings.Join(answers, "\n--\n") }

// job is the row of a pending job.
func job(id int, name string) string {
	return fmt.Sprintf("job\t%d\t%s\tPENDING\tPriority\t7\t2037-01-02T03:04:05\tN/A\t4\t4\t0\t1\tcpu=4,node=1\t\t0\t0-00:10:00\t"+
		"\tnote\tcomment\tmain\t\t\t\tastro\tanna\tdebug", id, name)
}

// rows joins rows and the last one.
func rows(count int, rows ...string) string {
	return strings.Join(append(rows, fmt.Sprintf("ok\t%d", count)), "\n")
}

// names asks for the queue.
func names(t *testing.T, r *channel.Reader) (list []string, err error) {
	t.Helper()
	jobs, err := r.Queue(t.Context())
	for _, j := range jobs {
		list = append(list, j.Name)
	}
	return list, err
}

func wantNames(t *testing.T, r *channel.Reader, want ...string) {
	t.Helper()
	if got, err := names(t, r); err != nil || !slices.Equal(got, want) {
		t.Errorf("jobs %q, %v, want %q", got, err, want)
	}
}

const plenty = hosttest.Hang

func TestQueueFollowsChanges(t *testing.T) {
	r := open(t, plenty, life(
		rows(2, job(7, "a"), job(3, "b")),
		rows(2),
		rows(2, job(3, "c"), "gone\t7", job(12, `tab\tfeed\nreturn\rback\\slash`)),
		rows(0, "gone\t3", "gone\t12")))
	wantNames(t, r, "b", "a")
	wantNames(t, r, "b", "a")
	wantNames(t, r, "c", "tab\tfeed\nreturn\rback\\slash")
	wantNames(t, r)
}

func TestQueueReadsAsSqueue(t *testing.T) {
	r := open(t, plenty, life(rows(1, job(7, "a")), rows(1)))
	jobs, err := r.Queue(t.Context())
	want := slurmctl.QueuedJob{
		ID: 7, Name: "a", State: slurmctl.JobPending, Reason: "Priority", Priority: 7, Submit: time.Date(2037, 1, 2, 3, 4, 5, 0, time.UTC),
		Tasks: 4, Nodes: 1, CPUs: 4, MinCPUsNode: 1, TimeLimit: 10 * time.Minute, AdminComment: "note", Comment: "comment", Partition: "main",
	}
	if err != nil || len(jobs) != 1 || jobs[0] != want {
		t.Errorf("%+v, %v, want %+v", jobs, err, want)
	}
	if charges, err := r.Charges(t.Context()); err != nil || len(charges) != 1 || charges[7] != (slurmctl.Charge{Account: "astro", User: "anna", QOS: "debug", Partition: "main"}) {
		t.Errorf("charges %v, %v", charges, err)
	}
}

// One user's odd job must not hide everybody's.
func TestOddJobIsUnread(t *testing.T) {
	r := open(t, plenty, life(rows(2, strings.Replace(job(7, "a"), "PENDING", "HAPPY", 1), job(8, "b"))))
	jobs, err := r.Queue(t.Context())
	if err != nil || len(jobs) != 2 || jobs[0].Unread == nil || jobs[0].Unread.Text != "HAPPY" || jobs[1].Unread != nil {
		t.Errorf("%+v, %v", jobs, err)
	}
}

func node(place int, name, state string) string {
	return fmt.Sprintf("node\t%d\t%s\t%s\t12\t5\t1000\t20\tbig,fast\tmain\tcpu=12,gres/gpu=3\tcpu=5,gres/gpu=1\tgpu:a100:3\t40", place, name, state)
}

func TestNodesFollowChanges(t *testing.T) {
	r := open(t, plenty, life(
		rows(2, node(1, "n2", "IDLE+DRAIN+EXTERNAL"), node(0, "n1", "MIXED")),
		rows(2, node(1, "n2", "IDLE"))))
	nodes, err := r.Nodes(t.Context())
	if err != nil || len(nodes) != 2 || nodes[0].Name != "n1" || nodes[0].GPUType != "a100" || nodes[0].Weight != 40 || nodes[1].Available() || !slices.Equal(nodes[1].Flags, []string{"DRAIN", "EXTERNAL"}) {
		t.Errorf("%+v, %v", nodes, err)
	}
	nodes, err = r.Nodes(t.Context())
	if err != nil || len(nodes) != 2 || !nodes[1].Available() || nodes[1].GPUs != 3 || nodes[1].AllocGPUs != 1 || nodes[1].AllocCPUs != 5 ||
		nodes[1].Memory != 1000 || nodes[1].AllocMemory != 20 || !slices.Equal(nodes[1].Features, []string{"big", "fast"}) {
		t.Errorf("%+v, %v", nodes, err)
	}
}

// A helper that died between two questions is replaced. The new one sends the whole state, so nothing of the old
// picture is left.
func TestDeadHelperIsReplaced(t *testing.T) {
	r := open(t, plenty, life(rows(2, job(7, "a"), job(8, "b"))), life("die"), life(rows(1, job(9, "c"))))
	wantNames(t, r, "a", "b")
	if got, err := names(t, r); !errors.Is(err, slurmctl.ErrUnavailable) {
		t.Errorf("two helpers dead: %q, %v", got, err)
	}
	wantNames(t, r, "c")
	if _, err := names(t, r); !errors.Is(err, slurmctl.ErrUnavailable) || !strings.Contains(err.Error(), "no life is left") {
		t.Errorf("no helper is left: %v, want its last words", err)
	}
}

// What makes no sense ends the helper: an error or a full picture, never a stale one.
func TestGarbledAnswers(t *testing.T) {
	for name, garbled := range map[string]string{
		"half an answer":         job(8, "b") + "\ndie",
		"bad escape":             rows(2, job(8, `b\x`)),
		"row of another kind":    rows(2, node(8, "n1", "IDLE")),
		"no number":              rows(2, "job"),
		"odd number":             rows(2, "gone\tx"),
		"unknown job gone":       rows(1, "gone\t8"),
		"rows are missing":       rows(3, job(8, "b")),
		"count is none":          "ok\tmany",
		"too few cells":          rows(2, "job\t8\tb"),
		"a line out of nowhere":  "slurmchannel: error: out of luck\n" + rows(1),
		"gone with more than id": rows(0, "gone\t7\t8"),
	} {
		r := open(t, plenty, life(rows(1, job(7, "a")), garbled, rows(1)), life(garbled), life(rows(1, job(9, "c"))))
		wantNames(t, r, "a")
		for range 2 {
			got, err := names(t, r)
			if err == nil && !slices.Equal(got, []string{"c"}) {
				t.Errorf("%s: jobs %q", name, got)
			}
			if err == nil {
				break
			}
		}
	}
}

func TestLateAnswer(t *testing.T) {
	r := open(t, plenty, life(rows(1, job(7, "a")), "hang"), life(rows(1, job(8, "b"))))
	wantNames(t, r, "a")
	r.SetTimeout(10 * time.Millisecond)
	if _, err := names(t, r); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, slurmctl.ErrUnavailable) {
		t.Errorf("late answer: %v", err)
	}
	r.SetTimeout(plenty)
	wantNames(t, r, "b")
}

func TestCancelledQuestion(t *testing.T) {
	dir := t.TempDir()
	r := openIn(t, dir, plenty, life(rows(1, job(7, "a")), "hang"), life(rows(1, job(8, "b"))))
	// A helper that is killed while it starts would leave its life to the next one.
	wantNames(t, r, "a")
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := r.Queue(ctx)
		failed <- err
	}()
	// A question that the helper does not have yet would leave the helper alive.
	hosttest.Until(t, "the helper hangs", func() bool {
		_, err := os.Stat(filepath.Join(dir, "hangs"))
		return err == nil
	})
	cancel(cause)
	if err := hosttest.Receive(t, "the end of the question", failed); !errors.Is(err, cause) {
		t.Errorf("cancelled question: %v", err)
	}
	wantNames(t, r, "b")
}

// What Slurm says itself leaves the picture as it is.
func TestErrorsOfSlurm(t *testing.T) {
	r := open(t, plenty, life(rows(1, job(7, "a")),
		"error\tUnable to contact slurm controller (connect failure)", "error\tAccess/permission denied", rows(1)))
	wantNames(t, r, "a")
	if _, err := names(t, r); !errors.Is(err, slurmctl.ErrUnavailable) {
		t.Errorf("slurmctld is down: %v", err)
	}
	var refused *slurmctl.RefusedError
	if _, err := names(t, r); !errors.As(err, &refused) || refused.Message != "Access/permission denied" {
		t.Errorf("refusal: %v", err)
	}
	wantNames(t, r, "a")
}

func TestLicences(t *testing.T) {
	r := open(t, plenty, life(rows(2, "licence\tmatlab\t5\t2", "licence\tfluent\t1\t3"), rows(1, "licence\tmatlab\tx\t2")))
	all, err := r.Licences(t.Context())
	if want := []slurmctl.LicenceRecord{{Name: "matlab", Free: 3}, {Name: "fluent"}}; err != nil || !slices.Equal(all, want) {
		t.Errorf("%v, %v, want %v", all, err, want)
	}
	if all, err = r.Licences(t.Context()); err == nil {
		t.Errorf("garbled: %v", all)
	}
}

func TestReservations(t *testing.T) {
	r := open(t, plenty, life(rows(2, "reservation\tcourse\t2026-03-01T12:00:00\t2026-03-01T14:00:00\tn[1-2]\t0\t1\t0\t0",
		"reservation\tlicences\t2026-03-01T12:00:00\t2026-03-01T14:00:00\t\t1\t0\t1\t1"), rows(1, "reservation\tx\tnoon\t2026-03-01T14:00:00\t\t0\t0\t0\t0")))
	all, err := r.Reservations(t.Context())
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	want := []slurmctl.Reservation{
		{Name: "course", Start: start, End: start.Add(2 * time.Hour), NodeList: "n[1-2]", Maint: true},
		{Name: "licences", Start: start, End: start.Add(2 * time.Hour), Parts: true, Overlap: true, Flex: true},
	}
	if err != nil || !slices.Equal(all, want) {
		t.Errorf("%v, %v, want %v", all, err, want)
	}
	if all, err = r.Reservations(t.Context()); err == nil {
		t.Errorf("garbled: %v", all)
	}
}

// detail is the row of a job on four nodes, with the given placement.
func detail(placement string) string {
	row := strings.Replace(strings.Replace(job(7, "a"), "job", "detail", 1), "PENDING", "RUNNING", 1)
	row = strings.Replace(row, "0-00:10:00\t", "0-00:10:00\tn[1-4]", 1)
	return row + "\tn[1-2]\tcpu=9,node=4,gres/gpu=4\t" + placement
}

func TestJobDetails(t *testing.T) {
	r := open(t, plenty, life(
		rows(2, detail("has\t2\t3\t2\t1\t3\t4\tgpu(CNT:1)")),
		rows(1, detail("has\t1\t4\t2")),
		rows(1, detail("waits")),
		rows(1)))
	got, err := r.JobDetails(t.Context(), 8, 7, 8)
	want := []slurmctl.Allocation{{Node: "n1", Cores: 2, GPUs: 1}, {Node: "n2", Cores: 2, GPUs: 1}, {Node: "n3", Cores: 2, GPUs: 1}, {Node: "n4", Cores: 3, GPUs: 1}}
	if err != nil || len(got) != 1 || !slices.Equal(got[0].Allocations, want) || got[0].AllocGPUs != 4 || got[0].RequiredNodes != "n[1-2]" {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if got, err = r.JobDetails(t.Context(), 7); err != nil || len(got) != 1 || len(got[0].Allocations) != 4 || got[0].Allocations[3] != (slurmctl.Allocation{Node: "n4", Cores: 2}) {
		t.Errorf("without GPUs: %+v, %v", got, err)
	}
	if got, err = r.JobDetails(t.Context(), 7); err != nil || len(got) != 1 || got[0].Allocations != nil {
		t.Errorf("waiting: %+v, %v", got, err)
	}
	var refused *slurmctl.RefusedError
	if got, err = r.JobDetails(t.Context(), 9); !errors.As(err, &refused) {
		t.Errorf("unknown: %+v, %v, want a refusal", got, err)
	}
}

func TestGarbledDetails(t *testing.T) {
	for _, placement := range []string{
		"", "has", "has\tx", "has\t1", "has\t1\t4", "has\t1\t5\t2", "has\t1\t3\t2", "has\t1\t4\tx", "has\t1\t4\t2\t3\tgpu:1",
		"has\t1\t4\t2\t5\tgpu:1", "has\t1\t4\t2\t4", "has\t1\t4\t2\t4\tgpu:1-3", "has\t100000000000000000\t4\t2", "waits\t1", "ended\t1", "sleeps",
	} {
		if got, err := open(t, plenty, life(rows(1, detail(placement)))).JobDetails(t.Context(), 7); err == nil {
			t.Errorf("%q: %+v", placement, got)
		}
	}
}
