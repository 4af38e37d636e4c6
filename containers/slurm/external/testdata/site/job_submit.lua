-- As sites have them: jobs are refused, moved and given limits.
local minutes = 90

function slurm_job_submit(job_desc, part_list, submit_uid)
	if job_desc.name == "untagged" then
		slurm.log_user("say for which project this is")
		return slurm.ERROR
	end
	if job_desc.partition == nil and job_desc.tres_per_node ~= nil then
		job_desc.partition = "gpu"
	end
	if job_desc.time_limit == slurm.NO_VAL then
		job_desc.time_limit = minutes
	end
	return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
	return slurm.SUCCESS
end

return slurm.SUCCESS
