package input

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Key is a key of a file: its name and what it means.
type Key struct {
	Name, About string
	// Type and Tag come from its field.
	Type reflect.Type
	Tag  reflect.StructTag
}

// Part is a mapping of a file with the keys that it can have.
type Part struct {
	// Title names the mapping, About may say more of it.
	Title, About string
	// Path is where it is in a file, such as "accounts[0].users[0]", "" for the whole.
	Path string
	Keys []Key
}

// Parts are all parts of a file.
type Parts []Part

// Say replaces placeholders: {X} is what the replacer has for it.
func (all Parts) Say(phrases *strings.Replacer) []Part {
	for _, p := range all {
		for i := range p.Keys {
			p.Keys[i].About = phrases.Replace(p.Keys[i].About)
		}
	}
	return all
}

// Markdown is a text of a tag in Markdown: 'x' is code. An apostrophe stands behind a letter.
func Markdown(about string) string {
	return regexp.MustCompile(`(^|[^\pL])'([^']+)'`).ReplaceAllString(about, "$1`$2`")
}

// meaning is what the key means, whether a file needs it, and what holds without it.
func (f field) meaning() string {
	text := f.about
	if f.tag.Get("need") != "" {
		text += "; this key is needed"
	}
	if byDefault, there := f.tag.Lookup("default"); there {
		if strings.Trim(byDefault, "0123456789") != "" {
			byDefault = "'" + byDefault + "'"
		}
		text += "; " + byDefault + " without it"
	}
	return text
}

// Keys are those that Read reads into a struct, in its order.
func Keys[T any](names ...string) []Key { return View[T](usual, names...) }

// View are the keys of a struct whose meanings are in such a tag.
func View[T any](tag string, names ...string) []Key {
	return slices.DeleteFunc(KeysOf(reflect.TypeFor[T](), tag), func(k Key) bool {
		return len(names) > 0 && !slices.Contains(names, k.Name)
	})
}

// KeysOf is View of a type, of which "" is the usual view.
func KeysOf(t reflect.Type, view string) []Key {
	if view == "" {
		view = usual
	}
	var keys []Key
	for _, f := range fieldsOf(t, view) {
		keys = append(keys, Key{f.key, f.meaning(), t.FieldByIndex(f.index).Type, f.tag})
	}
	return keys
}

// Walk hands over each single value or list that a struct and those within it have, by its path in a file, with its meaning and
// the zero value of its type. What a nested struct means stands before the meanings of its keys.
func Walk[T any](each func(path, about string, zero any)) { walk(reflect.TypeFor[T](), "", "", each) }

func walk(t reflect.Type, path, about string, each func(path, about string, zero any)) {
	for _, f := range fieldsOf(t, usual) {
		of := t.FieldByIndex(f.index).Type
		if of.Kind() == reflect.Struct && !isText(of) {
			walk(of, path+f.key+".", about+f.about, each)
			continue
		}
		each(path+f.key, about+f.about, reflect.Zero(of).Interface())
	}
}
