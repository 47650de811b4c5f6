/* SPDX-License-Identifier: MIT */
/*
 * Cost of a launch: enqueues a kernel of one work-group many times without waiting, then finishes. Knows
 * nothing of coexec. Last line: launches=N us=M (per launch, best of five rounds), waited=M for launches that
 * are each waited for, enqueue=M for the time within the enqueue call alone, cpu=M for the processor time of
 * all threads. usage: launches [LAUNCHES [WORK-GROUPS]]; with more groups, and COEXEC_SPLIT=always, what a
 * split launch costs. The kernel is one that the tests' stub driver knows.
 */
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static double cpu_us(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Microseconds a launch. */
struct cost {
    double total, enqueue, cpu;
};

static size_t groups = 1;

static struct cost round_of(cl_command_queue queue, cl_kernel kernel, int launches, int wait)
{
    const size_t local = 64, global = local * groups;
    struct cost cost = {0, 0, 0};
    const double start = client_now_us(), cpu = cpu_us();
    for (int i = 0; i < launches; i++) {
        const double before = client_now_us();
        client_check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
                     "launch");
        cost.enqueue += (client_now_us() - before) / launches;
        if (wait)
            client_check(clFinish(queue), "finish");
    }
    client_check(clFinish(queue), "finish");
    cost.total = (client_now_us() - start) / launches;
    cost.cpu = (cpu_us() - cpu) / launches;
    return cost;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static struct cost best_of(cl_command_queue queue, cl_kernel kernel, int launches, int wait)
{
    struct cost best = {1e30, 1e30, 1e30};
    for (int i = 0; i < 5; i++) {
        struct cost cost = round_of(queue, kernel, launches, wait);
        best = (struct cost){least(best.total, cost.total), least(best.enqueue, cost.enqueue),
                             least(best.cpu, cost.cpu)};
    }
    return best;
}

int main(int argc, char **argv)
{
    const char *text = "__kernel void stub_inc(__global int *a) { a[get_global_id(0)] += 1; }";
    int launches = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 10000;
    groups = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    struct client client = client_open(text, "stub_inc");
    cl_command_queue queue = client.queue;
    cl_kernel kernel = client.kernel;
    cl_mem buffer = client_buffer(&client, groups * 64 * sizeof(cl_int));
    client_check(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
    round_of(queue, kernel, 100, 1);
    struct cost running = best_of(queue, kernel, launches, 0);
    struct cost waited = best_of(queue, kernel, launches / 4 + 1, 1);
    printf("launches=%d us=%.3f waited=%.3f enqueue=%.3f cpu=%.3f\n", launches, running.total, waited.total,
           running.enqueue, running.cpu);
    clReleaseMemObject(buffer);
    client_close(&client);
    return 0;
}
