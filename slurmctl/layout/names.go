package layout

import (
	"strconv"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// NameOf is the name of a node by its number from 0: the one of atSite (SiteNames), the cluster's own where that has none.
func NameOf(node int, atSite []string) string {
	if node < len(atSite) {
		return atSite[node]
	}
	return NodePrefix + strconv.Itoa(node+1)
}

// ListAtSite is a hostlist of the cluster's nodes with the names of atSite. A list of other nodes stays as it is.
func ListAtSite(hosts string, atSite []string) string {
	numbers, err := values.HostNumbers(hosts, NodePrefix)
	if err != nil || len(numbers) == 0 || len(atSite) == 0 {
		return hosts
	}
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = NameOf(n-1, atSite)
	}
	return values.CompressHosts(names)
}
