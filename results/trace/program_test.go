package trace

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"testing/fstest"
)

// A copy that was edited after the run is not taken for the program that decided.
func TestCheckProgram(t *testing.T) {
	const text = "#!/bin/sh\n"
	sum := sha256.Sum256([]byte(text))
	run := Run{Program: &KeptProgram{File: "program/mine.sh", Bytes: int64(len(text)), SHA256: hex.EncodeToString(sum[:])}}
	for kept, want := range map[string]string{
		text:            "",
		text + "true\n": "x/program/mine.sh is not the program that ran: its SHA-256 is ",
	} {
		d := In(fstest.MapFS{"program/mine.sh": {Data: []byte(kept)}}, "x")
		if err := d.CheckProgram(run); (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", kept, err, want)
		}
	}
	d := In(fstest.MapFS{}, "x")
	if err := d.CheckProgram(run); err == nil || !strings.HasPrefix(err.Error(), "the program of the run is gone: ") {
		t.Errorf("without the copy: got %v", err)
	}
	for _, without := range []*KeptProgram{nil, {Bytes: 1 << 30, SHA256: "x"}} {
		if err := d.CheckProgram(Run{Program: without}); err != nil {
			t.Errorf("%+v: got %v, want nothing", without, err)
		}
	}
}
