/* SPDX-License-Identifier: MIT */
/*
 * Sizes and shares that planning needs.
 */
#include "layer/plan/plan_size.h"
#include "layer/driver/drivers.h"
#include "layer/memory/transfer_state.h"
#include "layer/base/log.h"
#include "layer/plan/plan_open.h"
#include "layer/plan/plan_stake.h"
#include "layer/base/options.h"
#include "layer/memory/peer.h"
#include "layer/program/compile_record.h"
#include "layer/program/program.h"
#include "layer/program/build_deferred.h"
#include "layer/program/kernel_bind.h"
#include "layer/program/kernel_info.h"
#include "layer/timeline/queue.h"
#include "layer/plan/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Work-items of a launch that takes a CPU core a millisecond at least. */
enum { MANY_ITEMS = 1 << 18 };
/* The same, where each of them may loop for any time. */
enum { MANY_LOOPING = 1 << 16 };
/* Bytes a second between peers, until long copies there were measured (H100s: 360 GB/s, and 170 a megabyte).
 */
#define PEER_BYTES_PER_S 100e9
/* Commands of a queue that are looked at. */
enum { MANY_WAITING = 64 };

/* The largest divisor of n that is at most limit; powers of two and multiples of 8 are not preferred over
 * size, since what matters to a device is that its lanes are full. */
static size_t divisor(uint64_t n, size_t limit)
{
    for (size_t d = limit; d > 1; d--)
        if (n % d == 0)
            return d;
    return 1;
}

static bool required_size(struct cx_launch *launch)
{
    size_t required[3];
    cx_kernel_required_size(launch->request.kernel, required);
    if (!required[0])
        return false;
    for (unsigned d = 0; d < launch->request.geometry.work_dim; d++)
        launch->request.geometry.local[d] = required[d];
    return true;
}

bool cx_plan_local_size(struct cx_launch *launch)
{
    const struct cx_context *context = launch->base.context;
    struct cx_access_geometry *geometry = &launch->request.geometry;
    size_t room = cx_kernel_group_limit(launch->request.kernel, CX_ALL_MEMBERS);

    if (required_size(launch))
        return true;
    if (room > 256)
        room = 256;
    size_t items = 1;
    for (unsigned d = 0; d < geometry->work_dim; d++) {
        size_t most = room / items;
        for (unsigned m = 0; m < context->nmembers; m++)
            if (most > context->workers[m].device->limits.max_item_sizes[d])
                most = context->workers[m].device->limits.max_item_sizes[d];
        if (d > 0 && most > 16)
            most = 16;
        geometry->local[d] = most ? divisor(geometry->global[d], most) : 1;
        items *= geometry->local[d];
    }
    uint64_t total = geometry->global[0] * geometry->global[1] * geometry->global[2];
    return items >= 8 || total <= 4096;
}

bool cx_plan_fits(const struct cx_launch *launch, unsigned member)
{
    const struct cx_real_device *device = launch->base.context->workers[member].device;
    size_t items = 1;
    if (cx_take_refused(launch, member))
        return false;
    if (!launch->request.local_given || cx_take_known(launch, member))
        return true;
    for (unsigned d = 0; d < launch->request.geometry.work_dim; d++) {
        items *= launch->request.geometry.local[d];
        if (launch->request.geometry.local[d] > device->limits.max_item_sizes[d])
            return false;
    }
    return items <= cx_kernel_group_limit(launch->request.kernel, member);
}

uint64_t cx_plan_fill(const struct cx_real_device *device, const struct cx_access_geometry *geometry)
{
    uint64_t items = 1;
    if (!(device->type & CL_DEVICE_TYPE_GPU))
        return device->compute_units ? device->compute_units : 1;
    for (unsigned d = 0; d < geometry->work_dim; d++)
        items *= geometry->local[d];
    uint64_t resident =
        items ? 1024 / items
              : 1; /* half of what a unit can keep resident feeds its lanes (docs/benchmarks.md) */
    return (resident ? resident : 1) * device->compute_units;
}

/* NVIDIA's driver answers that for any kernel, and a work-item has no more registers than let so many run. */
enum { USUAL_GROUP = 256 };

static unsigned registers_of(const struct cx_launch *launch, unsigned member)
{
    const struct cx_real_device *device = launch->base.context->workers[member].device;
    const size_t limit = cx_kernel_group_limit(launch->request.kernel, member);
    size_t required[3];
    cx_kernel_required_size(launch->request.kernel, required);
    if (required[0] || limit <= USUAL_GROUP || limit >= device->limits.max_group_size)
        return 0;
    return (unsigned)(device->multiprocessor.registers / limit);
}

