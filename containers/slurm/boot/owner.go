package boot

import (
	"os/user"
	"strconv"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// accounts are the users that Slurm's daemons and MariaDB run as. Root of a container has
// Slurm's run as root and MariaDB as mysql. A runtime without privileges gives its container
// a single user id, which all daemons have then: no file can be given to anybody else. That
// id must not be root's, as slurmdbd and slurmctld give up the groups of root, which the
// kernel allows nobody in such a container (setgroups(2), user_namespaces(7)).
func accounts(uid int, byID, byName func(string) (*user.User, error)) (slurm, database conf.User, err error) {
	if uid != 0 {
		self, unknown := byID(strconv.Itoa(uid))
		if unknown != nil {
			return conf.User{}, conf.User{}, unknown
		}
		only := conf.User{Name: self.Username, ID: uid}
		return only, only, nil
	}
	mysql, err := byName("mysql")
	if err != nil {
		return conf.User{}, conf.User{}, err
	}
	number, err := strconv.Atoi(mysql.Uid)
	return conf.Root(), conf.User{Name: mysql.Username, ID: number}, err
}
