// Command firstfit is a scheduler in Go that uses the standard library only. It starts the jobs in the order of the
// queue on the first nodes that are wholly free, and none before one that came earlier.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type message struct {
	Type   string
	Number int
	Nodes  []struct {
		Name      string
		Cores     int
		FreeCores int `json:"free_cores"`
		FreeGPUs  int `json:"free_gpus"`
		GPUs      int
	}
	Queue []struct {
		Job, Cores, Nodes int
		Contiguous        bool
	}
}

type start struct {
	Job   int      `json:"job"`
	Nodes []string `json:"nodes"`
}

// decide takes idle nodes for one job after the other.
func decide(m message) []start {
	var starts []start
	for _, job := range m.Queue {
		count := job.Nodes
		if count == 0 {
			count = (job.Cores + m.Nodes[0].Cores - 1) / m.Nodes[0].Cores
		}
		first, nodes := 0, []string(nil)
		for i, n := range m.Nodes {
			if n.FreeCores == n.Cores && n.FreeGPUs == n.GPUs {
				nodes = append(nodes, n.Name)
			} else if job.Contiguous {
				nodes = nil
			}
			if len(nodes) == count {
				first = i + 1
				break
			}
		}
		if len(nodes) < count {
			return starts
		}
		starts, m.Nodes = append(starts, start{job.Job, nodes}), m.Nodes[first:]
		if len(m.Nodes) == 0 {
			return starts
		}
	}
	return starts
}

func main() {
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	for {
		var m message
		if in.Decode(&m) != nil {
			return
		}
		answer := map[string]any{"type": "hello", "version": 1, "name": "first fit"}
		if m.Type == "snapshot" {
			answer = map[string]any{"type": "answer", "number": m.Number, "start": decide(m)}
		}
		if err := out.Encode(answer); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
