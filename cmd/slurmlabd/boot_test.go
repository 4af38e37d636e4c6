package main

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
)

// A leased cluster ends with its input. Where the engine has lost that end, no line ever comes, and the cluster ends at the
// limit. Each cluster on a machine that lives for more than a minute shows that after the line the limit does not matter.
func TestWhileLeased(t *testing.T) {
	const soon, never = time.Millisecond, time.Hour
	for _, c := range []struct {
		name  string
		limit time.Duration
		// act does what happens to the input.
		act func(in *io.PipeWriter)
	}{
		{"its slurmlab ended before it wrote", never, func(in *io.PipeWriter) { _ = in.Close() }},
		{"its slurmlab ended after it wrote", never, func(in *io.PipeWriter) { _, _ = io.WriteString(in, slurm.LeaseLine); _ = in.Close() }},
		{"the end was lost", soon, func(*io.PipeWriter) {}},
	} {
		out, in := io.Pipe()
		ctx, stop := whileLeased(t.Context(), out, c.limit)
		go c.act(in)
		<-ctx.Done()
		if cause := context.Cause(ctx); cause == nil || cause.Error() != "its slurmlab is gone" {
			t.Errorf("%s: the cause is %v", c.name, cause)
		}
		stop()
	}
}
