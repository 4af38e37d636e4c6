package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Effect refuses the flag of a parameter of the agent that none of the policies reads: it
// would change nothing, and whoever set it believes that it does. It is nil for a flag
// that is no parameter's.
func Effect(flag string, policies ...Policy) error {
	var reasons []string
	for _, p := range policies {
		reason := p.ignores(flag)
		if reason == "" {
			return nil
		}
		reasons = append(reasons, reason)
	}
	if len(reasons) == 0 {
		return nil
	}
	return fmt.Errorf("%s: has no effect, as %s; leave it out, or choose another policy (slurmlab policy list)",
		flag, strings.Join(reasons, " and "))
}

// ignores says why the policy does not read a parameter that has a flag, "" if it does.
func (p Policy) ignores(flag string) string {
	for _, k := range p.Parameters.knobs() {
		switch {
		case k.name != flag || k.place&inFlags == 0:
		case !p.HasAgent():
			return p.Name + " has no agent"
		case k.methods != nil && !slices.Contains(k.methods, p.Parameters.Method):
			return fmt.Sprintf("%s decides by the program %s, which does not read it", p.Name, p.Parameters.Method)
		}
	}
	return ""
}
