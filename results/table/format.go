package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/results/trace"
)

// absent is what people read where a value is unknown.
const absent = "-"

// Column says what people see of the values in a row, and which of them are in
// CSV and JSON.
type Column struct {
	// Title is the heading for people, with its unit: "Waiting time h". None leaves
	// the column out of what people see.
	Title string
	// Names are the columns of the frame that it shows and that CSV and JSON have
	// under these names: "waiting_mean_h", "waiting_std_h". None leaves the column
	// out of both.
	Names []string
	// Rank orders columns by importance: a narrow screen shows columns of the lowest ranks, which may be below 0. Columns
	// of one rank other than 0 are shown together or not at all.
	Rank int
	// Detail columns are in the wide view alone.
	Detail bool
	// Identity columns tell which thing a row is of.
	Identity bool
	// Symbol says that the title stands for the word of all rows: "A = backfill".
	Symbol bool
	// Literal words are values of JSON: true, or a number with more digits than
	// a float64 holds.
	Literal bool
	// Left aligns to the left, as words are; numbers go to the right.
	Left bool
	// Show writes the value for people; without it they see the word in the first
	// of Names.
	Show func(Row) string
}

// Ranked is the column with a rank.
func (c Column) Ranked(rank int) Column {
	c.Rank = rank
	return c
}

// AsIdentity is the column as one that names the thing of a row.
func (c Column) AsIdentity() Column {
	c.Identity = true
	return c
}

// AsSymbol is the column as one that names the thing of a row, whose title stands for its word.
func (c Column) AsSymbol() Column {
	c.Identity, c.Symbol = true, true
	return c
}

// Words is a column of words.
func Words(title, name string) Column { return Column{Title: title, Names: []string{name}, Left: true} }

// Backend is a column of backends, whose form and series the frame has as "backend" and "slurm".
func Backend() Column {
	return Column{Title: "Backend", Names: []string{"backend", "slurm"}, Identity: true, Left: true, Show: func(r Row) string {
		return trace.Backend{Form: r.Word("backend"), Series: r.Word("slurm")}.BackendName()
	}}
}

// Numbers is a column of numbers with so many decimals.
func Numbers(title, name string, decimals int) Column {
	return Column{Title: title, Names: []string{name}, Show: func(r Row) string { return Fixed(r.Number(name), decimals) }}
}

// MeanStds is a column "mean ± standard deviation".
func MeanStds(title, mean, std string, decimals int) Column {
	return Column{Title: title, Names: []string{mean, std}, Show: func(r Row) string {
		return meanStd(r.Number(mean), r.Number(std), decimals)
	}}
}

// Intervals is a column "[low, high]", with the word none where there is no
// interval.
func Intervals(title, low, high string, decimals int, none string) Column {
	return Column{Title: title, Names: []string{low, high}, Show: func(r Row) string {
		if math.IsNaN(r.Number(low)) {
			return none
		}
		return fmt.Sprintf("[%s, %s]", Fixed(r.Number(low), decimals), Fixed(r.Number(high), decimals))
	}}
}

// Fixed formats v with the given number of decimals, never as "-0.00", and "-" for
// an unknown one.
func Fixed(v float64, decimals int) string {
	if math.IsNaN(v) {
		return absent
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

func meanStd(mean, std float64, decimals int) string {
	if math.IsNaN(mean) {
		return absent
	}
	return Fixed(mean, decimals) + " ± " + Fixed(std, decimals)
}

func outOf(part, whole float64) string {
	if math.IsNaN(part) {
		return absent
	}
	return Fixed(part, 0) + "/" + Fixed(whole, 0)
}

func exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
