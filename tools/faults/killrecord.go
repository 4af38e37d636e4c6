package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
)

// killsName is the file of the record: a row for each kill.
const killsName = "kills.csv"

// killRow is a row of the record, each value under the name of its column.
type killRow map[string]string

// killColumns are the columns of the record. undisturbed_s is how long the same commands take without a kill, instant_s
// when the kill was. exits has the exit code of each command and the end of what it said.
func killColumns() []string {
	return []string{"commit", "seed", "number", "kind", "backend", "policy", "undisturbed_s", "instant_s", "during", "victim", "exits", "broken"}
}

// readKills returns the rows of a record; one that is not there has none.
func readKills(path string) ([]killRow, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(lines) == 0 || !slices.Equal(lines[0], killColumns()) {
		return nil, fmt.Errorf("%s: want the columns %s first", path, strings.Join(killColumns(), ","))
	}
	var rows []killRow
	for _, cells := range lines[1:] {
		row := killRow{}
		for i, name := range killColumns() {
			row[name] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// addKill appends a row. A kill of a number that has a row already was played again.
func addKill(path string, row killRow) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	var cells []string
	for _, name := range killColumns() {
		cells = append(cells, row[name])
	}
	lines := [][]string{cells}
	if info, statErr := file.Stat(); statErr == nil && info.Size() == 0 {
		lines = [][]string{killColumns(), cells}
	}
	var text strings.Builder
	err = csv.NewWriter(&text).WriteAll(lines)
	if err == nil {
		_, err = io.WriteString(file, text.String())
	}
	return errors.Join(err, file.Close())
}

// lastKills are the rows in which each kill was played the last time, without those that found nothing to kill.
func lastKills(rows []killRow) []killRow {
	var last []killRow
	for i, row := range rows {
		later := slices.ContainsFunc(rows[i+1:], func(r killRow) bool { return r["seed"] == row["seed"] && r["number"] == row["number"] })
		if !later && row["victim"] != "" {
			last = append(last, row)
		}
	}
	return last
}

// killing holds the flags of "faults kills".
type killing struct {
	*campaign
	kills    int
	record   string
	numbers  []uint
	backends []string
}

func killsCommand(c *campaign) *cobra.Command {
	k := killing{campaign: c}
	cmd := &cobra.Command{
		Use:   "kills",
		Short: "Kill random processes at random instants of random runs",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return k.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.IntVar(&k.kills, "kills", 200, "play until the record has so many kills of the seed")
	f.StringVar(&k.record, "record", "docs/records/016-faults/"+killsName, "CSV file with a row for each kill; kills that it has are not played again")
	f.UintSliceVar(&k.numbers, "numbers", nil, "play the kills of these numbers (again)")
	f.StringSliceVar(&k.backends, "backends", check.Backends(), "play kills on these backends alone, by the last word of the cells")
	return cmd
}

func (k *killing) run(ctx context.Context) error {
	if err := os.MkdirAll(k.out, 0o755); err != nil {
		return err
	}
	var err error
	if k.out, err = filepath.Abs(k.out); err == nil {
		err = k.furnish()
	}
	if err != nil {
		return err
	}
	commit, err := k.commit(ctx)
	if err != nil {
		return err
	}
	rows, err := readKills(k.record)
	if err != nil {
		return err
	}
	began := time.Now()
	var played []killRow
	for number := range k.next(rows) {
		if ctx.Err() != nil || k.most > 0 && time.Since(began) > k.most {
			break
		}
		row, err := k.one(ctx, rows, draw(k.seed, number), commit)
		if err != nil {
			return err
		}
		if err = addKill(k.record, row); err != nil {
			return err
		}
		rows, played = append(rows, row), append(played, row)
	}
	return k.tell(rows, played)
}

// next yields the numbers to play: those that were named, or those without a row until there are enough kills.
func (k *killing) next(rows []killRow) func(yield func(uint64) bool) {
	seed := strconv.FormatUint(k.seed, 10)
	return func(yield func(uint64) bool) {
		if len(k.numbers) > 0 {
			for _, number := range k.numbers {
				if !yield(uint64(number)) {
					return
				}
			}
			return
		}
		of := func(row killRow) bool { return row["seed"] == seed }
		enough := len(slices.DeleteFunc(lastKills(rows), func(row killRow) bool { return !of(row) }))
		for number := uint64(1); enough < k.kills; number++ {
			has := slices.ContainsFunc(rows, func(row killRow) bool { return of(row) && row["number"] == strconv.FormatUint(number, 10) })
			if has || !slices.Contains(k.backends, draw(k.seed, number).slurm) {
				continue
			}
			if !yield(number) {
				return
			}
			enough++
		}
	}
}

// commit is the revision that slurmlab was built from.
func (k *killing) commit(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, k.stage.Slurmlab, "version").Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", k.stage.Slurmlab, err)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	_, rest, _ := strings.Cut(first, "(revision ")
	return strings.TrimSuffix(rest, ")"), nil
}

// one plays a kill and returns its row.
func (k *killing) one(ctx context.Context, rows []killRow, drawn kill, commit string) (killRow, error) {
	whole, err := k.undisturbed(ctx, rows, drawn)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(k.out, "kills", drawn.name())
	if err = os.RemoveAll(dir); err != nil {
		return nil, err
	}
	p, took, err := playKill(ctx, k.stage, drawn, dir, whole)
	if err != nil {
		return nil, err
	}
	if p.victim == "" {
		// The commands were over before the instant: this machine is faster than the one of the record.
		whole = took
	}
	row := killRow{
		"commit": commit, "seed": strconv.FormatUint(drawn.seed, 10), "number": strconv.FormatUint(drawn.number, 10), "kind": string(drawn.kind),
		"backend": drawn.slurm, "policy": drawn.policy, "undisturbed_s": fmt.Sprintf("%.1f", whole.Seconds()), "instant_s": fmt.Sprintf("%.2f", p.at.Seconds()),
		"during": p.during, "victim": p.victim, "exits": strings.ReplaceAll(p.outcome(), k.out, "OUT"), "broken": strings.ReplaceAll(broken(p.broken), k.out, "OUT"),
	}
	fmt.Fprintf(os.Stderr, "%s %s %s %s, %s killed at %s s of %s: %s\n", drawn.name(), drawn.kind, drawn.slurm, drawn.policy, row["victim"], row["instant_s"], row["during"], row["exits"])
	for _, b := range p.broken {
		fmt.Fprintf(os.Stderr, "    BROKEN %s\n", b)
	}
	if len(p.broken) == 0 {
		// The files of one that broke a promise stay to be read.
		err = os.RemoveAll(dir)
	}
	return row, err
}

// undisturbed is how long the commands of a kill take: what the record has of the same setting, or a measurement, in
// which nothing may be broken.
func (k *killing) undisturbed(ctx context.Context, rows []killRow, drawn kill) (time.Duration, error) {
	for _, row := range slices.Backward(rows) {
		if row["kind"] == string(drawn.kind) && row["backend"] == drawn.slurm {
			seconds, err := strconv.ParseFloat(row["undisturbed_s"], 64)
			return time.Duration(seconds * float64(time.Second)), err
		}
	}
	dir := filepath.Join(k.out, "kills", "undisturbed")
	if err := os.RemoveAll(dir); err != nil {
		return 0, err
	}
	p, took, err := playKill(ctx, k.stage, drawn, dir, 0)
	if err == nil && (len(p.broken) > 0 || !p.smooth()) {
		err = fmt.Errorf("without a kill: %s; %s: see %s", p.outcome(), broken(p.broken), dir)
	}
	return took, err
}

// tell counts the kills of the record.
func (k *killing) tell(rows, played []killRow) error {
	text, failed := countKills(rows)
	fmt.Fprintf(os.Stderr, "%d kills played now, %s has: %s\n", len(played), k.record, text)
	if failed > 0 {
		return errBroken
	}
	return nil
}

// countKills counts the kills of a record, each as it was played last, in a sentence for its page.
func countKills(rows []killRow) (sentence string, failed int) {
	last := lastKills(rows)
	victims := map[string]bool{}
	for _, row := range last {
		victims[row["victim"]] = true
		if row["broken"] != "" {
			failed++
		}
	}
	return fmt.Sprintf("%d kills of %d kinds of processes, of which %d broke an invariant.", len(last), len(victims), failed), failed
}
