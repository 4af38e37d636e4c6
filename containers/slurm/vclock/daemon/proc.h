/* proc.h: what /proc and the clocks tell of processes and threads. */
#ifndef PROC_H
#define PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

void proc_start(void);
void *array(void *old, size_t n, size_t size);
int64_t cpu_clock(pid_t process);
int open_file(const char *path);
int stat_process(pid_t process, struct stat *owner);
bool hidden(pid_t process);
int list_ids(const char *path, pid_t **ids);
ssize_t read_file(pid_t process, pid_t thread, const char *name, int *fd, char *text, size_t size);
void close_file(int *fd);

#endif
