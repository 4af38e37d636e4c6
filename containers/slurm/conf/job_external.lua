-- The directory for the scripts of external jobs.
local scripts = ""

-- The bit of --external in bitflags (EXTERNAL_JOB in slurm.h, 2^24).
local external_job = 0x1000000

-- What begins the line of a script that says how long its job takes; see package
-- containers/slurm/jobs.
local payload = "\n# slurmlab "

-- The backends that have a slurmd.
local with_slurmd = "--backend frontend or slurmd"

-- What ends the name of the file with a job's submission, and the variables of
-- job_submit/names; see package containers/slurm/external/scripts.
local submission = ".submission"
local ours = "SLURMLAB_"
local names, open_mode, signal = ours .. "NAMES", ours .. "OPEN_MODE", ours .. "SIGNAL"

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

-- keep_submission writes what Slurm does not keep of an external job beside its script,
-- as strings KEY=VALUE that end with a zero byte, which no text of a user's contains.
-- job_submit/names has put the names of all variables into the environment, in which Lua
-- finds a variable by its name only.
local function keep_submission(job_desc, name)
	local file, fault = io.open(scripts .. "/" .. name .. submission, "w")
	if not file then
		return fault
	end
	local function add(key, value)
		file:write(key, "=", value, "\0")
	end
	local environment = job_desc.environment
	add("open_mode", environment[open_mode] or "")
	add("signal", environment[signal] or "")
	for i = 1, number(job_desc.argc) - 1 do
		add("argument", job_desc.argv[i])
	end
	for variable in string.gmatch(environment[names] or "", "[^\n]+") do
		local value = environment[variable]
		if value ~= nil and string.sub(variable, 1, #ours) ~= ours then
			add("variable", variable .. "=" .. value)
		end
	end
	file:close()
	return nil
end

-- missing says what a job wants that only nodes with a slurmd have, nil if it wants
-- nothing of that kind.
local function missing(job_desc)
	if (job_desc.script or "") == "" then
		return "srun and salloc need"
	end
	if job_desc.array_inx ~= nil then
		return "job arrays need"
	end
	if job_desc.het_job_offset ~= nil and job_desc.het_job_offset ~= slurm.NO_VAL then
		return "heterogeneous jobs need"
	end
	if number(job_desc.requeue) == 1 then
		return "--requeue needs"
	end
	if (job_desc.container or "") ~= "" then
		return "--container needs"
	end
	return nil
end

-- wrong_time says what is wrong with the line of a script that says how long its job takes, nil if nothing is. The runner
-- reads it when the job starts, too late to tell who submitted it (package containers/slurm/jobs).
local function wrong_time(script)
	local line = string.match(script, payload .. "([^\n]*)")
	if not line then
		return nil
	end
	local seconds, ends = string.match(line, "^seconds=(%S+)(.*)$")
	if not seconds then
		return 'the line "# slurmlab ' .. line .. '" has no time: it is like # slurmlab seconds=600'
	end
	for part in string.gmatch(seconds .. ",", "([^,]*),") do
		if not string.match(part, "^%d+$") and not string.match(part, "^%d+:%d+$") then
			return 'seconds: got "' .. part .. '", allowed whole seconds such as 600, or GPUs per node with their seconds such as 1:150,2:75'
		end
	end
	local word = string.match(ends, "^ end=(.*)$")
	if ends ~= "" and word ~= "failed" and word ~= "cancelled" and word ~= "out_of_memory" then
		return 'got "' .. ends .. '" behind the seconds, allowed end=failed, end=cancelled or end=out_of_memory'
	end
	return nil
end

-- make_external takes the script from a job: Slurm only schedules an external job, and
-- refuses one that has a script. It returns the name under which the script is kept, or
-- nil and why the job is refused.
local function make_external(job_desc)
	local needs = missing(job_desc)
	if needs then
		return nil, needs .. " nodes with a slurmd: use a cluster of " .. with_slurmd
	end
	local script = job_desc.script
	local wrong = wrong_time(script)
	if wrong then
		return nil, wrong
	end
	local name, fault = keep(script)
	-- A script with a time is not run, so nothing else is wanted of its submission.
	if name and string.find(script, payload, 1, true) == nil then
		fault = keep_submission(job_desc, name)
	end
	if fault then
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
