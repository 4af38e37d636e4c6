package policy

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/internal/input"
)

// File is the path of a user's file of policies, empty for none.
type File string

// All returns slurmlab's policies and the file's.
func (f File) All() (Policies, error) {
	all, err := All()
	if err != nil || f == "" {
		return all, err
	}
	text, err := input.ReadFile(string(f))
	if err != nil {
		return nil, fmt.Errorf("policy-file: %w", err)
	}
	return all.With(string(f), text)
}

// Find returns the policy of that name. Those that are first take the place of others of their name.
func (f File) Find(name string, first ...Policy) (Policy, error) {
	all, err := f.All()
	if err != nil {
		return Policy{}, err
	}
	p, err := append(slices.Clone(Policies(first)), all...).Resolve(name)
	_, file, is := CutProgram(name)
	if err != nil || !is {
		return p, err
	}
	return WithProgram(p, file)
}
