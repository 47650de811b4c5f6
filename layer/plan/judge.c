/* SPDX-License-Identifier: MIT */
/*
 * Verdicts on launches. See judge.h.
 */
#include "layer/plan/judge.h"
#include "layer/plan/check_rules.h"
#include "layer/memory/image.h"
#include "layer/plan/plan_size.h"
#include "layer/program/kernel_bind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments ---- */

/* What access.h wants to know of an image. */
static struct cx_access_image image_facts(const struct cx_image *image)
{
    const cl_image_desc *desc = &image->desc;
    const bool layers = desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    return (struct cx_access_image){
        .width = desc->image_width,
        .height = desc->image_height ? desc->image_height : 1,
        .depth = desc->image_depth ? desc->image_depth : 1,
        .array_size = desc->image_array_size ? desc->image_array_size : 1,
        .row_pitch = desc->image_row_pitch,
        .slice_pitch = image->step[layers ? 1 : 2],
        .element_size = (uint32_t)image->element,
        .channel_order = image->format.image_channel_order,
        .channel_type = image->format.image_channel_data_type,
    };
}

/* Which memory the argument means: 1 + the first argument that means the same. Programs that make a buffer a
 * launch are so judged once. */
static uint64_t object_of(const struct cx_args *args, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (args->arg[k].kind == CX_ARGS_MEM && args->arg[k].mem &&
            args->arg[k].mem->root == args->arg[i].mem->root)
            return k + 1u;
    return i + 1u;
}

static void describe_args(const struct cx_args *args, struct cx_access_arg *out)
{
    for (unsigned i = 0; i < args->count; i++) {
        const struct cx_arg *arg = &args->arg[i];
        if (arg->kind == CX_ARGS_VALUE) {
            out[i].value = arg->value;
            out[i].size = arg->size;
        } else if (arg->kind == CX_ARGS_MEM && arg->mem) {
            out[i].object = object_of(args, i);
            out[i].base = arg->mem->origin;
            out[i].bytes = arg->mem->size;
            out[i].is_image = arg->mem->image != NULL;
            if (arg->mem->image)
                out[i].image = image_facts(arg->mem->image);
        }
    }
}

struct cx_access_arg *cx_judge_describe(const struct cx_launch *launch)
{
    const unsigned count = launch->request.args->count;
    struct cx_access_arg *out = calloc(count ? count : 1, sizeof(*out));
    if (out)
        describe_args(launch->request.args, out);
    return out;
}

/* ---- verdicts ---- */

/* Looks the launch up among those judged before, newest first. */
static struct cx_cached_verdict *
find_cached(struct cx_kernel_history *history, const struct cx_summary_kernel *summary,
            const struct cx_access_geometry *geometry, const struct cx_access_arg *args, uint64_t hash)
    CX_HOLDS(cx_context_locked)
{
    struct cx_cached_verdict **cached = history->verdicts.cached;
    for (size_t i = 0; i < CX_VERDICTS && cached[i]; i++) {
        struct cx_cached_verdict *judged = cached[i];
        if (judged->hash != hash || !judged->access ||
            !cx_access_matches(judged->access, summary, geometry, args))
            continue;
        memmove(&cached[1], &cached[0], i * sizeof(*cached));
        cached[0] = judged;
        return judged;
    }
    return NULL;
}

/* Whether it may be split first and checked afterwards, where nothing else splits it. */
static void judge_checked(const struct cx_summary_kernel *summary, const struct cx_launch *launch,
                          const struct cx_access_arg *args, struct cx_cached_verdict *judged)
{
    struct cx_access *access;
    struct cx_access_verdict verdict;
    if (cx_access_choose_checked(summary, &launch->request.geometry, args, &access, &verdict)) {
        cx_access_destroy(&judged->access);
        judged->access = access;
        judged->verdict = verdict;
    } else {
        cx_access_destroy(&access);
    }
}

