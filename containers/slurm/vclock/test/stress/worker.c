/* worker.c: one process of the cluster. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"

struct worker worker;

static struct self self_of[MOST_THREADS];

/* Computes, mostly little. */
static void compute(struct self *self)
{
	int64_t lasts = dice(self, 200) ? dice(self, 50 * US) : dice(self, 5 * MS);
	int64_t end = now(self) + lasts;

	while (now(self) < end)
		;
}

static struct self *begin_thread(int thread)
{
	struct self *self = &self_of[thread];

	self->record = &worker.board->record[worker.process][thread];
	self->record->tid = gettid();
	return self;
}

static void *mixed_thread(void *thread)
{
	struct self *self = begin_thread((intptr_t)thread);
	int favourite = dice(self, wait_ways);

	for (;;) {
		wait_once[dice(self, 2) ? favourite : (int)dice(self, wait_ways)](self);
		compute(self);
		for (uint64_t n = dice(self, 4); n; n--)
			poke(self);
		if (!dice(self, 100))
			spawn_sleep(self);
	}
	return NULL;
}

static void *pair_thread(void *thread)
{
	struct self *self = begin_thread((intptr_t)thread);
	pthread_t sleeper;

	pthread_create(&sleeper, NULL, pair_sleeper, NULL);
	for (;;) {
		pair_wait(self);
		compute(self);
	}
	return NULL;
}

/* Arguments: number of the process, of processes, of threads, seed. */
int worker_main(int count, char **argument)
{
	(void)count;
	worker.process = atoi(argument[0]);
	worker.processes = atoi(argument[1]);
	worker.threads = atoi(argument[2]);
	uint64_t seed = strtoull(argument[3], NULL, 10);
	worker.board = mmap(NULL, sizeof *worker.board, PROT_READ | PROT_WRITE, MAP_SHARED, BOARD_FD, 0);
	if (worker.board == MAP_FAILED)
		return 1;
	for (int i = 0; i < worker.threads; i++) {
		self_of[i].random = seed * 1000003 + worker.process * 1009 + i + 1;
		for (int k = 0; k < 20; k++)
			dice(&self_of[i], 2);
	}
	/* Every eighth process has one thread, which lives on signals. */
	if (worker.process % 8 == 7)
		for (struct self *self = begin_thread(0);;) {
			wait_for_alarm(self);
			compute(self);
		}
	for (int i = 1; i < worker.threads; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, i == 1 ? pair_thread : mixed_thread, (void *)(intptr_t)i);
	}
	mixed_thread(0);
	return 0;
}
