package records

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// ParquetMagic begins a file of Parquet.
const ParquetMagic = "PAR1"

// mostParquet bounds what is held in memory: what the columns are stands at the end of such a file.
const mostParquet = 2 << 30

// parquetRows are the rows of a file of Parquet, whose lists are left out.
type parquetRows struct {
	groups []parquet.RowGroup
	rows   parquet.Rows
	buffer []parquet.Row
	filled int
	at     int
	row    int
	// want is the number of rows that the file says to have.
	want int64
	// leaves are the columns of the rows by the columns of the file, -1 for a list; texts write the values of these columns.
	leaves []int
	texts  []func(parquet.Value) string
	Names  []string
}

// NewParquet reads a file of Parquet.
func NewParquet(name string, in io.Reader) (*parquetRows, error) {
	data, err := io.ReadAll(io.LimitReader(in, mostParquet+1))
	if err != nil {
		return nil, err
	}
	if len(data) > mostParquet {
		return nil, fmt.Errorf("%s: got more than %d GiB of Parquet, allowed %d", name, mostParquet>>30, mostParquet>>30)
	}
	rows := &parquetRows{buffer: make([]parquet.Row, 64)}
	if err := rows.open(data); err != nil {
		return nil, fmt.Errorf("%s: parquet: %w", name, err)
	}
	return rows, nil
}

// open finds the columns of a file.
func (p *parquetRows) open(data []byte) (err error) {
	defer damaged(&err)
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	p.groups, p.want = file.RowGroups(), file.NumRows()
	for _, path := range file.Schema().Columns() {
		leaf, _ := file.Schema().Lookup(path...)
		if leaf.MaxRepetitionLevel > 0 {
			p.leaves = append(p.leaves, -1)
		} else {
			p.leaves = append(p.leaves, len(p.Names))
			p.Names = append(p.Names, strings.Join(path, "."))
		}
		p.texts = append(p.texts, textOf(leaf.Node))
	}
	return nil
}

// damaged makes an error of a panic: the library trusts the lengths and offsets in a file, and a damaged one would end the program.
func damaged(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("got a damaged file (%v)", p)
	}
}

// textOf returns what writes the values of a column: times as seconds of Unix, decimals with their point, others as the library does
// (LogicalTypes.md of parquet-format).
func textOf(n parquet.Node) func(parquet.Value) string {
	if n.Type().Kind() == parquet.Int96 {
		return int96Time
	}
	logical := n.Type().LogicalType()
	if logical == nil {
		return parquet.Value.String
	}
	switch is := logical.Value.(type) {
	case *format.TimestampType:
		if is.Unit.Value == nil {
			return parquet.Value.String
		}
		perSecond := float64(time.Second) / float64(is.Unit.Value.Duration())
		return func(v parquet.Value) string { return seconds64(float64(v.Int64()) / perSecond) }
	case *format.DateType:
		// "the number of days from the Unix epoch"
		return func(v parquet.Value) string { return seconds64(float64(v.Int32()) * secondsOfDay) }
	case *format.DecimalType:
		return func(v parquet.Value) string { return decimal(v, int(is.Scale)) }
	}
	return parquet.Value.String
}

const secondsOfDay = 24 * 60 * 60

func seconds64(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) }

// int96Time is a time as Impala and Spark wrote it before Parquet had timestamps: nanoseconds of the day, then the Julian day.
func int96Time(v parquet.Value) string {
	const unix = 2_440_588 // the Julian day of 1970-01-01
	i := v.Int96()
	return seconds64((float64(i[2])-unix)*secondsOfDay + float64(i.Int64())/float64(time.Second))
}

// decimal is an unscaled whole number, in bytes "using big-endian two's complement" if it is one of any length, with its point.
func decimal(v parquet.Value, scale int) string {
	unscaled := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		unscaled.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		unscaled.SetInt64(v.Int64())
	default:
		text := v.ByteArray()
		if unscaled.SetBytes(text); len(text) > 0 && text[0] >= 0x80 {
			unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(text))))
		}
	}
	if scale <= 0 {
		return unscaled.String()
	}
	digits := unscaled.Text(10)
	sign := ""
	if rest, is := strings.CutPrefix(digits, "-"); is {
		sign, digits = "-", rest
	}
	if short := scale + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

// Next returns a row; its line is the number of the row, from 1.
func (p *parquetRows) Next() ([]string, int, error) {
	for p.at == p.filled {
		if err := p.fill(); err != nil {
			return nil, 0, err
		}
	}
	fields := make([]string, len(p.Names))
	for _, v := range p.buffer[p.at] {
		c := v.Column()
		switch at := p.leaves[c]; {
		case at < 0 || v.IsNull():
		default:
			fields[at] = p.texts[c](v)
		}
	}
	p.at++
	p.row++
	return fields, p.row, nil
}

// fill reads further rows, io.EOF after the last ones.
func (p *parquetRows) fill() error {
	switch {
	case p.rows != nil || len(p.groups) > 0:
	case int64(p.row) != p.want:
		return fmt.Errorf("parquet: got %d rows, allowed %d, as the file says", p.row, p.want)
	default:
		return io.EOF
	}
	n, err := p.read()
	p.at, p.filled = 0, n
	if errors.Is(err, io.EOF) {
		err, p.rows = p.rows.Close(), nil
	}
	if err != nil {
		return fmt.Errorf("parquet: row %d: %w", p.row+1, err)
	}
	return nil
}

// read reads rows of the first group that has any left.
func (p *parquetRows) read() (n int, err error) {
	defer damaged(&err)
	if p.rows == nil {
		p.rows, p.groups = p.groups[0].Rows(), p.groups[1:]
	}
	return p.rows.ReadRows(p.buffer)
}
