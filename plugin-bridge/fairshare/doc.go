// Package fairshare tells how far each account is from its share of the machine,
// as Slurm's priority/multifactor does, for a scheduler outside Slurm.
//
//	cores of each account's running jobs --Advance--> Ledger --Factors(shares)--> factor of each account
//	jobs in queue order --Order--> the order in which fair share lets them take part
//
// Usage is core-seconds that decay with a half-life (PriorityDecayHalfLife), the
// factor is 2^(-usage/share) of Slurm's classic fair share: 1 without usage, 1/2
// for an account that used exactly its share. Slurm itself keeps usage under
// priority/multifactor only, and under priority/basic, on whose order of starts
// the auction relies, sshare shows shares and no usage; so the usage is counted
// here and the shares are Slurm's.
//
// Invariants: a factor is in (0,1]; what is counted does not depend on how often
// Advance is called while the same jobs run. The package is pure.
package fairshare
