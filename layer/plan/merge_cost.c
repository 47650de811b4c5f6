/* SPDX-License-Identifier: MIT */
/*
 * The costs of merging. See merge_cost.h.
 */
#include "layer/plan/merge_cost.h"

bool cx_merge_needless(const struct cx_context *context, const unsigned *member, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (context->workers[member[i]].place != CX_PLACE_HOST)
            return false;
    return true;
}

static uint64_t shape_of(const struct cx_launch *launch)
{
    uint64_t hash = launch->request.geometry.work_dim;
    for (unsigned d = 0; d < 3; d++) {
        hash = (hash ^ launch->request.geometry.global[d]) * UINT64_C(0x9e3779b97f4a7c15);
        hash = (hash ^ hash >> 29 ^ launch->request.geometry.local[d]) * UINT64_C(0x9e3779b97f4a7c15);
    }
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        hash = (hash ^ hash >> 29 ^ (mem ? mem->size : i)) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return hash | 1;
}

static struct cx_merge_memory *memory_of(const struct cx_launch *launch, uint64_t shape)
{
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    return history ? &history->shapes.merges[(shape >> 32) % CX_MERGE_MEMORIES] : NULL;
}

struct cx_merge_memory *cx_merge_expect(const struct cx_launch *launch)
{
    uint64_t shape = shape_of(launch);
    struct cx_merge_memory *memory = memory_of(launch, shape);
    return memory && memory->shape == shape ? memory : NULL;
}

void cx_merge_learn(const struct cx_launch *launch, uint64_t changed, uint64_t combined, unsigned runs)
{
    const uint64_t shape = shape_of(launch);
    struct cx_merge_memory *memory = memory_of(launch, shape);
    if (memory)
        *memory = (struct cx_merge_memory){shape, changed, combined, runs};
}
