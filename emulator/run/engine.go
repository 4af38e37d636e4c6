package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
)

// EnvironmentError is a fault of the machine slurmlab runs on, with what to do
// about it.
type EnvironmentError struct {
	Fault  string
	Remedy string
}

func (e *EnvironmentError) Error() string { return e.Fault + "\n  " + e.Remedy }

// SeriesError is an image with another Slurm than the one that was asked for.
type SeriesError struct{ EnvironmentError }

// EngineError is one engine of several that cannot be reached.
type EngineError struct{ EnvironmentError }

// Unwrap returns the EnvironmentError.
func (e *EngineError) Unwrap() error { return &e.EnvironmentError }

// Unwrap returns the EnvironmentError.
func (e *SeriesError) Unwrap() error { return &e.EnvironmentError }

// engineLimit bounds a question to the Docker engine. A reachable one answers in milliseconds, on a very busy machine
// in a minute; one that is not there refuses at once.
const engineLimit = 2 * time.Minute

// lateAnswer is how long a question to an engine may take before TellLate's function hears of it.
const lateAnswer = 10 * time.Second

// tellKey is the key of TellLate's function in a context.
type tellKey struct{}

// TellLate returns a context in which tell gets a sentence when a Docker engine has left a question without an answer for
// ten seconds, so that nobody waits without knowing for what.
func TellLate(ctx context.Context, tell func(sentence string)) context.Context {
	return context.WithValue(ctx, tellKey{}, tell)
}

// late tells that the engine has been asked for lateAnswer, unless the returned function is called before.
func (d Docker) late(ctx context.Context) (answered func()) {
	tell, ok := ctx.Value(tellKey{}).(func(string))
	if !ok {
		return func() {}
	}
	timer := time.AfterFunc(lateAnswer, func() {
		tell(fmt.Sprintf("%s has not answered for %s; waiting for up to %s", cmp.Or(d.Host, "Docker"), lateAnswer, engineLimit))
	})
	return func() { timer.Stop() }
}

// CheckEngine reports whether the Docker engine of the environment answers, and its version.
func CheckEngine(ctx context.Context) (version string, err error) { return Docker{}.Check(ctx) }

// Check implements Engine.
func (d Docker) Check(ctx context.Context) (version string, err error) {
	answer, err := ask(ctx, d, func(ctx context.Context, docker *client.Client) (client.ServerVersionResult, error) {
		return docker.ServerVersion(ctx, client.ServerVersionOptions{})
	})
	return answer.Version, err
}

// ask puts one question to the engine.
func ask[T any](ctx context.Context, d Docker, question func(context.Context, *client.Client) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, engineLimit)
	defer cancel()
	defer d.late(ctx)()
	var answer T
	docker, err := slurm.Connect(d.Host)
	if err != nil {
		return answer, d.absent(err)
	}
	defer func() { _ = docker.Close() }()
	answer, err = question(ctx, docker)
	if err != nil && !errdefs.IsNotFound(err) && !errdefs.IsConflict(err) {
		err = d.absent(err)
	}
	return answer, err
}

// absent is the error of an engine that cannot be reached.
func (d Docker) absent(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s", engineLimit)
	}
	if d.Host != "" {
		return &EngineError{EnvironmentError{
			Fault:  fmt.Sprintf("engine %s cannot be reached: %v", d.Host, err),
			Remedy: fmt.Sprintf("start it, make sure that you may use it (docker -H %s info), or leave it out of --on", d.Host),
		}}
	}
	return &EnvironmentError{
		Fault: fmt.Sprintf("Docker cannot be reached: %v", err),
		Remedy: "install Docker Engine 20.10 or newer, start it, and make sure that " +
			"you may use it (docker info); DOCKER_HOST names another engine",
	}
}

// Image describes the cluster image.
type Image struct {
	ID      string
	Version string
	Slurm   string // Slurm's version
	// Sources has the value of slurm.SourcesLabel.
	Sources []string
	Size    int64
}

