package site_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/slurmctl/site"
)

// Reading takes time in proportion to the nodes, also where each is a group of its own, has a feature or a reason of
// its own, is in a partition of its own, or cannot be read.
func TestReadGrowsWithTheNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 360,000 nodes")
	}
	for _, tc := range []struct {
		name string
		line func(i int) string
	}{
		{"memory", func(i int) string { return fmt.Sprintf("NodeName=n%d RealMemory=%d", i, 1000+i) }},
		{"feature that is no word", func(i int) string { return fmt.Sprintf("NodeName=n%d Feature=+f%d", i, i) }},
		{"kind of GPUs", func(i int) string { return fmt.Sprintf("NodeName=n%d Gres=gpu:k%d:1,shard%d:1", i, i, i) }},
		{"drained", func(i int) string { return fmt.Sprintf("NodeName=n%d State=DRAIN Reason=r%d", i, i) }},
		{"fault", func(i int) string { return fmt.Sprintf("NodeName=n%d RealMemory=x%d", i, i) }},
		{"listed", func(i int) string {
			return fmt.Sprintf("NodeName=n%d\nNodeSet=s%d Nodes=n%d\nPartitionName=p%d Nodes=s%d", i, i, i, i, i)
		}},
		{"defaults of its own", func(i int) string {
			return fmt.Sprintf("NodeName=DEFAULT RealMemory=%d\nNodeName=n%d\nPartitionName=DEFAULT MaxTime=%d\nPartitionName=p%d Nodes=n%d", 1000+i, i, 1+i, i, i)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wantLinear(t, func(nodes int) []site.File {
				var b strings.Builder
				for i := range nodes {
					b.WriteString(tc.line(i) + "\n")
				}
				return []site.File{{Name: "slurm.conf", Text: b.String() + "PartitionName=all Nodes=ALL Default=YES\n"}}
			})
		})
	}
}

// Reading takes time in proportion to the length of a line, a value and a list.
func TestReadGrowsWithTheLines(t *testing.T) {
	if testing.Short() {
		t.Skip("reads long lines")
	}
	const dump, shown = "Parent - 'root'\nAccount - 'a':", "NodeName=n1 CPUAlloc=0 CPUTot=1\n"
	for _, tc := range []struct {
		name, before, each, after string
	}{
		{"words of a reason", shown + "Reason=", "a ", "\n"},
		{"continued lines", "NodeName=n1 Reason=", "a\\\n", "\n"},
		{"colons in a resource", dump + "GrpTRES=gres/", ":", ""},
		{"fields without a key", dump, "a:", ""},
		{"quotes", dump + "Description='", "'", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wantLinear(t, func(n int) []site.File {
				return []site.File{{Name: "a", Text: tc.before + strings.Repeat(tc.each, 10*n) + tc.after}}
			})
		})
	}
}

// Reading takes time in proportion to the lines DEFAULT, and to the names in a list of nodes.
func TestReadGrowsWithTheDefaults(t *testing.T) {
	if testing.Short() {
		t.Skip("reads long lists")
	}
	for name, text := range map[string]func(n int) string{
		"nodes": func(n int) string {
			return strings.Repeat("NodeName=DEFAULT CPUs=4 RealMemory=1000\n", n) + "NodeName=n1\n"
		},
		"partitions": func(n int) string {
			return "NodeName=n1\n" + strings.Repeat("PartitionName=DEFAULT MaxTime=4\n", n) + "PartitionName=p Nodes=n1\n"
		},
		"names": func(n int) string {
			var names []string
			for i := range n {
				names = append(names, fmt.Sprintf("n%dx", i))
			}
			list := strings.Join(names, ",")
			return "NodeName=" + list + "\nPartitionName=p Nodes=" + list + "\n"
		},
	} {
		t.Run(name, func(t *testing.T) {
			wantLinear(t, func(n int) []site.File { return []site.File{{Name: "slurm.conf", Text: text(n)}} })
		})
	}
}

// wantLinear wants the time of reading to grow with the size of the files. Errors are no matter: more groups than a
// machine file has are a fault.
func wantLinear(t *testing.T, files func(size int) []site.File) {
	t.Helper()
	hosttest.Linear(t, 1000, func(size int) func() {
		read := files(size)
		return func() { _, _ = site.Read(read, site.ReadOptions{}) }
	})
}
