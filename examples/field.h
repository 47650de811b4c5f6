/* SPDX-License-Identifier: MIT */
/*
 * What the shapes of field share. A shape is a small program with the launches, transfers and waits of a kind
 * of real program; all of them compute with unsigned integers, so that a result is right or wrong.
 */
#ifndef EXAMPLES_FIELD_H
#define EXAMPLES_FIELD_H

#include "common.h"

enum { FIELD_STAGES = 27, FIELD_LOCAL = 64, FIELD_QUEUES = 4 };

/* What a shape keeps between setup, enqueue and check. */
struct field {
    cl_kernel kernel[FIELD_STAGES + 1];
    cl_mem buffer[6];
    cl_uint *array[6];
    cl_uint n;
    cl_command_queue queue[FIELD_QUEUES];
    cl_mem pair[FIELD_QUEUES][2];
};

enum field_preset { FIELD_TINY, FIELD_SMALL, FIELD_LARGE, FIELD_PRESETS };

struct field_shape {
    const char *name, *summary;
    const char *size_is, *iterations_are;
    size_t size[FIELD_PRESETS], iterations[FIELD_PRESETS];
    void (*setup)(struct run *run, void *state);
    void (*enqueue)(struct run *run, void *state);
    bool (*check)(struct run *run, void *state);
};

/* Groups of shapes, each ended by one without a name. */
extern const struct field_shape field_single_shapes[], field_step_shapes[], field_host_shapes[],
    field_queue_shapes[];

/* One step of a generator of numbers, one to one; field.cl has the same. */
static inline cl_uint field_mix(cl_uint x)
{
    x = x * 1664525u + 1013904223u;
    return x ^ (x >> 13);
}

/* The programs that a shape stands for time their launches, not what they write before and read afterwards.
 * begin waits for what was enqueued so far, end for the launches since. */
void field_begin(struct run *run);
void field_end(struct run *run);

/* An array of n numbers that begin with the seed's, and a buffer of as many. */
cl_uint *field_numbers(struct run *run, size_t n, cl_uint seed);
cl_mem field_buffer(struct run *run, size_t n);
/* The whole of an array, into the buffer or from it. */
void field_write(struct run *run, cl_mem buffer, const cl_uint *from, size_t n);
void field_read(struct run *run, cl_mem buffer, cl_uint *to, size_t n);
/* Allocates what the run's output is, n numbers. */
cl_uint *field_output(struct run *run, size_t n);
/* Enough work-items for n, in groups of FIELD_LOCAL. */
void field_launch(struct run *run, cl_kernel kernel, size_t n);
/* True where all n are equal. */
bool field_equal(const struct run *run, const cl_uint *got, const cl_uint *want, size_t n);

#endif
