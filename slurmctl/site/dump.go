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
		at := place{f.Name, i + 1}
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		kind, rest, _ := strings.Cut(line, " - ")
		fields := dumpFields(rest)
		name, ok := unquoted(fields[0])
		if !ok || name == "" {
			r.fail(at, fmt.Sprintf("got %.40q", line), "lines of sacctmgr dump, such as Account - 'physics':Fairshare=10")
			continue
		}
		rec := record{at, []pair{{kind, name}}}
		for _, field := range fields[1:] {
			key, value, _ := strings.Cut(field, "=")
			value, _ = unquoted(value)
			rec.pairs = append(rec.pairs, pair{key, value})
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

// typed says that text goes on with the type of a resource after a colon, as GrpTRES=cpu=4,gres/gpu before :a100=2, which
// no quotes enclose.
func typed(text string) bool {
	return strings.HasPrefix(text[strings.LastIndexAny(text, ",=")+1:], "gres/")
}

// dumpFields are the parts between colons that are in no quotes and in no name of a resource; there is at least one.
func dumpFields(text string) []string {
	var fields []string
	begin, quote := 0, byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == ':' && !typed(text[begin:i]):
			fields = append(fields, text[begin:i])
			begin = i + 1
		}
	}
	return append(fields, text[begin:])
}

// unquoted is a text without its quotes; ok is false where it has none.
func unquoted(text string) (inner string, ok bool) {
	if n := len(text); n >= 2 && (text[0] == '\'' || text[0] == '"') && text[n-1] == text[0] {
		return text[1 : n-1], true
	}
	return text, false
}

// shownQOS takes over the table of "sacctmgr -P show qos", or -p, which has the last word on a QOS.
func (r *reader) shownQOS(f File) {
	for _, rec := range r.shownTable(f, "sacctmgr -P") {
		rec.pairs[0].key = dumpedQOS
		r.addQOS(rec)
	}
}

// shownUsage takes over the table of "sshare -a -P", or -p. Rows without a user are those of accounts, which are the sums of
// those below them.
func (r *reader) shownUsage(f File) {
	for _, rec := range r.shownTable(f, "sshare -a -P") {
		account, _ := rec.value("Account")
		user, _ := rec.value("User")
		text, _ := rec.value(rawUsage)
		seconds, err := strconv.Atoi(text)
		if err != nil || seconds < 0 || seconds > layout.MaxUsage {
			r.wrong(rec.place, rawUsage, text, fmt.Sprintf("0..%d", layout.MaxUsage))
			continue
		}
		if user != "" && seconds > 0 {
			// sshare puts a blank for each account above before the name.
			r.used = append(r.used, userUsage{strings.TrimLeft(account, " "), user, seconds})
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

// shownTable are the rows of a table with | between its cells, with the names of its columns as keys; there is at least one.
func (r *reader) shownTable(f File, command string) []record {
	var out []record
	var head []string
	for i, line := range strings.Split(f.Text, "\n") {
		cells := strings.Split(strings.TrimSuffix(line, "\r"), "|")
		switch {
		case strings.TrimSpace(line) == "":
		case head == nil:
			head = cells
		case len(cells) != len(head):
			r.fail(place{f.Name, i + 1}, fmt.Sprintf("got %.40q", line), "as many columns as the header has, with "+command)
		default:
			rec := record{place: place{f.Name, i + 1}}
			for column, cell := range cells {
				if key := head[column]; key != "" || column == 0 {
					rec.pairs = append(rec.pairs, pair{key, cell})
				}
			}
			out = append(out, rec)
		}
	}
	return out
}

// addQOS takes a QOS in the place of one of the same name.
func (r *reader) addQOS(rec record) {
	for i, q := range r.qos {
		if q.pairs[0].value == rec.pairs[0].value {
			r.qos[i] = rec
			return
		}
	}
	r.qos = append(r.qos, rec)
}
