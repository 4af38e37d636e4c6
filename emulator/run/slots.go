package run

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
)

// hardProgram is what HiGHS takes on the hardest auctions (docs/design/018-limits.md). Few auctions are like
// that, so that room for one of them is kept, however many clusters there are.
const hardProgram = 1400 << 20

// AtATime is how many of the runs may go at a time with so many bytes of memory. Any so many of them fit, as they are
// estimated, beside one hard program where an agent is among them. It is 1 where not even one fits, which the limit
// of its container then ends.
func AtATime(configs []Config, free uint64) int {
	each, used := needs(configs)
	for n, need := range slices.Backward(each) {
		if used += need; used > free {
			return max(1, len(each)-n-1)
		}
	}
	return max(1, len(each))
}

// Together is the bytes of memory with which AtATime has any so many of the runs go at a time.
func Together(configs []Config, atATime int) uint64 {
	each, used := needs(configs)
	for _, need := range each[max(0, len(each)-atATime):] {
		used += need
	}
	return used
}

// needs are the bytes that the runs take, the least first, and what is kept free for a hard program.
func needs(configs []Config) (needs []uint64, hard uint64) {
	for _, c := range configs {
		need := uint64(c.memory())
		if c.Memory > 0 {
			need = min(need, uint64(c.Memory))
		}
		needs = append(needs, need)
		if c.Policy.HasAgent() {
			hard = hardProgram
		}
	}
	slices.Sort(needs)
	return needs, hard
}

// FreeMemory is what the kernel says that programs can still take of this machine's memory. It is false where the
// kernel does not say, as where Docker runs in a virtual machine of its own.
func FreeMemory() (bytes uint64, known bool) {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, is := strings.CutPrefix(lines.Text(), "MemAvailable:"); is {
			kilobytes, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
			return kilobytes << 10, err == nil
		}
	}
	return 0, false
}
