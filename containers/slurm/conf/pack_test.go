package conf_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// execve(2): "the limit per string is 32 pages (the kernel constant MAX_ARG_STRLEN)". A site with thousands of users is below it.
func TestText(t *testing.T) {
	for _, c := range []struct {
		users int
		begin string
	}{{0, `{"`}, {10_000, "gzip:"}} {
		want := spec()
		want.Layout.Groups = []layout.Group{{Name: "thin", Count: 2, Sockets: 1, Cores: 8, Threads: 1, Weight: 1}}
		want.Layout.Accounts = []layout.Account{{Name: "bio"}}
		for i := range c.users {
			want.Layout.Accounts[0].Users = append(want.Layout.Accounts[0].Users, layout.User{Name: fmt.Sprintf("user%d", i), Usage: i * i * 7919})
		}
		text, err := want.Text()
		if err != nil || !strings.HasPrefix(text, c.begin) || len(text) > 32*4096 {
			t.Fatalf("%d users: %.40q... of %d bytes, %v", c.users, text, len(text), err)
		}
		if got, err := conf.ParseText(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d users: got %v, another spec than was packed", c.users, err)
		}
	}
	long := spec()
	long.Layout.Groups = []layout.Group{{Name: "thin", Count: 2}}
	var script strings.Builder
	for i := range 60_000 {
		_, _ = fmt.Fprintf(&script, "%x", i*i*7919)
	}
	long.Layout.JobSubmit = script.String()
	if _, err := long.Text(); err == nil || !strings.Contains(err.Error(), "machine: its description takes") {
		t.Errorf("got %v for a text that no variable holds", err)
	}
	for _, bad := range []string{"{broken", "gzip:%", "gzip:AAAA"} {
		if _, err := conf.ParseText(bad); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}
