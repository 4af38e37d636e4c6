package report

import (
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// rules tells QOS, accounts with their users and their usage, licences, reservations, and whether there is a job_submit.lua.
func (d *Description) rules(l layout.Layout) error {
	var rows [][]string
	for _, q := range l.QOS {
		factor := ""
		if q.UsageFactor != 0 {
			factor = strconv.FormatFloat(q.UsageFactor, 'g', -1, 64)
		}
		rows = append(rows, []string{q.Name, orNone(countText(q.Priority)), orNone(factor), orNone(strings.Join(q.Flags, ",")), limitsText(q.Limits.OfQOS())})
	}
	if err := d.tableOf([]Heading{{"QOS", 0}, {"priority", 1}, {"usage factor", 2}, {"flags", 3}, {"limits", 0}}, rows); err != nil {
		return err
	}
	rows = nil
	for _, a := range l.Accounts {
		rows = append(rows, []string{a.Name, orRoot(a.Parent), sharesText(a.Shares), none, orNone(strings.Join(a.QOS, ",")), limitsText(a.Limits.OfAssociation())})
		for _, u := range a.Users {
			rows = append(rows, []string{"user " + u.Name, a.Name, sharesText(u.Shares), orNone(countText(u.Usage)), none, limitsText(u.Limits.OfAssociation())})
		}
	}
	if err := d.tableOf([]Heading{{"account", 0}, {"parent", 0}, {"shares", 1}, {"usage", 1}, {"QOS", 2}, {"limits", 0}}, rows); err != nil {
		return err
	}
	if text := l.LicensesLine(); text != "" {
		d.WriteString("\n")
		d.Line("licences: %s", text)
	}
	rows = nil
	for _, r := range l.Reservations {
		nodes := r.Nodes
		if nodes == "" {
			nodes = "any " + strconv.Itoa(r.Count)
		}
		seconds := func(n int) string { return (time.Duration(n) * time.Second).String() }
		rows = append(rows, []string{
			r.Name, nodes, seconds(r.Start), seconds(r.Duration), orNone(strings.Join(r.Users, ",")), orNone(strings.Join(r.Accounts, ",")), orNone(strings.Join(r.Flags, ",")),
		})
	}
	if err := d.tableOf([]Heading{{"reservation", 0}, {"nodes", 0}, {"start", 0}, {"duration", 0}, {"users", 1}, {"accounts", 1}, {"flags", 2}}, rows); err != nil || l.JobSubmit == "" {
		return err
	}
	d.WriteString("\n")
	d.Line("job_submit.lua of the site: %d lines", strings.Count(l.JobSubmit, "\n"))
	return nil
}

// tableOf is a table below an empty line, if there are rows.
func (d *Description) tableOf(columns []Heading, rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	d.WriteString("\n")
	return d.Table(columns, rows)
}

func orRoot(parent string) string {
	if parent == "" {
		return layout.RootAccount
	}
	return parent
}

func sharesText(shares int) string { return strconv.Itoa(max(shares, 1)) }

// limitsText has the limits that there are, in the words of sacctmgr.
func limitsText(limits []layout.Limit) string {
	var parts []string
	for _, l := range limits {
		if v := l.Value(); v != "" {
			parts = append(parts, l.Name+"="+v)
		}
	}
	return orNone(strings.Join(parts, " "))
}
