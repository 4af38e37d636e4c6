//go:build integration

package external_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/site"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// comesBack reads what sacctmgr and Slurm's own files say of the cluster as a site's files. The QOS and accounts
// equal the ones that the cluster was made of.
func comesBack(t *testing.T, c *slurm.Container) {
	t.Helper()
	var files []site.File
	for _, script := range []string{
		"sacctmgr -P show qos",
		"sshare -a -l -P",
		"scontrol show node",
		"sacctmgr dump slurmlab file=/tmp/dump.txt >/tmp/dump.out 2>&1; cat /tmp/dump.txt",
		"cat /etc/slurm/slurm.conf",
	} {
		files = append(files, site.File{Name: script, Text: shell(t, c, script)})
	}
	got, err := site.Read(files, site.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := ruled()
	// Slurm has a QOS more; an import leaves out users without a rule or usage of their own. The jobs so far have used
	// some core-hours, and usage decays.
	want.QOS = append([]layout.QOS{{Name: layout.NormalQOS}}, want.QOS...)
	for _, all := range [][]layout.Account{got.Layout.Accounts, want.Accounts} {
		for _, a := range all {
			for i, u := range a.Users {
				a.Users[i].Usage = int(math.Round(float64(u.Usage)/1e5)) * 1e5
			}
		}
	}
	for _, all := range []*layout.Layout{&got.Layout, &want} {
		for i, a := range all.Accounts {
			all.Accounts[i].Users = slices.DeleteFunc(a.Users, func(u layout.User) bool { return u.Shares == 0 && u.Usage == 0 && u.Limits.IsZero() })
			slices.Sort(a.QOS)
		}
	}
	byName := func(a, b layout.Account) int { return strings.Compare(a.Name, b.Name) }
	accounts := func(all []layout.Account) []layout.Account { return slices.SortedFunc(slices.Values(all), byName) }
	for _, part := range []struct {
		what      string
		got, want any
	}{{"QOS", got.Layout.QOS, want.QOS}, {"accounts", accounts(got.Layout.Accounts), accounts(want.Accounts)}, {"weights", got.Layout.Weights, want.Weights}} {
		a, errA := json.Marshal(part.got)
		b, errB := json.Marshal(part.want)
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Errorf("%s that come back:\n%s\nwant\n%s\n%v %v", part.what, a, b, errA, errB)
		}
	}
	m, err := workloads.MachineOf("back", got.Layout, workloads.Tree{})
	if err != nil {
		t.Fatal(err)
	}
	recordComesBack(t, c, m)
}

// recordComesBack makes nodes go down and come back, and reads what slurmdbd recorded of it as events of a site. A drained node is out of
// service in the record when its last job has ended, and one that goes down then stays DRAIN there.
func recordComesBack(t *testing.T, c *slurm.Container, m workloads.Machine) {
	t.Helper()
	began, record, _ := strings.Cut(shell(t, c, `slurmlabd clock go
date -u +%Y-%m-%dT%H:%M:%S
scontrol update NodeName=n5 State=DOWN Reason='power supply'
sleep 100
scontrol update NodeName=n[1-2] State=DRAIN Reason=fan
sleep 100
scontrol update NodeName=n5 State=RESUME
sleep 1000
scontrol update NodeName=n2 State=DOWN Reason=disk
sleep 100
scontrol update NodeName=n[1-2] State=RESUME
sleep 100
sacctmgr -P show event
slurmlabd clock hold
`), "\n")
	from, err := time.Parse("2006-01-02T15:04:05", began)
	if err != nil {
		t.Fatal(err)
	}
	got, err := events.Import(strings.NewReader(record), "record", m, events.Options{From: from})
	if err != nil {
		t.Fatal(err)
	}
	// n1 has jobs of 600 s when it is drained.
	want := []struct {
		at   int
		what string
	}{{0, "down n5 (power supply)"}, {100, "drain n2 (fan)"}, {200, "resume n5"}, {600, "drain n1 (fan)"}, {1200, "drain n2 (disk)"}, {1300, "resume n[1-2]"}}
	same := len(got.Events) == len(want) && len(got.OtherNodes)+len(got.OtherStates) == 0
	for i, e := range got.Events {
		same = same && e.String() == want[i].what && e.At >= want[i].at && e.At <= want[i].at+10
	}
	if !same {
		t.Errorf("got %+v of\n%s\nwant %v", got, record, want)
	}
}
