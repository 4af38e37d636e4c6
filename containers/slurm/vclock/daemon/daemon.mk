# vclockd, its tests, and the stress test. Included by ../Makefile.
DAEMON := $(wildcard daemon/*.c)
DAEMON_TEST := $(wildcard test/daemon/*.c)
STRESS := $(wildcard test/stress/*.c)
SECONDS ?= 600
STRESSFLAGS ?=

$(OUT)/vclockd: $(DAEMON) $(wildcard daemon/*.h) vclock.h daemon/daemon.mk
	@mkdir -p $(OUT)
	$(CC) -std=gnu17 $(CFLAGS) $(WARN) -o $@ $(DAEMON) -lm -pthread

$(OUT)/daemon_test: $(DAEMON_TEST) $(wildcard test/daemon/*.h) vclock.h daemon/daemon.mk
	@mkdir -p $(OUT)
	$(CC) -std=gnu17 $(CFLAGS) $(WARN) -o $@ $(DAEMON_TEST) -pthread

$(OUT)/stress: $(STRESS) $(wildcard test/stress/*.h) vclock.h daemon/daemon.mk
	@mkdir -p $(OUT)
	$(CC) -std=gnu17 $(CFLAGS) $(WARN) -o $@ $(STRESS) -pthread

check-daemon: $(OUT)/vclockd $(OUT)/daemon_test
	VCLOCKD=$(OUT)/vclockd $(OUT)/daemon_test

stress: $(OUT)/vclockd $(OUT)/libvclock.so $(OUT)/stress
	VCLOCKD=$(OUT)/vclockd LIBVCLOCK=$(OUT)/libvclock.so $(OUT)/stress --seconds $(SECONDS) $(STRESSFLAGS)

.PHONY: check-daemon stress
