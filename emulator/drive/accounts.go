package drive

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// outsiders are those users whom the boot has not associated with the accounts of their jobs, and the accounts
// that root's jobs name.
func (d *Driver) outsiders() (byAccount map[string][]string, rooted map[string]bool) {
	m := d.Request.Machine
	byAccount, rooted = map[string][]string{}, map[string]bool{}
	for _, job := range d.Request.Jobs {
		account, user := m.Charged(job), m.Submitter(job)
		switch {
		case user == "":
			// root may always submit to the account of its own name.
			if account != "" && account != layout.RootAccount {
				rooted[account] = true
			}
		case m.Layout.HomeOf(user) == "" || account != "" && !hasUser(m.Layout, account, user):
			byAccount[account] = append(byAccount[account], user)
		}
	}
	return byAccount, rooted
}

// admit makes the accounts that the jobs of the workload are charged to, and on a machine with QOS or accounts of its
// own associates the users who submit them. What the boot has made stays as it is, and a cluster from a checkpoint has all.
func (d *Driver) admit(ctx context.Context) error {
	if d.Request.From != nil {
		return nil
	}
	m := d.Request.Machine
	users, rooted := d.outsiders()
	var missing []string
	for _, account := range slices.Sorted(maps.Keys(rooted)) {
		if !isMade(m.Layout, account) {
			missing = append(missing, account)
		} else {
			users[account] = append(users[account], layout.RootAccount)
		}
	}
	if err := d.Client.AddAccounts(ctx, missing...); err != nil {
		return fmt.Errorf("make accounts: %w", err)
	}
	if !m.Layout.Enforces() {
		return nil
	}
	return d.users(ctx, users, missing)
}

// isMade says that a cluster of the layout has the account since its boot.
func isMade(l layout.Layout, account string) bool {
	_, ok := l.FindAccount(account)
	return ok || account == layout.RootAccount
}

// users makes associations for submitters whom the boot has not associated with the accounts of their jobs. made are
// accounts that the cluster has since then.
func (d *Driver) users(ctx context.Context, byAccount map[string][]string, made []string) error {
	for _, account := range slices.Sorted(maps.Keys(byAccount)) {
		if !isMade(d.Request.Machine.Layout, account) && !slices.Contains(made, account) {
			if err := d.Client.AddAccount(ctx, account); err != nil {
				return fmt.Errorf("make account %s: %w", account, err)
			}
		}
		names := byAccount[account]
		slices.Sort(names)
		if err := d.Client.AddUsers(ctx, account, slices.Compact(names)...); err != nil {
			return fmt.Errorf("make users of account %s: %w", account, err)
		}
	}
	return nil
}

func hasUser(l layout.Layout, account, user string) bool {
	a, _ := l.FindAccount(account)
	return a.HasUser(user)
}

// reserve makes the reservations of the machine, whose starts count from the beginning of the run. A
// cluster from a checkpoint has those that are not over.
func (r *run) reserve(ctx context.Context) error {
	if r.Request.From != nil {
		return nil
	}
	for _, each := range r.Request.Machine.Layout.Reservations {
		if err := r.Client.Reserve(ctx, each.Create(r.began)); err != nil {
			return fmt.Errorf("make reservation %s: %w", each.Name, err)
		}
	}
	return nil
}

// lastReservation is the last instant until now at which a reservation kept nodes or was still to
// come: jobs may wait for its end.
func (r *run) lastReservation(now time.Time) time.Time {
	var last time.Time
	for _, each := range r.Request.Machine.Layout.Reservations {
		last = later(last, r.began.Add(time.Duration(each.End())*time.Second))
	}
	if last.After(now) {
		return now
	}
	return last
}
