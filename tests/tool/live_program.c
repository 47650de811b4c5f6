/* SPDX-License-Identifier: MIT */
/*
 * A program for check_live.py: launches a kernel of the tests' stub driver, each waited for, until a line
 * comes on standard input, and ends with the status that the line says. Says "ready", and the number of its
 * child. usage: live_program [WHAT] with fork: it has a child; exec: it becomes sleep in place of ending;
 * two: it has two contexts; seconds: it ends by itself as many after that as follow, and prints a line every
 * tenth of one; phases: it launches and pauses for so many seconds in turn, five times; times: it launches as
 * many times as follow, and ends well.
 */
#include "../benchmark/client.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] = "__kernel void stub_inc(__global int *a) { a[get_global_id(0)] += 1; }";

struct work {
    struct client client;
    cl_mem buffer;
};

static struct work begin(void)
{
    struct work work = {.client = client_open(text, "stub_inc")};
    work.buffer = client_buffer(&work.client, 4096 * sizeof(cl_int));
    client_set(work.client.kernel, 0, sizeof(cl_mem), &work.buffer);
    return work;
}

static void launch(const struct work *work)
{
    const size_t global = 4096, local = 64;
    const cl_int zero = 0;
    client_check(
        clEnqueueWriteBuffer(work->client.queue, work->buffer, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL),
        "write");
    client_check(clEnqueueNDRangeKernel(work->client.queue, work->client.kernel, 1, NULL, &global, &local, 0,
                                        NULL, NULL),
                 "launch");
    client_check(clFinish(work->client.queue), "clFinish");
}

static void launch_and_pause(const struct work *work, double us)
{
    for (int phase = 0; phase < 5; phase++) {
        for (const double end_us = client_now_us() + us; client_now_us() < end_us;)
            launch(work);
        usleep((useconds_t)us);
    }
}

static void have_child(void)
{
    const pid_t child = fork();
    if (child == 0) {
        char byte;
        while (read(STDIN_FILENO, &byte, 1) < 0)
            ;
        _exit(0);
    }
    printf("%ld\n", (long)child);
}

static bool is_over(double end_us)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return end_us > 0 ? client_now_us() > end_us : poll(&input, 1, 0) != 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    struct work work[2] = {begin()};
    const int n = strcmp(what, "two") == 0 ? 2 : 1;
    char line[16];
    if (n == 2)
        work[1] = begin();
    for (int i = 0; i < 20; i++)
        launch(&work[i % n]);
    puts("ready");
    double next_us = client_now_us();
    const double end_us = argc > 2 ? next_us + 1e6 * strtod(argv[2], NULL) : 0;
    if (strcmp(what, "fork") == 0)
        have_child();
    if (strcmp(what, "phases") == 0 && argc > 2)
        launch_and_pause(work, 1e6 * strtod(argv[2], NULL));
    fflush(stdout);
    const long times = strcmp(what, "times") == 0 && argc > 2 ? strtol(argv[2], NULL, 10) : -1;
    for (long i = 0; i < times; i++)
        launch(work);
    for (unsigned i = 0; times < 0 && !is_over(end_us); i++) {
        launch(&work[i % (unsigned)n]);
        if (end_us > 0 && client_now_us() > next_us) {
            printf("output %u\n", i);
            fflush(stdout);
            next_us += 1e5;
        }
    }
    for (int i = 0; i < n; i++) {
        clReleaseMemObject(work[i].buffer);
        client_close(&work[i].client);
    }
    if (strcmp(what, "exec") == 0)
        execlp("sleep", "sleep", "60", (char *)NULL);
    if (times >= 0)
        return 0;
    return end_us > 0 || !fgets(line, sizeof line, stdin) ? 3 : (int)strtol(line, NULL, 10);
}
