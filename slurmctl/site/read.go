package site

import (
	"fmt"
	"path"
	"regexp"
	"slices"
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
	// LeafNodes is the number of nodes below each leaf switch, 0 for a flat network.
	LeafNodes int
	// Settings are the lines of slurm.conf for the whole cluster that decide who runs when and
	// where, and that the layout has not, each key once.
	Settings []Setting
	// Notes say what the files have and neither the layout nor Settings has, a sentence each.
	Notes []string
}

// Setting is a line of slurm.conf.
type Setting struct{ Key, Value string }

// Options say how files are read.
type Options struct {
	// Open reads a file that slurm.conf includes, by its name as it stands there or, if that is no
	// absolute path, from the folder of the including file.
	Open func(name string) (string, error)
	// From is the beginning of the run in the time of the site, from which reservations count.
	From time.Time
}

// Read makes a cluster of its files. The error has all faults of all files.
func Read(files []File, o Options) (Cluster, error) {
	r := reader{open: o.Open, from: o.From, nodes: nodeTable{known: map[string]*node{}}}
	// What has the last word is read last.
	var last []func()
	for _, f := range files {
		if shown := r.file(f); shown != nil {
			last = append(last, shown)
		}
	}
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
	open       func(name string) (string, error)
	from       time.Time
	depth      int
	name       string
	nodes      nodeTable
	partitions []*sitePartition
	// nodesets are NodeSet lines; downs are DownNodes lines.
	nodesets, downs, gpus []record
	switches              []record
	// reserved are the reservations that scontrol shows.
	reserved []record
	// partitionDefault are the pairs of PartitionName=DEFAULT so far.
	partitionDefault []pair
	settings         []clusterSetting
	// qos, accounts and users are what sacctmgr says; root is the line of the cluster, empty without one.
	qos             []record
	root            record
	accounts, users []association
	// used is what sshare says that users have used.
	used []userUsage
	// jobSubmit is the site's job_submit.lua.
	jobSubmit string
	notes     []string
	bad       []faults.Fault
}

func (r *reader) fail(at place, problem, allowed string) { r.failKey(at, "", problem, allowed) }

// failKey notes what is wrong with the value of a key.
func (r *reader) failKey(at place, key, problem, allowed string) {
	// A line of many nodes has each of its faults once.
	f := faults.Fault{File: at.file, Line: at.line, Field: key, Problem: problem, Allowed: allowed}
	if !slices.Contains(r.bad, f) {
		r.bad = append(r.bad, f)
	}
}

// wrong is a value of a key that is not allowed.
func (r *reader) wrong(at place, key, value, allowed string) {
	r.failKey(at, key, fmt.Sprintf("got %.60q", value), allowed)
}

func (r *reader) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.notes, text) {
		r.notes = append(r.notes, text)
	}
}

// noteNode is a note that has the name of a node between two texts, once for all nodes.
func (r *reader) noteNode(before string, n *node, after string) {
	same := func(note string) bool { return strings.HasPrefix(note, before) && strings.HasSuffix(note, after) }
	if !slices.ContainsFunc(r.notes, same) {
		r.notes = append(r.notes, before+n.name+after)
	}
}

// file takes over what a file says, or returns what does that after all other files. What it is shows in its text: the output of
// scontrol has keys that no configuration has.
func (r *reader) file(f File) (last func()) {
	has := func(pattern string) bool { return regexp.MustCompile(`(?mi)` + pattern).MatchString(f.Text) }
	switch {
	case has(`^\s*function\s+slurm_job_submit\b`) || has(`^\s*slurm_job_submit\s*=`):
		r.jobSubmit = strings.TrimRight(strings.ReplaceAll(f.Text, "\r\n", "\n"), "\n") + "\n"
	case has(`^(QOS|Cluster|Parent|Account|User) - ['"]`):
		r.dump(f)
	case has(`^Name\|(.*\|)?GrpTRES(\||$)`):
		return func() { r.shownQOS(f) }
	case has(`^([^|\n]*\|)*Account\|([^|\n]*\|)*RawUsage(\||\r?$)`) && has(`^([^|\n]*\|)*User(\||\r?$)`):
		r.shownUsage(f)
	case has(`^NodeName=\S+.*\n?.*\bCPUAlloc=`):
		return func() {
			for _, rec := range shownRecords(f, "NodeName") {
				r.shownNode(rec)
			}
		}
	case has(`^PartitionName=\S+`) && has(`\bTotalNodes=`):
		return func() {
			for _, rec := range shownRecords(f, "PartitionName") {
				r.partition(rec, true)
			}
		}
	case has(`^ReservationName=\S+.*\bStartTime=`):
		if r.from.IsZero() {
			r.fail(place{f.Name, 1}, "got reservations without the beginning of the run, from which they count", "them with --from, a date such as 2026-03-01T12:00:00")
			return nil
		}
		r.reserved = append(r.reserved, shownRecords(f, "ReservationName")...)
	case has(`^No reservations in the system`):
	case has(`^\s*SwitchName=`):
		r.switches = append(r.switches, confRecords(f, r.fail)...)
	case has(`^\s*(ClusterName|PartitionName|SlurmctldHost|ControlMachine)=`):
		r.conf(f)
	case has(`^\s*(NodeName=\S+\s+)?(Name|AutoDetect)=`):
		r.gpus = append(r.gpus, confRecords(f, r.fail)...)
	case has(`^\s*(NodeName|Include)\b`):
		r.conf(f)
	default:
		r.fail(place{f.Name, 1}, "got a file of another kind",
			`slurm.conf, gres.conf, topology.conf, job_submit.lua, a file of "sacctmgr dump", or what "scontrol show node", "scontrol show partition", "scontrol show reservation", "sacctmgr -P show qos" and "sshare -a -P" print`)
	}
	return nil
}

// mostIncludes bounds files that include each other.
const mostIncludes = 10

func (r *reader) conf(f File) {
	for _, rec := range confRecords(f, r.fail) {
		switch {
		case rec.is(includeKey):
			r.include(f, rec)
		case rec.is("NodeName"):
			r.confNode(rec)
		case rec.is("PartitionName"):
			r.partition(rec, false)
		case rec.is("NodeSet"):
			r.nodesets = append(r.nodesets, rec)
		case rec.is("DownNodes"):
			r.downs = append(r.downs, rec)
		default:
			for _, p := range rec.pairs {
				if strings.EqualFold(p.key, "ClusterName") {
					r.name = p.value
				}
				r.settings = append(r.settings, clusterSetting{rec.place, p})
			}
		}
	}
}

func (r *reader) include(f File, rec record) {
	name := rec.pairs[0].value
	if !path.IsAbs(name) {
		name = path.Join(path.Dir(f.Name), name)
	}
	if r.depth == mostIncludes {
		r.wrong(rec.place, includeKey, name, fmt.Sprintf("files that include each other at most %d deep", mostIncludes))
		return
	}
	text, err := r.open(name)
	if err != nil {
		r.failKey(rec.place, includeKey, err.Error(), "a file that can be read")
		return
	}
	r.depth++
	r.conf(File{Name: name, Text: text})
	r.depth--
}

// clusterSetting is one of the whole cluster.
type clusterSetting struct {
	place
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
