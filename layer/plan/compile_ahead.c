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
#include "layer/base/subprocess.h"
#include "layer/driver/compile_request.h"
#include "layer/driver/drivers.h"
#include "layer/plan/launch_form.h"
#include "layer/program/compile_record.h"
#include "layer/program/variant.h"
#include "layer/timeline/worker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* So much of what compiling takes has to be missed. It is done where the processor idles. */
#define LEAST_MISSED 0.25
/* Milliseconds by the clock: the processor may be busy. */
enum { LIMIT_MS = 600000 };

static const struct cx_own_program places = {"../tools/coexec-compile", CX_COMPILE_BESIDE,
                                             CX_COMPILE_INSTALLED, CX_COMPILE_BUILT};
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char program_path[PATH_MAX];
static atomic_bool busy; /* one is at work */

static void find(void)
{
    if (!cx_own_program_find(&places, program_path))
        *program_path = 0;
}

/* ---- the process ---- */

struct task {
    void *request;
    size_t size;
    char *driver;
    char folder[32], request_path[64], driver_path[64];
    char what[160];
};

static bool write_file(const char *path, const void *data, size_t size)
{
    FILE *file = cx_disk_cache_may_write(size) ? fopen(path, "wxe") : NULL;
    const bool written = file && fwrite(data, 1, size, file) == size;
    return file && fclose(file) == 0 && written;
}

static bool make_files(struct task *task)
{
    strcpy(task->folder, "/tmp/coexec-XXXXXX");
    if (!mkdtemp(task->folder))
        return false;
    snprintf(task->request_path, sizeof(task->request_path), "%s/" CX_COMPILE_REQUEST_FILE, task->folder);
    snprintf(task->driver_path, sizeof(task->driver_path), "%s/" CX_COMPILE_DRIVER_FILE, task->folder);
    return write_file(task->request_path, task->request, task->size) &&
           write_file(task->driver_path, task->driver, strlen(task->driver));
}

static void remove_files(const struct task *task)
{
    unlink(task->request_path);
    unlink(task->driver_path);
    rmdir(task->folder);
}

static void destroy(struct task **task)
{
    if (*task) {
        free((*task)->request);
        free((*task)->driver);
    }
    free(*task);
    *task = NULL;
}

