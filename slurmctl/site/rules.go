package site

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// rules gives the layout, which has its groups, what sacctmgr said of QOS and accounts.
func (r *reader) rules(l *layout.Layout) {
	history := r.usage()
	defer r.noteUnused(history)
	if !r.hasRules() {
		return
	}
	limits, lists := r.enforced()
	terms := limitTerms{limits, l.TRESNames(), r.cpusOf(*l, "limits of QOS and accounts")}
	for _, rec := range r.qos {
		l.QOS = append(l.QOS, r.oneQOS(rec, terms))
	}
	l.Weights = layout.Weights{QOS: r.weight("PriorityWeightQOS"), FairShare: r.weight("PriorityWeightFairshare")}
	cluster := used{}
	cluster.take("Fairshare", "QOS", "DefaultQOS")
	r.noteLeft("the whole cluster", r.root, cluster)
	for _, a := range r.accounts {
		l.Accounts = append(l.Accounts, r.account(a, terms))
	}
	r.accountUsers(l, terms, history)
	r.giveQOS(l, lists)
}

// licenses reads the licences of slurm.conf. sacctmgr keeps licences of a server, which several clusters share.
func (r *reader) licenses() (list []layout.License) {
	s := r.setting("Licenses")
	all, err := sbatch.Licences(s.value)
	if err != nil {
		r.wrong(s.fileLine, s.key, s.value, "names with their numbers, such as matlab:2,ansys:1")
	}
	for _, each := range all {
		if !layout.IsWord(each.Name) {
			r.note("licence %s: left out, as its name is no word", each.Name)
			continue
		}
		list = append(list, layout.License(each))
	}
	return list
}

// limitTerms are what limits are read for.
type limitTerms struct {
	// kept says that the site keeps limits.
	kept bool
	// tres are the resources that the layout has.
	tres []string
	cpus cpuNumbers
}

func (r *reader) hasRules() bool { return len(r.qos)+len(r.accounts) > 0 }

// ruleSettings are the keys of slurm.conf that rules take over.
func ruleSettings() []string {
	return []string{"AccountingStorageEnforce", "PriorityWeightQOS", "PriorityWeightFairshare"}
}

// enforced says whether the site keeps limits, and the lists of QOS that accounts may have. Where no file has a word
// of it, it does: limits that nobody keeps are seldom written.
func (r *reader) enforced() (limits, lists bool) {
	if len(r.settings) == 0 {
		r.note("no file says whether Slurm keeps the limits of QOS and accounts (AccountingStorageEnforce of slurm.conf); here it does")
		return true, true
	}
	words := strings.Split(strings.ToLower(r.setting("AccountingStorageEnforce").value), ",")
	has := func(wanted ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(wanted, strings.TrimSpace(w)) })
	}
	limits, lists = has("limits", "safe", "all"), has("qos", "all")
	if !limits {
		r.note("limits of QOS and accounts are left out: AccountingStorageEnforce of slurm.conf has no limits, so that Slurm does not keep them")
	}
	if !lists {
		r.note("which QOS an account may have is left out: AccountingStorageEnforce of slurm.conf has no qos, so that Slurm does not look")
	}
	return limits, lists
}

// weight is a setting of priority/multifactor, 0 without it.
func (r *reader) weight(key string) int {
	s := r.setting(key)
	return r.upTo(layout.MaxPriority, record{s.fileLine, []pair{s.pair}}, 0, key)
}

// used are the keys of a record that were taken over, in small letters, with values for those of which a part is left.
type used map[string]string

func (u used) take(keys ...string) {
	for _, key := range keys {
		u[strings.ToLower(key)] = ""
	}
}

// harmless are keys of QOS and accounts that do not decide who runs when, with the values that change nothing where others do
// (sacctmgr(1)); no value stands for any.
func harmless() map[string][]string {
	return map[string][]string{
		"description": nil, "organization": nil, "adminlevel": nil, "coordinator": nil, "defaultaccount": nil, "wckeys": nil, "defaultwckey": nil,
		"comment": nil, "classification": nil, "lineage": nil,
		"gracetime": {"0", "00:00:00"}, "preemptmode": {"cluster", "off"}, "usagethres": {"0.000000"}, "limitfactor": {"0.000000"},
	}
}

// noteLeft says which keys of a record were left out although they change something.
func (r *reader) noteLeft(what string, rec record, taken used) {
	if left := leftOf(rec, taken); left != "" {
		r.note("%s: left out are %s", what, left)
	}
}

