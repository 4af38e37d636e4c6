package site

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// shape is what a node has of processors, as slurmctld counts them (slurm_conf_node_t in src/common/read_config.h).
type shape struct {
	cpus, sockets, perSocket, threads int
	// whole says that no file has a word of sockets and cores: one socket serves jobs as well as many of a core each.
	whole bool
}

func (s shape) cores() int { return s.sockets * s.perSocket }

// perCore are the CPUs of a core that Slurm gives to jobs (tpc of _init_node_record in src/common/node_conf.c).
func (s shape) perCore() int {
	if s.cores() >= s.cpus {
		return 1
	}
	return s.threads
}

// shape reads the processors of a line of slurm.conf, whose gaps it fills as _parse_nodename (src/common/read_config.c) does.
func (r *reader) shape(n *node, rec record) shape {
	one := func(keys ...string) int { return max(1, r.upTo(math.MaxUint16, rec, 1, keys...)) }
	s := shape{perSocket: one("CoresPerSocket"), threads: one("ThreadsPerCore"), sockets: one("Sockets"), cpus: one("CPUs", "Procs", "CPUTot")}
	has := func(keys ...string) bool { _, ok := rec.value(keys...); return ok }
	boards := one("Boards")
	switch core := s.perSocket * s.threads; {
	case has("SocketsPerBoard"):
		if s.sockets = boards * one("SocketsPerBoard"); s.sockets > math.MaxUint16 {
			r.wrong(rec.at("SocketsPerBoard"), "SocketsPerBoard", strconv.Itoa(s.sockets)+" sockets", fmt.Sprintf("at most %d on all boards", math.MaxUint16))
			s.sockets = 1
		}
	case has("Sockets"):
	case has("CPUs", "Procs", "CPUTot") && s.cpus%core == 0:
		s.sockets, s.whole = s.cpus/core, !has("CoresPerSocket") && !has("Boards")
	default:
		s.sockets = boards
	}
	all := s.cores() * s.threads
	switch {
	case !has("CPUs", "Procs", "CPUTot"):
		s.cpus = all
	case s.cpus != s.sockets && s.cpus != s.cores() && s.cpus != all:
		r.noteNode("nodes such as ", n, fmt.Sprintf(" have CPUs=%d, which is the number of no sockets, cores or threads: Slurm takes all %d", s.cpus, all))
		s.cpus = all
	}
	return s
}

// processors gives a node the cores that jobs can have.
func (n *node) processors(r *reader, rec record) {
	s := r.shape(n, rec)
	g := &n.group
	g.Sockets, g.Cores, g.Threads = s.sockets, s.cores(), s.perCore()
	switch {
	case s.whole:
		g.Sockets = 1
	case s.cpus < s.cores():
		r.noteNode("nodes such as ", n, fmt.Sprintf(" have %d cores, of which jobs get one in each socket (CPUs=%d)", s.cores(), s.cpus))
		g.Sockets, g.Cores = s.cpus, s.cpus
	case s.threads > 1 && g.Threads == 1:
		r.noteNode("threads of nodes such as ", n, fmt.Sprintf(" are left out: each CPU is a whole core (CPUs=%d)", s.cpus))
	}
	kept := r.reservedCores(n, rec, s)
	if kept <= 0 {
		return
	}
	r.noteNode("cores that Slurm keeps from jobs (CoreSpecCount, CPUSpecList) are no part of nodes such as ", n, fmt.Sprintf(": %d of %d", kept, g.Cores))
	g.Cores -= kept
	if g.Cores%g.Sockets != 0 {
		r.noteNode("sockets of nodes such as ", n, fmt.Sprintf(" are left out: %d cores for jobs are not as many on each of %d", g.Cores, g.Sockets))
		g.Sockets = 1
	}
}

