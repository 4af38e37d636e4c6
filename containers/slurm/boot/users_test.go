package boot

import "testing"

// passwd(5): seven cells, and each name and number once.
func TestNewUsers(t *testing.T) {
	const there = "root:x:0:0:root:/root:/bin/bash\nanna:*:60000:100::/tmp:/bin/bash"
	want := "\nbob:*:60001:100::/tmp:/bin/bash\neve:*:60002:100::/tmp:/bin/bash\n"
	if got := newUsers(there, []string{"anna", "bob", "root", "eve", "bob"}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := newUsers(there, []string{"anna"}); got != "" {
		t.Errorf("got %q for a user who is there", got)
	}
}
