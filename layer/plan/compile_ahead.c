/* SPDX-License-Identifier: MIT */
/*
 * Compiling ahead. See compile_ahead.h.
 */
#include "layer/plan/compile_ahead.h"
#include "layer/base/disk_cache.h"
#include "layer/base/exit_guard.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/base/own_program.h"
#include "layer/base/plain_file.h"
#include "layer/base/subprocess.h"
#include "layer/driver/drivers.h"
#include "layer/plan/launch_form.h"
#include "layer/program/compile_record.h"
#include "layer/program/variant.h"
#include "layer/source/compile_request.h"
#include "layer/timeline/queue.h"
#include "layer/timeline/worker.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* So much of what compiling takes has to be missed: it is done where the processor idles, and once. */
#define LEAST_MISSED 0.1
/* Milliseconds by the clock: the processor may be busy. */
enum { LIMIT_MS = 600000 };
/* Processes at a time, each for one kernel. Those beyond come in a later process of the program. */
enum { MOST_TASKS = 4 };

static const struct cx_own_program places = {"../tools/coexec-compile", CX_COMPILE_BESIDE,
                                             CX_COMPILE_INSTALLED, CX_COMPILE_BUILT};
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char program_path[PATH_MAX];
static atomic_uint tasks; /* at work */

static void find(void)
{
    if (!cx_own_program_find(&places, program_path))
        *program_path = 0;
}

/* ---- the process ---- */

enum { MOST_STEPS = 8 };

/* A request, of several to one process. */
struct step {
    void *request;
    size_t size;
    char path[sizeof("/tmp/coexec-XXXXXX")];
};

struct task {
    unsigned n;
    struct step step[MOST_STEPS];
    char what[160];
};

/* Makes a file of the request. */
static bool make_file(struct step *step)
{
    memcpy(step->path, "/tmp/coexec-XXXXXX", sizeof(step->path));
    const int file = cx_plain_file_may_write(step->size) ? mkostemp(step->path, O_CLOEXEC) : -1;
    if (file < 0)
        *step->path = 0;
    const bool put = file >= 0 && cx_plain_file_put(file, step->request, step->size);
    return file >= 0 && close(file) == 0 && put;
}

static void destroy(struct task **task)
{
    for (unsigned i = 0; *task && i < (*task)->n; i++)
        free((*task)->step[i].request);
    free(*task);
    *task = NULL;
}

static enum cx_subprocess_end run_steps(struct task *task, char *message, size_t room)
{
    struct cx_subprocess helper = {0};
    char *arguments[MOST_STEPS + 2] = {program_path};
    bool made = true;
    atomic_init(&helper.outlasts, true);
    cx_exit_guard_files(true);
    for (unsigned i = 0; i < task->n && made; i++) {
        made = make_file(&task->step[i]);
        arguments[1 + i] = task->step[i].path;
    }
    const enum cx_subprocess_end end =
        made ? cx_subprocess_run(&helper, arguments, LIMIT_MS, message, room) : CX_SUBPROCESS_ABSENT;
    if (end == CX_SUBPROCESS_LEFT) /* coexec-compile removes them */
        return end;
    for (unsigned i = 0; i < task->n; i++)
        if (*task->step[i].path)
            unlink(task->step[i].path);
    cx_exit_guard_files(false);
    return end;
}

static void run_task(void *data)
{
    struct task *task = data;
    char message[160] = "";
    const enum cx_subprocess_end end = run_steps(task, message, sizeof(message));
    cx_compile_record_changed();
    if (end == CX_SUBPROCESS_OK)
        cx_debug(CX_TOPIC_PLAN, "%s: compiled ahead", task->what);
    else if (end != CX_SUBPROCESS_LEFT && end != CX_SUBPROCESS_STOPPED)
        cx_info(CX_TOPIC_PLAN, "%s: not compiled ahead: %s", task->what,
                *message ? message : "coexec-compile ended early");
    destroy(&task);
    atomic_fetch_sub(&tasks, 1);
}

/* ---- the request ---- */

