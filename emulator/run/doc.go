// Package run carries out one run from the outside: it starts a cluster's
// container, sends slurmlabd the request, turns its events into files of the
// run directory and removes the container.
//
// A Engine runs the clusters of runs, and a Cluster is one of them. There are Docker, and
// Charliecloud for an ordinary user of a machine without Docker, with an image that Unpack has
// made. Clusters that a user keeps, and Solve, are Docker's alone.
//
// Flow: CheckEngine and CheckImage come first; nothing is created before they pass. Run then makes the run directory
// with workload.csv and run.json, the container and the request. Events follow: cycles.jsonl and, until the run is
// complete, progress.jsonl grow line by line. Then it copies sacct.txt, sdiag.txt and the daemons' logs and looks at
// how the jobs ended. Only a complete run gets jobs.csv, series.csv, metrics.json and last of all the status
// "complete". Finish repeats what comes after the events.
//
// Config.Find says what lies in the directory of a run already: nothing, a run that is going on, a broken one, or a
// complete one. A complete run must have the same settings (trace.Settings). SetAside moves a broken run away.
//
// The policy decides with which scheduler the cluster boots: one of Slurm's own,
// or none for a policy with an agent (Scheduler).
//
// Invariants: run.json exists from the start and says "incomplete" until the
// end is known, so that even a killed slurmlab or a full disk leaves an
// explained directory. The container is removed however a run ends, unless all jobs
// have ended and the files cannot be copied: then it stays, stopped. If this process
// is killed, the cluster ends by itself, and RemoveOrphans of a later one removes the
// container. A cluster that falls silent is dead (silence). The process
// that carries out a run holds a lock on its workload.csv before there is a
// run.json.
package run
