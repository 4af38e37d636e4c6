package policy

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
)

// knob is one parameter of certain Parameters: what there is to know about it, and
// access to its value.
type knob struct {
	// name is its key in files of policies, in campaign files and of --set.
	name, help string
	// unit is what the value counts, empty where the value says it itself, as "5s" does.
	unit string
	// value points to the field of the Parameters.
	value any
	// set reads the value from text, reset sets the default.
	set   func(text string) error
	reset func()
	// valid says whether the value is allowed, allowed which ones are, in words.
	valid   func() bool
	allowed string
	// values are all that are allowed, nil for a number.
	values []string
	// key is the key in run.json, if it does not follow from the name.
	key string
	// optional says that a value of zero means "none", which is not written.
	optional bool
	// assumed is what a record without the parameter means, nil if every record has it.
	assumed any
	// recordOnly says that run.json has the parameter and nobody sets it.
	recordOnly bool
	// methods are those that read the parameter, nil for all.
	methods []Method
}

// between declares a number from low to high.
func between[T cmp.Ordered](name string, value *T, standard, low, high T, unit, help string) knob {
	return knob{
		name: name, help: help, unit: unit, value: value,
		set:     func(text string) error { return parse(text, value) },
		reset:   func() { *value = standard },
		valid:   func() bool { return *value >= low && *value <= high },
		allowed: fmt.Sprintf("%s to %s", short(low), short(high)),
	}
}

// words declares a choice among words.
func words[T ~string](name string, value *T, standard T, allowed []T, help string) knob {
	values := make([]string, len(allowed))
	for i, word := range allowed {
		values[i] = string(word)
	}
	return knob{
		name: name, help: help, value: value,
		set: func(text string) error {
			*value = T(text)
			return nil
		},
		reset:   func() { *value = standard },
		valid:   func() bool { return slices.Contains(allowed, *value) },
		allowed: faults.Or(allowed),
		values:  values,
	}
}

// yesOrNo declares a switch.
func yesOrNo(name string, value *bool, standard bool, help string) knob {
	return knob{
		name: name, help: help, value: value,
		set:     func(text string) error { return parse(text, value) },
		reset:   func() { *value = standard },
		valid:   func() bool { return true },
		allowed: "true or false",
		values:  []string{"true", "false"},
	}
}

// formula declares a formula of the agent's; empty for none.
func formula(name string, value *string, help string) knob {
	return knob{
		name: name, help: help, value: value, optional: true,
		set: func(text string) error {
			*value = text
			return nil
		},
		reset: func() { *value = "" },
		valid: func() bool {
			_, err := agent.ParseFormula(*value)
			return *value == "" || err == nil
		},
		allowed: agent.FormulaNames,
	}
}

// text declares a name that is recorded and that nobody sets.
func text(name string, value *string) knob {
	return knob{
		name: name, value: value, optional: true, recordOnly: true,
		reset: func() { *value = "" },
		valid: func() bool { return true },
	}
}

// recorded makes a parameter that nobody sets.
func (k knob) recorded() knob {
	k.recordOnly = true
	return k
}

// assume says what a record without the parameter means, as one of a run before there was the parameter. Records leave
// out that value.
func (k knob) assume(value any) knob {
	k.assumed = value
	return k
}

// readBy restricts which methods read the parameter.
func (k knob) readBy(methods ...Method) knob {
	k.methods = methods
	return k
}

// recordedAs sets the key in run.json.
func (k knob) recordedAs(key string) knob {
	k.key = key
	return k
}

// orNone allows a value of zero, which means "none".
func (k knob) orNone() knob {
	valid := k.valid
	k.valid = func() bool { return k.none() || valid() }
	k.optional = true
	return k
}

// unset says that nothing has set the value.
func (k knob) unset() bool { return reflect.ValueOf(k.value).Elem().IsZero() }

// none says that the value is one of zero that means "none", or what a record without it means.
func (k knob) none() bool {
	if k.assumed != nil {
		return k.unset() || k.content() == k.assumed
	}
	switch v := k.value.(type) {
	case *time.Duration:
		return k.optional && *v == 0
	case *bool:
		return k.optional && !*v
	case *string:
		return k.optional && *v == ""
	default:
		return false
	}
}

// unread says that a program of the user's or Slurm decides and does not read the parameter. Other methods keep such
// parameters in their records.
func (k knob) unread(m Method) bool {
	return (m == MethodProgram || m == MethodFormula) && !k.reads(m)
}

// word is the value for people.
func (k knob) word() string {
	switch k.value.(type) {
	case *time.Duration, *string:
		if k.none() {
			return "none"
		}
	}
	return short(k.content())
}

// fault says that the value is not allowed, and which ones are.
func (k knob) fault() error {
	if k.valid() {
		return nil
	}
	value := fmt.Sprint(k.content())
	if k.values != nil {
		value = strconv.Quote(value)
	}
	return fmt.Errorf("%s: %s is not allowed, want %s%s", k.name, value, k.allowed, faults.DidYouMean(fmt.Sprint(k.content()), k.values))
}

// read sets the value from text. The error says what is allowed.
func (k knob) read(text string) error {
	if k.set(text) != nil {
		return fmt.Errorf("%q is not allowed, want %s%s", text, k.allowed, faults.DidYouMean(text, k.values))
	}
	return nil
}

// reads says whether a method reads the parameter.
func (k knob) reads(m Method) bool { return k.methods == nil || slices.Contains(k.methods, m) }

// parse reads a value of a type other than string.
func parse(text string, value any) (err error) {
	switch v := value.(type) {
	case *time.Duration:
		*v, err = time.ParseDuration(text)
	case *int:
		var wide int64
		wide, err = strconv.ParseInt(text, 0, strconv.IntSize)
		*v = int(wide)
	case *float64:
		*v, err = strconv.ParseFloat(text, 64)
	case *bool:
		*v, err = strconv.ParseBool(text)
	default:
		err = fmt.Errorf("a %T cannot be read", value)
	}
	return err
}

// short writes a value without the parts of a duration that are zero: "1h".
func short(value any) string {
	text := fmt.Sprint(value)
	if _, is := value.(time.Duration); is {
		for _, zero := range []struct{ tail, unit string }{{"m0s", "0s"}, {"h0m", "0m"}} {
			if strings.HasSuffix(text, zero.tail) {
				text = strings.TrimSuffix(text, zero.unit)
			}
		}
	}
	return text
}
