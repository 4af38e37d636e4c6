//go:build integration

package external_test

import (
	"cmp"
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/site"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

//go:embed testdata/site
var siteFiles embed.FS

func siteText(t *testing.T, name string) string {
	t.Helper()
	text, err := siteFiles.ReadFile("testdata/site/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSiteContract compares Slurm on a cluster made of a site's files with Slurm under the site's own slurm.conf and
// without any program of slurmlab. Both have the same partitions, nodes and reservations. Both refuse the same jobs,
// run the same ones on the same nodes, and give the same reasons for those that wait.
func TestSiteContract(t *testing.T) {
	own := ownSlurm(t)
	began, err := time.Parse(values.TimeLayout, strings.TrimSpace(shell(t, own, "date +%FT%T")))
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := site.Read([]site.File{
		{Name: "slurm.conf", Text: siteText(t, "slurm.conf")},
		{Name: "job_submit.lua", Text: siteText(t, "job_submit.lua")},
		{Name: "node", Text: shell(t, own, "scontrol show node")},
		{Name: "partition", Text: shell(t, own, "scontrol show partition")},
		{Name: "dump", Text: shell(t, own, "sacctmgr dump slurmlab file=/tmp/dump.txt >/dev/null; cat /tmp/dump.txt")},
		{Name: "qos", Text: shell(t, own, "sacctmgr -P show qos")},
		{Name: "reservation", Text: shell(t, own, "scontrol show reservation")},
	}, site.ReadOptions{From: began})
	if err != nil {
		t.Fatal(err)
	}
	for _, note := range cluster.Notes {
		if !strings.Contains(note, "users with one share") {
			t.Errorf("left out: %s", note)
		}
	}
	var lines []policy.Setting
	for _, s := range cluster.Settings {
		lines = append(lines, policy.Setting(s))
	}
	p, left, err := policy.OfSite(lines)
	if err != nil || len(left) > 0 {
		t.Fatalf("the policy leaves out %v: %v", left, err)
	}
	l := cluster.Layout
	cores, gpus := l.Most()
	ours := backendtest.Start(t, backendtest.External(), slurm.WithMachine(l.Nodes(), cores, gpus), slurm.WithLayout(l), slurm.WithPriority(p.Priority),
		slurm.WithScheduler(p.Scheduler), slurm.WithCore(1), slurm.WithClock(clock.Settings{Kind: clock.KindReal}))
	names := map[string]string{}
	for i, g := range l.Groups {
		hosts, err := values.ExpandHosts(g.Hosts)
		if err != nil {
			t.Fatal(err)
		}
		for k, host := range hosts {
			names[host] = fmt.Sprintf("%s%d", layout.NodePrefix, l.First(i)+k)
		}
	}
	renamed := func(text string) string { return renameHosts(text, names) }
	drained := strings.ReplaceAll(siteText(t, "jobs.txt"), "-w cn08", "-w "+names["cn08"])
	// A node is shown as reserved when slurmctld has looked at its reservations again.
	for _, part := range []struct{ what, script, other string }{
		{"partitions", `scontrol -o show partition | sed -E 's/ NodeSets=[^ ]+//'`, ""},
		{"nodes", `scontrol -o show node | grep -oE '(^NodeName|CoresPerSocket|CPUTot|AvailableFeatures|Gres|RealMemory|Sockets|State|ThreadsPerCore|Weight|Partitions|Reason)=[^ ]+' | sed -z 's/\n/ /g; s/ NodeName=/\n/g; s/+RESERVED//g'`, ""},
		{"reservations", `scontrol -o show res | grep -oE '(ReservationName|Nodes|NodeCnt|Flags|Users|Accounts)=[^ ]*'`, ""},
		{"licences", `scontrol -o show lic | cut -d' ' -f1,2`, ""},
		{"limits", `scontrol -o show assoc_mgr flags=qos | grep -oE '(^QOS|GrpTRES|MaxTRESPU|MaxJobsPU|MaxWallPJ|Priority)=[^ ]+'`, ""},
		{"jobs", submitAll(siteText(t, "jobs.txt"), "--external"), submitAll(drained, "job.sh")},
	} {
		other := part.script
		if part.other != "" {
			other = part.other
		}
		texts := both(t, [2]*slurm.Container{own, ours}, [2]string{part.script, other})
		want, got := sorted(renamed(texts[0])), sorted(texts[1])
		if got != want {
			t.Errorf("%s: with the site's own slurm.conf:\n%s\non the cluster made of it:\n%s", part.what, want, got)
		}
		if strings.Count(want, "\n") < 2 {
			t.Errorf("%s: Slurm says hardly anything: %s", part.what, want)
		}
	}
}

// both runs a script in each of two clusters at the same time.
func both(t *testing.T, clusters [2]*slurm.Container, scripts [2]string) (texts [2]string) {
	t.Helper()
	var group errgroup.Group
	for i, c := range clusters {
		group.Go(func() error {
			out, err := c.Run(t.Context(), []byte(scripts[i]), "bash", "-s")
			texts[i] = string(out)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	return texts
}

// submitAll submits jobs in the order of their lines and prints the result of each: why it was refused, where it runs
// or why not. A job that is external from the start has no script. All jobs get the same instant to begin at, so that
// one pass of backfill sees them all, however long submission takes. They are looked at after the third pass that took
// less than four seconds: on a busy machine a pass ends at bf_max_time, here five seconds, before it has seen them all.
// Backfill skips a pass when no job has changed since the last one (more_work of Slurm's backfill.c).
func submitAll(lines, last string) string {
	return `cd /tmp; printf '#!/bin/bash\n# slurmlab seconds=3000\nsleep 3000\n' > job.sh
while read -r line; do
	case "$line" in '#'* | '') continue ;; esac
	sbatch --parsable -o /dev/null --begin=now+1day $line ` + last + ` >said 2>&1 || echo "$(tail -1 said) $line"
done <<'END'
` + lines + `END
jobs=$(squeue -h -o '%j %i' | sed -n '/^later /!s/.* //p' | paste -s -d,)
for seconds in 10 40 160 640; do
	begin=$(($(date +%s) + seconds))
	scontrol update jobid=$jobs starttime=$(date -d @$begin +%FT%T)
	[ $(date +%s) -lt $begin ] && together=yes && break
done
[ "$together" ] || { echo "jobs did not get one begin within $seconds s" >&2; exit 1; }
passes=0
for look in $(seq 600); do
	scontrol update jobname=plain comment="after $passes passes"
	stats=$(sdiag | sed -n '/^Backfilling/,$p')
	now=$(echo "$stats" | sed -n 's/.*Last cycle when:.*(\([0-9]*\))/\1/p')
	took=$(echo "$stats" | sed -n 's/.*Last cycle: *\([0-9]*\)$/\1/p')
	[ $now -ge $begin ] && [ $now != "$before" ] && before=$now && [ $took -lt 4000000 ] && passes=$((passes + 1))
	[ $passes = 3 ] && break
	sleep 1
done
[ $passes = 3 ] || { echo "backfill passed $passes times in $look looks" >&2; exit 1; }
squeue -h -o '%j|%u|%a|%q|%P|%T|%C|%D|%l|%Q|%R'
`
}

func sorted(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// renameHosts puts other names in the place of those of nodes, also in hostlists.
func renameHosts(text string, names map[string]string) string {
	return regexp.MustCompile(`\b[a-z]+(\d+|\[[0-9,-]+\])(,[a-z]+(\d+|\[[0-9,-]+\]))*`).ReplaceAllStringFunc(text, func(list string) string {
		hosts, err := values.ExpandHosts(list)
		if err != nil {
			return list
		}
		for i, host := range hosts {
			if names[host] == "" {
				return list
			}
			hosts[i] = names[host]
		}
		slices.SortFunc(hosts, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
		return values.CompressHosts(hosts)
	})
}

// ownSlurm is a slurmctld with the site's own slurm.conf. Of the configuration of slurmlab it has what daemons in one container
// need: how they find and trust each other, and that nodes are external.
func ownSlurm(t *testing.T) *slurm.Container {
	t.Helper()
	c := backendtest.Start(t, backendtest.External(), slurm.WithMachine(1, 1, 1), slurm.WithScheduler(conf.Scheduler{Type: conf.Backfill}), slurm.WithCore(0),
		slurm.WithClock(clock.Settings{Kind: clock.KindReal}))
	said := shell(t, c, `(
set -ex
touch /run/slurmlab/down/slurmctld /run/slurmlab/down/runner; pkill -x slurmctld; pkill -f 'slurmlabd runner'
while pgrep -x slurmctld >/dev/null; do sleep 0.2; done
cd /etc/slurm
cp slurm.conf lab.conf
cat >site.conf <<'END'
`+siteText(t, "slurm.conf")+`END
cat >job_submit.lua <<'END'
`+siteText(t, "job_submit.lua")+`END
replaced='^(ClusterName|SlurmctldHost|SlurmUser|StateSaveLocation|ProctrackType|TaskPlugin|SlurmctldTimeout|Prolog)='
{
	grep -E '^(ClusterName|SlurmctldHost|SlurmUser|AuthType|CredType|AuthInfo|StateSaveLocation|SlurmctldPidFile|SlurmctldLogFile|MailProg|ProctrackType|TaskPlugin|JobAcctGatherType|InactiveLimit|CommunicationParameters|AccountingStorageType|AccountingStorageHost|SlurmdTimeout)=' lab.conf
	grep -vE "$replaced" site.conf | sed -E '/^NodeName=[a-z]+[[]/s/$/ NodeAddr=127.0.0.1 State=EXTERNAL/'
} >slurm.conf
rm -rf /var/spool/slurmctld/*
for user in anna bob carl; do useradd "$user"; done
`+siteText(t, "accounts.sh")+`
slurmctld
for _ in $(seq 100); do sinfo >/dev/null 2>&1 && break; sleep 0.2; done
scontrol update nodename=cn[07-08] state=drain reason='rack 4: cooling'
scontrol create reservation reservationname=course starttime=now duration=600 nodes=cn05 users=anna
echo started
) >/tmp/said 2>&1; cat /tmp/said
`)
	if !strings.HasSuffix(said, "\nstarted\n") {
		t.Fatalf("the site's Slurm does not start:\n%s", said)
	}
	return c
}
