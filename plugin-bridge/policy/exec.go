package policy

import (
	"fmt"
	"path"
	"strings"
)

// ExecPrefix begins the name of a policy that is a program in the cluster, "exec:FILE". HostPrefix begins the name of
// one on the user's machine, "host:FILE".
const (
	ExecPrefix = "exec:"
	HostPrefix = "host:"
)

// CutProgram cuts the name of a policy that is a program into its prefix and its file.
func CutProgram(name string) (prefix, file string, is bool) {
	for _, prefix = range []string{ExecPrefix, HostPrefix} {
		if file, is = strings.CutPrefix(name, prefix); is {
			return prefix, file, true
		}
	}
	return "", "", false
}

// Resolve is Find for a plain name. For a name with settings such as "backfill+bf_window=5760+bf_interval=60" it
// returns the policy with these settings in place of its own (Change). In "wide=backfill+bf_window=5760" it is called
// wide. For "exec:FILE" and "host:FILE" it returns the policy of a program, which is called after its file. Its settings
// are our auction's as far as the program's decisions depend on them. The code that starts its cluster sets ProgramFile.
func (all Policies) Resolve(name string) (Policy, error) {
	prefix, file, is := CutProgram(name)
	if !is {
		return all.changed(name)
	}
	p, err := all.Find(Auction)
	if err != nil {
		return p, err
	}
	program := path.Base(file)
	if p.Name = strings.TrimSuffix(prefix, ":") + "-" + program; file == "" || CheckName(p.Name) != nil {
		return Policy{}, fmt.Errorf("policy: %q is not allowed, want %sFILE, the file's name with at most 115 letters, digits, - + . and _", name, prefix)
	}
	p.About, p.Source = "the program "+program, "docs/plugins.md"
	p.Parameters.Method, p.Parameters.MaxBypass, p.Parameters.Program = MethodProgram, 0, program
	p.Parameters.ProgramOnHost = prefix == HostPrefix
	return p, p.Validate()
}

// changed is the policy of a name that settings may follow. Another name for it may stand before: "wide=backfill+bf_window=5760".
func (all Policies) changed(name string) (Policy, error) {
	own, rest, there := strings.Cut(name, "=")
	if !there || strings.Contains(own, "+") {
		return all.withSettings(name)
	}
	if _, err := all.Find(own); err == nil {
		// Its runs would be taken for runs of that policy.
		return Policy{}, fmt.Errorf("policy: %q is not allowed, as %s is a policy; want another name before =", name, own)
	}
	p, err := all.withSettings(rest)
	if err == nil {
		p, err = p.Change(own)
	}
	if err != nil {
		return Policy{}, fmt.Errorf("policy %s: %w", name, err)
	}
	return p, nil
}

// withSettings is the policy of a name that settings may follow.
func (all Policies) withSettings(name string) (Policy, error) {
	before, _, there := strings.Cut(name, "=")
	at := strings.LastIndex(before, "+")
	if !there || at < 0 {
		return all.Find(name)
	}
	p, err := all.Find(name[:at])
	if err != nil {
		return p, err
	}
	var changes []Setting
	words := []string{name[:at]}
	for part := range strings.SplitSeq(name[at+1:], "+") {
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			return p, fmt.Errorf("policy: %q is not allowed, want NAME+KEY=VALUE with one value for each key", name)
		}
		changes = append(changes, Setting{key, value})
		words = append(words, Setting{key, value}.Word())
	}
	p, err = p.Change(JoinName(words...), changes...)
	if err != nil {
		return p, fmt.Errorf("policy %s: %w", name, err)
	}
	return p, nil
}
