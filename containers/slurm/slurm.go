package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/internal/faultpoint"
)

// Labels that every container of this module carries.
const (
	// RoleLabel is RoleRun or RoleUp.
	RoleLabel = "org.slurmlab.role"
	// NameLabel is the name a user gave the cluster.
	NameLabel = "org.slurmlab.name"
	// CoreLabel is the number of the processor core that the cluster is
	// confined to, empty for none.
	CoreLabel = "org.slurmlab.core"
	// OwnerLabel says for whom the cluster works, see WithOwner.
	OwnerLabel = "org.slurmlab.owner"
	// CheckoutLabel says whose tests started the cluster, see CheckoutVariable. Otherwise it is
	// empty: a container would inherit the label of its image, and .ci/clean of the checkout that
	// made the image would remove other people's clusters.
	CheckoutLabel = "org.slurmlab.checkout"
	// VersionLabel is on the image: the slurmlab that built it.
	VersionLabel = "org.slurmlab.version"
	// SlurmLabel is on the image: the version of Slurm in it.
	SlurmLabel = "org.slurmlab.slurm"
	// SourcesLabel is on the image: what its Slurm was made from, one a line. A package
	// that was installed is "package NAME VERSION sha256:SUM", a tarball that was
	// compiled "tarball NAME sha256:SUM".
	SourcesLabel = "org.slurmlab.sources"
)

// Values of RoleLabel.
const (
	// RoleRun is the cluster of one run. It ends with the process that started it.
	RoleRun = "run"
	// RoleUp is a cluster that a user keeps.
	RoleUp = "up"
)

// CheckoutVariable names the environment variable with the id of the checkout whose tests run
// (containers/slurm/image/checkout.sh).
const CheckoutVariable = "SLURMLAB_CHECKOUT"

// SpecVariable names the environment variable that carries conf.Spec.Text
// to slurmlabd.
const SpecVariable = "SLURMLAB_SPEC"

// StageLine begins the lines by which "slurmlabd boot" says what it waits for.
const StageLine = "slurmlab: booting "

// ReadyLine is what "slurmlabd boot" prints when the cluster serves.
const ReadyLine = "slurmlab: cluster ready"

// StartLimit is the real time from container start to ready. Measured: 2-5 s
// on two cores, and 57 s for 10,000 nodes beside six other programs; the limit leaves
// room for slower machines.
const StartLimit = 5 * time.Minute

// Container is a running cluster.
type Container struct {
	testcontainers.Container
	*Remote
	// lease is nil for a cluster that outlives this process.
	lease *lease
}

