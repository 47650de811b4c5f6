/* SPDX-License-Identifier: MIT */
/*
 * The calls whose cost instructions.py counts: one kind of call many times, on queues of many short commands.
 * Knows nothing of coexec. usage: calls KIND TIMES [WORK-GROUPS]. The kernel is one that the tests' stub
 * driver knows.
 */
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem buffers[2];
static size_t global = 64;

static void launch(int i)
{
    const size_t local = 64;
    (void)i;
    client_check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
}

static void arg(int i)
{
    client_check(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[i % 2]), "clSetKernelArg");
}

static void arg_launch(int i)
{
    arg(i);
    launch(i);
}

static void event_launch(int i)
{
    const size_t local = 64;
    cl_event event;
    (void)i;
    client_check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, &event), "launch");
    client_check(clReleaseEvent(event), "clReleaseEvent");
}

static void write_word(int i)
{
    client_check(clEnqueueWriteBuffer(queue, buffers[0], CL_FALSE, 0, sizeof(i), &i, 0, NULL, NULL), "write");
    client_check(clFinish(queue), "clFinish"); /* i is over then */
}

static void flush(int i)
{
    (void)i;
    client_check(clFlush(queue), "clFlush");
}

static void finish(int i)
{
    (void)i;
    client_check(clFinish(queue), "clFinish");
}

static void launch_finish(int i)
{
    launch(i);
    finish(i);
}

static const struct {
    const char *name;
    void (*call)(int i);
} kinds[] = {
    {"launch", launch}, {"arg", arg},       {"arg+launch", arg_launch},       {"launch+event", event_launch},
    {"flush", flush},   {"finish", finish}, {"launch+finish", launch_finish}, {"write+finish", write_word},
};

static void set_up(void)
{
    const char *text = "__kernel void stub_inc(__global int *a) { a[get_global_id(0)] += 1; }";
    const struct client client = client_open(text, "stub_inc");
    queue = client.queue;
    kernel = client.kernel;
    for (unsigned i = 0; i < 2; i++)
        buffers[i] = client_buffer(&client, global * sizeof(cl_int));
}

int main(int argc, char **argv)
{
    const int times = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1000;
    const size_t n = sizeof(kinds) / sizeof(*kinds);
    size_t k = 0;
    while (k < n && (argc < 2 || strcmp(kinds[k].name, argv[1]) != 0))
        k++;
    if (k == n) {
        fprintf(stderr, "usage: calls KIND TIMES [WORK-GROUPS]; kinds:");
        for (k = 0; k < n; k++)
            fprintf(stderr, " %s", kinds[k].name);
        fprintf(stderr, "\n");
        return 2;
    }
    if (argc > 3)
        global *= strtoul(argv[3], NULL, 10);
    set_up();
    arg(0);
    for (int i = 0; i < 100; i++)
        launch_finish(i); /* what is found out once is */
    for (int i = 0; i < times; i++) {
        kinds[k].call(i);
        if (i % 64 == 63)
            client_check(clFinish(queue), "clFinish");
    }
    client_check(clFinish(queue), "clFinish");
    return 0;
}
