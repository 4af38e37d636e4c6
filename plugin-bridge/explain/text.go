package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/slurmlab/slurmlab/internal/text"
)

// How much of a list a person reads; JSON has all of it.
const (
	textBids   = 6
	textRivals = 5
	textNeeds  = 4
	textSpans  = 12
)

// WriteText writes the explanation for a terminal.
func WriteText(w io.Writer, e Explanation) error {
	var out strings.Builder
	fmt.Fprintf(&out, "Job %d of %s (%s, %s): %s\n", e.Job, e.Run, e.Policy, e.Status, e.Request)
	writeTimes(&out, e)
	if e.AtSubmission != nil {
		fmt.Fprintf(&out, "\nA model of Slurm's backfill, from time limits, when the job was submitted:\n")
		writeBackfill(&out, *e.AtSubmission)
		fmt.Fprintf(&out, "Slurm does not record why its backfill decided as it did.\n")
		_, err := io.WriteString(w, out.String())
		return err
	}
	if e.bySchedule {
		writeWaits(&out, e)
		_, err := io.WriteString(w, out.String())
		return err
	}
	switch {
	case e.inOrder:
		fmt.Fprintf(&out, "\nUnder %s a job starts once every job before it has started and what it asks for is free.\n", e.Policy)
	case len(e.Stretches) == 0:
		out.WriteString("\nIt was in no auction that was recorded: it had not been submitted, or waited for other jobs (--dependency).\n")
	default:
		writeStretches(&out, e.Stretches)
	}
	if e.Truncated {
		out.WriteString("The record ends in the middle of a cycle: the run was killed.\n")
	}
	if e.Cycle != nil {
		writeCycle(&out, *e.Cycle)
	}
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("write explanation: %w", err)
	}
	return nil
}

func writeTimes(out *strings.Builder, e Explanation) {
	if e.Submitted == nil {
		out.WriteString("Slurm's accounting does not know it.\n")
		return
	}
	fmt.Fprintf(out, "submitted at %s", seconds(*e.Submitted))
	if e.Started != nil {
		fmt.Fprintf(out, ", started at %s after %s", seconds(*e.Started), seconds(*e.Started-*e.Submitted))
	} else {
		out.WriteString(", not started")
	}
	if e.Ended != nil {
		fmt.Fprintf(out, ", ended at %s (%s)", seconds(*e.Ended), e.State)
	}
	out.WriteByte('\n')
}

// writeWaits writes what a job waited for under Slurm's own scheduler: the longest parts, in the order of their times.
func writeWaits(out *strings.Builder, e Explanation) {
	if len(e.WaitedFor) == 0 {
		out.WriteString("\nIt did not wait.\n")
		return
	}
	shown := slices.Clone(e.WaitedFor)
	slices.SortStableFunc(shown, func(a, b WaitSpan) int { return cmp.Compare(b.To-b.From, a.To-a.From) })
	left := shown[min(textSpans, len(shown)):]
	shown = shown[:min(textSpans, len(shown))]
	slices.SortFunc(shown, func(a, b WaitSpan) int { return cmp.Compare(a.From, b.From) })
	out.WriteString("\nWhat it waited for, by the starts, ends and nodes that sacct has:\n\n")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "FROM\tTO\tWHY")
	for _, s := range shown {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", seconds(s.From), seconds(s.To), s.Why)
	}
	_ = table.Flush() // into memory
	if len(left) > 0 {
		sum := 0.0
		for _, s := range left {
			sum += s.To - s.From
		}
		fmt.Fprintf(out, "and %s of %s in all; --format json has them\n", text.Plural(len(left), "shorter part"), seconds(sum))
	}
	out.WriteString("\nNot recorded: how many cores of each node a job had (an equal part is taken), who held licences,\n" +
		"and why Slurm's backfill decided as it did. Reservations and limits that changed in the run are not looked at.\n")
	if e.uneven {
		out.WriteString("At its start too little seems free, so jobs lay unevenly on nodes or a limit had changed: it waited less for nodes and limits than this says.\n")
	}
}

func writeStretches(out *strings.Builder, all []CycleSpan) {
	out.WriteByte('\n')
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "CYCLES\tTIME\tWHAT\tWHY")
	for _, s := range all {
		cycles, times := fmt.Sprint(s.First), seconds(s.From)
		if s.Last > s.First {
			cycles, times = fmt.Sprintf("%d-%d", s.First, s.Last), seconds(s.From)+" to "+seconds(s.To)
		}
		reason := s.Reason
		if len(s.Rivals) > 0 {
			verb := "; taken by "
			if s.Outcome == NoBids {
				verb = "; held by "
			}
			reason += verb + rivalText(s.Rivals)
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", cycles, times, strings.ReplaceAll(string(s.Outcome), "_", " "), reason)
	}
	_ = table.Flush() // into memory
}

func rivalText(rivals []Rival) string {
	var parts []string
	for _, r := range rivals[:min(textRivals, len(rivals))] {
		parts = append(parts, fmt.Sprint(r.Job))
	}
	text := "jobs " + strings.Join(parts, ", ")
	if len(rivals) == 1 {
		text = "job " + parts[0]
	}
	return text + more(len(rivals), textRivals)
}

func more(n, shown int) string {
	if n <= shown {
		return ""
	}
	return fmt.Sprintf(" and %d more", n-shown)
}

