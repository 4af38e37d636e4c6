package slurmctl

import (
	"context"
	"iter"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Shares reads the normalised share of each account, a part of the machine in (0,1]: its part of the raw shares of
// its siblings, times its parent's share. Users are siblings of the accounts beside them, as in Slurm; root's own
// jobs have the share of the users of root. usage is what the users of each account have used so far as jobs of the
// account, in the seconds of resources that Slurm bills. Slurm counts it only under priority/multifactor.
func (c *Client) Shares(ctx context.Context) (shares, usage map[string]float64, err error) {
	out, err := c.Run(ctx, nil, "sshare", "-a", "-P", "-n", "-o", "Account,User,RawShares,RawUsage")
	if err != nil {
		return nil, nil, err
	}
	return ParseShares(out)
}

// share is a row of sshare.
type share struct {
	account string
	user    bool
	raw     int
	used    int
	parent  int // index of the row, -1 for root
}

// ParseShares reads the output of Shares' command: depth is the number of blanks
// before an account, children follow their parents. The error is a *ParseError.
func ParseShares(out []byte) (shares, usage map[string]float64, err error) {
	var rows []share
	var path []int // the last account of each depth
	line := 0
	for text := range strings.Lines(string(out)) {
		line++
		text = strings.TrimSuffix(text, "\n")
		fail := func(field, want string) (shares, usage map[string]float64, err error) {
			return nil, nil, &ParseError{Source: "sshare", Line: line, Field: field, Text: text, Want: want}
		}
		cells := strings.Split(text, "|")
		if len(cells) != 4 {
			return fail("", "4 columns")
		}
		name := strings.TrimLeft(cells[0], " ")
		depth := len(cells[0]) - len(name)
		if name == "" || depth > len(path) || depth == 0 && len(rows) > 0 {
			return fail("Account", "an account one blank deeper than its parent")
		}
		row := share{account: name, user: cells[1] != "", parent: -1}
		if depth > 0 {
			row.parent = path[depth-1]
			// "parent" (fairshare=parent) is a child that has no share of its own.
			if row.raw, err = strconv.Atoi(cells[2]); err != nil && cells[2] != "parent" || row.raw < 0 {
				return fail("RawShares", "a number or parent")
			}
		}
		if row.used, err = strconv.Atoi(cells[3]); err != nil || row.used < 0 {
			return fail("RawUsage", "a number")
		}
		if !row.user {
			path = append(path[:depth], len(rows))
		}
		rows = append(rows, row)
	}
	// What an account has is the sum of those below it, accounts included.
	usage = map[string]float64{}
	for _, r := range rows {
		if r.user && r.used > 0 {
			usage[r.account] += float64(r.used)
		}
	}
	return normalise(rows), usage, nil
}

// normalise returns the parts of the machine of the accounts with shares.
func normalise(rows []share) map[string]float64 {
	sums := make([]int, len(rows))
	for _, r := range rows {
		if r.parent >= 0 {
			sums[r.parent] += r.raw
		}
	}
	parts := make([]float64, len(rows))
	shares := make(map[string]float64)
	for i, r := range rows {
		switch {
		case r.parent < 0:
			parts[i] = 1
		case r.raw > 0:
			parts[i] = parts[r.parent] * float64(r.raw) / float64(sums[r.parent])
		}
		ofRoot := r.user && r.parent == 0
		if parts[i] > 0 && (r.parent >= 0 && !r.user || ofRoot) {
			shares[r.account] += parts[i]
		}
	}
	return shares
}

// Charge is for whom a job runs: the account that is charged, the Unix user, the quality of service and the
// partition. The QOS of the partition may limit the job as well. A job has several partitions until it starts.
type Charge struct{ Account, User, QOS, Partition string }

// Charges reads for whom every job in the queue runs, by job id.
func (c *Client) Charges(ctx context.Context) (map[int]Charge, error) {
	columns := []string{"JobID", "Account", "UserName", "QOS", "Partition"}
	for i := range columns {
		columns[i] += ":" + separator
	}
	out, err := c.Run(ctx, nil, "squeue", "--noheader", "--all", "--Format="+strings.Join(columns, ","))
	if err != nil {
		return nil, err
	}
	charges := make(map[int]Charge)
	line := 0
	for text := range strings.Lines(string(out)) {
		line++
		cells := strings.Split(strings.TrimSuffix(text, "\n"), separator)
		id := 0
		if len(cells) == len(columns)+1 {
			id, _ = values.Count(cells[0])
		}
		if id == 0 {
			return nil, &ParseError{Source: "squeue", Line: line, Text: text, Want: "a job id, an account, a user, a QOS and a partition"}
		}
		charges[id] = Charge{Account: cells[1], User: cells[2], QOS: cells[3], Partition: cells[4]}
	}
	return charges, nil
}

// maxNames bounds a list of names in one argument, in bytes. Linux takes no
// argument of more than 128 KiB (MAX_ARG_STRLEN), with what stands before the list.
const maxNames = 64 << 10

// AddAccounts makes accounts of one share each, and lets the user root submit to
// them. One command names as many as an argument can hold. None of them may exist: sacctmgr fails
// where it has nothing to do. After an error some of the accounts may have been made.
func (c *Client) AddAccounts(ctx context.Context, names ...string) error {
	for batch := range batches(names) {
		list := strings.Join(batch, ",")
		if err := c.AddAccount(ctx, list); err != nil {
			return err
		}
		if err := c.AddUsers(ctx, list, "root"); err != nil {
			return err
		}
	}
	return nil
}

// batches cuts a list of names such that each part fits one argument.
func batches(names []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for len(names) > 0 {
			batch, length := 1, len(names[0])
			for batch < len(names) && length+1+len(names[batch]) <= maxNames {
				length += 1 + len(names[batch])
				batch++
			}
			if !yield(names[:batch]) {
				return
			}
			names = names[batch:]
		}
	}
}

// AddAccount makes an account of one share, to which nobody may submit yet.
func (c *Client) AddAccount(ctx context.Context, name string) error {
	_, err := c.Run(ctx, nil, "sacctmgr", "-i", "add", "account", name)
	return err
}

// AddUsers lets Unix users submit to an account that exists, none of whom may do so yet. After an error some of them may
// have been let.
func (c *Client) AddUsers(ctx context.Context, account string, names ...string) error {
	for batch := range batches(names) {
		if _, err := c.Run(ctx, nil, "sacctmgr", "-i", "add", "user", strings.Join(batch, ","), "account="+account); err != nil {
			return err
		}
	}
	return nil
}

// Reserve runs a command that makes a reservation, see layout.Reservation.
func (c *Client) Reserve(ctx context.Context, command []string) error {
	_, err := c.Run(ctx, nil, command...)
	return err
}
