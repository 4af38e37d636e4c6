/* tests.h: the tests of vclockd, and what they share. */
#ifndef TESTS_H
#define TESTS_H

/* idle_test.c */
#define IDLE_TESTS                                                              \
	TEST(burner) TEST(nobody_waits) TEST(vfork) TEST(vfork_of_new_thread)   \
	TEST(vfork_of_old_thread) TEST(stopped) TEST(stopped_orphan)            \
	TEST(few_descriptors)                                                   \
	TEST(pipe) TEST(pipe_after_work) TEST(births) TEST(births_beside_threads) \
	TEST(exec) TEST(exec_as_another_user) TEST(threads_of_another_user)     \
	TEST(slow_births)                                                       \
	TEST(slow_births_on_several_cores) TEST(several_cores)
/* jump_test.c */
#define JUMP_TESTS                                                              \
	TEST(sleeper) TEST(hold) TEST(think_scale) TEST(poll) TEST(same_moment) \
	TEST(due_while_busy) TEST(sources) TEST(passed_deadline) TEST(forever)
/* page_test.c */
#define PAGE_TESTS                                                              \
	TEST(start) TEST(round) TEST(attach) TEST(attach_wakes) TEST(attach_refused) \
	TEST(one_at_a_time) TEST(new_page) TEST(terminate) TEST(usage) TEST(dump)
/* reap_test.c */
#define REAP_TESTS TEST(reaper) TEST(full_table)

#define TESTS IDLE_TESTS JUMP_TESTS PAGE_TESTS REAP_TESTS

#define TEST(name) void test_##name(void);
TESTS
#undef TEST

/* What the test program does with this argument, instead of tests. */
#define THREADS_OF_ANOTHER_USER "--threads-of-another-user"
void threads_of_another_user(void);

#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(,) NULL})

/* Lets the caller and its children run on all cores there are. */
void use_all_cores(void);
int cores(void);

#endif
