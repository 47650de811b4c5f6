/* SPDX-License-Identifier: MIT */
/*
 * The recording's lines about launches. See record_launch.h.
 */
#include "layer/plan/record_launch.h"
#include "layer/base/options.h"
#include "layer/plan/plan.h"
#include "layer/plan/plan_size.h"
#include "layer/program/program.h"
#include "layer/report/recording.h"
#include "layer/source/analysis.h"
#include "layer/plan/judge.h"

#include <inttypes.h>
#include <stdlib.h>

/* access: what judge.h makes of the argument */
static void put_mem(FILE *out, unsigned object, const struct cx_access_arg *access)
{
    const struct cx_access_image *i = &access->image;
    fprintf(out, "{\"object\":%u,\"offset\":%" PRIu64 ",\"bytes\":%" PRIu64, object, access->base,
            access->bytes);
    if (access->is_image)
        fprintf(out,
                ",\"image\":{\"size\":[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "],\"layers\":%" PRIu64
                ",\"pitch\":[%" PRIu64 ",%" PRIu64 "],\"texel\":%" PRIu32 ",\"order\":%" PRIu32
                ",\"type\":%" PRIu32 "}",
                i->width, i->height, i->depth, i->array_size, i->row_pitch, i->slice_pitch, i->element_size,
                i->channel_order, i->channel_type);
    fputc('}', out);
}

static void put_arg(FILE *out, const struct cx_launch *launch, const struct cx_access_arg *access, unsigned i)
{
    const struct cx_arg *arg = &launch->request.args->arg[i];
    const unsigned char *value = arg->value;
    unsigned object = 0;
    switch (arg->kind) {
    case CX_ARGS_VALUE:
        fputs("{\"value\":\"", out);
        for (size_t b = 0; b < arg->size; b++)
            fprintf(out, "%02x", value[b]);
        fputs("\"}", out);
        break;
    case CX_ARGS_LOCAL:
        fprintf(out, "{\"local\":%zu}", arg->size);
        break;
    case CX_ARGS_MEM:
        /* the first argument with the same buffer names it */
        while (arg->mem &&
               (!cx_launch_mem(launch, object) || cx_launch_mem(launch, object)->root != arg->mem->root))
            object++;
        if (arg->mem)
            put_mem(out, object, access);
        else
            fputs("{}", out);
        break;
    case CX_ARGS_UNSET:
    case CX_ARGS_SAMPLER:
    case CX_ARGS_REAL: /* never the program's own */
        fputs("{}", out);
    }
}

/* The one local size that a split would use, or what the program gave; zeros: none suits. */
static void local_size(const struct cx_launch *launch, uint64_t local[3])
{
    struct cx_launch trial = {.base = {.context = launch->base.context},
                              .request.kernel = launch->request.kernel,
                              .request.args = launch->request.args,
                              .request.geometry = launch->request.geometry};
    bool chosen =
        launch->request.local_given || launch->request.geometry.local[0] || cx_plan_local_size(&trial);
    for (unsigned d = 0; d < 3; d++)
        local[d] = chosen ? trial.request.geometry.local[d] : 0;
}

struct decided {
    const struct cx_launch *launch;
    bool split;
};

static void write_launch(FILE *out, const void *of)
{
    const struct cx_launch *launch = ((const struct decided *)of)->launch;
    bool split = ((const struct decided *)of)->split;
    const struct cx_access_geometry *geometry = &launch->request.geometry;
    uint64_t local[3];
    local_size(launch, local);
    fprintf(out, "{\"type\":\"launch\",\"program\":%" PRIu64 ",\"kernel\":",
            launch->request.kernel->program->base.id);
    cx_recording_text(out, launch->request.kernel->function->name);
    fprintf(out, ",\"dims\":%" PRIu32, geometry->work_dim);
    cx_recording_numbers(out, "offset", geometry->offset, geometry->work_dim);
    cx_recording_numbers(out, "global", geometry->global, geometry->work_dim);
    cx_recording_numbers(out, "local", local, geometry->work_dim);
    fprintf(out, ",\"local_given\":%s,\"args\":[", launch->request.local_given ? "true" : "false");
    struct cx_access_arg *access = cx_judge_describe(launch);
    for (unsigned i = 0; access && i < launch->request.args->count; i++) {
        fputs(i ? "," : "", out);
        put_arg(out, launch, &access[i], i);
    }
    free(access);
    fprintf(out, "],\"ran\":\"%s\",\"reason\":", split ? "split" : "whole");
    cx_recording_text(out, cx_launch_why(launch));
    fprintf(out, ",\"line\":%" PRIu32, cx_summary_line_number(launch->decision.line));
    if (launch->decision.other_line)
        fprintf(out, ",\"other_line\":%" PRIu32, cx_summary_line_number(launch->decision.other_line));
    const char *included = launch->decision.summary
                               ? cx_summary_line_file(launch->decision.summary, launch->decision.line)
                               : NULL;
    if (included) {
        fputs(",\"file\":", out);
        cx_recording_text(out, included);
    }
    fputs("}\n", out);
}

/* What its compiler told of a program may be known long after it was built. */
static void write_reported(FILE *out, const void *of)
{
    const struct cx_program *program = ((const struct cx_launch *)of)->request.kernel->program;
    const char *reported = program->analysed.analysis
                               ? cx_analysis_replies(program->analysed.analysis, program->context->fastest)
                               : NULL;
    if (!reported)
        return;
    fprintf(out, "{\"type\":\"told\",\"program\":%" PRIu64 ",\"told\":", program->base.id);
    cx_recording_text(out, reported);
    fputs("}\n", out);
}

void cx_record_launch(const struct cx_launch *launch, bool split)
{
    const struct decided decided = {launch, split};
    if (!*cx_options_get()->record)
        return;
    cx_recording_once(write_reported, launch);
    cx_recording_once(write_launch, &decided);
}
