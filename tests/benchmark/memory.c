/* SPDX-License-Identifier: MIT */
/*
 * Buffers as large, and as many, as devices can hold or a little more: fills each by a kernel, changes each
 * by a second one, reads pieces of each and compares. Knows nothing of coexec. Last line: buffers=N
 * gigabytes=M (each) ms=T result=ok, or the first number that is wrong, or which call failed (exit status 1,
 * 3). usage: memory GIGABYTES [BUFFERS]. Buffers larger than CL_DEVICE_MAX_MEM_ALLOC_SIZE are asked for all
 * the same: some drivers have them.
 */
#include "client.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIECES = 9, PIECE = 1 << 20, MOST = 256 };

static const char text[] =
    "kernel void fill(global ulong *a, ulong seed) { size_t i = get_global_id(0); a[i] = i * 3 + seed; }\n"
    "kernel void change(global ulong *a, ulong seed) { a[get_global_id(0)] ^= seed << 40; }\n";

static void launch(const struct client *client, cl_kernel kernel, cl_mem buffer, size_t items, uint64_t seed)
{
    const cl_ulong number = seed;
    client_check(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
    client_check(clSetKernelArg(kernel, 1, sizeof(number), &number), "clSetKernelArg");
    client_check(clEnqueueNDRangeKernel(client->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
                 "launch");
}

/* Whether pieces of the buffer are what both kernels made of it. */
static int right(const struct client *client, cl_mem buffer, size_t items, uint64_t seed)
{
    static cl_ulong piece[PIECE / sizeof(cl_ulong)];
    const size_t n = sizeof(piece) / sizeof(*piece);
    for (size_t k = 0; k < PIECES; k++) {
        const size_t first = (items - n) / (PIECES - 1) * k;
        client_check(clEnqueueReadBuffer(client->queue, buffer, CL_TRUE, first * sizeof(*piece),
                                         sizeof(piece), piece, 0, NULL, NULL),
                     "read");
        for (size_t i = 0; i < n; i++) {
            const cl_ulong want = ((first + i) * 3 + seed) ^ (seed << 40);
            if (piece[i] == want)
                continue;
            printf("element %zu is %llu in place of %llu\n", first + i, (unsigned long long)piece[i],
                   (unsigned long long)want);
            return 0;
        }
    }
    return 1;
}

int main(int argc, char **argv)
{
    const double gigabytes = argc > 1 ? strtod(argv[1], NULL) : 1;
    const unsigned long buffers = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    const size_t items = (size_t)(gigabytes * 1e9 / 4096) * 4096 / sizeof(cl_ulong);
    if (buffers == 0 || buffers > MOST || items * sizeof(cl_ulong) < 2 * (size_t)PIECE) {
        fprintf(stderr, "usage: memory GIGABYTES [BUFFERS]; at most %d of 0.003 GB or more\n", MOST);
        return 2;
    }
    struct client client = client_open(text, "fill");
    cl_int error;
    cl_kernel change = clCreateKernel(client.program, "change", &error);
    client_check(error, "clCreateKernel");
    static cl_mem all[MOST];
    const double since = client_now_us();
    for (unsigned long b = 0; b < buffers; b++) {
        all[b] = client_buffer(&client, items * sizeof(cl_ulong));
        launch(&client, client.kernel, all[b], items, b + 1);
        client_check(clFinish(client.queue), "finish");
    }
    for (unsigned long b = 0; b < buffers; b++)
        launch(&client, change, all[b], items, b + 1);
    client_check(clFinish(client.queue), "finish");
    int good = 1;
    for (unsigned long b = 0; b < buffers && good; b++)
        good = right(&client, all[b], items, b + 1);
    printf("buffers=%lu gigabytes=%g ms=%.1f result=%s\n", buffers, gigabytes,
           (client_now_us() - since) / 1e3, good ? "ok" : "wrong");
    for (unsigned long b = 0; b < buffers; b++)
        clReleaseMemObject(all[b]);
    clReleaseKernel(change);
    client_close(&client);
    return !good;
}
