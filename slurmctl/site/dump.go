package site

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// Kinds of lines of "sacctmgr dump" (write_association_to_file and what it calls in src/sacctmgr/file_functions.c).
const (
	dumpedQOS     = "QOS"
	dumpedCluster = "Cluster"
	dumpedParent  = "Parent"
	dumpedAccount = "Account"
	dumpedUser    = "User"
)

// dump takes over the lines of "sacctmgr dump". Slurm 26.05 writes each QOS there, 24.11 the names in the lists of accounts alone.
func (r *reader) dump(f File) {
	parent := ""
	for i, line := range strings.Split(f.Text, "\n") {
		at := fileLine{f.Name, i + 1}
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		kind, rest, _ := strings.Cut(line, " - ")
		fields := dumpFields(rest)
		name, ok := unquoted(fields[0])
		switch kind {
		case dumpedParent, dumpedAccount, dumpedUser:
			name = r.named(name)
		}
		if !ok || name == "" {
			r.fail(at, fmt.Sprintf("got %.40q", line), "lines of sacctmgr dump, such as Account - 'physics':Fairshare=10")
			continue
		}
		rec := record{at, []pair{{key: kind, value: name}}}
		for _, field := range fields[1:] {
			key, value, _ := strings.Cut(field, "=")
			value, _ = unquoted(value)
			rec.pairs = append(rec.pairs, pair{key: key, value: value})
		}
		switch kind {
		case dumpedQOS:
			r.addQOS(rec)
		case dumpedCluster:
			r.root = rec
		case dumpedParent:
			parent = name
		case dumpedAccount:
			r.accounts = append(r.accounts, association{rec, parent})
		case dumpedUser:
			r.users = append(r.users, association{rec, parent})
		default:
			r.fail(at, fmt.Sprintf("got %.40q", kind), "QOS, Cluster, Parent, Account or User")
		}
	}
}

// association is an account, or a user of an account, below another account.
type association struct {
	record
	parent string
}

// dumpFields are the parts between colons that are in no quoted value and in no name of a resource; there is at least one.
func dumpFields(text string) []string {
	var fields []string
	for {
		end := fieldEnd(text)
		fields = append(fields, text[:end])
		if end == len(text) {
			return fields
		}
		text = text[end+1:]
	}
}

// fieldEnd is where the first field of a text ends. A quoted value ends at the quote before the next field: sacctmgr writes an
// apostrophe in a description as it is (print_file_add_limits_to_line in src/sacctmgr/file_functions.c). A colon may also stand in a
// list without quotes, before the type of a resource: GrpTRES=cpu=4,gres/gpu:a100=2.
func fieldEnd(text string) int {
	value := 0
	if rest, ok := behindKey(text); ok {
		value = len(text) - len(rest)
	}
	if value < len(text) && (text[value] == '\'' || text[value] == '"') {
		for i := value + 1; i < len(text); i++ {
			if text[i] == text[value] && beginsField(text[i+1:]) {
				return i + 1
			}
		}
	}
	item := 0
	for i, c := range []byte(text) {
		switch c {
		case ',', '=':
			item = i + 1
		case ':':
			if !strings.HasPrefix(text[item:i], "gres/") {
				return i
			}
		}
	}
	return len(text)
}

// beginsField says whether a text is empty or has a colon and a key.
func beginsField(text string) bool {
	rest, ok := strings.CutPrefix(text, ":")
	if ok {
		_, ok = behindKey(rest)
	}
	return ok || text == ""
}

// behindKey is what follows the key that a text begins with, and the sign. It looks no further than the key.
func behindKey(text string) (rest string, ok bool) {
	bare := strings.TrimLeft(text, blanks)
	rest = strings.TrimLeftFunc(bare, isKeyRune)
	after, ok := strings.CutPrefix(strings.TrimLeft(rest, blanks), "=")
	return after, ok && len(rest) < len(bare)
}

// unquoted is a text without its quotes; ok is false where it has none.
func unquoted(text string) (inner string, ok bool) {
	if n := len(text); n >= 2 && (text[0] == '\'' || text[0] == '"') && text[n-1] == text[0] {
		return text[1 : n-1], true
	}
	return text, false
}

// shownQOS takes over the table of "sacctmgr -P show qos", or -p, with any columns, which has the last word on a QOS.
func (r *reader) shownQOS(f File) {
	for _, rec := range r.shownTable(f, "sacctmgr -P") {
		name, _ := rec.value("Name")
		rec.pairs = append([]pair{{key: dumpedQOS, value: name}}, without(rec.pairs, "Name", "ID")...)
		r.addQOS(rec)
	}
}

// shownUsage reads the table of "sshare -a -P", or -p. It skips rows without a user: such a row belongs to an account
// and is the sum of the rows below it.
func (r *reader) shownUsage(f File) {
	for _, rec := range r.shownTable(f, "sshare -a -P") {
		account, _ := rec.value("Account")
		user, _ := rec.value("User")
		text, _ := rec.value(rawUsage)
		seconds, err := strconv.Atoi(text)
		if err != nil || seconds < 0 || seconds > layout.MaxUsage {
			r.wrong(rec.at(rawUsage), rawUsage, text, fmt.Sprintf("0..%d", layout.MaxUsage))
			continue
		}
		if user != "" && seconds > 0 {
			// sshare puts a blank for each account above before the name.
			r.used = append(r.used, userUsage{r.named(strings.TrimLeft(account, " ")), r.named(user), seconds})
		}
	}
}

// rawUsage is the column of sshare that does not depend on what others have used.
const rawUsage = "RawUsage"

// userUsage is what a user has used in an account. An association of a user with one partition has a row of its own.
type userUsage struct {
	account, user string
	seconds       int
}

// shownTable are the rows of a table with | between its cells, with the names of its columns as keys; there is at least one. Empty cells
// beyond the last column are nothing.
func (r *reader) shownTable(f File, command string) []record {
	var out []record
	var head []string
	for i, line := range strings.Split(f.Text, "\n") {
		cells := strings.Split(strings.TrimSuffix(line, "\r"), "|")
		for head != nil && len(cells) > len(head) && cells[len(cells)-1] == "" {
			cells = cells[:len(cells)-1]
		}
		switch {
		case strings.TrimSpace(line) == "":
		case head == nil:
			head = cells
		case len(cells) != len(head):
			r.fail(fileLine{f.Name, i + 1}, fmt.Sprintf("got %.40q", line), "as many columns as the header has, with "+command)
		default:
			rec := record{fileLine: fileLine{f.Name, i + 1}}
			for column, cell := range cells {
				if key := head[column]; key != "" || column == 0 {
					rec.pairs = append(rec.pairs, pair{key: key, value: cell})
				}
			}
			out = append(out, rec)
		}
	}
	return out
}

// addQOS takes a QOS in the place of one of the same name.
func (r *reader) addQOS(rec record) {
	name := rec.pairs[0].value
	if at, known := r.qosNumbers[name]; known {
		r.qos[at] = rec
		return
	}
	r.qosNumbers[name] = len(r.qos)
	r.qos = append(r.qos, rec)
}
