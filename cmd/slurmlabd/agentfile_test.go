package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/emulator/watch"
)

func TestSaveAndLoadAgent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.json")
	began := watch.Moment{Real: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Virtual: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)}
	want := watch.Agent{Policy: "auction", Began: began, Interval: 5 * time.Second, Error: &watch.Error{Cycle: 3, At: began, Text: "no answer"}}
	for range 2 {
		if err := saveAgent(path, want); err != nil {
			t.Fatal(err)
		}
	}
	got, err := loadAgent(path)
	if err != nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := loadAgent(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a broken file: %v", err)
	}
	if _, err := loadAgent(path + ".no"); err == nil {
		t.Error("no file: no error")
	}
	if err := saveAgent(filepath.Join(path, "below"), want); err == nil {
		t.Error("saved below a file")
	}
}
