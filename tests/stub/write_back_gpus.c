/* SPDX-License-Identifier: MIT */
/*
 * Stub GPUs for tests of results on their way home. See write_back_gpus.h.
 */
#include "write_back_gpus.h"
#include "cl_folder.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LEAST_RESULT = 65536 };

struct fixture fixture;

void write_back_algo(const char *algo, unsigned packages)
{
    char text[64];
    snprintf(text, sizeof text, strcmp(algo, "dynamic") == 0 ? "%s:packages=%u" : "%s", algo, packages);
    setenv("COEXEC_ALGO", text, 1);
}

void write_back_gpus(const char *algo)
{
    cl_folder_make("home");
    setenv("STUB_LOG", cl_folder_path("calls"), 1);
    setenv("STUB_TIMELINE", cl_folder_path("timeline"), 1);
    setenv("STUB_GATE", cl_folder_path("gate"), 1);
    setenv("STUB_DEVICES", "2", 1);
    setenv("STUB_TYPE", "gpu", 1);
    setenv("STUB_IN_PLACE", "0", 1);
    setenv("STUB_SPEED", "0", 1);
    setenv("STUB_ASYNC", "1", 1);
    write_back_algo(algo, 16);
    set_variable("powers", "1:1");
    set_variable("queues", "one");
}

cl_kernel write_back_open_kernel(const char *name)
{
    cl_open();
    return cl_kernel_of_file(STUB_KERNELS, name);
}

void write_back_begin(void)
{
    fixture.kernel = write_back_open_kernel("stub_add");
    cl_seed(5);
    for (int i = 0; i < WRITE_BACK_N; i++) {
        fixture.x[i] = (cl_int)cl_roll(100000);
        fixture.y[i] = (cl_int)cl_roll(100000);
    }
    for (unsigned i = 0; i < 3; i++) {
        fixture.mem[i] = cl_buffer(CL_MEM_READ_WRITE, WRITE_BACK_BYTES, NULL);
        cl_set_mem(fixture.kernel, i, fixture.mem[i]);
    }
    cl_write(fixture.mem[0], fixture.x, WRITE_BACK_BYTES);
    cl_write(fixture.mem[1], fixture.y, WRITE_BACK_BYTES);
}

void write_back_end(void)
{
    for (unsigned i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(fixture.mem[i]));
    cl_ok(clReleaseKernel(fixture.kernel));
    cl_close();
}

void write_back_shut_gate(void)
{
    FILE *file = fopen(cl_folder_path("gate"), "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
}

unsigned write_back_launches(void)
{
    FILE *file = fopen(cl_folder_path("calls"), "r");
    char line[512];
    unsigned count = 0;
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof(line), file))
        count += strncmp(line, "clEnqueueNDRangeKernel ", 23) == 0;
    fclose(file);
    return count;
}

void write_back_open_gate(unsigned expected)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    const double since = cl_seconds();
    while (write_back_launches() < expected && cl_seconds() - since < 10)
        nanosleep(&moment, NULL);
    ck_assert_int_eq(remove(cl_folder_path("gate")), 0);
}

void write_back_launch(void)
{
    const size_t items = WRITE_BACK_N, local = 64;
    cl_ok(clEnqueueNDRangeKernel(cl.queue, fixture.kernel, 1, NULL, &items, &local, 0, NULL, NULL));
}

void write_back_read_part(cl_mem from, size_t offset, size_t size, void *to)
{
    cl_ok(clEnqueueReadBuffer(cl.queue, from, CL_FALSE, offset, size, to, 0, NULL, NULL));
}

void write_back_check_sums(const cl_int *sums, int first, int n)
{
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad += sums[i] != fixture.x[first + i] + fixture.y[first + i];
    ck_assert_int_eq(bad, 0);
}

unsigned long write_back_newest(void)
{
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), fixture.spans, WRITE_BACK_SPANS);
    unsigned long last = 0;
    for (unsigned i = 0; i < n; i++)
        last = fixture.spans[i].end > last ? fixture.spans[i].end : last;
    return last;
}

/* How many reads of results from a device began after that moment, and were over before the last kernel of
 * another one, or its own. */
unsigned write_back_early_since(unsigned long since, unsigned device, unsigned beside)
{
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), fixture.spans, WRITE_BACK_SPANS);
    unsigned long last = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++)
        if (cl_span_is(&fixture.spans[i], "kernel") && fixture.spans[i].device == beside &&
            fixture.spans[i].end > last)
            last = fixture.spans[i].end;
    for (unsigned i = 0; i < n; i++)
        count += cl_span_is(&fixture.spans[i], "read") && fixture.spans[i].device == device &&
                 fixture.spans[i].count >= LEAST_RESULT && fixture.spans[i].start >= since &&
                 fixture.spans[i].end <= last;
    return count;
}

unsigned write_back_early_reads(unsigned device, unsigned beside)
{
    return write_back_early_since(0, device, beside);
}

unsigned long write_back_bytes_read(void)
{
    const unsigned n = cl_spans_read(cl_folder_path("timeline"), fixture.spans, WRITE_BACK_SPANS);
    unsigned long bytes = 0, first = 0;
    for (unsigned i = 0; i < n; i++)
        if (cl_span_is(&fixture.spans[i], "kernel") && (!first || fixture.spans[i].start < first))
            first = fixture.spans[i].start;
    for (unsigned i = 0; i < n; i++)
        bytes += cl_span_is(&fixture.spans[i], "read") && fixture.spans[i].start >= first
                     ? fixture.spans[i].count
                     : 0;
    return bytes;
}
