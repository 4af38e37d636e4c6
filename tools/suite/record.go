package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"os"
	"strconv"
	"time"
)

// record has what came of each "make test-long": .ci/long-tests reads it.
const record = ".ci/long-tests.csv"

// strainRecord is the record of "make strain", which is one of its steps.
const strainRecord = "docs/records/038-strain"

// note adds a row to the record for each step of "make test-long". A commit with uncommitted changes has "+changes" behind it.
func note(ctx context.Context, results []result) error {
	commit, err := output(ctx, "git", "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return err
	}
	// The records themselves are changes once a run was noted.
	changes, err := output(ctx, "git", "status", "--porcelain", "--", ".", ":!"+record, ":!"+strainRecord)
	if err != nil {
		return err
	}
	if changes != "" {
		commit += "+changes"
	}
	file, err := os.OpenFile(record, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	rows := csv.NewWriter(file)
	for _, r := range results {
		if r.step.set == long {
			// Error below returns the error of a row.
			_ = rows.Write(recordRow(commit, time.Now(), r))
		}
	}
	rows.Flush()
	return cmp.Or(rows.Error(), file.Close())
}

// recordRow is commit,date,step,state,took_s,passed,failed.
func recordRow(commit string, at time.Time, r result) []string {
	return []string{
		commit, at.UTC().Format(time.DateOnly), r.step.name, string(r.state), strconv.FormatFloat(r.took.Seconds(), 'f', 0, 64),
		strconv.Itoa(r.tests.passed), strconv.Itoa(r.tests.failed),
	}
}
