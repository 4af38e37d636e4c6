package conf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// free are the keys that can be set, in the order of the alphabet.
func free() []string {
	return []string{
		"AllowSpecResourcesUsage", "CompleteWait", "DefCPUPerGPU", "DefMemPerCPU", "DefMemPerGPU", "DefMemPerNode", "DependencyParameters",
		"EnforcePartLimits", "EpilogMsgTime", "FairShareDampeningFactor", "FirstJobId", "GroupUpdateForce", "GroupUpdateTime", "KillWait",
		"LicenseParameters", "Licenses", "MCSParameters", "MCSPlugin", "MaxArraySize", "MaxJobId", "MaxMemPerCPU", "MaxMemPerNode",
		"MaxStepCount", "MaxTasksPerNode", "OverTimeLimit", "PreemptExemptTime", "PreemptMode", "PreemptParameters", "PreemptType",
		"PriorityCalcPeriod", "PriorityDecayHalfLife", "PriorityFavorSmall", "PriorityFlags", "PriorityMaxAge", "PriorityParameters",
		"PriorityUsageResetPeriod", "PriorityWeightAge", "PriorityWeightAssoc", "PriorityWeightFairshare", "PriorityWeightJobSize",
		"PriorityWeightPartition", "PriorityWeightQOS", "PriorityWeightTRES", "PrivateData", "ReconfigFlags",
		"ResvOverRun", "SchedulerTimeSlice", "ScronParameters", "SelectTypeParameters", "SlurmctldParameters", "TopologyParam", "TrackWCKey",
	}
}

// since has the first release series with a key, where that is not the oldest that there are images of.
func since() map[string]string { return map[string]string{"LicenseParameters": "26.05"} }

// taken are keys that cannot be set, and why.
type taken struct {
	why  string
	keys []string
	// idle says that they would have no effect in an emulation.
	idle bool
}

// Own begins the reasons of keys that the emulation needs as they are.
const Own = "slurmlab sets it itself, as "

// reserved are all keys that cannot be set. A prefix of keys ends with *.
func reserved() []taken {
	return []taken{
		{Own + "the cluster is one container with one name", []string{
			"ClusterName", "SlurmctldHost", "SlurmctldAddr", "ControlMachine", "ControlAddr", "BackupController", "BackupAddr", "FederationParameters",
		}, false},
		{Own + "one user runs all daemons of a cluster, and may submit jobs", []string{"SlurmUser", "SlurmdUser", "DisableRootJobs"}, false},
		{Own + "the daemons of a cluster trust each other by a key that is made when it boots", []string{
			"AuthType", "AuthInfo", "AuthAlt*", "CredType", "CryptoType", "JobCredential*", "HashPlugin", "TLS*", "Certgen*", "Certmgr*",
			"SlurmctldHttpAuthParameters", "SlurmdHttpAuthParameters",
		}, true},
		{Own + "a cluster has only the loopback network of its container", []string{
			"SlurmctldPort", "SlurmdPort", "SrunPortRange", "CommunicationParameters", "KeepAliveTime", "RoutePlugin", "TreeWidth",
			"HttpParserType", "UrlParserType", "Metrics*",
		}, true},
		{Own + "answers may take long in virtual time", []string{
			"MessageTimeout", "TCPTimeout", "BatchStartTimeout", "SlurmctldTimeout", "SlurmdTimeout", "EioTimeout", "InactiveLimit", "ReturnToService",
		}, false},
		{Own + "the files of a cluster are in memory", []string{
			"StateSaveLocation", "SlurmdSpoolDir", "SlurmctldPidFile", "SlurmdPidFile", "TmpFS", "PluginDir", "PlugStackConfig",
		}, true},
		{Own + "a run reads in the log of slurmctld which jobs have started", []string{
			"SlurmctldLogFile", "SlurmctldDebug", "SlurmctldSyslogDebug", "DebugFlags", "LogTimeFormat", "SlurmdLogFile", "SlurmdDebug", "SlurmdSyslogDebug", "SlurmSched*",
		}, true},
		{Own + "jobs are emulated, and what they start computes nothing", []string{
			"ProctrackType", "TaskPlugin*", "JobAcctGather*", "AcctGather*", "SwitchType", "SwitchParameters", "Mpi*", "LaunchType", "LaunchParameters",
			"JobContainerType", "NamespaceType", "CoreSpecPlugin", "CpuFreq*", "GpuFreqDef", "PropagatePrioProcess", "PropagateResourceLimits*", "UsePAM",
			"VSizeFactor", "WaitTime", "KillOnBadExit", "Bcast*", "SbcastParameters", "InteractiveStepOptions", "SallocDefaultCommand", "X11Parameters",
			"JobFileAppend", "UnkillableStep*", "GetEnvTimeout", "SlurmdParameters", "DataParserParameters",
		}, true},
		{"it names something installed at a site, which the container of a cluster lacks", []string{
			"Prolog*", "Epilog", "EpilogSlurmctld", "EpilogTimeout", "PrEp*", "TaskProlog", "TaskEpilog", "SrunProlog", "SrunEpilog", "ResvProlog", "ResvEpilog",
			"HealthCheck*", "MailProg", "MailDomain", "SlurmctldPrimary*", "PrioritySiteFactor*", "BurstBuffer*", "NodeFeaturesPlugins",
		}, false},
		{"emulated nodes cannot be switched off and on", []string{
			"RebootProgram", "Resume*", "Suspend*", "PowerParameters", "PowerPlugin", "PowerAction", "ExtSensors*",
		}, false},
		{Own + "a plug-in of slurmlab sees each job at its submission", []string{"JobSubmitPlugins", "CliFilter*"}, false},
		{Own + "a run reads there which jobs have ended", []string{"JobComp*"}, false},
		{Own + "a run takes the first end of a job as final", []string{"JobRequeue", "RequeueExit*", "MaxBatchRequeue"}, false},
		{Own + "a run reads in the accounting how its jobs ended", []string{"AccountingStor*", "MaxDBDMsgs"}, false},
		{Own + "the memory of the container follows from it", []string{"MaxJobCount", "MaxNodeCount"}, false},
		{Own + "a run asks slurmctld for jobs some minutes after their end", []string{"MinJobAge"}, false},
		{Own + "jobs share nodes by their cores and GPUs", []string{"SelectType"}, false},
		{"the machine file sets nodes and partitions: write it there", []string{
			"NodeName", "NodeSet", "PartitionName", "DownNodes", "FrontendName", "GresTypes", "FastSchedule",
		}, false},
		{"it follows from switches or blocks of the machine file: write these there", []string{"TopologyPlugin"}, false},
		{"the policy sets it: choose another one (slurmlab policy list)", []string{"SchedulerType"}, false},
		{"it follows from the setting priority", []string{"PriorityType"}, false},
	}
}

