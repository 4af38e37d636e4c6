// Package fairshare tells how far each account is from its share of the machine,
// as Slurm's priority/multifactor does, for a scheduler outside Slurm.
//
//	cores of each account's running jobs --Advance--> Ledger --Factors(shares)--> factor of each account
//	jobs in queue order --Order--> the order in which fair share lets them take part
//
// Usage is counted in core-seconds that decay with a half-life, Slurm's
// PriorityDecayHalfLife. The factor is 2^(-usage/share) as in Slurm's classic fair
// share: 1 without usage, 1/2 for an account that used exactly its share.
//
// Shares are read from Slurm, usage is counted here. Slurm counts usage only under
// priority/multifactor; the auction relies on the order in which priority/basic
// starts jobs, and there sshare shows shares and the usage that the cluster began with,
// from which the ledger goes on.
//
// Invariants: a factor is in (0,1]; what is counted does not depend on how often
// Advance is called while the same jobs run. The package is pure.
package fairshare
