package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagSpec is one flag of a command: its name, value, default and help, how often people type it, and
// what completes its value.
type flagSpec struct {
	name, letter string
	add          func(set *pflag.FlagSet)
	often        bool
	list         completions
}

// values are the types of values that flags have, beside those that read their text themselves.
type values interface {
	string | []string | map[string]string | bool | int | uint64 | float64 | time.Duration
}

// flag declares a flag. A table of them says all about the flags of a command (declare).
func flag[T values](name string, value *T, standard T, help string) flagSpec {
	return flagSpec{name: name, add: func(set *pflag.FlagSet) {
		switch v := any(value).(type) {
		case *string:
			set.StringVar(v, name, any(standard).(string), help)
		case *[]string:
			set.StringSliceVar(v, name, any(standard).([]string), help)
		case *map[string]string:
			set.StringToStringVar(v, name, any(standard).(map[string]string), help)
		case *bool:
			set.BoolVar(v, name, any(standard).(bool), help)
		case *int:
			set.IntVar(v, name, any(standard).(int), help)
		case *uint64:
			set.Uint64Var(v, name, any(standard).(uint64), help)
		case *float64:
			set.Float64Var(v, name, any(standard).(float64), help)
		case *time.Duration:
			set.DurationVar(v, name, any(standard).(time.Duration), help)
		}
	}}
}

// flagOf declares a flag whose value reads its text itself.
func flagOf(name string, value pflag.Value, help string) flagSpec {
	return flagSpec{name: name, add: func(set *pflag.FlagSet) { set.Var(value, name, help) }}
}

// short adds a form of one letter.
func (f flagSpec) short(letter string) flagSpec {
	f.letter = letter
	return f
}

// usual says that people type the flag often: --help shows it where there are too many for all.
func (f flagSpec) usual() flagSpec {
	f.often = true
	return f
}

// completes adds what completes the value.
func (f flagSpec) completes(list completions) flagSpec {
	f.list = list
	return f
}

// The annotations of a flag.
const (
	// headingKey has its heading.
	headingKey = "slurmlab_heading"
	// oftenKey says that it is typed often.
	oftenKey = "slurmlab_often"
)

// declare adds flags to a command, below a heading.
func declare(cmd *cobra.Command, h heading, list ...flagSpec) {
	// A help has the flags in the order in which they are declared.
	cmd.Flags().SortFlags = false
	for _, spec := range list {
		one := pflag.NewFlagSet("", pflag.ContinueOnError)
		spec.add(one)
		f := one.Lookup(spec.name)
		f.Shorthand = spec.letter
		f.Annotations = map[string][]string{headingKey: {string(h)}}
		if spec.often {
			f.Annotations[oftenKey] = []string{fmt.Sprint(true)}
		}
		cmd.Flags().AddFlag(f)
		if spec.list == nil {
			continue
		}
		if err := cmd.RegisterFlagCompletionFunc(spec.name, spec.list.cobra); err != nil {
			// The flag has its completion already.
			panic(err)
		}
	}
}
