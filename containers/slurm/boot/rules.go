package boot

import (
	"context"
	"fmt"
	"strings"
)

// makeRules makes the QOS, accounts and reservations of the layout. The starts of reservations
// count from now.
func (c *Daemons) makeRules(ctx context.Context) error {
	l := c.State.Spec.Layout
	commands := l.Sacctmgr()
	for _, r := range l.Reservations {
		commands = append(commands, r.Create(c.State.Clock.Now()))
	}
	for _, argv := range commands {
		limited, done := context.WithTimeout(ctx, askLimit)
		out, err := c.command(limited, argv...).CombinedOutput()
		done()
		if err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}
