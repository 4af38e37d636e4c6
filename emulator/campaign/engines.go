package campaign

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/trace"
)

// OnDocker begins each engine in the value of the flag --on.
const OnDocker = "docker://"

// ParseEngines are the addresses, as DOCKER_HOST has them, of the engines that --on names. All faults are listed.
func ParseEngines(on string) ([]string, error) {
	var hosts []string
	var bad []error
	for _, name := range strings.Split(on, ",") {
		host, err := parseEngine(name)
		if err == nil && slices.Contains(hosts, host) {
			err = fmt.Errorf("on: %q is named twice", name)
		}
		bad, hosts = append(bad, err), append(hosts, host)
	}
	return hosts, errors.Join(bad...)
}

// parseEngine is the address of one engine.
func parseEngine(name string) (string, error) {
	address, is := strings.CutPrefix(name, OnDocker)
	if !is {
		return "", fmt.Errorf("on: %q is not allowed, want %s before each engine, as in %s10.0.0.5:2375,%s/run/other.sock", name, OnDocker, OnDocker, OnDocker)
	}
	switch {
	case strings.HasPrefix(address, "/"):
		address = "unix://" + address
	case !strings.Contains(address, "://"):
		address = "tcp://" + address
	}
	kind, where, _ := strings.Cut(address, "://")
	switch kind {
	case "unix":
		if !strings.HasPrefix(where, "/") {
			return "", fmt.Errorf("on: %q is not allowed, want the absolute path of a socket, as in %s/run/other.sock", name, OnDocker)
		}
	case "tcp":
		parsed, err := url.Parse(address)
		var port string
		if err == nil {
			_, port, err = net.SplitHostPort(parsed.Host)
		}
		if err != nil || port == "" || parsed.Hostname() == "" {
			return "", fmt.Errorf("on: %q is not allowed, want HOST:PORT, as in %s10.0.0.5:2375", name, OnDocker)
		}
	case "ssh":
		return "", fmt.Errorf("on: %q is not allowed: forward the socket of the engine with ssh -N -L /tmp/engine.sock:/var/run/docker.sock %s, and name %s/tmp/engine.sock",
			name, where, OnDocker)
	default:
		return "", fmt.Errorf("on: %q is not allowed, want %sHOST:PORT or %s/PATH of a socket", name, OnDocker, OnDocker)
	}
	return address, nil
}

// findEngines asks the engines for themselves and for the images, and sets the images of the runs. Nothing is made
// before each has answered. A later round of a campaign that adds seeds goes on without engines that have been lost.
func (e *Execution) findEngines(ctx context.Context, configs []run.Config) error {
	hosts, later := e.Hosts, len(e.engines) > 0
	if later {
		hosts = nil
		for _, on := range e.engines {
			hosts = append(hosts, on.Host)
		}
	}
	// testcontainers looks for the engine of the environment although it gets another one.
	if err := os.Setenv("DOCKER_HOST", hosts[0]); err != nil {
		return fmt.Errorf("set DOCKER_HOST: %w", err)
	}
	e.engines = nil
	var bad []error
	for _, host := range hosts {
		on, err := run.FindHost(ctx, host)
		if err == nil {
			e.engines = append(e.engines, on)
		}
		bad = append(bad, err)
	}
	err := errors.Join(bad...)
	if err != nil && (!later || len(e.engines) == 0) {
		return err
	}
	if err != nil {
		e.warnf("%v; the campaign goes on without", err)
	}
	if err = setImagesOf(ctx, e.engines, configs); err != nil {
		return err
	}
	bad = nil
	for i, on := range e.engines {
		bad = append(bad, e.removeOrphans(ctx, on), e.engines[i].AskCores(ctx, configs[0].ImageID))
	}
	return errors.Join(bad...)
}

// setImagesOf asks each engine for the images, which must be the same, and sets the images of the runs. The faults of
// all engines are listed.
func setImagesOf(ctx context.Context, engines []run.DockerHost, configs []run.Config) error {
	images := map[wantedImage]run.Image{}
	var bad []error
	for _, wanted := range imagesOf(configs) {
		// first is the first engine that has the image.
		first := ""
		for _, on := range engines {
			image, err := wanted.find(ctx, on)
			switch {
			case err != nil:
				bad = append(bad, imageError(on, wanted.image, first, err))
			case first == "":
				first, images[wanted] = on.Host, image
			case image.ID != images[wanted].ID:
				bad = append(bad, &run.EnvironmentError{
					Fault:  fmt.Sprintf("engine %s: image %s is %s, that of engine %s is %s", on.Host, wanted.image, trace.ShortID(image.ID), first, trace.ShortID(images[wanted].ID)),
					Remedy: on.Copy(wanted.image, first),
				})
			}
		}
	}
	takeImages(configs, images)
	return errors.Join(bad...)
}

