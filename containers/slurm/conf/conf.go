package conf

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

//go:embed slurm.conf.tmpl
var slurmConf string

//go:embed slurmdbd.conf.tmpl
var slurmdbdConf string

// Spec describes a cluster. Cores and GPUs are per node.
type Spec struct {
	// Form is how the nodes are emulated, Slurm the release series; see package containers/slurm/backend.
	Form  string `json:"backend"`
	Slurm string `json:"slurm"`
	Nodes int    `json:"nodes"`
	Cores int    `json:"cores"`
	GPUs  int    `json:"gpus"`
	// Layout are the nodes and partitions where nodes differ; Nodes is then their number, and
	// Cores and GPUs are the most of a node.
	Layout layout.Layout `json:"layout,omitzero"`
	// Users are Unix users beside the Layout's, for whom jobs are submitted.
	Users []string `json:"users,omitempty"`
	// ArrayLicenses are there beside the Layout's licences, for limits of job arrays, also where all nodes are equal.
	ArrayLicenses []layout.License `json:"array_licenses,omitempty"`
	// Sharing is how jobs get nodes that others have; the zero value for not at all.
	Sharing Sharing `json:"sharing,omitzero"`
	// SwitchLevels are the nodes below a switch of each level of a tree of
	// switches, the leaf switches first and all nodes last; nil for a flat
	// network.
	SwitchLevels []int `json:"switch_levels,omitempty"`
	// Switches are the lines of topology.conf(5) in the place of SwitchLevels, nil for none.
	Switches []layout.Switch `json:"switches,omitempty"`
	// BlockNodes are the nodes of each block of neighbouring nodes (topology/block), nil for none. BlockSizes is the line of
	// topology.conf(5), nil for Slurm's default.
	BlockNodes []int     `json:"block_nodes,omitempty"`
	BlockSizes []int     `json:"block_sizes,omitempty"`
	Scheduler  Scheduler `json:"scheduler"`
	// Agent is the policy of the agent that schedules a cluster with an external scheduler
	// from its boot on; empty if none does, or a run brings its own.
	Agent string `json:"agent,omitempty"`
	// AgentPolicy is that policy with its settings, as package policy has it in JSON.
	AgentPolicy json.RawMessage `json:"agent_policy,omitempty"`
	// Priority is the order of the queue, under every scheduler.
	Priority priority.Type  `json:"priority"`
	Clock    clock.Settings `json:"clock"`
	// From is the virtual instant of the checkpoint that the cluster is booted from, zero for
	// an empty cluster. Its clock starts somewhat earlier (boot.ClockLead).
	From time.Time `json:"from,omitzero"`
}

// MaxJobs is the most jobs that slurmctld knows at a time (MaxJobCount).
const MaxJobs = 100_000

// ProgramDir is where a cluster has the program of the user's that schedules it, which no
// program may change.
const ProgramDir = "/usr/local/lib/slurmlab/program"

// ProgramUser is the user id, and the group id, of that program in a cluster that is root's. Nobody else has it: whatever
// has it is stopped and killed with the program. It lies between the ids of Debian's users and nobody's.
const ProgramUser = 65533

// ModuleDir is where a cluster has the modules of Python that its program can import.
const ModuleDir = "/usr/local/lib/slurmlab/python"

// CompletionLog is where slurmctld writes one line for each job that has ended.
const CompletionLog = "/var/spool/slurmctld/jobcomp.log"

// SpoolDir is the spool directory of slurmd, or of what stands for it; it has a directory "job..." for each running
// job.
const SpoolDir = "/var/spool/slurmd"

// Dir is where a cluster has its configuration.
const Dir = "/etc/slurm"

// siteScript is the file of a site's job_submit.lua, beside ours.
const siteScript = "site_job_submit.lua"

// Nodes is how a backend configures its nodes.
type Nodes struct {
	// Lines are the lines of slurm.conf that only this form has.
	Lines []string
	// Options end the line NodeName of slurm.conf.
	Options string
	// Files are those that only this form has.
	Files []File
	// External makes each job external and keeps its script in ScriptDir, for somebody
	// else than Slurm to run.
	External bool
}

