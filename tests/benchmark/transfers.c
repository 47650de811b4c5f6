/* SPDX-License-Identifier: MIT */
/*
 * Cost of short transfers that block, as programs make them between launches: writes, reads, and a write, a
 * launch and a read in turn. Knows nothing of coexec. Last line: bytes=N write=US read=US turn=US, each the
 * least mean of five rounds. usage: transfers [BYTES [TIMES]]. The kernel is one that the tests' stub driver
 * knows.
 */
#include "client.h"

#include <stdio.h>
#include <stdlib.h>

static struct client client;
static cl_mem buffer;
static cl_int *memory;
static size_t bytes = 4096;

static void put(void)
{
    client_check(clEnqueueWriteBuffer(client.queue, buffer, CL_TRUE, 0, bytes, memory, 0, NULL, NULL),
                 "write");
}

static void get(void)
{
    client_check(clEnqueueReadBuffer(client.queue, buffer, CL_TRUE, 0, bytes, memory, 0, NULL, NULL), "read");
}

static void turn(void)
{
    const size_t local = 64, global = local;
    put();
    client_check(clEnqueueNDRangeKernel(client.queue, client.kernel, 1, NULL, &global, &local, 0, NULL, NULL),
                 "launch");
    get();
}

static double least_mean(void (*call)(void), int times)
{
    double best = 1e30;
    for (int round = 0; round < 5; round++) {
        const double start = client_now_us();
        for (int i = 0; i < times; i++)
            call();
        client_check(clFinish(client.queue), "finish");
        const double mean = (client_now_us() - start) / times;
        best = mean < best ? mean : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    const char *text = "__kernel void stub_inc(__global int *a) { a[get_global_id(0)] += 1; }";
    bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : bytes;
    const int times = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 2000;
    client = client_open(text, "stub_inc");
    memory = calloc(bytes < 256 ? 256 : bytes, 1);
    buffer = client_buffer(&client, bytes < 256 ? 256 : bytes);
    client_check(clSetKernelArg(client.kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
    turn();
    const double write = least_mean(put, times), read = least_mean(get, times), all = least_mean(turn, times);
    printf("bytes=%zu write=%.3f read=%.3f turn=%.3f\n", bytes, write, read, all);
    clReleaseMemObject(buffer);
    free(memory);
    client_close(&client);
    return 0;
}
