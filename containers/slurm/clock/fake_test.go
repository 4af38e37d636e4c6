package clock

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// frozen is a rate at which virtual time stands still but for jumps (1 ns in
// 4 s), so that tests can ask for exact times.
const frozen = 1

// newPage publishes a page in a file, as vclockd does.
func newPage(t testing.TB, path string, rate uint64) *page {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(unsafe.Sizeof(page{}))); err != nil {
		t.Fatal(err)
	}
	p, err := mapPage(path)
	if err != nil {
		t.Fatal(err)
	}
	p.version, p.slots = pageVersion, pageSlots
	p.epoch, p.wall, p.rate = realMonotonic(), DefaultStart().UnixNano(), rate
	p.magic.Store(pageMagic)
	return p
}

// newJump returns a jump clock of a new page and its controller.
func newJump(t testing.TB, rate uint64) (Clock, *fake) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "vclock")
	f := &fake{page: newPage(t, path, rate)}
	c, err := Clock{Kind: KindJump, Scale: float64(rate) / (1 << 32), Page: path}.Attach()
	if err != nil {
		t.Fatal(err)
	}
	if f.socket, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.socket.Close() })
	return c, f
}

// fake is a controller that jumps on demand. It has its own mapping of the page, and nothing else in common with the
// clock.
type fake struct {
	*page
	socket *net.UnixConn
}

// waiting counts the deadlines in the page and returns the earliest.
func (f *fake) waiting() (n int, earliest int64) {
	for i := range f.high.Load() {
		if d := f.deadline[i].Load(); d != 0 {
			if n++; earliest == 0 || d < earliest {
				earliest = d
			}
		}
	}
	return n, earliest
}

// await returns the earliest deadline when n threads wait.
func (f *fake) await(t testing.TB, n int) int64 {
	t.Helper()
	var earliest int64
	hosttest.Until(t, fmt.Sprintf("%d threads wait", n), func() bool {
		var waiting int
		waiting, earliest = f.waiting()
		return waiting == n
	})
	return earliest
}

// jump makes it v and wakes whom that makes due, by the protocol of vclock.h.
func (f *fake) jump(t testing.TB, v int64) {
	t.Helper()
	if ahead := v - f.now(); ahead > 0 {
		f.jumped.Add(ahead)
	}
	now := f.now()
	for i := range f.high.Load() {
		d := f.deadline[i].Load()
		if d == 0 || d > now || !f.deadline[i].CompareAndSwap(d, 0) {
			continue
		}
		s := &f.slot[i]
		if s.kind != kindPoll || s.nameLen == 0 || s.owner.Load() != int32(os.Getpid()) || threadName(&s.thread) == "" {
			t.Errorf("slot %d waits with kind %d, %d bytes of name, owner %d", i, s.kind, s.nameLen, s.owner.Load())
		}
		s.word.Add(1)
		f.hint(t, int(i))
	}
}

// hint sends the datagram that makes a slot's owner look again.
func (f *fake) hint(t testing.TB, i int) {
	t.Helper()
	s := &f.slot[i]
	to := &net.UnixAddr{Net: "unixgram", Name: "@" + string(s.name[:s.nameLen])}
	if _, err := f.socket.WriteTo([]byte{0}, to); err != nil {
		t.Errorf("wake slot %d: %v", i, err)
	}
}
