package values

import (
	"fmt"
	"slices"
	"strings"
)

// HostNumbers returns the numbers, ascending, of nodes named by one prefix and a number from 1 without leading zeros,
// as the nodes of our slurm.conf are. HostNumbers("n[1-4,8]", "n") is 1, 2, 3, 4, 8. It makes no names, unlike
// ExpandHosts: each wide job of a large machine would need a thousand of them. Another name, or one that is there
// twice, is an error.
func HostNumbers(list, prefix string) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	p := hostlistParser{list: list}
	var all []int
	use := func(low, high string) error {
		if high == "" {
			high = low
		}
		if low[0] == '0' || high[0] == '0' {
			return p.fail("want a number from 1 without leading zeros")
		}
		from, to, err := p.span(low, high, MaxHosts-len(all))
		if err == nil && to > MaxHosts {
			err = p.fail("want numbers up to %d", MaxHosts)
		}
		for i := from; err == nil && i <= to; i++ {
			all = append(all, int(i))
		}
		return err
	}
	for {
		if !strings.HasPrefix(list[p.pos:], prefix) {
			return nil, p.fail("want a node name %sN or %s[N-M,...]", prefix, prefix)
		}
		p.pos += len(prefix)
		var err error
		if p.pos < len(list) && list[p.pos] == '[' {
			err = p.group(use)
		} else {
			var digits string
			if digits, err = p.digits(); err == nil {
				err = use(digits, "")
			}
		}
		switch {
		case err != nil:
			return nil, err
		case p.pos == len(list):
			return eachOnce(all, prefix)
		case list[p.pos] != ',':
			return nil, p.fail("want ',' or the end")
		}
		p.pos++
	}
}

// eachOnce sorts the numbers, each of which may be there once.
func eachOnce(all []int, prefix string) ([]int, error) {
	slices.Sort(all)
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			return nil, fmt.Errorf("node %s%d is listed twice", prefix, all[i])
		}
	}
	return all, nil
}
