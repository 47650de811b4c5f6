/* SPDX-License-Identifier: MIT */
/*
 * A program of one kernel, stub_settle or another of tests/driver/stub_kernels.cl, that begins on one of two
 * stub devices. Needs the environment of the tests `begin`. Failures end the test case.
 */
#ifndef CX_TESTS_LAYER_BEGIN_FIXTURE_H
#define CX_TESTS_LAYER_BEGIN_FIXTURE_H

#include "cl_fixture.h"

#include <stdbool.h>
#include <stddef.h>

enum { N = 1 << 16, LOCAL = 16 }; /* work-items at most, and of a work-group */

extern struct begin {
    const char *name;  /* of the kernel */
    cl_int iterations; /* by the text */
    cl_program program;
    cl_kernel kernel;
    cl_mem mem[2]; /* from, to */
    cl_int in[N], out[N];
} begin;

/* A process of its own does it and ends. */
void begin_in_a_process(void (*act)(void));
/*
 * A stub device's launches last as long as they are told to; opening the second one, builds and analyses take
 * what the machine has left for them. So what has to happen within a launch is asked of longer launches where
 * it did not happen in shorter ones, each in a process of its own, which begins anew. act: whether it did.
 */
void begin_ask_of_longer_ones(bool (*act)(void));
/* How many times longer: for cases whose launches have to stay short, so that there are more of them. */
unsigned begin_times_longer(void);

/* Makes the folder of a case. */
void begin_make_folder(void);
/* ... with the analysis in the cache. */
void begin_keep_analysis(void);
/* Opens all that a case needs, in that folder; speed: work-groups a microsecond, of all devices or
 * one each. */
void begin_open(const char *speed);
/* Both. */
void begin_in_folder(const char *speed);
/* Checks the results and closes all but the folder. */
void begin_end(size_t items);

void begin_launch_over(cl_kernel kernel, cl_mem from, cl_mem to, size_t items);
void begin_launch(size_t items);
/* So many times, and waits for each. */
void begin_launch_each(unsigned times, size_t items);
/* Launches, one after another, until the second device takes part. */
void begin_launch_until_shared(size_t items);

bool begin_is_open(unsigned device);
/* Work-items that the device did, and in how many kernels. */
size_t begin_did(unsigned device, unsigned *kernels);
/* Whether the second device did so many work-items at least; the folder goes. */
bool begin_second_did(size_t least);

#endif
