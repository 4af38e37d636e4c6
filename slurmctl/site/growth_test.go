package site_test

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/slurmctl/site"
)

// Reading takes time in proportion to the nodes, also where each is a group of its own, has a feature or a reason of
// its own, is in a partition of its own, or cannot be read (mostGrowth). Ten small
// files and a large one take turns, and processor time counts, so that other processes slow both alike.
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

// mostGrowth is how many times as long a file of ten times the size may take: a linear reader takes 10 times as long, a
// quadratic one 100 times, and this is midway by ratio. A busy machine's caches make 10 into 16.
const mostGrowth = 30

// wantLinear wants files of size 10,000 to take at most mostGrowth times as long as those of size 1,000. Errors are no matter: more groups than a
// machine file has are a fault.
func wantLinear(t *testing.T, files func(size int) []site.File) {
	t.Helper()
	// The garbage collector runs between the readings.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	small, large := files(1000), files(10_000)
	read := func(files []site.File) time.Duration {
		began := hosttest.ProcessorTime(t)
		_, _ = site.Read(files, site.ReadOptions{})
		return hosttest.ProcessorTime(t) - began
	}
	// What disturbs a reading makes it longer, so the shortest ones count.
	shortest, longest := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range 5 {
		runtime.GC()
		sum := time.Duration(0)
		for range 10 {
			sum += read(small)
		}
		shortest = min(shortest, sum/10)
		runtime.GC()
		longest = min(longest, read(large))
	}
	if ratio := float64(longest) / float64(shortest); ratio > mostGrowth {
		t.Errorf("size 10,000 took %s and size 1,000 %s, which is %.1f times as long, want at most %d", longest, shortest, ratio, mostGrowth)
	}
}
