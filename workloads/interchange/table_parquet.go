package interchange

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parquetMagic begins a file of Parquet.
const parquetMagic = "PAR1"

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
	// leaves are the columns of the rows by the columns of the file, -1 for a list; units are those of times per second, 0
	// for other columns.
	leaves []int
	units  []float64
	names  []string
}

// newParquet reads a table in Parquet.
func newParquet(name string, in io.Reader, t *Table) (*tableReader, error) {
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
	return t.reader(name, rows.names, rows)
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
			p.leaves = append(p.leaves, len(p.names))
			p.names = append(p.names, strings.Join(path, "."))
		}
		p.units = append(p.units, perSecond(leaf.Node))
	}
	return nil
}

// damaged makes an error of a panic: the library trusts the lengths and offsets in a file, and a damaged one would end the program.
func damaged(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("got a damaged file (%v)", p)
	}
}

// perSecond is the number of units of a time in a second, 0 for other values.
func perSecond(n parquet.Node) float64 {
	logical := n.Type().LogicalType()
	if logical == nil {
		return 0
	}
	stamp, is := logical.Value.(*format.TimestampType)
	if !is || stamp.Unit.Value == nil {
		return 0
	}
	return float64(time.Second) / float64(stamp.Unit.Value.Duration())
}

// next returns a row; its line is the number of the row, from 1.
func (p *parquetRows) next() ([]string, int, error) {
	for p.at == p.filled {
		if err := p.fill(); err != nil {
			return nil, 0, err
		}
	}
	fields := make([]string, len(p.names))
	for _, v := range p.buffer[p.at] {
		c := v.Column()
		switch at := p.leaves[c]; {
		case at < 0 || v.IsNull():
		case p.units[c] > 0:
			fields[at] = strconv.FormatFloat(float64(v.Int64())/p.units[c], 'f', -1, 64)
		default:
			fields[at] = v.String()
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