// leftOf are the keys of a record that were left out although they change something, with their values.
func leftOf(rec record, taken used) string {
	if len(rec.pairs) == 0 {
		return ""
	}
	var left []string
	harmless := harmless()
	for _, p := range rec.pairs[1:] {
		value := p.value
		if rest, ok := taken[strings.ToLower(p.key)]; ok {
			value = rest
		}
		known, ok := harmless[strings.ToLower(p.key)]
		if value == "" || ok && (known == nil || slices.Contains(known, strings.ToLower(value))) {
			continue
		}
		left = append(left, p.key+"="+value)
	}
	slices.Sort(left)
	return strings.Join(left, " ")
}

func (r *reader) oneQOS(rec record, terms limitTerms) layout.QOS {
	q := layout.QOS{Name: rec.pairs[0].value, Priority: r.upTo(layout.MaxPriority, rec, 0, "Priority")}
	taken := used{}
	taken.take("Priority", "UsageFactor", "Flags")
	if text, _ := rec.value("UsageFactor"); text != "" {
		factor, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil:
			r.wrong(rec.at("UsageFactor"), "UsageFactor", text, "a number from 0")
		case !(factor >= 0):
			// A negative factor clears it (get_double in src/sacctmgr/common.c), and slurmctld takes none that is not >= 0, such as NaN
			// (acct_policy_get_prio_thresh and others in src/slurmctld/acct_policy.c): both are 1.
			taken["usagefactor"] = text
		case factor == 0:
			// 0 is 1 in a layout.
			taken["usagefactor"] = text
		case factor != 1:
			q.UsageFactor = factor
		}
	}
	flags, _ := rec.value("Flags")
	var other []string
	for _, flag := range splitList(flags) {
		if slices.Contains(layout.QOSFlags(), flag) {
			q.Flags = append(q.Flags, flag)
		} else {
			other = append(other, flag)
		}
	}
	taken["flags"] = strings.Join(other, ",")
	r.limits(rec, q.Limits.OfQOS(), terms, taken)
	r.noteLeft("QOS "+q.Name, rec, taken)
	return q
}

// spellings are the names of a limit in dumps and tables of sacctmgr.
func spellings(limit string) []string {
	return append([]string{limit}, map[string][]string{
		"MaxTRESPerJob": {"MaxTRES"}, "MaxTRESPerUser": {"MaxTRESPU"}, "MaxTRESPerAccount": {"MaxTRESPA"}, "MaxJobsPerUser": {"MaxJobsPU"},
		"MaxJobsPerAccount": {"MaxJobsPA"}, "MaxWall": {"MaxWallDurationPerJob"},
	}[limit]...)
}

// limits reads the limits of a record, and leaves them all out unless the site keeps them.
func (r *reader) limits(rec record, limits []layout.Limit, terms limitTerms, taken used) {
	for _, limit := range limits {
		for _, key := range spellings(limit.Name) {
			text, ok := rec.value(key)
			if !ok {
				continue
			}
			taken.take(key)
			switch {
			case text == "" || !terms.kept:
			case limit.TRES != nil:
				*limit.TRES, taken[strings.ToLower(key)] = r.tres(rec, key, text, terms)
			case limit.Count != nil:
				*limit.Count = r.upTo(layout.MaxCount, rec, 0, key)
			default:
				*limit.Minutes = r.minutes(rec, key)
			}
		}
	}
}

// tres reads amounts of resources; left are those that no node has, as billing.
// Slurm compares names of resources without case (slurmdb_tres_list_from_string and assoc_mgr_find_tres_pos in src/common).
func (r *reader) tres(rec record, key, text string, terms limitTerms) (known layout.TRES, left string) {
	all, err := values.TRES(text)
	if err != nil {
		r.wrong(rec.at(key), key, text, "name=number pairs separated by commas")
		return nil, ""
	}
	var other []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		at := slices.IndexFunc(terms.tres, func(n string) bool { return strings.EqualFold(n, name) })
		if at < 0 {
			other = append(other, name+"="+all[name])
			continue
		}
		amount := all[name]
		name = terms.tres[at]
		n, ok := values.Count(amount)
		switch name {
		case "mem":
			n, ok = values.MiB(amount)
		case "cpu":
			n = terms.cpus.fewer(n)
		}
		if !ok {
			r.wrong(rec.at(key), key, text, name+" with a number")
			continue
		}
		if known == nil {
			known = layout.TRES{}
		}
		known[name] = n
	}
	return known, strings.Join(other, ",")
}

