package workloads_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// A machine that is written as a file is read as the same machine, whatever YAML makes of its
// words.
func TestMachineFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "machine.yaml")
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "ib", "no", "Null", "true", "n-2", "y", "x.1", "e1", "1day", "1e5", "1080", "0x1"})
		l := layout.Layout{}
		for i, name := range rapid.SliceOfNDistinct(word, 1, 4, rapid.ID[string]).Draw(t, "groups") {
			sockets := rapid.IntRange(1, 2).Draw(t, "sockets")
			g := layout.Group{
				Name: name, Count: rapid.IntRange(1, 9).Draw(t, "nodes"), Sockets: sockets, Cores: sockets * rapid.IntRange(1, 64).Draw(t, "cores"),
				Threads: rapid.IntRange(1, 2).Draw(t, "threads"), Memory: rapid.IntRange(1000, 2<<20).Draw(t, "memory"), Weight: i,
				Features: rapid.SliceOfNDistinct(word, 0, 2, rapid.ID[string]).Draw(t, "features"),
			}
			if len(g.Features) == 0 {
				g.Features = nil
			}
			if rapid.Bool().Draw(t, "named") {
				g.Hosts = fmt.Sprintf("%s[01-%02d]", rapid.SampledFrom([]string{"cn", "r1-n"}).Draw(t, "prefix")+strconv.Itoa(i)+"-", g.Count)
			}
			for _, kind := range rapid.SliceOfNDistinct(word, 0, 2, rapid.ID[string]).Draw(t, "types") {
				g.GPUs = append(g.GPUs, layout.GPU{Type: kind, Count: rapid.IntRange(1, 8).Draw(t, "gpus")})
			}
			if len(g.GPUs) == 1 && rapid.Bool().Draw(t, "untyped") {
				g.GPUs[0].Type = ""
			}
			l.Groups = append(l.Groups, g)
		}
		minutes := rapid.SampledFrom([]int{0, 1, 30, 60, 90, 1440, 1500, 2880, 10080, 10081})
		for i, name := range rapid.SliceOfNDistinct(word, 1, 3, rapid.ID[string]).Draw(t, "partitions") {
			p := layout.Partition{
				Name: name, Default: i == 0, MaxTime: minutes.Draw(t, "minutes"), MaxNodes: rapid.IntRange(0, 9).Draw(t, "most"),
				PriorityTier: rapid.IntRange(0, 2).Draw(t, "tier"), PriorityJobFactor: rapid.IntRange(0, 2).Draw(t, "factor"),
			}
			for _, g := range l.Groups {
				p.Groups = append(p.Groups, g.Name)
			}
			l.Partitions = append(l.Partitions, p)
		}
		if l.Nodes() > 1 && rapid.Bool().Draw(t, "down") {
			l.Down = []layout.Down{{Nodes: "n1", State: layout.StateDown, Reason: "rack 4: fan"}}
		}
		want, err := workloads.MachineOf("my machine", l, workloads.Tree{Nodes: rapid.IntRange(0, 3).Draw(t, "leaf")})
		if err != nil {
			t.Fatal(err)
		}
		text := workloads.MachineFile(want)
		if err = os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := workloads.LoadMachine(file)
		if err != nil || !got.Equal(want) {
			t.Errorf("got %+v, %v\nwant %+v of\n%s", got, err, want, text)
		}
	})
}
