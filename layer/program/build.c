/* SPDX-License-Identifier: MIT */
/*
 * Builds: the same step of work on every member at the same time, or on the first one alone where the others
 * may do it later (build_deferred.c), with the analysis beside it.
 *
 * A build owns the program's results while program->building is set; nobody else looks at them then.
 * clBuildProgram is here; clCompileProgram and clLinkProgram (link.c) give other steps to the same machinery.
 * Previous stage: program.c. Next: analysis.c, kernel.c.
 */
#include "layer/driver/account.h"
#include "layer/source/analysis.h"
#include "layer/base/exit_guard.h"
#include "layer/timeline/command.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/source/macro_identity.h"
#include "layer/base/task_queue.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/base/split_policy.h"
#include "layer/program/compile_record.h"
#include "layer/program/program.h"
#include "layer/program/record_program.h"
#include "layer/base/text.h"
#include "layer/base/thread.h"
#include "layer/source/vendor_options.h"
#include "layer/timeline/worker.h"
#include "layer/report/trace.h"
#include "layer/program/trace_build.h"
#include "layer/program/build.h"
#include "layer/program/build_deferred.h"
#include "layer/program/program_binary.h"
#include "layer/program/program_il.h"
#include "layer/program/program_unit.h"
#include "layer/program/variant.h"
#include "layer/timeline/trace_command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One member's part of a build. */
struct part {
    struct cx_build *build;
    unsigned member;
    bool threaded;
    pthread_t thread;
};

cl_program cx_build_source(const struct cx_program *program, unsigned member, cl_uint count,
                           const char **text, cl_int *error)
{
    const struct cx_worker *worker = &program->context->workers[member];
    return worker->device->cl->clCreateProgramWithSource(worker->real_context, count, text, NULL, error);
}

char *cx_build_log(const struct cx_program *program, unsigned member, cl_program real)
{
    const struct cx_real_device *device = program->context->workers[member].device;
    size_t size = 0;

    if (device->cl->clGetProgramBuildInfo(real, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) || size < 2)
        return NULL;
    char *log = calloc(1, size + 1);
    if (log && device->cl->clGetProgramBuildInfo(real, device->id, CL_PROGRAM_BUILD_LOG, size, log, NULL))
        *log = 0;
    if (log && log[strspn(log, " \t\r\n")] == 0) {
        free(log);
        log = NULL;
    }
    return log;
}

static const char *name_of(const struct cx_build *build)
{
    return build->ninputs && !build->names                           ? "link"
           : build->binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE ? "build"
                                                                     : "compile";
}

static const char *origin_of(const struct cx_program *program)
{
    return program->origin.stored     ? "binary"
           : program->origin.il       ? "intermediate language"
           : program->origin.builtins ? "built-in kernels"
           : program->origin.source   ? "source"
                                      : "objects";
}

/* Notes what came of a member's build. */
static bool settle_member(struct cx_program *program, unsigned m, cl_int error, cl_program real)
{
    struct cx_program_member *member = &program->members[m];
    const bool ok = error == CL_SUCCESS && real;

    member->error = error;
    if (real)
        member->log = cx_build_log(program, m, real);
    member->real[CX_VARIANT_PLAIN] = real;
    atomic_store_explicit(&member->state[CX_VARIANT_PLAIN], ok ? CX_BUILD_READY : CX_BUILD_FAILED,
                          memory_order_release);
    return ok;
}

static bool has_ended(const struct cx_program *program, unsigned m)
{
    return atomic_load_explicit(&program->members[m].state[CX_VARIANT_PLAIN], memory_order_acquire) !=
           CX_BUILD_NONE;
}

static bool build_one(struct cx_build *build, unsigned m)
{
    struct cx_program *program = build->program;
    const uint64_t since = cx_trace_on() ? cx_clock_ns() : 0;
    cl_program real = NULL;
    const cl_int error = build->step(build, m, &real);

    cx_trace_build(program, m, name_of(build), origin_of(program), program->build.options, error, since);
    program->members[m].log_shown = true;
    return settle_member(program, m, error, real);
}

