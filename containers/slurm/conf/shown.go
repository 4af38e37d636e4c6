package conf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Values are what a running Slurm says of its configuration, by key.
type Values map[string]string

// Shown reads what "scontrol show config" prints. What Slurm calls (null) is not there.
func Shown(text string) Values {
	all := Values{}
	for line := range strings.Lines(text) {
		key, value, is := strings.Cut(strings.TrimSpace(line), "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !is || value == "" || value == "(null)" || strings.Contains(key, " ") {
			continue
		}
		// Of the files that follow slurm.conf some have keys of the same name.
		if _, there := all.find(key); !there {
			all[key] = value
		}
	}
	// The defaults of a job by its GPUs stand in one line, with other keys in it.
	for line := range strings.SplitSeq(all["JobDefaults"], ",") {
		if key, value, is := strings.Cut(line, "="); is {
			all[key] = value
		}
	}
	return all
}

// find returns the value of a key. Slurm does not heed capitals in its keys, and shows some
// otherwise than it documents them.
func (v Values) find(key string) (string, bool) {
	if value, there := v[key]; there {
		return value, true
	}
	for shown, value := range v {
		if strings.EqualFold(shown, key) {
			return value, true
		}
	}
	return "", false
}

// Difference is a line of which a running Slurm has made something else.
type Difference struct {
	// Key and Asked are the line, Shown is what Slurm says, empty where it says nothing.
	Key, Asked, Shown string
}

// Missing says that the line has come to nothing.
func (d Difference) Missing() bool { return d.Shown == "" }

// String is a sentence without its full stop.
func (d Difference) String() string {
	if d.Missing() {
		return fmt.Sprintf("%s: Slurm did not take %s=%s: scontrol show config has no such line", d.Key, d.Key, d.Asked)
	}
	return fmt.Sprintf("%s: the setting is %s, and the running Slurm has %s", d.Key, d.Asked, d.Shown)
}

// CompareLines holds lines against what a running Slurm says. effective are its values of their
// keys as it shows them.
func CompareLines(lines Lines, shown Values) (effective map[string]string, differences []Difference) {
	effective = map[string]string{}
	for _, line := range lines {
		key, asked, _ := strings.Cut(line, "=")
		got, there := shown.find(key)
		if there {
			effective[key] = got
		}
		if !there || !same(asked, got) {
			differences = append(differences, Difference{key, asked, got})
		}
	}
	return effective, differences
}

// same says whether a value that Slurm shows is the one of a line. Slurm writes it in its own way: with a unit, other
// capitals, another order, another form of a time.
func same(asked, shown string) bool {
	if sameWords(asked, shown) || sameNumber(asked, shown) || sameTime(asked, shown) {
		return true
	}
	yes := []string{"yes", "true", "up", "1"}
	no := []string{"no", "false", "down", "0"}
	is := func(list []string, word string) bool { return slices.Contains(list, strings.ToLower(word)) }
	return is(yes, asked) && is(yes, shown) || is(no, asked) && is(no, shown)
}

// sameWords: lists of words have any order and any capitals.
func sameWords(a, b string) bool {
	words := func(text string) []string {
		list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ',' })
		slices.Sort(list)
		return slices.Compact(list)
	}
	return slices.Equal(words(a), words(b))
}

// sameNumber: a number may have its unit after it, as in "60 sec", and no limit is a word.
func sameNumber(asked, shown string) bool {
	limitless := []string{"INFINITE", "UNLIMITED", "-1"}
	if slices.Contains(limitless, strings.ToUpper(asked)) && slices.Contains(limitless, strings.ToUpper(shown)) {
		return true
	}
	number, _, _ := strings.Cut(shown, " ")
	a, errA := strconv.ParseUint(asked, 0, 64)
	b, errB := strconv.ParseUint(number, 10, 64)
	return errA == nil && errB == nil && a == b
}

// sameTime: Slurm shows times as [D-]HH:MM:SS, and reads them as those of sbatch --time. It counts
// most of them in whole minutes.
func sameTime(asked, shown string) bool {
	a, good := values.TimeLimit(asked)
	b, err := values.Duration(shown)
	return good && err == nil && strings.Contains(shown, ":") && a == (b+time.Minute-1).Truncate(time.Minute)
}
