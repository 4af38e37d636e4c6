package profile

import (
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/workloads"
)

// PartLoad is what jobs need of a part of a machine.
type PartLoad struct {
	// Name of the partition, or of the type of GPUs; AnyType is for jobs that name none.
	Name string
	Jobs int
	// CoreSeconds and GPUSeconds are sums of run time times cores or GPUs.
	CoreSeconds, GPUSeconds float64
	// Cores and GPUs are what the part has in service.
	Cores, GPUs int
}

// AnyType is the name of the part of jobs that ask for GPUs of no type.
const AnyType = "any type"

// addParts takes a job into account by its partition and its type of GPUs.
func (p *Profile) addParts(j workloads.Job) {
	if p.partitions == nil {
		p.partitions, p.types = map[string]*PartLoad{}, map[string]*PartLoad{}
	}
	add := func(to map[string]*PartLoad, name string) {
		if to[name] == nil {
			to[name] = &PartLoad{Name: name}
		}
		to[name].Jobs++
		to[name].CoreSeconds += j.CoreSeconds()
		to[name].GPUSeconds += float64(j.GPUsMin*max(1, j.Nodes)) * float64(j.Runtime)
	}
	// A job counts once: the partitions add up to the workload.
	first, _, _ := strings.Cut(j.Partition, "&")
	add(p.partitions, first)
	if j.GPUsMin > 0 {
		add(p.types, j.GPUType)
	}
}

// Partitions are the loads of the partitions of a machine, in its order, none on a machine whose nodes are equal. Jobs
// that name no partition are in the default one, those that name several in the first.
func (p *Profile) Partitions(m workloads.Machine) []PartLoad {
	if !m.Unequal() {
		return nil
	}
	inService := m.Layout.InService()
	var parts []PartLoad
	for _, partition := range m.Layout.Partitions {
		part := PartLoad{Name: partition.Name}
		for i, g := range m.Layout.Groups {
			if slices.Contains(partition.Groups, g.Name) {
				part.Cores += inService[i] * g.Cores
				part.GPUs += inService[i] * g.AllGPUs()
			}
		}
		part.take(p.partitions[partition.Name])
		if partition.Default {
			part.take(p.partitions[""])
		}
		parts = append(parts, part)
	}
	return parts
}

// GPUTypes are the loads of the types of GPUs of a machine, in its order, then of jobs that ask for GPUs of any type,
// which may have all of them. A machine without types has none.
func (p *Profile) GPUTypes(m workloads.Machine) []PartLoad {
	if !m.Has().GPUTypes {
		return nil
	}
	inService := m.Layout.InService()
	var parts []PartLoad
	for _, name := range m.Layout.GPUTypes() {
		part := PartLoad{Name: name}
		for i, g := range m.Layout.Groups {
			if of := g.OfType(name); of > 0 {
				part.Cores += inService[i] * g.Cores
				part.GPUs += inService[i] * of
			}
		}
		part.take(p.types[name])
		parts = append(parts, part)
	}
	if untyped := p.types[""]; untyped != nil {
		part := PartLoad{Name: AnyType, Cores: m.AllCores(), GPUs: m.AllGPUs()}
		part.take(untyped)
		parts = append(parts, part)
	}
	return parts
}

// take adds the work of jobs, nil for none.
func (l *PartLoad) take(of *PartLoad) {
	if of != nil {
		l.Jobs, l.CoreSeconds, l.GPUSeconds = l.Jobs+of.Jobs, l.CoreSeconds+of.CoreSeconds, l.GPUSeconds+of.GPUSeconds
	}
}

// Load is the part of the cores and GPUs that the jobs need in so many seconds; it is 0 of what the part does not have.
func (l PartLoad) Load(seconds float64) (cores, gpus float64) {
	of := func(work float64, have int) float64 {
		if have == 0 || seconds <= 0 {
			return 0
		}
		return work / seconds / float64(have)
	}
	return of(l.CoreSeconds, l.Cores), of(l.GPUSeconds, l.GPUs)
}
