// Package fidelity measures how well virtual time was kept during a run: where
// the processor time of the cluster's core went, and what its jump clock did.
//
// Virtual time passes while the core is busy, whoever it works for. So a run is
// worth what its seconds are: those of slurmctld belong to the emulated
// cluster, those of other programs on the core and of the hypervisor do not.
//
// Flow: Start reads all counters, Stop reads them again and returns the
// differences.
//
// Invariants:
//   - The parts of BusySeconds add up to the processor time of the control
//     group; a process that ended before Stop is part of the rest.
//   - No part is negative, although the counters are not read at one instant
//     and not equally fine; only then may the parts be more than the whole.
package fidelity