static void run_task(void *data)
{
    struct task *task = data;
    struct cx_subprocess helper = {0};
    char message[160] = "";
    enum cx_subprocess_end end = CX_SUBPROCESS_ABSENT;
    atomic_init(&helper.outlasts, true);
    if (make_files(task))
        end = cx_subprocess_run(&helper, (char *const[]){program_path, task->folder, NULL}, LIMIT_MS, message,
                                sizeof(message));
    if (end != CX_SUBPROCESS_LEFT)
        remove_files(task);
    if (end == CX_SUBPROCESS_OK) {
        cx_compile_record_changed();
        cx_debug(CX_TOPIC_PLAN, "%s: compiled ahead", task->what);
    } else if (end != CX_SUBPROCESS_LEFT && end != CX_SUBPROCESS_STOPPED) {
        cx_info(CX_TOPIC_PLAN, "%s: not compiled ahead: %s", task->what,
                *message ? message : "coexec-compile ended early");
    }
    destroy(&task);
    atomic_store(&busy, false);
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

/* A package of the launch's second half, or of the first one. */
static struct cx_compile_launch package_of(const struct cx_launch *launch, const struct cx_split_plan *plan,
                                           enum cx_variant variant, bool at_start)
{
    const uint64_t half = (plan->groups + 1) / 2;
    struct cx_subrange_launch range;
    cx_subrange_package(&launch->request.geometry, plan->judged->verdict.dim, variant, at_start ? 0 : half,
                        at_start ? half : plan->groups, &range);
    struct cx_compile_launch package = {.dims = range.dims};
    memcpy(package.offset, range.offset, sizeof(package.offset));
    memcpy(package.global, range.global, sizeof(package.global));
    memcpy(package.local, range.local, sizeof(package.local));
    return package;
}

static struct task *make_task(const struct cx_launch *launch, const struct cx_split_plan *plan, unsigned i,
                              bool at_start, const char *key)
{
    const struct cx_kernel *kernel = launch->request.kernel;
    const struct cx_program *program = kernel->program;
    const struct cx_args *args = launch->request.args;
    const struct cx_worker *worker = &launch->base.context->workers[plan->member[i]];
    const struct cx_real_device *device = worker->device->whole ? worker->device->whole : worker->device;
    struct cx_compile_request *request = calloc(1, sizeof(*request));
    struct task *task = calloc(1, sizeof(*task));
    char *options = cx_program_variant_options(program, plan->member[i], plan->variant[i]);
    bool can = request && task && options && args->count <= CX_COMPILE_ARGS;
    const unsigned ntexts = can ? cx_program_variant_text(program, plan->variant[i], request->text) : 0;
    can = ntexts > 0;
    for (unsigned a = 0; can && a < args->count; a++)
        can = take_arg(&args->arg[a], &request->arg[a]);
    if (can) {
        request->driver = device->platform->driver;
        request->place = place_of(device);
        request->device = device->name;
        request->options = options;
        request->kernel = kernel->function->name;
        request->folder = cx_options_cache_dir();
        request->key = key;
        request->ntexts = ntexts;
        request->nargs = args->count;
        request->nvariables = cx_options_driver_variables(request->variable, CX_COMPILE_VARIABLES);
        request->launch = package_of(launch, plan, plan->variant[i], at_start);
        task->request = cx_compile_request_pack(request, &task->size);
        task->driver = strdup(device->platform->driver);
        snprintf(task->what, sizeof(task->what), "%s on %s%s", kernel->function->name, device->name,
                 at_start ? ", at the start" : "");
        can = task->request && task->driver;
    }
    if (!can)
        destroy(&task);
    free(options);
    free(request);
    return task;
}

/* True: it has begun. */
static bool begin(const struct cx_launch *launch, const struct cx_split_plan *plan,
                  struct cx_kernel_history *history, unsigned i, bool at_start) CX_HOLDS(cx_context_locked)
{
    const unsigned member = plan->member[i];
    const enum cx_variant variant = plan->variant[i];
    char key[CX_DISK_CACHE_KEY_SIZE];
    bool idle = false;
    if (cx_launch_compiled(launch, history, member, variant, at_start) ||
        !cx_launch_compile_key(launch, member, variant, at_start, key) ||
        !atomic_compare_exchange_strong(&busy, &idle, true))
        return false;
    struct task *task = cx_launch_compile_once(launch, history, member, variant, at_start)
                            ? make_task(launch, plan, i, at_start, key)
                            : NULL;
    if (task)
        cx_debug(CX_TOPIC_PLAN, "%s: compiling ahead", task->what);
    if (task && cx_exit_guard_run(run_task, task))
        return true;
    destroy(&task);
    atomic_store(&busy, false);
    return false;
}

void cx_compile_ahead(const struct cx_launch *launch, const struct cx_split_plan *plan,
                      struct cx_kernel_history *history, const struct cx_plan_costs *costs, double saves)
{
    double takes = 0;
    if (!(saves > 0) || atomic_load_explicit(&busy, memory_order_relaxed))
        return;
    for (unsigned i = 0; i < plan->n; i++)
        if (costs->member[i].takes_part || i == costs->best)
            takes += costs->device[i].first_seconds;
    if (!(takes > 0))
        return;
    const double missed = history->missed_uncompiled + saves;
    if (!launch->slices.prefix) /* else of the same launch again, slice by slice */
        history->missed_uncompiled = missed;
    if (missed < LEAST_MISSED * takes)
        return;
    pthread_once(&once, find);
    for (unsigned i = 0; i < plan->n && *program_path; i++) {
        const struct cx_worker *worker = &launch->base.context->workers[plan->member[i]];
        if (!(costs->device[i].first_seconds > 0) || !cx_drivers_is_pocl(worker->device->platform->name))
            continue;
        if (begin(launch, plan, history, i, false) || (i == 0 && begin(launch, plan, history, i, true)))
            return;
    }
}
