package auction

import "fmt"

// RowKind says what a row of a [Problem] limits.
type RowKind uint8

// The kinds of rows. PlainRow, the zero value, is a row of a problem that is no
// auction's, as in tests.
const (
	PlainRow RowKind = iota
	// JobRow: at most one bid of a job wins, equation (2) of AUCSCHED2.
	JobRow
	// CoresRow and GPUsRow: what is free of a node, equations (3) and (4).
	CoresRow
	GPUsRow
	// MemoryRow: the free memory of a node in MiB.
	MemoryRow
	// LicencesRow: the free licences of one name.
	LicencesRow
	// ReservedCoresRow, ReservedGPUsRow and ReservedMemoryRow: what a
	// [Reservation] leaves of a node to bids that run past its start.
	ReservedCoresRow
	ReservedGPUsRow
	ReservedMemoryRow
	// CutRow: a row that follows from others for whole numbers, and that a solver
	// has added.
	CutRow
)

// Name writes the constraint for files and for people. It is its equation in AUCSCHED2, or what it is about where the
// paper has no equation, and the job, node or licence. Examples are "(2) job 5", "(3) n17", "(licences) matlab" and
// "(reserved cores) n17".
func (r Constraint) Name() string {
	switch r.Kind {
	case JobRow:
		return fmt.Sprintf("(2) job %d", r.Job)
	case CoresRow:
		return "(3) " + r.Of
	case GPUsRow:
		return "(4) " + r.Of
	case MemoryRow:
		return "(memory) " + r.Of
	case LicencesRow:
		return "(licences) " + r.Of
	case ReservedCoresRow:
		return "(reserved cores) " + r.Of
	case ReservedGPUsRow:
		return "(reserved GPUs) " + r.Of
	case ReservedMemoryRow:
		return "(reserved memory) " + r.Of
	case CutRow:
		return "cut"
	default:
		return "row"
	}
}