uint64_t cx_plan_resident(const struct cx_launch *launch, unsigned member)
{
    const struct cx_real_device *device = launch->base.context->workers[member].device;
    const struct cx_kernel *kernel = launch->request.kernel;
    const struct cx_args *args = launch->request.args;
    uint64_t items = 1, local;
    if (!device->multiprocessor.warps || !cx_kernel_runs_on(kernel, member))
        return 0;
    local = kernel->function->local_bytes[member];
    for (unsigned d = 0; d < launch->request.geometry.work_dim; d++)
        items *= launch->request.geometry.local[d];
    for (unsigned i = 0; i < args->count; i++)
        local += args->arg[i].kind == CX_ARGS_LOCAL ? args->arg[i].size : 0;
    if (items > UINT32_MAX)
        return 0;
    return (uint64_t)device->compute_units *
           cx_occupancy_groups(&device->multiprocessor, (unsigned)items, registers_of(launch, member), local);
}

/* The member's own number in a list "a:b:c", or the only one of a list of one. False: none. */
static bool listed(const char *list, unsigned index, double *value)
{
    double numbers[64];
    const size_t n = cx_options_numbers(list, numbers, 64), own = n == 1 ? 0 : index;
    if (own >= n || own >= 64)
        return false;
    *value = numbers[own];
    return true;
}

uint64_t cx_plan_min_package(const struct cx_context *context, unsigned member)
{
    double value;
    (void)context;
    if (!listed(cx_options_get()->min_package, member, &value) || value < 1)
        return 0;
    return (uint64_t)value;
}

double cx_plan_power(const struct cx_context *context, unsigned member)
{
    double value;
    (void)context;
    return listed(cx_options_get()->powers, member, &value) && value > 0 ? value : 0;
}

/* Of a launch that may take for ever or no time at all, so much must be to be saved for it to wait. */
static const double unknown_part = 0.1;

double cx_plan_best_speed(const struct cx_launch *launch)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    double best = 0;

    for (unsigned m = 0; history && m < context->nmembers; m++) {
        double sum = 0;
        unsigned measured = 0;
        for (unsigned k = 0; k < context->nmembers; k++) {
            const double own =
                cx_context_alike(context, m, k) ? cx_speed_record_speed(&history->records[k]) : 0;
            sum += own;
            measured += own > 0;
        }
        best = measured && sum / measured > best ? sum / measured : best;
    }
    return best;
}

bool cx_plan_akin(const struct cx_real_device *a, const struct cx_real_device *b)
{
    const double ratio = a->nominal_gflops / b->nominal_gflops;
    return a->platform == b->platform && a->type == b->type && ratio >= 0.5 && ratio <= 2;
}

double cx_plan_measured_on(const struct cx_launch *launch, unsigned member)
{
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    const double speed = history ? cx_speed_record_speed(&history->records[member]) : 0;
    if (!(speed > 0) || !launch->request.geometry.local[0])
        return 0;
    const uint64_t groups = cx_launch_groups(launch),
                   fill =
                       cx_plan_fill(launch->base.context->workers[member].device, &launch->request.geometry);
    return (double)(groups > fill ? groups : fill) / speed;
}

/* Seconds that it takes on the member, or a work-group of many, where its own are not known; 0: not measured.
 */
static double measured_time(const struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked)
{
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    const double speed = history ? cx_speed_record_speed(&history->records[member]) : 0;
    return !(speed > 0)                            ? 0
           : launch->request.geometry.local[0] > 0 ? cx_plan_measured_on(launch, member)
                                                   : 1 / speed;
}

double cx_plan_speed_on(const struct cx_launch *launch, unsigned member)
{
    const struct cx_context *context = launch->base.context;
    const double first = measured_time(launch, context->fastest), own = measured_time(launch, member);
    return first > 0 && own > 0 ? first / own * context->workers[context->fastest].device->nominal_gflops
                                : context->workers[member].device->nominal_gflops;
}

double cx_plan_expected(const struct cx_launch *launch)
{
    const double speed = cx_plan_best_speed(launch);
    if (speed > 0 && launch->request.geometry.local[0])
        return (double)cx_launch_groups(launch) / speed;
    return cx_plan_length(launch); /* a first launch tells that, and no speed */
}

