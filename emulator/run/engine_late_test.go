package run

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/moby/moby/client"
)

// A busy machine's engine that answers within two minutes is no absent one, and a line names the wait. After that it
// cannot be reached.
func TestLateAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration
		told  bool
		fault string
	}{
		"at once":   {time.Millisecond, false, ""},
		"late":      {lateAnswer + time.Second, true, ""},
		"very late": {engineLimit - time.Second, true, ""},
		"never":     {engineLimit + time.Hour, true, "engine tcp://host:1 cannot be reached: no answer within 2m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told []string
				ctx := TellLate(t.Context(), func(sentence string) { told = append(told, sentence) })
				_, err := ask(ctx, Docker{Host: "tcp://host:1"}, func(ctx context.Context, _ *client.Client) (int, error) {
					select {
					case <-time.After(c.after):
						return 1, nil
					case <-ctx.Done():
						return 0, ctx.Err()
					}
				})
				fault := ""
				if err != nil {
					fault, _, _ = strings.Cut(err.Error(), "\n")
				}
				if fault != c.fault {
					t.Errorf("got error %q, want %q", fault, c.fault)
				}
				synctest.Wait()
				if c.told != (len(told) == 1) || c.told && told[0] != "tcp://host:1 has not answered for 10s; waiting for up to 2m0s" {
					t.Errorf("told %q", told)
				}
			})
		})
	}
}
