package interchange

import (
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
)

// ids is the set of job ids that were seen. Numbers, and pairs of numbers as
// Slurm's "12_3" and "12+3", take about two bytes each or less; other ids are
// kept whole.
type ids struct {
	numbers *roaring64.Bitmap
	texts   map[string]struct{}
}

func newIDs() *ids {
	return &ids{numbers: roaring64.New(), texts: map[string]struct{}{}}
}

// add returns false for an id that was added before.
func (s *ids) add(id string) bool {
	if key, ok := numeric(id); ok {
		return s.numbers.CheckedAdd(key)
	}
	before := len(s.texts)
	s.texts[id] = struct{}{}
	return len(s.texts) > before
}

// numeric packs "12", "12_3" and "12+3" into different numbers. An id that has
// another spelling ("012") is none of them.
func numeric(id string) (uint64, bool) {
	// Kind 0 is a plain number, 1 a task of an array, 2 a part of a
	// heterogeneous job.
	kind := uint64(0)
	head, tail := id, "0"
	if i := strings.IndexAny(id, "_+"); i >= 0 {
		head, tail = id[:i], id[i+1:]
		kind = 1
		if id[i] == '+' {
			kind = 2
		}
	}
	high, highErr := strconv.ParseUint(head, 10, 31)
	low, lowErr := strconv.ParseUint(tail, 10, 31)
	if highErr != nil || lowErr != nil || strconv.FormatUint(high, 10) != head || strconv.FormatUint(low, 10) != tail {
		return 0, false
	}
	if kind == 0 {
		return high, true
	}
	return kind<<62 | high<<31 | low, true
}