static bool take_arg(const struct cx_arg *arg, struct cx_compile_arg *taken)
{
    switch (arg->kind) {
    case CX_ARGS_VALUE:
        *taken = (struct cx_compile_arg){CX_COMPILE_VALUE, arg->size, arg->value};
        return true;
    case CX_ARGS_LOCAL:
        *taken = (struct cx_compile_arg){CX_COMPILE_LOCAL, arg->size, NULL};
        return true;
    case CX_ARGS_MEM:
        if (arg->svm || (arg->mem && arg->mem->image))
            return false;
        *taken = arg->mem ? (struct cx_compile_arg){CX_COMPILE_BUFFER, arg->mem->size, NULL}
                          : (struct cx_compile_arg){CX_COMPILE_NO_BUFFER, 0, NULL};
        return true;
    default:
        return false;
    }
}

static unsigned place_of(const struct cx_real_device *device)
{
    const struct cx_machine *machine = cx_machine_get();
    unsigned place = 0;
    for (unsigned i = 0; i < machine->ndevices && &machine->devices[i] != device; i++)
        place += strcmp(machine->devices[i].platform->driver, device->platform->driver) == 0;
    return place;
}

/* The dimension of the packages: that which the variant splits, or else the one with most work-groups. A
 * driver compiles the same for any. */
static unsigned dimension_of(const struct cx_access_geometry *geometry, enum cx_variant variant)
{
    unsigned best = 0;
    if (variant >= CX_VARIANT_SPLIT3_0)
        return (unsigned)variant - CX_VARIANT_SPLIT3_0;
    for (unsigned d = 1; d < geometry->work_dim; d++)
        if (geometry->global[d] / geometry->local[d] > geometry->global[best] / geometry->local[best])
            best = d;
    return best;
}

/* A package of the launch's second half, or of the first one. */
static void package_of(const struct cx_launch *launch, enum cx_variant variant, bool at_start,
                       struct cx_subrange_launch *package)
{
    const struct cx_access_geometry *geometry = &launch->request.geometry;
    const unsigned dim = dimension_of(geometry, variant);
    const uint64_t groups = (geometry->global[dim] + geometry->local[dim] - 1) / geometry->local[dim],
                   half = groups / 2;
    cx_subrange_package(geometry, dim, variant, at_start ? 0 : half, at_start ? half : groups, package);
}

/* What the driver of the member is to do: build the variant, and compile the kernel for such packages. */
struct wish {
    unsigned member;
    enum cx_variant variant;
    bool at_start;
    const char *compiled; /* the record's key; NULL: build only */
};

static bool describe(const struct cx_launch *launch, const struct wish *wish, const char *options,
                     const char *built, struct cx_compile_request *request)
{
    const struct cx_kernel *kernel = launch->request.kernel;
    const struct cx_args *args = launch->request.args;
    const struct cx_worker *worker = &launch->base.context->workers[wish->member];
    const struct cx_real_device *device = worker->device->whole ? worker->device->whole : worker->device;
    request->driver = device->platform->driver;
    request->place = place_of(device);
    request->device = device->name;
    request->options = options;
    request->folder = cx_options_cache_dir();
    request->built = built;
    request->ntexts = cx_program_variant_text(kernel->program, wish->variant, request->text);
    request->nvariables = cx_options_driver_variables(request->variable, CX_COMPILE_VARIABLES);
    request->launch.dims = 1;
    bool can = request->ntexts > 0 && args->count <= CX_COMPILE_ARGS;
    if (!wish->compiled)
        return can;
    request->kernel = kernel->function->name;
    request->compiled = wish->compiled;
    package_of(launch, wish->variant, wish->at_start, &request->launch);
    request->nargs = args->count;
    for (unsigned a = 0; can && a < args->count; a++)
        can = take_arg(&args->arg[a], &request->arg[a]);
    return can;
}

/* *task is made with the first step. */
static void add_step(const struct cx_launch *launch, const struct wish *wish, struct task **task)
{
    const struct cx_kernel *kernel = launch->request.kernel;
    const struct cx_real_device *device = launch->base.context->workers[wish->member].device;
    char built[CX_DISK_CACHE_KEY_SIZE];
    struct cx_compile_request *request = calloc(1, sizeof(*request));
    char *options = cx_program_variant_options(kernel->program, wish->member, wish->variant);
    if (!*task)
        *task = calloc(1, sizeof(**task));
    if (request && options && *task && (*task)->n < MOST_STEPS &&
        cx_compile_record_key(kernel->program, wish->member, wish->variant, NULL, 0, built) &&
        describe(launch, wish, options, built, request)) {
        struct step *step = &(*task)->step[(*task)->n];
        step->request = cx_compile_request_pack(request, &step->size);
        if (wish->compiled || !*(*task)->what)
            snprintf((*task)->what, sizeof((*task)->what), "%s on %s", kernel->function->name, device->name);
        (*task)->n += step->request != NULL;
    }
    free(options);
    free(request);
}