// Keys are the keys that can be set.
func Keys() []string { return free() }

// SpelledKey is a key as slurm.conf(5) spells it, which Slurm reads in any case. An unknown one stays as it is.
func SpelledKey(key string) string {
	known := slices.Concat(free(), []string{"SchedulerParameters"})
	for _, t := range reserved() {
		known = append(known, t.keys...)
	}
	if i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, key) }); i >= 0 {
		return known[i]
	}
	return key
}

// KnownKey says whether Slurm has a key of that name, which is spelled as in slurm.conf(5).
func KnownKey(key string) bool { return slices.Contains(free(), key) || whyNot(key) != "" }

// whyNot is the reason of a reserved key, "" for another one.
func whyNot(key string) string {
	why, _ := Fixed(key)
	return why
}

// Fixed says why a key cannot be set, and whether it would have no effect in an emulation; "" for a key that can.
func Fixed(key string) (why string, idle bool) {
	for _, t := range reserved() {
		if slices.ContainsFunc(t.keys, func(pattern string) bool { return matches(pattern, key) }) {
			return t.why, t.idle
		}
	}
	return "", false
}

// matches says whether a key is the one of a pattern, or begins as it does before *.
func matches(pattern, key string) bool {
	prefix, is := strings.CutSuffix(pattern, "*")
	return pattern == key || is && strings.HasPrefix(key, prefix)
}

// CheckLine says what is wrong with a line KEY=VALUE whatever the cluster. What Slurm makes of
// the value is known to Slurm alone.
func CheckLine(key, value string) error {
	if why := whyNot(key); why != "" {
		return fmt.Errorf("%s: %s", key, why)
	}
	if !slices.Contains(free(), key) {
		return fmt.Errorf("%s: slurm.conf has no such line%s", key, faults.DidYouMean(key, free()))
	}
	if key == selectParameters {
		return checkSelect(value)
	}
	return CheckValue(key, value)
}

const selectParameters = "SelectTypeParameters"

// checkSelect refuses values with which slurmctld does not start: select/cons_tres needs exactly one of these words (select_p_node_init
// in src/plugins/select/cons_tres/select_cons_tres.c, _parse_select_type_param in src/common/read_config.c).
func checkSelect(value string) error {
	consumed := []string{"CR_CPU", "CR_CPU_Memory", "CR_Core", "CR_Core_Memory", "CR_Socket", "CR_Socket_Memory"}
	count := 0
	for word := range strings.SplitSeq(value, ",") {
		switch is := func(other string) bool { return strings.EqualFold(word, other) }; {
		case slices.ContainsFunc(consumed, is):
			count++
		case is("CR_Memory"):
			return fmt.Errorf("%s: CR_Memory is a word of select/linear, and slurmlab has select/cons_tres; the nearest is CR_Core_Memory", selectParameters)
		}
	}
	if count != 1 {
		return fmt.Errorf("%s: got %.60q, allowed is exactly one of %s, and further words", selectParameters, value, strings.Join(consumed, ", "))
	}
	return CheckValue(selectParameters, value)
}

// longest is the most letters of a value; the longest list of flags of slurm.conf(5) has about 300.
const longest = 1000

// CheckValue says whether a value can stand in slurm.conf without being cut or joined with
// what follows.
func CheckValue(key, value string) error {
	bad := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"'#\`, r) }
	if value == "" || len(value) > longest || strings.ContainsFunc(value, bad) {
		return fmt.Errorf("%s: %q is not allowed, want 1 to %d letters of ASCII without blanks, quotes, # and \\", key, value, longest)
	}
	return nil
}

// CheckSeries refuses a key that a release series of Slurm does not have.
func CheckSeries(key, series string) error {
	if first := since()[key]; series < first {
		return fmt.Errorf("%s: Slurm %s has no such line in slurm.conf, want Slurm %s", key, series, first)
	}
	return nil
}

// PassesAgent is why a key is not allowed where somebody else than Slurm decides which job
// starts where, "" where it is.
func PassesAgent(key string) string {
	has := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(key, p) })
	}
	switch {
	case has("Preempt"):
		return "Slurm would stop jobs without the agent"
	case has("SelectTypeParameters", "DefMem", "MaxMem", "DefCPUPerGPU", "MCS", "License", "TopologyParam"):
		return "the agent plans cores and GPUs alone, and Slurm would refuse what it has planned"
	case has("FairShareDampeningFactor"):
		return "the agent computes priorities itself"
	default:
		return ""
	}
}