static void *build_part(void *data)
{
    const struct part *part = data;

    build_one(part->build, part->member);
    return NULL;
}

/* Runs the step for all open members that have not run it, or for `first` alone where that is one: each on a
 * thread of its own but for the last. */
static void build_parts(struct cx_build *build, struct part *parts, unsigned first)
{
    const struct cx_context *context = build->program->context;
    unsigned n = 0;

    for (unsigned m = 0; m < context->nmembers; m++)
        if (build->program->unit.reach >> m & 1 && !has_ended(build->program, m) &&
            cx_worker_is_open(&context->workers[m]) && (m == first || first == context->nmembers))
            parts[n++] = (struct part){.build = build, .member = m};
    for (unsigned i = 0; i + 1 < n; i++)
        parts[i].threaded = cx_thread_start(&parts[i].thread, build_part, &parts[i]);
    for (unsigned i = 0; i < n; i++)
        if (!parts[i].threaded)
            build_part(&parts[i]);
    for (unsigned i = 0; i < n; i++)
        if (parts[i].threaded)
            pthread_join(parts[i].thread, NULL);
}

/* The first member at or after the k-th in order of preference that the unit's devices have; the number of
 * members: none. */
static unsigned next_reached(const struct cx_program *program, unsigned k)
{
    while (k < program->context->nmembers && !(program->unit.reach >> cx_program_member_at(program, k) & 1))
        k++;
    return k;
}

/* Whether the k-th member is open and takes part. */
static bool is_ready(const struct cx_program *program, unsigned k)
{
    const struct cx_worker *worker = &program->context->workers[cx_program_member_at(program, k)];
    return cx_worker_is_open(worker) && !atomic_load(&worker->left_out);
}

/* Whether a member that the program is built for has built it. */
static bool any_built(const struct cx_program *program)
{
    for (unsigned m = 0; m < program->context->nmembers; m++)
        if (program->unit.reach >> m & 1 && cx_program_runs_on(program, m))
            return true;
    return false;
}

/* Whether a member of that kind has refused the program. */
static bool has_refused(const struct cx_program *program, unsigned kind)
{
    for (unsigned m = 0; m < program->context->nmembers; m++)
        if (program->context->workers[m].kind == kind && has_ended(program, m))
            return true;
    return false;
}

/* Opens one more of the program's members, of a kind that was not asked yet, in their order. False: there is
 * none. */
static bool open_next(const struct cx_program *program)
{
    for (unsigned k = 0; k < program->context->nmembers; k++) {
        const unsigned m = cx_program_member_at(program, k);
        struct cx_worker *worker = &program->context->workers[m];
        if (program->unit.reach >> m & 1 && !cx_worker_is_open(worker) &&
            !has_refused(program, worker->kind) && cx_worker_ensure(worker) == CL_SUCCESS)
            return true;
    }
    return false;
}

/* Builds that cannot be left for later are of all members of their devices, open or not: which of those are
 * compiled for, linked or given the program is settled now. Other builds open a member where none that is
 * open builds the program. */
static void build_all(struct cx_build *build, struct part *parts)
{
    struct cx_context *context = build->program->context;
    const unsigned all = context->nmembers;

    for (unsigned m = 0; m < all && !build->may_be_deferred; m++)
        if (build->program->unit.reach >> m & 1)
            (void)cx_worker_ensure(&context->workers[m]);
    do {
        build_parts(build, parts, all);
    } while (!any_built(build->program) && open_next(build->program));
}

/* Whether the member that whole launches run on has built it, so that the others may do it later
 * (build_deferred.c): PoCL and NVIDIA's driver compile one program at a time, also for devices just like it,
 * which then find it in the driver's cache. Several devices must each know whether they have the program. */
static bool build_first(struct cx_build *build, struct part *parts)
{
    const struct cx_program *program = build->program;
    const unsigned end = program->context->nmembers;
    unsigned k = next_reached(program, 0);

    if (!build->may_be_deferred || program->unit.ndevices > 1 ||
        !(program->unit.reach & (program->unit.reach - 1)) || cx_options_get()->build != CX_OPTION_BUILD_LAZY)
        return false;
    while (next_reached(program, k + 1) < end && !is_ready(program, k))
        k = next_reached(program, k + 1);
    const unsigned first = cx_program_member_at(program, k);
    build_parts(build, parts, first);
    return cx_program_runs_on(program, first);
}

