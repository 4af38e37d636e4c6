// Package fidelity measures how well virtual time was kept during a run: where
// the processor time of the cluster's core went, and what its jump clock did.
//
// Virtual time passes while the core is busy, whatever program it runs. The seconds
// that slurmctld computes belong to the emulated cluster. Those of other programs on
// the core and of the hypervisor do not, and make the times of a run doubtful.
//
// Flow: Start reads all counters, Stop reads them again and returns the
// differences.
//
// Invariants:
//   - The parts of BusySeconds add up to the processor time of the cluster, that is, of its control
//     group, or of its processes where it has none; a process that ended before Stop is part of the rest.
//   - No part is negative. The counters are not read at one instant and differ in
//     resolution; where that would make the rest negative it is 0, and the parts
//     add up to more than the whole.
package fidelity