/* How many commands of the queue are unsettled, where some are: as many at most as were enqueued since. */
static uint64_t unsettled_of(const struct cx_queue *queue) CX_HOLDS(cx_context_locked)
{
    return queue->unsettled_tail->in_queue.number - queue->unsettled->in_queue.number + 1;
}

/* What the launches of the same function that its queue has not planned yet will take, this one among them,
 * in seconds. */
static double waiting(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    const double own = cx_plan_expected(launch), items = (double)cx_launch_items(&launch->request.geometry);
    const struct cx_command *command = own > 0 ? launch->base.queue->unsettled : NULL;
    double seconds = 0;
    unsigned n = 0;

    for (; command && n < MANY_WAITING; n++, command = command->in_queue.next) {
        const struct cx_launch *other = (const struct cx_launch *)command;
        if (command->ops == launch->base.ops &&
            other->request.kernel->function == launch->request.kernel->function)
            seconds += own * (double)cx_launch_items(&other->request.geometry) / items;
    }
    return command ? seconds * (double)unsettled_of(launch->base.queue) / n : seconds; /* the rest is alike */
}

/* What part of the nominal speed of all members that the queue serves is of those that left the build for
 * later: at most so much of a launch's time can they save. */
static double deferred_part(const struct cx_launch *launch)
{
    const struct cx_context *context = launch->base.context;
    double all = 0, deferred = 0;

    for (unsigned m = 0; m < context->nmembers; m++) {
        if (!cx_queue_takes(launch->base.queue, m))
            continue;
        all += context->workers[m].device->nominal_gflops;
        deferred += cx_build_deferred_on(launch->request.kernel->program, m)
                        ? context->workers[m].device->nominal_gflops
                        : 0;
    }
    return all > 0 ? deferred / all : 0;
}

bool cx_plan_deferred_counts(const struct cx_launch *launch)
{
    return deferred_part(launch) >= unknown_part;
}

/* Whether a member that the queue takes, before this one, is of its kind: what that has built is in their
 * driver's cache. */
static bool follows_alike(const struct cx_launch *launch, unsigned member)
{
    for (unsigned m = 0; m < member; m++)
        if (cx_queue_takes(launch->base.queue, m) && cx_context_alike(launch->base.context, m, member))
            return true;
    return false;
}

double cx_plan_builds_last(const struct cx_launch *launch, enum cx_variant variant)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_program *program = launch->request.kernel->program;
    const double again = (double)program->build.took_ns * 1e-9;
    double seconds = 0;

    for (unsigned m = 0; m < context->nmembers; m++) {
        if (!cx_queue_takes(launch->base.queue, m))
            continue;
        if (cx_build_deferred_on(program, m))
            seconds += cx_compile_record_expected(program, m, CX_VARIANT_PLAIN);
        if (variant != CX_VARIANT_PLAIN)
            seconds += follows_alike(launch, m) ? again : cx_compile_record_expected(program, m, variant);
    }
    return seconds;
}

static double builds_last(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    return cx_plan_builds_last(launch, launch->deferral.missing_variant);
}

/* Whether members that do such a part of all save more than these builds take, by measured times or else the
 * most that the text of the kernel has it do. Where neither is known a launch of many work-items may; but it
 * runs before any split variant is built, and measured. */
static bool may_save(const struct cx_launch *launch, double part) CX_HOLDS(cx_context_locked)
{
    const double expected = cx_plan_expected(launch),
                 seconds = expected > 0 ? expected : launch->decision.longest;

    if (isinf(seconds) && launch->deferral.missing_variant != CX_VARIANT_PLAIN)
        return false;
    if (seconds < 0 || isinf(seconds))
        return part >= unknown_part && (double)cx_launch_items(&launch->request.geometry) >=
                                           (seconds < 0 ? MANY_ITEMS : MANY_LOOPING);
    return part * seconds > builds_last(launch);
}

bool cx_plan_deferred_pays(const struct cx_launch *launch)
{
    /* what seems to lack nothing may not be analysed yet: until it is measured, that is */
    return (launch->deferral.lacks_builds || cx_plan_expected(launch) <= 0) &&
           may_save(launch, deferred_part(launch));
}

/* Builds cost a core, and a process that ends meanwhile has to wait: short programs must not pay for what
 * they do not use. So the kernel must have run for so many times as long without, or this launch be one that
 * may: then a program that ends at the worst moment has lost a third of its kernels' time, not half. */
static const double builds_without = 2;