// Run starts a cluster from img and waits until it is ready for jobs. A cluster of
// RoleRun ends when this process does.
func Run(ctx context.Context, img string, opts ...testcontainers.ContainerCustomizer) (*Container, error) {
	var own []Option
	for _, o := range opts {
		if option, ok := o.(Option); ok {
			own = append(own, option)
		}
	}
	s, err := NewSettings(own...)
	if err != nil {
		return nil, fmt.Errorf("run slurm: %w", err)
	}
	within := s.limits
	spec, err := s.Spec.Text()
	if err != nil {
		return nil, fmt.Errorf("run slurm: %w", err)
	}
	remote, err := OpenOn(s.Host, "")
	if err != nil {
		return nil, fmt.Errorf("run slurm: %w", err)
	}
	module := []testcontainers.ContainerCustomizer{
		// Failures come as errors. In a test whatever else is said drowns what the test itself says.
		testcontainers.WithLogger(log.NewNoopLogger()),
		testcontainers.WithCmd("boot"),
		testcontainers.WithEnv(map[string]string{SpecVariable: spec}), testcontainers.WithEnv(faultpoint.Environment()),
		testcontainers.WithLabels(map[string]string{
			RoleLabel: s.Role, NameLabel: s.Name, CoreLabel: s.Core, OwnerLabel: s.Owner, CheckoutLabel: os.Getenv(CheckoutVariable),
		}),
		// Database and state live in memory: they are read back through sacct
		// and must not wait for a disk. slurmd executes job scripts there.
		testcontainers.WithTmpfs(map[string]string{
			"/var/lib/mysql": fmt.Sprintf("rw,mode=755,size=%d", within.Files), "/var/spool": fmt.Sprintf("rw,exec,mode=755,size=%d", within.Files),
			"/tmp": scratchOptions(), "/var/tmp": scratchOptions(),
		}),
		testcontainers.WithHostConfigModifier(func(host *container.HostConfig) {
			host.Binds = faultpoint.Binds()
			confine(host, s.Core, within)
		}),
		testcontainers.WithWaitStrategyAndDeadline(StartLimit, &bootLog{remote.docker, s.Stage}),
	}
	if s.Program.File != "" {
		module = append(module, testcontainers.WithFiles(testcontainers.ContainerFile{
			HostFilePath: s.Program.File, ContainerFilePath: s.Program.Path(), FileMode: 0o755,
		}))
		for name, text := range s.Program.Modules {
			module = append(module, testcontainers.WithFiles(testcontainers.ContainerFile{
				Reader: bytes.NewReader(text), ContainerFilePath: ModulePath(name), FileMode: 0o644,
			}))
		}
	}
	if s.Checkpoint != "" {
		module = append(module, testcontainers.WithFiles(testcontainers.ContainerFile{
			HostFilePath: s.Checkpoint, ContainerFilePath: boot.CheckpointPath(), FileMode: 0o600,
		}))
	}
	c := &Container{Remote: remote}
	if s.Role == RoleRun {
		c.lease = &lease{docker: remote.docker}
		module = append(module, testcontainers.WithCmdArgs("--leased"), c.lease)
	}
	ctr, runErr := start(ctx, img, s.Host, remote.docker, append(module, opts...)...)
	if ctr == nil {
		c.Close()
		return nil, fmt.Errorf("run slurm: %w", runErr)
	}
	c.Container, remote.id = ctr, ctr.GetContainerID()
	if runErr != nil {
		return c, fmt.Errorf("run slurm: %w", errors.Join(runErr, c.lastWords()))
	}
	return c, nil
}

// start is testcontainers.Run on the engine at host, which docker is connected to.
//
// testcontainers looks for the engine of the environment, and keeps the first that it has found as long as the process
// lives. A provider can be given another client, and asks nobody else then.
func start(ctx context.Context, img, host string, docker *client.Client, opts ...testcontainers.ContainerCustomizer) (*testcontainers.DockerContainer, error) {
	if host == "" {
		return testcontainers.Run(ctx, img, opts...)
	}
	request := testcontainers.GenericContainerRequest{ContainerRequest: testcontainers.ContainerRequest{Image: img}}
	for _, o := range opts {
		if err := o.Customize(&request); err != nil {
			return nil, err
		}
	}
	// An engine without the network that is named here would be given one.
	provider, err := testcontainers.NewDockerProvider(testcontainers.WithDefaultBridgeNetwork(noNetwork), testcontainers.WithLogger(log.NewNoopLogger()))
	if err != nil {
		return nil, err
	}
	provider.SetClient(docker)
	created, err := provider.CreateContainer(ctx, request.ContainerRequest)
	ctr, _ := created.(*testcontainers.DockerContainer)
	if err == nil {
		err = created.Start(ctx)
	}
	return ctr, err
}

// Close ends the connections to the engine. A cluster of RoleRun that has not been
// removed ends then, but its container stays.
func (c *Container) Close() {
	if c.lease != nil {
		c.lease.end()
	}
	c.Remote.Close()
}

// lastWords returns what the container logged, for a start that failed.
func (c *Container) lastWords() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	logs, err := c.Logs(ctx)
	if err != nil {
		return nil
	}
	defer func() { _ = logs.Close() }()
	text, err := io.ReadAll(io.LimitReader(logs, 1<<20))
	if err != nil || len(text) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return errors.New(strings.Join(lines[max(0, len(lines)-12):], "\n"))
}
