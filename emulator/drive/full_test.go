package drive_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/workloads"
)

// fullJobs has waiting jobs when a job Z arrives that takes the machine of 32
// cores, later ones, and a second Z while the first waits.
func fullJobs() []workloads.Job {
	job := func(id, arrival, runtime, cores int, class string) workloads.Job {
		return workloads.Job{ID: id, Arrival: arrival, Runtime: runtime, Limit: 900, Cores: cores, Class: class}
	}
	return []workloads.Job{
		job(1, 0, 300, 16, "a"), job(2, 0, 200, 16, "a"), job(3, 1, 100, 16, "a"), job(4, 1, 100, 8, "a"),
		job(5, 60, 100, 32, "Z"), job(6, 90, 30, 8, "a"), job(7, 120, 100, 32, "Z"), job(8, 150, 20, 8, "a"),
	}
}

// "NO OTHER JOB IS ALLOWED TO START ONCE THE Z JOB HAS BEEN SUBMITTED" (README of ESP-2.2.1), under any scheduler.
func TestNoJobStartsBeforeAFullConfigurationJob(t *testing.T) {
	for _, held := range []bool{false, true} {
		for _, class := range []string{"Z", ""} {
			t.Run(fmt.Sprintf("held %v %s", held, class), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBench(t, held, 0, fullJobs()...)
					b.driver.Request.FullConfiguration = class
					if held {
						b.auctions()
					}
					if end := b.driver.Drive(t.Context()); end.Status != trace.StatusComplete {
						t.Fatalf("end %+v", end)
					}
					bypassed := overtakers(b.rows(t), map[string]bool{"5": true, "7": true})
					if class == "Z" && len(bypassed) > 0 {
						t.Errorf("jobs %s started between submission and start of a Z job", strings.Join(bypassed, ", "))
					}
					if class == "" && held && len(bypassed) == 0 {
						t.Error("without the rule too no job starts before a Z job: the test shows nothing")
					}
				})
			})
		}
	}
}

// overtakers are the jobs that started after the submission of a full job and
// before its start.
func overtakers(rows []accounting.Row, full map[string]bool) []string {
	var names []string
	for _, z := range rows {
		if !full[z.JobName] {
			continue
		}
		for _, row := range rows {
			if !full[row.JobName] && row.Start.After(z.Submit.Add(time.Second)) && row.Start.Before(z.Start) {
				names = append(names, row.JobName)
			}
		}
	}
	return names
}
