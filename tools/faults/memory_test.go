package main

import "testing"

// The kernel takes the pages of files away from a container at its limit, and swaps nothing
// here (Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst).
func TestKeptMemory(t *testing.T) {
	for name, tt := range map[string]struct {
		stat string
		want int64
	}{
		"version 2": {"anon 1000\nfile 7000\nkernel 300\nshmem 20\nfile_mapped 50\n", 1320},
		"version 1": {"cache 7\nrss 5\ntotal_cache 7000\ntotal_rss 1000\ntotal_rss_huge 0\ntotal_shmem 20\n", 1020},
		"nothing":   {"", 0},
	} {
		if got := kept(tt.stat); got != tt.want {
			t.Errorf("%s: got %d, want %d", name, got, tt.want)
		}
	}
}
