/* SPDX-License-Identifier: MIT */
/*
 * The CUDA Occupancy Calculator's equations. See occupancy.h.
 */
#include "scheduler/occupancy.h"

#include <stddef.h>

enum {
    WARP = 32,           /* work-items */
    REGISTER_UNIT = 256, /* a warp's registers are a multiple of it */
    WARP_UNIT = 4,       /* registers are given to that many warps together: one for each scheduler */
    MOST_REGISTERS = 255 /* of a work-item */
};

static const struct {
    unsigned major, minor;
    struct cx_multiprocessor has;
} known[] = {
    {3, 5, {64, 16, 65536, 49152, 256, 0}},     {3, 7, {64, 16, 131072, 114688, 256, 0}},
    {5, 0, {64, 32, 65536, 65536, 256, 0}},     {5, 2, {64, 32, 65536, 98304, 256, 0}},
    {5, 3, {64, 32, 65536, 65536, 256, 0}},     {6, 0, {64, 32, 65536, 65536, 256, 0}},
    {6, 1, {64, 32, 65536, 98304, 256, 0}},     {6, 2, {64, 32, 65536, 65536, 256, 0}},
    {7, 0, {64, 32, 65536, 98304, 256, 0}},     {7, 5, {32, 16, 65536, 65536, 256, 0}},
    {8, 0, {64, 32, 65536, 167936, 128, 1024}}, {8, 6, {48, 16, 65536, 102400, 128, 1024}},
    {8, 7, {48, 16, 65536, 167936, 128, 1024}}, {8, 9, {48, 24, 65536, 102400, 128, 1024}},
    {9, 0, {64, 32, 65536, 233472, 128, 1024}},
};

bool cx_multiprocessor_find(unsigned major, unsigned minor, struct cx_multiprocessor *multiprocessor)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].major != major || known[i].minor != minor)
            continue;
        *multiprocessor = known[i].has;
        return true;
    }
    return false;
}

static uint64_t rounded_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static unsigned lesser(unsigned a, uint64_t b)
{
    return b < a ? (unsigned)b : a;
}

unsigned cx_occupancy_groups(const struct cx_multiprocessor *multiprocessor, unsigned items,
                             unsigned registers, uint64_t local_bytes)
{
    const unsigned warps = (unsigned)(rounded_up(items, WARP) / WARP);
    if (warps == 0 || registers > MOST_REGISTERS || local_bytes > multiprocessor->local_bytes)
        return 0;
    unsigned groups = lesser(multiprocessor->groups, multiprocessor->warps / warps);
    if (registers > 0) {
        const uint64_t fit =
            multiprocessor->registers / rounded_up((uint64_t)registers * WARP, REGISTER_UNIT);
        groups = lesser(groups, fit / WARP_UNIT * WARP_UNIT / warps);
    }
    const uint64_t local = rounded_up(local_bytes + multiprocessor->reserved, multiprocessor->local_unit);
    return local > 0 ? lesser(groups, multiprocessor->local_bytes / local) : groups;
}

double cx_occupancy(const struct cx_multiprocessor *multiprocessor, unsigned items, unsigned groups)
{
    return (double)groups * (double)(rounded_up(items, WARP) / WARP) / multiprocessor->warps;
}