// shares returns the shares of an account or a user, 0 for 1. Slurm writes "parent", shares of one's account, as the
// largest number.
func (r *reader) shares(rec record, taken used) int {
	const parent = "2147483647"
	taken.take("Fairshare")
	text, _ := rec.value("Fairshare")
	switch {
	case text == parent || strings.EqualFold(text, "parent"):
		taken["fairshare"] = "parent"
		return 0
	case text == "0":
		// 0 is 1 in a layout.
		taken["fairshare"] = text
		return 0
	}
	n := r.upTo(layout.MaxCount, rec, 1, "Fairshare")
	if n == 1 {
		return 0
	}
	return n
}

func (r *reader) account(a association, terms limitTerms) layout.Account {
	out := layout.Account{Name: a.pairs[0].value}
	if a.parent != layout.RootAccount {
		out.Parent = a.parent
	}
	taken := used{}
	taken.take("QOS", "DefaultQOS")
	out.Shares = r.shares(a.record, taken)
	r.limits(a.record, out.Limits.OfAssociation(), terms, taken)
	r.noteLeft("account "+out.Name, a.record, taken)
	return out
}

// usage is what each user has used in each account, without its amount.
func (r *reader) usage() map[userUsage]int {
	sums := map[userUsage]int{}
	for _, u := range r.used {
		seconds := u.seconds
		u.seconds = 0
		sums[u] += seconds
	}
	return sums
}

// noteUnused says whose usage no user of the layout has got.
func (r *reader) noteUnused(left map[userUsage]int) {
	if len(left) == 0 {
		return
	}
	first := slices.MinFunc(slices.Collect(maps.Keys(left)), func(a, b userUsage) int {
		return cmp.Or(strings.Compare(a.account, b.account), strings.Compare(a.user, b.user))
	})
	r.note("usage of users whom no account of the machine file has is left out (%d, such as %s of account %s); a file of sacctmgr dump has the users of accounts", len(left), first.user, first.account)
}

// accountUsers gives the accounts their users with limits, shares or usage of their own. A run makes the others as their jobs come, in the
// accounts of these jobs, and ReadOptions.AllUsers keeps them.
func (r *reader) accountUsers(l *layout.Layout, terms limitTerms, history map[userUsage]int) {
	plain, usage := 0, r.cpusOf(*l, "usages of users")
	left := alike{noun: "users"}
	for _, u := range r.users {
		name := u.pairs[0].value
		i := slices.IndexFunc(l.Accounts, func(a layout.Account) bool { return a.Name == u.parent })
		if name == layout.RootAccount {
			continue
		}
		one := layout.User{Name: name}
		taken := used{}
		one.Shares = r.shares(u.record, taken)
		r.limits(u.record, one.Limits.OfAssociation(), terms, taken)
		what := fmt.Sprintf("user %s of account %s", name, u.parent)
		switch partition, _ := u.value("Partition"); {
		case partition != "":
			left.add(what, fmt.Sprintf("left out is what holds in partition %s alone", partition))
			continue
		case u.parent == layout.RootAccount:
			left.add(what, "left out, as the account root of a machine file has no users")
			continue
		case i < 0:
			left.add(what, "left out, as the files have no such account")
			continue
		}
		key := userUsage{account: u.parent, user: name}
		one.Usage = history[key]
		if !r.billed() {
			one.Usage = usage.fewer(one.Usage)
		}
		delete(history, key)
		if one.Shares == 0 && one.Usage == 0 && one.Limits.IsZero() && !r.allUsers {
			plain++
		} else {
			l.Accounts[i].Users = append(l.Accounts[i].Users, one)
		}
		if keys := leftOf(u.record, taken); keys != "" {
			left.add(what, "left out are "+keys)
		}
	}
	left.note(r)
	if plain > 0 {
		r.note("left out of the machine file: users with one share and without limits or usage (%d); a run adds them to the accounts of their jobs", plain)
	}
}

// alike are users or accounts by what is said of them, in the order of the files. A site often gives the same to all of them.
type alike struct {
	noun string
	all  []sameNote
	// at are their indices by what is said.
	at map[string]int
}

type sameNote struct {
	said string
	// first are the first ones, and more is how many others.
	first []string
	more  int
}

func (l *alike) add(name, said string) {
	const few = 3
	i, known := l.at[said]
	switch {
	case !known:
		if l.at == nil {
			l.at = map[string]int{}
		}
		l.at[said] = len(l.all)
		l.all = append(l.all, sameNote{said: said, first: []string{name}})
	case len(l.all[i].first) < few:
		l.all[i].first = append(l.all[i].first, name)
	default:
		l.all[i].more++
	}
}

