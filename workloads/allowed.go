package workloads

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// Charged is the Slurm account that a job runs under on the machine, "" for the default one of its user. It is the
// account of its row, or else the one that the machine has the user in, or else one of the user's name.
func (m Machine) Charged(j Job) string {
	if j.Account == "" && m.Layout.HomeOf(j.User) != "" {
		return ""
	}
	return j.ChargedTo()
}

// Submitter is the Unix user for whom the job is submitted, "" for root. Only a machine with QOS or
// accounts has Unix users, to whom limits apply.
func (m Machine) Submitter(j Job) string {
	if !m.Layout.Enforces() || j.User == layout.RootAccount {
		return ""
	}
	return j.User
}

// Submitters are the Unix users for whom jobs are submitted, in the order of their names.
func (m Machine) Submitters(jobs []Job) []string {
	var users []string
	for _, j := range jobs {
		if user := m.Submitter(j); user != "" {
			users = append(users, user)
		}
	}
	slices.Sort(users)
	return slices.Compact(users)
}

// AllLicenses are Licenses, and one of [ArrayLicenses] for a task of an array that has such.
func (j Job) AllLicenses() string {
	all := j.Licenses
	if name, throttle, _ := j.array(); throttle > 0 {
		if all != "" {
			all += "&"
		}
		all += arrayLicense(name) + ":1"
	}
	return all
}

// licenses are those that the job asks for, by name.
func (j Job) licenses() map[string]int {
	asked := map[string]int{}
	for part := range strings.SplitSeq(j.Licenses, "&") {
		name, number, _ := strings.Cut(part, ":")
		asked[name], _ = strconv.Atoi(number)
	}
	delete(asked, "")
	return asked
}

// ruleMisfits returns what the job asks of QOS, accounts, licences and reservations that the machine lacks or never
// allows. Slurm would leave such a job pending, or refuse it.
func (j Job) ruleMisfits(m Machine) []faults.Fault {
	l := m.Layout
	if !l.Enforces() && j.QOS == "" && j.Licenses == "" && j.Reservation == "" && j.Array == "" {
		return nil
	}
	var out []faults.Fault
	qos, ok := l.FindQOS(j.QOS)
	if j.QOS != "" && !ok {
		out = append(out, faults.At("qos", faults.Got(j.QOS), fmt.Sprintf("%s (of machine %s)", strings.Join(l.QOSNames(), ", "), m.Name)))
	}
	if l.Enforces() && len(out) == 0 {
		out = append(out, j.limitMisfits(m, qos)...)
	}
	asked := j.licenses()
	for _, each := range l.Licenses {
		if n := asked[each.Name]; n > each.Count {
			out = append(out, faults.At("licenses", faults.Got(j.Licenses), fmt.Sprintf("up to %s:%d (licenses of machine %s)", each.Name, each.Count, m.Name)))
		}
		delete(asked, each.Name)
		if name, throttle, _ := j.array(); throttle > 0 && each.Name == arrayLicense(name) {
			out = append(out, faults.At("array", faults.Got(j.Array), fmt.Sprintf("another name: machine %s has a licence %s", m.Name, each.Name)))
		}
	}
	if len(asked) > 0 {
		allowed := "none: machine " + m.Name + " has none"
		if len(l.Licenses) > 0 {
			allowed = fmt.Sprintf("%s (licenses of machine %s)", strings.ReplaceAll(l.LicensesLine(), ",", "&"), m.Name)
		}
		out = append(out, faults.At("licenses", faults.Got(j.Licenses), allowed))
	}
	return append(out, j.reservationMisfits(m)...)
}

// account is the account that Slurm charges.
func (m Machine) account(j Job) string {
	if account := m.Charged(j); account != "" {
		return account
	}
	if home := m.Layout.HomeOf(j.User); home != "" {
		return home
	}
	return layout.RootAccount
}

