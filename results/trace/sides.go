package trace

// Subject is what two runs that stand side by side are compared in.
type Subject string

// The subjects, in the words of a sentence.
const (
	OfPolicies Subject = "policy"
	OfKinds    Subject = "kind of cluster"
)

// Plural is the word for several of them.
func (s Subject) Plural() string {
	if s == OfKinds {
		return "kinds of cluster"
	}
	return "policies"
}

// Sides are the two sides of a comparison: A and B name what tells them apart.
type Sides struct {
	Of   Subject
	A, B string
}

// SidesOf names two runs, or two sets of runs, by their policies ("backfill" and
// "auction"). Where these are equal it names them by their kinds of cluster ("Slurm
// 24.11" and "Slurm 26.05"), which may be equal, too. Policies that were recorded under one
// name and are two have the names of today.
func SidesOf(a, b Settings) Sides {
	switch {
	case a.PolicyToday() == b.PolicyToday():
	case a.Policy == b.Policy:
		return Sides{OfPolicies, a.PolicyToday(), b.PolicyToday()}
	default:
		return Sides{OfPolicies, a.Policy, b.Policy}
	}
	return Sides{OfKinds, a.KindText(), b.KindText()}
}

// Free is what the runs of a pair, one of each side, may differ in: its subject, and
// the version of slurmlab.
func (s Sides) Free() Free {
	return Free{Tool: true, Policy: s.Of == OfPolicies, Slurm: s.Of == OfKinds}
}

// KindText names the kind of the cluster: "Slurm 26.05".
func (s Settings) KindText() string { return "Slurm " + s.Slurm }
