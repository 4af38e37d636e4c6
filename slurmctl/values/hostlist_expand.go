package values

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxHosts is the largest number of names that one hostlist may stand for,
// Slurm's MAX_RANGE (64k), applied here to the whole list.
const MaxHosts = 65536

// maxDigits bounds the numbers of a range, so that they and their successors
// fit an uint64.
const maxDigits = 18

// HostlistError says where a hostlist is not what Slurm prints.
type HostlistError struct {
	// List is the whole input, Offset the byte at which it breaks the rule.
	List   string
	Offset int
	// Want says what is allowed there.
	Want string
}

// Error implements error.
func (e *HostlistError) Error() string {
	list := e.List
	if len(list) > 80 {
		list = list[:77] + "..."
	}
	return fmt.Sprintf("parse hostlist %q: byte %d: %s", list, e.Offset+1, e.Want)
}

// ExpandHosts returns the names that a hostlist stands for, in its order and with
// its repetitions. An empty hostlist has no names. Several bracket groups in
// one element are expanded with the last group running fastest, as Slurm does.
// The error is a *HostlistError.
func ExpandHosts(list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	p := hostlistParser{list: list}
	var names []string
	for {
		var err error
		if names, err = p.element(names); err != nil {
			return nil, err
		}
		if p.pos == len(list) {
			return names, nil
		}
		p.pos++ // the comma that ended the element
	}
}

type hostlistParser struct {
	list string
	pos  int
}

func (p *hostlistParser) fail(want string, args ...any) error {
	return &HostlistError{List: p.list, Offset: p.pos, Want: fmt.Sprintf(want, args...)}
}

// element reads one comma-separated element and appends its names.
func (p *hostlistParser) element(names []string) ([]string, error) {
	start := len(names)
	parts := []string{""}
	for p.pos < len(p.list) && p.list[p.pos] != ',' {
		var suffixes []string
		if p.list[p.pos] == '[' {
			var err error
			if suffixes, err = p.suffixes(); err != nil {
				return nil, err
			}
		} else {
			from := p.pos
			for p.pos < len(p.list) && isNameByte(p.list[p.pos]) {
				p.pos++
			}
			if p.pos == from {
				return nil, p.fail("%q cannot stand in a node name", p.list[p.pos])
			}
			suffixes = []string{p.list[from:p.pos]}
		}
		if start+len(parts)*len(suffixes) > MaxHosts {
			return nil, p.fail("more than %d names", MaxHosts)
		}
		parts = hostProduct(parts, suffixes)
	}
	if len(parts) == 1 && parts[0] == "" {
		return nil, p.fail("want a node name")
	}
	return append(names, parts...), nil
}

func hostProduct(heads, tails []string) []string {
	if len(heads) == 1 && heads[0] == "" {
		return tails
	}
	all := make([]string, 0, len(heads)*len(tails))
	for _, h := range heads {
		for _, t := range tails {
			all = append(all, h+t)
		}
	}
	return all
}

// group reads "[1-4,08]" and hands each number or range to use.
func (p *hostlistParser) group(use func(low, high string) error) error {
	p.pos++
	for {
		low, high, err := p.bounds()
		if err != nil {
			return err
		}
		if err = use(low, high); err != nil {
			return err
		}
		switch {
		case p.pos == len(p.list):
			return p.fail("want ',' or ']', the bracket is not closed")
		case p.list[p.pos] == ',':
			p.pos++
		case p.list[p.pos] == ']':
			p.pos++
			return nil
		default:
			return p.fail("want a digit, '-', ',' or ']', got %q", p.list[p.pos])
		}
	}
}

// bounds reads "7", which has no upper bound, or "098-102".
func (p *hostlistParser) bounds() (low, high string, err error) {
	if low, err = p.digits(); err != nil || p.pos == len(p.list) || p.list[p.pos] != '-' {
		return low, "", err
	}
	p.pos++
	high, err = p.digits()
	return low, high, err
}

// span returns the numbers of a range. At most room numbers are allowed.
func (p *hostlistParser) span(low, high string, room int) (from, to uint64, err error) {
	if len(low) > maxDigits || len(high) > maxDigits {
		return 0, 0, p.fail("a range bound has more than %d digits", maxDigits)
	}
	// Digits only and at most maxDigits of them: neither call can fail.
	from, _ = strconv.ParseUint(low, 10, 64)
	to, _ = strconv.ParseUint(high, 10, 64)
	if to < from {
		return 0, 0, p.fail("range %s-%s runs backwards", low, high)
	}
	if to-from >= uint64(room) {
		return 0, 0, p.fail("more than %d names", MaxHosts)
	}
	return from, to, nil
}

// suffixes reads a group as the texts of its numbers, with the width of the lower
// bound of each range, which alone decides the padding in Slurm.
func (p *hostlistParser) suffixes() ([]string, error) {
	var all []string
	err := p.group(func(low, high string) error {
		if high == "" {
			if len(all) == MaxHosts {
				return p.fail("more than %d names", MaxHosts)
			}
			all = append(all, low)
			return nil
		}
		from, to, err := p.span(low, high, MaxHosts-len(all))
		if err != nil {
			return err
		}
		for i := from; i <= to; i++ {
			all = append(all, padHost(i, len(low)))
		}
		return nil
	})
	return all, err
}

func (p *hostlistParser) digits() (string, error) {
	from := p.pos
	for p.pos < len(p.list) && isDigit(p.list[p.pos]) {
		p.pos++
	}
	if p.pos == from {
		return "", p.fail("want a digit")
	}
	return p.list[from:p.pos], nil
}

func padHost(n uint64, width int) string {
	s := strconv.FormatUint(n, 10)
	if len(s) < width {
		s = strings.Repeat("0", width-len(s)) + s
	}
	return s
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNameByte(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '_' || c == '.'
}
