package trace

// Subject is what two runs that stand side by side are compared in.
type Subject string

// The subjects, in the words of a sentence.
const (
	OfPolicies Subject = "policy"
	OfBackends Subject = "backend"
)

// Plural is the word for several of them.
func (s Subject) Plural() string {
	if s == OfBackends {
		return "backends"
	}
	return "policies"
}

// Sides are the two sides of a comparison: A and B name what tells them apart.
type Sides struct {
	Of   Subject
	A, B string
}

// SidesOf names two runs, or two sets of runs, by their policies ("backfill" and "auction"). Where these are equal it
// names them by their backends ("frontend-24.11" and "external-26.05"), which may be equal as well. Policies that were
// recorded under one name and are two have the names of today.
func SidesOf(a, b Settings) Sides {
	switch {
	case a.PolicyToday() == b.PolicyToday():
	case a.Policy == b.Policy:
		return Sides{OfPolicies, a.PolicyToday(), b.PolicyToday()}
	default:
		return Sides{OfPolicies, a.Policy, b.Policy}
	}
	return Sides{OfBackends, a.BackendName(), b.BackendName()}
}

// Free is what the runs of a pair, one of each side, may differ in: its subject, and
// the version of slurmlab.
func (s Sides) Free() Free {
	return Free{Tool: true, Policy: s.Of == OfPolicies, Backend: s.Of == OfBackends}
}