// Validate reports every fault of the spec.
func (s Spec) Validate() error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	check(s.Nodes >= 1, "nodes: %d is not allowed, want 1 or more", s.Nodes)
	check(s.Cores >= 1, "cores: %d is not allowed, want 1 or more", s.Cores)
	check(s.GPUs >= 0, "gpus: %d is not allowed, want 0 or more", s.GPUs)
	check(!s.Sharing.Shares() || !s.Scheduler.External, "sharing: %+v is not allowed beside an external scheduler, which plans a core for one job", s.Sharing)
	check(s.Agent == "" || s.Scheduler.External, "agent: %q is not allowed, want none beside a scheduler of Slurm's own", s.Agent)
	faults = append(faults, s.layoutFaults()...)
	faults = append(faults, s.linesFaults()...)
	return errors.Join(append(faults, s.Scheduler.Validate(), levelFaults(s.Nodes, s.SwitchLevels), s.switchFaults(), s.blockFaults(), s.Sharing.Validate(), s.Priority.Validate(), s.Clock.Validate())...)
}

// linesFaults are those of lines that this Slurm does not have, or that would undo the sharing.
func (s Spec) linesFaults() []error {
	var faults []error
	for _, line := range ParseLines(s.Scheduler.Lines) {
		key, _, _ := strings.Cut(line, "=")
		faults = append(faults, CheckSeries(key, s.Slurm))
		if s.Sharing.Shares() && slices.Contains([]string{"PreemptMode", "PreemptType", "SchedulerTimeSlice"}, key) {
			faults = append(faults, fmt.Errorf("%s: is not allowed beside sharing %+v, which sets it", key, s.Sharing))
		}
	}
	return faults
}

// File is one configuration file; Name is its path below the configuration
// directory, Mode its permission bits. With a Link it is a symbolic link to that path.
type File struct {
	Name string
	Mode uint32
	Data []byte
	Link string
}

// User runs Slurm's daemons (SlurmUser of slurm.conf(5)) and the agent.
type User struct {
	Name string
	ID   int
}

// Root is the user of the daemons of a container in which there is root.
func Root() User { return User{Name: "root"} }

// Files renders the configuration of daemons that run as user. It fails on an invalid
// spec only.
func Files(s Spec, nodes Nodes, user User) ([]File, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("render configuration: %w", err)
	}
	main, err := render("slurm.conf", slurmConf, s, nodes, user.Name)
	if err != nil {
		return nil, err
	}
	main = []byte(PutLines(string(main), ParseLines(s.Scheduler.Lines)))
	dbd, err := render("slurmdbd.conf", slurmdbdConf, s, nodes, user.Name)
	if err != nil {
		return nil, err
	}
	files := []File{
		{Name: "slurm.conf", Mode: 0o644, Data: main},
		// slurmdbd refuses a configuration that others can read.
		{Name: "slurmdbd.conf", Mode: 0o600, Data: dbd},
		{Name: "job_submit.lua", Mode: 0o644, Data: []byte(jobSubmit(s.script(nodes, user.ID), submitMachine{Nodes: s.Nodes, Cores: s.Cores, GPUs: s.GPUs}))},
	}
	if s.Layout.JobSubmit != "" {
		files = append(files, File{Name: siteScript, Mode: 0o644, Data: []byte(s.Layout.JobSubmit)})
	}
	files = append(files, nodes.Files...)
	if len(s.SwitchLevels) > 0 {
		files = append(files, File{Name: "topology.conf", Mode: 0o644, Data: topology(s.Nodes, s.SwitchLevels)})
	}
	if len(s.Switches) > 0 {
		files = append(files, File{Name: "topology.conf", Mode: 0o644, Data: switches(s.Switches)})
	}
	if len(s.BlockNodes) > 0 {
		files = append(files, File{Name: "topology.conf", Mode: 0o644, Data: blocks(s.BlockNodes, s.BlockSizes)})
	}
	return files, nil
}

// script is what job_submit.lua does.
func (s Spec) script(nodes Nodes, agent int) submitOptions {
	o := submitOptions{Hold: s.Scheduler.External, External: nodes.External, Agent: agent}
	if s.Layout.JobSubmit != "" {
		o.Site = Dir + "/" + siteScript
	}
	return o
}

func render(name, text string, s Spec, nodes Nodes, user string) ([]byte, error) {
	t, err := template.New(name).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("parse template of %s: %w", name, err)
	}
	var out bytes.Buffer
	data := struct {
		Spec
		Lines                  []string
		Options, CompletionLog string
		External               bool
		MaxJobs                int
		LayoutLines            []string
		WeightLines            []string
		TrackedTypes           string
		SharedTypes            string
		User                   string
	}{s, nodes.Lines, nodes.Options, CompletionLog, nodes.External, MaxJobs, layoutLines(s.Layout, nodes.Options), s.weightLines(), trackedTypes(s.Layout), sharedTypes(s.Layout, ","), user}
	if err := t.Execute(&out, data); err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	return out.Bytes(), nil
}
