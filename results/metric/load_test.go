package metric

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"testing"
	"testing/fstest"

	"github.com/slurmlab/slurmlab/results/trace"
)

// The metrics of a run are the same from any fs.FS that has its raw files, and a missing one is named.
func TestLoadFromMemory(t *testing.T) {
	dir, err := trace.Open("testdata/run")
	if err != nil {
		t.Fatal(err)
	}
	want, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, name := range []string{"run.json", "workload.csv", "sacct.txt", "sdiag.txt"} {
		text, readErr := os.ReadFile("testdata/run/" + name)
		if readErr != nil {
			t.Fatal(readErr)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	got, err := Load(trace.In(files, "testdata/run"))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	delete(files, "sacct.txt")
	if _, err = Load(trace.In(files, "testdata/run")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without sacct.txt: got error %v, want fs.ErrNotExist", err)
	}
}
