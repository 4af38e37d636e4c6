package check

import (
	"github.com/slurmlab/slurmlab/results/trace"
)

// Facts are what the nemesis saw and did.
type Facts struct {
	Cell Cell `json:"cell"`
	// Undone says why there was no fault; empty if there was one.
	Undone string `json:"undone,omitempty"`
	// Endless says that slurmlab had not ended BoundSeconds after the fault and was
	// killed.
	Endless bool `json:"endless,omitempty"`
	// TookSeconds is the real time from the fault to the end of slurmlab.
	TookSeconds  float64 `json:"took_s"`
	BoundSeconds float64 `json:"bound_s"`
	// Exit is slurmlab's exit code, -1 if a signal ended it.
	Exit int `json:"exit"`
	// Status and Reason are those of run.json at the end of slurmlab; Status is empty if
	// it cannot be read.
	Status trace.Status `json:"status"`
	Reason string       `json:"reason,omitempty"`
	// Finish is the exit code of "slurmlab run --resume", which is tried on a run whose jobs
	// have ended and that is not complete; nil if it was not tried.
	Finish *int `json:"finish_exit,omitempty"`
	// Fresh is the exit code of the run afterwards.
	Fresh int `json:"fresh_exit"`
	// AtOnce is what is left over when slurmlab has ended, Afterwards when the fresh run has ended as well.
	AtOnce     Residue `json:"left_at_once"`
	Afterwards Residue `json:"left_afterwards"`
}

// Residue is what a run left over.
type Residue struct {
	Containers []LeftContainer `json:"containers,omitempty"`
	// Locks are the core locks that are held, Files the temporary ones, Processes the
	// command lines of those that were started by the run.
	Locks     []string `json:"locks,omitempty"`
	Files     []string `json:"files,omitempty"`
	Processes []string `json:"processes,omitempty"`
}

// LeftContainer is a container by its id and state.
type LeftContainer struct {
	ID    string `json:"id"`
	State string `json:"state"`
}

// Names of the files of a cell's directory.
const (
	FactsName  = "facts.json"
	RunName    = "run"
	FreshName  = "fresh"
	OutputName = "run.err"
)
