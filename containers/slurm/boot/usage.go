package boot

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// Files in StateSaveLocation.
const (
	// usageFile has the usage of associations.
	usageFile = "assoc_usage"
	// decayFile has when priority/multifactor let usage decay last.
	decayFile = "priority_last_decay_ran"
)

// associationUsage is what a user has used in an account, by the id of the association in slurmdbd.
type associationUsage struct{ id, seconds int }

// usage is what the users of the layout have used, whose associations slurmdbd knows by now.
func (c *Daemons) usage(ctx context.Context) ([]associationUsage, error) {
	ctx, done := context.WithTimeout(ctx, askLimit)
	defer done()
	out, err := c.command(ctx, "sacctmgr", "-n", "-P", "show", "assoc", "format=ID,Account,User,Partition").Output()
	if err != nil {
		return nil, fmt.Errorf("ask for the associations of users: %w", err)
	}
	return usageOf(c.State.Spec.Layout, string(out))
}

// usageOf finds the associations of users with usage in the answer of sacctmgr.
func usageOf(l layout.Layout, answer string) ([]associationUsage, error) {
	type association struct{ account, user string }
	ids := map[association]int{}
	for line := range strings.Lines(answer) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		if len(cells) != 4 {
			return nil, fmt.Errorf("ask for the associations of users: got %q, want 4 columns", line)
		}
		id, err := strconv.Atoi(cells[0])
		if err != nil {
			return nil, fmt.Errorf("ask for the associations of users: %w", err)
		}
		if cells[2] != "" && cells[3] == "" {
			ids[association{cells[1], cells[2]}] = id
		}
	}
	var all []associationUsage
	for _, a := range l.Accounts {
		for _, u := range a.Users {
			if u.Usage == 0 {
				continue
			}
			id, there := ids[association{a.Name, u.Name}]
			if !there {
				return nil, fmt.Errorf("give user %s of account %s its usage: slurmdbd has no such user", u.Name, a.Name)
			}
			all = append(all, associationUsage{id, u.Usage})
		}
	}
	return all, nil
}

// leaveUsage makes the slurmctld that starts next begin with usage, in the place of what the one that has ended left in
// dir. Usage decays from that start on: that slurmctld shall not find when the other one let it decay last.
func leaveUsage(dir string, all []associationUsage) error {
	name := filepath.Join(dir, usageFile)
	left, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("leave usage: %w", err)
	}
	packed, err := packUsage(left, all)
	if err != nil {
		return fmt.Errorf("leave usage: %s: %w", name, err)
	}
	// The file that is there keeps its owner and mode.
	if err := os.WriteFile(name, packed, 0o600); err != nil {
		return fmt.Errorf("leave usage: %w", err)
	}
	if err := os.Remove(filepath.Join(dir, decayFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("leave usage: %w", err)
	}
	return nil
}

// usageHeader is the size of what an assoc_usage begins with: the version of the protocol, 16 bits, and a time, 64 bits.
const usageHeader = 2 + 8

// packUsage is the file assoc_usage with usage, under the header that slurmctld gave the file, whose version is its own
// (dump_assoc_mgr_state and load_assoc_usage in src/common/assoc_mgr.c). Loading adds what a user has used to all
// accounts above, so that these have no records.
func packUsage(left []byte, all []associationUsage) ([]byte, error) {
	if len(left) < usageHeader {
		return nil, fmt.Errorf("got %d bytes, want a header of %d", len(left), usageHeader)
	}
	b := bytes.NewBuffer(bytes.Clone(left[:usageHeader]))
	number := func(n uint32) { b.Write(binary.BigEndian.AppendUint32(nil, n)) }
	// Texts have their lengths before them and a zero behind them; no text is one of length 0 (packstr in src/common/pack.h).
	text := func(s string) {
		number(uint32(len(s) + 1))
		b.WriteString(s + "\x00")
	}
	for _, one := range all {
		number(uint32(one.id))
		// A long double is packed as "%Lf" prints it (packlongdouble in src/common/pack.c).
		text(strconv.Itoa(one.seconds) + ".000000")
		// Usage by resources and wall time are what limits on minutes look at (GrpTRESMins, GrpWall), which a layout has not.
		number(0)
		number(0)
	}
	return b.Bytes(), nil
}
