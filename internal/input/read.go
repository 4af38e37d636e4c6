package input

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Reader reads a value into what a pointer points to.
type Reader func(v Value, into any)

// Text is a value that stands in a file as a text, such as 10m or 4GiB.
type Text interface {
	encoding.TextUnmarshaler
	// Wanted says what is allowed, for a text that cannot be read.
	Wanted() string
}

// Settler sets what depends on which keys a file has, after they were read.
type Settler interface{ Settle(m *Mapping) }

// usual is the view of fields that are keys wherever their struct is read.
const usual = "about"

// field is a key of a file and the field of the struct that has its value.
type field struct {
	key   string
	tag   reflect.StructTag
	about string
	index []int
}

// fieldsOf are those fields of a struct that have the tag about, or the tag that is the name of the view, in the
// order in which they are read.
func fieldsOf(t reflect.Type, view string) []field {
	var first, others []field
	for _, f := range reflect.VisibleFields(t) {
		about, there := f.Tag.Lookup(view)
		if !there {
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name := f.Tag.Get("yaml"); name != "" {
			key = name
		}
		one := field{key, f.Tag, about, f.Index}
		if f.Tag.Get("read") == "first" {
			first = append(first, one)
		} else {
			others = append(others, one)
		}
	}
	return append(first, others...)
}

// Read reads the keys that a struct has by its tags, or only some of them.
//
//	about:"..."    says what the key means; a field without it is no key. 'x' is code, and {X} stands for a phrase
//	need:"yes"     says that a file must have the key
//	was:"..."      is an earlier name of the key, which is read where a file lacks the key
//	json:"..."     is the name of the key, yaml:"..." if it has another one in files
//	default:"..."  is what an entry of a list has without the key
//	as:"..."       is the name of a reader of the document
//	view:"..."     is the tag that has the meanings of a nested mapping's keys, in the place of about
//	read:"first"   says that others depend on the key
//	range:"1..8"   bounds a number, or the entries of a list, and of:"..." says what words may be: both for a JSON schema
//
// What a file leaves out stays as it is, and a list takes the place of what is there. A field of the type Value has
// the value as it stands in the file, for a key that has several forms.
func (m *Mapping) Read(into any, keys ...string) { m.read(reflect.ValueOf(into).Elem(), usual, keys) }

// ReadAll is Read of a mapping that has no other keys.
func (m *Mapping) ReadAll(into any) {
	m.Read(into)
	m.Done()
}

func (m *Mapping) read(into reflect.Value, view string, keys []string) {
	for _, f := range fieldsOf(into.Type(), view) {
		if len(keys) > 0 && !slices.Contains(keys, f.key) {
			continue
		}
		v, there := m.Get(f.key)
		if was := f.tag.Get("was"); !there && was != "" {
			v, there = m.earlier(f.key, was)
		}
		if there {
			v.read(into.FieldByIndex(f.index), f.tag)
		}
	}
	if s, is := into.Addr().Interface().(Settler); is {
		s.Settle(m)
	}
}

// read reads the value of a field.
func (v Value) read(into reflect.Value, tag reflect.StructTag) {
	if name := tag.Get("as"); name != "" {
		v.doc.Readers[name](v, into.Addr().Interface())
		return
	}
	switch to := into.Addr().Interface().(type) {
	case *Value:
		*to = v
		return
	case Text:
		v.into(to)
		return
	}
	switch into.Kind() {
	case reflect.Struct:
		v.Mapping().fill(into, tag)
	case reflect.Slice:
		v.list(into)
	case reflect.String:
		v.word(into)
	case reflect.Bool:
		if b, is := v.node.(*ast.BoolNode); is {
			into.SetBool(b.Value)
		} else {
			v.Mistyped("true or false")
		}
	case reflect.Int:
		into.SetInt(int64(v.Int()))
	case reflect.Float64:
		into.SetFloat(v.Number())
	default:
		panic(fmt.Sprintf("a file cannot have a %s", into.Type()))
	}
}

// fill reads a nested mapping.
func (m *Mapping) fill(into reflect.Value, tag reflect.StructTag) {
	view := tag.Get("view")
	if view == "" {
		view = usual
	}
	m.read(into, view, nil)
	m.Done()
}

// list reads a list in the place of what is there.
func (v Value) list(into reflect.Value) {
	entries := v.List()
	if len(entries) == 0 {
		into.SetZero()
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(entries), len(entries)))
	if into.Type().Elem().Kind() == reflect.Struct && !isText(into.Type().Elem()) {
		// Faults of entries that are no mappings come first.
		mappings := make([]*Mapping, len(entries))
		for i, entry := range entries {
			mappings[i] = entry.Mapping()
		}
		for i, m := range mappings {
			setDefaults(into.Index(i))
			m.fill(into.Index(i), "")
		}
		return
	}
	for i, entry := range entries {
		if one := into.Index(i); one.Kind() == reflect.String {
			one.SetString(entry.Word())
		} else {
			entry.read(one, "")
		}
	}
}

func isText(t reflect.Type) bool { return reflect.PointerTo(t).Implements(reflect.TypeFor[Text]()) }

// word is a text, which may have several lines ("|").
func (v Value) word(into reflect.Value) {
	if block, is := v.node.(*ast.LiteralNode); is {
		v.node = block.Value
	}
	if word := v.Word(); !v.doc.broken[v.path] {
		into.SetString(word)
	}
}

// into is a text of its own form. A wrong one is a fault.
func (v Value) into(text Text) {
	if s, is := v.Text(); !is || text.UnmarshalText([]byte(s)) != nil {
		v.Mistyped(text.Wanted())
	}
}

// ReadInto reads the value, as Read does one of a key.
func (v Value) ReadInto(into any) { v.read(reflect.ValueOf(into).Elem(), "") }

// setDefaults sets what an entry of a list has without a word.
func setDefaults(entry reflect.Value) {
	for _, f := range fieldsOf(entry.Type(), usual) {
		text, there := f.tag.Lookup("default")
		if !there {
			continue
		}
		switch of := entry.FieldByIndex(f.index); of.Kind() {
		case reflect.String:
			of.SetString(text)
		case reflect.Int:
			var n int64
			_, _ = fmt.Sscan(text, &n)
			of.SetInt(n)
		}
	}
}
