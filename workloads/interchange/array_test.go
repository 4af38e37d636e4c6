package interchange_test

import "testing"

// sacct(1): JobID of a task is ARRAY_TASK. How many tasks may run at a time stands in the line of sbatch alone (sbatch(1), "--array").
func TestArrays(t *testing.T) {
	const header = "JobIDRaw|JobID|State|Submit|Start|End|Timelimit|NNodes|NCPUS|ReqTRES|SubmitLine\n"
	const ran = "|COMPLETED|1000|1000|1060|10|1|4||"
	s := wantRows(t, "sacct", header+
		"12|10_0"+ran+"sbatch --array=0-9%2 x.sh\n"+
		"13|10_1"+ran+"sbatch -t 5 --array=0-9%2 x.sh\n"+
		"15|14_7"+ran+"sbatch -a 7,9%4 -J a x.sh\n"+
		"18|17_0"+ran+"sbatch -a0-3:2%1 x.sh\n"+
		"20|19_0"+ran+"sbatch --array '0-3%3' x.sh\n"+
		"22|21_0"+ran+"sbatch --array=0-3 x%2.sh\n"+
		"26|25_0"+ran+"sbatch --array=0-3%1000000 x.sh\n"+
		"23|23"+ran+"sbatch -n4 x.sh\n"+
		"24|24+0"+ran+"sbatch x.sh\n"+
		"30|30_[4-9%2]|CANCELLED by 7|1000|None|1100|10|1|4||sbatch --array=0-9%2 x.sh\n", optionsS(),
		"12,0,60,600,1,4,4,0,0,0,type3,completed,0,10%2",
		"13,0,60,600,1,4,4,0,0,0,type3,completed,0,10%2",
		"15,0,60,600,1,4,4,0,0,0,type3,completed,0,14%4",
		"18,0,60,600,1,4,4,0,0,0,type3,completed,0,17%1",
		"20,0,60,600,1,4,4,0,0,0,type3,completed,0,19%3",
		"22,0,60,600,1,4,4,0,0,0,type3,completed,0,21",
		"26,0,60,600,1,4,4,0,0,0,type3,completed,0,25",
		"23,0,60,600,1,4,4,0,0,0,type3,completed,0,",
		"24,0,60,600,1,4,4,0,0,0,type3,completed,0,",
		"30,0,0,600,1,4,4,0,0,0,type3,cancelled_pending,100,30%2")
	if got, want := s.Text()[len(s.Text())-1], "ignored: the common start of the components of heterogeneous jobs, each a job by itself here, of 1 jobs"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// Without that line all tasks may run at a time.
	wantRows(t, "sacct", "JobIDRaw|JobID|State|Submit|Start|End|Timelimit|NNodes|NCPUS\n12|10_0|COMPLETED|1000|1000|1060|10|1|4\n", optionsS(),
		"12,0,60,600,1,4,4,0,0,0,type3,10")
	// Rows that say different things of one array are one fault each.
	wantFaults(t, "sacct", header+"12|10_0"+ran+"sbatch --array=0-9%2 x\n13|10_1"+ran+"sbatch --array=0-9%3 x\n", optionsS(),
		`t:3: job 13: array: got "10%3", allowed 10%2, as in the rows before: an array has one number of tasks that may run at a time`)
}
