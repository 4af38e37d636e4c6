package slurmctl

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// noVal is Slurm's NO_VAL: "not set" in an unsigned 32-bit field that some
// commands print as a number (slurm/slurm.h).
const noVal = 0xfffffffe

const timeLayout = "2006-01-02T15:04:05"

// ParseTime reads a time as every Slurm command prints it under the default
// SLURM_TIME_FORMAT, "2006-01-02T15:04:05", as UTC. "Unknown", "None" and
// "N/A" are the zero time.
func ParseTime(s string) (time.Time, error) {
	switch s {
	case "Unknown", "None", "N/A":
		return time.Time{}, nil
	}
	t, err := time.Parse(timeLayout, s)
	if err != nil || len(s) != len(timeLayout) {
		return time.Time{}, fmt.Errorf("parse time %q: want YYYY-MM-DDTHH:MM:SS, Unknown, None or N/A", s)
	}
	return t, nil
}

// ParseDuration reads a duration as Slurm prints it, [days-][hours:]min:sec,
// and the words for "no limit" (UNLIMITED, INFINITE, Partition_Limit,
// NOT_SET), which are 0. It is not the syntax that sbatch -t accepts, where
// "5" means minutes.
func ParseDuration(s string) (time.Duration, error) {
	switch s {
	case "UNLIMITED", "INFINITE", "Partition_Limit", "NOT_SET":
		return 0, nil
	}
	bad := fmt.Errorf("parse duration %q: want [D-][HH:]MM:SS or UNLIMITED", s)
	rest, days := s, 0
	if d, after, ok := strings.Cut(s, "-"); ok {
		var fine bool
		if days, fine = atoi(d); !fine || days > 36500 {
			return 0, bad
		}
		rest = after
	}
	parts := strings.Split(rest, ":")
	if len(parts) < 2 || len(parts) > 3 || (days > 0 && len(parts) < 3) {
		return 0, bad
	}
	total := 0
	for i, part := range parts {
		n, ok := atoi(part)
		// Only the leading part may exceed a minute or an hour.
		if !ok || n > 100_000_000 || (i > 0 && (n > 59 || len(part) != 2)) {
			return 0, bad
		}
		total = total*60 + n
	}
	return time.Duration(days)*24*time.Hour + time.Duration(total)*time.Second, nil
}

// atoi reads a decimal number without sign.
func atoi(s string) (int, bool) {
	if s == "" || len(s) > 18 {
		return 0, false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// tres returns the amount of one trackable resource in a list such as
// "cpu=4,mem=1M,gres/gpu=2". Absence is 0.
func tres(list, name string) (int, error) {
	for item := range strings.SplitSeq(list, ",") {
		key, value, ok := strings.Cut(item, "=")
		if !ok && item != "" && item != "(null)" && item != "N/A" {
			return 0, fmt.Errorf("parse TRES %q: want items like name=amount", list)
		}
		if key != name {
			continue
		}
		n, ok := atoi(value)
		if !ok {
			return 0, fmt.Errorf("parse TRES %q: %s: want a number", list, name)
		}
		return n, nil
	}
	return 0, nil
}

// gpuCount returns the GPUs in a GRES list: "gpu:2", "gres/gpu:2",
// "gpu:a100:2(S:0-1)", "gpu(CNT:2)", "gpu:2(IDX:0-1)", "gres/gpu" (one), and
// none in "", "(null)" and "N/A". Several kinds of GPU are added up.
func gpuCount(list string) (int, error) {
	if list == "" || list == "(null)" || list == "N/A" {
		return 0, nil
	}
	sum := 0
	for _, item := range splitOutsideParentheses(list) {
		name := strings.TrimPrefix(item, "gres/")
		name, inside, _ := strings.Cut(name, "(")
		parts := strings.Split(name, ":")
		if parts[0] == "" {
			return 0, fmt.Errorf("parse GRES %q: want items like name[:type][:count]", list)
		}
		if parts[0] != "gpu" {
			continue
		}
		n, ok := 1, true
		if cnt, found := strings.CutPrefix(strings.TrimSuffix(inside, ")"), "CNT:"); found {
			n, ok = atoi(cnt)
		} else if len(parts) > 1 {
			n, ok = atoi(parts[len(parts)-1])
		}
		if !ok {
			return 0, fmt.Errorf("parse GRES %q: want gpu[:type]:count", list)
		}
		sum += n
	}
	return sum, nil
}

func splitOutsideParentheses(s string) []string {
	var parts []string
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, s[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, s[from:])
}

// idCount counts the ids in a bitmap text such as "0-3,6".
func idCount(s string) (int, error) {
	sum := 0
	for item := range strings.SplitSeq(s, ",") {
		low, high, isRange := strings.Cut(item, "-")
		if !isRange {
			high = low
		}
		from, ok1 := atoi(low)
		to, ok2 := atoi(high)
		if !ok1 || !ok2 || to < from {
			return 0, fmt.Errorf("parse ids %q: want ranges such as 0-3,6", s)
		}
		sum += to - from + 1
	}
	return sum, nil
}

// countOrUnset reads a count that Slurm prints as NO_VAL, "N/A" or "*" when it
// is not set; then it is 0.
func countOrUnset(s string) (int, bool) {
	if s == "N/A" || s == "*" || s == strconv.Itoa(noVal) {
		return 0, true
	}
	return atoi(s)
}

// list reads names with commas between them; "(null)" is no name.
func list(s string) []string {
	if null(s) == "" {
		return nil
	}
	return strings.Split(s, ",")
}