func writeCycle(out *strings.Builder, c JobCycle) {
	fmt.Fprintf(out, "\nCycle %d at %s, place %d of the queue, %s in the window: %s\n  %s\n", c.Cycle, seconds(c.Time), c.Position,
		text.Plural(c.Window, "job"), strings.ReplaceAll(string(c.Outcome), "_", " "), c.Reason)
	if c.Weight > 0 {
		fmt.Fprintf(out, "  fair share weighs it by %.3g, which orders the queue and, under the objective value, is a factor of its value\n", c.Weight)
	}
	if c.Dropped > 0 && len(c.Bids) > 0 {
		fmt.Fprintf(out, "  the limits on bids left out %s of the job\n", text.Plural(c.Dropped, "candidate"))
	}
	for _, n := range c.Needs[:min(textNeeds, len(c.Needs))] {
		fmt.Fprintf(out, "  - %s\n", n.text())
	}
	if n := len(c.Needs) - textNeeds; n > 0 {
		fmt.Fprintf(out, "  - and %s\n", text.Plural(n, "other way"))
	}
	if len(c.Bids) > 0 {
		fmt.Fprintf(out, "\nIts bids (solver: %s%s):\n", c.Solver, gapText(c.Gap))
		for _, b := range c.Bids[:min(textBids, len(c.Bids))] {
			writeBid(out, b)
		}
		if n := len(c.Bids) - textBids; n > 0 {
			fmt.Fprintf(out, "  and %s; --format json has all\n", text.Plural(n, "more bid"))
		}
	}
	if r := c.Relaxed; r != nil {
		fmt.Fprintf(out, "Prices are approximate multipliers of the relaxed program; their bound %.6g lies %.2g %% above the winners' %.6g.\n",
			r.Bound, 100*r.Gap, r.Value)
	}
	if len(c.Backfill) > 0 {
		out.WriteString("\nWhat backfill would have done then, by a model from time limits:\n")
		for _, b := range c.Backfill {
			writeBackfill(out, b)
		}
	}
}

func gapText(gap float64) string {
	if gap < 0 {
		return ""
	}
	return fmt.Sprintf(", gap %.2g %%", 100*gap)
}

func writeBid(out *strings.Builder, b JobBid) {
	gpus := ""
	if b.GPUs > 0 {
		gpus = fmt.Sprintf(" GPUs %d", b.GPUs)
	}
	fmt.Fprintf(out, "  %s %s cores %s%s: F %.3f, value %.4g, price %.4g, reduced %.4g", b.Class, b.Nodes, b.Cores, gpus,
		b.Preference, b.Value, b.Price, b.Reduced)
	if b.Won {
		out.WriteString(", won")
	}
	out.WriteByte('\n')
	for _, s := range b.Short {
		what, on := s.what(), " of licence "+s.Where
		if strings.Contains(s.Where, " ") {
			// No licence has a blank in its name, and each limit has one.
			what, on = "room", " within the limit "+s.Where
		}
		if s.Nodes > 0 {
			on = fmt.Sprintf(" on %s (%s)", s.Where, text.Plural(s.Nodes, "node"))
		}
		fmt.Fprintf(out, "      %s%s", what, on)
		if s.ReservedFor > 0 {
			fmt.Fprintf(out, " from %s on", seconds(s.ReservedAt))
		}
		fmt.Fprintf(out, ": wanted %d, free %d, left %d", s.Wanted, s.Free, s.Left)
		for i, t := range s.Takers[:min(textRivals, len(s.Takers))] {
			separator := ", "
			if i == 0 {
				separator = "; "
			}
			fmt.Fprintf(out, "%sjob %d took %d", separator, t.Job, t.Amount)
		}
		fmt.Fprintf(out, "%s\n", more(len(s.Takers), textRivals))
	}
	if len(b.Dearest) > 0 {
		var rows []string
		for _, d := range b.Dearest {
			rows = append(rows, fmt.Sprintf("%s %.3g", d.What, d.Price))
		}
		fmt.Fprintf(out, "      dearest: %s\n", strings.Join(rows, ", "))
	}
}

func writeBackfill(out *strings.Builder, b Backfill) {
	if b.Ignores != "" {
		b.Model += ", without " + b.Ignores
	}
	switch {
	case b.Start == nil:
		fmt.Fprintf(out, "  %s: would never start it\n", b.Model)
		return
	case *b.Start <= b.Time:
		fmt.Fprintf(out, "  %s: would have started it at once on %s\n", b.Model, b.Nodes)
		return
	}
	fmt.Fprintf(out, "  %s: could not start it; would have reserved %s from %s on (%s later)", b.Model, b.Nodes,
		seconds(*b.Start), seconds(*b.Start-b.Time))
	for _, l := range []struct {
		what string
		jobs []int
	}{{"when running %s may have ended", b.After}, {"behind the queue's %s", b.Behind}} {
		if len(l.jobs) > 0 {
			shown := l.jobs[:min(textRivals, len(l.jobs))]
			what := "job "
			if len(l.jobs) > 1 {
				what = "jobs "
			}
			list := strings.ReplaceAll(strings.Trim(fmt.Sprint(shown), "[]"), " ", ", ")
			fmt.Fprintf(out, ", "+l.what, what+list+more(len(l.jobs), textRivals))
		}
	}
	out.WriteByte('\n')
}

// seconds writes a time of the run, "1m40s".
func seconds(s float64) string {
	return (time.Duration(s * float64(time.Second))).Round(time.Second).String()
}