// reservedCores are those that Slurm keeps from jobs. CPUEfctv of scontrol is what it has counted; of slurm.conf a list of CPUs comes
// before a number of cores, and a list of some threads keeps their whole cores (build_node_spec_bitmap in src/common/node_conf.c).
func (r *reader) reservedCores(n *node, rec record, s shape) int {
	if _, ok := rec.value("CPUEfctv"); ok {
		return min(s.cpus-r.number(rec, s.cpus, "CPUEfctv"), s.cpus-1) / s.perCore()
	}
	kept := r.number(rec, 0, "CoreSpecCount")
	if text, _ := rec.value("CPUSpecList"); values.Text(text) != "" {
		cores, err := coresOf(text, s.cpus, s.perCore())
		if err != nil {
			r.noteNode(fmt.Sprintf("CPUSpecList=%s of nodes such as ", text), n, fmt.Sprintf(" is left out, as Slurm ignores it: %v", err))
		} else {
			kept = cores
		}
	}
	if kept >= n.group.Cores {
		r.noteNode(fmt.Sprintf("CoreSpecCount=%d of nodes such as ", kept), n, fmt.Sprintf(" is 1, as Slurm counts it: the nodes have %d cores", n.group.Cores))
		kept = min(1, n.group.Cores-1)
	}
	return kept
}

// coresOf is the number of cores of perCore CPUs each that have a CPU of a list such as 0-3,6, whose numbers are below a bound
// (bit_unfmt in src/common/bitstring.c). It counts ranges and not their numbers: a broken line may have billions.
func coresOf(list string, bound, perCore int) (int, error) {
	var ranges [][2]int
	for item := range strings.SplitSeq(strings.Trim(list, "[]"), ",") {
		low, high, isRange := strings.Cut(item, "-")
		if !isRange {
			high = low
		}
		from, ok := values.Count(low)
		to, also := values.Count(high)
		if !ok || !also || to < from || to >= bound {
			return 0, fmt.Errorf("got %.40q, allowed are ranges such as 0-3,6 of 0 to %d", item, bound-1)
		}
		ranges = append(ranges, [2]int{from / perCore, to / perCore})
	}
	slices.SortFunc(ranges, func(a, b [2]int) int { return a[0] - b[0] })
	cores, next := 0, 0
	for _, r := range ranges {
		cores += max(0, r[1]+1-max(next, r[0]))
		next = max(next, r[1]+1)
	}
	return cores, nil
}

// memoryOf gives a node the memory that jobs can have. Slurm ignores a MemSpecLimit that leaves none (_parse_nodename).
func (n *node) memoryOf(r *reader, rec record) {
	n.group.Memory = r.number(rec, 0, "RealMemory")
	kept := r.number(rec, 0, "MemSpecLimit")
	switch {
	case kept == 0:
	case kept >= n.group.Memory:
		r.noteNode(fmt.Sprintf("MemSpecLimit=%d of nodes such as ", kept), n, fmt.Sprintf(" is left out, as Slurm ignores it: the nodes have %d MiB", n.group.Memory))
	default:
		r.noteNode("memory that Slurm keeps from jobs (MemSpecLimit) is no part of nodes such as ", n, fmt.Sprintf(": %d of %d MiB", kept, n.group.Memory))
		n.group.Memory -= kept
	}
}

// unsigned reads a number as strtoul with any base does, and K after it for 1024 (s_p_handle_uint32 and s_p_handle_uint64 in
// src/common/parse_value.c).
func unsigned(text string) (int, bool) {
	text = strings.TrimPrefix(text, "+")
	times := 1
	if rest, ok := strings.CutSuffix(strings.ToLower(text), "k"); ok {
		text, times = rest, 1024
	}
	base := 10
	switch digits, isHex := strings.CutPrefix(strings.ToLower(text), "0x"); {
	case isHex:
		text, base = digits, 16
	case len(text) > 1 && text[0] == '0':
		base = 8
	}
	n, err := strconv.ParseUint(text, base, 50)
	return int(n) * times, err == nil
}
