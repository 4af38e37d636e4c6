package hostlist

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

// SyntaxError says where a hostlist is not what Slurm prints.
type SyntaxError struct {
	// List is the whole input, Offset the byte at which it breaks the rule.
	List   string
	Offset int
	// Want says what is allowed there.
	Want string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	list := e.List
	if len(list) > 80 {
		list = list[:77] + "..."
	}
	return fmt.Sprintf("parse hostlist %q: byte %d: %s", list, e.Offset+1, e.Want)
}

// Expand returns the names that a hostlist stands for, in its order and with
// its repetitions. An empty hostlist has no names. Several bracket groups in
// one element are expanded with the last group running fastest, as Slurm does.
// The error is a *SyntaxError.
func Expand(list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	p := parser{list: list}
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

type parser struct {
	list string
	pos  int
}

func (p *parser) fail(want string, args ...any) error {
	return &SyntaxError{List: p.list, Offset: p.pos, Want: fmt.Sprintf(want, args...)}
}

// element reads one comma-separated element and appends its names.
func (p *parser) element(names []string) ([]string, error) {
	start := len(names)
	parts := []string{""}
	for p.pos < len(p.list) && p.list[p.pos] != ',' {
		var suffixes []string
		if p.list[p.pos] == '[' {
			var err error
			if suffixes, err = p.group(); err != nil {
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
		parts = product(parts, suffixes)
	}
	if len(parts) == 1 && parts[0] == "" {
		return nil, p.fail("want a node name")
	}
	return append(names, parts...), nil
}

func product(heads, tails []string) []string {
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

// group reads "[1-4,08]".
func (p *parser) group() ([]string, error) {
	p.pos++
	var all []string
	for {
		var err error
		if all, err = p.numbers(all); err != nil {
			return nil, err
		}
		switch {
		case p.pos == len(p.list):
			return nil, p.fail("want ',' or ']', the bracket is not closed")
		case p.list[p.pos] == ',':
			p.pos++
		case p.list[p.pos] == ']':
			p.pos++
			return all, nil
		default:
			return nil, p.fail("want a digit, '-', ',' or ']', got %q", p.list[p.pos])
		}
	}
}

// numbers reads "7" or "098-102" and appends the numbers with the width of the
// lower bound, which alone decides the padding in Slurm.
func (p *parser) numbers(all []string) ([]string, error) {
	low, err := p.digits()
	if err != nil {
		return nil, err
	}
	if p.pos == len(p.list) || p.list[p.pos] != '-' {
		if len(all) == MaxHosts {
			return nil, p.fail("more than %d names", MaxHosts)
		}
		return append(all, low), nil
	}
	p.pos++
	high, err := p.digits()
	if err != nil {
		return nil, err
	}
	if len(low) > maxDigits || len(high) > maxDigits {
		return nil, p.fail("a range bound has more than %d digits", maxDigits)
	}
	// Digits only and at most maxDigits of them: neither call can fail.
	from, _ := strconv.ParseUint(low, 10, 64)
	to, _ := strconv.ParseUint(high, 10, 64)
	if to < from {
		return nil, p.fail("range %s-%s runs backwards", low, high)
	}
	if to-from >= uint64(MaxHosts-len(all)) {
		return nil, p.fail("more than %d names", MaxHosts)
	}
	for i := from; i <= to; i++ {
		all = append(all, pad(i, len(low)))
	}
	return all, nil
}

func (p *parser) digits() (string, error) {
	from := p.pos
	for p.pos < len(p.list) && isDigit(p.list[p.pos]) {
		p.pos++
	}
	if p.pos == from {
		return "", p.fail("want a digit")
	}
	return p.list[from:p.pos], nil
}

// Compress writes names as scontrol show hostlist does: neighbours in the list
// whose names differ only in a number that grows by one become a range,
// neighbours with one prefix share a bracket, and the order is kept. Sort the
// names first for the shortest result. The names must be valid node names;
// Compress does not look into brackets.
func Compress(names []string) string {
	var b strings.Builder
	for i := 0; i < len(names); {
		if i > 0 {
			b.WriteByte(',')
		}
		prefix, number := split(names[i])
		end := i + 1
		if number != "" {
			end += sharing(names[end:], prefix)
		}
		if end == i+1 {
			b.WriteString(names[i])
		} else {
			b.WriteString(prefix)
			writeGroup(&b, names[i:end], len(prefix))
		}
		i = end
	}
	return b.String()
}

// sharing counts the leading names that have the given prefix before their
// number.
func sharing(names []string, prefix string) int {
	for i, name := range names {
		p, number := split(name)
		if number == "" || p != prefix {
			return i
		}
	}
	return len(names)
}

func writeGroup(b *strings.Builder, names []string, prefix int) {
	b.WriteByte('[')
	for i := 0; i < len(names); {
		if i > 0 {
			b.WriteByte(',')
		}
		low := names[i][prefix:]
		end := i + 1
		// At most maxDigits-1 digits: this cannot fail.
		next, _ := strconv.ParseUint(low, 10, 64)
		for end < len(names) {
			next++
			if names[end][prefix:] != pad(next, len(low)) {
				break
			}
			end++
		}
		b.WriteString(low)
		if last := names[end-1][prefix:]; end > i+1 {
			b.WriteByte('-')
			b.WriteString(last)
		}
		i = end
	}
	b.WriteByte(']')
}

// split cuts a name before its trailing number. Of a longer number the last
// maxDigits-1 digits count, so that also a range that gains a digit can be
// expanded again.
func split(name string) (prefix, number string) {
	i := len(name)
	for i > 0 && isDigit(name[i-1]) && len(name)-i < maxDigits-1 {
		i--
	}
	return name[:i], name[i:]
}

func pad(n uint64, width int) string {
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
