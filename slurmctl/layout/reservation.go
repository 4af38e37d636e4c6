package layout

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Reservation keeps nodes for some jobs for a time (scontrol(1), "RESERVATIONS").
type Reservation struct {
	Name string `json:"name" about:"{Word}" need:"yes" of:"word"`
	// Nodes is a hostlist. Without it Slurm chooses Count nodes of Partition, "" for the default
	// one, as it makes the reservation.
	Nodes     string `json:"nodes,omitempty" about:"name of a group, or nodes such as 'n[3-4,8]'" write:"quoted"`
	Count     int    `json:"count,omitempty" about:"so many nodes of Slurm's choice, in the place of 'nodes'" range:"1..{MaxNodes}"`
	Partition string `json:"partition,omitempty" about:"partition of the nodes of 'count'; the default one without it" of:"word"`
	// Start are seconds from the beginning of the run, Duration whole minutes in seconds.
	Start    int `json:"start_s" yaml:"start" as:"seconds" about:"time from the beginning of the run, such as '2h'; 0s without it"`
	Duration int `json:"duration_s" yaml:"duration" as:"seconds" about:"whole minutes, such as '90m'" need:"yes"`
	// Users and Accounts are those whose jobs may use it; without any root's jobs may.
	Users    []string `json:"users,omitempty" about:"list of users whose jobs may use it; root, for whom jobs without 'user' run, without it and 'accounts'" of:"name"`
	Accounts []string `json:"accounts,omitempty" about:"list of accounts whose jobs may use it; beside 'users' a job needs both" of:"name"`
	Flags    []string `json:"flags,omitempty" about:"list of flags: {ReservationFlags}" of:"{ReservationFlags}"`
}

// Flags of a Reservation.
const (
	// FlagMaint says that the nodes are in maintenance.
	FlagMaint = "MAINT"
	// FlagOverlap lets the nodes be in other reservations at the same time, as FlagMaint does.
	FlagOverlap = "OVERLAP"
)

// ReservationFlags are those that a reservation can have.
func ReservationFlags() []string { return []string{FlagMaint, FlagOverlap} }

// Create is the command that makes the reservation in a run that begins at such a time.
func (r Reservation) Create(began time.Time) []string {
	argv := []string{
		"scontrol", "create", "reservation", "ReservationName=" + r.Name,
		"StartTime=" + began.Add(time.Duration(r.Start)*time.Second).UTC().Format(values.TimeLayout),
		fmt.Sprintf("Duration=%d", r.Duration/60),
	}
	if r.Nodes != "" {
		argv = append(argv, "Nodes="+r.Nodes)
	} else {
		argv = append(argv, fmt.Sprintf("NodeCnt=%d", r.Count))
	}
	if r.Partition != "" {
		argv = append(argv, "PartitionName="+r.Partition)
	}
	if len(r.Accounts) > 0 {
		argv = append(argv, "Accounts="+strings.Join(r.Accounts, ","))
	}
	if users := r.Users; len(users) > 0 {
		argv = append(argv, "Users="+strings.Join(users, ","))
	} else if len(r.Accounts) == 0 {
		argv = append(argv, "Users="+RootAccount)
	}
	if len(r.Flags) > 0 {
		argv = append(argv, "Flags="+strings.Join(r.Flags, ","))
	}
	return argv
}

// End are the seconds from the beginning of the run to the end.
func (r Reservation) End() int { return r.Start + r.Duration }

// Size is the number of nodes.
func (r Reservation) Size() int {
	if r.Nodes == "" {
		return r.Count
	}
	numbers, _ := values.HostNumbers(r.Nodes, NodePrefix)
	return len(numbers)
}

// Admits says whether jobs of a user, root for none, and of an account may use it.
func (r Reservation) Admits(user, account string) bool {
	if user == "" {
		user = RootAccount
	}
	if len(r.Users) == 0 && len(r.Accounts) == 0 {
		return user == RootAccount
	}
	return (len(r.Users) == 0 || slices.Contains(r.Users, user)) && (len(r.Accounts) == 0 || slices.Contains(r.Accounts, account))
}

// FindReservation is the reservation with a name.
func (l Layout) FindReservation(name string) (Reservation, bool) {
	i := slices.IndexFunc(l.Reservations, func(r Reservation) bool { return r.Name == name })
	if i < 0 {
		return Reservation{}, false
	}
	return l.Reservations[i], true
}

// overlaps says whether two reservations have a node at the same time; with Count nobody knows.
func (r Reservation) overlaps(other Reservation) bool {
	if r.Start >= other.End() || other.Start >= r.End() || r.Nodes == "" || other.Nodes == "" {
		return false
	}
	own, _ := values.HostNumbers(r.Nodes, NodePrefix)
	others, _ := values.HostNumbers(other.Nodes, NodePrefix)
	return slices.ContainsFunc(own, func(n int) bool { return slices.Contains(others, n) })
}

// mayOverlap says whether a flag lets its nodes be in other reservations.
func (r Reservation) mayOverlap() bool {
	return slices.Contains(r.Flags, FlagMaint) || slices.Contains(r.Flags, FlagOverlap)
}
