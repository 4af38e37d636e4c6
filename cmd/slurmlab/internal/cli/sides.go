package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/trace"
)

// sideFlags choose the two sides of a comparison: two policies, or under one policy two backends, machines or lists of events.
type sideFlags struct {
	world                              worldFlags
	policyNames, forms, series, images []string
	// variations are those under which the one policy is compared with itself.
	variations variations
	// variantsFile has further sides. sweeps are its settings with several values, or the ones of --vary.
	variantsFile string
	sweeps       []compare.Sweep
	// programs are the ones that the file names, trust says that they may run.
	programs campaign.Programs
	trust    trust
	// policies are what read found: one or two, with a file of variants more.
	policies []policy.Policy
}

func (f *sideFlags) flags(cmd *cobra.Command) {
	declare(cmd, headPolicy, flag("policies", &f.policyNames, []string{policy.Backfill, policy.Auction}, "the two policies, or the one of --vary or of two backends, machines or lists of events").completes(completions(ofPolicies).separated()).usual())
	f.variations.flag(cmd)
	declare(cmd, headPolicy, flag("variants", &f.variantsFile, "", "YAML file with a list of policies and their settings, as in a campaign file; all are compared with the first, or with the policy of --policies").completes(ofFiles(".yaml", ".yml")))
	f.trust.flag(cmd, headCluster)
	declare(cmd, headCluster,
		flag("backend", &f.forms, nil, "what emulates the nodes, or two to compare: "+backendHelp()).completes(completions(ofBackends).separated()).usual(),
		flag("slurm", &f.series, nil, "release series of Slurm, where a backend has several, or two to compare: "+seriesHelp()).completes(ofWords(backend.All().Series()...).separated()),
		flag("image", &f.images, nil, "cluster image, one for each backend (default: their usual ones)"),
	)
}

// read finds the policies and tells the experiment which backends are asked for. The error lists every fault of the flags.
func (f *sideFlags) read(e *experiment) error {
	faults := []error{f.world.read(e)}
	if err := f.one(e); err != nil {
		faults = append(faults, err)
	}
	if err := f.listed(e); err != nil {
		faults = append(faults, err)
	}
	want := "two, separated by a comma"
	asked, err := f.asked(e.given)
	if err != nil {
		faults = append(faults, err)
	}
	switch n := max(len(asked), len(f.forms), len(f.series)); n {
	case 0, 1, 2:
		switch subjects := f.subjects(); {
		case len(subjects) > 1:
			faults = append(faults, fmt.Errorf("%s: got two %s and two %s, want two of one of them", flagOfSubject(subjects[1]), subjects[0].Plural(), subjects[1].Plural()))
		case len(subjects) == 1 && len(f.variations) == 0:
			faults = append(faults, f.checkPolicies(1, fmt.Sprintf("one under which two %s are compared", subjects[0].Plural())))
		case f.variantsFile == "" && len(f.variations) == 0:
			if len(f.policyNames) > 2 {
				want += "; for more use --variants FILE or a campaign"
			}
			faults = append(faults, f.checkPolicies(2, want))
		}
	default:
		faults = append(faults, fmt.Errorf("backend: got %d, want one, or two to compare", n))
	}
	if n := len(f.images); n > 0 && len(asked) > 0 && n != len(asked) {
		faults = append(faults, fmt.Errorf("image: got %d, want %d, one for each backend", n, len(asked)))
		f.images = nil
	}
	for i := range f.images[:min(len(f.images), len(asked))] {
		asked[i].Image = f.images[i]
	}
	// They are chosen with the experiment, whose machine they must have.
	e.backends = asked
	return errors.Join(append(faults, f.findPolicies(e), f.trust.check(f.programs.Untrusted(e.Engine)))...)
}

// asked are the backends of --backend and --slurm, one where neither says anything.
func (f *sideFlags) asked(given *pflag.FlagSet) ([]backendFlags, error) {
	if err := checkGiven(given, strings.Join(f.forms, ","), strings.Join(f.series, ",")); err != nil {
		return nil, err
	}
	for _, twice := range []struct {
		flag  string
		words []string
	}{{"backend", f.forms}, {"slurm", f.series}} {
		for i, word := range twice.words {
			if slices.Contains(twice.words[:i], word) {
				return nil, fmt.Errorf("%s: %q is named twice, want two different ones", twice.flag, word)
			}
		}
	}
	if len(f.forms) == 0 && len(f.series) < 2 {
		return []backendFlags{{series: strings.Join(f.series, "")}}, nil
	}
	chosen, _, err := backend.All().Select(f.forms, f.series, backend.Needs{})
	var all []backendFlags
	for _, b := range chosen {
		all = append(all, backendFlags{form: string(b.Form), series: b.Series})
	}
	return all, err
}

