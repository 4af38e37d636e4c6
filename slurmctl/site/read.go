package site

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// File is a text with the name by which faults and notes call it.
type File struct{ Name, Text string }

// Cluster is what the files say.
type Cluster struct {
	// Name is ClusterName, "" if no file has it.
	Name   string
	Layout layout.Layout
	// LeafNodes is the number of nodes below each leaf switch of neighbours, all of which are below one switch, 0 for another network.
	LeafNodes int
	// Switches are the lines of any other tree, nil for none.
	Switches []layout.Switch
	// Blocks are the numbers of nodes of the blocks (topology/block), in their order, nil for none; BlockSizes are those of topology.conf(5).
	Blocks, BlockSizes []int
	// Settings are the lines of slurm.conf for the whole cluster that decide who runs when and
	// where, and that the layout has not, each key once.
	Settings []ConfLine
	// Notes say what the files have and neither the layout nor Settings has, a sentence each.
	Notes []string
}

// ConfLine is a line of slurm.conf.
type ConfLine struct{ Key, Value string }

// ReadOptions say how files are read.
type ReadOptions struct {
	// Open reads a file that slurm.conf includes, by its name as it stands there or, if that is no
	// absolute path, from the folder of the including file.
	Open func(name string) (string, error)
	// From is the beginning of the run in the time of the site, from which reservations count.
	From time.Time
	// Memory is what nodes without RealMemory get beside others that have it; MedianMemory if empty.
	Memory string
	// AllUsers keeps users with one share and without limits or usage, for a cluster in which people submit jobs by hand. A run
	// makes them as their jobs come.
	AllUsers bool
}

// The values of Options.Memory.
const (
	// MedianMemory gives a node without RealMemory the median of the other nodes.
	MedianMemory = "median"
	// LeastMemory gives it 1 MiB for each core. Slurm's own default is 1 MiB for the node (slurm.conf(5), RealMemory), of which
	// a cluster of slurmlab can give no core its default memory.
	LeastMemory = "least"
)

// MemoryChoices are the values of Options.Memory.
func MemoryChoices() []string { return []string{MedianMemory, LeastMemory} }

// Read makes a cluster of its files. The error has all faults of all files.
func Read(files []File, o ReadOptions) (Cluster, error) {
	r := newReader(files, o)
	// What has the last word is read last.
	var last []func()
	var conf []int
	for i, f := range files {
		shown, ok := r.file(f)
		if !ok {
			conf = append(conf, i)
		}
		if shown != nil {
			last = append(last, shown)
		}
	}
	r.confFiles(conf)
	for _, shown := range last {
		shown()
	}
	licenses, script := r.licenses(), r.submission()
	if len(r.bad) > 0 {
		return Cluster{}, faults.Join(r.bad)
	}
	c := r.cluster()
	c.Layout.Licenses = licenses
	c.Layout.JobSubmit = script
	for _, f := range c.Layout.Faults() {
		of := "the machine of these files"
		if f.Of != "" {
			of += " (" + f.Of + ")"
		}
		r.bad = append(r.bad, faults.Fault{Problem: of + ": " + f.Error()})
	}
	return c, faults.Join(r.bad)
}

// reader collects what the files say.
type reader struct {
	open func(name string) (string, error)
	from time.Time
	// least says that nodes without RealMemory get LeastMemory.
	least bool
	// allUsers is ReadOptions.AllUsers.
	allUsers bool
	// files are the files of the command; of them included says which another one includes.
	files      []File
	included   []bool
	name       string
	nodes      nodeTable
	partitions []*sitePartition
	// places are the indexes in partitions by their names.
	places map[string]int
	// sets are the NodeSet lines, setNumbers their indexes by their names.
	sets       []record
	setNumbers map[string]int
	// downs are DownNodes lines.
	downs, gpus []record
	switches    []record
	// topology is the name of the topology that they are of, see topologyYAML; others are the topologies beside it.
	topology string
	others   []otherTopology
	// reserved are the reservations that scontrol shows.
	reserved []record
	// partitionDefault are the pairs of PartitionName=DEFAULT so far.
	partitionDefault []pair
	settings         []clusterSetting
	// qos, accounts and users are what sacctmgr says; root is the line of the cluster, empty without one.
	qos             []record
	root            record
	accounts, users []association
	// qosNumbers are the indexes in qos by their names.
	qosNumbers map[string]int
	// used is what sshare says that users have used.
	used []userUsage
	// jobSubmit is the site's job_submit.lua.
	jobSubmit string
	// renamed are users and accounts whose names a workload has otherwise.
	renamed map[string]bool
	// inCores is how many numbers of CPUs became numbers of cores.
	inCores int
	notes   []string
	bad     []faults.Fault
	// noted has the notes by the texts before and after the name of a node; failed has what is in bad.
	noted  map[[2]string]bool
	failed map[faults.Fault]bool
}

func newReader(files []File, o ReadOptions) *reader {
	return &reader{
		open: o.Open, from: o.From, least: o.Memory == LeastMemory, allUsers: o.AllUsers, files: files, included: make([]bool, len(files)), nodes: nodeTable{known: map[string]*node{}},
		places: map[string]int{}, setNumbers: map[string]int{}, qosNumbers: map[string]int{}, noted: map[[2]string]bool{}, renamed: map[string]bool{}, failed: map[faults.Fault]bool{},
	}
}

