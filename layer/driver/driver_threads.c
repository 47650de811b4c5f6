/* SPDX-License-Identifier: MIT */
/*
 * A driver's threads. See driver_threads.h.
 */
#include "layer/driver/driver_threads.h"

#include <dirent.h>
#include <stdlib.h>

/* The system lists a process' threads in the order in which they were made. */
void cx_driver_threads_list(struct cx_driver_threads *threads)
{
    DIR *folder = opendir("/proc/self/task");
    struct dirent *entry;
    *threads = (struct cx_driver_threads){.n = 0};
    while (folder && (entry = readdir(folder))) {
        const pid_t id = (pid_t)strtol(entry->d_name, NULL, 10);
        pid_t *grown = id > 0 ? realloc(threads->id, (threads->n + 1) * sizeof *grown) : NULL;
        if (grown) {
            threads->id = grown;
            grown[threads->n++] = id;
        }
    }
    if (folder)
        closedir(folder);
}

static bool has(const struct cx_driver_threads *threads, pid_t id)
{
    unsigned i = 0;
    while (i < threads->n && threads->id[i] != id)
        i++;
    return i < threads->n;
}

void cx_driver_threads_since(struct cx_driver_threads *threads, const struct cx_driver_threads *before)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < threads->n; i++)
        if (!has(before, threads->id[i]))
            threads->id[kept++] = threads->id[i];
    threads->n = kept;
}

void cx_driver_threads_free(struct cx_driver_threads *threads)
{
    free(threads->id);
    *threads = (struct cx_driver_threads){.n = 0};
}

bool cx_driver_threads_bind(const struct cx_driver_threads *threads, unsigned first, unsigned count,
                            const cpu_set_t *cpus)
{
    bool all = true;
    for (unsigned i = first; i < first + count && i < threads->n; i++)
        all &= sched_setaffinity(threads->id[i], sizeof *cpus, cpus) == 0;
    return all;
}