// imageError is the fault of the image of an engine, which another one has, empty for none.
func imageError(on run.DockerHost, image, from string, err error) error {
	var absent *run.EngineError
	var series *run.SeriesError
	var environment *run.EnvironmentError
	switch {
	case errors.As(err, &absent):
		return err
	case errors.As(err, &series):
		return &run.EnvironmentError{Fault: "engine " + on.Host + ": " + series.Fault, Remedy: series.Remedy}
	case errors.As(err, &environment):
		return &run.EnvironmentError{Fault: "engine " + on.Host + ": " + environment.Fault, Remedy: on.Copy(image, from)}
	default:
		return fmt.Errorf("engine %s: %w", on.Host, err)
	}
}

// slotsOfEngines takes cores of the engines for the clusters.
func (e *Execution) slotsOfEngines(ctx context.Context, board Board, parallel int, configs []run.Config) (slots, error) {
	for i, on := range e.engines {
		free, known := on.Free()
		if !known {
			continue
		}
		most, few := fittingIn(free, len(on.Cores), parallel, configs)
		e.engines[i].Most = most
		switch {
		case few == "":
		case on.Here:
			board.Note("engine " + on.Host + ": " + few)
		default:
			board.Note(fmt.Sprintf("engine %s: the %d MB of memory of its machine have room for %s at a time", on.Host, free>>20, text.Plural(most, "cluster")))
		}
	}
	taken, err := run.TakeCoresOf(ctx, e.engines, parallel, board.Waiting)
	if err != nil {
		return slots{}, err
	}
	var parts []string
	for _, on := range e.engines {
		n := 0
		for _, core := range taken {
			if core.On.Name() == on.Name() {
				n++
			}
		}
		parts = append(parts, fmt.Sprintf("%s of %s (%s)", text.Plural(n, "core"), on.Host, on.Machine))
	}
	board.Note("clusters run on " + strings.Join(parts, ", "))
	return slotsOn(taken), nil
}

// busyPoll is the pause between two looks at a core that somebody else has.
const busyPoll = 2 * time.Second

// await waits, as long as there may be a run for it, until no slurmlab of another machine has a cluster on the core: their
// locks are not seen here. An engine that does not answer gets no more runs.
func (f *fleet) await(ctx context.Context, on run.DockerHost, p slot) error {
	told := false
	for f.wants(on) {
		other, err := on.Foreign(ctx, *p.core)
		switch {
		case ctx.Err() != nil || err == nil && other == nil:
			return nil
		case err != nil:
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.abandon(on, err)
		case !told:
			told = true
			f.board.Note("waiting for the end of a cluster of somebody else: " + other.String())
		}
		select {
		case <-time.After(busyPoll):
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// wants says whether an engine may get another run.
func (f *fleet) wants(on run.DockerHost) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost[on.Name()] == nil && (!f.waiting.none() || f.underWay > 0)
}

// without goes on without an engine that cannot be reached: what there is of run i is set aside, and another engine makes it.
func (f *fleet) without(on run.DockerHost, i int, down error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.abandon(on, down); err != nil {
		f.waiting.again(i)
		return err
	}
	c := f.configs[i]
	aside := ""
	if found, err := c.Find(); err == nil && found.State == run.StateBroken {
		to, stays := run.SetAside(c.Dir)
		if stays != nil {
			f.stop(run.ErrPeer)
			return stays
		}
		aside = ", and what there is of it is set aside: " + to
	}
	f.waiting.again(i)
	f.board.Note(fmt.Sprintf("another engine makes %s%s", c.Dir, aside))
	return nil
}

// abandon gives an engine no more runs. It is an error if there is no other one.
func (f *fleet) abandon(on run.Engine, why error) error {
	engine, several := on.(run.DockerHost)
	if !several {
		f.stop(run.ErrPeer)
		return fmt.Errorf("stopped after %w", why)
	}
	if f.lost[on.Name()] == nil {
		f.lost[on.Name()] = fmt.Errorf("engine %s: %w", engine.Host, why)
		text := f.lost[on.Name()].Error()
		if absent := (*run.EngineError)(nil); errors.As(why, &absent) {
			f.lost[on.Name()], text = why, absent.Fault
		}
		f.board.Warn(text + "; it gets no more runs")
	}
	if len(f.lost) < len(f.engines) {
		return nil
	}
	f.stop(run.ErrPeer)
	list := faults.List{}
	for _, of := range f.engines {
		list.Add(0, f.lost[of.Name()])
	}
	return fmt.Errorf("no engine is left:\n%w", list.Err())
}
