package values

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// noVal is Slurm's NO_VAL: "not set" in an unsigned 32-bit field that some
// commands print as a number (slurm/slurm.h). No count of Slurm's is larger.
const noVal = 0xfffffffe

// TimeLayout is how every Slurm command prints a time under the default
// SLURM_TIME_FORMAT (slurm_make_time_str in src/common/parse_time.c).
const TimeLayout = "2006-01-02T15:04:05"

// Time reads a time in TimeLayout as UTC. "Unknown", "None" and "N/A" are the zero
// time.
func Time(s string) (time.Time, error) {
	switch s {
	case "Unknown", "None", "N/A":
		return time.Time{}, nil
	}
	t, err := time.Parse(TimeLayout, s)
	if err != nil || len(s) != len(TimeLayout) {
		return time.Time{}, fmt.Errorf("parse time %q: want YYYY-MM-DDTHH:MM:SS, Unknown, None or N/A", s)
	}
	return t, nil
}

// Duration reads a duration as Slurm prints it, [days-][hours:]min:sec,
// and the words for "no limit" (UNLIMITED, INFINITE, Partition_Limit,
// NOT_SET), which are 0. TimeLimit reads the syntax that sbatch -t accepts.
func Duration(s string) (time.Duration, error) {
	switch s {
	case "UNLIMITED", "INFINITE", "Partition_Limit", "NOT_SET":
		return 0, nil
	}
	bad := fmt.Errorf("parse duration %q: want [D-][HH:]MM:SS or UNLIMITED", s)
	rest, days := s, 0
	if d, after, ok := strings.Cut(s, "-"); ok {
		var fine bool
		if days, fine = Count(d); !fine || days > 36500 {
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
		n, ok := Count(part)
		// Only the leading part may exceed a minute or an hour.
		if !ok || n > 100_000_000 || (i > 0 && (n > 59 || len(part) != 2)) {
			return 0, bad
		}
		total = total*60 + n
	}
	return time.Duration(days)*24*time.Hour + time.Duration(total)*time.Second, nil
}

// TimeLimit reads the forms of sbatch --time: M, M:S, H:M:S, D-H, D-H:M, D-H:M:S.
// Like Slurm it rounds up to whole minutes, Slurm's unit of limits (sbatch(1)).
func TimeLimit(s string) (time.Duration, bool) {
	days, clock, hasDays := strings.Cut(s, "-")
	if !hasDays {
		days, clock = "0", s
	}
	parts := strings.Split(clock, ":")
	var units []int
	switch {
	case len(parts) == 3 || hasDays && len(parts) < 3:
		units = []int{3600, 60, 1}
	case len(parts) < 3:
		units = []int{60, 1}
	default:
		return 0, false
	}
	total := 0
	for i, part := range append(parts, days) {
		n, ok := Count(part)
		// No sum of nine digits overflows.
		if !ok || len(part) > 9 {
			return 0, false
		}
		if i == len(parts) {
			total += n * 24 * 3600
		} else {
			total += n * units[i]
		}
	}
	return time.Duration((total+59)/60) * time.Minute, true
}

// MiB reads an amount of memory as Slurm prints it and as sbatch --mem takes it. It is a number, perhaps with a
// fraction, of the unit K, M, G, T or P, each 1024 of the one before, and of MiB without a unit. Parts of a MiB are
// rounded up, as str_to_mbytes (src/common/proc_args.c) does.
func MiB(s string) (int, bool) {
	number, unit := s, "M"
	if last := len(s) - 1; last > 0 && strings.ContainsRune("KMGTPkmgtp", rune(s[last])) {
		number, unit = s[:last], strings.ToUpper(s[last:])
	}
	whole, part, fraction := strings.Cut(number, ".")
	n, ok := Count(whole)
	if !ok || len(whole) > 12 || len(part) > 6 {
		return 0, false
	}
	kib := map[string]int{"K": 1, "M": 1 << 10, "G": 1 << 20, "T": 1 << 30, "P": 1 << 40}[unit]
	if n > 1<<60/kib {
		return 0, false
	}
	total := n * kib
	if fraction {
		parts, ok := Count(part)
		if !ok {
			return 0, false
		}
		tens := 1
		for range part {
			tens *= 10
		}
		total += (parts*(kib/tens) + parts*(kib%tens)/tens)
	}
	return (total + 1023) / 1024, true
}

// Count reads a decimal number without sign, of at most 18 digits.
func Count(s string) (int, bool) {
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

// TRES reads a list of trackable resources such as
// "cpu=4,mem=1M,gres/gpu=2" into their amounts by name. "", "(null)" and "N/A" are
// no resources, nil.
func TRES(list string) (map[string]string, error) {
	if Text(list) == "" || list == "N/A" {
		return nil, nil
	}
	all := make(map[string]string, strings.Count(list, ",")+1)
	for item := range strings.SplitSeq(list, ",") {
		name, amount, ok := strings.Cut(item, "=")
		_, twice := all[name]
		if !ok || name == "" || amount == "" || twice {
			return nil, fmt.Errorf("parse TRES %q: want items like name=amount, each name once", list)
		}
		all[name] = amount
	}
	return all, nil
}

// Amount returns the amount of one resource in a list that TRES reads. Absence is 0.
func Amount(list, name string) (int, error) {
	if Text(list) == "" || list == "N/A" {
		return 0, nil
	}
	for item := range strings.SplitSeq(list, ",") {
		key, value, ok := strings.Cut(item, "=")
		if !ok {
			return 0, fmt.Errorf("parse TRES %q: want items like name=amount", list)
		}
		if key != name {
			continue
		}
		n, ok := Count(value)
		if !ok {
			return 0, fmt.Errorf("parse TRES %q: %s: want a number", list, name)
		}
		return n, nil
	}
	return 0, nil
}

// Resource is an item of a GRES list. Type is "" without one; Count is read for GPUs and their parts alone.
type Resource struct {
	Name, Type string
	Count      int
}

// GPUs returns the GPUs in a GRES list. It reads "gpu:2", "gres/gpu:2", "gpu:a100:2(S:0-1)", "gpu(CNT:2)" and
// "gpu:2(IDX:0-1)". "gres/gpu" and "gpu:a100" are one GPU; "", "(null)" and "N/A" are none. Several types of GPU are
// added up.
func GPUs(list string) (int, error) {
	sum := 0
	err := Resources(list, func(r Resource) {
		if r.Name == "gpu" {
			sum += r.Count
		}
	})
	if err == nil && sum > noVal {
		err = badGPUs(list)
	}
	if err != nil {
		return 0, err
	}
	return sum, nil
}

func badGPUs(list string) error { return fmt.Errorf("parse GRES %q: want gpu[:type]:count", list) }

// countedGRES are GPUs and what Slurm makes of their parts (gres_is_shared_name in src/interfaces/gres.c).
func countedGRES(name string) bool { return name == "gpu" || name == "shard" || name == "mps" }

// Resources hands the items of a GRES list to use, in the forms that GPUs reads, until one is wrong.
func Resources(list string, use func(Resource)) error {
	if list == "" || list == "(null)" || list == "N/A" {
		return nil
	}
	for _, item := range splitOutsideParentheses(list) {
		name, inside, _ := strings.Cut(strings.TrimPrefix(item, "gres/"), "(")
		parts := strings.Split(name, ":")
		if parts[0] == "" {
			return fmt.Errorf("parse GRES %q: want items like name[:type][:count]", list)
		}
		r := Resource{Name: parts[0]}
		if countedGRES(r.Name) {
			n, ok := 1, true
			if cnt, found := strings.CutPrefix(strings.TrimSuffix(inside, ")"), "CNT:"); found {
				n, ok = Count(cnt)
			} else if len(parts) > 1 {
				n, ok = multiple(parts[len(parts)-1])
				// A type without a number is one of it (sbatch(1), --gres=name[[:type]:count]).
				if !ok && len(parts) == 2 && isType(parts[1]) {
					n, ok, r.Type = 1, true, parts[1]
				}
			}
			if len(parts) > 2 {
				r.Type = parts[1]
			}
			if r.Count = n; !ok || n > noVal {
				if r.Name != "gpu" {
					return fmt.Errorf("parse GRES %q: want %s[:type]:count", list, r.Name)
				}
				return badGPUs(list)
			}
		}
		use(r)
	}
	return nil
}

// multiple is a count, perhaps with a suffix (_get_gres_cnt in src/interfaces/gres.c, suffix_mult in src/common/slurm_protocol_defs.c of
// Slurm). The larger suffixes are above all counts here.
func multiple(text string) (int, bool) {
	digits := strings.TrimRight(text, "kKmMiIbB")
	factor, known := map[string]int{"": 1, "k": 1 << 10, "kib": 1 << 10, "kb": 1000, "m": 1 << 20, "mib": 1 << 20, "mb": 1000_000}[strings.ToLower(text[len(digits):])]
	n, ok := Count(digits)
	return n * factor, ok && known && n <= noVal/max(1, factor)
}

// isType says that a word is the name of a type: it begins with a letter.
func isType(word string) bool {
	return word != "" && (word[0] >= 'a' && word[0] <= 'z' || word[0] >= 'A' && word[0] <= 'Z')
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

// IDs counts the ids in a bitmap text such as "0-3,6".
func IDs(s string) (int, error) {
	sum := 0
	for item := range strings.SplitSeq(s, ",") {
		low, high, isRange := strings.Cut(item, "-")
		if !isRange {
			high = low
		}
		from, ok1 := Count(low)
		to, ok2 := Count(high)
		if !ok1 || !ok2 || to < from || to > noVal || sum > noVal {
			return 0, fmt.Errorf("parse ids %q: want ranges such as 0-3,6", s)
		}
		sum += to - from + 1
	}
	return sum, nil
}

// CountOrUnset reads a count that Slurm prints as NO_VAL, "N/A" or "*" when it
// is not set; then it is 0.
func CountOrUnset(s string) (int, bool) {
	if s == "N/A" || s == "*" || s == strconv.Itoa(noVal) {
		return 0, true
	}
	return Count(s)
}

// Text is a value that Slurm prints as "(null)" when it is not set; then it is "".
func Text(s string) string {
	if s == "(null)" {
		return ""
	}
	return s
}

// Names reads names with commas between them; "(null)" is no name.
func Names(s string) []string {
	if Text(s) == "" {
		return nil
	}
	return strings.Split(s, ",")
}
