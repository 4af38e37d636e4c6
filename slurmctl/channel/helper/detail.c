/* Single jobs with their placements, licences and reservations. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"

/* Pairs of cells: how many nodes in a row, and what each has. */
static void add_cores(struct text *t, const resource_allocation_response_msg_t *a)
{
	add_number(t, a->num_cpu_groups);
	for (uint32_t i = 0; i < a->num_cpu_groups; i++) {
		add_number(t, a->cpu_count_reps[i]);
		add_number(t, a->cpus_per_node[i]);
	}
}

static void add_gpus(struct text *t, const slurm_job_info_t *job)
{
	for (uint32_t i = 0, next; i < job->gres_detail_cnt; i = next) {
		const char *gres = job->gres_detail_str[i] ? job->gres_detail_str[i] : "";

		for (next = i + 1; next < job->gres_detail_cnt; next++) {
			const char *other = job->gres_detail_str[next];

			if (strcmp(gres, other ? other : "") != 0)
				break;
		}
		add_number(t, next - i);
		add_cell(t, gres);
	}
}

/* The cells of readDetail (slurmctl/channel/detail.go). false after an error row. */
static bool show_detail(uint32_t id)
{
	job_info_msg_t *jobs = NULL;
	resource_allocation_response_msg_t *place = NULL;
	const slurm_job_info_t *job;
	struct text t = { 0 };
	int code;

	if (slurm_load_job(&jobs, id, SHOW_ALL | SHOW_DETAIL | SHOW_LOCAL) != SLURM_SUCCESS || jobs->record_count == 0) {
		code = jobs ? ESLURM_INVALID_JOB_ID : errno;
		slurm_free_job_info_msg(jobs);
		if (code == ESLURM_INVALID_JOB_ID)
			return true;
		answer_errno(code);
		return false;
	}
	job = &jobs->job_array[0];
	add_word(&t, "detail");
	add_queued(&t, job);
	add_cell(&t, job->req_nodes);
	add_cell(&t, job->tres_alloc_str);
	if ((job->job_state & JOB_STATE_BASE) == JOB_PENDING) {
		add_cell(&t, "waits");
	} else if (slurm_allocation_lookup(id, &place) == SLURM_SUCCESS && place) {
		add_cell(&t, "has");
		add_cores(&t, place);
		add_gpus(&t, job);
		slurm_free_resource_allocation_response_msg(place);
	} else if (errno == ESLURM_ALREADY_DONE || errno == ESLURM_INVALID_JOB_ID || errno == ESLURM_JOB_PENDING) {
		/* Slurm tells the cores of a job that has ended to scontrol alone. */
		add_cell(&t, "ended");
	} else {
		code = errno;
		free(t.s);
		slurm_free_job_info_msg(jobs);
		answer_errno(code);
		return false;
	}
	put(&t);
	slurm_free_job_info_msg(jobs);
	return true;
}

void ask_details(char *ids)
{
	size_t count = 0;

	for (char *word = strtok(ids, "\t"); word; word = strtok(NULL, "\t"), count++)
		if (!show_detail(strtoul(word, NULL, 10)))
			return;
	answer_ok(count);
}

void ask_licences(void)
{
	license_info_msg_t *licences = NULL;

	if (slurm_load_licenses(0, &licences, SHOW_ALL) != SLURM_SUCCESS) {
		answer_errno(errno);
		return;
	}
	for (uint32_t i = 0; i < licences->num_lic; i++) {
		const slurm_license_info_t *l = &licences->lic_array[i];
		struct text t = { 0 };

		add_word(&t, "licence");
		add_cell(&t, l->name);
		add_number(&t, l->available);
		add_number(&t, l->reserved);
		put(&t);
	}
	answer_ok(licences->num_lic);
	slurm_free_license_info_msg(licences);
}

void ask_reservations(void)
{
	reserve_info_msg_t *all = NULL;

	if (slurm_load_reservations(0, &all) != SLURM_SUCCESS) {
		answer_errno(errno);
		return;
	}
	for (uint32_t i = 0; i < all->record_count; i++) {
		const reserve_info_t *r = &all->reservation_array[i];
		struct text t = { 0 };

		add_word(&t, "reservation");
		add_cell(&t, r->name);
		add_time(&t, r->start_time);
		add_time(&t, r->end_time);
		add_cell(&t, r->node_list);
		add_number(&t, r->core_spec_cnt > 0);
		add_number(&t, (r->flags & RESERVE_FLAG_MAINT) != 0);
		add_number(&t, (r->flags & RESERVE_FLAG_OVERLAP) != 0);
		add_number(&t, (r->flags & RESERVE_FLAG_FLEX) != 0);
		put(&t);
	}
	answer_ok(all->record_count);
	slurm_free_reservation_info_msg(all);
}
