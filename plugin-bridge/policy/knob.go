package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// knob is one parameter of certain Parameters: what there is to know about it, and
// access to its value. It is a pflag.Value.
type knob struct {
	// name is that of the flag.
	name, help string
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
	// key is that of run.json, if it does not follow from the name.
	key string
	// optional says that a value of zero means "none", which is not written.
	optional bool
	place    place
	// methods are those that read the parameter, nil for all.
	methods []Method
}

// place is a set of places where a parameter can be set.
type place int

const (
	inFile place = 1 << iota
	inFlags
)

// between declares a number from low to high.
func between[T cmp.Ordered](name string, value *T, standard, low, high T, help string) knob {
	return knob{
		name: name, help: help, value: value, place: inFile | inFlags,
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
		name: name, help: help, value: value, place: inFile | inFlags,
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
		name: name, help: help, value: value, place: inFile | inFlags,
		set:   func(text string) error { return parse(text, value) },
		reset: func() { *value = standard },
		valid: func() bool { return true },
	}
}

// text declares a name that is recorded and set in no file and by no flag.
func text(name string, value *string) knob {
	return knob{
		name: name, value: value, optional: true,
		reset: func() { *value = "" },
		valid: func() bool { return true },
	}
}

// only restricts where the parameter can be set.
func (k knob) only(p place) knob {
	k.place = p
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

// none says that the value is one of zero that means "none".
func (k knob) none() bool {
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

// unread says that a program of the user's decides and does not read the parameter. Other
// methods have such parameters in their records, too.
func (k knob) unread(m Method) bool {
	return m == MethodProgram && k.methods != nil && !slices.Contains(k.methods, m)
}

// fault says that the value is not allowed, and which ones are.
func (k knob) fault() error {
	if k.valid() {
		return nil
	}
	value := k.String()
	if k.Type() == "string" {
		value = strconv.Quote(value)
	}
	return fmt.Errorf("%s: %s is not allowed, want %s%s", k.name, value, k.allowed, faults.DidYouMean(k.String(), k.values))
}

// Set implements pflag.Value.
func (k knob) Set(text string) error { return k.set(text) }

// String implements pflag.Value.
func (k knob) String() string {
	switch v := k.value.(type) {
	case *time.Duration:
		return v.String()
	case *int:
		return strconv.Itoa(*v)
	case *float64:
		return strconv.FormatFloat(*v, 'g', -1, 64)
	case *bool:
		return strconv.FormatBool(*v)
	default:
		return fmt.Sprint(k.content())
	}
}

// Type implements pflag.Value.
func (k knob) Type() string {
	switch k.value.(type) {
	case *time.Duration:
		return "duration"
	case *int:
		return "int"
	case *float64:
		return "float64"
	case *bool:
		return "bool"
	default:
		return "string"
	}
}

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
