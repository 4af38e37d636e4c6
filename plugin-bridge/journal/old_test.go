package journal_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// old is a journal as programs before the type machine.Holding wrote it. Running jobs of the snapshot are whole bids
// under "bid". Free licences that a job in flight holds stand there as an entry below 0.
const old = `{"cycle":7,"time_s":60,"options":{"MaxBidsPerJob":15,"MaxBids":5000,"Objective":"value","UnstableRemainders":false,"NoSlurmBids":false,"NoRemainders":false,"OnlyBlocks":false},"snapshot":{"Nodes":null,"Jobs":null,"Licences":[{"Name":"matlab","Count":5},{"Name":"matlab","Count":-2}],"Running":null,"Reservation":null},"machine":[{"nodes":"n[1-3]","each":{"Name":"","Cores":8,"GPUs":2,"FreeCores":0,"FreeGPUs":0,"Memory":64,"FreeMemory":0,"Features":null,"Partitions":["main"],"Switches":null}}],"free":[[1,4,1,48],[2,8,2,64]],"jobs":[{"ID":3,"Priority":0,"Cores":4,"Nodes":2,"CoresPerNode":2,"GPUs":1,"MaxGPUs":0,"Contiguous":false,"TimeLimit":600000000000,"Weight":0,"Options":{"Partition":"main","Features":null,"Required":null,"Excluded":null,"Exclusive":false,"MemoryPerNode":0,"MemoryPerCore":0,"Switches":0,"Licences":[{"Name":"matlab","Count":1}]},"Alternatives":null,"Overdue":false}],"window":[3],"selections":[[0]],"placed":[{"Job":1,"Nodes":[0],"Cores":[4],"GPUs":1,"End":120000000000}],"running":[1],"outside":[9],"occupy":[{"bid":{"Job":0,"Class":65,"Alternative":0,"Nodes":[0],"Cores":[4],"GPUs":1,"Preference":1,"TasksPerNode":4,"MinCores":0,"Exclusive":false,"Tasks":0,"MemoryPerNode":0,"MemoryPerCore":4},"end_ns":120000000000}],"occupied":[0]}
{"cycle":8,"time_s":65.5,"options":{"MaxBidsPerJob":15,"MaxBids":5000,"Objective":"value","UnstableRemainders":false,"NoSlurmBids":true,"NoRemainders":true,"OnlyBlocks":false},"snapshot":{"Nodes":null,"Jobs":null,"Licences":null,"Running":null,"Reservation":null},"free":[[1,4,1,48],[2,8,2,64]],"window":[],"selections":null,"running":[1],"occupied":[0]}
`

// TestOldJournal: a journal that an earlier version recorded is read as it was
// meant.
func TestOldJournal(t *testing.T) {
	cycles, truncated, err := read(packed(old))
	if err != nil || truncated || len(cycles) != 2 {
		t.Fatalf("%d cycles, truncated %v, %v", len(cycles), truncated, err)
	}
	held := machine.Allocation{Nodes: []int{0}, Cores: []int{4}, GPUs: 1}
	running := []machine.Holding{{Job: 1, Allocation: held, End: 2 * time.Minute}}
	held.MemoryPerCore = 4
	occupied := []machine.Holding{{Allocation: held, End: 2 * time.Minute}}
	for i, now := range []time.Duration{time.Minute, 65*time.Second + time.Second/2} {
		c := cycles[i]
		if !reflect.DeepEqual(c.Running, running) || !reflect.DeepEqual(c.Snapshot.Running, occupied) || c.Snapshot.Now != now {
			t.Errorf("cycle %d: at %v %+v, of the snapshot %+v", c.Cycle, c.Snapshot.Now, c.Running, c.Snapshot.Running)
		}
	}
	former := auction.FormerRule()
	options := auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 15, MaxBids: 5000}), Objective: auction.ObjectiveValue, Rule: &former, ValueAlone: true}
	if c := cycles[0]; !reflect.DeepEqual(c.Options, options) {
		t.Errorf("options %+v, want %+v", c.Options, options)
	}
	options.Bids.SlurmBids, options.Bids.Remainders = false, false
	if c := cycles[1]; !reflect.DeepEqual(c.Options, options) {
		t.Errorf("options %+v, want %+v", c.Options, options)
	}
	c := cycles[0]
	if n := c.Snapshot.Licences.Count("matlab"); n != 3 || c.Snapshot.Jobs[0].Options.Licences.Count("matlab") != 1 {
		t.Errorf("%d licences free, the job wants %v", n, c.Snapshot.Jobs[0].Options.Licences)
	}
	r, err := journal.Replay(c)
	if err != nil || len(r.Ordered) != 1 || r.Ordered[0].Job != 0 {
		t.Errorf("replay %+v, %v", r.Ordered, err)
	}
}
