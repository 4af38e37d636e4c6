package serve

import (
	"errors"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
)

// A run.json that was refused is not read again until it changes. That it is not read shows in what is refused after
// its text, but neither its size nor its time, has changed.
func TestRefusedOnce(t *testing.T) {
	path := t.TempDir()
	file := filepath.Join(path, "run.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var r refusals
	read := func(want string) {
		t.Helper()
		dir, err := trace.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = r.read(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	const unknown = `{"schema_version": 7}`
	write(unknown)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	read("7 is unknown")
	write(strings.ReplaceAll(unknown, "7", "8"))
	if err = os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	read("7 is unknown")
	write(strings.ReplaceAll(unknown, "7", "10"))
	read("10 is unknown")
}

// Tables are guarded against spreadsheets, unless raw ones are asked for.
func TestAnswerCSV(t *testing.T) {
	for raw, want := range map[bool]string{false: "run\n'=1+1\n", true: "run\n=1+1\n"} {
		w := httptest.NewRecorder()
		(&Server{options: Options{RawCells: raw}}).answerCSV(w, []byte("run\n=1+1\n"), nil)
		if got := w.Body.String(); got != want {
			t.Errorf("raw %t: got %q, want %q", raw, got, want)
		}
	}
}

// A cache keeps a refusal with its stamp, but not a failure of the system.
func TestCacheOfRefusals(t *testing.T) {
	c := newCache[int]()
	made := 0
	get := func(stamp string, err error, want int) {
		t.Helper()
		_, got := c.get("key", stamp, func() (int, error) { made++; return 0, err })
		if !errors.Is(got, err) || made != want {
			t.Errorf("%s: got %v, made %d times, want %v and %d", stamp, got, made, err, want)
		}
	}
	bad, full := errors.New("bad"), &fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}
	get("1", bad, 1)
	get("1", bad, 1)
	get("2", full, 2)
	get("2", full, 3)
	get("2", bad, 4)
	get("2", bad, 4)
}
