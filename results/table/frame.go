package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Frame holds values under names: a row for each thing, a column of words or of
// numbers for each of its properties. An unknown number is NaN.
type Frame struct{ data dataframe.DataFrame }

// Field is a column of a frame of things of type T.
type Field[T any] struct {
	name   string
	word   func(T) string
	number func(T) float64
}

// Word is a column of words. Control characters in them become spaces, so that a
// name cannot break a line of a table.
func Word[T any](name string, of func(T) string) Field[T] { return Field[T]{name: name, word: of} }

// Number is a column of numbers, NaN where one is unknown.
func Number[T any](name string, of func(T) float64) Field[T] {
	return Field[T]{name: name, number: of}
}

// NewFrame makes a frame with a row for each thing. It is an error when there is
// no field or two have one name.
func NewFrame[T any](things []T, fields ...Field[T]) (Frame, error) {
	columns := make([]series.Series, len(fields))
	for c, field := range fields {
		// gota gets the type, for it would guess.
		if field.number != nil {
			values := make([]float64, len(things))
			for i, thing := range things {
				values[i] = field.number(thing)
			}
			columns[c] = series.New(values, series.Float, field.name)
			continue
		}
		values := make([]string, len(things))
		for i, thing := range things {
			values[i] = clean(field.word(thing))
		}
		columns[c] = series.New(values, series.String, field.name)
	}
	names := make([]string, len(fields))
	for c, field := range fields {
		names[c] = field.name
	}
	// gota would rename the second one.
	if name, twice := repeated(names); twice {
		return Frame{}, fmt.Errorf("make frame: two columns %q", name)
	}
	return checked("make frame", dataframe.New(columns...))
}

// checked returns the error that gota keeps in its frame.
func checked(verb string, data dataframe.DataFrame) (Frame, error) {
	if err := data.Error(); err != nil {
		return Frame{}, fmt.Errorf("%s: %w", verb, err)
	}
	return Frame{data: data}, nil
}

// Join has a row for each pair of a row of f and a row of other that have the same words in the columns on. Rows of f
// keep their order, and for each of them so do rows of other. No other name may be in both.
func (f Frame) Join(other Frame, on ...string) (Frame, error) {
	for _, name := range other.data.Names() {
		if slices.Contains(f.data.Names(), name) && !slices.Contains(on, name) {
			return Frame{}, fmt.Errorf("join frames: both have a column %q", name)
		}
	}
	left, errLeft := f.keyed(on)
	right, errRight := other.keyed(on)
	if err := errors.Join(errLeft, errRight); err != nil {
		return Frame{}, fmt.Errorf("join frames: %w", err)
	}
	return checked("join frames", left.InnerJoin(right.Drop(on), rowKey).Drop(rowKey))
}

// rowKey is a column that no frame has, endOfWord a character that no word has.
const (
	rowKey    = "."
	endOfWord = "\x00"
)

// keyed adds the column rowKey with the words of the columns on, so that rows are joined and grouped by it alone.
// gota compares all keys of all pairs of rows, which takes as many times as long as there are keys. For it the word
// NaN is unknown and equal to no other.
func (f Frame) keyed(on []string) (dataframe.DataFrame, error) {
	for _, name := range on {
		if !slices.Contains(f.data.Names(), name) {
			return dataframe.DataFrame{}, fmt.Errorf("no column %q", name)
		}
	}
	keys := make([]string, f.Rows())
	for i := range keys {
		row := Row{frame: f, Index: i}
		for _, name := range on {
			keys[i] += row.Word(name) + endOfWord
		}
	}
	return f.data.Mutate(series.New(keys, series.String, rowKey)), nil
}

// As is a column that Select takes and the name that it gets.
type As struct{ Column, Name string }

// Select takes columns in the given order, under new names.
func (f Frame) Select(columns ...As) (Frame, error) {
	var from, to []string
	for _, column := range columns {
		from, to = append(from, column.Column), append(to, column.Name)
	}
	data := f.data.Select(from)
	if data.Err == nil {
		data.Err = data.SetNames(to...)
	}
	return checked("select columns", data)
}

