package cli

import "testing"

// What version says of an image, by the labels that "make image" gives it.
func TestImageVersions(t *testing.T) {
	for _, tt := range []struct {
		name string
		of   imageVersion
		want string
	}{
		{
			"packages",
			imageVersion{Image: "slurmlab:26.05", Slurm: "26.05.5", Sources: []string{"package slurmctld 26.05.5-1 sha256:12", "package slurmdbd 26.05.5-1 sha256:34"}},
			"26.05.5, from 2 packages of Debian (slurmctld 26.05.5-1 ...), in image slurmlab:26.05",
		},
		{
			"tarball",
			imageVersion{Image: "slurmlab:latest", Slurm: "24.11.5", Sources: []string{"tarball slurm-24.11.5.tar.bz2 sha256:12"}},
			"24.11.5, compiled from slurm-24.11.5.tar.bz2 sha256:12, in image slurmlab:latest",
		},
		{
			"no label",
			imageVersion{Image: "slurmlab:latest", Slurm: "24.11.5"},
			"24.11.5, of unknown origin, in image slurmlab:latest",
		},
		{
			"another version",
			imageVersion{Image: "slurmlab:latest", Slurm: "24.11.5", Sources: []string{"tarball x sha256:12"}, Fault: "image slurmlab:latest was built by slurmlab 1, this is slurmlab 2"},
			"24.11.5, compiled from x sha256:12, in image slurmlab:latest (image slurmlab:latest was built by slurmlab 1, this is slurmlab 2)",
		},
		{"missing", imageVersion{Image: "slurmlab:26.05", Fault: "image slurmlab:26.05 is missing"}, "not known: image slurmlab:26.05 is missing"},
	} {
		if got := tt.of.String(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
