package text

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
)

// Spreadsheet is a CSV text in which no cell is a formula to a program of spreadsheets: people choose the names of runs
// and of jobs. A cell that begins with one of = + - @ and is no number, or with a tab or a carriage return, gets an
// apostrophe before it (OWASP, "CSV Injection").
func Spreadsheet(table []byte) ([]byte, error) {
	in := csv.NewReader(bytes.NewReader(table))
	in.FieldsPerRecord = -1
	rows, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		for i, cell := range row {
			if isFormula(cell) {
				row[i] = "'" + cell
			}
		}
	}
	var out bytes.Buffer
	err = csv.NewWriter(&out).WriteAll(rows)
	return out.Bytes(), err
}

// isFormula says that a program of spreadsheets may compute the cell.
func isFormula(cell string) bool {
	if cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return false
	}
	_, err := strconv.ParseFloat(cell, 64)
	return err != nil
}
