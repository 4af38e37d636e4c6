package auction

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

// Reading says how the papers' P_j are read; empty means ReadRanks.
type Reading string

const (
	// ReadLiteral takes P_j as Slurm has them. Those of priority/basic are about 4.29e9 - j for the j-th submitted job,
	// so a sum of them is greatest for the most jobs, and among equally many jobs for the least sum of positions.
	// [Snapshot.Priorities] are smaller numbers with the same order of sums.
	ReadLiteral Reading = "literal"
	// ReadRanks replaces the priorities of priority/basic by [Ranks].
	ReadRanks Reading = "ranks"
	// ReadSize multiplies the priorities of ReadRanks by the cores of the job, since AUCSCHED prefers larger jobs than
	// backfill does (section 6.2). Experiments 6 and 8 of IPSCHED do so for the sake of big jobs (section VI).
	ReadSize Reading = "size"
)

// Readings lists all readings.
func Readings() []Reading { return []Reading{ReadLiteral, ReadRanks, ReadSize} }

// Priorities are P_j of the papers' objectives by the Reading. All are whole numbers from 1, so
// that two different sums of them differ by at least 1.
func (s Snapshot) Priorities() []float64 {
	if s.Lexicographic() {
		behind := s.Behind()
		most := numberFirst(behind)
		for i, b := range behind {
			behind[i] = most - b
		}
		return behind
	}
	all := make([]float64, len(s.Jobs))
	if !s.Weighted {
		all = Ranks(s.Jobs)
	}
	for i, j := range s.Jobs {
		if s.Weighted {
			all[i] = j.Priority
		}
		if s.Reading == ReadSize {
			all[i] *= float64(j.Tasks())
		}
	}
	return all
}

// Lexicographic says that the number of jobs comes before their positions: the literal priorities of priority/basic.
func (s Snapshot) Lexicographic() bool { return s.Reading == ReadLiteral && !s.Weighted }

// Behind is how much lower each job's priority is than the first one's, by which literal priorities of priority/basic
// differ.
func (s Snapshot) Behind() []float64 {
	all := make([]float64, len(s.Jobs))
	for i, j := range s.Jobs {
		all[i] = s.Jobs[0].Priority - j.Priority
	}
	return all
}

// numberFirst is the least whole number m above all of them for which sums of m - behind_j order selections as sums of
// 4.29e9 - behind_j do: for each k, any k+1 jobs have a greater sum than any k.
func numberFirst(behind []float64) float64 {
	sorted := slices.Sorted(slices.Values(behind))
	most := 0.0
	// last is the sum of the k+1 greatest, first of the k least.
	last, first := 0.0, 0.0
	for k := range sorted {
		last += sorted[len(sorted)-1-k]
		most = max(most, last-first)
		first += sorted[k]
	}
	return most + 1
}

// Ranks replaces the priorities by P_j = 1 + the number of jobs in the window with a lower priority. That is |J| for
// the first job down to 1 for the last; equal priorities stay equal.
//
// The priorities of Slurm's priority/basic start at 4.29e9 and fall by one from job
// to job. Relative differences below 1e-7 are smaller than a solver's tolerances, so
// that a solver would take any solution with the right number of jobs for an optimum.
// Ranks keep the order of jobs and are small whole numbers. They do not keep the order of sums: of five jobs the ranks
// 5 of the first outweigh 2 + 1 of the last two, while under literal priorities two jobs outweigh one ([ReadLiteral]).
// Two different sums of ranks differ by at least P_min = 1, which inequality (9) of AUCSCHED needs to keep
// preferences from outweighing priorities.
func Ranks(jobs []bidding.Job) []float64 {
	ranks := make([]float64, len(jobs))
	for i, j := range jobs {
		ranks[i] = 1
		for _, other := range jobs {
			if other.Priority < j.Priority {
				ranks[i]++
			}
		}
	}
	return ranks
}
