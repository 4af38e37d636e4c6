package policy

import (
	"fmt"
	"path"
	"strings"
)

// ExecPrefix begins the name of a policy that is a program: "exec:FILE".
const ExecPrefix = "exec:"

// Resolve is Find, and for "exec:FILE" returns the policy of a program, which is called after
// its file. Its settings are those of our auction as far as the program's decisions depend
// on them. Whoever starts its cluster sets ProgramFile.
func (all Policies) Resolve(name string) (Policy, error) {
	file, is := strings.CutPrefix(name, ExecPrefix)
	if !is {
		return all.Find(name)
	}
	p, err := all.Find(Auction)
	if err != nil {
		return p, err
	}
	program := path.Base(file)
	if p.Name = "exec-" + program; file == "" || CheckName(p.Name) != nil {
		return Policy{}, fmt.Errorf("policy: %q is not allowed, want %sFILE, the file's name with at most 55 letters, digits, - + . and _", name, ExecPrefix)
	}
	p.About, p.Source = "the program "+program, "docs/plugins.md"
	p.Parameters.Method, p.Parameters.MaxBypass, p.Parameters.Program = MethodProgram, 0, program
	return p, p.Validate()
}
