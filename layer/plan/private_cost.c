/* SPDX-License-Identifier: MIT */
/*
 * What private copies cost. See private_cost.h.
 */
#include "layer/plan/private_cost.h"

bool cx_private_covers(const struct cx_launch *launch, unsigned arg, const struct cx_access_region *whole)
{
    return launch->ways && launch->ways[arg] == CX_WAY_PRIVATE && cx_launch_mem(launch, arg) &&
           whole[arg].write.lo < whole[arg].write.hi;
}

uint64_t cx_private_bytes(const struct cx_launch *launch, const struct cx_access_region *whole)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < launch->args->count; i++)
        if (cx_private_covers(launch, i, whole))
            bytes += whole[i].write.hi - whole[i].write.lo;
    return bytes;
}