/* The program as it is, where a variant is not all that the member has to build. */
static void add_program(const struct cx_launch *launch, unsigned member, struct task **task)
    CX_HOLDS(cx_context_locked)
{
    struct cx_program *program = launch->request.kernel->program;
    double seconds;
    if (program->members[member].ahead)
        return;
    program->members[member].ahead = true;
    if (cx_compile_record_find(program, member, CX_VARIANT_PLAIN, NULL, 0, &seconds))
        return;
    add_step(launch, &(struct wish){member, CX_VARIANT_PLAIN, false, NULL}, task);
}

static void add_kernel(const struct cx_launch *launch, struct cx_kernel_history *history, unsigned member,
                       enum cx_variant variant, bool at_start, struct task **task) CX_HOLDS(cx_context_locked)
{
    char key[CX_DISK_CACHE_KEY_SIZE];
    if (cx_launch_compile_once(launch, history, member, variant, at_start) &&
        !cx_launch_compiled(launch, history, member, variant, at_start) &&
        cx_launch_compile_key(launch, member, variant, at_start, key)) /* a hash of the program's text */
        add_step(launch, &(struct wish){member, variant, at_start, key}, task);
}

bool cx_compile_ahead_can(const struct cx_worker *worker)
{
    pthread_once(&once, find);
    return *program_path && worker->device->type & CL_DEVICE_TYPE_CPU && cx_options_cache_dir() &&
           cx_options_driver_cache() && cx_drivers_is_pocl(worker->device->platform->name);
}

static void add_members(const struct cx_launch *launch, struct cx_kernel_history *history,
                        enum cx_compile_ahead what, enum cx_variant variant, struct task **task)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    bool first = true;
    for (unsigned m = 0; m < context->nmembers; m++) {
        if (!cx_queue_takes(launch->base.queue, m))
            continue;
        if (cx_compile_ahead_can(&context->workers[m])) {
            if (variant != CX_VARIANT_PLAIN)
                add_program(launch, m, task);
            if (what == CX_COMPILE_SPLIT)
                add_kernel(launch, history, m, variant, false, task);
            if (what == CX_COMPILE_WHOLE || (first && variant != CX_VARIANT_PLAIN))
                add_kernel(launch, history, m, variant, true, task);
        }
        first = false;
    }
}

void cx_compile_ahead(const struct cx_launch *launch, enum cx_compile_ahead what, enum cx_variant variant,
                      double saves, double takes)
{
    if (!(takes > 0) || saves < LEAST_MISSED * takes || !launch->request.geometry.local[0] ||
        atomic_load(&tasks) >= MOST_TASKS)
        return;
    struct cx_kernel_history *history =
        cx_kernel_history_of(launch->request.kernel->function, launch->base.context->nmembers);
    struct task *task = NULL;
    if (history)
        add_members(launch, history, what, variant, &task);
    if (task && task->n > 0) {
        cx_debug(CX_TOPIC_PLAN, "%s: compiling ahead, in %u steps", task->what, task->n);
        atomic_fetch_add(&tasks, 1);
        if (cx_exit_guard_run(run_task, task))
            return;
        atomic_fetch_sub(&tasks, 1);
    }
    destroy(&task);
}

void cx_compile_ahead_missed(const struct cx_launch *launch, enum cx_compile_ahead what,
                             enum cx_variant variant, double saves, double takes)
{
    struct cx_kernel_history *history =
        cx_kernel_history_of(launch->request.kernel->function, launch->base.context->nmembers);
    if (!history || !(takes > 0) || !(saves > 0))
        return;
    history->missed_uncompiled += saves;
    cx_compile_ahead(launch, what, variant, history->missed_uncompiled, takes);
}
