package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// InService says how many nodes, cores and GPUs jobs can have.
func InService(m workloads.Machine) string {
	nodes := 0
	for _, k := range m.NodeKinds() {
		nodes += k.Count
	}
	line := fmt.Sprintf("%s, %s and %s in service", text.Plural(nodes, "node"), text.Plural(m.AllCores(), "core"), text.Plural(m.AllGPUs(), "GPU"))
	if out := m.Nodes - nodes; out > 0 {
		line += fmt.Sprintf(", %s out of service", text.Plural(out, "node"))
	}
	return line
}

// Machine tells the nodes and the partitions.
func (d *Description) Machine(m workloads.Machine) error {
	d.Line("machine %s: %s", m.Name, InService(m))
	if m.Switches.Nodes > 0 {
		d.Line("%s below each leaf switch", text.Plural(m.Switches.Nodes, "node"))
	}
	if list := m.Switches.List; len(list) > 0 {
		var sizes []int
		for _, below := range layout.Leaves(list) {
			sizes = append(sizes, len(below))
		}
		d.Line("switches: %d, with %d to %d nodes below each of %d leaf switches", len(list), slices.Min(sizes), slices.Max(sizes), len(sizes))
	}
	if all := m.Blocks.Of(m.Nodes); len(all) > 0 {
		d.Line("%s of %d to %d nodes", text.Plural(len(all), "block"), slices.Min(all), slices.Max(all))
	}
	l := m.WithLayout().Layout
	running := l.InService()
	var rows [][]string
	for i, g := range l.Groups {
		rows = append(rows, []string{
			g.Name, nodesText(l.First(i), g.Count), strconv.Itoa(g.Count), strconv.Itoa(g.Count - running[i]), strconv.Itoa(g.Cores),
			fmt.Sprintf("%dx%dx%d", g.Sockets, g.Cores/g.Sockets, g.Threads), memoryText(g.Memory), gpusText(g), orNone(strings.Join(g.Features, ",")), strconv.Itoa(g.Weight),
		})
	}
	known := slices.ContainsFunc(l.Groups, func(g layout.Group) bool { return g.Hosts != "" })
	for i := range rows {
		if known {
			rows[i] = append(rows[i], orNone(l.Groups[i].Hosts))
		}
	}
	d.WriteString("\n")
	columns := []Heading{
		{"group", 0}, {"nodes", 0}, {"count", 1}, {"out of service", 3}, {"cores", 0}, {"sockets x cores x threads", 4}, {"memory", 2}, {"GPUs", 0}, {"features", 3}, {"weight", 4},
	}
	if known {
		columns = append(columns, Heading{"hosts", 1})
	}
	if err := d.Table(columns, rows); err != nil {
		return err
	}
	rows = nil
	for _, p := range l.Partitions {
		nodes := 0
		for i, g := range l.Groups {
			for _, name := range p.Groups {
				if g.Name == name {
					nodes += running[i]
				}
			}
		}
		rows = append(rows, []string{
			p.Name, yesNo(p.Default), strings.Join(p.Groups, ","), strconv.Itoa(nodes), minutesText(p.MaxTime), orNone(countText(p.MaxNodes)), strconv.Itoa(p.PriorityTier), strconv.Itoa(p.PriorityJobFactor),
		})
	}
	d.WriteString("\n")
	if err := d.Table([]Heading{
		{"partition", 0}, {"default", 0}, {"groups", 0}, {"nodes in service", 1}, {"longest limit", 1}, {"most nodes", 3}, {"tier", 2}, {"job factor", 3},
	}, rows); err != nil {
		return err
	}
	for _, p := range l.Partitions {
		if len(p.Settings) > 0 {
			d.Line("partition %s has%s", p.Name, p.SettingsLine())
		}
	}
	for _, down := range l.Down {
		d.Line("%s %s from the start: %s", down.Nodes, map[string]string{layout.StateDrain: "is drained", layout.StateDown: "is down"}[down.State], down.Reason)
	}
	return d.rules(l)
}

// nodesText names so many nodes from the first on.
func nodesText(first, count int) string {
	if count == 1 {
		return fmt.Sprintf("n%d", first)
	}
	return fmt.Sprintf("n%d-n%d", first, first+count-1)
}

const none = "-"

func orNone(text string) string {
	if text == "" {
		return none
	}
	return text
}

func countText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// memoryText writes MiB.
func memoryText(mib int) string {
	if mib == 0 {
		return none
	}
	return (workloads.Memory(mib) * workloads.MiB).String()
}

func gpusText(g layout.Group) string {
	var parts []string
	for _, gpu := range g.GPUs {
		parts = append(parts, strings.TrimSuffix(fmt.Sprintf("%dx%s", gpu.Count, gpu.Type), "x"))
	}
	for _, shared := range []struct {
		count int
		name  string
	}{{g.Shards, "shards"}, {g.MPS, "MPS"}} {
		if shared.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", shared.count, shared.name))
		}
	}
	return orNone(strings.Join(parts, ","))
}

// minutesText writes a limit as Slurm does.
func minutesText(minutes int) string {
	if minutes == 0 {
		return "none"
	}
	return text.Minutes(minutes)
}
