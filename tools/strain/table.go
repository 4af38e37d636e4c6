package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// table is the directory of the record: runs.csv has a row for each run, and versions.csv counts them.
type table string

func (t table) runs() string   { return filepath.Join(string(t), "runs.csv") }
func (t table) counts() string { return filepath.Join(string(t), "versions.csv") }

// setting is what runs have in common that are counted together.
type setting struct{ version, core, load string }

// entry is a row of runs.csv.
type entry struct {
	date string
	setting
	seed            uint64
	backend, policy string
	verdict
}

// run is the name of the entry's cell.
func (e entry) run() string { return fmt.Sprintf("%s-%s-seed%d", e.backend, e.policy, e.seed) }

// header names the columns of runs.csv; what is off is separated by "; ".
func header() []string {
	return []string{"date", "version", "core", "load", "seed", "backend", "policy", "status", "reason", "off", "told", "fault"}
}

func (e entry) cells() []string {
	return []string{
		e.date, e.version, e.core, e.load, strconv.FormatUint(e.seed, 10), e.backend, e.policy, e.status, e.reason,
		strings.Join(e.off, "; "), string(e.told), e.fault,
	}
}

func newEntry(cells []string) (entry, error) {
	seed, err := strconv.ParseUint(cells[4], 10, 64)
	e := entry{
		cells[0], setting{cells[1], cells[2], cells[3]}, seed, cells[5], cells[6],
		verdict{status: cells[7], reason: cells[8], told: told(cells[10]), fault: cells[11]},
	}
	if cells[9] != "" {
		e.off = strings.Split(cells[9], "; ")
	}
	return e, err
}

// read returns the entries in their order; a record that is not there has none.
func (t table) read() ([]entry, error) {
	file, err := os.Open(t.runs())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) == 0 || !slices.Equal(rows[0], header()) {
		return nil, fmt.Errorf("%s: %d rows, want one with the columns %s first: %w", t.runs(), len(rows), strings.Join(header(), ","), err)
	}
	var all []entry
	for i, cells := range rows[1:] {
		e, err := newEntry(cells)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", t.runs(), i+2, err)
		}
		all = append(all, e)
	}
	return all, nil
}

// add appends an entry. A row is written at once: runs that end at the same time do not mix their rows.
func (t table) add(e entry) error {
	if err := os.MkdirAll(string(t), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(t.runs(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	rows := [][]string{e.cells()}
	if err == nil && info.Size() == 0 {
		rows = [][]string{header(), e.cells()}
	}
	var text strings.Builder
	err = errors.Join(err, csv.NewWriter(&text).WriteAll(rows))
	if err == nil {
		_, err = io.WriteString(file, text.String())
	}
	return errors.Join(err, file.Close())
}

// counted are the runs of one setting.
type counted struct {
	setting
	// first and last are the days of the first and the last of them.
	first, last string
	result
}

// count counts entries by setting, in the order in which settings came.
func count(all []entry) []counted {
	var list []counted
	for _, e := range all {
		i := slices.IndexFunc(list, func(c counted) bool { return c.setting == e.setting })
		if i < 0 {
			i, list = len(list), append(list, counted{setting: e.setting, first: e.date})
		}
		list[i].last = e.date
		list[i].add(e.run(), e.verdict)
	}
	return list
}

// writeCounts writes versions.csv.
func (t table) writeCounts(all []counted) error {
	rows := [][]string{{"version", "core", "load", "first day", "last day", "runs", "with a late job", "of which said so", "disagree with sacct", "incomplete"}}
	for _, c := range all {
		row := []string{c.version, c.core, c.load, c.first, c.last}
		for _, n := range []int{c.runs, c.off, c.said, len(c.faulty), c.incomplete} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, row)
	}
	return write(t.counts(), func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) })
}