// one has --vary change one policy.
func (f *sideFlags) one(e *experiment) error {
	if len(f.variations) == 0 {
		return nil
	}
	if !e.given.Changed("policies") {
		f.policyNames = []string{e.usual()}
	}
	if subjects := f.subjects(); len(subjects) > 0 {
		f.variations = nil
		return fmt.Errorf("vary: got it with two %s, want one of these; --set changes all policies", subjects[0].Plural())
	}
	if n := len(f.policyNames); n != 1 {
		f.variations = nil
		return fmt.Errorf("vary: got it with %d policies, want one; --set changes all policies, and a list of policies takes NAME+KEY=VALUE, as in backfill,auction+window=50", n)
	}
	for _, v := range f.variations {
		if slices.ContainsFunc(e.settings, func(s policy.Setting) bool { return s.Key == v.Key }) {
			return fmt.Errorf("vary: %s is in --set, want it in one of them", v.Key)
		}
	}
	return nil
}

// listed puts the policies of --policies, if they are given, in front of the policies in the file of variants.
func (f *sideFlags) listed(e *experiment) error {
	if f.variantsFile == "" {
		return nil
	}
	if len(f.variations) > 0 || len(f.subjects()) > 0 {
		f.variantsFile = ""
		return errors.New("variants: got it with --vary, or with two backends, machines or lists of events, want one of these; settings of several values can stand in the file")
	}
	if !e.given.Changed("policies") {
		f.policyNames = nil
	}
	return nil
}

// varied is the one policy under the values of --vary.
func (f *sideFlags) varied(base policy.Policy) ([]policy.Policy, error) {
	made, sweeps, err := campaign.Vary(base, f.variations...)
	f.sweeps = sweeps
	return made, err
}

// variants are the policies of the file. One without a policy has the settings of the first of --policies, or of the
// usual policy, in the place of its own.
func (f *sideFlags) variants(e *experiment) ([]policy.Policy, error) {
	if f.variantsFile == "" {
		return nil, nil
	}
	text, err := input.ReadFile(f.variantsFile)
	if err != nil {
		return nil, fmt.Errorf("variants: %w", err)
	}
	base := e.usual()
	if len(f.policyNames) > 0 {
		base = f.policyNames[0]
		if _, err = e.find(base); err != nil {
			// The error is known already, and would repeat for each entry.
			return nil, nil
		}
	}
	list, sweeps, programs, err := campaign.Variants(f.variantsFile, text, base, e.find)
	f.sweeps, f.programs = sweeps, programs
	if err == nil && len(list)+len(f.policyNames) < 2 {
		err = fmt.Errorf("variants: %s has one policy, want two or more, or one of --policies beside it", f.variantsFile)
	}
	return list, err
}

// checkPolicies says that there are so many.
func (f *sideFlags) checkPolicies(n int, want string) error {
	if len(f.policyNames) == n {
		return nil
	}
	err := fmt.Errorf("policies: got %d, want %s", len(f.policyNames), want)
	f.policyNames = nil
	return err
}

// findPolicies finds the policies, and all faults of them and of their settings.
func (f *sideFlags) findPolicies(e *experiment) error {
	var faults []error
	if names := f.policyNames; len(names) == 2 && names[0] == names[1] {
		faults = append(faults, fmt.Errorf("policies: %q is named twice, want two different ones", names[0]))
		f.policyNames = names[:1]
	}
	keep := func(err error) {
		if err == nil {
			return
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			// The policies mostly have the same faults of settings.
			if !slices.ContainsFunc(faults, func(f error) bool { return f.Error() == line }) {
				faults = append(faults, errors.New(line))
			}
		}
	}
	unknown := false
	for _, name := range f.policyNames {
		found, err := e.find(name)
		f.policies = append(f.policies, found)
		unknown = unknown || found.Name == ""
		keep(err)
	}
	variants, err := f.variants(e)
	f.policies = append(f.policies, variants...)
	keep(err)
	switch {
	case unknown:
		keep(e.effects())
	case len(f.policies) > 0:
		keep(e.effects(f.policies...))
	}
	if len(f.variations) > 0 && len(f.policies) == 1 && len(faults) == 0 {
		f.policies, err = f.varied(f.policies[0])
		keep(err)
	}
	for i, p := range f.policies {
		// Their runs would have the same directories.
		if len(faults) == 0 && slices.ContainsFunc(f.policies[:i], func(other policy.Policy) bool { return other.Name == p.Name }) {
			faults = append(faults, fmt.Errorf("policies: two are called %s, want names that differ", p.Name))
		}
	}
	return errors.Join(faults...)
}

// subjects are what two are asked for of: backends, machines, lists of events.
func (f *sideFlags) subjects() []trace.Subject {
	all := f.world.subjects()
	if len(f.forms) > 1 || len(f.series) > 1 {
		all = append(all, trace.OfBackends)
	}
	return all
}

// flagOfSubject is the flag that two values of ask for a comparison.
func flagOfSubject(s trace.Subject) string {
	if s == trace.OfEvents {
		return "events"
	}
	return string(s)
}

// sides are the sides, after the backends of the experiment were chosen.
func (f *sideFlags) sides(e *experiment) []campaign.Side {
	var all []campaign.Side
	if len(e.backends) == 1 && len(e.worlds) == 0 {
		for _, p := range f.policies {
			all = append(all, e.backends[0].under(p))
		}
		return all
	}
	for i := range 2 {
		side := e.backends[min(i, len(e.backends)-1)].under(f.policies[0])
		if len(e.worlds) > 0 {
			side.World = &e.worlds[i]
		}
		all = append(all, side)
	}
	return all
}
