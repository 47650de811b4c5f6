/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: access summaries. The blob gets a right header; what is read is written and read again to the
 * same bytes, and its kernels are judged for some launches: regions stay inside the arguments.
 */
#include "layer/access/access.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { HEADER = 24, BYTES = 4096, MOST_ARGS = 64, MOST_NODES = 500, MOST_ACCESSES = 60 };

static void put(unsigned char *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

/* Magic, version, size and checksum (FNV-1a), as summary_blob.c has them. */
static void seal(unsigned char *blob, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = HEADER; i < size; i++)
        hash = (hash ^ blob[i]) * 0x100000001b3u;
    put(blob, 0x4d535843u, 4);
    put(blob + 4, CX_SUMMARY_VERSION, 4);
    put(blob + 8, size - HEADER, 8);
    put(blob + 16, hash, 8);
}

static void expect(bool condition)
{
    if (!condition)
        abort();
}

static void check_region(const struct cx_access_region *region)
{
    expect(region->read.lo <= region->read.hi && region->read.hi <= BYTES);
    expect(region->write.lo <= region->write.hi && region->write.hi <= BYTES);
    expect(region->nread <= CX_ACCESS_BOXES && region->nwrite <= CX_ACCESS_BOXES);
}

static void judge(const struct cx_summary_kernel *kernel, const struct cx_access_geometry *geometry)
{
    static const unsigned char value[64] = {7, 0, 0, 0, 1, 2, 3, 4, 250, 255, 255, 255};
    struct cx_access_arg args[MOST_ARGS] = {{0}};
    struct cx_access_region regions[MOST_ARGS];
    struct cx_access_verdict verdict;
    struct cx_access *access = NULL;

    for (uint32_t i = 0; i < kernel->narg; i++) {
        args[i] = (struct cx_access_arg){.value = value, .size = sizeof(value)};
        if (kernel->arg[i].kind != CX_ARG_VALUE)
            args[i] = (struct cx_access_arg){.object = 1 + i / 2, .bytes = BYTES};
    }
    bool splits = cx_access_choose(kernel, geometry, args, &access, &verdict);
    expect(!splits || (access && verdict.dim < 3 && verdict.granularity >= 1));
    if (access) {
        cx_access_whole(access, regions);
        for (uint32_t i = 0; i < kernel->narg; i++)
            check_region(&regions[i]);
    }
    if (splits) {
        for (uint64_t g = 0, n = 0; g < verdict.groups && n < 4; g += verdict.granularity, n++) {
            uint64_t end = g + verdict.granularity;
            cx_access_package(access, g, end < verdict.groups ? end : verdict.groups, regions);
            for (uint32_t i = 0; i < kernel->narg; i++)
                check_region(&regions[i]);
        }
    }
    cx_access_destroy(&access);
}

static void judge_all(const struct cx_summary *summary)
{
    static const struct cx_access_geometry launches[] = {
        {.work_dim = 1, .global = {256}, .local = {16}},
        {.work_dim = 2, .offset = {3, 5}, .global = {33, 20}, .local = {8, 4}},
        {.work_dim = 3, .global = {8, 8, 8}, .local = {4, 2, 2}},
    };
    for (uint32_t k = 0; k < summary->nkernel && k < 4; k++) {
        const struct cx_summary_kernel *kernel = &summary->kernel[k];
        if (kernel->narg > MOST_ARGS || kernel->nexpr > MOST_NODES || kernel->naccess > MOST_ACCESSES)
            continue;
        for (unsigned i = 0; i < sizeof(launches) / sizeof(*launches); i++)
            judge(kernel, &launches[i]);
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct cx_summary *summary = NULL, *again = NULL;
    void *blob = NULL, *second = NULL;
    size_t blob_size = 0, second_size = 0;

    cx_summary_parse(data, size, &summary);
    cx_summary_destroy(&summary);
    if (size < HEADER)
        return 0;
    unsigned char *copy = malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    seal(copy, size);
    if (cx_summary_parse(copy, size, &summary) == CX_SUMMARY_OK) {
        /* numbers may have been written longer than need be: the second writing is the fixed point */
        expect(cx_summary_serialise(summary, &blob, &blob_size) == CX_SUMMARY_OK);
        expect(cx_summary_parse(blob, blob_size, &again) == CX_SUMMARY_OK);
        expect(cx_summary_serialise(again, &second, &second_size) == CX_SUMMARY_OK);
        expect(blob_size == second_size && !memcmp(blob, second, blob_size));
        judge_all(summary);
        free(blob);
        free(second);
        cx_summary_destroy(&again);
        cx_summary_destroy(&summary);
    }
    free(copy);
    return 0;
}
