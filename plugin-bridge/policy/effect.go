package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// mostNamed is how many policies a fault names at most.
const mostNamed = 4

// CheckEffect refuses each setting that none of the policies has: it would change nothing, and
// who set it believes that it does. The fault says which of all policies have the key. Without
// policies, as where none of those that were named is known, it refuses keys that no policy has.
func CheckEffect(settings []Setting, policies []Policy, all Policies) error {
	var faults []error
	for _, s := range settings {
		if len(policies) == 0 && !slices.Contains(SettingKeys(), s.Key) {
			faults = append(faults, unknownKey(s.Key))
		}
		var reasons []string
		for _, p := range policies {
			if why := p.Lacks(s.Key); why != "" {
				reasons = append(reasons, why)
			}
		}
		if len(reasons) == len(policies) && len(reasons) > 0 {
			faults = append(faults, fmt.Errorf("%s: has no effect, as %s; leave it out, or choose a policy that has it: %s", s.Key, strings.Join(reasons, " and "), all.having(s.Key)))
		}
	}
	return errors.Join(faults...)
}

// having names some of the policies that have a key.
func (all Policies) having(key string) string {
	var names []string
	for _, p := range all {
		if p.Lacks(key) == "" {
			names = append(names, p.Name)
		}
	}
	if more := len(names) - mostNamed; more > 1 {
		return fmt.Sprintf("%s and %d more (slurmlab policy list)", strings.Join(names[:mostNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}