// limitMisfits are limits of the QOS and of the accounts that the job exceeds alone.
func (j Job) limitMisfits(m Machine, qos layout.QOS) []faults.Fault {
	l := m.Layout
	account := m.account(j)
	allowed, byDefault := l.QOSOf(account)
	if j.QOS == "" {
		qos, _ = l.FindQOS(byDefault)
	} else if !slices.Contains(allowed, j.QOS) {
		return []faults.Fault{faults.At("qos", faults.Got(j.QOS), fmt.Sprintf("%s (of account %s)", strings.Join(allowed, ", "), account))}
	}
	var out []faults.Fault
	for _, each := range j.limitsUnder(m, account, qos.Name) {
		out = append(out, j.exceeds(each.limits, each.of)...)
	}
	return out
}

// holder is who has limits, and what they are called in messages.
type holder struct {
	of     string
	limits layout.Limits
}

// limitsUnder are the limits of a job with an account and a QOS, in the order in which Slurm looks at them.
func (j Job) limitsUnder(m Machine, account, qos string) []holder {
	l := m.Layout
	var all []holder
	var before layout.Limits
	for _, q := range l.QOSOfJob(qos, j.Partition) {
		all = append(all, holder{"QOS " + q.Name, q.Limits.Without(before)})
		before = before.And(q.Limits)
	}
	for _, a := range l.Line(account) {
		all = append(all, holder{"account " + a.Name, a.Limits})
	}
	own, _ := l.FindAccount(account)
	for _, u := range own.Users {
		if u.Name == j.User {
			all = append(all, holder{"user " + u.Name + " of account " + account, u.Limits})
		}
	}
	return all
}

// holders are the limits that the job is under on the machine.
func (j Job) holders(m Machine) []holder {
	if !m.Layout.Enforces() {
		return nil
	}
	account, qos := m.account(j), j.QOS
	if qos == "" {
		_, qos = m.Layout.QOSOf(account)
	}
	return j.limitsUnder(m, account, qos)
}

// LongestLimit is the longest time limit in seconds that the job's partition, QOS, account and user allow it; limited is false if
// they allow any. Of several partitions the one that allows most counts.
func (j Job) LongestLimit(m Machine) (longest int, limited bool) {
	if names := j.Partitions(); len(names) > 1 {
		for _, name := range names {
			each, bounded := j.within(m, name).LongestLimit(m)
			if !bounded {
				return 0, false
			}
			longest = max(longest, each)
		}
		return longest, true
	}
	least := func(minutes int) {
		if minutes > 0 && (!limited || minutes*60 < longest) {
			longest, limited = minutes*60, true
		}
	}
	p, _ := m.Layout.Find(j.Partition)
	least(p.MaxTime)
	for _, each := range j.holders(m) {
		least(each.limits.MaxWall)
	}
	return longest, limited
}

// settingMisfits are settings of the job's partition that never let it run. Slurm refuses such a job, or leaves it
// pending (slurm.conf(5), "PARTITION CONFIGURATION").
func (j Job) settingMisfits(m Machine, p layout.Partition) []faults.Fault {
	var out []faults.Fault
	of := " of partition " + p.Name
	if least := p.MinNodes(); j.Nodes > 0 && j.MostNodes() < least {
		out = append(out, faults.At("nodes", faults.Got(j.Nodes), fmt.Sprintf("%d or more (MinNodes%s)", least, of)))
	}
	perCPU, perNode := p.MaxMemory()
	if perCPU > 0 && j.MemPerCPU > perCPU {
		out = append(out, faults.At("mem_per_cpu", faults.Got(j.MemPerCPU), fmt.Sprintf("0..%d (MaxMemPerCPU%s)", perCPU, of)))
	}
	if perNode > 0 && j.MemPerNode > perNode {
		out = append(out, faults.At("mem_per_node", faults.Got(j.MemPerNode), fmt.Sprintf("0..%d (MaxMemPerNode%s)", perNode, of)))
	}
	account := m.account(j)
	if !m.Layout.AdmitsAccount(p, account) {
		out = append(out, faults.At("partition", faults.Got(p.Name), fmt.Sprintf("a partition for account %s (%s%s)", account, only(p, layout.AllowAccounts, layout.DenyAccounts), of)))
	}
	qos := j.QOS
	if qos == "" {
		_, qos = m.Layout.QOSOf(account)
	}
	if !p.AdmitsQOS(qos) {
		out = append(out, faults.At("partition", faults.Got(p.Name), fmt.Sprintf("a partition for QOS %s (%s%s)", qos, only(p, layout.AllowQOS, layout.DenyQOS), of)))
	}
	return out
}

