//go:build integration

package external_test

import (
	"fmt"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
)

// The clocks that skip nothing end a job at its time as well: libfaketime on this libc, and real time. On them a busy
// machine is late: by a second of a clock 20 times as fast each 50 ms. So a job lasts at least its seconds, and no
// longer than the shell that saw it come and go.
func TestClocksWithoutJumps(t *testing.T) {
	for _, test := range []struct {
		on      clock.Settings
		seconds int
	}{
		{clock.Settings{Kind: clock.KindScaled, TimeScale: 20}, 60},
		{clock.Settings{Kind: clock.KindReal}, 3},
	} {
		t.Run(string(test.on.Kind), func(t *testing.T) {
			c := backendtest.Start(t, backendtest.External(), slurm.WithMachine(1, 8, 0), slurm.WithCore(0), slurm.WithClock(test.on))
			got := shell(t, c, fmt.Sprintf(`cd /tmp
printf '#!/bin/bash\n# slurmlab seconds=%d\n' > job.sh
before=$(date +%%s)
sbatch --parsable -n 8 -t 100 -o /dev/null job.sh > id
accounted $(cat id)
after=$(date +%%s)
echo $(cat id) $(sacct -n -X -P -o jobid,state,exitcode) $(sacct -n -X -P -o elapsedraw) $((after - before))
`, test.seconds))
			var elapsed, seen int
			if n, err := fmt.Sscanf(got, "1 1|COMPLETED|0:0 %d %d\n", &elapsed, &seen); n != 2 || err != nil {
				t.Fatalf("got %q, want job 1 completed: %v", got, err)
			}
			if elapsed < test.seconds || elapsed > seen {
				t.Errorf("job lasted %d s, want %d to %d", elapsed, test.seconds, seen)
			}
			t.Logf("job of %d s lasted %d s, seen for %d s", test.seconds, elapsed, seen)
		})
	}
}
