/* SPDX-License-Identifier: MIT */
/*
 * Members left out for energy. See plan_objective.h.
 */
#include "layer/plan/plan_objective.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/base/split_policy.h"
#include "layer/plan/candidates.h"
#include "layer/plan/launch_stats.h"
#include "layer/power/sampler.h"

#include <pthread.h>
#include <stdatomic.h>

static struct {
    _Atomic uint64_t decided, left_out;  /* launches */
    _Atomic uint64_t microjoules, saved; /* expected of them, and microjoules less than with all */
} totals;

static const char *name_of(enum cx_option_objective objective)
{
    return objective == CX_OPTION_OBJECTIVE_ENERGY ? "energy" : "edp";
}

/* The debug name watts, read once. */
static double given[2 * CX_MEMBERS_MAX];
static size_t ngiven;
static pthread_once_t given_once = PTHREAD_ONCE_INIT;

static void read_given(void)
{
    const size_t room = sizeof given / sizeof *given,
                 n = cx_options_numbers(cx_options_get()->watts, given, room);
    ngiven = n < room ? n : room;
}

/* Static and dynamic watts of a member, for the launch's kernel. */
static bool find_watts(const struct cx_launch *launch, unsigned member, struct cx_energy_device *device)
{
    pthread_once(&given_once, read_given);
    if (!ngiven)
        return cx_power_sampler_watts(launch->base.context->workers[member].device->index,
                                      launch->request.kernel->function->stats, &device->static_watts,
                                      &device->dynamic_watts);
    if (2 * member + 1 >= ngiven)
        return false;
    device->static_watts = given[2 * member];
    device->dynamic_watts = given[2 * member + 1];
    return true;
}

/* Members of one kind are as fast and consume as much: where their speeds in work-groups differ, they had
 * groups of other costs, as in a picture whose dear part lies at one end. Each has the mean of its kind. */
static void even_out(const struct cx_context *context, uint64_t offered, struct cx_energy_device *devices)
{
    bool done[CX_MEMBERS_MAX] = {false};
    for (unsigned m = 0; m < context->nmembers; m++) {
        struct cx_energy_device sum = {.speed = 0};
        unsigned n = 0;
        for (unsigned i = m; i < context->nmembers && !done[m]; i++) {
            if (!(offered >> i & 1) || !cx_context_alike(context, m, i))
                continue;
            n++;
            sum.speed += devices[i].speed;
            sum.dynamic_watts += devices[i].dynamic_watts;
        }
        for (unsigned i = m; i < context->nmembers && n > 1; i++) {
            if (!(offered >> i & 1) || !cx_context_alike(context, m, i))
                continue;
            done[i] = true;
            devices[i].speed = sum.speed / n;
            devices[i].dynamic_watts = sum.dynamic_watts / n;
        }
    }
}

/* All members of the context, by number; those of the plan that were found with their speeds. False: a speed
 * or power of these is not known. Other members' powers count as none where they are not. */
static bool describe(const struct cx_launch *launch, const struct cx_split_plan *plan,
                     const struct cx_candidates *all, struct cx_energy_device *devices, uint64_t *offered)
{
    bool known[CX_MEMBERS_MAX], is_known = true;
    *offered = 0;
    for (unsigned m = 0; m < launch->base.context->nmembers; m++) {
        devices[m] = (struct cx_energy_device){.speed = 0};
        known[m] = find_watts(launch, m, &devices[m]);
    }
    for (unsigned i = 0; i < plan->n; i++) {
        const unsigned m = plan->member[i];
        if (!all->member[i].takes_part)
            continue;
        devices[m].speed = cx_speed_record_speed(all->device[i].record);
        *offered |= UINT64_C(1) << m;
        is_known &= known[m];
        if (!(devices[m].speed > 0))
            return false;
    }
    if (!is_known)
        cx_log_once(CX_LEVEL_WARN, CX_TOPIC_PLAN,
                    "COEXEC_OBJECTIVE: what the devices consume is not known yet; time counts until it is");
    even_out(launch->base.context, *offered, devices);
    return is_known;
}

static void count(const struct cx_objective_choice *choice, uint64_t offered)
{
    atomic_fetch_add(&totals.decided, 1);
    atomic_fetch_add(&totals.left_out, choice->members != offered);
    atomic_fetch_add(&totals.microjoules, (uint64_t)(choice->joules * 1e6));
    atomic_fetch_add(&totals.saved, (uint64_t)(int64_t)(choice->saved * 1e6));
}

/* Gives how many take part. *last: one of them, the fastest. */
static unsigned take_away(struct cx_launch *launch, const struct cx_split_plan *plan, uint64_t members,
                          struct cx_candidates *all, unsigned *fastest)
{
    unsigned left = 0;
    for (unsigned i = 0; i < plan->n; i++) {
        struct cx_admission_member *member = &all->member[i];
        if (!member->takes_part)
            continue;
        if (members >> plan->member[i] & 1) {
            *fastest = left++ == 0 || member->speed > all->member[*fastest].speed ? i : *fastest;
            continue;
        }
        member->takes_part = false;
        member->part = CX_ADMISSION_LEFT_DEAR;
        cx_launch_decided(launch, plan->member[i], cx_part_note_admitted(member->part));
    }
    return left;
}

bool cx_plan_objective(struct cx_launch *launch, const struct cx_split_plan *plan,
                       struct cx_kernel_history *history, struct cx_candidates *all,
                       struct cx_admission_decision *decision)
{
    const struct cx_options *options = cx_options_get();
    struct cx_energy_device devices[CX_MEMBERS_MAX];
    struct cx_objective_launch about = {
        .devices = devices,
        .n = launch->base.context->nmembers,
        .groups = (double)plan->groups,
        .rest_watts = options->rest_watts,
        .goal = options->objective == CX_OPTION_OBJECTIVE_ENERGY ? CX_ENERGY_JOULES : CX_ENERGY_EDP};
    if (options->objective == CX_OPTION_OBJECTIVE_TIME || !decision->split || cx_split_policy_always() ||
        options->reproducible || decision->reason == CX_ADMISSION_SPLIT_PROBE ||
        !describe(launch, plan, all, devices, &about.offered))
        return false;
    const struct cx_objective_choice choice = cx_objective_decide(&history->objective, &about);
    if (!(choice.joules > 0))
        return false;
    count(&choice, about.offered);
    if (choice.members == about.offered)
        return false;
    decision->split = take_away(launch, plan, choice.members, all, &decision->best) > 1;
    return !decision->split;
}

void cx_plan_objective_print(FILE *out)
{
    const enum cx_option_objective objective = cx_options_get()->objective;
    const uint64_t decided = atomic_load(&totals.decided), left_out = atomic_load(&totals.left_out);
    const double saved = (double)(int64_t)atomic_load(&totals.saved) * 1e-6,
                 joules = (double)atomic_load(&totals.microjoules) * 1e-6;
    if (objective == CX_OPTION_OBJECTIVE_TIME)
        return;
    if (!decided) {
        fprintf(out, "  COEXEC_OBJECTIVE=%s: no launch was decided by it\n", name_of(objective));
        return;
    }
    fprintf(out,
            "  COEXEC_OBJECTIVE=%s: devices left out of %llu of %llu launches; expected %.3f J a launch, "
            "%.3f J less than with them\n",
            name_of(objective), (unsigned long long)left_out, (unsigned long long)decided,
            joules / (double)decided, saved / (double)decided);
}
