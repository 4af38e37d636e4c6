/* All that depends on the version of Slurm. */
#include "channel.h"

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)

struct allocated allocated_on(const node_info_t *node)
{
	struct allocated a = { 0 };

	slurm_get_select_nodeinfo(node->select_nodeinfo, SELECT_NODEDATA_SUBCNT, NODE_STATE_ALLOCATED, &a.cpus);
	slurm_get_select_nodeinfo(node->select_nodeinfo, SELECT_NODEDATA_MEM_ALLOC, NODE_STATE_ALLOCATED, &a.memory);
	slurm_get_select_nodeinfo(node->select_nodeinfo, SELECT_NODEDATA_TRES_ALLOC_FMT_STR, NODE_STATE_ALLOCATED, &a.tres);
	return a;
}

void forget_allocated(struct allocated *a)
{
	slurm_xfree((void **) &a->tres);
}

int complete_job(uint32_t id, uint32_t code)
{
	return slurm_complete_job(id, code);
}

void name_job(job_desc_msg_t *job, uint32_t id)
{
	job->job_id = id;
}

const int queue_full = ESLURM_ERROR_ON_DESC_TO_RECORD_COPY;

uint32_t submitted_id(const submit_response_msg_t *response)
{
	return response->job_id;
}

#else

struct allocated allocated_on(const node_info_t *node)
{
	return (struct allocated) { .cpus = node->alloc_cpus, .memory = node->alloc_memory, .tres = node->alloc_tres_fmt_str };
}

/* The node has it still. */
void forget_allocated(struct allocated *a)
{
	*a = (struct allocated) { 0 };
}

int complete_job(uint32_t id, uint32_t code)
{
	slurm_step_id_t step = SLURM_STEP_ID_INITIALIZER;

	step.job_id = id;
	return slurm_complete_job(&step, code);
}

void name_job(job_desc_msg_t *job, uint32_t id)
{
	job->step_id.job_id = id;
}

const int queue_full = ESLURM_MAX_JOB_COUNT;

uint32_t submitted_id(const submit_response_msg_t *response)
{
	return response->step_id.job_id;
}

#endif
