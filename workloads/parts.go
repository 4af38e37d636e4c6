package workloads

import (
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// Phrases puts into texts of tags what several of them say, and what they cannot say: numbers and lists of words.
func Phrases() *strings.Replacer {
	return strings.NewReplacer(append(layout.Phrases(),
		"{Name}", "name in tables and folders; the file's name without its ending if left out",
		"{Class}", "name of the type, which results show",
		"{Arrival}", "[when jobs arrive](#arrival); at once without it",
		"{Limit}", "[time limits](#limit); 1.5 run times and 2 minutes without it",
		"{Word}", "1 to 250 letters, digits, -, _ and ., the first a letter",
		"{QOSWord}", "1 to 250 small letters, digits, -, _ and .",
		"{LowWord}", "1 to 32 small letters, digits, -, _ and .",
		"{Shares}", "fair share among its siblings, Fairshare of sacctmgr(1); 1 without it",
		"{TRES}", "numbers of 'cpu', 'node', 'gres/gpu', 'gres/gpu:TYPE', 'gres/shard', 'gres/mps', and 'mem' such as '64G': '{cpu: 64}'; none without it",
		"{MaxJobs}", strconv.Itoa(MaxJobs),
	)...)
}

// MachineParts are the mappings of a machine file, with their keys.
func MachineParts() []input.Part {
	withGroups := append(input.Keys[Machine]("name"), input.Keys[layout.Layout]()...)
	equal := input.Keys[Machine]("name", "nodes", "cores", "gpus")
	switches := input.Keys[Machine]("switches", "blocks")
	const ofSacctmgr = "By their names in sacctmgr(1)."
	return input.Parts{
		{Title: "With equal nodes", Keys: append(append(equal, input.Keys[Machine]("groups")...), switches...)},
		{Title: "With groups of nodes", Keys: append(withGroups, switches...)},
		{Title: "An entry of groups", Path: "groups[0]", Keys: input.Keys[layout.Group]()},
		{Title: "An entry of partitions", Path: "partitions[0]", Keys: input.Keys[layout.Partition]()},
		{Title: "An entry of down_nodes", Path: "down_nodes[0]", Keys: input.Keys[layout.Down]()},
		{Title: "An entry of qos", Path: "qos[0]", Keys: input.Keys[layout.QOS]()},
		{Title: "Limits of a QOS", About: ofSacctmgr, Path: "qos[0].limits", Keys: input.View[layout.Limits]("qos")},
		{Title: "An entry of accounts", Path: "accounts[0]", Keys: input.Keys[layout.Account]()},
		{Title: "Limits of an account or a user", About: ofSacctmgr, Path: "accounts[0].limits", Keys: input.View[layout.Limits]("account")},
		{Title: "A user of an account", Path: "accounts[0].users[0]", Keys: input.Keys[layout.User]()},
		{Title: "priority_weights", About: "They count under orders of the queue with several factors, such as '--set priority=multifactor'.",
			Path: "priority_weights", Keys: input.Keys[layout.Weights]()},
		{Title: "An entry of reservations", Path: "reservations[0]", Keys: input.Keys[layout.Reservation]()},
		{Title: "Switches", Path: "switches", Keys: input.Keys[Tree]()},
		{Title: "An entry of switches.list", Path: "switches.list[0]", Keys: input.Keys[layout.Switch]()},
		{Title: "Blocks", Path: "blocks", Keys: input.Keys[Blocks]()},
	}.Say(Phrases())
}

// WorkloadParts are the mappings of a file that describes a workload, with their keys.
func WorkloadParts() []input.Part {
	return input.Parts{
		{Title: "At the top", Keys: input.Keys[Spec]()},
		{Title: "An entry of types", Path: "types[0]", Keys: input.Keys[JobType]()},
		{Title: "Runtime", Path: "runtime", Keys: input.Keys[Runtime]()},
		{Title: "Arrival", Path: "arrival", Keys: input.Keys[Arrival]()},
		{Title: "Limit", About: "A limit is 'factor' × run time + 'add', rounded up to whole minutes.", Path: "limit", Keys: input.Keys[Limit]()},
		{Title: "At the top of an ESP workload", Keys: input.Keys[ESP](),
			About: "A file with 'generator: esp' is a table of jobs, such as the benchmark ESP-2, with so many of each type."},
		{Title: "An entry of types of an ESP workload", Path: "types[0]", Keys: input.Keys[ESPType]()},
	}.Say(Phrases())
}
