-- Written by slurmlab for job_submit/lua; see package plugin-bridge/lua.
local hold = false

-- A comment that begins so lists other requests that would do as well.
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

-- gpu_range reads a request for a range of GPUs per node, "gres/gpu:1-3".
-- Slurm itself would take "1-3" for a kind of GPU.
local function gpu_range(tres)
	local low, high = string.match(tres or "", "^gres[/:]gpu:(%d+)%-(%d+)$")
	return tonumber(low), tonumber(high)
end

-- whole writes a count without the ".0" that Lua gives Slurm's numbers.
local function whole(value)
	value = number(value)
	return value ~= 0 and string.format("%d", value) or nil
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
		-- The tasks of an array that waits are one job, which can be given one
		-- place only.
		slurm.log_user("slurmlab: an auction has no job arrays: submit each task as a job")
		return slurm.ERROR
	end
	job_desc.priority = 0
	if has_alternatives(job_desc.comment) and job_desc.tres_per_node ~= nil then
		-- An update can give a job GPUs and cannot take them away.
		local only = string.match(job_desc.tres_per_node, "^gres[/:]gpu:?(%d*)$")
		if only == nil then
			slurm.log_user("slurmlab: a job with alternatives may ask for --gres=gpu[:NUMBER or LOW-HIGH] only")
			return slurm.ERROR
		end
		low = low or tonumber(only) or 1
		high = high or low
		job_desc.tres_per_node = ""
	end
	-- The scheduler's updates overwrite these fields of the job, so the
	-- request is kept where no update reaches it. Without -N min_nodes may
	-- be 1, but max_nodes is not set.
	local nodes = number(job_desc.max_nodes)
	local note = string.format("slurmlab tasks=%d nodes=%d tasks_per_node=%d",
		number(job_desc.num_tasks), nodes, number(job_desc.ntasks_per_node))
	local function add(key, value)
		if value and value ~= 0 and value ~= "" then
			note = note .. string.format(" %s=%s", key, value)
		end
	end
	if low ~= nil then
		add("gpus", string.format("%d-%d", low, high))
	end
	add("nodelist", job_desc.req_nodes)
	add("exclude", job_desc.exc_nodes)
	add("mem_per_node", whole(job_desc.min_mem_per_node))
	add("mem_per_cpu", whole(job_desc.min_mem_per_cpu))
	add("cpus_per_task", whole(job_desc.cpus_per_task))
	add("switches", whole(job_desc.req_switch))
	if job_desc.nice ~= nil and job_desc.nice ~= slurm.NO_VAL then
		local nice = job_desc.nice - nice_offset
		add("nice", nice ~= 0 and string.format("%d", nice))
	end
	add("begin", whole(job_desc.begin_time))
	job_desc.admin_comment = note
	return slurm.SUCCESS
end

-- A job held by a plugin counts as held by its user, who may release it.
-- Without this guard a user could so start a job behind the scheduler's back.
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
	if not hold or modify_uid == 0 then
		return slurm.SUCCESS
	end
	if job_desc.priority ~= slurm.NO_VAL or job_desc.req_nodes ~= nil
			or job_desc.exc_nodes ~= nil or job_desc.partition ~= nil
			or job_desc.begin_time ~= 0
			or job_desc.comment ~= nil and has_alternatives(job_rec.comment)
			or has_alternatives(job_desc.comment) then
		slurm.log_user("slurmlab schedules this job: priority, begin time, node " ..
			"lists, partition and alternatives cannot be changed by its owner")
		return slurm.ERROR
	end
	return slurm.SUCCESS
end

return slurm.SUCCESS
