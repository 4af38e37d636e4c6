package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// checkoutLabel is slurm.CheckoutLabel, whose package would bring the client of the engine into this command.
const checkoutLabel = "org.slurmlab.checkout"

// testContainers lists the containers that tests of this checkout have started, by id.
func testContainers(ctx context.Context) ([]string, error) {
	checkout, err := output(ctx, "containers/slurm/image/checkout.sh")
	if err != nil {
		return nil, err
	}
	ids, err := output(ctx, "docker", "ps", "--all", "--quiet", "--no-trunc", "--filter", "label="+checkoutLabel+"="+checkout)
	return strings.Fields(ids), err
}

// removeLimit is the time after which an engine that does not answer keeps what was left.
const removeLimit = time.Minute

// removeLeft removes the containers that tests have left, which are those that were not there before: a test that was
// interrupted or killed removes none. It returns a line for people, empty if nothing was left.
func removeLeft(ctx context.Context, before []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, removeLimit)
	defer cancel()
	left := func() ([]string, error) {
		all, err := testContainers(ctx)
		return slices.DeleteFunc(all, func(id string) bool { return slices.Contains(before, id) }), err
	}
	ids, err := left()
	if err != nil || len(ids) == 0 {
		return "", err
	}
	// One that is being removed already is an error, and gone.
	_, removeErr := output(ctx, "docker", append([]string{"rm", "--force", "--volumes"}, ids...)...)
	stay, err := left()
	if err == nil && len(stay) > 0 {
		err = errors.Join(fmt.Errorf("containers of tests stay: %s", strings.Join(stay, " ")), removeErr)
	}
	return fmt.Sprintf("containers that tests had left and that were removed: %d\n", len(ids)-len(stay)), err
}

// output returns what a command prints, without the space around it.
func output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
