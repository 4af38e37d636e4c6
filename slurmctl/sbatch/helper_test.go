package sbatch

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

var rewrite = flag.Bool("rewrite", false, "write slurmctl/channel/helper/options.h")

// The C program of package channel has the fields of a job that are cells from the table, and knows every other cell by its name.
func TestHelperKnowsEachCell(t *testing.T) {
	const helper = "../channel/helper/"
	source, err := os.ReadFile(helper + "submit.c")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("/* The cells of a submission that are fields of a job: go test ./slurmctl/sbatch -rewrite. */\n")
	for _, o := range table() {
		macro := "NUMBER"
		if o.of == nil {
			macro = "TEXT"
		} else if _, isText := o.of(new(Options), new(Terms)).(*Text); isText {
			macro = "TEXT"
		}
		switch told := o.Name != "" && (o.Long != "" || o.Short != ""); {
		case told && o.field != "":
			fmt.Fprintf(&want, "%s(%s, %s)\n", macro, o.Name, o.field)
		case told && strings.Count(string(source), `take(cells, "`+o.Name+`")`) != 1:
			t.Errorf("submit.c does not take the cell %s once", o.Name)
		case !told && o.field != "":
			t.Errorf("%s is no cell, and has a field %s", o.Name, o.field)
		}
	}
	if *rewrite {
		err = os.WriteFile(helper+"options.h", []byte(want.String()), 0o644)
	}
	if got, readErr := os.ReadFile(helper + "options.h"); readErr != nil || string(got) != want.String() {
		t.Errorf("%v, %v, options.h is\n%swant\n%s", err, readErr, got, want.String())
	}
}

// Cells have the values of sbatch, but GRES and the earliest start in slurmctld's terms.
func TestCells(t *testing.T) {
	r := Request{
		Name: "7", Tasks: 8, Nodes: 2, NodesMax: 3, TasksPerNode: 2, GPUsMin: 2, GPUsMax: 2, Contiguous: true, User: "eve",
		Options: Options{Partition: "gpu", MemPerNode: 4096, Features: "ib&big", GPUType: "a100", Exclusive: true, NodeList: "n[1-3&7]"},
		Terms:   Terms{Account: "astro", Nice: -5, Dependency: "afterok:9", QOS: "debug", Licenses: "matlab:2&ansys:1", Reservation: "course"},
		Hold:    true, After: []int{3, 4}, TimeLimit: 2 * time.Hour, Begin: time.Unix(2_000_000_000, 0), Script: "#!/bin/sh\n",
	}
	const want = "name=7 tasks=8 nodes=2-3 tasks_per_node=2 gres=gres/gpu:a100:2 contiguous=1 partition=gpu mem_per_node=4096M features=ib&big " +
		"exclusive=1 account=astro qos=debug licenses=matlab:2,ansys:1 reservation=course nodelist=n[1-3,7] user=eve nice=-5 " +
		"minutes=120 hold=1 dependency=after:3:4,afterok:9 begin=2000000000"
	if got := strings.Join(r.Cells(), " "); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	least := Request{Name: "8", Tasks: 1, TimeLimit: time.Minute, Terms: Terms{Priority: 12}, Options: Options{MemPerCPU: 100}}
	if got, want := strings.Join(least.Cells(), " "), "name=8 tasks=1 mem_per_cpu=100M priority=12 minutes=1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
