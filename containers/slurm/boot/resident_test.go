package boot

import "testing"

func TestPluginDir(t *testing.T) {
	maps := "7f00-7f01 r--p 00000000 00:2a 7 [heap]\n" +
		"7f01-7f02 r-xp 00000000 00:2a 8                          /usr/lib/x86_64-linux-gnu/libc.so.6\n" +
		"7f02-7f03 r-xp 00000000 00:2a 9                          /opt/slurm/lib/slurm/auth_slurm.so\n"
	if got, err := pluginDir(maps); err != nil || got != "/opt/slurm/lib/slurm" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := pluginDir(maps[:120]); err == nil {
		t.Errorf("got %q, want an error", got)
	}
}
