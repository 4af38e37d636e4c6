//go:build integration

package external_test

import (
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// ruled are groups with every limit, flag, weight and kind of reservation that a layout can have. Account
// "every" and the QOS of that name are there for sacctmgr to show, and no job has them.
func ruled() layout.Layout {
	every := layout.Limits{
		GrpTRES: layout.TRES{"cpu": 10, "node": 5, "mem": 30000, "gres/gpu": 2, "gres/gpu:a100": 1}, GrpJobs: 20,
		MaxTRESPerJob: layout.TRES{"cpu": 6}, MaxTRESPerUser: layout.TRES{"node": 4}, MaxTRESPerAccount: layout.TRES{"gres/gpu": 2},
		MaxJobsPerUser: 7, MaxJobsPerAccount: 8, MaxWall: 90,
	}
	ofAccount := layout.Limits{GrpTRES: every.GrpTRES, GrpJobs: 20, MaxTRESPerJob: every.MaxTRESPerJob, MaxJobs: 9, MaxWall: 90}
	return layout.Layout{
		Groups: []layout.Group{
			{Name: "thin", Count: 5, Sockets: 1, Cores: 8, Threads: 1, Memory: 16000, Weight: 1},
			{Name: "fat", Count: 1, Sockets: 1, Cores: 8, Threads: 1, Memory: 16000, GPUs: []layout.GPU{{Type: "a100", Count: 2}}, Weight: 2},
		},
		Partitions: []layout.Partition{{Name: "main", Groups: []string{"thin", "fat"}, Default: true, PriorityTier: 1, PriorityJobFactor: 1}},
		QOS: []layout.QOS{
			{Name: "debug", Priority: 1000, Limits: layout.Limits{MaxJobsPerUser: 1}},
			{Name: "small", Limits: layout.Limits{GrpTRES: layout.TRES{"cpu": 3}}},
			{Name: "each", Limits: layout.Limits{MaxTRESPerUser: layout.TRES{"cpu": 2}}},
			{Name: "every", Priority: 50, UsageFactor: 2.5, Flags: layout.QOSFlags(), Limits: every},
		},
		Accounts: []layout.Account{
			{Name: "physics", Shares: 10, Limits: layout.Limits{GrpTRES: layout.TRES{"cpu": 4}}, Users: []layout.User{{Name: "anna", Shares: 3, Usage: 700_000}}},
			{Name: "astro", Parent: "physics", Shares: 20, Users: []layout.User{{Name: "bob", Usage: 3_000_000}}},
			{Name: "bio", Limits: layout.Limits{GrpJobs: 1}, QOS: []string{"normal", "debug"}, DefaultQOS: "debug", Users: []layout.User{{Name: "carl", Limits: ofAccount}}},
			{Name: "every", Limits: ofAccount, Users: []layout.User{{Name: "anna", Usage: 400_000_000}}},
			{Name: "chem", Users: []layout.User{{Name: "dora", Limits: layout.Limits{MaxJobs: 1}}, {Name: "fred", Usage: 200_000}, {Name: "gina"}}},
		},
		Licenses: []layout.License{{Name: "matlab", Count: 2}, {Name: "ansys", Count: 1}},
		Weights:  layout.Weights{QOS: 1000, FairShare: 500},
		Reservations: []layout.Reservation{
			{Name: "cooling", Nodes: "n5", Start: 3600, Duration: 7200, Flags: layout.ReservationFlags()},
			{Name: "course", Nodes: "n4", Duration: 7200, Users: []string{"dora"}},
			{Name: "any", Count: 1, Partition: "main", Start: 90000, Duration: 60, Accounts: []string{"astro"}},
		},
	}
}

// Limits are kept, and reasons are those of squeue(1), "JOB REASON CODES". Jobs are submitted by root for their users
// (sbatch(1), --uid).
func TestRules(t *testing.T) {
	c := backendtest.Start(t, backendtest.External(), slurm.WithMachine(6, 8, 2), slurm.WithLayout(ruled()), slurm.WithPriority(priority.Multifactor),
		slurm.WithScheduler(conf.Scheduler{Type: conf.Backfill}), slurm.WithCore(0), slurm.WithClock(clock.Settings{Kind: clock.KindJump}))
	for _, part := range []struct{ what, script, want string }{
		{"slurm.conf", `scontrol show config | grep -E 'AccountingStorageEnforce|PriorityWeight(QOS|FairShare)' | tr -s ' '`, `AccountingStorageEnforce = associations,limits,qos
PriorityWeightFairShare = 500
PriorityWeightQOS = 1000
`},
		{"QOS", `sacctmgr -n -P show qos format=name,priority,usagefactor,flags,grptres,grpjobs,maxtresperjob,maxtresperuser,maxtresperaccount,maxjobsperuser,maxjobsperaccount,maxwall`, `normal|0|1.000000|||||||||
debug|1000|1.000000|||||||1||
small|0|1.000000||cpu=3|||||||
each|0|1.000000|||||cpu=2||||
every|50|2.500000|DenyOnLimit,OverPartQOS|cpu=10,gres/gpu:a100=1,gres/gpu=2,mem=30000M,node=5|20|cpu=6|node=4|gres/gpu=2|7|8|01:30:00
`},
		{"associations", `sacctmgr -n -P show assoc format=account,user,parentname,share,qos,defaultqos,grptres,grpjobs,maxtresperjob,maxjobs,maxwall`, `root|||1|debug,each,every,normal,small||||||
root|root||1|debug,each,every,normal,small||||||
bio||root|1|debug,normal|debug||1|||
bio|carl||1|debug,normal|debug|cpu=10,gres/gpu:a100=1,gres/gpu=2,mem=30000M,node=5|20|cpu=6|9|01:30:00
chem||root|1|debug,each,every,normal,small||||||
chem|dora||1|debug,each,every,normal,small|||||1|
chem|fred||1|debug,each,every,normal,small||||||
chem|gina||1|debug,each,every,normal,small||||||
every||root|1|debug,each,every,normal,small||cpu=10,gres/gpu:a100=1,gres/gpu=2,mem=30000M,node=5|20|cpu=6|9|01:30:00
every|anna||1|debug,each,every,normal,small||||cpu=6|9|01:30:00
physics||root|10|debug,each,every,normal,small||cpu=4||||
physics|anna||3|debug,each,every,normal,small||||||
astro||physics|20|debug,each,every,normal,small||||||
astro|bob||1|debug,each,every,normal,small||||||
`},
		// Usage decays from the start on. The usage of an account includes all below it.
		{"usage", `sshare -a -P -n -o Account,User,RawUsage | awk -F'|' '{printf "%s|%s|%.4g\n", $1, $2, $3}'`, `root||4.039e+08
 root|root|0
 bio||0
  bio|carl|0
 chem||2e+05
  chem|dora|0
  chem|fred|2e+05
  chem|gina|0
 every||4e+08
  every|anna|4e+08
 physics||3.7e+06
  physics|anna|7e+05
  astro||3e+06
   astro|bob|3e+06
`},
		{"licences", `scontrol -o show lic | cut -d' ' -f1,2`, "LicenseName=ansys Total=1\nLicenseName=matlab Total=2\n"},
		{"reservations", `scontrol -o show res | grep -oE '(ReservationName|Duration|Nodes|NodeCnt|Flags|Users|Accounts)=[^ ]*' | tr '\n' ' '`, "ReservationName=cooling Duration=02:00:00 Nodes=n5 NodeCnt=1 Flags=MAINT,OVERLAP,SPEC_NODES Users=root Accounts=(null) " +
			"ReservationName=course Duration=02:00:00 Nodes=n4 NodeCnt=1 Flags=SPEC_NODES Users=dora Accounts=(null) " +
			"ReservationName=any Duration=00:01:00 Nodes=n1 NodeCnt=1 Flags= Users=(null) Accounts=astro "},
		{"reasons", `cd /tmp
job() { printf '#!/bin/bash\n# slurmlab seconds=600\n' > job.sh; sbatch --parsable -o /dev/null -t 20 "$@" job.sh 2>&1 | tail -1; }
slurmlabd clock go
job -J debug-1 --uid=anna -q debug -n 1
job -J debug-2 --uid=anna -q debug -n 1
job -J debug-3 --uid=bob -q debug -n 1
job -J small-1 -q small -n 2
job -J small-2 -q small -n 2
job -J each-1 -q each -n 2
job -J each-2 -q each -n 1
job -J account-1 --uid=anna -n 2
job -J account-2 --uid=bob -n 1
job -J bio-1 --uid=carl -q normal -n 1
job -J bio-2 --uid=carl -q normal -n 1
job -J reserved --uid=dora -n 1 --reservation=course
sleep 5
job -J user-2 --uid=dora -n 1
job -J licence-1 -L matlab:2 -n 1
job -J licence-2 -L matlab:1,ansys -n 1
job -J kept -w n4 -n 1
job -J long -w n5 -n 1 -t 120
job -J stranger --uid=anna -n 1 --reservation=course
job -J nobody --uid=carl -q small -n 1 -A bio
sleep 60
squeue -h -o '%j %u %a %q %t %R' | sed '/^reserved/!s/ R n[1-6]$/ R/' | LC_ALL=C sort
slurmlabd clock hold
`, `1
2
3
4
5
6
7
8
9
10
11
12
13
14
15
16
17
sbatch: error: Batch job submission failed: Access denied to requested reservation
sbatch: error: Batch job submission failed: Invalid qos specification
account-1 anna physics normal R
account-2 bob astro normal PD (AssocGrpCpuLimit)
bio-1 carl bio normal R
bio-2 carl bio normal PD (AssocGrpJobsLimit)
debug-1 anna physics debug R
debug-2 anna physics debug PD (QOSMaxJobsPerUserLimit)
debug-3 bob astro debug R
each-1 root root each R
each-2 root root each PD (QOSMaxCpuPerUserLimit)
kept root root normal PD (ReqNodeNotAvail, May be reserved for other job)
licence-1 root root normal R
licence-2 root root normal PD (Licenses)
long root root normal PD (ReqNodeNotAvail, May be reserved for other job)
reserved dora chem normal R n4
small-1 root root small R
small-2 root root small PD (QOSGrpCpuLimit)
user-2 dora chem normal PD (AssocMaxJobsLimit)
`},
	} {
		if got := shell(t, c, part.script); got != part.want {
			t.Errorf("%s:\n%s\nwant\n%s", part.what, got, part.want)
		}
	}
	comesBack(t, c)
	// Two users who differ only in their usage wait for the same licence, fred for longer.
	if got := shell(t, c, `cd /tmp
printf '#!/bin/bash\n# slurmlab seconds=60\n' > job.sh
slurmlabd clock go
ids=
for user in root fred gina; do
	ids="$ids $(sbatch --parsable -o /dev/null -t 20 -n 1 -L ansys -J for-$user --uid=$user job.sh)"
	# The first has the licence before the others come, and each has another time of submission.
	while squeue -h -n for-root -t PD | grep -q .; do sleep 1; done
	sleep 5
done
sleep 300
accounted $ids
sacct -a -X -n -P -S now-1hour -o jobname,start | grep ^for- | sort -t'|' -k2 | cut -d'|' -f1
slurmlabd clock hold
`); got != "for-root\nfor-gina\nfor-fred\n" {
		t.Errorf("the licence went to %q, want to gina, who has used less, before fred", got)
	}
}
