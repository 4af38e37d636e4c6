package site

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// topologyFile is topology.yaml, a list of topologies (topology.yaml(5); topology_ctx_array_t in src/interfaces/topology.h).
type topologyFile []struct {
	Name      string `yaml:"topology"`
	IsDefault bool   `yaml:"cluster_default"`
	Tree      struct {
		Switches []struct {
			Name  string `yaml:"switch"`
			Nodes string `yaml:"nodes"`
		} `yaml:"switches"`
	} `yaml:"tree"`
	Block struct {
		Sizes  []int `yaml:"block_sizes"`
		Blocks []struct {
			Name  string `yaml:"block"`
			Nodes string `yaml:"nodes"`
		} `yaml:"blocks"`
	} `yaml:"block"`
}

// topologyYAML takes over topology.yaml, which Slurm reads in the place of topology.conf (topology_g_init in src/interfaces/topology.c).
// Of several topologies the cluster's default counts, or the first.
func (r *reader) topologyYAML(f File) {
	var all topologyFile
	const allowed = "a list of topologies (topology.yaml(5))"
	switch err := yaml.Unmarshal([]byte(f.Text), &all); {
	case err != nil:
		r.fail(fileLine{f.Name, 1}, fmt.Sprintf("got %.200q", yaml.FormatError(err, false, false)), allowed)
		return
	case len(all) == 0:
		r.fail(fileLine{f.Name, 1}, "got no topology", allowed)
		return
	}
	chosen := all[0]
	for _, t := range all {
		// "The first topology defined with cluster_default: true" (topology.yaml(5)).
		if t.IsDefault {
			chosen = t
			break
		}
	}
	if len(all) > 1 {
		r.note("%s: of %d topologies %s is taken, that of the cluster; those of single partitions are left out", f.Name, len(all), chosen.Name)
	}
	if len(r.switches) > 0 {
		r.note("%s is left out: Slurm reads %s in its place", r.switches[0].file, f.Name)
	}
	r.switches = nil
	leaf := func(key, name, nodes string) {
		if nodes != "" {
			r.switches = append(r.switches, record{fileLine{f.Name, 1}, []pair{{key, name}, {"Nodes", nodes}}})
		}
	}
	for _, s := range chosen.Tree.Switches {
		leaf(switchKey, s.Name, s.Nodes)
	}
	for _, b := range chosen.Block.Blocks {
		leaf(blockKey, b.Name, b.Nodes)
	}
	if len(chosen.Block.Sizes) > 0 {
		sizes := strings.ReplaceAll(strings.Trim(fmt.Sprint(chosen.Block.Sizes), "[]"), " ", ",")
		r.switches = append(r.switches, record{fileLine{f.Name, 1}, []pair{{sizesKey, sizes}}})
	}
	if len(chosen.Tree.Switches)+len(chosen.Block.Blocks) == 0 {
		r.note("topology %s has neither leaf switches nor blocks with nodes: all nodes are alike", strconv.Quote(chosen.Name))
	}
}

// switchKey and blockKey begin the lines of topology.conf that have nodes, sizesKey the one with the sizes of blocks.
const switchKey, blockKey, sizesKey = "SwitchName", "BlockName", "BlockSizes"
