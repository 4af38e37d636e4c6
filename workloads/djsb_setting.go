package workloads

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/input"
)

// DJSBOption is an option of a configuration.
type DJSBOption struct {
	// Path is the option's place in the file, such as "simulation.total_tasks".
	Path string
	Kind OptionKind
	// About says in a few words what it is.
	About string
}

// OptionKind is what the value of an option is.
type OptionKind string

// The kinds of options. A list has commas between its entries.
const (
	KindInteger  OptionKind = "int"
	KindIntegers OptionKind = "ints"
	KindDuration OptionKind = "duration"
	KindMemory   OptionKind = "size"
	KindFlag     OptionKind = "bool"
	KindWord     OptionKind = "word"
	KindWords    OptionKind = "words"
	KindText     OptionKind = "text"
)

// Flag is the option's name on a command line, such as "simulation-total-tasks".
func (o DJSBOption) Flag() string { return strings.NewReplacer("_", "-", ".", "-").Replace(o.Path) }

// DJSBOptions returns all options but the name, in the order of a file.
func DJSBOptions() []DJSBOption {
	list := []DJSBOption{
		{"num_of_samples", KindInteger, "repetitions of each execution"},
		{"num_of_ref_analysis", KindInteger, "analytics alone in a sample of the reference stage"},
		{"num_of_dyn_analysis", KindIntegers, "analytics in a sample of the execution stage, an experiment for each number"},
		{"sleep_min_time", KindDuration, "least sleep before an analytics"},
		{"sleep_max_time", KindDuration, "longest sleep before an analytics"},
		{"scenarios", KindWords, "scenarios of the execution stage"},
		{"kept_free", KindInteger, "nodes that share-kept-free keeps free (0: as few as one analytics needs)"},
		{"on", KindWord, "what runs the jobs: cluster, slurm, allocation, interactive or commands"},
		{"reservation", KindText, "Slurm's reservation that all jobs run in"},
		{"commands.submit", KindText, "command that submits a job"},
		{"commands.poll", KindText, "command that ends with 0 when a job has ended, and with 1 before"},
		{"commands.suspend", KindText, "command that suspends a job"},
		{"commands.resume", KindText, "command that resumes a job"},
		{"commands.cancel", KindText, "command that ends a job"},
		{"machine.nodes", KindInteger, "nodes of the machine"},
		{"machine.cores", KindInteger, "cores of a node"},
		{"machine.memory", KindMemory, "memory of a node"},
	}
	for _, application := range []string{"simulation", "analysis"} {
		for _, o := range []DJSBOption{
			{"total_tasks", KindInteger, "tasks"},
			{"tasks_per_node", KindInteger, "tasks on a node"},
			{"cpus_per_task", KindInteger, "cores of a task"},
			{"total_memory", KindMemory, "memory of all tasks together"},
			{"exec_time", KindDuration, "time alone"},
			{"node_host_names", KindWords, "nodes where it may run"},
			{"partition", KindText, "partition or queue"},
			{"command", KindText, "program, as a line of a shell"},
		} {
			list = append(list, DJSBOption{application + "." + o.Path, o.Kind, application + ": " + o.About})
		}
	}
	return append(list, DJSBOption{"analysis.same_nodes_as_sim", KindFlag, "analysis: on nodes of the simulation"})
}

// DJSBSetting is the value that a command line gives an option.
type DJSBSetting struct {
	DJSBOption
	Value string
}

// read puts the setting into the configuration. Its faults are the document's, by the name
// of the flag.
func (s DJSBSetting) read(c *DJSB, doc *yamlDoc) {
	flag := "--" + s.Flag()
	if doc.flags == nil {
		doc.flags = map[string]string{}
	}
	doc.flags[s.Path] = flag
	section, key, nested := strings.Cut(s.Path, ".")
	text := s.Path + ": " + s.yaml()
	if nested {
		text = section + ": {" + key + ": " + s.yaml() + "}"
	}
	body, _, err := input.Parse([]byte(text))
	if err != nil {
		// Only the bounds of package input can refuse what yaml writes.
		doc.fail(s.Path, 0, faultAt(flag, got(s.Value), "a shorter value"))
		return
	}
	// The path may have had a fault in the file, which the setting replaces.
	// The lines are those of the file.
	lines := maps.Clone(doc.lines)
	c.read(doc.mapping("", body))
	doc.lines = lines
}

// yaml is the value in YAML: what is no number or truth value where one is wanted is text
// there, which the reader refuses.
func (s DJSBSetting) yaml() string {
	quoted := func(text string) string {
		// A string always has a JSON form, which YAML shares.
		form, _ := json.Marshal(text)
		return string(form)
	}
	plain := func(text string) string {
		if _, err := strconv.Atoi(text); err == nil || text == "true" || text == "false" {
			return text
		}
		return quoted(text)
	}
	list := func(entry func(string) string) string {
		words := strings.Split(s.Value, ",")
		for i, word := range words {
			words[i] = entry(word)
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	switch s.Kind {
	case KindInteger, KindFlag:
		return plain(s.Value)
	case KindIntegers:
		return list(plain)
	case KindWords:
		return list(quoted)
	default:
		return quoted(s.Value)
	}
}
