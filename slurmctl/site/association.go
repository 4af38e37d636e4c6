package site

import (
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// The tables that sacctmgr prints have the columns that the site asked for (sacctmgr(1), format=); in their names case does not count.

// columns are the names in the first line of a table, nil for another text.
func columns(text string) []string {
	head, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	if !strings.Contains(head, "|") {
		return nil
	}
	return strings.Split(strings.ToLower(strings.TrimRight(head, "\r|")), "|")
}

// qosColumns are columns that only the table of QOS has.
func qosColumns() []string {
	return []string{
		"priority", "gracetime", "preempt", "preemptexempttime", "preemptmode", "flags", "usagethres", "usagefactor", "grptres", "grptresmins", "grptresrunmins",
		"grpjobs", "grpsubmit", "grpwall", "maxtres", "maxtrespernode", "maxtresmins", "maxwall", "maxtrespu", "maxjobspu", "maxsubmitpu", "maxtrespa", "maxjobspa",
		"maxsubmitpa", "mintres", "limitfactor",
	}
}

func isQOSTable(text string) bool {
	names := columns(text)
	return slices.Contains(names, "name") && slices.ContainsFunc(names, func(n string) bool { return slices.Contains(qosColumns(), n) })
}

// isAssociationTable says whether a text is the output of "sacctmgr -P show assoc", and not that of sshare.
func isAssociationTable(text string) bool {
	names := columns(text)
	return slices.Contains(names, "account") && !slices.Contains(names, strings.ToLower(rawUsage)) &&
		slices.ContainsFunc(names, func(n string) bool {
			return slices.Contains([]string{"share", "qos", "def qos", "grptres", "grpjobs", "maxtres", "maxjobs", "maxwall", "par name"}, n)
		})
}

// without are the pairs of other keys.
func without(pairs []pair, keys ...string) []pair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p pair) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return strings.EqualFold(k, p.key) })
	})
}

// shownAssociations takes over the table of "sacctmgr -P show assoc". An account is below the one of its column "Par Name" or, as with
// tree, below the last one that is indented less.
func (r *reader) shownAssociations(f File) {
	if len(r.accounts) > 0 {
		r.note("%s is left out: another file has the accounts", f.Name)
		return
	}
	others, qos := 0, map[string]string{}
	var above []string
	flat := !slices.Contains(columns(f.Text), "par name")
	for _, rec := range r.shownTable(f, "sacctmgr -P") {
		cluster, _ := rec.value("Cluster")
		if r.name != "" && cluster != "" && !strings.EqualFold(cluster, r.name) {
			others++
			continue
		}
		shown, _ := rec.value("Account")
		depth := min(len(shown)-len(strings.TrimLeft(shown, " ")), len(above))
		account := r.named(strings.TrimLeft(shown, " "))
		user, _ := rec.value("User")
		parent, _ := rec.value("Par Name")
		if parent = r.named(parent); parent == "" && depth > 0 {
			parent, flat = above[depth-1], false
		}
		// The columns of QOS have what holds for a row, also where it is its account's.
		list, _ := rec.value("QOS")
		if of, own := qos[account]; user != "" && (!own || of == list) {
			rec.pairs = without(rec.pairs, "QOS", "Def QOS")
		} else if user == "" {
			qos[account] = list
		}
		rec.pairs = associationKeys(without(rec.pairs, "Cluster", "Account", "User", "Par Name", "ID", "LFT", "RGT"))
		switch {
		case user != "":
			rec.pairs = slices.Insert(rec.pairs, 0, pair{key: dumpedUser, value: r.named(user)})
			r.users = append(r.users, association{rec, account})
		case account == layout.RootAccount:
			rec.pairs = slices.Insert(rec.pairs, 0, pair{key: dumpedCluster, value: cluster})
			r.root, above = rec, []string{account}
		default:
			rec.pairs = slices.Insert(rec.pairs, 0, pair{key: dumpedAccount, value: account})
			if parent == "" {
				parent = layout.RootAccount
			}
			r.accounts, above = append(r.accounts, association{rec, parent}), append(above[:depth:depth], account)
		}
	}
	r.orphans()
	if others > 0 {
		r.note("%s: associations of other clusters are left out (%d)", f.Name, others)
	}
	if flat && len(r.accounts) > 0 {
		r.note("%s has no word of accounts above others: all are below root; sacctmgr -P show assoc tree prints it", f.Name)
	}
}

// orphans makes the accounts that only rows of users have.
func (r *reader) orphans() {
	known := map[string]bool{layout.RootAccount: true}
	for _, a := range r.accounts {
		known[a.pairs[0].value] = true
	}
	for _, u := range r.users {
		if !known[u.parent] {
			known[u.parent] = true
			r.accounts = append(r.accounts, association{record{u.fileLine, []pair{{key: dumpedAccount, value: u.parent}}}, layout.RootAccount})
		}
	}
}

// associationKeys are the columns of associations by the keys of a dump.
func associationKeys(pairs []pair) []pair {
	for i, p := range pairs {
		switch strings.ToLower(p.key) {
		case "share":
			pairs[i].key = "Fairshare"
		case "def qos":
			pairs[i].key = "DefaultQOS"
		}
	}
	return pairs
}

// named is a user or an account as a workload calls it.
func (r *reader) named(name string) string {
	other := sbatch.NameOf(name)
	if name == "" {
		return ""
	}
	if other != name {
		r.renamed[name] = true
	}
	return other
}

// noteRenamed says how many users and accounts have other names.
func (r *reader) noteRenamed() {
	if len(r.renamed) > 0 {
		r.note("users and accounts: %d renamed %s, as the import of a workload renames them", len(r.renamed), sbatch.NameRule)
	}
}
