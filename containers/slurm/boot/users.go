package boot

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// PasswdPath is where the C library looks Unix users up.
const PasswdPath = "/etc/passwd"

const (
	// firstUser is above the ids of people and of system users of Debian (adduser.conf(5)).
	firstUser = 60_000
	// usersGroup is the group "users" of Debian.
	usersGroup = 100
)

// AddUsers makes Unix users of those names that are none, in a file like PasswdPath. Nobody can
// log in as one of them.
func AddUsers(path string, names []string) error {
	if len(names) == 0 {
		return nil
	}
	if os.Getuid() != 0 {
		return errors.New("make users: the cluster's own user is not root, who alone can submit jobs for others")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("make users: %w", err)
	}
	more := newUsers(string(text), names)
	if more == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("make users: %w", err)
	}
	_, err = file.WriteString(more)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("make users: %w", err)
	}
	return nil
}

// newUsers are the lines of passwd(5) for those names that it does not have.
func newUsers(passwd string, names []string) string {
	next := firstUser
	var there []string
	for line := range strings.Lines(passwd) {
		cells := strings.Split(line, ":")
		there = append(there, cells[0])
		if len(cells) > 2 {
			if id, err := strconv.Atoi(cells[2]); err == nil && id >= next && id < 2*firstUser {
				next = id + 1
			}
		}
	}
	var out strings.Builder
	if passwd != "" && !strings.HasSuffix(passwd, "\n") {
		out.WriteByte('\n')
	}
	for _, name := range names {
		if !slices.Contains(there, name) {
			there = append(there, name)
			_, _ = fmt.Fprintf(&out, "%s:*:%d:%d::/tmp:/bin/bash\n", name, next, usersGroup)
			next++
		}
	}
	if !strings.Contains(out.String(), ":") {
		return ""
	}
	return out.String()
}
