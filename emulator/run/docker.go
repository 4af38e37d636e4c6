package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/slurmlab/slurmlab/containers/slurm"
)

// Docker is the Engine of a Docker engine.
type Docker struct {
	// Host is the address of the engine, as DOCKER_HOST has it; empty for the engine of the
	// environment.
	Host string
}

// Name implements Engine.
func (d Docker) Name() string {
	if d.Host != "" {
		return "the Docker engine " + d.Host
	}
	return "Docker"
}

// Image implements Engine.
func (d Docker) Image(ctx context.Context, name string) (Image, error) {
	found, err := ask(ctx, d, func(ctx context.Context, docker *client.Client) (client.ImageInspectResult, error) {
		return docker.ImageInspect(ctx, name)
	})
	if errdefs.IsNotFound(err) {
		err = ErrNoImage
	}
	if err != nil {
		return Image{}, err
	}
	var labels map[string]string
	if found.Config != nil {
		labels = found.Config.Labels
	}
	return imageOf(found.ID, found.Size, labels), nil
}

// imageOf is what the labels of an image say.
func imageOf(id string, size int64, labels map[string]string) Image {
	return Image{
		ID: id, Size: size, Version: labels[slurm.VersionLabel], Slurm: labels[slurm.SlurmLabel],
		Sources: strings.FieldsFunc(labels[slurm.SourcesLabel], func(r rune) bool { return r == '\n' }),
	}
}

// ImageRemedy implements Engine.
func (Docker) ImageRemedy(series string) string {
	return "build it with: make " + imageTarget(series)
}

// Processors implements Engine.
func (d Docker) Processors(ctx context.Context) ([]int, error) {
	answer, err := d.info(ctx)
	var all []int
	for number := range answer.Info.NCPU {
		all = append(all, number)
	}
	return all, err
}

// info is what "docker info" tells.
func (d Docker) info(ctx context.Context) (client.SystemInfoResult, error) {
	return ask(ctx, d, func(ctx context.Context, docker *client.Client) (client.SystemInfoResult, error) {
		return docker.Info(ctx, client.InfoOptions{})
	})
}

// Start implements Engine.
func (d Docker) Start(ctx context.Context, image string, options ...slurm.Option) (Cluster, error) {
	cluster, err := d.start(ctx, image, customizers(append(slices.Clone(options), slurm.WithHost(d.Host)))...)
	if err != nil {
		return nil, err
	}
	return dockerCluster{cluster.Remote, d, cluster.Close}, nil
}

func customizers(options []slurm.Option) []testcontainers.ContainerCustomizer {
	all := make([]testcontainers.ContainerCustomizer, 0, len(options))
	for _, o := range options {
		all = append(all, o)
	}
	return all
}

// Open implements Engine.
func (d Docker) Open(id string) (Cluster, error) {
	remote, err := slurm.OpenOn(d.Host, id)
	if err != nil {
		return nil, d.absent(err)
	}
	return dockerCluster{remote, d, remote.Close}, nil
}

// Removal implements Engine.
func (d Docker) Removal(id string) string { return fmt.Sprintf("%s rm -f %.12s", d.command(), id) }

// command is the beginning of a command of Docker's on the engine.
func (d Docker) command() string {
	if d.Host != "" {
		return "docker -H " + d.Host
	}
	return "docker"
}

// dockerCluster is a container.
type dockerCluster struct {
	*slurm.Remote
	on  Docker
	end func()
}

// Close implements Cluster.
func (c dockerCluster) Close() { c.end() }

// Remove implements Cluster.
func (c dockerCluster) Remove(ctx context.Context) error { return c.on.remove(ctx, c.ID()) }

// Kill implements Cluster.
func (c dockerCluster) Kill(ctx context.Context) error {
	_, err := ask(context.WithoutCancel(ctx), c.on, func(ctx context.Context, docker *client.Client) (client.ContainerKillResult, error) {
		return docker.ContainerKill(ctx, c.ID(), client.ContainerKillOptions{Signal: "KILL"})
	})
	// One that has stopped already cannot be killed.
	if errdefs.IsConflict(err) {
		return nil
	}
	return err
}

// State implements Cluster.
func (c dockerCluster) State(ctx context.Context) (ClusterState, error) {
	found, err := ask(context.WithoutCancel(ctx), c.on, func(ctx context.Context, docker *client.Client) (client.ContainerInspectResult, error) {
		return docker.ContainerInspect(ctx, c.ID(), client.ContainerInspectOptions{})
	})
	switch state := found.Container.State; {
	case errdefs.IsNotFound(err):
		return ClusterState{}, fmt.Errorf("container %.12s: %w", c.ID(), ErrGone)
	case err != nil || state == nil:
		return ClusterState{Status: "unknown", Running: true}, err
	default:
		return ClusterState{Status: string(state.Status), Running: state.Running, ExitCode: state.ExitCode, OutOfMemory: state.OOMKilled}, nil
	}
}

// Output runs a short command in a running container of Docker and returns its standard
// output. A command that fails is an error with what it printed to standard error.
func Output(ctx context.Context, container string, argv ...string) ([]byte, error) {
	cluster, err := Docker{}.Open(container)
	if err != nil {
		return nil, err
	}
	defer cluster.Close()
	return output(ctx, cluster, argv...)
}
