/* SPDX-License-Identifier: MIT */
/*
 * What the benchmarks' OpenCL programs set up, who know nothing of coexec: one device, one queue, one kernel.
 * Errors end the process with 3.
 */
#ifndef CX_TESTS_BENCHMARK_CLIENT_H
#define CX_TESTS_BENCHMARK_CLIENT_H

#include <CL/cl.h>

struct client {
    cl_context context;
    cl_command_queue queue; /* in order */
    cl_program program;
    cl_kernel kernel;
};

/* Ends the process where error is one; what: which call it is of. */
void client_check(cl_int error, const char *what);
/* The first device of the first platform; the kernel of that name in the text. */
struct client client_open(const char *text, const char *kernel);
/* The same on another platform. */
struct client client_open_on(cl_platform_id platform, const char *text, const char *kernel);
cl_mem client_buffer(const struct client *client, size_t bytes);
void client_set(cl_kernel kernel, cl_uint index, size_t size, const void *value);
void client_close(struct client *client);
/* Monotonic. */
double client_now_us(void);
/* Of n numbers, which are sorted. */
double client_median(double *numbers, unsigned n);

#endif
