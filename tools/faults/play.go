package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
)

const (
	// bound is the real time that a run may take after the fault: its whole virtual
	// time, should the clock no longer jump, and all limits of slurmlab after that.
	bound = 5 * time.Minute
	// reachLimit is the real time until the point is reached, with a wait for a core
	// that somebody else has.
	reachLimit = 10 * time.Minute
	// settleLimit is the real time in which the cluster of a killed slurmlab ends, with an engine that answers late.
	settleLimit = 2 * time.Minute
)

// stage is where cells are played.
type stage struct {
	// Slurmlab is the command, built with the tag faults.
	Slurmlab string
	// Image returns the image of a backend, of the same build.
	Image func(slurm string) string
	// Machine and Workload are files.
	Machine, Workload string
	// Program is the file of the plug-in that misbehaves on demand.
	Program string
	// Engine is the socket of the Docker engine.
	Engine string
	// Core is slurmlab's flag of that name.
	Core string
	// Turn is held by the one of all cells that computes: while a run boots and comes to
	// its point, and during the fresh run. After its fault, a run that waits for a limit
	// leaves it to others.
	Turn sync.Locker
}

// playedCell is one that is being played.
type playedCell struct {
	stage
	check.Cell
	dir   string
	run   string
	point *point
	scene scene
	facts check.Facts
}

// playCell plays a cell in a new directory dir. An error means that the nemesis itself
// failed, and says nothing about the run.
func playCell(ctx context.Context, s stage, c check.Cell, dir string) (err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	p := &playedCell{stage: s, Cell: c, dir: dir, run: filepath.Join(dir, check.RunName), facts: check.Facts{Cell: c, BoundSeconds: bound.Seconds()}}
	if err = os.MkdirAll(p.temporary(), 0o755); err != nil {
		return err
	}
	if p.point, err = listen(c.Point); err != nil {
		return err
	}
	defer p.point.close()
	defer func() { err = errors.Join(err, p.clear()) }()
	if err = p.prepare(ctx); err != nil {
		return err
	}
	if err = p.disturb(ctx); err != nil {
		return err
	}
	p.scene.over()
	p.settle(ctx)
	if p.facts.AtOnce, err = p.residue(ctx); err != nil {
		return err
	}
	if err = p.afterwards(ctx); err != nil {
		return err
	}
	if p.facts.Afterwards, err = p.residue(ctx); err != nil {
		return err
	}
	data, err := json.MarshalIndent(p.facts, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, check.FactsName), append(data, '\n'), 0o644)
}

func (p *playedCell) temporary() string { return filepath.Join(p.dir, "tmp") }

// prepare makes what stands between the run and the engine, or the disk.
func (p *playedCell) prepare(ctx context.Context) (err error) {
	switch p.Victim {
	case check.Engine:
		p.scene.engine, err = front(p.Engine)
	case check.Disk:
		disk := filepath.Join(p.dir, "disk")
		if err = os.Mkdir(disk, 0o755); err != nil {
			return err
		}
		out, mountErr := exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", "size=80m", "nemesis", disk).CombinedOutput()
		if mountErr != nil {
			return fmt.Errorf("mount a small disk (as root): %w: %s", mountErr, out)
		}
		p.scene.disk, p.run = disk, filepath.Join(disk, check.RunName)
	}
	return err
}

// clear takes away what prepare made, and whatever a run that broke the rules has left.
func (p *playedCell) clear() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var faults []error
	if left, err := p.residue(ctx); err == nil {
		for _, c := range left.Containers {
			_, err = docker(ctx, "rm", "--force", "--volumes", c.ID)
			faults = append(faults, err)
		}
	}
	if p.scene.engine != nil {
		p.scene.engine.close()
	}
	if p.scene.disk != "" {
		if _, err := os.Stat(p.run); err == nil {
			faults = append(faults, os.CopyFS(filepath.Join(p.dir, check.RunName), os.DirFS(p.run)))
		}
		out, err := exec.CommandContext(ctx, "umount", "--lazy", p.scene.disk).CombinedOutput()
		if err != nil {
			faults = append(faults, fmt.Errorf("umount: %w: %s", err, out))
		}
	}
	return errors.Join(faults...)
}

// slurmlab is a command of slurmlab whose output goes to files called name.
func (p *playedCell) slurmlab(name string, args ...string) (*exec.Cmd, func(), error) {
	cmd := exec.Command(p.Slurmlab, args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+p.temporary(), "HOME="+p.temporary())
	if p.scene.engine != nil {
		cmd.Env = append(cmd.Env, "DOCKER_HOST=unix://"+p.scene.engine.socket())
	}
	out, err := os.Create(filepath.Join(p.dir, name+".out"))
	if err != nil {
		return nil, nil, err
	}
	faults, err := os.Create(filepath.Join(p.dir, name+".err"))
	if err != nil {
		return nil, nil, errors.Join(err, out.Close())
	}
	cmd.Stdout, cmd.Stderr = out, faults
	return cmd, func() { _, _ = out.Close(), faults.Close() }, nil
}