static bool build_pays(const struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    if (cx_split_policy_bounded())
        return cx_plan_opening_pays(launch, launch->deferral.missing_variant, waiting(launch));
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    const unsigned nmembers = launch->base.context->nmembers;
    const double others = (double)(nmembers - 1) / nmembers;

    return (launch->deferral.missing_variant == CX_VARIANT_PLAIN ? cx_plan_deferred_pays(launch)
                                                                 : may_save(launch, others)) ||
           (history && history->unvaried + waiting(launch) >= builds_without * builds_last(launch));
}

void cx_plan_lacked(struct cx_context *context, struct cx_kernel_history *history, double seconds,
                    double gain)
{
    history->unvaried += seconds;
    context->planner->lacked += gain;
}

void cx_plan_without(struct cx_launch *launch)
{
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    const double seconds =
        launch->deferral.lacks_builds && !launch->deferral.counted && history ? cx_plan_expected(launch) : 0;

    if (seconds <= 0)
        return;
    cx_plan_lacked(launch->base.context, history, seconds, cx_plan_gain(launch, seconds));
    launch->deferral.counted = true;
}

void cx_plan_want(const struct cx_launch *launch, enum cx_variant variant)
{
    if (!cx_split_policy_wants_all() && !build_pays(launch))
        return;
    cx_build_deferred_want(launch->request.kernel->program);
    if (variant != CX_VARIANT_PLAIN)
        cx_kernel_variant_want(launch->request.kernel, variant);
}

/* Seconds. */
static const double pocl_compiles = 0.5, others_compile = 50e-3;

double cx_plan_compiles(const struct cx_worker *worker)
{
    return cx_drivers_is_pocl(worker->device->platform->name) ? pocl_compiles : others_compile;
}

double cx_plan_move_seconds(double bytes)
{
    return bytes / (cx_options_get()->link * 1e9);
}

double cx_plan_upload_rate(const struct cx_worker *worker)
{
    const struct cx_context *context = worker->context;
    double rate = (double)cx_transfer_upload_rate(worker);
    for (unsigned m = 0; m < context->nmembers && !(rate > 0); m++)
        if (cx_context_alike(context, worker->index, m))
            rate = (double)cx_transfer_upload_rate(&context->workers[m]);
    return rate;
}

double cx_plan_upload_seconds(const struct cx_worker *worker, double bytes)
{
    const double rate = cx_plan_upload_rate(worker);
    return rate > 0 ? bytes / rate : cx_plan_move_seconds(bytes);
}

uint64_t cx_plan_peers(const struct cx_worker *worker, const struct cx_mem *root)
{
    struct cx_context *context = worker->context;
    uint64_t places = 0;
    if (!context->memory.peers || root->image || root->storage->svm || !cx_peers_are_open(context))
        return 0;
    for (unsigned m = 0; m < context->nmembers; m++)
        if (cx_peer_reaches(context->memory.peers, m, worker->index) &&
            !cx_peer_broken(context->memory.peers, m, worker->index) &&
            !atomic_load(&context->workers[m].left_out))
            places |= UINT64_C(1) << (1 + m);
    return places;
}

/* Bytes a second at which it, or else one of its kind, was seen to get them from peers; 0: none was. */
static double exchange_rate(const struct cx_worker *worker)
{
    const struct cx_context *context = worker->context;
    double rate = (double)cx_transfer_peer_rate(worker);
    for (unsigned m = 0; m < context->nmembers && !(rate > 0); m++)
        if (cx_context_alike(context, worker->index, m))
            rate = (double)cx_transfer_peer_rate(&context->workers[m]);
    return rate;
}

double cx_plan_exchange_seconds(const struct cx_worker *worker, const struct cx_mem *root, double bytes)
{
    const double measured = exchange_rate(worker);
    return cx_plan_peers(worker, root) ? bytes / (measured > 0 ? measured : PEER_BYTES_PER_S)
                                       : cx_plan_upload_seconds(worker, bytes);
}

struct cx_plan_bring cx_plan_bring(const struct cx_worker *worker, const struct cx_mem *root,
                                   const uint64_t *lacking)
{
    const uint64_t here = lacking[cx_mem_place(root, worker)], host = lacking[CX_PLACE_HOST];
    const uint64_t apart = here < host ? here : host;
    return (struct cx_plan_bring){cx_plan_upload_seconds(worker, (double)(here - apart)),
                                  apart ? cx_plan_exchange_seconds(worker, root, (double)apart) : 0};
}
