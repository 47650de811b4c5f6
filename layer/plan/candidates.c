/* SPDX-License-Identifier: MIT */
/*
 * The costs of sharing a launch. See candidates.h.
 */
#include "layer/plan/candidates.h"
#include "layer/plan/check_rules.h"
#include "layer/plan/device_load.h"
#include "layer/plan/judged_package.h"
#include "layer/plan/launch_prepare.h"
#include "layer/plan/merge_cost.h"
#include "layer/plan/plan_size.h"
#include "layer/program/program.h"
#include "scheduler/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Costs of a launch, measured on PoCL and an H200 (docs/benchmarks.md). */
#define CPU_LAUNCH 15e-6
#define GPU_LAUNCH 10e-6
/* estimates, not measured: what a merge or private copies cost besides passes over memory, and how fast those
 * are */
#define AFTERWARDS_SECONDS 30e-6
#define GPU_BYTES_PER_S    2e12 /* of a device's own memory */
#define CPU_BYTES_PER_S    8e9

/* Copies, comparison and combination of what is merged or updated privately, for one member. */
static double cost_afterwards(const struct cx_launch *launch, const struct cx_worker *worker,
                              const struct cx_access_region *whole) CX_HOLDS(cx_context_locked)
{
    const bool gpu = worker->device->type & CL_DEVICE_TYPE_GPU;
    uint64_t merged = cx_launch_bytes_by(launch, CX_PROTOCOL_MERGE, whole);
    uint64_t private_bytes = cx_launch_bytes_by(launch, CX_PROTOCOL_REDUCTION, whole);
    const struct cx_merge_memory *memory = merged ? cx_merge_expect(launch) : NULL;
    double seconds = 0;
    if (merged) /* a copy before, a comparison afterwards; then what the last merge had to put together */
        seconds += AFTERWARDS_SECONDS + 4 * (double)merged / (gpu ? GPU_BYTES_PER_S : CPU_BYTES_PER_S) +
                   cx_plan_move_seconds(2 * (double)(memory ? memory->combined : 0));
    seconds += cx_check_seconds(launch, whole);
    if (private_bytes)
        seconds += AFTERWARDS_SECONDS + cx_plan_move_seconds(2 * (double)private_bytes) +
                   3 * (double)private_bytes / CPU_BYTES_PER_S;
    return seconds;
}

/* The least package reads so much that all of them are taken to read all of it. */
static void add_lacking(const struct cx_mem *mem, const struct cx_access_interval *whole,
                        const struct cx_access_region *package, struct cx_lacking *lacking)
    CX_HOLDS(cx_context_locked)
{
    const bool all = cx_access_read_bytes(package) > (whole->hi - whole->lo) / 2;
    if (whole->lo < whole->hi)
        cx_coherence_lacking(mem->storage->coherence, mem->origin + whole->lo, mem->origin + whole->hi,
                             all ? lacking->fixed : lacking->shared);
}

void cx_candidates_expect(const struct cx_admission_device *device, unsigned n, double *part)
{
    double measured = 0, nominal = 0;
    bool all_measured = true, all_nominal = true;
    for (unsigned i = 0; i < n; i++) {
        part[i] = cx_speed_record_speed(device[i].record);
        all_measured &= part[i] > 0;
        all_nominal &= device[i].nominal_speed > 0;
        measured += part[i];
        nominal += device[i].nominal_speed;
    }
    for (unsigned i = 0; i < n; i++)
        part[i] = all_measured  ? part[i] / measured
                  : all_nominal ? device[i].nominal_speed / nominal
                                : 1.0 / n;
}

/* A device that holds most of what its part reads works there again (split_inputs.h), and only borders move:
 * to count what it lacks of the others' parts would tie shares to what each happens to hold. */
static bool keeps_part(uint64_t bytes, uint64_t lacking, double part)
{
    return (double)(bytes - lacking) >= part * (double)bytes / 2;
}

static double seconds_of(struct cx_plan_bring bring)
{
    return bring.host + bring.others;
}

/* Whether a member has all of what others have in part, so that it ties no member's part of the launch to
 * what that happens to hold. */
static bool one_has_all(const struct cx_context *context, const struct cx_split_plan *plan,
                        const struct cx_mem *root, const uint64_t *lacking)
{
    bool all = false;
    for (unsigned m = 0; m < plan->n && !all; m++)
        all = !lacking[cx_mem_place(root, &context->workers[plan->member[m]])];
    return all;
}

