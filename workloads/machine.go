package workloads

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// Bounds of a machine, which keep typing errors out. The emulator was measured on up to
// 1408 nodes.
const (
	maxNodes = layout.MaxNodes
	maxCores = layout.MaxCores
	maxGPUs  = layout.MaxGPUs
)

// Machine is a cluster of Nodes nodes with Cores cores and GPUs GPUs each. Its JSON is the
// machine of run.json.
//
// With a Layout the nodes differ: Cores and GPUs are the most of a node, which no node need
// have both, and AllCores and AllGPUs the sums over the nodes in service.
type Machine struct {
	Name  string `json:"name" about:"{Name}"`
	Nodes int    `json:"nodes" about:"number of nodes, 1 to {MaxNodes}" need:"yes" range:"1..{MaxNodes}"`
	Cores int    `json:"cores" about:"cores of each node, 1 to {MaxCores}" need:"yes" range:"1..{MaxCores}"`
	GPUs  int    `json:"gpus" about:"GPUs of each node, 0 to {MaxGPUs}" default:"0" range:"0..{MaxGPUs}"`
	// Switches is the network, flat unless a machine file says otherwise.
	Switches Tree `json:"switches,omitzero" about:"[tree of switches](#switches), none if left out"`
	// Blocks are those of topology/block, which a machine without Switches can have.
	Blocks Blocks `json:"blocks,omitzero" about:"[blocks of nodes](#blocks) in the place of 'switches', none if left out"`
	// Layout is the zero value if all nodes are equal.
	Layout layout.Layout `json:"layout,omitzero" yaml:"groups" about:"nodes that differ, in the place of 'nodes', 'cores' and 'gpus': see below"`
}

// builtinMachines returns the emulated systems of AUCSCHED section 6 (S, M, L)
// and the Tsubame of AUCSCHED2 section 4.
func builtinMachines() []Machine {
	return []Machine{
		{Name: "S", Nodes: 128, Cores: 8, GPUs: 2},
		{Name: "M", Nodes: 256, Cores: 8, GPUs: 2},
		{Name: "L", Nodes: 1024, Cores: 8, GPUs: 2},
		{Name: "tsubame", Nodes: 1408, Cores: 12, GPUs: 3},
	}
}

// MachineNames returns the names of the built-in machines, the smallest first.
func MachineNames() []string {
	var names []string
	for _, m := range builtinMachines() {
		names = append(names, m.Name)
	}
	return names
}

// MachineEndings returns the endings of the files that LoadMachine reads.
func MachineEndings() []string { return []string{".yaml", ".yml"} }

// LoadMachine returns the built-in machine of that name, or the one described
// by a YAML file when the argument contains a slash or ends in .yaml or .yml.
//
// The file has the keys name (any printable characters but /; the file's base name when left out), nodes (1..10000),
// cores per node (1..1024) and gpus per node (0..16, 0 when left out). The key switches, when there is one, has the
// keys nodes of a leaf switch and fanout, or list. fanout is 2 or more switches below each higher one, one above all when left
// out. The key blocks in its place has nodes or each, and sizes. A file with the key groups in place of nodes, cores and gpus describes nodes that differ (docs/machines.md).
// The error of a bad file lists all its faults with their lines.
func LoadMachine(nameOrFile string) (Machine, error) {
	for _, m := range builtinMachines() {
		if m.Name == nameOrFile {
			return m, nil
		}
	}
	if !input.IsFile(nameOrFile, MachineEndings()...) {
		return Machine{}, fmt.Errorf("find machine: no machine %s, allowed %s or a .yaml file%s%s",
			faults.Quote(nameOrFile), strings.Join(MachineNames(), ", "), faults.DidYouMean(nameOrFile, MachineNames()), ofSlurm(nameOrFile))
	}
	data, err := readFile(nameOrFile)
	if err != nil {
		return Machine{}, fmt.Errorf("read machine: %w", err)
	}
	m, err := ParseMachine(nameOrFile, data)
	if hint := ofSlurm(nameOrFile); err != nil && hint != "" {
		err = fmt.Errorf("%w%s", err, hint)
	}
	return m, err
}

// ofSlurm is the end of a message about a file with the ending of slurm.conf, empty for others.
func ofSlurm(name string) string {
	if filepath.Ext(name) != ".conf" {
		return ""
	}
	return "; a machine file is made from a slurm.conf by: slurmlab machine import " + name
}

// ParseMachine reads a machine from YAML, whose keys LoadMachine names; file is for messages, and its
// base name is the default of the machine's name. The error lists all faults with their lines.
func ParseMachine(file string, data []byte) (Machine, error) {
	doc := openYAML(file, data)
	m := Machine{Name: input.BaseName(file)}
	root := doc.Root()
	root.Read(&m, "name")
	if _, unequal := root.Peek("groups"); unequal {
		m.setLayout(readLayout(root))
	} else {
		root.Read(&m, "nodes", "cores", "gpus", "groups")
		for _, key := range input.Keys[layout.Layout]() {
			if !slices.Contains(nodeKeys(), key.Name) {
				root.Refuse(key.Name, "got it beside nodes and cores", "beside groups; one group has all nodes of such a machine")
			}
		}
	}
	root.Read(&m, "switches", "blocks")
	root.Done()
	values := m.faults()
	if _, hasTree := root.Peek("switches"); hasTree && m.Switches.isZero() {
		values = append(values, m.Switches.faults(m.Nodes)...)
	}
	if _, hasBlocks := root.Peek("blocks"); hasBlocks && m.Blocks.isZero() {
		values = append(values, m.Blocks.faults(m.Nodes)...)
	}
	if err := doc.Err(values); err != nil {
		return Machine{}, err
	}
	return m, nil
}

// nodeKeys are the keys of a machine file for nodes and partitions; the others are for what Slurm allows whom.
func nodeKeys() []string { return []string{"groups", "partitions", "down_nodes"} }

// faults checks the machine against the bounds of a machine file.
func (m Machine) faults() []faults.Fault {
	var out []faults.Fault
	if !input.IsName(m.Name) {
		out = append(out, faults.At("name", faults.Got(m.Name), input.NameRule))
	}
	if m.Unequal() {
		out = append(out, m.layoutFaults()...)
	} else {
		out = append(out, faults.Outside("nodes", m.Nodes, 1, maxNodes)...)
		out = append(out, faults.Outside("cores", m.Cores, 1, maxCores)...)
		out = append(out, faults.Outside("gpus", m.GPUs, 0, maxGPUs)...)
	}
	if !m.Switches.isZero() {
		out = append(out, m.Switches.faults(m.Nodes)...)
	}
	if !m.Blocks.isZero() {
		out = append(out, m.Blocks.faults(m.Nodes)...)
		if !m.Switches.Flat() {
			out = append(out, faults.At("blocks", "got it beside switches", "one of them: Slurm has one topology"))
		}
	}
	return out
}

// check returns the machine's faults as one error. A machine that LoadMachine read has
// none.
func (m Machine) check() error {
	rep := faults.List{Name: "machine " + faults.Quote(m.Name)}
	for _, f := range m.faults() {
		rep.Add(0, f)
	}
	return rep.Err()
}

// CheckSize returns the faults of the numbers of nodes, cores, GPUs and switches of the
// machine in a field called so. Whatever is made for each node of a machine without them
// fits into memory.
func (m Machine) CheckSize(field string) error {
	m.Name = "m"
	var out []error
	for _, f := range m.faults() {
		f.Field = field + "." + f.Field
		out = append(out, f)
	}
	return errors.Join(out...)
}
