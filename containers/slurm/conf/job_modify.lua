-- Continues job_submit.lua; package conf puts the two together.

-- The user id of the agent: root, or the only user of a container without root.
local agent = 0

-- Jobs whose next hold or release is the agent's. The agent announces it by an update
-- with ResetAccrueTime, since to Slurm it is the same user as everybody in the container.
local announced = {}

-- What of an update the note keeps, by the fields of job_desc, in scontrol's words.
local kept = {
	min_nodes = "NumNodes", max_nodes = "NumNodes", num_tasks = "NumTasks", min_cpus = "NumCPUs", max_cpus = "NumCPUs",
	pn_min_cpus = "MinCPUsNode", ntasks_per_node = "TasksPerNode", cpus_per_task = "CPUsPerTask", req_switch = "Switches",
	nice = "Nice", pn_min_tmp_disk = "MinTmpDiskNode", req_nodes = "NodeList", exc_nodes = "ExcNodeList",
	partition = "Partition", reservation = "ReservationName", min_mem_per_node = "MinMemoryNode",
	min_mem_per_cpu = "MinMemoryCPU", tres_per_node = "TresPerNode", tres_per_job = "TresPerJob",
	shared = "OverSubscribe", tres_per_socket = "TresPerSocket", tres_per_task = "TresPerTask", prefer = "Prefer", requeue = "Requeue",
}

-- changed names a part of the kept request that an update changes, nil if there is
-- none.
local function changed(job_desc)
	local found = job_desc.begin_time ~= 0 and "StartTime" or job_desc.shared == not_shared and "OverSubscribe" or nil
	for field, word in pairs(kept) do
		local value = job_desc[field]
		if type(value) == "string" or number(value) ~= 0 then
			found = found and found < word and found or word
		end
	end
	return found
end

-- JOB_PENDING of slurm.h; flags stand above the lowest byte of a state.
local pending = 0

-- set_priority answers scontrol hold, uhold and release, and refuses other priorities.
-- Slurm alone would start a job that anybody releases, though the agent has not
-- scheduled it.
local function set_priority(job_desc, job_rec, modify_uid)
	if modify_uid == agent and announced[job_rec.job_id] then
		announced[job_rec.job_id] = nil
		return slurm.SUCCESS
	end
	if job_rec.job_state % 256 ~= pending then
		return slurm.SUCCESS
	end
	if job_desc.priority == 0 then
		job_desc.extra, job_desc.begin_time = held_by_owner, never
		return slurm.SUCCESS
	end
	if job_desc.priority ~= slurm.INFINITE then
		slurm.log_user("slurmlab schedules this job: its priority cannot be changed")
		return slurm.ERROR
	end
	job_desc.priority = slurm.NO_VAL
	if job_rec.extra == held_by_owner then
		-- A time that has passed means now.
		local begin = string.match(job_rec.admin_comment or "", " begin=(%d+)")
		job_desc.extra, job_desc.begin_time = released_by_owner, tonumber(begin) or 1
		return slurm.SUCCESS
	end
	-- A job that the agent has released is as good as released again.
	return job_rec.priority ~= 0 and slurm.SUCCESS or held_for_scheduler
end

-- A job held by a plugin counts as held by its user, who may release it. Without
-- this function people could start a job that the agent has not scheduled, or change
-- a request that it does not read again.
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
	if not hold then
		return slurm.SUCCESS
	end
	if modify_uid == agent and has_flag(job_desc, reset_accrue_time) then
		announced[job_rec.job_id] = true
		return slurm.SUCCESS
	end
	local word = changed(job_desc)
	if word ~= nil then
		slurm.log_user("slurmlab schedules this job as it was submitted: %s cannot be changed; cancel the job and submit another", word)
		return slurm.ERROR
	end
	if has_control(job_desc.name) or has_control(job_desc.comment) then
		slurm.log_user("slurmlab: a name or comment must have no control character, such as a line break")
		return slurm.ERROR
	end
	if job_desc.comment ~= nil and has_alternatives(job_rec.comment) or has_alternatives(job_desc.comment) then
		slurm.log_user("slurmlab schedules this job as it was submitted: its alternatives cannot be changed")
		return slurm.ERROR
	end
	if job_desc.extra ~= nil then
		if modify_uid ~= agent then
			slurm.log_user("slurmlab writes into Extra why a job waits: it cannot be changed")
			return slurm.ERROR
		end
		if job_rec.extra == held_by_owner then
			-- The owner has held the job since the agent looked at it.
			job_desc.extra = held_by_owner
		end
	end
	if job_desc.priority ~= slurm.NO_VAL then
		return set_priority(job_desc, job_rec, modify_uid)
	end
	return slurm.SUCCESS
end