// Where keeps the rows with a word in a column.
func (f Frame) Where(column, word string) (Frame, error) {
	return checked("select rows", f.data.Filter(dataframe.F{Colname: column, Comparator: series.Eq, Comparando: word}))
}

// Group is what rows with the same word in a column have in another one.
type Group map[string][]float64

// GroupBy gives, for each word in the column key, the numbers of its rows in the
// columns values, in the order of the rows. A row with an unknown number among
// them is left out.
//
// The statistics of a group are the caller's: gota's own have no intervals, and
// its standard deviation of equal numbers may be a rounding error instead of 0.
func (f Frame) GroupBy(key string, values ...string) (map[string]Group, error) {
	groups := map[string]Group{}
	if f.Rows() == 0 {
		// gota cannot group nothing.
		return groups, nil
	}
	keyed, err := f.keyed([]string{key})
	if err != nil {
		return nil, fmt.Errorf("group rows: %w", err)
	}
	// With one key gota's names of groups are its words. It joins several by "_",
	// and takes "a_b", "c" and "a", "b_c" for the same.
	grouped := keyed.Select(append([]string{rowKey}, values...)).GroupBy(rowKey)
	if grouped.Err != nil {
		return nil, fmt.Errorf("group rows: %w", grouped.Err)
	}
	for word, rows := range grouped.GetGroups() {
		if err := rows.Error(); err != nil {
			return nil, fmt.Errorf("group rows by %s: %w", key, err)
		}
		groups[strings.TrimSuffix(word, endOfWord)] = known(rows, values)
	}
	return groups, nil
}

// known are the numbers of the rows that have all of them.
func known(rows dataframe.DataFrame, values []string) Group {
	group := Group{}
	columns := make([][]float64, len(values))
	for c, value := range values {
		columns[c] = rows.Col(value).Float()
	}
	for i := range rows.Nrow() {
		if slices.ContainsFunc(columns, func(column []float64) bool { return math.IsNaN(column[i]) }) {
			continue
		}
		for c, value := range values {
			group[value] = append(group[value], columns[c][i])
		}
	}
	return group
}

// Rows is the number of rows.
func (f Frame) Rows() int { return f.data.Nrow() }

// Row is a row of a frame.
type Row struct {
	frame Frame
	// Index counts from 0.
	Index int
}

// Word is the word in a column, empty in one that the frame does not have.
func (r Row) Word(name string) string {
	if c := slices.Index(r.frame.data.Names(), name); c >= 0 {
		return r.frame.data.Elem(r.Index, c).String()
	}
	return ""
}

// Number is the number in a column, NaN in one that the frame does not have.
func (r Row) Number(name string) float64 {
	if c := slices.Index(r.frame.data.Names(), name); c >= 0 {
		return r.frame.data.Elem(r.Index, c).Float()
	}
	return math.NaN()
}

// text is the value in a column with all its digits, empty for an unknown number.
func (r Row) text(column int) string {
	element := r.frame.data.Elem(r.Index, column)
	switch {
	case element.Type() == series.String:
		return element.String()
	case element.IsNA():
		return ""
	default:
		return exact(element.Float())
	}
}

// json is the value in a column as JSON, null for an unknown number; a literal word is
// JSON already.
func (r Row) json(column int, literal bool) ([]byte, error) {
	element := r.frame.data.Elem(r.Index, column)
	switch {
	case element.Type() == series.String && literal:
		return []byte(element.String()), nil
	case element.Type() == series.String:
		return json.Marshal(element.String())
	case math.IsNaN(element.Float()) || math.IsInf(element.Float(), 0):
		return []byte("null"), nil
	default:
		return []byte(exact(element.Float())), nil
	}
}

func clean(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, word)
}

// repeated finds a name that is there twice.
func repeated(names []string) (string, bool) {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return name, true
		}
	}
	return "", false
}
