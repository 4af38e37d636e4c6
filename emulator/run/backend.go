package run

import (
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Recorded is a backend as run.json has it.
func Recorded(b backend.Backend) trace.Backend {
	return trace.Backend{Form: string(b.Form), Series: b.Series}
}

// BackendOf is the backend of a record. One that this slurmlab does not have is an error.
func BackendOf(recorded trace.Backend) (backend.Backend, error) {
	b := backend.Backend{Form: backend.Form(recorded.Form), Series: recorded.Series}
	return b, backend.All().Check(b)
}
