// Package cgroup tells, inside a cluster's container, that the cluster has come up
// against a limit of its container: memory, processes, or the file systems in memory.
//
// Flow: Here finds the control group of the container, of version 1 or 2. Watch looks at
// the kernel's counters again and again until one shows that a limit was exceeded; Exceeded
// looks once.
//
// Invariants: the counters only grow, so that what happened between two looks is seen at
// the second one. A kernel without a counter has no limit that could be exceeded unseen:
// the daemon that dies of it is named by others.
package cgroup
