package drive

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/workloads"
)

// everyOption has each column of workload.csv, and in some row a value in each.
const everyOption = "job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class," +
	"user,nodes_max,outcome,cancel_after_s,partition,mem_per_node,mem_per_cpu,features,gpu_type,shards,mps,exclusive,nodelist,segment,switches," +
	"account,nice,priority,begin_after_s,dependency,qos,licenses,reservation,array,waited_s,ran_s\n" +
	"1,0,60,120,4,8,2,2,2,1,a,eve,0,completed,0,gpu,4096,0,ib&big,a100,0,0,1,n[1-3&7],2,3,astro,-5,0,30,,debug,ansys:1&matlab:2,course,117%4,0,40\n" +
	"2,7,0,90,2,8,0,1,3,0,b,,3,cancelled_pending,50,,0,1500,a|b,,0,0,0,n1,0,0,,0,12,0,after:1,,,,,20,0\n" +
	"3,7,60,60,0,4,0,0,0,0,c,,0,failed,0,,0,0,,,3,0,0,,0,0,,7,0,0,afterok:1,,,,117%4,0,0\n" +
	"4,7,60,60,0,1,0,0,0,0,d,,0,completed,0,,0,0,,,0,50,0,,0,0,,0,0,0,,,,,,0,0\n"

// A job with every option is the same bytes of workload.csv when it is written again, and these commands of sbatch. Its earliest start
// and its dependency are in the terms of a run, see terms.
func TestEveryOption(t *testing.T) {
	jobs, err := workloads.ReadCSV(strings.NewReader(everyOption), "w.csv")
	if err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	if err = workloads.WriteCSV(&written, jobs); err != nil || written.String() != everyOption {
		t.Errorf("%v\n%s\nwant\n%s", err, written.String(), everyOption)
	}
	columns, _ := workloads.AboutColumns()
	if header, _, _ := strings.Cut(everyOption, "\n"); header != strings.Join(columns, ",") {
		t.Errorf("the columns are %v", columns)
	}
	for i, column := range columns {
		used := func(row string) bool {
			cells := strings.Split(row, ",")
			return len(cells) > i && cells[i] != "" && cells[i] != "0"
		}
		if rows := strings.Split(everyOption, "\n")[1:]; !used(rows[0]) && !used(rows[1]) && !used(rows[2]) && !used(rows[3]) {
			t.Errorf("no job has %s", column)
		}
	}
	m := workloads.Machine{Layout: layout.Layout{QOS: []layout.QOS{{Name: "debug"}}}}
	for i, want := range []string{
		"-J 1 -n 8 -N 4 --ntasks-per-node=2 --gres=gpu:a100:2 --contiguous --partition=gpu --mem=4096M --constraint=ib&big --exclusive --segment=2 --switches=3 " +
			"--account=astro --qos=debug --licenses=ansys:1,matlab:2,array-117:1 --reservation=course --nodelist=n[1-3,7] --uid=eve --nice=-5 -t 2",
		"-J 2 -n 8 -N 2-3 --gres=gpu:1-3 --mem-per-cpu=1500M --constraint=a|b --nodelist=n1 --priority=12 -t 2",
		"-J 3 -n 4 --gres=shard:3 --licenses=array-117:1 --nice=7 -t 1",
		"-J 4 -n 1 --gres=mps:50 -t 1",
	} {
		r := submission(m, jobs[i])
		want = "sbatch --parsable " + want + " -o /dev/null -e /dev/null"
		if got := strings.Join(r.Argv(), " "); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
		read, faults := sbatch.ParseCommand(r.Argv()[1:])
		read.Script = r.Script
		if len(faults) > 0 || !reflect.DeepEqual(read.Argv(), r.Argv()) {
			t.Errorf("%+v, %v, want %+v", read, faults, r)
		}
	}
}