/* A root with places of its own for some members (cx_storage.apart) is counted for each at its own. */
static void transfer_cost(const struct cx_launch *launch, const struct cx_split_plan *plan,
                          const struct cx_access_region *whole, const struct cx_access_region *package,
                          struct cx_candidates *all) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    struct cx_admission_device *device = all->device;
    double *fixed = memset(all->fixed, 0, sizeof(all->fixed)),
           *shared = memset(all->shared, 0, sizeof(all->shared));
    double *astray = memset(all->astray, 0, sizeof(all->astray)), most_astray = 0;
    struct cx_lacking *lacking = &all->lacking;
    double *part = all->part;
    cx_candidates_expect(device, plan->n, part);
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        *lacking = (struct cx_lacking){{0}, {0}};
        if (!mem || cx_launch_is_private(launch, i))
            continue;
        add_lacking(mem, &whole[i].read, &package[i], lacking);
        if (cx_launch_protocol(launch, i) ==
            CX_PROTOCOL_REMOTE) { /* it comes to one place, before all else */
            for (unsigned m = 0; m < plan->n; m++)
                fixed[m] +=
                    cx_plan_upload_seconds(&context->workers[plan->member[m]],
                                           (double)(lacking->fixed[1 + launch->decision.remote_owner] +
                                                    lacking->shared[1 + launch->decision.remote_owner]));
            continue;
        }
        const bool tied = lacking->shared[CX_PLACE_HOST] > (whole[i].read.hi - whole[i].read.lo) / 2 &&
                          !one_has_all(context, plan, mem->root, lacking->shared);
        all->tied += tied ? (double)(whole[i].read.hi - whole[i].read.lo) : 0;
        for (unsigned m = 0; m < plan->n; m++) {
            const struct cx_worker *worker = &context->workers[plan->member[m]];
            const unsigned place = cx_mem_place(mem->root, worker);
            const uint64_t bytes = whole[i].read.hi - whole[i].read.lo;
            fixed[m] += seconds_of(cx_plan_bring(worker, mem->root, lacking->fixed));
            if (!lacking->shared[place])
                continue;
            if (!keeps_part(bytes, lacking->shared[place], part[m]))
                shared[m] += seconds_of(cx_plan_bring(worker, mem->root, lacking->shared));
            else if (tied) {
                astray[m] += cx_plan_exchange_seconds(worker, mem->root, (double)bytes);
                all->owned[m] += (double)(bytes - lacking->shared[place]);
            }
        }
    }
    for (unsigned m = 0; m < plan->n; m++) {
        const struct cx_worker *worker = &context->workers[plan->member[m]];
        device[m].fixed_seconds = device[m].after_seconds = cost_afterwards(launch, worker, whole);
        all->placed[m] = device[m];
        device[m].fixed_seconds += fixed[m];
        device[m].transfer_seconds = shared[m] / (double)plan->groups;
        most_astray = fmax(most_astray, astray[m]);
    }
    all->astray_seconds = most_astray / (double)plan->groups;
}

/* What the member's driver may do once before its part of the launch. Slices of a launch on the fastest
 * member told what that one's did (prefix.c), which is that of others of its platform, too. */
static double first_seconds(const struct cx_launch *launch, struct cx_kernel_history *history,
                            const struct cx_worker *worker, enum cx_variant variant)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_worker *fastest = &launch->base.context->workers[launch->base.context->fastest];
    const double build = (double)launch->request.kernel->program->build.took_ns * 1e-9;
    const double probed = cx_device_load_of(worker)->first_seconds;
    const double before = probed > 0 ? probed : cx_plan_compiles(worker);
    if (!(worker->device->type & CL_DEVICE_TYPE_CPU) ||
        cx_launch_compiled(launch, history, worker->index, variant, false))
        return 0;
    if (history->compiles > 0 && fastest->device->platform == worker->device->platform &&
        fastest->device->type & CL_DEVICE_TYPE_CPU)
        return history->compiles;
    return build > before ? build : before;
}

void cx_candidates_describe(const struct cx_launch *launch, const struct cx_split_plan *plan,
                            struct cx_kernel_history *history, struct cx_candidates *all)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_memory *memory = cx_kernel_history_memory(history, plan->groups);
    const unsigned nargs = launch->request.args->count;
    cx_access_regions_clear(all->few, nargs <= CX_CANDIDATES_FEW ? 2 * (size_t)nargs : 0);
    all->whole = nargs <= CX_CANDIDATES_FEW ? all->few : cx_access_regions_make(2 * (size_t)nargs);
    all->tied = 0;
    for (unsigned i = 0; i < plan->n; i++) {
        const struct cx_real_device *real = context->workers[plan->member[i]].device;
        all->owned[i] = 0;
        bool gpu = real->type & CL_DEVICE_TYPE_GPU;
        all->device[i] = (struct cx_admission_device){
            .nominal_speed = real->nominal_gflops,
            .device_class = (unsigned)real->type,
            .launch_seconds = gpu ? GPU_LAUNCH : CPU_LAUNCH,
            .first_seconds =
                first_seconds(launch, history, &context->workers[plan->member[i]], plan->variant[i]),
            .min_package = cx_plan_min_package(context, plan->member[i]),
            .fill = cx_plan_fill(real, &launch->request.geometry),
            .moves_part = memory ? memory->cost_model.device[plan->member[i]].moves : 0,
            .record = &history->records[plan->member[i]],
        };
        all->member[i] = (struct cx_admission_member){0};
    }
    if (!all->whole)
        return;
    cx_judged_whole(plan->judged, nargs, all->whole);
    cx_judged_package(plan->judged, 0, plan->judged->verdict.granularity, nargs, all->whole + nargs);
    transfer_cost(launch, plan, all->whole, all->whole + nargs, all);
}
