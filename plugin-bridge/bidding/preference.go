package bidding

// preferenceConstants are k_1, k_2 and k_3 of AUCSCHED Table 3.
type preferenceConstants struct{ base, nodes, sets float64 }

// constantsFor returns a column of AUCSCHED Table 3. The table's types 2 and 3 give F = 1 to every A bid and 1/2 to
// every B bid, though equation (11) excludes these two values. F_A > F_B > F_C holds all the same.
func constantsFor(t Type, c Class) preferenceConstants {
	if t == Type1 {
		switch c {
		case ClassA:
			return preferenceConstants{0, 0.25, 0}
		case ClassB:
			return preferenceConstants{0.25, 0.25, 0}
		default:
			return preferenceConstants{0.5, 0.25, 0.25}
		}
	}
	switch c {
	case ClassA:
		return preferenceConstants{0, 0, 0}
	case ClassB:
		return preferenceConstants{0.5, 0, 0}
	default:
		return preferenceConstants{0.5, 0, 0.5}
	}
}

// Preference is F_jc of AUCSCHED equation (12):
//
//	F = 1 - k_1 - k_2 |N_c| / (|N|+1) - k_3 |S_c| / (|S|+1)
//
// bidNodes is |N_c|, nodes |N|, bidSets |S_c| (nodesets that the bid's nodes
// come from) and sets |S| (nodesets that the bid was chosen from).
func Preference(t Type, c Class, bidNodes, nodes, bidSets, sets int) float64 {
	k := constantsFor(t, c)
	return 1 - k.base -
		k.nodes*float64(bidNodes)/float64(nodes+1) -
		k.sets*float64(bidSets)/float64(sets+1)
}

// AmongChoices ranks the bids of one job that serve different choices of it, the most wanted being choice 0 of n. "In
// order to favour a job's bids with a higher number of GPUs over this job's other bids" (AUCSCHED2 section 2, which
// gives no formula). Choice i gets the i-th part of (0,1] from above,
//
//	F' = (n - 1 - i + F) / n
//
// Every bid of a better choice is then preferred to every bid of a worse one, and the
// order of the bids within a choice stays. F' lies in (0,1], which inequality (9) of
// AUCSCHED needs: no sum of preferences outweighs a difference in priority.
func AmongChoices(f float64, i, n int) float64 {
	return (float64(n-1-i) + f) / float64(n)
}
