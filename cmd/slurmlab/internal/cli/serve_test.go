package cli_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"testing"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/cli"
	"github.com/slurmlab/slurmlab/emulator/run"
)

// "serve" prints the address of its page, which answers there, and Ctrl-C is its good end.
func TestServe(t *testing.T) {
	ctx, interrupt := context.WithCancelCause(t.Context())
	read, write := io.Pipe()
	s := &cli.State{Context: ctx, Stop: func() {}, Stdout: write, Stderr: io.Discard, Version: "1"}
	code := make(chan int, 1)
	go func() {
		code <- cli.Main(s, []string{"serve", "testdata/runs/S-V.2-auction-seed1"})
		// A command that ends early also ends the reader below.
		_ = write.Close()
	}()
	address, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/\n$`).MatchString(address) {
		t.Errorf("the address is %q", address)
	}
	answer, err := http.Get(address[:len(address)-1])
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("the page answers %s", answer.Status)
	}
	interrupt(run.ErrStopped)
	if got := <-code; got != 0 {
		t.Errorf("exit code %d after Ctrl-C", got)
	}
}
