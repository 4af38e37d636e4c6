package slurmctl_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// TestMain lets the test binary play scontrol when it is called by that name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "scontrol" {
		os.Exit(playScontrol(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// playScontrol answers like scontrol: the prompt and an echo on standard
// output, complaints on standard error. What it does to a job depends on the
// job's id.
func playScontrol(args []string) int {
	fmt.Fprintln(os.Stderr, "scontrol: error: a warning at the start")
	if len(args) > 0 {
		return play(strings.Join(args, " "))
	}
	settings, err := os.ReadFile(os.Getenv("INPUTRC"))
	if err != nil || string(settings) != "set history-size 0\n" {
		fmt.Fprintf(os.Stderr, "scontrol: fatal: readline's settings: %q, %v\n", settings, err)
		return 9
	}
	in := bufio.NewScanner(os.Stdin)
	for fmt.Print("scontrol: "); in.Scan(); fmt.Print("scontrol: ") {
		fmt.Println(in.Text())
		if code := play(in.Text()); code > 1 {
			return code
		}
	}
	return 0
}

func play(command string) int {
	words := strings.Fields(command)
	switch {
	case strings.HasPrefix(words[0], "fence-"):
		fmt.Fprintf(os.Stderr, "invalid keyword: %s \n", words[0])
	case command == "release 1":
		return 0
	case strings.HasPrefix(command, "update JobId=1 "):
		if len(command) > 4095 {
			fmt.Fprintf(os.Stderr, "one process for %d words\n", len(words))
			return 1
		}
		return 0
	case strings.HasPrefix(command, "update NodeName="):
		fmt.Fprintln(os.Stderr, command)
		return 1
	case command == "release 2":
		fmt.Fprintln(os.Stderr, "Job has already finished for job 2\nslurm_suspend error: Job has already finished")
		return 1
	case command == "release 3": // without a line feed
		fmt.Fprint(os.Stderr, "Invalid job_id 3")
		return 1
	case command == "release 4":
		fmt.Fprintln(os.Stderr, "Unexpected message received for job 4")
		return 1
	case command == "release 5":
		time.Sleep(time.Hour)
	case command == "release 6":
		fmt.Fprintln(os.Stderr, "scontrol: fatal: out of luck")
		return 9
	case strings.HasPrefix(command, busyCommand):
		return untilGone(strings.TrimPrefix(command, busyCommand))
	}
	return 0
}

// busyCommand, followed by the path of a file, makes scontrol busy until somebody removes the file.
const busyCommand = "update JobId=7 Comment="

// begun waits until scontrol has a busyCommand.
func begun(t *testing.T, path string) {
	t.Helper()
	hosttest.Until(t, "scontrol is busy", func() bool {
		_, err := os.Stat(path)
		return err == nil
	})
}

// untilGone makes a file and waits until somebody removes it.
func untilGone(path string) int {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 9
	}
	for {
		if _, err := os.Stat(path); err != nil {
			return 0
		}
		time.Sleep(time.Millisecond)
	}
}

func openSession(t *testing.T) *slurmctl.Session {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err = os.Symlink(self, filepath.Join(dir, "scontrol")); err != nil {
		t.Fatal(err)
	}
	// A test binary built for coverage complains without that directory.
	s, err := slurmctl.OpenSession(t.Context(), &slurmctl.Exec{Bin: dir, Env: []string{"GOCOVERDIR=" + dir}}, hosttest.Hang)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestSessionTellsSuccessFromRefusal(t *testing.T) {
	s := openSession(t)
	for range 3 {
		if err := s.Do(t.Context(), "release 1"); err != nil {
			t.Fatal(err)
		}
		var refused *slurmctl.RefusedError
		err := s.Do(t.Context(), "release 2")
		if !errors.As(err, &refused) || refused.Command != "release 2" ||
			refused.Message != "Job has already finished for job 2; slurm_suspend error: Job has already finished" {
			t.Fatal(err)
		}
		if err = s.Do(t.Context(), "release 3"); !errors.As(err, &refused) || refused.Message != "Invalid job_id 3" {
			t.Fatal(err)
		}
		if err = s.Do(t.Context(), "release 4"); !errors.Is(err, slurmctl.ErrUnavailable) || errors.Is(err, slurmctl.ErrSessionBroken) {
			t.Fatal(err)
		}
	}
}

func TestSessionSurvives(t *testing.T) {
	for _, c := range []struct {
		name    string
		timeout time.Duration
		command string
		cause   error
		text    string
	}{
		{"the death of scontrol", hosttest.Hang, "release 6", nil, "exit status 9 after \"scontrol: fatal: out of luck\""},
		{"a time-out", 10 * time.Millisecond, "release 5", context.DeadlineExceeded, "no answer within 10ms"},
		{"a cancelled context", hosttest.Hang, busyCommand, context.Canceled, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openSession(t)
			s.SetTimeout(c.timeout)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			command, done := c.command, make(chan error, 1)
			busy := filepath.Join(t.TempDir(), "busy")
			if command == busyCommand {
				command += busy
			}
			go func() { done <- s.Do(ctx, command) }()
			if errors.Is(c.cause, context.Canceled) {
				// Before scontrol has the command, the end of the context leaves the session whole.
				begun(t, busy)
				cancel()
			}
			err := hosttest.Receive(t, "the end of the command", done)
			if !errors.Is(err, slurmctl.ErrSessionBroken) || (c.cause != nil && !errors.Is(err, c.cause)) ||
				!strings.Contains(err.Error(), c.text) {
				t.Fatal(err)
			}
			if err = s.Do(t.Context(), "release 1"); !errors.Is(err, slurmctl.ErrSessionBroken) {
				t.Fatalf("a broken session answered: %v", err)
			}
			s.SetTimeout(hosttest.Hang)
			if err = s.Reopen(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err = s.Do(t.Context(), "release 1"); err != nil {
				t.Fatal(err)
			}
			var refused *slurmctl.RefusedError
			if err = s.Do(t.Context(), "release 2"); !errors.As(err, &refused) {
				t.Fatal(err)
			}
		})
	}
}

func TestSessionCancelledBeforeItsTurnStaysWhole(t *testing.T) {
	s := openSession(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Do(ctx, "release 1"); !errors.Is(err, context.Canceled) || errors.Is(err, slurmctl.ErrSessionBroken) {
		t.Fatal(err)
	}
	if err := s.Do(t.Context(), "release 1"); err != nil {
		t.Fatal(err)
	}
}

func TestSessionIsSafeForConcurrentUse(t *testing.T) {
	s := openSession(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				var refused *slurmctl.RefusedError
				switch err := s.Do(t.Context(), fmt.Sprintf("release %d", 1+i%3)); {
				case i%3 == 0 && err != nil:
					t.Error(err)
				case i%3 > 0 && (!errors.As(err, &refused) || !strings.HasSuffix(refused.Command, fmt.Sprint(1+i%3))):
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestSessionWaitForTurnEndsWithContext(t *testing.T) {
	s := openSession(t)
	busy := filepath.Join(t.TempDir(), "busy")
	slow := make(chan error)
	go func() { slow <- s.Do(t.Context(), busyCommand+busy) }()
	begun(t, busy)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	err := s.Do(ctx, "release 1")
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, slurmctl.ErrSessionBroken) {
		t.Error(err)
	}
	if err = os.Remove(busy); err != nil {
		t.Fatal(err)
	}
	if err = hosttest.Receive(t, "the end of the slow command", slow); err != nil {
		t.Error(err)
	}
}

func TestSessionSendsLongCommandsToAProcessOfTheirOwn(t *testing.T) {
	s := openSession(t)
	command := "update JobId=1 NodeList=" + strings.Repeat("n1,", 2000) + "n2"
	var refused *slurmctl.RefusedError
	if err := s.Do(t.Context(), command); !errors.As(err, &refused) || !strings.HasSuffix(refused.Message, "one process for 3 words") {
		t.Fatal(err)
	} else if len(err.Error()) > 300 {
		t.Errorf("a message of %d characters", len(err.Error()))
	}
}

func TestSessionRefusesDangerousCommands(t *testing.T) {
	s := openSession(t)
	for _, bad := range []string{"", " ", "release", "exit", "e 1", "quit now", "!! 1", "fence-1 x", "show job", "release 1\nexit",
		"release 1\t", "release \"1", "release '1", "update JobId=1 AdminComment=\\x", "release \x1b", "release é"} {
		err := s.Do(t.Context(), bad)
		var refused *slurmctl.RefusedError
		if err == nil || errors.As(err, &refused) || errors.Is(err, slurmctl.ErrSessionBroken) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := s.Do(t.Context(), "release 1"); err != nil {
		t.Error(err)
	}
}

// scontrol reads a Reason with spaces as one word only in quotes, which it takes off that one alone.
func TestSessionUpdatesWithReasons(t *testing.T) {
	s := openSession(t)
	var refused *slurmctl.RefusedError
	err := s.Update(t.Context(), "NodeName=n[1-2]", "State=DOWN", "Reason=power supply")
	if want := `update NodeName=n[1-2] State=DOWN Reason="power supply"`; !errors.As(err, &refused) || refused.Message != want {
		t.Errorf("%v, want %q", err, want)
	}
	err = s.Update(t.Context(), "NodeName=n1", "State=DOWN", "Reason="+strings.Repeat("very ", 1000)+"long")
	if !errors.As(err, &refused) || !strings.HasSuffix(refused.Message, " long") || strings.Contains(refused.Message, `"`) {
		t.Errorf("%v, want a process of its own", err)
	}
	if err = s.Update(t.Context(), "JobId=1", "Nice=7"); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"Comment=two words", "Reason=a\"b", "Reason=a\tb"} {
		if err = s.Update(t.Context(), "NodeName=n1", bad); err == nil || errors.As(err, &refused) || errors.Is(err, slurmctl.ErrSessionBroken) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Settings of readline are given to scontrol without a file in /tmp, which may be full or not there. The scontrol of this
// test ends without them.
func TestSessionNeedsNoTemporaryFile(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	s := openSession(t)
	for range 2 {
		if err := s.Reopen(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Update(t.Context(), "JobId=1", "Nice=7"); err != nil {
			t.Error(err)
		}
	}
}

func TestSessionNeedsScontrol(t *testing.T) {
	_, err := slurmctl.OpenSession(t.Context(), &slurmctl.Exec{Bin: t.TempDir()}, hosttest.Hang)
	if err == nil || !strings.Contains(err.Error(), "open scontrol session") {
		t.Error(err)
	}
}
