package scripts

import (
	"fmt"
	"strconv"
	"strings"
)

// widest is the most digits to which a number is padded (sbatch(1), filename pattern).
const widest = 10

// expand replaces the patterns of a file name as sbatch(1) and slurmstepd
// (src/slurmd/common/fname.c) do for a batch script that is no job array. A name with a
// backslash is taken as it is, without its backslashes.
func expand(name string, d Details, id int, user string) string {
	if strings.Contains(name, `\`) {
		return strings.ReplaceAll(name, `\`, "")
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(name, "%")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		width, _ := strconv.Atoi(rest[:digits])
		width = min(width, widest)
		if digits == len(rest) {
			out.WriteString("%" + rest)
			return out.String()
		}
		switch rest[digits] {
		case '%':
			out.WriteByte('%')
		case 'A', 'j', 'J':
			fmt.Fprintf(&out, "%0*d", width, id)
		case 'a':
			// What slurmstepd has for "no job array" (NO_VAL of slurm.h).
			fmt.Fprintf(&out, "%0*d", width, noArray)
		case 'b':
			fmt.Fprintf(&out, "%0*d", width, noArray%10)
		case 'n', 't':
			fmt.Fprintf(&out, "%0*d", width, 0)
		case 'N':
			out.WriteString(d.First)
		case 's':
			out.WriteString("batch")
		case 'u':
			out.WriteString(user)
		case 'x':
			out.WriteString(d.Name)
		default:
			out.WriteString("%" + rest[:digits+1])
		}
		name = rest[digits+1:]
	}
}

const noArray = 0xfffffffe
