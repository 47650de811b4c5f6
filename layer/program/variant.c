/* SPDX-License-Identifier: MIT */
/*
 * Split variants of a program: its text between prelude and check (subrange.h), built for every member in the
 * background.
 *
 * Each build holds a reference on the program, so a program may be released meanwhile; nothing waits for it.
 * Previous stage: the planner sees that a kernel needs one. Next: kernel_bind.c makes real kernels of it.
 */
#include "layer/source/analysis.h"
#include "layer/base/exit_guard.h"
#include "layer/base/disk_cache.h"
#include "layer/timeline/command.h"
#include "layer/base/deadline.h"
#include "layer/base/task_queue.h"
#include "layer/base/log.h"
#include "layer/source/subrange.h"
#include "layer/program/compile_record.h"
#include "layer/program/program.h"
#include "layer/base/text.h"
#include "layer/report/trace.h"
#include "layer/program/trace_build.h"
#include "layer/program/build.h"
#include "layer/program/program_binary.h"
#include "layer/program/variant.h"
#include "layer/timeline/trace_command.h"
#include "layer/source/vendor_options.h"
#include "layer/timeline/worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As long as the analyser may take at most, about. */
enum { TEXT_WAIT_MS = 60000 };

struct job {
    struct cx_program *program; /* a reference */
    const char *options;        /* the program's; a new build does not free them before we are done */
    unsigned member;
    enum cx_variant variant;
};

/* A program from a binary whose text includes files: they may have changed since. Whether text and files
 * still give what the binary's access summary is about. Asks the analyser, some tens of milliseconds. */
static bool text_is_as_before(const struct job *job)
{
    const struct cx_program *program = job->program;
    struct cx_no_summary none = {.reason = CX_NO_SUMMARY_BINARY};
    const struct cx_analysis_blob before = program->analysed.analysis
                                               ? cx_analysis_blob(program->analysed.analysis, job->member)
                                               : (struct cx_analysis_blob){0};
    struct cx_analysis *now =
        before.text
            ? cx_analysis_start(&program->context->members, program->context->fastest, program->origin.source,
                                job->options, cx_trace_analyses(program->context), &none)
            : NULL;
    const char *why = now ? NULL : cx_no_summary_text(&none);

    if (now) {
        const bool ended = cx_analysis_wait(now, TEXT_WAIT_MS);
        const struct cx_analysis_blob blob = cx_analysis_blob(now, job->member);
        const bool same = blob.text && !memcmp(blob.text, before.text, CX_DISK_CACHE_TEXT_SIZE);
        why = same ? NULL : ended ? "a file that it includes is not as it was" : "the analysis does not end";
    }
    cx_analysis_release(&now);
    if (why)
        cx_info(CX_TOPIC_PROGRAM, "program %" PRIu64 ", from a binary, gets no split variant: %s",
                program->base.id, why);
    return !why;
}

/* The program's options for the member but those for debuggers, and -w: some drivers tell of warnings on
 * stderr, and those of the text the program's own build has told. With -Werror there are none in a text that
 * was built, and the word stays the program's. NULL: no memory. */
static char *variant_options(const struct cx_program *program, unsigned member, const char *options)
{
    char *own = cx_vendor_options(&program->context->members, member, options ? options : "");
    char *quiet = NULL;
    if (own)
        cx_vendor_options_drop_debug(own);
    if (!own || strstr(own, "-Werror"))
        return own;
    if (asprintf(&quiet, "-w %s", own) < 0)
        quiet = NULL;
    free(own);
    return quiet;
}

/* Why the text cannot stand behind a prelude, whatever files it includes; NULL: it can. The check at its end
 * sees what the prelude's names mean there: macros that were put aside meanwhile would hide from it. */
static const char *text_resists(const char *own)
{
    char *text = cx_text_joined(own);
    const bool hides = !text || strstr(text, "pop_macro");
    free(text);
    return hides ? "it puts macros aside (pop_macro)" : NULL;
}

/* NULL: the files that it includes are as they were. */
static const char *moved_by_now(const struct job *job)
{
    const enum cx_files_moved moved = cx_build_files_moved(job->program, job->options);
    return moved == CX_FILES_SAME ? NULL : cx_analysis_moved_text(moved);
}

