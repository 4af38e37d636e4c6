package site

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// The syntax of slurm.conf, gres.conf, topology.conf and of what they include is that of src/common/parse_config.c, whose functions
// the comments name. Of a line the whole is pairs here, where Slurm asks some keys to stand alone.

// blanks are [[:space:]] of keyvalue_pattern.
const blanks = " \t\n\v\f\r"

// logicalLine is a line with those that continue it, without comments and escapes.
type logicalLine struct {
	number int
	text   string
}

// logicalLines joins continued lines as _get_next_line does: comments end before a continuation is looked for, and nothing stands
// between the parts.
func logicalLines(text string) []logicalLine {
	var out []logicalLine
	physical := strings.Split(text, "\n")
	for i := 0; i < len(physical); i++ {
		line := logicalLine{number: i + 1}
		var parts []string
		for more := true; more; i++ {
			var part string
			part, more = continued(uncommented(physical[i]))
			parts, more = append(parts, part), more && i+1 < len(physical)
		}
		i--
		if line.text = unescaped(strings.Join(parts, "")); strings.Trim(line.text, blanks) != "" {
			out = append(out, line)
		}
	}
	return out
}

// uncommented cuts a line at the first # after an even number of backslashes (_strip_comments).
func uncommented(line string) string {
	backslashes := 0
	for i := range len(line) {
		switch {
		case line[i] == '#' && backslashes%2 == 0:
			return line[:i]
		case line[i] == '\\':
			backslashes++
		default:
			backslashes = 0
		}
	}
	return line
}

