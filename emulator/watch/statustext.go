package watch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/text"
)

// Paragraph is a part of the text: a heading, which may be empty, and what is said
// under it. A reader breaks its lines as the screen is wide.
type Paragraph struct{ Heading, Text string }

// Text tells the cluster in words.
func (c Cluster) Text() []Paragraph {
	all := []Paragraph{
		{"machine", c.size() + ": " + counts(c.NodeStates, "states not known")},
		{"clock", fmt.Sprintf("%s, %s", c.Clock, stamp(c.Now.Virtual))},
		{"scheduler", fmt.Sprintf("%s, %s", c.Policy, c.Priority)},
		{"jobs", counts(c.JobStates, "none")},
	}
	if c.SlurmError != "" {
		all[3].Text = "not known"
	}
	if n := len(c.Restarts); n > 0 {
		last := c.Restarts[n-1]
		all = append(all, Paragraph{"restarts", fmt.Sprintf("%d of daemons; the last: %s died at %s (%s) and did not serve for %.1f s",
			n, last.Daemon, stamp(last.Died), last.How, last.Outage.Seconds())})
	}
	if c.Agent != nil {
		all = append(all, c.Agent.text(c.Now)...)
	} else if c.AgentError == "" {
		all = append(all, Paragraph{"agent", "none: Slurm schedules by itself"})
	}
	for _, j := range c.Stuck {
		all = append(all, Paragraph{"job " + strconv.Itoa(j.Job), "waits: " + j.Reason})
	}
	for _, f := range c.Faults() {
		all = append(all, Paragraph{"FAULT", f})
	}
	return all
}

// size is the machine in words, with each group and the sums where nodes differ.
func (c Cluster) size() string {
	if len(c.Groups) == 0 {
		return fmt.Sprintf("%s of %d cores and %d GPUs", text.Plural(c.Nodes, "node"), c.Cores, c.GPUs)
	}
	var parts []string
	cores, gpus := 0, 0
	for _, g := range c.Groups {
		parts = append(parts, fmt.Sprintf("%s %s of %d cores and %d GPUs", g.Name, text.Plural(g.Nodes, "node"), g.Cores, g.GPUs))
		cores, gpus = cores+g.Nodes*g.Cores, gpus+g.Nodes*g.GPUs
	}
	return fmt.Sprintf("%s with %d cores and %d GPUs (%s)", text.Plural(c.Nodes, "node"), cores, gpus, strings.Join(parts, ", "))
}

func (a *Agent) text(now Moment) []Paragraph {
	since := func(m Moment) string { return ago(now.Real.Sub(m.Real)) + " ago" }
	good := "none yet"
	if g := a.Good; g != nil {
		good = fmt.Sprintf("cycle %d at %s, %s, in %s", g.Number, stamp(g.Ended.Virtual), since(g.Ended), milliseconds(g.TotalMS))
	}
	all := []Paragraph{
		{"agent", fmt.Sprintf("began %s, a cycle every %v", since(a.Began), a.Interval)},
		{"last good", good},
	}
	if d := a.Decision; d != nil {
		text := fmt.Sprintf("cycle %d, %s: %s, %s, %s, solved in %s",
			d.Number, since(d.Ended), text.Plural(d.Window, "job"), text.Plural(d.Bids, "bid"), text.Plural(d.Released, "job")+" released", milliseconds(d.SolveMS))
		if d.Solver != "" {
			text += " (" + d.Solver + ")"
		}
		for _, more := range []struct {
			count int
			what  string
		}{{d.Refused, "refused by Slurm"}, {d.Deferred, "deferred"}} {
			if more.count > 0 {
				text += fmt.Sprintf(", %d %s", more.count, more.what)
			}
		}
		all = append(all, Paragraph{"decided", text})
	}
	failure := "none"
	if e := a.Error; e != nil {
		failure = fmt.Sprintf("cycle %d at %s, %s: %s", e.Cycle, stamp(e.At.Virtual), since(e.At), e.Text)
		if e.Over {
			failure += " (over: later cycles were good)"
		}
	}
	all = append(all, Paragraph{"last error", failure})
	if len(a.HeldByOwner) > 0 {
		ids := make([]string, len(a.HeldByOwner))
		for i, id := range a.HeldByOwner {
			ids[i] = strconv.Itoa(id)
		}
		all = append(all, Paragraph{"held", "by their owners: " + strings.Join(ids, ", ")})
	}
	for _, o := range a.Obstacles {
		all = append(all, Paragraph{"job " + strconv.Itoa(o.Job), "cannot be scheduled: " + o.Reason})
	}
	return all
}

// counts writes "2 RUNNING, 1 PENDING" in small letters, the most first.
func counts(of map[string]int, none string) string {
	words := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(of[b]-of[a], strings.Compare(a, b)) })
	for i, w := range words {
		words[i] = fmt.Sprintf("%d %s", of[w], strings.ToLower(w))
	}
	return cmp.Or(strings.Join(words, ", "), none)
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// ago rounds a time to what one wants to read: seconds, then minutes and so on.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	default:
		return fmt.Sprintf("%d days", int(d.Hours())/24)
	}
}

func milliseconds(ms float64) string {
	if ms < 1000 {
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1000)
}
