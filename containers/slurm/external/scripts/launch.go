package scripts

import (
	"path"
	"strconv"
	"strings"
)

// Launch is who runs which script how.
type Launch struct {
	// ID is the id of the job.
	ID       int
	Script   string
	UID, GID int
	User     string
	// Umask is octal.
	Umask   string
	Append  bool
	Dir     string
	In, Out string
	// Err is empty where errors go to Out.
	Err       string
	Arguments []string
	// Limits are NAME=NUMBER of setrlimit(2), Variables are the environment.
	Limits, Variables []string
}

// Account is a user as the system knows him.
type Account struct{ Name, Home, Shell string }

// The names of variables that sbatch hands over for slurmstepd alone.
const (
	umaskVariable = "SLURM_UMASK"
	limitPrefix   = "SLURM_RLIMIT_"
	loginVariable = "SLURM_GET_USER_ENV"
)

// NewLaunch says how the script of a job is run. cpus are the CPUs of each of its nodes, nil if they are not known.
// clock are the variables that put a program on the cluster's clock.
func NewLaunch(id int, script string, d Details, s Submission, account Account, cpus []int, clock []string) Launch {
	l := Launch{
		ID: id, Script: script, UID: d.UID, GID: d.GID, User: account.Name, Umask: "0022", Append: s.Append, Dir: d.WorkDir,
		In: "/dev/null", Arguments: s.Arguments,
	}
	var kept []string
	login := false
	for _, variable := range s.Variables {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case name == umaskVariable:
			l.Umask = value
		case strings.HasPrefix(name, limitPrefix):
			// A "U" says that the user asked for it (src/common/slurm_rlimits_info.h).
			l.Limits = append(l.Limits, strings.TrimPrefix(name, limitPrefix)+"="+strings.TrimPrefix(value, "U"))
		case name == loginVariable:
			login = true
		default:
			kept = append(kept, variable)
		}
	}
	var first []string
	if login {
		first = []string{
			"HOME=" + account.Home, "SHELL=" + account.Shell, "USER=" + account.Name, "LOGNAME=" + account.Name,
			"PATH=/usr/local/bin:/usr/bin:/bin",
		}
	}
	first = append(first, "TMPDIR=/tmp")
	l.Variables = merge(first, clock, kept, variables(d, id, account.Name, cpus))
	name := func(asked, otherwise string) string {
		if asked == "" {
			asked = otherwise
		}
		if asked == "" {
			return ""
		}
		asked = expand(asked, d, id, account.Name)
		if !path.IsAbs(asked) {
			asked = strings.TrimSuffix(d.WorkDir, "/") + "/" + asked
		}
		return asked
	}
	l.In, l.Out, l.Err = name(d.StdIn, l.In), name(d.StdOut, "slurm-%j.out"), name(d.StdErr, "")
	if l.Err == l.Out {
		l.Err = ""
	}
	return l
}

// text is the Launch as slurmscript reads it.
func (l Launch) text(command string) string {
	var out strings.Builder
	add := func(key, value string) { out.WriteString(key + "=" + value + "\x00") }
	add("uid", strconv.Itoa(l.UID))
	add("gid", strconv.Itoa(l.GID))
	add("user", l.User)
	add("umask", l.Umask)
	if l.Append {
		add("append", "1")
	}
	add("dir", l.Dir)
	add("in", l.In)
	add("out", l.Out)
	if l.Err != "" {
		add("err", l.Err)
	}
	add("command", command)
	for key, values := range map[string][]string{"argument": l.Arguments, "limit": l.Limits, "variable": l.Variables} {
		for _, value := range values {
			add(key, value)
		}
	}
	return out.String()
}
