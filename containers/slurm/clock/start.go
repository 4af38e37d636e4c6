package clock

import (
	"context"
	"fmt"
)

// Start begins virtual time and returns the clock and the environment variables
// that put a C program on it. What keeps the clock running ends with ctx. A
// jump clock starts with one Hold.
func Start(ctx context.Context, s Settings) (Clock, []string, error) {
	c, env := Real(), []string(nil)
	err := s.Validate()
	if err == nil {
		switch s.Kind {
		case KindScaled:
			c, env, err = startScaled(ctx, s.TimeScale)
		case KindJump:
			c, env, err = startJump(ctx, s, pagePath)
		}
	}
	if err != nil {
		return Clock{}, nil, fmt.Errorf("start clock: %w", err)
	}
	return c, env, nil
}
