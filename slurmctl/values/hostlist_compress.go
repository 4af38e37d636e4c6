package values

import (
	"strconv"
	"strings"
)

// CompressHosts writes names as scontrol show hostlist does, in their order. Neighbours in the list whose names
// differ only in a number that grows by one become a range. Neighbours with one prefix share a bracket. Sort the
// names first for the shortest result. The names must be valid node names; CompressHosts does not look into brackets.
func CompressHosts(names []string) string {
	var b strings.Builder
	for i := 0; i < len(names); {
		if i > 0 {
			b.WriteByte(',')
		}
		prefix, number := splitHost(names[i])
		end := i + 1
		if number != "" {
			end += sharingPrefix(names[end:], prefix)
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

// sharingPrefix counts the leading names that have the given prefix before their
// number.
func sharingPrefix(names []string, prefix string) int {
	for i, name := range names {
		p, number := splitHost(name)
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
			if names[end][prefix:] != padHost(next, len(low)) {
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

// splitHost cuts a name before its trailing number. Of a longer number the last
// maxDigits-1 digits count, so that also a range that gains a digit can be
// expanded again.
func splitHost(name string) (prefix, number string) {
	i := len(name)
	for i > 0 && isDigit(name[i-1]) && len(name)-i < maxDigits-1 {
		i--
	}
	return name[:i], name[i:]
}
