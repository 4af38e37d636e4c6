// Package python holds the modules of Python with which people write schedulers for
// slurmlab: slurmlab.py, the client of the protocol of package plugin, and on top of it
// slurmlab_gym.py, an environment with reset and step, and slurmlab_batsim.py, an adapter to
// the schedulers of the simulator Batsim.
//
//	slurmlab.py --Client--> the cluster of a policy "exec:FILE", beside its program
//	all         --Environ-> the environment of a program on the user's machine
//	all         --Write---> where "slurmlab plugin python" is told to
//
// Invariants: the modules need Python 3.9 and its standard library, the adapter
// also pyzmq; slurmlab.py needs none of the others. They change with the protocol, in the same commit.
package python
