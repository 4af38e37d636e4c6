package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxNodes bounds the node numbers that parseNodeList accepts, so that a
// damaged range cannot exhaust memory. Slurm itself refuses more than 65533
// nodes (MAX_SLURM_NODES is 64k).
const maxNodes = 1 << 16

// parseNodeList turns sacct's NodeList, for example "n[1-4,8],n12", into
// ascending 0-based indices. "" and "None assigned", which sacct prints for a
// job that never started, give no index. Names are "n" and a number from 1
// without leading zeros; each node may appear once.
func parseNodeList(s string) ([]int, error) {
	if s == "" || s == "None assigned" {
		return nil, nil
	}
	var list []int
	for s != "" {
		rest, ok := strings.CutPrefix(s, "n")
		if !ok {
			return nil, fmt.Errorf("%q does not start with a node name nN or n[N-M,...]", s)
		}
		var item string
		if body, bracket := strings.CutPrefix(rest, "["); bracket {
			if item, rest, ok = strings.Cut(body, "]"); !ok {
				return nil, fmt.Errorf("%q has no closing bracket", s)
			}
		} else if i := strings.IndexByte(rest, ','); i >= 0 {
			item, rest = rest[:i], rest[i:]
		} else {
			item, rest = rest, ""
		}
		var err error
		if list, err = appendRanges(list, item); err != nil {
			return nil, err
		}
		if rest != "" {
			if rest, ok = strings.CutPrefix(rest, ","); !ok || rest == "" {
				return nil, fmt.Errorf("a comma and a node name must follow %q", "n"+item)
			}
		}
		s = rest
	}
	slices.Sort(list)
	if i := firstRepeat(list); i >= 0 {
		return nil, fmt.Errorf("node n%d is listed twice", list[i]+1)
	}
	return list, nil
}

// appendRanges appends the 0-based indices of "1-4,8" to list.
func appendRanges(list []int, ranges string) ([]int, error) {
	for item := range strings.SplitSeq(ranges, ",") {
		low, high, isRange := strings.Cut(item, "-")
		first, err := nodeNumber(low)
		if err != nil {
			return nil, err
		}
		last := first
		if isRange {
			if last, err = nodeNumber(high); err != nil {
				return nil, err
			}
		}
		if last < first || len(list)+last-first >= maxNodes {
			return nil, fmt.Errorf("range %q runs backwards or names too many nodes", item)
		}
		for n := first; n <= last; n++ {
			list = append(list, n-1)
		}
	}
	return list, nil
}

func nodeNumber(s string) (int, error) {
	n, err := strconv.Atoi(s)
	// Atoi takes signs and leading zeros.
	if err != nil || s[0] < '1' || s[0] > '9' || n > maxNodes {
		return 0, fmt.Errorf("%q is no node number from 1 to %d", s, maxNodes)
	}
	return n, nil
}

// firstRepeat returns the position of the first value of a sorted list that
// equals its successor, or -1.
func firstRepeat(sorted []int) int {
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return i - 1
		}
	}
	return -1
}

// intervals writes ascending indices as Batsim's interval set, separated by
// spaces: "0-3 7".
func intervals(indices []int) string {
	var b strings.Builder
	for i := 0; i < len(indices); {
		j := i
		for j+1 < len(indices) && indices[j+1] == indices[j]+1 {
			j++
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Itoa(indices[i]))
		if j > i {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(indices[j]))
		}
		i = j + 1
	}
	return b.String()
}

// parseIntervals reads what intervals writes.
func parseIntervals(s string) ([]int, error) {
	if s == "" {
		return nil, nil
	}
	var list []int
	for item := range strings.SplitSeq(s, " ") {
		low, high, isRange := strings.Cut(item, "-")
		first, err := strconv.ParseUint(low, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("%q is no node index from 0 to %d", low, maxNodes-1)
		}
		last := first
		if isRange {
			if last, err = strconv.ParseUint(high, 10, 16); err != nil {
				return nil, fmt.Errorf("%q is no node index from 0 to %d", high, maxNodes-1)
			}
		}
		if last < first || len(list) > 0 && int(first) <= list[len(list)-1] {
			return nil, fmt.Errorf("interval %q does not ascend", item)
		}
		for n := first; n <= last; n++ {
			list = append(list, int(n))
		}
	}
	return list, nil
}
