package workloads

import (
	"fmt"
	"strconv"

	"github.com/docker/go-units"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// Memory is a number of bytes that is text like "4GiB" in JSON.
type Memory int64

// Units of Memory.
const (
	MiB Memory = 1 << 20
	GiB Memory = 1 << 30
)

// String writes the memory in whole GiB, else in MiB.
func (m Memory) String() string {
	if m%GiB == 0 {
		return fmt.Sprintf("%dGiB", m/GiB)
	}
	return strconv.FormatFloat(float64(m)/float64(MiB), 'f', -1, 64) + "MiB"
}

// MarshalText writes what ParseMemory reads.
func (m Memory) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (m *Memory) UnmarshalText(text []byte) error {
	size, err := ParseMemory(string(text))
	if err == nil {
		*m = size
	}
	return err
}

// Wanted says what a file may have.
func (m *Memory) Wanted() string { return memoryRule }

const memoryRule = "a size with its unit, like 50MiB or 4GiB"

// ParseMemory reads a size such as 50MiB, 4GiB or 32GB; each unit is a power of 1024.
func ParseMemory(text string) (Memory, error) {
	bytes, err := units.RAMInBytes(text)
	if err != nil {
		return 0, fmt.Errorf("memory: got %s, allowed %s", faults.Quote(text), memoryRule)
	}
	return Memory(bytes), nil
}
