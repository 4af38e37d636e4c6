//go:build integration

package cli_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// The Slurm of a site: a controller, where users are logged in, and nodes of one core. Without cgroups, which a container
// has not to give away, nothing binds a task to a core but the cpuset of its node.
const (
	siteConf = `ClusterName=site
SlurmctldHost=ctl
SlurmUser=slurm
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile=/var/log/slurmctld.log
SlurmdLogFile=/var/log/slurmd.log
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SlurmdTimeout=10
ReturnToService=2
NodeName=n[1-3] CPUs=1 RealMemory=4000
PartitionName=main Nodes=n[1-3] Default=YES MaxTime=INFINITE
`
	siteCgroups = "CgroupPlugin=disabled\n"
	munge       = "mkdir -p /run/munge && chown -R munge: /run/munge /var/log/munge /var/lib/munge && runuser -u munge -- munged\n"
	controller  = munge + "mkdir -p /var/spool/slurmctld && chown slurm: /var/spool/slurmctld && slurmctld\n"
	node        = munge + "mkdir -p /var/spool/slurmd && slurmd\n"
	// clusterPage has the commands of the test.
	clusterPage = "../../../../docs/tutorials/cluster.md"
)

// siteImage is made by "make image-site".
const siteImage = "slurmlab-site:latest"

// site is a cluster of containers. What its nodes share is in shared, at /shared/ada there.
type site struct {
	t            *testing.T
	name, shared string
}

// start starts a machine of the site on a core.
func (s site) start(host, core string) {
	s.docker("run", "--detach", "--init", "--name", s.name+"-"+host, "--hostname", host, "--network", s.name, "--network-alias", host, "--cpuset-cpus", core,
		"--shm-size=2g", "--security-opt=no-new-privileges", "--security-opt=seccomp=unconfined", "--security-opt=systempaths=unconfined",
		"--volume", s.shared+"/etc:/etc/slurm:ro", "--volume", s.shared+"/ada:/shared/ada", siteImage, "sleep", "infinity")
}

// root runs commands of a machine's administrator.
func (s site) root(host, script string) string {
	return s.docker("exec", s.name+"-"+host, "sh", "-e", "-c", script)
}

