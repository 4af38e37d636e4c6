-- Written by slurmlab for job_submit/lua; see package containers/slurm/conf.
local hold = false
-- The machine; cores and GPUs are per node.
local nodes, cores, gpus = 0, 0, 0

-- A job's comment that begins with these words lists other requests that would do as
-- well, see package agent.
local alternatives = "slurmlab alt:"

local function has_alternatives(comment)
	return string.sub(comment or "", 1, #alternatives) == alternatives
end

-- Slurm has nice values without a sign (NICE_OFFSET in slurm.h).
local nice_offset = 0x80000000

-- number returns a count that was asked for, 0 for one that was not.
local function number(value)
	if value == nil or value == slurm.NO_VAL or value == slurm.NO_VAL16 then
		return 0
	end
	return value
end

-- Bits of bitflags (slurm.h): SPREAD_JOB is --spread-job, RESET_ACCRUE_TIME the word
-- ResetAccrueTime of "scontrol update".
local spread_job, reset_accrue_time = 0x100, 0x200000

local function has_flag(job_desc, bit)
	return math.floor(number(job_desc.bitflags) / bit) % 2 == 1
end

-- What --exclusive alone sets of job_desc.shared (JOB_SHARED_NONE in slurm.h).
local not_shared = 0

-- What Slurm answers to a job that no node can run, and to a change of a held job
-- (ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE and ESLURM_JOB_HELD in slurm_errno.h).
local not_available, held_for_scheduler = 2014, 2042

-- All jobs are held, so a job that its owner holds, too, is marked: it begins in the
-- year 2100, which package agent reads, and its Extra says why, which its owner and
-- slurm_job_modify read.
local never = 4102444800
local held_by_owner = "slurmlab: held by its owner: scontrol release lets it wait for the agent again"
local released_by_owner = "slurmlab: released by its owner"

-- gpu_type reads the type in a request for GPUs per node, "gres/gpu:a100:2" or "gres/gpu:a100",
-- and how many of it; nil and 0 without a type.
local function gpu_type(tres)
	local name, count = string.match(tres or "", "^gres[/:]gpu:(%a[%w_.%-]*):?(%d*)$")
	if name == nil then
		return nil, 0
	end
	return name, tonumber(count) or 1
end

-- gpu_range reads a request for a range of GPUs per node, "gres/gpu:1-3".
-- Slurm itself would take "1-3" for a kind of GPU.
local function gpu_range(tres)
	local low, high = string.match(tres or "", "^gres[/:]gpu:(%d+)%-(%d+)$")
	return tonumber(low), tonumber(high)
end

-- list writes a list of nodes with commas alone between them, as sbatch takes blanks,
-- too. What cannot be in the name of a node is written as %XX, so that no list ends
-- its word of the note and begins another.
local function list(text)
	text = string.gsub(text or "", "[%s,]+", ",")
	return (string.gsub(text, "[^%w%[%]%-,._]", function(c)
		return string.format("%%%02X", string.byte(c))
	end))
end

-- has_control says that a text has a control character. squeue and scontrol print a
-- job as one line, which a line break would end.
local function has_control(text)
	return string.find(text or "", "%c") ~= nil
end

-- whole writes a count without the ".0" that Lua gives Slurm's numbers.
local function whole(value)
	value = number(value)
	return value ~= 0 and string.format("%d", value) or nil
end

-- node_range returns the least and the largest number of nodes, both 0 without -N. Then
-- max_nodes is not set, and min_nodes may be. With -N 4 both are 4, with -N 2-4 and -N 2,4
-- they differ.
local function node_range(job_desc)
	local most = number(job_desc.max_nodes)
	return most ~= 0 and number(job_desc.min_nodes) or 0, most
end

-- refusal says why a held job cannot be scheduled as it asks to be, nil if it can.
-- The agent knows numbers of nodes, tasks and tasks per node and GPUs per node.
-- It would silently change a request that says more, so such a request is
-- refused. Slurm's own schedulers take it as it is.
local function refusal(job_desc)
	local least, most = node_range(job_desc)
	if least ~= most and number(job_desc.ntasks_per_node) ~= 0 then
		return string.format("%d to %d nodes and --ntasks-per-node: ask for -n and -N %d-%d", least, most, least, most)
	end
	local gres = job_desc.tres_per_node
	if gres ~= nil and gres ~= "" and string.match(gres, "^gres[/:]gpu:?%d*$") == nil and not gpu_type(gres) then
		return string.format("%s per node: ask for --gres=gpu, gpu:NUMBER, gpu:TYPE:NUMBER or gpu:LOW-HIGH", gres)
	end
	if gpu_type(gres) and has_alternatives(job_desc.comment) then
		return string.format("%s per node beside other requests: ask for GPUs of any type", gres)
	end
	local per_task = job_desc.tres_per_task or ""
	if (job_desc.tres_per_job or "") ~= "" or (job_desc.tres_per_socket or "") ~= ""
			or per_task ~= "" and string.match(per_task, "^cpu[=:]%d+$") == nil then
		return "--gpus, --gpus-per-task and --gpus-per-socket leave the GPUs of a node open: ask for --gres=gpu:NUMBER"
	end
	if (job_desc.cpus_per_tres or "") ~= "" or (job_desc.mem_per_tres or "") ~= ""
			or number(job_desc.ntasks_per_tres) ~= 0 then
		return "--cpus-per-gpu, --mem-per-gpu and --ntasks-per-gpu: ask for -n and --mem-per-cpu instead"
	end
	if number(job_desc.pn_min_cpus) > math.max(1, number(job_desc.cpus_per_task)) then
		return string.format("--mincpus=%d: ask for -N and --ntasks-per-node instead", job_desc.pn_min_cpus)
	end
	-- job_desc has no field for --overcommit; with it sbatch asks for fewer CPUs
	-- than tasks.
	if number(job_desc.num_tasks) > math.max(1, number(job_desc.min_cpus)) then
		return "--overcommit: the agent gives each task a CPU of its own"
	end
	if number(job_desc.sockets_per_node) > 1 or number(job_desc.cores_per_socket) > 1
			or number(job_desc.threads_per_core) > 1 or number(job_desc.ntasks_per_socket) ~= 0
			or number(job_desc.ntasks_per_core) > 1 then
		return "the agent does not look at sockets, cores per socket or threads: ask for -N and --ntasks-per-node"
	end
	if number(job_desc.pn_min_tmp_disk) > 0 then
		return "--tmp: the agent does not look at temporary disk space"
	end
	if string.find(job_desc.reservation or "", ",", 1, true) then
		return "--reservation: the agent knows one, not several"
	end
	if has_flag(job_desc, spread_job) then
		return "--spread-job: the agent chooses the nodes"
	end
	-- JOB_SHARED_USER, JOB_SHARED_MCS and JOB_SHARED_TOPO in slurm.h; JOB_SHARED_OK, which
	-- is --oversubscribe, is 1.
	if number(job_desc.shared) > 1 then
		return "--exclusive=user, mcs and topo: the agent gives a job whole nodes (--exclusive) or shares them with all"
	end
	if (job_desc.prefer or "") ~= "" then
		return "--prefer: the agent knows only what a job needs (--constraint)"
	end
	-- A limit above a year is INVALID in squeue's and scontrol's output (secs2time_str in
	-- src/common/parse_time.c).
	local limit = number(job_desc.time_limit)
	if limit > 365 * 24 * 60 and limit ~= slurm.INFINITE then
		return "--time: more than 365 days cannot be read from squeue: ask for -t 0, which is no limit"
	end
	if number(job_desc.requeue) == 1 then
		return "--requeue: Slurm would start the job again without asking the agent"
	end
	if has_control(job_desc.name) or has_control(job_desc.comment) then
		return "its name or comment has a control character, such as a line break"
	end
	if (job_desc.extra or "") ~= "" then
		return "--extra: slurmlab writes there why a job waits"
	end
	return nil
end

-- impossible says why not even the idle machine could run a job, nil if it could as
-- far as counts tell. Slurm refuses such a job at submission only if it is not held.
local function impossible(job_desc, least_gpus)
	local wanted = number(job_desc.min_nodes)
	if wanted > nodes then
		return string.format("it wants %d nodes, and the machine has %d", wanted, nodes)
	end
	if number(job_desc.num_tasks) > nodes * cores then
		return string.format("it wants %d cores, and the machine has %d", job_desc.num_tasks, nodes * cores)
	end
	if number(job_desc.ntasks_per_node) > cores then
		return string.format("it wants %d cores on a node, and a node has %d", job_desc.ntasks_per_node, cores)
	end
	if least_gpus > gpus then
		return string.format("it wants %d GPUs on a node, and a node has %d", least_gpus, gpus)
	end
	return nil
end

function slurm_job_submit(job_desc, part_list, submit_uid)
	local low, high = gpu_range(job_desc.tres_per_node)
	if low ~= nil then
		if low < 1 or high < low then
			slurm.log_user("slurmlab: %d-%d GPUs: want a range from at least 1 upwards", low, high)
			return slurm.ERROR
		end
		job_desc.tres_per_node = string.format("gres/gpu:%d", low)
	end
	if not hold then
		return slurm.SUCCESS
	end
	if job_desc.array_inx ~= nil then
		-- As long as an array waits, its tasks are one job for Slurm, which can be
		-- given one list of nodes only.
		slurm.log_user("slurmlab: an auction has no job arrays: submit each task as a job")
		return slurm.ERROR
	end
	local reason = refusal(job_desc)
	if reason ~= nil then
		slurm.log_user("slurmlab: the agent cannot schedule this job: %s", reason)
		return slurm.ERROR
	end
	local listed = has_alternatives(job_desc.comment)
	local kind, asked = gpu_type(job_desc.tres_per_node)
	if kind == nil and job_desc.tres_per_node ~= nil then
		asked = tonumber(string.match(job_desc.tres_per_node, "(%d*)$")) or 1
	end
	reason = not listed and impossible(job_desc, asked) or nil
	if reason ~= nil then
		slurm.log_user("slurmlab: not even the idle machine can run this job: %s", reason)
		return not_available
	end
	local begin = job_desc.begin_time
	if job_desc.priority == 0 then
		job_desc.extra, job_desc.begin_time = held_by_owner, never
	end
	job_desc.priority = 0
	if listed and asked > 0 then
		-- An update can give a job GPUs and cannot take them away.
		low = low or asked
		high = high or low
		job_desc.tres_per_node = ""
	end
	-- The scheduler's updates overwrite these fields of the job, so the
	-- request is kept where no update reaches it.
	local fewest, most = node_range(job_desc)
	local note = string.format("slurmlab tasks=%d nodes=%d tasks_per_node=%d",
		number(job_desc.num_tasks), fewest, number(job_desc.ntasks_per_node))
	local function add(key, value)
		if value and value ~= 0 and value ~= "" then
			note = note .. string.format(" %s=%s", key, value)
		end
	end
	if fewest ~= most then
		add("max_nodes", whole(most))
	end
	if low ~= nil then
		add("gpus", string.format("%d-%d", low, high))
	end
	add("gpu_type", kind)
	if string.find(job_desc.partition or "", ",", 1, true) then
		-- The agent chooses one of them and tells Slurm so.
		add("partitions", list(job_desc.partition))
	end
	add("nodelist", list(job_desc.req_nodes))
	add("exclude", list(job_desc.exc_nodes))
	add("reservation", list(job_desc.reservation))
	add("mem_per_node", whole(job_desc.min_mem_per_node))
	add("mem_per_cpu", whole(job_desc.min_mem_per_cpu))
	add("cpus_per_task", whole(job_desc.cpus_per_task))
	add("switches", whole(job_desc.req_switch))
	-- In the note, because squeue of Slurm 24.11 and 26.05 tell it in different columns.
	-- With --reboot Slurm makes the job exclusive after this.
	add("exclusive", (job_desc.shared == not_shared or number(job_desc.reboot) == 1) and 1)
	if job_desc.nice ~= nil and job_desc.nice ~= slurm.NO_VAL then
		local nice = job_desc.nice - nice_offset
		add("nice", nice ~= 0 and string.format("%d", nice))
	end
	add("begin", whole(begin))
	job_desc.admin_comment = note
	return slurm.SUCCESS
end
