package interchange

import (
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/workloads/records"
)

// swfExtras is the number of fields that the extended format of the simulator Alea has behind the standard's: the GPUs that were used, over all nodes;
// the soft wall time, which is how long the user expects the job to run; and properties with colons between them. The trace of Frontier has it.
const swfExtras = 3

// extended are the values of these fields.
type extended struct {
	// gpus and nodes are totals, 0 if unknown; processors are per node.
	gpus, nodes, processors int
	// exclusive asks for whole nodes. expected says that there is a soft wall time, frontier that the cluster is Frontier.
	exclusive, expected, frontier bool
}

// parseExtended reads the three fields of a line: "frontier:excl:2500x112" asks for 2500 whole nodes with 112 processors on each. The first property
// names a cluster.
func parseExtended(line int, fields []string) (extended, error) {
	bad := func(field, got, allowed string) error { return records.BadField(line, field, got, allowed) }
	gpus, ok := parseNumber([]byte(fields[0]))
	if !ok || gpus < -1 || gpus != float64(size(gpus)) {
		return extended{}, bad("used GPUs", fields[0], "a whole number from 0, or -1 for unknown")
	}
	expected, ok := parseNumber([]byte(fields[1]))
	if !ok || expected < -1 {
		return extended{}, bad("soft wall time", fields[1], "a number from 0, or -1 for unknown")
	}
	const rule = "properties such as all:excl:2x4, for nodes and the processors of each, or -1 without GPUs"
	e := extended{gpus: max(0, size(gpus)), expected: expected > 0, frontier: strings.HasPrefix(fields[2], "frontier:")}
	for property := range strings.SplitSeq(fields[2], ":") {
		if property == "excl" {
			e.exclusive = true
			continue
		}
		nodes, processors, is := strings.Cut(property, "x")
		if !is || strings.Trim(nodes+processors, "0123456789") != "" {
			continue
		}
		n, nErr := strconv.ParseInt(nodes, 10, 16)
		each, eachErr := strconv.ParseInt(processors, 10, 16)
		if e.nodes, e.processors = int(n), int(each); nErr != nil || eachErr != nil || n*each == 0 {
			return e, bad("properties", fields[2], rule)
		}
	}
	if e.nodes == 0 && e.gpus > 0 {
		return e, bad("properties", fields[2], rule)
	}
	return e, nil
}

// take adds them to a job. The processors are Slurm's CPUs.
func (e extended) take(req *request) {
	req.gpus, req.nodes, req.threads = e.gpus, e.nodes, e.nodes > 0
	req.recorded.Exclusive = e.exclusive && e.nodes > 0
	req.unused.expected = e.expected
}
