-- Continues job_submit.lua on a machine whose site has a script of its own; package conf puts them together.

-- The site's script, and what it sets: its functions must not take the place of those above.
local site_script = ""
local site = setmetatable({}, { __index = _G })

do
	-- Lua 5.1 has setfenv, later ones give loadfile the environment.
	local chunk, fault = loadfile(site_script, "t", site)
	if not chunk then
		error(fault, 0)
	end
	if setfenv then
		setfenv(chunk, site)
	end
	chunk()
end

local submit, modify = slurm_job_submit, slurm_job_modify

-- The site's script comes first, so that what it changes is what is scheduled. A run submits its jobs as
-- root for their users, and it is the user whom the site's script means.
function slurm_job_submit(job_desc, part_list, submit_uid)
	if site.slurm_job_submit then
		local user = submit_uid == agent and job_desc.user_id or submit_uid
		local code = site.slurm_job_submit(job_desc, part_list, user)
		if code ~= slurm.SUCCESS then
			return code
		end
	end
	return submit(job_desc, part_list, submit_uid)
end

-- What root changes is slurmlab's doing.
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
	if site.slurm_job_modify and modify_uid ~= agent then
		local code = site.slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
		if code ~= slurm.SUCCESS then
			return code
		end
	end
	return modify(job_desc, job_rec, part_list, modify_uid)
end

