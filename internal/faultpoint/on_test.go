//go:build faults

package faultpoint_test

import (
	"bufio"
	"net"
	"path/filepath"
	"testing"

	"github.com/slurmlab/slurmlab/internal/faultpoint"
)

// The armed point reports itself and holds its process until a message lets it go on, once.
func TestArmedPointHolds(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "point")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	t.Setenv("SLURMLAB_FAULTPOINT", faultpoint.Drain)
	t.Setenv("SLURMLAB_FAULTPOINT_SOCKET", socket)
	// Nobody listens to this one.
	faultpoint.At(faultpoint.End)
	passed := make(chan bool)
	go func() {
		faultpoint.At(faultpoint.Drain)
		close(passed)
	}()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if line, readErr := bufio.NewReader(conn).ReadString('\n'); readErr != nil || line != "drain\n" {
		t.Errorf("the point reports %q, %v", line, readErr)
	}
	select {
	case <-passed:
		t.Error("the point did not hold")
	default:
	}
	if err = conn.Close(); err != nil {
		t.Fatal(err)
	}
	<-passed
	if err = listener.Close(); err != nil {
		t.Fatal(err)
	}
	// The second time nobody is asked.
	faultpoint.At(faultpoint.Drain)
}