/* skipped: NULL, or set to why the launch is not judged. */
static struct cx_cached_verdict *judge_args(struct cx_kernel_history *history,
                                            const struct cx_summary_kernel *summary,
                                            const struct cx_launch *launch, const struct cx_access_arg *args,
                                            enum cx_judging *skipped) CX_HOLDS(cx_context_locked)
{
    struct cx_kernel_verdicts *verdicts = &history->verdicts;
    uint64_t hash = cx_access_hash(summary, &launch->request.geometry, args);
    struct cx_cached_verdict *judged = find_cached(history, summary, &launch->request.geometry, args, hash);
    if (judged)
        return judged;
    if (skipped && (*skipped = cx_judging_pays(launch, history, hash)) != CX_JUDGING_PAYS)
        return NULL;
    if (!(judged = calloc(1, sizeof(*judged))))
        return NULL;
    const uint64_t since = cx_clock_ns();
    judged->refs = 1;
    judged->hash = hash;
    judged->geometry = launch->request.geometry;
    if (!cx_access_choose(summary, &launch->request.geometry, args, &judged->access, &judged->verdict) &&
        cx_check_counts(summary))
        judge_checked(summary, launch, args, judged);
    verdicts->judged |= skipped != NULL;
    cx_judging_took(history, (double)(cx_clock_ns() - since) * 1e-9);
    cx_cached_verdict_unref(&verdicts->cached[CX_VERDICTS - 1]);
    memmove(&verdicts->cached[1], &verdicts->cached[0], (CX_VERDICTS - 1) * sizeof(*verdicts->cached));
    verdicts->cached[0] = judged;
    return judged;
}

/* Launches of few arguments, which need no memory to describe them. */
enum { FEW_ARGS = 4 };

struct cx_cached_verdict *cx_judge_args(struct cx_kernel_history *history,
                                        const struct cx_summary_kernel *summary,
                                        const struct cx_launch *launch, enum cx_judging *skipped)
{
    struct cx_access_arg few[FEW_ARGS];
    const unsigned count = launch->request.args->count;
    if (count <= FEW_ARGS) {
        memset(few, 0, count * sizeof(*few));
        describe_args(launch->request.args, few);
        return judge_args(history, summary, launch, few, skipped);
    }
    struct cx_access_arg *args = cx_judge_describe(launch);
    struct cx_cached_verdict *judged = args ? judge_args(history, summary, launch, args, skipped) : NULL;
    free(args);
    return judged;
}

struct cx_cached_verdict *cx_judge_launch(struct cx_launch *launch)
{
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, NULL);
    if (!summary ||
        (!launch->request.local_given && !launch->request.geometry.local[0] && !cx_plan_local_size(launch)))
        return NULL;
    struct cx_kernel_history *history =
        cx_kernel_history_of(launch->request.kernel->function, launch->base.context->nmembers);
    return history ? cx_judge_args(history, summary, launch, NULL) : NULL;
}

/* ---- time ---- */

/* What a step of a kernel (cx_access_steps) takes on one CPU core: a guess. PoCL takes 4e-13 (fft) to 5e-11
 * (histogram) for the examples, which vectorises most of them. And in one work-item of a GPU beside as many
 * on each of its units as it has lanes there, or half of them: an H100 takes 6e-10 for an instruction. */
#define STEP_SECONDS     5e-11
#define GPU_STEP_SECONDS 5e-10
enum { GPU_LANES = 64 };

/* How many of the launch's work-items the member runs at the same time. */
static double at_once(const struct cx_launch *launch, unsigned member)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_real_device *device = member < context->nmembers ? context->workers[member].device : NULL;
    if (!device || device->compute_units < 1)
        return 1;
    if (device->type & CL_DEVICE_TYPE_GPU)
        return fmin((double)cx_launch_items(&launch->request.geometry),
                    (double)device->compute_units * GPU_LANES);
    const bool known = launch->request.geometry.local[0] > 0; /* a work-group's size */
    return known ? fmin((double)cx_launch_groups(launch), device->compute_units) : device->compute_units;
}

/* Seconds of so many steps. */
static double longest(const struct cx_launch *launch, double steps, unsigned member)
{
    const struct cx_context *context = launch->base.context;
    const bool gpu = member < context->nmembers && context->workers[member].device->type & CL_DEVICE_TYPE_GPU;
    return steps * (gpu ? GPU_STEP_SECONDS : STEP_SECONDS) / at_once(launch, member);
}

double cx_judge_straight_longest(const struct cx_launch *launch, const struct cx_summary_kernel *summary,
                                 unsigned member)
{
    if (summary->steps == CX_STEPS_UNKNOWN || summary->nloop)
        return INFINITY;
    return longest(launch, summary->steps * (double)cx_launch_items(&launch->request.geometry), member);
}

double cx_judge_longest(const struct cx_launch *launch, const struct cx_cached_verdict *judged,
                        unsigned member)
{
    return longest(launch, cx_access_steps(judged->access), member);
}
