package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/moby/moby/client"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/emulator/run"
)

func shellCommand(s *State) *cobra.Command {
	var name, user string
	cmd := &cobra.Command{
		Use:   "shell [-- COMMAND [ARGUMENT...]]",
		Short: "Open a shell in a running cluster, or run one command there",
		Long: `Opens a shell in a cluster that "slurmlab up" started. sbatch, squeue, sinfo and
every other command of Slurm work in it, on the cluster's clock. With a command
after -- only that is run, and its exit code is passed on. You are root, or with
--user one of the machine's users, in /tmp.`,
		Example:           "  slurmlab shell\n  slurmlab shell -- sinfo\n  slurmlab shell --user anna -- sbatch --wrap hostname",
		ValidArgsFunction: cobra.NoFileCompletions,
		Args:              cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkUser(user); err != nil {
				return usage(err)
			}
			cluster, err := kept(cmd.Context(), name)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				// The profile of a login shell would set a PATH without Slurm, and the
				// rc file of an interactive one Debian's prompt.
				args = []string{"bash", "--norc"}
			}
			return attach(cmd.Context(), s, cluster.ID, asUser(user, args))
		},
	}
	declare(cmd, headFlags, flag("name", &name, defaultName, "name of the cluster").completes(ofClusters(s)))
	declare(cmd, headFlags, flag("user", &user, "", "user of the machine file who works in the shell (default: root)"))
	return cmd
}

func checkUser(name string) error {
	if name == "" || regexp.MustCompile(`^[a-z_][a-z0-9_.-]*$`).MatchString(name) {
		return nil
	}
	return fmt.Errorf("user: %q is not allowed, want a user of an account of the machine file", name)
}

// asUser is a command as a user's, in the user's home.
func asUser(name string, argv []string) []string {
	if name == "" {
		return argv
	}
	return append([]string{"env", "-C", usersHome, "HOME=" + usersHome, "USER=" + name, "LOGNAME=" + name, "runuser", "-u", name, "--"}, argv...)
}

// usersHome is the home of the users of a machine file (package boot), in which they may write.
const usersHome = "/tmp"

// kept finds the running container of a cluster that "up" started.
func kept(ctx context.Context, name string) (run.Container, error) {
	if err := checkName(name); err != nil {
		return run.Container{}, usage(err)
	}
	all, err := run.Containers(ctx, slurm.RoleUp, "")
	if err != nil {
		return run.Container{}, err
	}
	at := slices.IndexFunc(all, func(c run.Container) bool { return c.Name == name })
	if at < 0 {
		return run.Container{}, usage(fmt.Errorf("name: no cluster %q is up; start it with: slurmlab up%s%s", name, nameFlag(name), running(all)))
	}
	if state := all[at].State; state != "running" {
		return all[at], fmt.Errorf("cluster %s cannot be used: its container is %s; remove it with: slurmlab down%s",
			name, state, nameFlag(name))
	}
	return all[at], nil
}

// running ends an error about the name of a cluster: it lists the clusters that could be meant, nothing without any.
func running(all []run.Container) string {
	var names []string
	for _, c := range all {
		if c.State == "running" {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return "; running: " + strings.Join(names, ", ")
}

// attach runs a command in the container on the caller's terminal, in raw mode
// where standard input is one.
func attach(ctx context.Context, s *State, container string, argv []string) error {
	docker, err := client.New(client.FromEnv)
	if err != nil {
		return fmt.Errorf("open shell: %w", err)
	}
	defer func() { _ = docker.Close() }()
	stdin, isFile := s.Stdin.(*os.File)
	tty := isFile && term.IsTerminal(int(stdin.Fd()))
	exec, err := docker.ExecCreate(ctx, container, client.ExecCreateOptions{
		TTY: tty, AttachStdin: true, AttachStdout: true, AttachStderr: true,
		Env: []string{"TERM=" + os.Getenv("TERM"), `PS1=slurmlab:\w\$ `}, WorkingDir: "/root",
		Cmd: append([]string{"slurmlabd", "exec", "--"}, argv...),
	})
	if err != nil {
		return fmt.Errorf("open shell: %w", err)
	}
	conn, err := docker.ExecAttach(ctx, exec.ID, client.ExecAttachOptions{TTY: tty})
	if err != nil {
		return fmt.Errorf("open shell: %w", err)
	}
	defer conn.Close()
	// A closed terminal ends only the context.
	defer context.AfterFunc(ctx, conn.Close)()
	if tty {
		restore, rawErr := rawTerminal(ctx, docker, exec.ID, int(stdin.Fd()))
		if rawErr != nil {
			return rawErr
		}
		defer restore()
	}
	go func() {
		_, _ = io.Copy(conn.Conn, s.Stdin)
		_ = conn.CloseWrite()
	}()
	if err = copyOutput(s, conn.Reader, tty); err != nil {
		return fmt.Errorf("open shell: %w", err)
	}
	end, err := docker.ExecInspect(ctx, exec.ID, client.ExecInspectOptions{})
	if err != nil {
		return fmt.Errorf("open shell: %w", err)
	}
	if end.ExitCode != 0 {
		return commandError{code: end.ExitCode}
	}
	return nil
}

// commandError passes on the exit code of a command in a shell, which has said
// itself what was wrong.
type commandError struct{ code int }

func (e commandError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

var errNoTerminal = errors.New("the terminal cannot be set to raw mode")
