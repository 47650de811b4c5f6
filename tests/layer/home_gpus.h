/* SPDX-License-Identifier: MIT */
/*
 * For tests of results on their way home: a program over two stub GPUs whose launches begin when a gate
 * opens, and what the stub's timeline tells of reads.
 */
#ifndef CX_TESTS_LAYER_HOME_GPUS_H
#define CX_TESTS_LAYER_HOME_GPUS_H

#include "cl_fixture.h"
#include "cl_timeline.h"

enum { HOME_N = 1 << 20, HOME_BYTES = HOME_N * sizeof(cl_int), HOME_SPANS = 4096 };

extern struct home {
    cl_int x[HOME_N], y[HOME_N], z[HOME_N], other[HOME_N];
    struct cl_span spans[HOME_SPANS];
    cl_mem mem[3];
    cl_kernel kernel; /* mem[2] = mem[0] + mem[1] */
} home;

/* Two GPUs with memory of their own that share everything evenly; makes the test's folder (cl_folder.h). */
void home_gpus(const char *algo);
/* Opens everything. */
cl_kernel home_open_kernel(const char *name);
/* The same, and makes the buffers of the kernel "stub_add". */
void home_begin(void);
void home_end(void);
/* Launches do not begin until the gate opens. */
void home_shut_gate(void);
/* How many the drivers were given. */
unsigned home_launches(void);
/* Once the driver has so many launches, or a while later. */
void home_open_gate(unsigned expected);
void home_launch(void);
void home_read_part(cl_mem from, size_t offset, size_t size, void *to);
void home_check_sums(const cl_int *sums, int first, int n);
/* When the last command so far was over. */
unsigned long home_newest(void);
/* How many reads of results from a device began after that moment, and were over before the last kernel of
 * another one, or its own. */
unsigned home_early_since(unsigned long since, unsigned device, unsigned beside);
unsigned home_early_reads(unsigned device, unsigned beside);
/* Bytes that were read since the first kernel began. */
unsigned long home_bytes_read(void);

#endif
