package workloads

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// ruleKeys are the keys of a machine file for what Slurm allows whom.
func ruleKeys() []string {
	return []string{"qos", "accounts", "licenses", "priority_weights", "reservations", "job_submit"}
}

// refuseRules names the keys that need groups.
func refuseRules(root *yamlMap) {
	for _, key := range ruleKeys() {
		if root.value(key) != nil {
			root.doc.fail(key, root.doc.lines[key], faultAt(key, "got it beside nodes and cores", "beside groups; one group has all nodes of such a machine"))
		}
	}
	root.asked = slices.DeleteFunc(root.asked, func(key string) bool {
		return slices.Contains(ruleKeys(), key) && root.values[key] == nil
	})
}

// readRules reads QOS, accounts, licences, weights, reservations and the site's job_submit.lua.
func readRules(root *yamlMap, l *layout.Layout) {
	for _, item := range root.children("qos") {
		l.QOS = append(l.QOS, readQOS(item))
	}
	for _, item := range root.children("accounts") {
		l.Accounts = append(l.Accounts, readAccount(item))
	}
	licenses := root.child("licenses")
	for _, name := range licenses.order {
		each := layout.License{Name: name}
		licenses.integer(name, &each.Count)
		l.Licenses = append(l.Licenses, each)
	}
	weights := root.child("priority_weights")
	weights.integer("qos", &l.Weights.QOS)
	weights.integer("fairshare", &l.Weights.FairShare)
	weights.done()
	for _, item := range root.children("reservations") {
		l.Reservations = append(l.Reservations, readReservation(item, *l))
	}
	root.text("job_submit", &l.JobSubmit)
}

func readQOS(item *yamlMap) layout.QOS {
	var q layout.QOS
	item.text("name", &q.Name)
	item.integer("priority", &q.Priority)
	item.decimal("usage_factor", &q.UsageFactor)
	each(item, "flags", &q.Flags, item.doc.word)
	readLimits(item, q.Limits.OfQOS())
	item.done()
	return q
}

func readAccount(item *yamlMap) layout.Account {
	var a layout.Account
	item.text("name", &a.Name)
	item.text("parent", &a.Parent)
	item.integer("shares", &a.Shares)
	each(item, "qos", &a.QOS, item.doc.word)
	item.text("default_qos", &a.DefaultQOS)
	readLimits(item, a.Limits.OfAssociation())
	for _, one := range item.children("users") {
		var u layout.User
		one.text("name", &u.Name)
		one.integer("shares", &u.Shares)
		one.integer("usage", &u.Usage)
		readLimits(one, u.Limits.OfAssociation())
		one.done()
		a.Users = append(a.Users, u)
	}
	item.done()
	return a
}

// readLimits reads limits by their names in sacctmgr(1).
func readLimits(item *yamlMap, limits []layout.Limit) {
	from := item.child("limits")
	for _, limit := range limits {
		switch {
		case limit.TRES != nil:
			readTRES(from, limit.Name, limit.TRES)
		case limit.Count != nil:
			from.integer(limit.Name, limit.Count)
		default:
			*limit.Minutes = readMinutes(from, limit.Name)
		}
	}
	from.done()
}

// readTRES reads numbers by the names of resources; memory has a unit.
func readTRES(from *yamlMap, key string, into *layout.TRES) {
	if from.value(key) == nil {
		return
	}
	tres := from.child(key)
	*into = layout.TRES{}
	for _, name := range tres.order {
		n := 0
		if text, ok := tres.value(name).(*ast.StringNode); name == "mem" && ok {
			if n, ok = values.MiB(text.Value); !ok {
				var size Memory
				tres.memory(name, &size)
				n = int(size / MiB)
			}
		} else {
			tres.integer(name, &n)
		}
		(*into)[name] = n
	}
}

// readReservation reads a reservation. In the place of a hostlist may be the name of a group.
func readReservation(item *yamlMap, l layout.Layout) layout.Reservation {
	var r layout.Reservation
	var start, duration Duration
	item.text("name", &r.Name)
	item.text("nodes", &r.Nodes)
	item.integer("count", &r.Count)
	item.text("partition", &r.Partition)
	item.duration("start", &start)
	item.duration("duration", &duration)
	each(item, "users", &r.Users, item.doc.word)
	each(item, "accounts", &r.Accounts, item.doc.word)
	each(item, "flags", &r.Flags, item.doc.word)
	item.done()
	r.Nodes = nodesNamed(r.Nodes, l)
	r.Start, r.Duration = int(start.Seconds()), int(duration.Seconds())
	return r
}
