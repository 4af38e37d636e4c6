package clock

import (
	"math"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// rateOf is the page's rate at a CPU speed factor.
func rateOf(think float64) uint64 { return uint64(math.Exp2(32) / think) }

// someRate draws the rates of real use and any other.
func someRate(t *rapid.T) uint64 {
	return rapid.OneOf(
		rapid.SampledFrom([]uint64{rateOf(0.5), rateOf(1), rateOf(2), rateOf(10)}),
		rapid.Uint64Range(1, 1<<40),
	).Draw(t, "rate")
}

func floorScale(a int64, b uint64) *big.Int {
	product := new(big.Int).Mul(big.NewInt(a), new(big.Int).SetUint64(b))
	// Rsh rounds down, also below zero.
	return product.Rsh(product, 32)
}

// scale is exact wherever the result fits.
func TestScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), someRate(t)
		want := floorScale(a, b)
		if !want.IsInt64() {
			t.Skip("does not fit")
		}
		if got := scale(a, b); got != want.Int64() {
			t.Fatalf("%d * %d / 2^32 = %d, want %v", a, b, got, want)
		}
	})
}

// real is the first instant at which monotonic has reached a virtual time.
func TestRealInvertsMonotonic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &page{epoch: rapid.Int64Range(1, 1<<50).Draw(t, "epoch"), rate: someRate(t)}
		p.jumped.Store(rapid.Int64Range(0, 1<<50).Draw(t, "jumped"))
		ahead := rapid.Int64Range(1, 1<<50).Draw(t, "ahead")
		v := p.epoch + p.jumped.Load() + ahead
		m := p.real(v)

		// ceil(ahead * 2^32 / rate)
		want := new(big.Int).Lsh(big.NewInt(ahead), 32)
		want.Add(want, new(big.Int).SetUint64(p.rate-1)).Quo(want, new(big.Int).SetUint64(p.rate))
		want.Add(want, big.NewInt(p.epoch))
		if !want.IsInt64() {
			if m != math.MaxInt64 {
				t.Fatalf("real(%d) = %d, want the end of time", v, m)
			}
			return
		}
		if m != want.Int64() {
			t.Fatalf("real(%d) = %d, want %v", v, m, want)
		}
		if got := p.monotonic(m); got < v {
			t.Fatalf("at %d it is %d, before %d", m, got, v)
		}
		if got := p.monotonic(m - 1); got >= v {
			t.Fatalf("at %d it is already %d, %d or later", m-1, got, v)
		}
	})
}

func TestWallTimeAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &page{epoch: rapid.Int64Range(1, 1<<60).Draw(t, "epoch"), wall: DefaultStart().UnixNano()}
		v := p.epoch + rapid.Int64Range(0, 1<<60).Draw(t, "after")
		at := p.wallTime(v)
		if at.Sub(DefaultStart()) != time.Duration(v-p.epoch) || at.Location() != time.UTC {
			t.Fatalf("%d ns after the start it is %v", v-p.epoch, at)
		}
		if back := p.monotonicTime(at); back != v {
			t.Fatalf("%d became %d", v, back)
		}
	})
}

// Waits longer than the clock can count end at the end of time, not at once.
func TestSaturation(t *testing.T) {
	if got := add(math.MaxInt64-5, 6); got != math.MaxInt64 {
		t.Errorf("add = %d", got)
	}
	if got := add(5, -6); got != -1 {
		t.Errorf("add = %d", got)
	}
	p := &page{epoch: 1000, rate: rateOf(10), wall: DefaultStart().UnixNano()}
	for _, at := range []time.Time{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(1<<60, 0)} {
		if v := p.monotonicTime(at); v != math.MaxInt64 || p.real(v) != math.MaxInt64 {
			t.Errorf("%v is %d, in real time %d", at, v, p.real(v))
		}
	}
}

func TestAttachRefuses(t *testing.T) {
	publish := func(change func(p *page)) func(t *testing.T, path string) {
		return func(t *testing.T, path string) { change(newPage(t, path, frozen)) }
	}
	tests := []struct {
		name    string
		prepare func(t *testing.T, path string)
	}{
		{"no file", func(*testing.T, string) {}},
		{"short file", func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte("vlck"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"unpublished", publish(func(p *page) { p.magic.Store(0) })},
		{"other version", publish(func(p *page) { p.version++ })},
		{"other size", publish(func(p *page) { p.slots-- })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "page")
			tt.prepare(t, path)
			if c, err := (Clock{Kind: KindJump, Page: path}).Attach(); err == nil {
				t.Fatalf("attached: %+v", c)
			}
		})
	}
}
