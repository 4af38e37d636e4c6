package input

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Writers write the fields that have their name in the tag as; "" leaves a key out.
type Writers map[string]func(value any) string

// Write is what Read reads of the keys of a struct, or of some of them. A list of mappings has a line for each, all
// other values are on the line of their key. Beside the tags of Read it heeds:
//
//	write:"always"  keeps a value that is the default
//	write:"quoted"  does so, and has a text in quotes
//	write:"block"   has the lines of a text below the key
//	after:"..."     moves the key behind another one
//
// What a file may leave out is left out.
func (w Writers) Write(of any, keys ...string) string {
	var out strings.Builder
	v := reflect.ValueOf(of)
	for _, f := range written(v.Type(), usual) {
		value := v.FieldByIndex(f.index)
		switch {
		case len(keys) > 0 && !slices.Contains(keys, f.key) || value.IsZero():
		case f.tag.Get("write") == "block":
			// The number says where lines begin, whatever the first one begins with.
			out.WriteString(f.key + ": |2\n")
			for line := range strings.Lines(value.String()) {
				out.WriteString("  " + line)
			}
		case value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Struct && f.tag.Get("as") == "":
			out.WriteString(f.key + ":\n")
			for i := range value.Len() {
				out.WriteString("  - " + w.flow(value.Index(i), usual) + "\n")
			}
		default:
			if text := w.text(value, f.tag); text != "" {
				out.WriteString(f.key + ": " + text + "\n")
			}
		}
	}
	return out.String()
}

// written are the fields in the order in which they are written.
func written(t reflect.Type, view string) []field {
	fields := fieldsOf(t, view)
	indexOf := func(key string) int { return slices.IndexFunc(fields, func(f field) bool { return f.key == key }) }
	for _, f := range slices.Clone(fields) {
		if before, moves := f.tag.Lookup("after"); moves {
			fields = slices.DeleteFunc(fields, func(other field) bool { return other.key == f.key })
			fields = slices.Insert(fields, indexOf(before)+1, f)
		}
	}
	return fields
}

// flow is a struct as a mapping on one line.
func (w Writers) flow(v reflect.Value, view string) string {
	var pairs []string
	for _, f := range written(v.Type(), view) {
		if text := w.text(v.FieldByIndex(f.index), f.tag); text != "" {
			pairs = append(pairs, f.key+": "+text)
		}
	}
	return Flow(pairs)
}

// Flow is a mapping on one line, "" for one without a pair "key: value".
func Flow(pairs []string) string {
	if len(pairs) == 0 {
		return ""
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}

// text is the value of a key, "" to leave it out.
func (w Writers) text(v reflect.Value, tag reflect.StructTag) string {
	if as := tag.Get("as"); as != "" {
		return w[as](v.Interface())
	}
	if v.IsZero() && v.Kind() != reflect.Int {
		return ""
	}
	text := w.plain(v, tag)
	byDefault := tag.Get("default")
	switch {
	case tag.Get("write") == "quoted":
		return strconv.Quote(v.String())
	case tag.Get("write") != "always" && (text == byDefault || byDefault == "" && v.IsZero()):
		return ""
	}
	return text
}

// plain is a value that is there.
func (w Writers) plain(v reflect.Value, tag reflect.StructTag) string {
	switch v.Kind() {
	case reflect.Struct:
		if view := tag.Get("view"); view != "" {
			return w.flow(v, view)
		}
		return w.flow(v, usual)
	case reflect.Slice:
		entries := make([]string, v.Len())
		for i := range entries {
			entries[i] = w.plain(v.Index(i), "")
		}
		return "[" + strings.Join(entries, ", ") + "]"
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	default:
		return Word(v.String())
	}
}

// Word is a text that YAML reads as a text, in quotes where it would be something else.
func Word(text string) string {
	// What begins with a digit may be a number, such as 1e5.
	plain := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]{0,31}$`).MatchString(text)
	if plain && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(text)) {
		return text
	}
	return strconv.Quote(text)
}