// note says each thing once, of one user with the whole name, and of several with their number.
func (l *alike) note(r *reader) {
	for _, same := range l.all {
		names := strings.Join(same.first, ", ")
		if same.more > 0 {
			names += fmt.Sprintf(", and %d more", same.more)
		}
		if count := len(same.first) + same.more; count > 1 {
			names = fmt.Sprintf("%d %s (%s)", count, l.noun, names)
		}
		r.note("%s: %s", names, same.said)
	}
}

// giveQOS gives the accounts the QOS that their jobs may have, and the default one. Dumps write a list, or what is
// added to and taken from the QOS of the account above.
func (r *reader) giveQOS(l *layout.Layout, lists bool) {
	r.undefinedQOS(l)
	may := map[string][]string{layout.RootAccount: l.QOSNames()}
	root, _ := r.root.value("QOS")
	if root != "" {
		// There is nothing above it from which - could take one.
		may[layout.RootAccount] = changed(nil, root)
	}
	standard, _ := r.root.value("DefaultQOS")
	notes := alike{noun: "accounts"}
	for i := range l.Accounts {
		a := &l.Accounts[i]
		above := a.Parent
		if above == "" {
			above = layout.RootAccount
		}
		text, _ := r.accounts[i].value("QOS")
		may[a.Name] = changed(may[above], text)
		a.DefaultQOS, _ = r.accounts[i].value("DefaultQOS")
		if a.DefaultQOS == "" && a.Parent == "" {
			a.DefaultQOS = standard
		}
		if !lists {
			continue
		}
		if len(may[a.Name]) == 0 {
			notes.add("account "+a.Name, fmt.Sprintf("left out is QOS=%s, which leaves it no QOS: Slurm would take no jobs of it, and here they have the QOS of the account above", cmp.Or(text, root)))
			if may[a.Name] = may[above]; len(may[above]) == 0 {
				may[a.Name] = l.QOSNames()
			}
		}
		if text != "" || a.Parent == "" && len(may[a.Name]) < len(l.QOSNames()) {
			a.QOS = may[a.Name]
		}
		if allowed, byDefault := l.QOSOf(a.Name); !slices.Contains(allowed, byDefault) {
			a.DefaultQOS = allowed[0]
			notes.add("account "+a.Name, fmt.Sprintf("jobs that name no QOS have %s, as they may not have %s", allowed[0], byDefault))
		}
	}
	notes.note(r)
}

// undefinedQOS makes QOS of names that accounts have and no file says more of.
func (r *reader) undefinedQOS(l *layout.Layout) {
	var missing []string
	for _, rec := range append([]record{r.root}, recordsOf(r.accounts)...) {
		list, _ := rec.value("QOS")
		standard, _ := rec.value("DefaultQOS")
		for _, name := range splitList(list + "," + standard) {
			name = strings.TrimLeft(name, "+-")
			if _, known := l.FindQOS(name); !known && !slices.Contains(missing, name) {
				missing = append(missing, name)
			}
		}
	}
	slices.Sort(missing)
	for _, name := range missing {
		l.QOS = append(l.QOS, layout.QOS{Name: name})
	}
	if len(missing) > 0 {
		r.note("QOS %s: no file has their priorities and limits; sacctmgr -P show qos prints them", strings.Join(missing, ", "))
	}
}

func recordsOf(all []association) []record {
	out := make([]record, len(all))
	for i, a := range all {
		out[i] = a.record
	}
	return out
}

// changed is a list of names, or with + and - before them what they make of another list, in whose order they are looked at
// (as_mysql_get_assocs in src/plugins/accounting_storage/mysql/as_mysql_assoc.c). A list has signs before all of its names or before none
// (_slurmdb_addto_qos_char_list_internal in src/common/slurmdb_defs.c).
func changed(from []string, text string) []string {
	names := splitList(text)
	if len(names) == 0 {
		return from
	}
	var to []string
	if strings.ContainsRune("+-", rune(names[0][0])) {
		to = slices.Clone(from)
	}
	for _, name := range names {
		plain := strings.TrimLeft(name, "+-")
		switch {
		case name[0] == '-':
			to = slices.DeleteFunc(to, func(n string) bool { return n == plain })
		case !slices.Contains(to, plain):
			to = append(to, plain)
		}
	}
	return to
}
