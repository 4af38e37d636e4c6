package site_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/slurmctl/site"
)

// _nodename_options of src/common/read_config.c (Slurm 26.05), and NodeName itself.
const nodeOptions = `BcastAddr Boards CoreSpecCount CoresPerSocket CPUs CPUSpecList CpuBind Feature Features Gres GresConf MemSpecLimit NodeAddr
NodeHostname Parameters Port Procs RealMemory Reason RestrictedCoresPerGPU Sockets SocketsPerBoard State SuspendTime ThreadsPerCore TmpDisk Topology
TRESWeights Weight NodeName`

// _partition_options there, each with a value that changes something, and PartitionName itself.
const partitionOptions = `AllocNodes=login AllowAccounts=lab AllowGroups=ml AllowQos=fast Alternate=b CpuBind=core DefCPUPerGPU=2 DefMemPerCPU=5 DefMemPerGPU=5
DefMemPerNode=5 Default=YES DefaultTime=5 DenyAccounts=lab DenyQos=fast DisableRootJobs=YES ExclusiveUser=YES ExclusiveTopo=YES Exclusive=NODE GraceTime=5
Hidden=YES LLN=YES MaxCPUsPerNode=5 MaxCPUsPerSocket=5 MaxMemPerCPU=5 MaxMemPerNode=5 MaxTime=5 MaxNodes=5 MinNodes=5 Nodes=a1 OverSubscribe=EXCLUSIVE
OverTimeLimit=5 PowerDownOnIdle=YES PreemptMode=CANCEL Priority=5 PriorityJobFactor=5 PriorityTier=5 QOS=fast RootOnly=YES ReqResv=YES ResumeTimeout=5
SelectTypeParameters=CR_Core Shared=EXCLUSIVE State=DOWN SuspendTime=5 SuspendTimeout=5 Topology=x TRESBillingWeights=CPU=2 PartitionName=q`

func optionNames(list string) []string {
	var names []string
	for _, word := range strings.Fields(list) {
		name, _, _ := strings.Cut(word, "=")
		names = append(names, strings.ToLower(name))
	}
	slices.Sort(names)
	return names
}

func keyNames(keys []site.Key) []string {
	var names []string
	for _, k := range keys {
		names = append(names, strings.ToLower(k.Name))
	}
	slices.Sort(names)
	return names
}

// Each key of Slurm's has one fate.
func TestEachKeyHasAFate(t *testing.T) {
	for list, keys := range map[string][]site.Key{nodeOptions: site.NodeKeys(), partitionOptions: site.PartitionKeys()} {
		if got, want := keyNames(keys), optionNames(list); !slices.Equal(got, want) {
			t.Errorf("got %q\nwant %q", got, want)
		}
		for _, k := range keys {
			if (k.How == "") != (k.Fate == site.LeftOut) {
				t.Errorf("%s: %s, %q", k.Name, k.Fate, k.How)
			}
		}
	}
}

// What the page says of a key of partitions is what becomes of it: what is kept changes the cluster, what is not is named or changes
// nothing.
func TestFatesOfPartitionKeys(t *testing.T) {
	read := func(option string) (shown string, notes []string) {
		c, err := site.Read([]site.File{
			{Name: "slurm.conf", Text: fmt.Sprintf("ClusterName=c\nAccountingStorageEnforce=limits,qos\nNodeName=a1,b1 CPUs=64 RealMemory=64000 Gres=gpu:1\nPartitionName=p Nodes=a1,b1\nPartitionName=q Nodes=b1 %s\n", option)},
			{Name: "dump", Text: "QOS - 'fast':Priority=1\nCluster - 'c':Fairshare=1:QOS='fast,normal'\nParent - 'root'\nAccount - 'lab':Fairshare=2\n"},
		}, site.ReadOptions{})
		if err != nil {
			t.Fatalf("%s: %v", option, err)
		}
		notes, c.Notes = c.Notes, nil
		return text(c), notes
	}
	plain, silent := read("")
	fates := map[string]site.Fate{}
	for _, k := range site.PartitionKeys() {
		fates[strings.ToLower(k.Name)] = k.Fate
	}
	for _, option := range strings.Fields(partitionOptions) {
		name, _, _ := strings.Cut(option, "=")
		if name == "PartitionName" {
			continue
		}
		shown, notes := read(option)
		named := slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(strings.ToLower(n), strings.ToLower(name)+"=") })
		changed := shown != plain
		switch fate := fates[strings.ToLower(name)]; fate {
		case site.Kept, site.Changed:
			if !changed {
				t.Errorf("%s is %s and changes nothing; notes %q", option, fate, notes)
			}
		case site.LeftOut:
			if changed || !named {
				t.Errorf("%s is %s: changes something is %t, notes %q", option, fate, changed, notes)
			}
		default:
			if changed || len(notes) != len(silent) {
				t.Errorf("%s is %s: changes something is %t, notes %q", option, fate, changed, notes)
			}
		}
	}
}