// continued says whether a line ends in an odd number of backslashes, blanks aside, and returns it without the last one
// (_strip_continuation).
func continued(line string) (text string, more bool) {
	trimmed := strings.TrimRight(line, blanks)
	if n := len(trimmed) - len(strings.TrimRight(trimmed, `\`)); n%2 == 1 {
		return trimmed[:len(trimmed)-1], true
	}
	return line, false
}

// unescaped takes away the backslash before each character (_strip_escapes).
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
		}
		if i < len(text) {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// confPairs splits a line. Of a key that stands twice in it, the last value holds (_handle_common). rest is what is no pair, with
// what follows it.
func confPairs(text string) (pairs []pair, rest string) {
	for {
		next, after, ok := confPair(text)
		if !ok {
			return pairs, strings.Trim(text, blanks)
		}
		if i := slices.IndexFunc(pairs, func(p pair) bool { return strings.EqualFold(p.key, next.key) }); i > 0 {
			pairs = slices.Delete(pairs, i, i+1)
		}
		pairs, text = append(pairs, next), after
	}
}

// confPair takes the first pair of a line as keyvalue_pattern does: blanks may stand around the sign, an operator before it, and
// quotes enclose a value only if a blank or the end follows them.
func confPair(text string) (p pair, rest string, ok bool) {
	text = strings.TrimLeft(text, blanks)
	end := strings.IndexFunc(text, func(c rune) bool { return !isKeyRune(c) })
	if end <= 0 {
		return p, "", false
	}
	p.key, text = text[:end], strings.TrimLeft(text[end:], blanks)
	if text != "" && strings.ContainsRune("-*+/", rune(text[0])) {
		text = text[1:]
	}
	text, ok = strings.CutPrefix(text, "=")
	text = strings.TrimLeft(text, blanks)
	if !ok || text == "" {
		return p, "", false
	}
	if quoted, is := strings.CutPrefix(text, `"`); is {
		if inner, after, closed := strings.Cut(quoted, `"`); closed && (after == "" || strings.ContainsRune(blanks, rune(after[0]))) {
			p.value = inner
			return p, after, true
		}
	}
	if end = strings.IndexAny(text, blanks); end < 0 {
		end = len(text)
	}
	p.value = text[:end]
	return p, text[end:], true
}

func isKeyRune(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.'
}

// mostDeep bounds files that include each other. mostIncludes bounds the files below one, of which ten levels of a few lines make billions.
const mostDeep, mostIncludes = 10, 1000

// includeKey is the key of a line "Include FILE".
const includeKey = "Include"

// included is the file that a line includes (_parse_include_directive).
func included(text string) (name string, ok bool) {
	words := strings.Fields(text)
	if len(words) != 2 || !strings.EqualFold(words[0], includeKey) || strings.HasPrefix(words[1], "=") {
		return "", false
	}
	return words[1], true
}

// confFile is a file of the command line in the syntax of slurm.conf, while it is read.
type confFile struct {
	*reader
	// main is the file, whose folder names of included files begin in (get_extra_conf_path).
	main File
	// cluster is ClusterName so far, which stands for %c in a name (_parse_for_format).
	cluster  string
	records  []record
	includes int
}

// confFiles reads the files of the command that are in this syntax. A file that another one includes is a part of that one alone.
func (r *reader) confFiles(numbers []int) {
	var all []confFile
	for _, i := range numbers {
		c := confFile{reader: newReader(r.files, ReadOptions{Open: r.open}), main: r.files[i]}
		c.included = r.included
		c.read(c.main, 0)
		all = append(all, c)
	}
	if alone := func(i int) bool { return !r.included[i] }; len(numbers) > 0 && !slices.ContainsFunc(numbers, alone) {
		// They include each other, which has its fault.
		r.included[numbers[0]] = false
	}
	for at, i := range numbers {
		if !r.included[i] {
			r.confFile(all[at])
		}
	}
}

// confFile takes over what a file says, whose keys tell its kind.
func (r *reader) confFile(c confFile) {
	is := func(keys ...string) bool {
		return slices.ContainsFunc(c.records, func(rec record) bool { return slices.ContainsFunc(keys, rec.is) })
	}
	gres := func(rec record) bool {
		_, ok := rec.value("Name", "AutoDetect")
		return ok && slices.ContainsFunc([]string{"NodeName", "Name", "AutoDetect"}, rec.is)
	}
	switch {
	case is(switchKey, blockKey, ringKey):
		r.switches = append(r.switches, c.records...)
	case slices.ContainsFunc(c.records, gres) && !is("ClusterName", "PartitionName"):
		r.gpus = append(r.gpus, c.records...)
	case is("ClusterName", "PartitionName", "SlurmctldHost", "ControlMachine", "NodeName", "NodeSet", "DownNodes") ||
		slices.ContainsFunc(c.records, func(rec record) bool { return IsScheduling(rec.pairs[0].key) }):
		r.conf(c.records)
	case slices.ContainsFunc(c.bad, func(f faults.Fault) bool { return f.Field == includeKey }):
	default:
		r.otherKind(c.main)
		return
	}
	r.notes = append(r.notes, c.notes...)
	r.bad = append(r.bad, c.bad...)
}

func (c *confFile) read(f File, depth int) {
	for _, line := range logicalLines(f.Text) {
		at := fileLine{f.Name, line.number}
		if name, ok := included(line.text); ok {
			c.include(at, name, depth)
			continue
		}
		pairs, rest := confPairs(line.text)
		if rest != "" {
			c.fail(at, fmt.Sprintf("got %.40q", rest), "Key=Value pairs")
		}
		if len(pairs) == 0 {
			continue
		}
		rec := record{at, pairs}
		if name, ok := rec.value("ClusterName"); ok {
			c.cluster = strings.ToLower(name)
		}
		c.records = append(c.records, rec)
	}
}

func (c *confFile) include(at fileLine, name string, depth int) {
	written := name
	if strings.Contains(name, "%c") && c.cluster != "" {
		name = strings.ReplaceAll(name, "%c", c.cluster)
	}
	switch {
	case strings.Contains(name, "*"):
		c.wrong(at, includeKey, written, "the name of a file: Slurm does not read patterns")
		return
	case strings.Contains(name, "%c"):
		c.wrong(at, includeKey, written, "ClusterName before a name with %c")
		return
	case depth == mostDeep:
		c.wrong(at, includeKey, written, fmt.Sprintf("files that include each other at most %d deep", mostDeep))
		return
	case c.includes == mostIncludes:
		c.failKey(fileLine{c.main.Name, 1}, includeKey, fmt.Sprintf("got more than %d included files", mostIncludes), fmt.Sprint(mostIncludes))
		return
	}
	c.includes++
	f, err := c.find(at, name)
	if err != nil {
		c.failKey(at, includeKey, err.Error(), "a file that can be read, also beside this one or among the files of the command")
		return
	}
	c.read(f, depth+1)
}

// find reads an included file: the one of that name among the files of the command, or where the name leads to, or the one at the end
// of its path below a folder of the including files, as in a folder that was copied from another machine.
func (c *confFile) find(at fileLine, name string) (File, error) {
	meant := name
	if !path.IsAbs(name) {
		meant = path.Join(path.Dir(c.main.Name), name)
	}
	if i, known := c.among(at, name, meant); known {
		c.included[i] = true
		return c.files[i], nil
	}
	text, err := c.open(meant)
	if err == nil {
		return File{Name: meant, Text: text}, nil
	}
	for _, beside := range besides(name, path.Dir(at.file), path.Dir(c.main.Name)) {
		if other, absent := c.open(beside); beside != meant && absent == nil {
			c.note("%s: %s stands for the included file %s", at, beside, name)
			return File{Name: beside, Text: other}, nil
		}
	}
	return File{}, err
}

// among is the number of the file of the command that a name means. An absolute one is of another machine: of several files with the
// last word of its path it means the one with which it has most in common.
func (c *confFile) among(at fileLine, name, meant string) (number int, known bool) {
	most := 0
	for i, f := range c.files {
		switch clean := path.Clean(f.Name); {
		case clean == meant:
			return i, true
		case path.IsAbs(name) && clean != path.Clean(at.file):
			if same := sameEnd(clean, name); same > most {
				number, most, known = i, same, true
			}
		}
	}
	return number, known
}

// sameEnd is how many words at their ends two paths have in common.
func sameEnd(a, b string) int {
	in, of := strings.Split(path.Clean(a), "/"), strings.Split(path.Clean(b), "/")
	n := 0
	for n < min(len(in), len(of)) && in[len(in)-1-n] == of[len(of)-1-n] {
		n++
	}
	return n
}

// besides are the places of an included file below folders: a name, or the ends of an absolute one, the longest first.
func besides(name string, folders ...string) []string {
	words := strings.Split(strings.Trim(path.Clean(name), "/"), "/")
	if !path.IsAbs(name) {
		words = []string{name}
	}
	var all []string
	for i := range words {
		for _, folder := range folders {
			all = append(all, path.Join(append([]string{folder}, words[i:]...)...))
		}
	}
	return all
}