// only is the line of the first of the settings that the partition has.
func only(p layout.Partition, keys ...string) string {
	for _, key := range keys {
		if p.Settings[key] != "" {
			return key + "=" + p.Settings[key]
		}
	}
	return ""
}

// exceeds are the limits that the job would not keep if it were alone.
func (j Job) exceeds(l layout.Limits, of string) []faults.Fault {
	var out []faults.Fault
	if l.MaxWall > 0 && j.Limit > l.MaxWall*60 {
		out = append(out, faults.At("limit_s", faults.Got(j.Limit), fmt.Sprintf("1..%d (MaxWall of %s)", l.MaxWall*60, of)))
	}
	nodes := max(j.Nodes, 1)
	asks := []struct {
		tres, field string
		n           int
	}{
		{"cpu", "cores", j.Cores}, {"node", "nodes", j.Nodes}, {"gres/gpu", "gpus_min", nodes * j.GPUsMin},
		{"gres/shard", "shards", nodes * j.Shards}, {"gres/mps", "mps", nodes * j.MPS},
		{"mem", "mem_per_node", max(nodes*j.MemPerNode, j.Cores*j.MemPerCPU)},
	}
	if j.GPUType != "" {
		asks = append(asks, asks[2])
		asks[len(asks)-1].tres = "gres/gpu:" + j.GPUType
	}
	for _, limit := range l.OfQOS() {
		if limit.TRES == nil {
			continue
		}
		for _, ask := range asks {
			if most := (*limit.TRES)[ask.tres]; most > 0 && ask.n > most {
				out = append(out, faults.At(ask.field, fmt.Sprintf("got %s=%d in all", ask.tres, ask.n), fmt.Sprintf("up to %d (%s of %s)", most, limit.Name, of)))
			}
		}
	}
	return out
}

func (j Job) reservationMisfits(m Machine) []faults.Fault {
	if j.Reservation == "" {
		return nil
	}
	r, ok := m.Layout.FindReservation(j.Reservation)
	if !ok {
		allowed := "none: machine " + m.Name + " has none"
		var names []string
		for _, each := range m.Layout.Reservations {
			names = append(names, each.Name)
		}
		if len(names) > 0 {
			allowed = fmt.Sprintf("%s (of machine %s)", strings.Join(names, ", "), m.Name)
		}
		return []faults.Fault{faults.At("reservation", faults.Got(j.Reservation), allowed)}
	}
	var out []faults.Fault
	if !r.Admits(m.Submitter(j), m.account(j)) {
		out = append(out, faults.At("reservation", faults.Got(j.Reservation), fmt.Sprintf("a reservation for user %q and account %s; %s is for others", cmp.Or(m.Submitter(j), layout.RootAccount), m.account(j), r.Name)))
	}
	if j.Nodes > r.Size() {
		out = append(out, faults.At("nodes", faults.Got(j.Nodes), fmt.Sprintf("0..%d (nodes of reservation %s)", r.Size(), r.Name)))
	}
	if left := r.End() - max(j.Arrival+j.BeginAfter, r.Start); WholeMinutes(j.Limit) > left {
		out = append(out, faults.At("limit_s", faults.Got(j.Limit), fmt.Sprintf("1..%d, what reservation %s lasts from the job's arrival on", max(left, 0), r.Name)))
	}
	return out
}
