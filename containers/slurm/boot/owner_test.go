package boot

import (
	"os/user"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

func TestAccounts(t *testing.T) {
	// Users of the image.
	all := []user.User{{Username: "root", Uid: "0"}, {Username: "mysql", Uid: "998"}, {Username: "slurm", Uid: "64030"}}
	find := func(same func(user.User) bool) (*user.User, error) {
		for _, u := range all {
			if same(u) {
				return &u, nil
			}
		}
		return nil, user.UnknownUserError("nobody")
	}
	byID := func(uid string) (*user.User, error) { return find(func(u user.User) bool { return u.Uid == uid }) }
	byName := func(name string) (*user.User, error) {
		return find(func(u user.User) bool { return u.Username == name })
	}
	for name, c := range map[string]struct {
		uid             int
		slurm, database conf.User
	}{
		"root":            {0, conf.User{Name: "root", ID: 0}, conf.User{Name: "mysql", ID: 998}},
		"the only user":   {64030, conf.User{Name: "slurm", ID: 64030}, conf.User{Name: "slurm", ID: 64030}},
		"mysql by chance": {998, conf.User{Name: "mysql", ID: 998}, conf.User{Name: "mysql", ID: 998}},
	} {
		t.Run(name, func(t *testing.T) {
			slurm, database, err := accounts(c.uid, byID, byName)
			if err != nil || slurm != c.slurm || database != c.database {
				t.Errorf("accounts(%d) = %v, %v, %v, want %v, %v", c.uid, slurm, database, err, c.slurm, c.database)
			}
		})
	}
	if _, _, err := accounts(1000, byID, byName); err == nil {
		t.Error("a user id without a name is no error, and Slurm's configuration wants a name")
	}
}