static void tell_failure(const struct cx_program *program, unsigned m)
{
    cx_warn(CX_TOPIC_PROGRAM, "program %" PRIu64 ": %s is left out, its compiler failed with %s",
            program->base.id, program->context->workers[m].device->name,
            cx_cl_name(program->members[m].error));
}

/* CL_SUCCESS when a member built, else the error of the most preferred one. Tells which members are left out.
 */
static cl_int judge(const struct cx_build *build)
{
    const struct cx_program *program = build->program;
    cl_int error = CL_SUCCESS;
    bool any = false;

    for (unsigned k = 0; k < program->context->nmembers; k++) {
        unsigned member = cx_program_member_at(program, k);
        if (cx_program_runs_on(program, member))
            any = true;
        else if (error == CL_SUCCESS)
            error = program->members[member].error;
    }
    if (!any)
        return error == CL_SUCCESS ? build->failure : error;
    for (unsigned m = 0; m < program->context->nmembers; m++)
        if (has_ended(program, m) && !cx_program_runs_on(program, m))
            tell_failure(program, m);
    return CL_SUCCESS;
}

/* The error of the first device that none of its members built; CL_SUCCESS: there is none such. */
static cl_int judge_devices(const struct cx_build *build)
{
    const struct cx_program *program = build->program;

    for (unsigned d = 0; d < program->unit.ndevices; d++) {
        cl_int error = CL_SUCCESS;
        bool any = !program->unit.device_members[d];
        for (unsigned k = 0; k < program->context->nmembers && !any; k++) {
            const unsigned m = cx_program_member_at(program, k);
            if (!(program->unit.device_members[d] >> m & 1))
                continue;
            any = cx_program_runs_on(program, m);
            if (error == CL_SUCCESS)
                error = program->members[m].error;
        }
        if (!any)
            return error == CL_SUCCESS ? build->failure : error;
    }
    return CL_SUCCESS;
}

/* A variant of the last build may still be under way; its members' fields are not ours before it ends. */
static void wait_for_variants(struct cx_program *program)
{
    for (unsigned v = CX_VARIANT_PLAIN + 1; v < CX_VARIANT_COUNT; v++)
        cx_program_variant_wait(program, (enum cx_variant)v, ~0u);
}

static void look_for_assembly(struct cx_program *program)
{
    const char *text = program->build.text ? program->build.text : program->origin.source;

    program->analysed.assembles = text && cx_text_assembles(text);
    program->analysed.may_assemble =
        !text || program->analysed.assembles || cx_macro_identity_includes(text, program->build.options);
}

static struct cx_analysis *start_analysis(struct cx_program *program)
{
    if (!cx_context_shares(program->context)) {
        program->analysed.why_not.reason = CX_NO_SUMMARY_ONE_DEVICE;
        return NULL;
    }
    if (program->origin.stored && !cx_program_binary_has_text(program->origin.stored))
        return cx_program_binary_analysis(program, &program->analysed.why_not);
    if (program->build.text)
        return cx_analysis_start(&program->context->members, program->context->fastest, program->build.text,
                                 program->build.text_options, cx_trace_analyses(program->context),
                                 &program->analysed.why_not);
    if (!program->origin.source) {
        program->analysed.why_not.reason = CX_NO_SUMMARY_IL;
        return NULL;
    }
    return cx_analysis_start(&program->context->members, program->context->fastest, program->origin.source,
                             program->build.options, cx_trace_analyses(program->context),
                             &program->analysed.why_not);
}

