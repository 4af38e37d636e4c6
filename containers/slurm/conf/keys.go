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
}

// own begins the reasons of keys that the emulation needs as they are.
const own = "slurmlab sets it itself, as "

// reserved are all keys that cannot be set. A prefix of keys ends with *.
func reserved() []taken {
	return []taken{
		{own + "the cluster is one container with one name", []string{
			"ClusterName", "SlurmctldHost", "SlurmctldAddr", "ControlMachine", "ControlAddr", "BackupController", "BackupAddr", "FederationParameters",
		}},
		{own + "all daemons of a cluster run as one user, who submits the jobs, too", []string{"SlurmUser", "SlurmdUser", "DisableRootJobs"}},
		{own + "the daemons of a cluster trust each other by a key that is made when it boots", []string{
			"AuthType", "AuthInfo", "AuthAlt*", "CredType", "CryptoType", "JobCredential*", "HashPlugin", "TLS*", "Certgen*", "Certmgr*",
			"SlurmctldHttpAuthParameters", "SlurmdHttpAuthParameters",
		}},
		{own + "the cluster has no network but the loopback of its container", []string{
			"SlurmctldPort", "SlurmdPort", "SrunPortRange", "CommunicationParameters", "KeepAliveTime", "RoutePlugin", "TreeWidth",
			"HttpParserType", "UrlParserType", "Metrics*",
		}},
		{own + "answers may take long on the clock of a cluster", []string{
			"MessageTimeout", "TCPTimeout", "BatchStartTimeout", "SlurmctldTimeout", "SlurmdTimeout", "EioTimeout", "InactiveLimit", "ReturnToService",
		}},
		{own + "the files of a cluster are in memory", []string{
			"StateSaveLocation", "SlurmdSpoolDir", "SlurmctldPidFile", "SlurmdPidFile", "TmpFS", "PluginDir", "PlugStackConfig",
		}},
		{own + "a run reads in the log of slurmctld which jobs have started", []string{
			"SlurmctldLogFile", "SlurmctldDebug", "SlurmctldSyslogDebug", "DebugFlags", "LogTimeFormat", "SlurmdLogFile", "SlurmdDebug", "SlurmdSyslogDebug", "SlurmSched*",
		}},
		{own + "jobs are emulated, and what they start computes nothing", []string{
			"ProctrackType", "TaskPlugin*", "JobAcctGather*", "AcctGather*", "SwitchType", "SwitchParameters", "Mpi*", "LaunchType", "LaunchParameters",
			"JobContainerType", "NamespaceType", "CoreSpecPlugin", "CpuFreq*", "GpuFreqDef", "PropagatePrioProcess", "PropagateResourceLimits*", "UsePAM",
			"VSizeFactor", "WaitTime", "KillOnBadExit", "Bcast*", "SbcastParameters", "InteractiveStepOptions", "SallocDefaultCommand", "X11Parameters",
			"JobFileAppend", "UnkillableStep*", "GetEnvTimeout", "SlurmdParameters", "DataParserParameters",
		}},
		{"it names what a site has installed, and the container of a cluster has not", []string{
			"Prolog*", "Epilog", "EpilogSlurmctld", "EpilogTimeout", "PrEp*", "TaskProlog", "TaskEpilog", "SrunProlog", "SrunEpilog", "ResvProlog", "ResvEpilog",
			"HealthCheck*", "MailProg", "MailDomain", "SlurmctldPrimary*", "PrioritySiteFactor*", "BurstBuffer*", "NodeFeaturesPlugins",
		}},
		{"emulated nodes cannot be switched off and on", []string{
			"RebootProgram", "Resume*", "Suspend*", "PowerParameters", "PowerPlugin", "PowerAction", "ExtSensors*",
		}},
		{own + "a plug-in of its own looks at each job that is submitted", []string{"JobSubmitPlugins", "CliFilter*"}},
		{own + "it reads there that a job has ended", []string{"JobComp*"}},
		{own + "a run takes the first end of a job for its last", []string{"JobRequeue", "RequeueExit*", "MaxBatchRequeue"}},
		{own + "a run reads in the accounting what became of its jobs", []string{"AccountingStor*", "MaxDBDMsgs"}},
		{own + "the memory of the container is chosen by it", []string{"MaxJobCount", "MaxNodeCount"}},
		{own + "a run asks for jobs for some minutes after their end", []string{"MinJobAge"}},
		{own + "jobs share nodes by their cores and GPUs", []string{"SelectType"}},
		{"nodes and partitions are those of the machine: write it in a machine file", []string{
			"NodeName", "NodeSet", "PartitionName", "DownNodes", "FrontendName", "GresTypes", "TopologyPlugin", "FastSchedule",
		}},
		{"it is that of the policy: choose another one (slurmlab policy list)", []string{"SchedulerType"}},
		{"it follows from the setting priority", []string{"PriorityType"}},
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
	for _, t := range reserved() {
		for _, pattern := range t.keys {
			if prefix, is := strings.CutSuffix(pattern, "*"); pattern == key || is && strings.HasPrefix(key, prefix) {
				return t.why
			}
		}
	}
	return ""
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
	return CheckValue(key, value)
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

// CheckSeries refuses a key that the Slurm of a backend does not have, whose name begins with its release series.
func CheckSeries(key, slurm string) error {
	if first := since()[key]; slurm < first {
		return fmt.Errorf("%s: Slurm %s has no such line in slurm.conf, want Slurm %s", key, slurm, first)
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
