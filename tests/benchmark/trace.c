/* SPDX-License-Identifier: MIT */
/*
 * What a line of a trace costs: processor time of the thread that writes it, which other load does not change
 * much. A package makes one line for itself and one for each of its transfers.
 */
#include "layer/report/trace.h"
#include "layer/timeline/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LINES = 200000 };

static double thread_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double seconds_a_line(void)
{
    const double since = thread_seconds();
    for (unsigned i = 0; i < LINES; i++) {
        struct cx_trace_args args = {.used = 0};
        if (!cx_trace_on())
            continue;
        cx_trace_count(&args, "groups", i);
        cx_trace_count(&args, "launch", i / 16);
        cx_trace_text(&args, "why", "part of its share");
        cx_trace_span("kernel", "package", i % 2, 1000 * (uint64_t)i, 1000 * (uint64_t)i + 900, &args);
    }
    return (thread_seconds() - since) / LINES;
}

/* Runs itself twice, as the option is read once. */
int main(int argc, char **argv)
{
    char file[] = "/tmp/coexec-trace-XXXXXX";
    (void)argc;
    if (getenv("COEXEC_TRACE")) {
        printf("a line of a trace: %.3f us\n", seconds_a_line() * 1e6);
        return remove(getenv("COEXEC_TRACE")) != 0;
    }
    printf("no trace: %.4f us\n", seconds_a_line() * 1e6);
    fflush(stdout);
    const int made = mkstemp(file);
    if (made < 0 || close(made) != 0 || setenv("COEXEC_TRACE", file, 1) != 0)
        return 1;
    execv(argv[0], argv);
    return 1;
}
