package slurm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go/wait"
)

// errBooting is why a cluster does not serve.
var errBooting = errors.New("the cluster has not booted")

// bootLog waits for the ReadyLine in a container's log, and tells each stage that
// it reads on the way. The engine sends each line as it comes. wait.ForLog asks it for the whole log at each look.
type bootLog struct {
	logs interface {
		ContainerLogs(ctx context.Context, id string, options client.ContainerLogsOptions) (client.ContainerLogsResult, error)
	}
	tell func(stage string)
}

// WaitUntilReady makes a bootLog a wait.Strategy. The receiver is a pointer, as wait.ForAll takes no other.
func (b *bootLog) WaitUntilReady(ctx context.Context, target wait.StrategyTarget) error {
	ctx, cancel := context.WithTimeout(ctx, StartLimit)
	defer cancel()
	about, err := target.Inspect(ctx)
	if err != nil {
		return errors.Join(errBooting, err)
	}
	logs, err := b.logs.ContainerLogs(ctx, about.ID, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Follow: true})
	if err != nil {
		return errors.Join(errBooting, err)
	}
	defer func() { _ = logs.Close() }()
	text, lines := io.Pipe()
	defer func() { _ = text.Close() }()
	go func() {
		_, copyErr := stdcopy.StdCopy(lines, lines, logs)
		_ = lines.CloseWithError(copyErr)
	}()
	ready, err := readBoot(text, b.tell)
	switch {
	case ready:
		return nil
	case ctx.Err() != nil:
		return errors.Join(errBooting, ctx.Err())
	case err != nil:
		return errors.Join(errBooting, err)
	}
	// The log ends with the container.
	state, err := target.State(ctx)
	switch {
	case err != nil:
		return errors.Join(errBooting, err)
	case state.OOMKilled:
		return errors.New("container crashed with out-of-memory (OOMKilled)")
	default:
		return fmt.Errorf("container %s with code %d", state.Status, state.ExitCode)
	}
}

// readBoot tells each stage of the log of a boot. It returns whether the log has the ReadyLine, behind which it reads nothing.
func readBoot(log io.Reader, tell func(stage string)) (bool, error) {
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		line = strings.TrimSuffix(line, "\n")
		if line == ReadyLine {
			return true, nil
		}
		if stage, is := strings.CutPrefix(line, StageLine); is {
			tell(stage)
		}
	}
}
