package workloads

// Demand is what the jobs added to it need of a machine at the least, so that each of
// them can start when it is alone there. The zero value is that of no jobs.
type Demand struct {
	nodes, cores, gpus int
	// all is the most cores that a job asks for without naming nodes.
	all int
}

// Add takes a job into account. A job that contradicts itself, or that no machine file can
// describe a machine for, is left out.
func (d *Demand) Add(j Job) {
	if len(j.faults()) > 0 {
		return
	}
	d.gpus = max(d.gpus, j.GPUsMax)
	if j.Nodes == 0 {
		d.all = max(d.all, j.Cores)
		return
	}
	d.nodes = max(d.nodes, j.MostNodes())
	d.cores = max(d.cores, (j.Cores+j.MostNodes()-1)/j.MostNodes())
}

// Machine is the smallest machine on which every job fits. Where no job says how many
// cores it needs on a node, the nodes have coresOfNode cores, or as many more as keep the
// machine within 10000 nodes. A machine with a node of more than 1024 cores is none that a
// machine file can describe; ok is then false.
func (d Demand) Machine(coresOfNode int) (m Machine, ok bool) {
	m = Machine{Name: "smallest", Cores: d.cores, GPUs: d.gpus}
	if m.Cores == 0 {
		m.Cores = max(1, coresOfNode)
	}
	m.Cores = max(m.Cores, (d.all+maxNodes-1)/maxNodes)
	m.Nodes = max(1, d.nodes, (d.all+m.Cores-1)/m.Cores)
	return m, m.check() == nil
}

// Fits says whether every job fits on the machine, whose nodes must be equal.
func (d Demand) Fits(m Machine) bool {
	return d.nodes <= m.Nodes && d.cores <= m.Cores && d.gpus <= m.GPUs && d.all <= m.AllCores()
}
