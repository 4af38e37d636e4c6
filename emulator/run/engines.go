package run

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/slurmlab/slurmlab/containers/slurm"
)

// DockerHost is a Docker engine of several that runs are spread over.
type DockerHost struct {
	Docker
	// Machine is the name of its machine, and Here says that this is the machine of this process.
	Machine string
	Here    bool
	// Cores are the processor cores of the machine that clusters may run on, one hardware thread of each.
	Cores []int
	// Memory of the machine in bytes.
	Memory uint64
	// Most is how many clusters at a time the machine has room for, 0 for one on each core.
	Most int
}

// FindHost asks the Docker engine at an address for its machine. Each hardware thread of another machine counts as a core
// until AskCores.
func FindHost(ctx context.Context, host string) (DockerHost, error) {
	e := DockerHost{Docker: Docker{Host: host}}
	answer, err := e.info(ctx)
	if err != nil {
		return e, err
	}
	// Without a name it is a machine of its own.
	e.Machine, e.Memory = cmp.Or(answer.Info.Name, host), uint64(max(0, answer.Info.MemTotal))
	e.Here = e.Machine == hostname()
	for number := range answer.Info.NCPU {
		e.Cores = append(e.Cores, number)
	}
	if e.Here {
		e.Cores = firstThreads(cpuDir, e.Cores)
	}
	return e, nil
}

// coresRole is the RoleLabel of the container that AskCores starts, and coresLimit bounds what it takes; a container starts
// within seconds.
const (
	coresRole  = "cores"
	coresLimit = time.Minute
)

// AskCores finds which hardware threads of another machine are of one core, from what its kernel tells in a container of the
// image. It fails where the engine cannot run a container. Where the kernel does not tell, each thread counts as a core.
func (e *DockerHost) AskCores(ctx context.Context, image string) error {
	if e.Here {
		return nil
	}
	lists, err := e.siblings(ctx, image)
	if err != nil {
		return fmt.Errorf("engine %s: run a container: %w", e.Host, err)
	}
	if len(lists) == len(e.Cores) {
		e.Cores = firstOf(e.Cores, func(number int) int { return lowestOf(lists[number], number) })
	}
	return nil
}

// siblings are the lists of the threads of a core, by thread, as the kernel of the engine's machine has them.
func (e *DockerHost) siblings(ctx context.Context, image string) (lists []string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, coresLimit, fmt.Errorf("no answer within %s", coresLimit))
	defer cancel()
	docker, err := slurm.Connect(e.Host)
	if err != nil {
		return nil, e.absent(err)
	}
	defer func() { _ = docker.Close() }()
	var files []string
	for _, number := range e.Cores {
		files = append(files, filepath.Join(cpuDir, "cpu"+strconv.Itoa(number), siblingsFile))
	}
	created, err := docker.ContainerCreate(ctx, client.ContainerCreateOptions{
		Config:     &container.Config{Image: image, Entrypoint: []string{"cat"}, Cmd: files, Labels: map[string]string{slurm.RoleLabel: coresRole}},
		HostConfig: &container.HostConfig{NetworkMode: "none"},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.remove(ctx, created.ID)) }()
	if _, err = docker.ContainerStart(ctx, created.ID, client.ContainerStartOptions{}); err != nil {
		return nil, err
	}
	logs, err := docker.ContainerLogs(ctx, created.ID, client.ContainerLogsOptions{ShowStdout: true, Follow: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = logs.Close() }()
	var text, rest bytes.Buffer
	if _, err = stdcopy.StdCopy(&text, &rest, logs); err != nil {
		return nil, err
	}
	return strings.Fields(text.String()), nil
}

// Free is the memory in bytes that the clusters of the engine can take. Of this machine it is what is free. Of
// another one it is all, as its engine shows no more. It is false where neither is known.
func (e DockerHost) Free() (bytes uint64, known bool) {
	if e.Here {
		return FreeMemory()
	}
	return e.Memory, e.Memory > 0
}

// source is where the cores of the engine are taken from.
func (e DockerHost) source() source {
	s := source{on: e, machine: e.Machine, most: e.Most, numbers: slices.Clone(e.Cores)}
	if e.Here {
		s.machine = ""
	}
	slices.Reverse(s.numbers)
	return s
}

// TakeCoresOf is TakeCores on several engines, of which it takes a core each in turn. Engines on one machine share its cores
// and its room. That another machine's slurmlab has a core is known only as long as its cluster runs.
func TakeCoresOf(ctx context.Context, engines []DockerHost, want int, waiting func([]Holder)) ([]Core, error) {
	var sources []source
	for _, e := range engines {
		sources = append(sources, e.source())
	}
	return takeFrom(ctx, sources, want, waiting)
}

// Foreign is what has a core of the engine's machine and is no run of this machine's slurmlab, nil for nothing.
func (e DockerHost) Foreign(ctx context.Context, core int) (*Holder, error) {
	clusters, err := e.Clusters(ctx, "", "")
	i := slices.IndexFunc(clusters, func(c Container) bool { return c.confinedTo(core) && c.Directory() == "" })
	if err != nil || i < 0 {
		return nil, err
	}
	return &Holder{Core: core, Machine: e.Machine, Cluster: &clusters[i]}, nil
}

// Copy is the command that copies an image to the engine, from the engine at an address, empty for the environment's.
func (e DockerHost) Copy(image, from string) string {
	return fmt.Sprintf("copy the image of this slurmlab there: %s save %s | %s load", Docker{Host: from}.command(), image, e.command())
}