// CheckImage reports whether the image is there and was built by this version of slurmlab (slurmlab and the slurmlabd
// in the image speak to each other). Its Slurm must be of the series, any if that is empty.
func CheckImage(ctx context.Context, on Engine, name, version, series string) (Image, error) {
	img, err := on.Image(ctx, name)
	switch {
	case errors.Is(err, ErrNoImage):
		return img, &EnvironmentError{
			Fault:  fmt.Sprintf("image %s is missing", name),
			Remedy: on.ImageRemedy(series),
		}
	case err != nil:
		return img, err
	}
	if img.Version != version {
		return img, &EnvironmentError{
			Fault: fmt.Sprintf("image %s was built by slurmlab %s, this is slurmlab %s",
				name, orNone(img.Version), version),
			Remedy: "build both from the same sources with: make build " + imageTarget(series),
		}
	}
	if series != "" && !strings.HasPrefix(img.Slurm, series+".") {
		return img, &SeriesError{EnvironmentError{
			Fault:  fmt.Sprintf("image: %s has Slurm %s, wanted is %s", name, orNone(img.Slurm), series),
			Remedy: "leave out --image, or choose the --backend and --slurm of the image",
		}}
	}
	return img, nil
}

// imageTarget is what makes the image of a series: "image", or "image-24.11" where it is not the default one.
func imageTarget(series string) string {
	if series == "" || series == backend.Default().Series {
		return "image"
	}
	return "image-" + series
}

func orNone(s string) string {
	if s == "" {
		return "(no version)"
	}
	return s
}

// Containers lists the containers of this tool on the engine of the environment, running or not.
func Containers(ctx context.Context, role, name string) ([]Container, error) {
	return Docker{}.Clusters(ctx, role, name)
}

// Clusters implements Engine.
func (d Docker) Clusters(ctx context.Context, role, name string) ([]Container, error) {
	filters := make(client.Filters).Add("label", slurm.RoleLabel)
	if role != "" {
		filters = make(client.Filters).Add("label", slurm.RoleLabel+"="+role)
	}
	if name != "" {
		filters = filters.Add("label", slurm.NameLabel+"="+name)
	}
	list, err := ask(ctx, d, func(ctx context.Context, docker *client.Client) (client.ContainerListResult, error) {
		return docker.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filters})
	})
	if err != nil {
		return nil, err
	}
	clusters := make([]Container, 0, len(list.Items))
	for _, item := range list.Items {
		clusters = append(clusters, Container{
			ID: item.ID, Role: item.Labels[slurm.RoleLabel], Name: item.Labels[slurm.NameLabel],
			State: string(item.State), Core: item.Labels[slurm.CoreLabel], Owner: item.Labels[slurm.OwnerLabel],
			Created: time.Unix(item.Created, 0),
		})
	}
	return d.ended(ctx, clusters)
}

// removing is the state of a container that does not run any more and that somebody removes just now.
const removing = "removing"

// ended adds when the clusters that do not run have ended. Those that somebody removes just now are left out: a caller can
// neither use nor remove them.
func (d Docker) ended(ctx context.Context, clusters []Container) ([]Container, error) {
	there := clusters[:0]
	for _, c := range clusters {
		if c.State == removing {
			continue
		}
		if c.State != "running" {
			found, err := ask(ctx, d, func(ctx context.Context, docker *client.Client) (client.ContainerInspectResult, error) {
				return docker.ContainerInspect(ctx, c.ID, client.ContainerInspectOptions{})
			})
			switch {
			case errdefs.IsNotFound(err):
				continue
			case err != nil:
				return nil, err
			case found.Container.State != nil && string(found.Container.State.Status) == removing:
				continue
			case found.Container.State != nil:
				// A container that never ran has the zero time.
				c.Ended, _ = time.Parse(time.RFC3339Nano, found.Container.State.FinishedAt)
			}
		}
		there = append(there, c)
	}
	return there, nil
}

// Container is a container of this tool.
type Container struct {
	ID    string
	Role  string
	Name  string
	State string
	// Core is the number of the processor core that it is confined to, empty
	// for none.
	Core string
	// Owner names the directory of the run that it is for, empty for none.
	Owner   string
	Created time.Time
	// Ended is zero for one that runs, never ran, or whose engine does not know it (Charliecloud).
	Ended time.Time
}

// Remove kills and removes containers of the engine of the environment. It works after ctx has
// ended, since that is when it is needed most.
func Remove(ctx context.Context, ids ...string) error { return Docker{}.remove(ctx, ids...) }

func (d Docker) remove(ctx context.Context, ids ...string) error {
	var faults []error
	for _, id := range ids {
		_, err := ask(context.WithoutCancel(ctx), d, func(ctx context.Context, docker *client.Client) (client.ContainerRemoveResult, error) {
			return docker.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		})
		// A conflict is another slurmlab that removes it just now.
		if err != nil && !errdefs.IsNotFound(err) && !errdefs.IsConflict(err) {
			faults = append(faults, fmt.Errorf("remove container %.12s: %w", id, err))
		}
	}
	return errors.Join(faults...)
}