// scheduler is the policy of a cell as slurmlab takes it.
func (s stage) scheduler(of string) string {
	if of == check.Program {
		return policy.ExecPrefix + s.Program
	}
	return of
}

// runArguments are the arguments of a run in the directory.
func (p *playedCell) runArguments(dir string) []string {
	return []string{
		"run", "--backend", string(p.Backend().Form), "--slurm", p.Backend().Series, "--image", p.Image(p.Slurm), "--machine", p.Machine, "--workload", p.Workload,
		"--policy", p.scheduler(p.Policy), "--core", p.Core, "--quiet", "--out", dir,
	}
}

// disturb starts the run, does the fault at its point and waits for the end.
func (p *playedCell) disturb(ctx context.Context) error {
	cmd, closeFiles, err := p.slurmlab("run", p.runArguments(p.run)...)
	if err != nil {
		return err
	}
	defer closeFiles()
	p.Turn.Lock()
	others := sync.OnceFunc(p.Turn.Unlock)
	defer others()
	cmd.Env = append(cmd.Env, p.point.environment()...)
	if err = cmd.Start(); err != nil {
		return err
	}
	p.scene.cli = cmd.Process
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	reach, stop := context.WithTimeoutCause(ctx, reachLimit, errors.New("the point was not reached"))
	defer stop()
	reach, early := context.WithCancelCause(reach)
	defer early(nil)
	go func() {
		<-ended
		early(errors.New("slurmlab ended before its run reached the point"))
	}()
	began := time.Now()
	goOn, err := p.point.await(reach)
	if err == nil {
		began = time.Now()
		err = p.fault(ctx)
		goOn()
	}
	others()
	if err != nil {
		p.facts.Undone = err.Error()
	}
	select {
	case <-ended:
	case <-time.After(bound):
		p.facts.Endless = true
	case <-ctx.Done():
	}
	p.facts.TookSeconds = time.Since(began).Seconds()
	p.scene.over()
	_ = cmd.Process.Kill()
	<-ended
	p.facts.Exit = cmd.ProcessState.ExitCode()
	return ctx.Err()
}

func (p *playedCell) fault(ctx context.Context) error {
	if p.Victim != check.CLI && p.Victim != check.Engine && p.Victim != check.Disk {
		all, err := containers(ctx, p.dir, "")
		if err != nil {
			return err
		}
		if len(all) != 1 {
			return fmt.Errorf("%d containers of the run, want one", len(all))
		}
		p.scene.container = all[0].ID
	}
	return p.scene.act(ctx, p.Cell)
}

// settle gives the cluster of a slurmlab that was killed the time to end by itself.
func (p *playedCell) settle(ctx context.Context) {
	if p.scene.engine != nil {
		p.scene.engine.work()
	}
	if p.scene.disk != "" {
		_ = os.Remove(filepath.Join(p.scene.disk, "full"))
	}
	for limit := time.Now().Add(settleLimit); time.Now().Before(limit); {
		left, err := p.residue(ctx)
		if err != nil || !running(left) {
			return
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return
		}
	}
}

// afterwards finishes the run if that is still possible, and then tries a fresh one.
func (p *playedCell) afterwards(ctx context.Context) error {
	if dir, err := trace.Open(p.run); err == nil {
		record, readErr := dir.ReadRun()
		if readErr == nil {
			p.facts.Status, p.facts.Reason = record.Status, record.Reason
		}
		if readErr == nil && record.Ended && record.Status != trace.StatusComplete {
			code, finishErr := p.command(ctx, "finish", "run", "--resume", p.run)
			if finishErr != nil {
				return finishErr
			}
			p.facts.Finish = &code
		}
	}
	var err error
	p.Turn.Lock()
	defer p.Turn.Unlock()
	p.facts.Fresh, err = p.command(ctx, check.FreshName, p.runArguments(filepath.Join(p.dir, check.FreshName))...)
	return err
}

// command runs a command of slurmlab to its end and returns its exit code.
func (p *playedCell) command(ctx context.Context, name string, args ...string) (int, error) {
	cmd, closeFiles, err := p.slurmlab(name, args...)
	if err != nil {
		return 0, err
	}
	defer closeFiles()
	if err = cmd.Start(); err != nil {
		return 0, err
	}
	stop := time.AfterFunc(bound, func() { _ = cmd.Process.Kill() })
	defer stop.Stop()
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode(), ctx.Err()
}
