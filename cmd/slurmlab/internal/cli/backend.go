package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

// defaultImage is the cluster image that "make image" builds.
func defaultImage() string { return backend.Default().Image() }

// backendFlags choose the backend of clusters and its image.
type backendFlags struct {
	form, series string
	// given has the flags, nil for a side of a comparison, which has its own.
	given *pflag.FlagSet
	// Side has the backend after choose and no policy yet. reason is why the backend was taken, empty where the user named it
	// or it is the default.
	campaign.Side
	reason string
}

func (b *backendFlags) flags(cmd *cobra.Command) {
	b.given = cmd.Flags()
	declare(cmd, headCluster,
		flag("backend", &b.form, "", "what emulates the nodes: "+backendHelp()).completes(ofBackends).usual(),
		flag("slurm", &b.series, "", "release series of Slurm, where a backend has several: "+seriesHelp()).completes(ofWords(backend.All().Series()...)),
		flag("image", &b.Image, "", "cluster image (default: the usual one of the backend)"),
	)
}

// backendHelp lists the forms with what they are good for.
func backendHelp() string {
	var parts []string
	for _, form := range backend.All().Forms() {
		parts = append(parts, fmt.Sprintf("%s (%s)", form, aboutForm(form)))
	}
	return faults.Or(parts) + fmt.Sprintf("; without it what the run needs, %s where that has it", backend.Default().Form)
}

func aboutForm(form string) string { return backend.All().Of(backend.Form(form)).Traits().About }

// seriesHelp lists the series with the forms that have them.
func seriesHelp() string {
	var parts []string
	for _, series := range backend.All().Series() {
		forms := backend.All().OfSeries(series).Forms()
		parts = append(parts, fmt.Sprintf("%s (%s)", series, strings.Join(forms, ", ")))
	}
	return faults.Or(parts)
}

func ofBackends(*cobra.Command, []string, string) []cobra.Completion {
	var list []cobra.Completion
	for _, form := range backend.All().Forms() {
		list = append(list, cobra.CompletionWithDesc(form, aboutForm(form)))
	}
	return list
}

// choose finds the backend that the flags allow and that meets the needs.
func (b *backendFlags) choose(needs backend.Needs) error {
	if err := checkGiven(b.given, b.form, b.series); err != nil {
		return err
	}
	chosen, reason, err := backend.All().Choose(backend.Choice{Form: backend.Form(b.form), Series: b.series}, needs)
	b.Backend, b.reason = chosen, cmp.Or(reason, b.reason)
	return err
}

// checkGiven refuses the flags with an empty value.
func checkGiven(given *pflag.FlagSet, form, series string) error {
	if given == nil {
		return nil
	}
	var bad []error
	if given.Changed("backend") && form == "" {
		bad = append(bad, backend.All().CheckForm(form))
	}
	if given.Changed("slurm") && series == "" {
		bad = append(bad, backend.All().CheckSeries(series))
	}
	return errors.Join(bad...)
}

// say tells why a backend was taken that the user did not name and that is not the default.
func (b *backendFlags) say(s *State) {
	if b.reason != "" {
		s.tell(b.reason)
	}
}

// tell writes lines to standard error.
func (s *State) tell(lines ...string) {
	for _, line := range lines {
		_, _ = fmt.Fprintln(s.Stderr, line)
	}
}

// goOn has the flags name the one backend of the runs that are in a directory, where they name none.
func (b *backendFlags) goOn(out string) {
	if b.form != "" || b.series != "" || out == "" {
		return
	}
	there, name := campaign.BackendIn(out)
	if name == "" || there == backend.Default() {
		return
	}
	b.form, b.series, b.Former = string(there.Form), there.Series, !strings.Contains(name, there.Name())
	b.reason = fmt.Sprintf("backend %s, as the runs in %s have it", there.Form, out)
}

// under is a policy on the backend, as a side of a comparison.
func (b *backendFlags) under(p policy.Policy) campaign.Side {
	side := b.Side
	side.Policy = p
	return side
}

// fit reports a machine that the backend cannot have.
func (b *backendFlags) fit(m workloads.Machine) error {
	return errors.Join(backend.All().Fit(b.Backend, m.Nodes, m.Unequal()), backend.All().CheckBlocks(b.Backend, !m.Blocks.None()))
}

// imageName is the name of the image.
func (b *backendFlags) imageName() string { return cmp.Or(b.Image, b.Backend.Image()) }

// find asks the runtime for the image.
func (b *backendFlags) find(ctx context.Context, s *State, on run.Engine) (run.Image, error) {
	return run.CheckImage(ctx, on, b.imageName(), s.Version, b.Backend.Series)
}

// backendArguments are the flags that choose a backend, with a space before each; none for the default.
func backendArguments(b backend.Backend) string {
	text := ""
	if b.Form != backend.Default().Form {
		text += " --backend " + string(b.Form)
	}
	if b != backend.All().Of(b.Form) {
		text += " --slurm " + b.Series
	}
	return text
}