func (s site) docker(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("docker", args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func newSite(t *testing.T) site {
	backendtest.Needs(t, siteImage, "make image-site")
	s := site{t: t, name: fmt.Sprintf("slurmlab-test-site-%d", os.Getpid()), shared: t.TempDir()}
	for name, text := range map[string]string{"etc/slurm.conf": siteConf, "etc/cgroup.conf": siteCgroups} {
		path := filepath.Join(s.shared, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(s.shared, "ada", "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.docker("network", "create", s.name)
	hosts := map[string]string{"ctl": "0", "n1": "0", "n2": "1", "n3": "1"}
	t.Cleanup(func() {
		// Whatever has been made so far goes, though one of these commands fails.
		try := func(args ...string) {
			if out, err := exec.Command("docker", args...).CombinedOutput(); err != nil || t.Failed() {
				t.Logf("docker %s: %v\n%s", strings.Join(args, " "), err, out)
			}
		}
		if t.Failed() {
			try("exec", s.name+"-ctl", "sh", "-c", "tail -n 30 /var/log/slurmctld.log; tail -n 20 /shared/ada/study/on/*.out")
		}
		// What is the user's in the site is nobody's here.
		try("exec", s.name+"-ctl", "sh", "-c", "rm -rf /shared/ada/*")
		for host := range hosts {
			try("rm", "--force", s.name+"-"+host)
		}
		try("network", "rm", s.name)
	})
	for host, core := range hosts {
		s.start(host, core)
	}
	return s
}

// commandsOf are the commands of a page that stand in lines of their own, without commands of another machine.
func commandsOf(t *testing.T, page string) string {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	elsewhere := []string{"slurmlab image unpack", "tar ", "scp ", "ssh ", "export PATH"}
	for line := range strings.Lines(string(text)) {
		command, is := strings.CutPrefix(line, "    ")
		if is && !slices.ContainsFunc(elsewhere, func(of string) bool { return strings.HasPrefix(command, of) }) {
			script.WriteString(command)
		}
	}
	return script.String()
}

// complete are the records of the complete runs of a campaign, as they lie there.
func completeRuns(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*", "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		dir, err := trace.Open(filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		run, err := dir.ReadRun()
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if run.Status == trace.StatusComplete {
			all[name] = string(text)
		}
	}
	return all
}

// campaignLimit is ten times what the 24 runs take on a quiet machine.
const campaignLimit = 40 * time.Minute

// A campaign on a site's Slurm, by the commands of the tutorial. A node is lost, its task goes on where another node
// is, and no complete run is made again. The tables equal the tables of the same campaign made without Slurm's arrays.
func TestCampaignOnSlurm(t *testing.T) {
	name := backendtest.Image(t, backendtest.External())
	img, err := run.Docker{}.Image(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	script := commandsOf(t, clusterPage)
	s := newSite(t)
	ada := filepath.Join(s.shared, "ada")
	if _, err = run.Unpack(t.Context(), name, img, filepath.Join(ada, "image")); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test is slurmlab where it has that name.
	if out, copyErr := exec.Command("cp", self, filepath.Join(ada, "bin", "slurmlab")).CombinedOutput(); copyErr != nil {
		t.Fatalf("%v\n%s", copyErr, out)
	}
	s.root("ctl", "chown -R ada: /shared/ada/bin && chown ada: /shared/ada && "+controller)
	s.root("n1", node)
	s.root("n2", node)

	var told bytes.Buffer
	user := exec.Command("docker", "exec", "--interactive", "--user", "ada", "--workdir", "/shared/ada", "--env", versionVariable+"="+img.Version,
		"--env", "PATH=/shared/ada/bin:/usr/bin:/bin", "--env", "USER=ada", "--env", "HOME=/home/ada", s.name+"-ctl", "sh", "-e", "-u", "-s")
	user.Stdin, user.Stdout, user.Stderr = strings.NewReader(script), &told, &told
	if err = user.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- user.Wait() }()
	wait := func(what string, until func() bool) {
		for limit := time.Now().Add(campaignLimit); !until(); time.Sleep(500 * time.Millisecond) {
			select {
			case early := <-ended:
				t.Fatalf("the commands ended before %s: %v\n%s", what, early, &told)
			default:
			}
			if time.Now().After(limit) {
				t.Fatalf("waited too long for %s", what)
			}
		}
	}
	study := filepath.Join(ada, "study")
	var before map[string]string
	// It is best to lose a run that is under way. On a fast machine that is not seen in time, and any loss will do.
	wait("some runs were complete", func() bool {
		before = completeRuns(t, study)
		task := strings.TrimSpace(s.root("ctl", "squeue -h -w n2 -t RUNNING -o %K"))
		// The task has printed nothing yet, or has just ended.
		printed, _ := os.ReadFile(filepath.Join(study, "on", "1_"+task+".out"))
		return len(before) >= 12 || len(before) >= 4 && bytes.Contains(printed, []byte(" booting ")) && !bytes.Contains(printed, []byte(" complete after "))
	})
	s.docker("kill", s.name+"-n2")
	s.root("n3", node)
	select {
	case err = <-ended:
	case <-time.After(campaignLimit):
		t.Fatal("the campaign does not end")
	}
	t.Logf("%s", &told)
	if err != nil {
		t.Fatal(err)
	}

	after := completeRuns(t, study)
	if len(after) != 24 {
		t.Errorf("complete are %v, want 24 runs", slices.Sorted(maps.Keys(after)))
	}
	for name, record := range before {
		if after[name] != record {
			t.Errorf("%s was complete and was made again", name)
		}
	}
	manifest, err := os.Open(filepath.Join(study, "manifest.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = manifest.Close() }()
	rows, err := csv.NewReader(manifest).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	state, disturbed := slices.Index(rows[0], "state"), slices.Index(rows[0], "disturbed_percent")
	for _, row := range rows[1:] {
		t.Logf("%s was disturbed by %s %%", row[len(row)-2], row[disturbed])
		if row[state] != string(run.StateComplete) {
			t.Errorf("the manifest has %v", row)
		}
	}
	if len(rows) != 25 {
		t.Errorf("the manifest has %d lines", len(rows))
	}
	for _, want := range []string{"12 tasks for 24 runs", "study: 24 runs: 24 complete", "The campaign is complete: 24 runs in study."} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("nothing told %q", want)
		}
	}
	// On a busy machine slurmctld loses the other node for a while as well, with the run that it had.
	for _, name := range run.Aside(study) {
		if _, complete := before[name]; complete {
			t.Errorf("%s was complete and was set aside", name)
		}
	}
	if _, err = os.Stat(filepath.Join(study, "comparison.csv")); err != nil {
		t.Error(err)
	}

	// The same campaign under Docker on this machine, which takes no core from tests beside it.
	here := filepath.Join(t.TempDir(), "study")
	local := exec.Command(filepath.Join(ada, "bin", "slurmlab"), "campaign", "run", filepath.Join(ada, "study.yaml"), "--out", here, "--image", name, "--core", "none", "--repeats", "0", "--quiet")
	local.Env = append(os.Environ(), versionVariable+"="+img.Version)
	if out, runErr := local.CombinedOutput(); runErr != nil {
		t.Fatalf("%v\n%s", runErr, out)
	}
	for _, policy := range []string{"backfill", "auction"} {
		there, locally := meansOf(t, study, policy), meansOf(t, here, policy)
		t.Logf("%s: %.4g on the site, %.4g here", policy, there, locally)
		for i, mean := range there {
			// Jobs wait for less than a minute here, of which a cycle of the scheduler is up to five seconds.
			allowed := 0.05 * locally[i]
			if i == meanWaiting {
				allowed = max(allowed, 5)
			}
			if math.Abs(mean-locally[i]) > allowed {
				t.Errorf("%s has means of %.4g on the site and of %.4g here", policy, there, locally)
			}
		}
	}
}

// meanWaiting is the place of the waiting time in the means.
const meanWaiting = 3

// meansOf are the means of a policy's runs in a campaign of this test, 12 of them: jobs that completed, schedule in seconds,
// CPU utilisation, and waiting in seconds.
func meansOf(t *testing.T, folder, policy string) []float64 {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*-"+policy+"-*", "metrics.json"))
	if err != nil || len(files) != 12 {
		t.Fatalf("%s has %d runs of %s: %v", folder, len(files), policy, err)
	}
	means := make([]float64, meanWaiting+1)
	for _, path := range files {
		var m metric.Metrics
		text, readErr := os.ReadFile(path)
		if readErr = errors.Join(readErr, json.Unmarshal(text, &m)); readErr != nil {
			t.Fatal(readErr)
		}
		for i, value := range []float64{float64(m.Completed), m.Makespan, m.CPUUtilization, m.Waiting.Mean} {
			means[i] += value / float64(len(files))
		}
	}
	return means
}
