package sbatch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Features reads a constraint (-C): one feature, several with "&" between them, all of which a
// node must have, or several with "|", of which it must have one; "" has none. Both at once,
// and Slurm's other operators ([], *, parentheses, !), are an error.
func Features(text string) (names []string, one bool, err error) {
	if text == "" {
		return nil, false, nil
	}
	operator := "&"
	if one = strings.Contains(text, "|"); one {
		operator = "|"
	}
	names = strings.Split(text, operator)
	other := func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("_.:=-", r)
	}
	for _, name := range names {
		if name == "" || strings.ContainsFunc(name, other) {
			return nil, false, fmt.Errorf("its constraint %q is not a list of features with & or | between them", text)
		}
	}
	return names, one, nil
}

// AreFeatures says whether Options.Features may have such a text.
func AreFeatures(text string) bool {
	names, _, err := Features(text)
	return err == nil && !slices.ContainsFunc(names, func(name string) bool { return !layout.IsWord(name) })
}

// ArePartitions says whether Options.Partition may have such a text.
func ArePartitions(text string) bool {
	names := Options{Partition: text}.Partitions()
	for i, name := range names {
		if !layout.IsWord(name) || slices.Contains(names[:i], name) {
			return false
		}
	}
	return len(names) > 0
}

// Partitions are the names in Partition, nil for a job that names none.
func (o Options) Partitions() []string {
	if o.Partition == "" {
		return nil
	}
	return strings.Split(o.Partition, "&")
}

// Licence is how many licences of a name a job wants (-L).
type Licence struct {
	Name  string
	Count int
}

// Licences reads "matlab:2,fluent", where fluent means one; "" has none. An
// alternative ("a|b") is an error.
func Licences(text string) ([]Licence, error) {
	var all []Licence
	for item := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' }) {
		name, number, counted := strings.Cut(item, ":")
		l, ok := Licence{Name: name, Count: 1}, true
		if counted {
			l.Count, ok = values.Count(number)
		}
		if !ok || l.Count == 0 || len(number) > 9 || strings.Contains(name, "|") {
			return nil, fmt.Errorf("its licences %q are not NAME[:COUNT] with commas between them", text)
		}
		all = append(all, l)
	}
	return all, nil
}
