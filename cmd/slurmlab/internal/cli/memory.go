package cli

import (
	"fmt"

	"github.com/docker/go-units"
	"github.com/spf13/cobra"
)

// Bounds of --memory. A cluster boots in 0.4 GB.
const (
	leastMemory = 512 << 20
	mostMemory  = 1 << 40
)

// memoryLimit is the value of --memory in bytes, 0 for the limit that follows from the
// workload.
type memoryLimit int64

const memoryAuto = "auto"

// String implements pflag.Value.
func (m *memoryLimit) String() string {
	if *m == 0 {
		return memoryAuto
	}
	return units.BytesSize(float64(*m))
}

// Type implements pflag.Value.
func (*memoryLimit) Type() string { return "size" }

// Set implements pflag.Value.
func (m *memoryLimit) Set(text string) error {
	if text == memoryAuto {
		*m = 0
		return nil
	}
	bytes, err := units.RAMInBytes(text)
	if err != nil || bytes < leastMemory || bytes > mostMemory {
		return fmt.Errorf("%q is not allowed, want auto or a size from 512MiB to 1TiB", text)
	}
	*m = memoryLimit(bytes)
	return nil
}

// memoryFlag sets limit to the flag --memory.
func memoryFlag(cmd *cobra.Command, limit *int64) {
	declare(cmd, headCluster, flagOf("memory", (*memoryLimit)(limit), "limit of the cluster's memory: auto (by machine and jobs), or a size such as 8GiB").completes(ofWords(memoryAuto)))
}