func (r *reader) fail(at fileLine, problem, allowed string) { r.failKey(at, "", problem, allowed) }

// failKey notes what is wrong with the value of a key.
func (r *reader) failKey(at fileLine, key, problem, allowed string) {
	// A line of many nodes has each of its faults once.
	f := faults.Fault{File: at.file, Line: at.line, Field: key, Problem: problem, Allowed: allowed}
	if !r.failed[f] {
		r.failed[f] = true
		r.bad = append(r.bad, f)
	}
}

// wrong is a value of a key that is not allowed.
func (r *reader) wrong(at fileLine, key, value, allowed string) {
	r.failKey(at, key, fmt.Sprintf("got %.60q", value), allowed)
}

func (r *reader) note(format string, args ...any) {
	r.noteOnce(fmt.Sprintf(format, args...), "", "")
}

// noteNode is a note that has the name of a node between two texts, once for all nodes.
func (r *reader) noteNode(before string, n *node, after string) {
	r.noteOnce(before, n.name, after)
}

// noteOnce notes the three texts unless the first and the last were there together.
func (r *reader) noteOnce(before, between, after string) {
	if key := [2]string{before, after}; !r.noted[key] {
		r.noted[key] = true
		r.notes = append(r.notes, before+between+after)
	}
}

// file takes over what a file says, or returns what does that after all other files. ok is false for one in the syntax of slurm.conf.
// What a file is shows in its text: the output of scontrol has keys that no configuration has.
func (r *reader) file(f File) (last func(), ok bool) {
	has := func(pattern string) bool { return regexp.MustCompile(`(?mi)` + pattern).MatchString(f.Text) }
	switch {
	case has(`^\s*function\s+slurm_job_submit\b`) || has(`^\s*slurm_job_submit\s*=`):
		r.jobSubmit = strings.TrimRight(strings.ReplaceAll(f.Text, "\r\n", "\n"), "\n") + "\n"
	case has(`^(QOS|Cluster|Parent|Account|User) - ['"]`):
		r.dump(f)
	case has(`^\s*(-\s*)?topology:\s`):
		return func() { r.topologyYAML(f) }, true
	case isQOSTable(f.Text):
		return func() { r.shownQOS(f) }, true
	case isAssociationTable(f.Text):
		return func() { r.shownAssociations(f) }, true
	case has(`^([^|\n]*\|)*Account\|([^|\n]*\|)*RawUsage(\||\r?$)`) && has(`^([^|\n]*\|)*User(\||\r?$)`):
		r.shownUsage(f)
	case has(`^NodeName=\S+.*\n?.*\bCPUAlloc=`):
		return func() {
			for _, rec := range shownRecords(f, "NodeName") {
				r.shownNode(rec)
			}
		}, true
	case has(`^PartitionName=\S+`) && has(`\bTotalNodes=`):
		return func() {
			for _, rec := range shownRecords(f, "PartitionName") {
				r.partition(rec, true)
			}
		}, true
	case has(`^ReservationName=\S+.*\bStartTime=`):
		if r.from.IsZero() {
			r.fail(fileLine{f.Name, 1}, "got reservations without the beginning of the run, from which they count", "them with --from, a date such as 2026-03-01T12:00:00")
			return nil, true
		}
		r.reserved = append(r.reserved, shownRecords(f, "ReservationName")...)
	case has(`^No reservations in the system`):
	default:
		return nil, false
	}
	return nil, true
}

// otherKind is the fault of a file that is none of those that Read knows.
func (r *reader) otherKind(f File) {
	r.fail(fileLine{f.Name, 1}, "got a file of another kind",
		`slurm.conf, gres.conf, topology.conf, topology.yaml, job_submit.lua, a file of "sacctmgr dump", or what "scontrol show node", "scontrol show partition", "scontrol show reservation", "sacctmgr -P show qos", "sacctmgr -P show assoc" and "sshare -a -P" print`)
}

// conf takes over the lines of slurm.conf.
func (r *reader) conf(lines []record) {
	r.unknownKeys(lines)
	for _, rec := range lines {
		switch {
		case rec.is("NodeName"):
			r.confNode(rec)
		case rec.is("PartitionName"):
			r.partition(rec, false)
		case rec.is("NodeSet"):
			r.nodeSet(rec)
		case rec.is("DownNodes"):
			r.downs = append(r.downs, rec)
		default:
			for _, p := range rec.pairs {
				if strings.EqualFold(p.key, "ClusterName") {
					r.name = p.value
				}
				r.settings = append(r.settings, clusterSetting{rec.fileLine, p})
			}
		}
	}
}

// nodeSet takes a line NodeSet=. Of two with one name Slurm replaces the first.
func (r *reader) nodeSet(rec record) {
	name, _ := rec.value("NodeSet")
	if first, twice := r.setNumbers[name]; twice {
		r.note("%s: NodeSet=%s is left out, as Slurm takes the one of %s", rec.fileLine, name, r.sets[first].fileLine)
		return
	}
	r.setNumbers[name] = len(r.sets)
	r.sets = append(r.sets, rec)
}

// clusterSetting is one of the whole cluster.
type clusterSetting struct {
	fileLine
	pair
}

// setting is the last one of a key, without a value where there is none.
func (r *reader) setting(key string) clusterSetting {
	last := clusterSetting{pair: pair{key: key}}
	for _, s := range r.settings {
		if strings.EqualFold(s.key, key) {
			last = s
		}
	}
	return last
}