/* A unit's whole build, from the caller's thread or in the background. */
static cl_int execute(struct cx_build *build)
{
    struct cx_program *program = build->program;
    struct part *parts = calloc(program->context->nmembers, sizeof(*parts));
    cl_int error = CL_OUT_OF_HOST_MEMORY, failed = CL_SUCCESS;

    bool deferred = false;
    uint64_t since = cx_clock_ns(), delayed;
    cx_build_deferred_end(program); /* may want variants */
    wait_for_variants(program);
    delayed = cx_clock_ns() - since;
    cx_program_clear(program);
    program->build.text = build->text;
    program->build.text_options = build->text_options;
    build->text = build->text_options = NULL;
    look_for_assembly(program);
    if (parts) {
        program->analysed.why_not.reason =
            program->origin.builtins ? CX_NO_SUMMARY_BUILTINS : CX_NO_SUMMARY_LINKED;
        since = cx_clock_ns();
        if (build->analyse)
            program->analysed.analysis = start_analysis(program);
        delayed += cx_clock_ns() - since;
        since = cx_clock_ns();
        const uint64_t begun = cx_task_queue_build_begin();
        deferred = build_first(build, parts);
        if (!deferred)
            build_all(build, parts);
        delayed += cx_task_queue_build_end(begun);
        program->build.took_ns = cx_clock_ns() - since;
        error = judge(build);
        if (error == CL_SUCCESS && build->binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
            error = cx_program_list_functions(program);
        if (error != CL_SUCCESS)
            cx_analysis_release(&program->analysed.analysis);
        else if (build->analyse)
            cx_record_program(program);
        free(parts);
    }

    cx_account_delayed(program->context->account, (double)delayed * 1e-9);
    if (error == CL_SUCCESS)
        failed = judge_devices(build);
    cx_lock(&program->lock);
    if (error == CL_SUCCESS)
        program->build.binary_type = build->binary_type;
    program->build.status = error == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    program->build.running = false;
    if (deferred && error == CL_SUCCESS)
        cx_build_deferred_leave(program);
    pthread_cond_broadcast(&program->changed);
    cx_unlock(&program->lock);
    if (cx_split_policy_wants_all())
        cx_build_deferred_want(program);
    else if (deferred)
        cx_exit_guard_prepare(); /* a launch may want the others */
    return error == CL_SUCCESS ? failed : error;
}

static struct cx_build *build_new(struct cx_program *unit, const char *options)
{
    struct cx_build *build = calloc(1, sizeof(*build));
    const char *own = unit->origin.stored ? cx_program_binary_options(unit->origin.stored) : NULL,
               *given = own ? own : options;
    char *copy = strdup(given ? given : "");
    if (!build || !copy) {
        free(build);
        free(copy);
        return NULL;
    }
    build->program = cx_program_ref(unit);
    build->options = copy;
    build->failure = CL_BUILD_PROGRAM_FAILURE;
    return build;
}

static void build_destroy(struct cx_build *build)
{
    for (unsigned i = 0; i < build->ninputs; i++) {
        if (build->names) {
            free(build->names[i]);
        } else {
            cx_lock(&build->inputs[i]->lock);
            build->inputs[i]->build.nattached--;
            cx_unlock(&build->inputs[i]->lock);
        }
        cx_program_unref(&build->inputs[i]);
    }
    free(build->names);
    free(build->inputs);
    free(build->text);
    free(build->text_options);
    free(build->options);
    cx_program_unref(&build->program);
    free(build);
}

struct cx_builds *cx_builds_new(struct cx_program *program, cx_program_notify notify, void *notify_data)
{
    struct cx_builds *builds = calloc(1, sizeof(*builds));
    struct cx_build **build = calloc(program->division.ndevices, sizeof(*build));
    if (!builds || !build) {
        free(builds);
        free(build);
        return NULL;
    }
    *builds = (struct cx_builds){
        .program = cx_program_ref(program), .build = build, .notify = notify, .notify_data = notify_data};
    return builds;
}

void cx_builds_destroy(struct cx_builds **builds)
{
    struct cx_builds *old = *builds;

    *builds = NULL;
    if (!old)
        return;
    for (unsigned i = 0; i < old->count; i++) {
        cx_program_unclaim(old->build[i]->program);
        build_destroy(old->build[i]);
    }
    free(old->build);
    cx_program_unref(&old->program);
    free(old);
}

cl_int cx_builds_add(struct cx_builds *builds, cl_uint ndevices, const cl_device_id *devices,
                     const char *options)
{
    struct cx_program **units = calloc(builds->program->division.ndevices, sizeof(cl_program));
    unsigned count = 0;
    cl_int error = CL_OUT_OF_HOST_MEMORY;

    if (units)
        error = cx_program_claim(builds->program, ndevices, devices, units, &count);
    for (unsigned i = 0; i < count; i++) {
        struct cx_build *build = error == CL_SUCCESS ? build_new(units[i], options) : NULL;
        if (build) {
            builds->build[builds->count++] = build;
        } else {
            cx_program_unclaim(units[i]);
            error = CL_OUT_OF_HOST_MEMORY;
        }
        cx_program_unref(&units[i]);
    }
    free(units);
    return error;
}

/* inside: entered (exit_guard.h); what the program's own function does is not to be waited for. */
static cl_int execute_all(struct cx_builds *builds, bool inside)
{
    cl_int error = CL_SUCCESS;

    for (unsigned i = 0; i < builds->count; i++) {
        cl_int failed = execute(builds->build[i]);
        if (error == CL_SUCCESS)
            error = failed;
        build_destroy(builds->build[i]);
    }
    builds->count = 0;
    if (inside)
        cx_exit_guard_leave();
    cx_lock_none_held("clBuildProgram");
    if (builds->notify)
        builds->notify((cl_program)builds->program, builds->notify_data);
    cx_builds_destroy(&builds);
    return error;
}

static void execute_task(void *data)
{
    execute_all(data, true);
}

cl_int cx_builds_run(struct cx_builds **builds)
{
    struct cx_builds *own = *builds;

    *builds = NULL;
    for (unsigned i = 0; i < own->count; i++) {
        struct cx_build *build = own->build[i];
        struct cx_program *program = build->program;
        cx_lock(&program->lock);
        char *options = program->build.options;
        program->build.status = CL_BUILD_IN_PROGRESS;
        program->build.options = build->options;
        build->options = options;
        cx_unlock(&program->lock);
    }
    if (own->notify && cx_exit_guard_run_inside(execute_task, own))
        return CL_SUCCESS;
    return execute_all(own, false);
}

cl_int cx_build_check(const struct cx_context *context, const struct cx_program *program, cl_uint ndevices,
                      const cl_device_id *devices, cx_program_notify notify, const void *data,
                      const char **reason)
{
    if ((ndevices == 0) != !devices) {
        *reason = "device list and number of devices do not fit each other";
        return CL_INVALID_VALUE;
    }
    if (!notify && data) {
        *reason = "user data without a callback";
        return CL_INVALID_VALUE;
    }
    for (cl_uint i = 0; i < ndevices; i++) {
        const struct cx_device *device = cx_device_from(devices[i]);
        if (!device || (program ? cx_program_device(program, device) == program->division.ndevices
                                : !cx_context_has_device(context, device))) {
            *reason = program ? "not a device of the program" : "not a device of the context";
            return CL_INVALID_DEVICE;
        }
    }
    return CL_SUCCESS;
}

/* Builds what the options are for this member. */
static cl_int build_real(const struct cx_real_device *device, cl_program real, char *options)
{
    const cl_int error = options ? device->cl->clBuildProgram(real, 1, &device->id, options, NULL, NULL)
                                 : CL_OUT_OF_HOST_MEMORY;
    free(options);
    return error;
}

static cl_int compile_member(struct cx_program *program, unsigned member, const char *options,
                             cl_program *real)
{
    const struct cx_real_device *device = program->context->workers[member].device;
    const char *text = program->origin.source;
    cl_int error = CL_SUCCESS;

    if (program->origin.stored && (*real = cx_program_binary_program(program, member, &error))) {
        error = build_real(device, *real, cx_vendor_options(&program->context->members, member, options));
        if (error == CL_SUCCESS || !cx_program_binary_has_text(program->origin.stored))
            return error;
        device->cl->clReleaseProgram(*real);
    } else if (program->origin.stored && !cx_program_binary_has_text(program->origin.stored)) {
        return error;
    }
    *real = program->origin.il ? cx_program_il_program(program, member, &error)
                               : cx_build_source(program, member, 1, &text, &error);
    const uint64_t since = cx_clock_ns();
    if (*real)
        error = build_real(device, *real, cx_program_driver_options(program, member, options));
    if (*real && error == CL_SUCCESS)
        cx_compile_record_built(program, options, member, CX_VARIANT_PLAIN, cx_clock_ns() - since);
    return error;
}

static cl_int build_step(struct cx_build *build, unsigned member, cl_program *real)
{
    return compile_member(build->program, member, build->program->build.options, real);
}

enum cx_files_moved cx_build_files_moved(const struct cx_program *program, const char *options)
{
    if (program->analysed.analysis)
        return cx_analysis_files_moved(program->analysed.analysis);
    const bool from_text = program->origin.source &&
                           (!program->origin.stored || cx_program_binary_has_text(program->origin.stored));
    return from_text && cx_macro_identity_includes(program->origin.source, options) ? CX_FILES_UNANALYSED
                                                                                    : CX_FILES_SAME;
}

bool cx_build_deferred_run(struct cx_program *program, unsigned member, const char *options)
{
    const uint64_t since = cx_trace_on() ? cx_clock_ns() : 0;
    enum cx_files_moved moved = cx_build_files_moved(program, options);
    cl_program real = NULL;
    cl_int error = moved != CX_FILES_SAME ? CL_BUILD_PROGRAM_FAILURE
                                          : cx_worker_ensure(&program->context->workers[member]);

    if (moved == CX_FILES_SAME && error == CL_SUCCESS)
        error = compile_member(program, member, options, &real);

    if (moved == CX_FILES_SAME) /* while it was built? */
        moved = cx_build_files_moved(program, options);
    if (moved != CX_FILES_SAME)
        error = CL_BUILD_PROGRAM_FAILURE;
    cx_trace_build(program, member, "build", origin_of(program), options, error, since);
    program->members[member].moved = moved; /* told by the state that settle_member sets */
    if (settle_member(program, member, error, real))
        return true;
    if (moved != CX_FILES_SAME)
        cx_info(CX_TOPIC_PROGRAM, "program %" PRIu64 ": %s is left out: %s", program->base.id,
                program->context->workers[member].device->name, cx_analysis_moved_text(moved));
    else
        tell_failure(program, member);
    if (program->members[member].log)
        cx_info(CX_TOPIC_PROGRAM, "%s", program->members[member].log);
    return false;
}

cl_int cx_clBuildProgram(cl_program handle, cl_uint num_devices, const cl_device_id *device_list,
                         const char *options, cx_program_notify pfn_notify, void *user_data)
{
    struct cx_program *program = cx_program_from(handle);
    const char *reason = NULL;

    if (!program)
        return CX_FAIL(CL_INVALID_PROGRAM, "not a program");
    cl_int error =
        cx_build_check(program->context, program, num_devices, device_list, pfn_notify, user_data, &reason);
    if (error != CL_SUCCESS)
        return CX_FAIL(error, reason);
    if (!program->origin.source && !program->origin.stored && !program->origin.il &&
        !program->origin.builtins)
        return CX_FAIL(CL_INVALID_OPERATION, "the program was made by linking");
    struct cx_builds *builds = cx_builds_new(program, pfn_notify, user_data);
    if (!builds)
        return CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the build");
    error = cx_builds_add(builds, num_devices, device_list, options);
    for (unsigned i = 0; i < builds->count; i++) {
        struct cx_build *build = builds->build[i];
        build->binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        build->analyse = !program->origin.builtins;
        build->step = program->origin.builtins ? cx_program_il_builtin_step : build_step;
        build->may_be_deferred =
            !program->origin.builtins && !program->origin.il; /* constants may be set anew meanwhile */
    }
    if (error == CL_SUCCESS)
        error = cx_builds_run(&builds);
    cx_builds_destroy(&builds);
    return error == CL_SUCCESS ? error : CX_FAIL(error, "the build failed, or one runs, or kernels exist");
}
