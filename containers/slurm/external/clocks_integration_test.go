//go:build integration

package external_test

import (
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/external"
	"github.com/slurmlab/slurmlab/containers/slurm/kinds/kindstest"
)

// The clocks that skip nothing end a job at its time, too: libfaketime on this libc, and
// real time.
func TestClocksWithoutJumps(t *testing.T) {
	for _, test := range []struct {
		on      clock.Settings
		seconds string
	}{
		{clock.Settings{Kind: clock.KindScaled, TimeScale: 20}, "60"},
		{clock.Settings{Kind: clock.KindReal}, "3"},
	} {
		t.Run(string(test.on.Kind), func(t *testing.T) {
			c := kindstest.Start(t, external.Series, slurm.WithMachine(1, 8, 0), slurm.WithCore(0), slurm.WithClock(test.on))
			got := shell(t, c, `cd /tmp
printf '#!/bin/bash\n# slurmlab seconds=`+test.seconds+`\n' > job.sh
sbatch --parsable -n 8 -t 100 -o /dev/null job.sh
until sacct -n -X -P -o end | grep -q T; do sleep 0.5; done
sacct -n -X -P -o jobid,state,elapsedraw,exitcode
`)
			if want := "1\n1|COMPLETED|" + test.seconds + "|0:0\n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
