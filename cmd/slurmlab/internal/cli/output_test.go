package cli

import (
	"io"
	"os"
	"strings"
	"testing"
)

// What is printed reaches a terminal without what it would obey, in whatever pieces it is written. What slurmlab itself
// tells the terminal is as it was.
func TestOutput(t *testing.T) {
	const hostile, want = "a\x1b[2Jb\r\u202egnp.\xff Größe 数\t1\n\u009b\xe6", "a\\x1b[2Jb\\r\\u202egnp.\\xff Größe 数\t1\n\\u009b\\xe6"
	for size := 1; size <= len(hostile); size++ {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		out := newOutput(writer, func() {})
		for rest := hostile; rest != ""; rest = rest[min(size, len(rest)):] {
			if n, failed := out.Write([]byte(rest[:min(size, len(rest))])); failed != nil || n != min(size, len(rest)) {
				t.Fatalf("wrote %d bytes, %v", n, failed)
			}
		}
		out.flush()
		_, _ = io.WriteString(unfiltered(out), eraseLine)
		_ = writer.Close()
		got, err := io.ReadAll(reader)
		if err != nil || string(got) != want+eraseLine {
			t.Errorf("in pieces of %d: %q, %v, want %q", size, got, err, want)
		}
	}
}

// Only the writer at the rim knows the terminal: a command that wrote to it by another way would bypass the filter.
func TestOnlyOutputKnowsTheTerminal(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := file.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if name != "state.go" && (strings.Contains(string(text), "os.Stdout") || strings.Contains(string(text), "os.Stderr")) {
			t.Errorf("%s names a standard stream of the process; take it from the State", name)
		}
	}
}
