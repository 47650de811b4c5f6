/* SPDX-License-Identifier: MIT */
/*
 * For tests of results on their way home: a program over two stub GPUs whose launches begin when a gate
 * opens, and what the stub's timeline tells of reads.
 */
#ifndef CX_TESTS_LAYER_WRITE_BACK_GPUS_H
#define CX_TESTS_LAYER_WRITE_BACK_GPUS_H

#include "cl_fixture.h"
#include "cl_timeline.h"

enum { WRITE_BACK_N = 1 << 20, WRITE_BACK_BYTES = WRITE_BACK_N * sizeof(cl_int), WRITE_BACK_SPANS = 4096 };

extern struct fixture {
    cl_int x[WRITE_BACK_N], y[WRITE_BACK_N], z[WRITE_BACK_N], other[WRITE_BACK_N];
    struct cl_span spans[WRITE_BACK_SPANS];
    cl_mem mem[3];
    cl_kernel kernel; /* mem[2] = mem[0] + mem[1] */
} fixture;

/* Two GPUs with memory of their own that share everything evenly; makes the test's folder (cl_folder.h). */
void write_back_gpus(const char *algo);
/* Another balancer; dynamic cuts a launch into so many packages (16 by home_gpus). */
void write_back_algo(const char *algo, unsigned packages);
/* Opens everything. */
cl_kernel write_back_open_kernel(const char *name);
/* The same, and makes the buffers of the kernel "stub_add". */
void write_back_begin(void);
void write_back_end(void);
/* Launches do not begin until the gate opens. */
void write_back_shut_gate(void);
/* How many the drivers were given. */
unsigned write_back_launches(void);
/* Once the driver has so many launches, or a while later. */
void write_back_open_gate(unsigned expected);
void write_back_launch(void);
void write_back_read_part(cl_mem from, size_t offset, size_t size, void *to);
void write_back_check_sums(const cl_int *sums, int first, int n);
/* When the last command so far was over. */
unsigned long write_back_newest(void);
/* How many reads of results from a device began after that moment, and were over before the last kernel of
 * another one, or its own. */
unsigned write_back_early_since(unsigned long since, unsigned device, unsigned beside);
unsigned write_back_early_reads(unsigned device, unsigned beside);
/* Bytes that were read since the first kernel began. */
unsigned long write_back_bytes_read(void);

#endif