/* Makes and builds the real program; NULL when the driver refuses it. */
static cl_program build_variant(const struct job *job)
{
    const struct cx_program *program = job->program;
    if (program->origin.stored && !cx_program_binary_has_text(program->origin.stored) &&
        !text_is_as_before(job))
        return NULL;
    const struct cx_real_device *device = program->context->workers[job->member].device;
    const char *own = program->build.text ? program->build.text : program->origin.source;
    const char *why = text_resists(own);
    if (!why)
        why = moved_by_now(job);
    const char *text[] = {cx_subrange_text(job->variant), own, cx_subrange_check(job->variant)};
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    char *options = variant_options(program, job->member, job->options);

    cl_program real = options && !why ? cx_build_source(program, job->member, 3, text, &error) : NULL;
    const uint64_t since = cx_clock_ns();
    if (real)
        error = device->cl->clBuildProgram(real, 1, &device->id, options, NULL, NULL);
    if (real && error == CL_SUCCESS)
        cx_compile_record_built(program, job->options, job->member, job->variant, cx_clock_ns() - since);
    if (why || (why = moved_by_now(job))) /* before, or while it was built */
        error = CL_BUILD_PROGRAM_FAILURE;
    cx_trace_build(program, job->member, "build split variant", "source", options, error, since);
    free(options);
    if (error == CL_SUCCESS)
        return real;
    cx_info(CX_TOPIC_PROGRAM, "program %" PRIu64 ": no split variant on %s: %s", program->base.id,
            device->name, why ? why : cx_cl_name(error));
    if (real && !why && cx_log_on(CX_LEVEL_DEBUG, CX_TOPIC_PROGRAM)) {
        char *log = cx_build_log(program, job->member, real);
        cx_debug(CX_TOPIC_PROGRAM, "%s", log ? log : "(no log)");
        free(log);
    }
    if (real)
        device->cl->clReleaseProgram(real);
    return NULL;
}

static void settle(struct cx_program *program, unsigned member, enum cx_variant variant, cl_program real)
{
    struct cx_program_member *state = &program->members[member];

    cx_lock(&program->lock);
    state->real[variant] = real;
    atomic_store_explicit(&state->state[variant], real ? CX_BUILD_READY : CX_BUILD_FAILED,
                          memory_order_release);
    pthread_cond_broadcast(&program->changed);
    cx_unlock(&program->lock);
}

static void run_job(void *data)
{
    struct job *job = data;

    cl_program real = NULL;
    if (cx_exit_guard_enter()) {
        real = build_variant(job);
        cx_exit_guard_leave();
    }
    settle(job->program, job->member, job->variant, real);
    cx_context_progressed(job->program->context);
    cx_program_unref(&job->program);
    free(job);
}

static void start_job(struct cx_program *program, unsigned member, enum cx_variant variant)
{
    struct job *job = malloc(sizeof(*job));
    if (job) {
        *job = (struct job){.program = cx_program_ref(program),
                            .options =
                                program->build.text ? program->build.text_options : program->build.options,
                            .member = member,
                            .variant = variant};
        if (cx_task_queue_run(CX_TASKS_BUILDS, run_job, job, &program->members[member].state[variant]))
            return;
        cx_program_unref(&job->program);
        free(job);
    }
    settle(program, member, variant, NULL);
}

void cx_program_variant_want(struct cx_program *program, enum cx_variant variant)
{
    const bool can = (program->origin.source || program->build.text) &&
                     program->build.binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    for (unsigned m = 0; m < program->context->nmembers; m++) {
        unsigned none = CX_BUILD_NONE;
        if (cx_program_runs_on(program, m) &&
            atomic_compare_exchange_strong(&program->members[m].state[variant], &none,
                                           can ? CX_BUILD_RUNNING : CX_BUILD_FAILED) &&
            can)
            start_job(program, m, variant);
    }
}

static bool any_running(const struct cx_program *program, enum cx_variant variant)
{
    for (unsigned m = 0; m < program->context->nmembers; m++)
        if (atomic_load_explicit(&program->members[m].state[variant], memory_order_acquire) ==
            CX_BUILD_RUNNING)
            return true;
    return false;
}

bool cx_program_variant_wait(struct cx_program *program, enum cx_variant variant, unsigned ms)
{
    const struct timespec until = cx_deadline(ms);
    for (unsigned m = 0; ms && m < program->context->nmembers; m++)
        cx_task_queue_hurry(&program->members[m].state[variant]);
    cx_lock(&program->lock);
    bool running;
    while ((running = any_running(program, variant)))
        if (!ms || !cx_lock_wait_until(&program->changed, &program->lock, &until))
            break;
    cx_unlock(&program->lock);
    return !running;
}

unsigned cx_program_variant_text(const struct cx_program *program, enum cx_variant variant,
                                 const char *text[3])
{
    if (!program->origin.source || program->build.text || program->origin.stored)
        return 0;
    if (variant == CX_VARIANT_PLAIN) {
        text[0] = program->origin.source;
        return 1;
    }
    text[0] = cx_subrange_text(variant);
    text[1] = program->origin.source;
    text[2] = cx_subrange_check(variant);
    return 3;
}

char *cx_program_variant_options(const struct cx_program *program, unsigned member, enum cx_variant variant)
{
    return variant == CX_VARIANT_PLAIN ? cx_program_driver_options(program, member, program->build.options)
                                       : variant_options(program, member, program->build.options);
}
