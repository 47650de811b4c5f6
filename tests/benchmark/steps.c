/* SPDX-License-Identifier: MIT */
/*
 * A smoothing of two buffers that change places: what iterative programs on devices with memory of their own
 * do. Knows nothing of coexec; the kernel is one that the tests' stub driver knows, whose devices sleep in
 * place of computing, so that a few cores stand for several GPUs. usage: steps [STEPS [0|1]], 1: waits after
 * each step. Last line: ms=N sum=N, of steps alone, without the transfers before and after them.
 */
#include "client.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 16, LOCAL = 64 };

int main(int argc, char **argv)
{
    static const char *const source =
        "__kernel void stub_smooth(__global const int *in, __global int *out, int n)\n"
        "{\n"
        "    int i = get_global_id(0);\n"
        "    out[i] = (int)((uint)in[max(i - 1, 0)] + 2u * (uint)in[i] +\n"
        "                   (uint)in[min(i + 1, n - 1)]);\n"
        "}\n";
    static cl_int values[N];
    const int steps = argc > 1 ? atoi(argv[1]) : 200, waits = argc > 2 && atoi(argv[2]), n = N;
    const size_t global = N, local = LOCAL;
    struct client client = client_open(source, "stub_smooth");
    cl_command_queue queue = client.queue;
    cl_kernel kernel = client.kernel;
    cl_mem plate[2] = {client_buffer(&client, sizeof(values)), client_buffer(&client, sizeof(values))};
    for (int i = 0; i < N; i++)
        values[i] = i % 17;
    client_check(clEnqueueWriteBuffer(queue, plate[0], CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL),
                 "write");
    client_check(clSetKernelArg(kernel, 2, sizeof(n), &n), "clSetKernelArg");
    const double start = client_now_us();
    for (int s = 0; s < steps; s++) {
        client_check(clSetKernelArg(kernel, 0, sizeof(cl_mem), &plate[s % 2]), "clSetKernelArg");
        client_check(clSetKernelArg(kernel, 1, sizeof(cl_mem), &plate[1 - s % 2]), "clSetKernelArg");
        client_check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
                     "launch");
        if (waits)
            client_check(clFinish(queue), "clFinish");
    }
    client_check(clFinish(queue), "clFinish");
    const double took = (client_now_us() - start) / 1e3;
    client_check(
        clEnqueueReadBuffer(queue, plate[steps % 2], CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL),
        "read");
    unsigned sum = 0;
    for (int i = 0; i < N; i++)
        sum = sum * 31 + (unsigned)values[i];
    printf("ms=%.0f sum=%u\n", took, sum);
    clReleaseMemObject(plate[0]);
    clReleaseMemObject(plate[1]);
    client_close(&client);
    return 0;
}
