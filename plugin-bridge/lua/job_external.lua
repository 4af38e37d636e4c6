-- The directory for the scripts of external jobs.
local scripts = ""

-- The bit of --external in bitflags (EXTERNAL_JOB in slurm.h, 2^24).
local external_job = 0x1000000

-- What begins the line of a script that says how long its job takes; see package
-- containers/slurm/payload.
local payload = "\n# slurmlab "

local kept = 0

-- keep writes a script into a new file and returns the file's name.
local function keep(script)
	local name, other
	repeat
		kept = kept + 1
		name = string.format("%d-%d", os.time(), kept)
		-- slurmctld may have been started again within a second.
		other = io.open(scripts .. "/" .. name, "r")
		if other then
			other:close()
		end
	until not other
	local file, fault = io.open(scripts .. "/" .. name, "w")
	if not file then
		return nil, fault
	end
	file:write(script)
	file:close()
	return name
end

-- make_external takes the script from a job: Slurm only schedules an external job, and
-- refuses one that has a script. It returns the name under which the script is kept, or
-- nil and why the job is refused.
local function make_external(job_desc)
	local script = job_desc.script or ""
	if script == "" then
		return nil, "srun and salloc need nodes with a slurmd: use a cluster of --slurm 24.11"
	end
	if job_desc.array_inx ~= nil then
		return nil, "job arrays need nodes with a slurmd: use a cluster of --slurm 24.11"
	end
	if string.find(script, payload, 1, true) == nil then
		return nil, "scripts need nodes with a slurmd: use a cluster of --slurm 24.11"
	end
	local name, fault = keep(script)
	if not name then
		return nil, "its script cannot be kept: " .. fault
	end
	job_desc.script = ""
	if not has_flag(job_desc, external_job) then
		job_desc.bitflags = number(job_desc.bitflags) + external_job
	end
	return name
end

local submit = slurm_job_submit

function slurm_job_submit(job_desc, part_list, submit_uid)
	local code = submit(job_desc, part_list, submit_uid)
	if code ~= slurm.SUCCESS then
		return code
	end
	local name, reason = make_external(job_desc)
	if not name then
		slurm.log_user("slurmlab: %s", reason)
		return slurm.ERROR
	end
	job_desc.admin_comment = (hold and job_desc.admin_comment or "slurmlab") .. " script=" .. name
	return slurm.SUCCESS
end
