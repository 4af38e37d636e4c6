package serve_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/cli"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// command is "slurmlab serve" itself, with explanations and comparisons as everybody has them.
// It returns the address of its page.
func command(t testing.TB, paths ...string) string {
	t.Helper()
	ctx, interrupt := context.WithCancelCause(t.Context())
	read, write := io.Pipe()
	code := make(chan int, 1)
	go func() {
		s := &cli.State{Context: ctx, Stop: func() {}, Stdout: write, Stderr: io.Discard, Version: "0.1.0"}
		code <- cli.Main(s, append([]string{"serve"}, paths...))
		// A command that ends early also ends the reader below.
		_ = write.Close()
	}()
	address, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		interrupt(run.ErrStopped)
		if got := <-code; got != 0 {
			t.Errorf("serve ends with %d", got)
		}
	})
	return strings.TrimSpace(address)
}

// fetch gets a part of a page that must be good.
func fetch(t testing.TB, address, path string, into any) {
	t.Helper()
	answer, err := http.Get(address + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %v: %s", path, answer.Status, err, body)
	}
	if err = json.Unmarshal(body, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// campaignOf writes the folder of a campaign of so many seeds on some workloads under two
// policies, without its runs.
func campaignOf(t testing.TB, folder string, seeds int, workloads ...string) {
	t.Helper()
	file := filepath.Join(folder, run.InputsName, "campaign.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("theoretical_runtime: 4h\nmachines: S\nworkloads: [%s]\nseeds: 1..%d\npolicies: [%s, %s]\nslurm: \"26.05\"\n",
		strings.Join(workloads, ", "), seeds, wholeQueue, "auction")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// wholeQueue is the policy of the recorded runs that are named after backfill.
const wholeQueue = "backfill-whole-queue"

// madeRun writes the archive of a campaign's run, which is a recorded one with another seed.
func madeRun(t testing.TB, folder, workload, scheduled string, seed int) {
	t.Helper()
	short := strings.TrimSuffix(scheduled, "-whole-queue")
	from, err := zip.OpenReader(filepath.Join(recorded, fmt.Sprintf("S-%s-%s-seed1.zip", workload, short)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	name := runName(workload, scheduled, seed)
	file, err := os.Create(filepath.Join(folder, name+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	to := zip.NewWriter(file)
	for _, member := range from.File {
		if member.Name != "run.json" {
			if err = to.Copy(member); err != nil {
				t.Fatal(err)
			}
			continue
		}
		record := map[string]any{"id": name, "policy": scheduled, "seed": seed}
		if scheduled == "auction" {
			record["value_rule"], record["policy_parameters"] = auction.DefaultRule().String(), policy.DefaultParameters()
		}
		data := changed(t, contents(t, member), record)
		w, createErr := to.Create(member.Name)
		if createErr != nil {
			t.Fatal(createErr)
		}
		if _, err = w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err = to.Close(); err != nil {
		t.Fatal(err)
	}
	if err = file.Close(); err != nil {
		t.Fatal(err)
	}
}

func runName(workload, policy string, seed int) string {
	return fmt.Sprintf("S-%s-%s-26.05-seed%d", workload, policy, seed)
}

// auctioned writes the directory of a recorded auction with what its cycles decided on: the one by
// which plugin-bridge/journal decides them again. Its accounting was not kept, so that it stands as a run that broke.
func auctioned(t testing.TB, folder, name string) {
	t.Helper()
	const from = "../../../../plugin-bridge/journal/testdata/auction-V.2"
	read := func(file string) []byte {
		data, err := os.ReadFile(filepath.Join(from, file))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	dir, err := trace.Create(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	packed, err := gzip.NewReader(bytes.NewReader(read("cycles.jsonl.gz")))
	if err != nil {
		t.Fatal(err)
	}
	cycles, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	workload, err := workloads.Load("V.2")
	if err != nil {
		t.Fatal(err)
	}
	if workload, err = workload.WithEstimatedRuntime(20 * time.Minute); err != nil {
		t.Fatal(err)
	}
	machine, err := workloads.LoadMachine("S")
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := workload.Jobs(machine, 1)
	if err != nil {
		t.Fatal(err)
	}
	record := changed(t, read("run.json"), map[string]any{
		"schema_version": trace.SchemaVersion, "id": name, "tool_version": "recorded", "slurm": "24.11", "clock": "jump", "time_scale": 1, "jobs": len(jobs), "submitted": len(jobs),
		"status": trace.StatusIncomplete, "reason": "its accounting was not kept",
	})
	for file, data := range map[string][]byte{dir.RunFile(): record, dir.CyclesFile(): cycles, dir.SnapshotsFile(): read("snapshots.jsonl.gz")} {
		if err = os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err = trace.WriteAtomic(dir.WorkloadFile(), func(w io.Writer) error { return workloads.WriteCSV(w, jobs) }); err != nil {
		t.Fatal(err)
	}
}
