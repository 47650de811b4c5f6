/* SPDX-License-Identifier: MIT */
/*
 * Chooses the member for a whole launch: the fastest, or the one that its chain is on (plan_chains.h).
 *
 * Previous stage: plan.c. Next: whole.c. Under context->lock.
 */
#include "layer/plan/plan_place.h"
#include "layer/object/device.h"
#include "layer/base/exit_guard.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/plan/device_load.h"
#include "layer/plan/follow_data.h"
#include "layer/plan/plan.h"
#include "layer/plan/launch_form.h"
#include "layer/plan/plan_chains.h"
#include "layer/plan/plan_size.h"
#include "layer/program/program.h"
#include "layer/program/build_deferred.h"
#include "layer/program/kernel_bind.h"
#include "layer/timeline/queue.h"
#include "layer/memory/svm.h"
#include "layer/plan/launch_prepare.h"
#include "layer/plan/svm_rules.h"
#include "layer/plan/policy.h"

#include <string.h>

/* How much slower counts as alike. */
static const double nearly = 1.25;

unsigned cx_plan_prompt(const struct cx_launch *launch, unsigned member)
{
    const struct cx_context *context = launch->base.context;
    if (member >= context->nmembers || !cx_device_load_is_straggler(&context->workers[member]))
        return member;
    for (unsigned m = 0; m < context->nmembers; m++)
        if (!cx_device_load_is_straggler(&context->workers[m]) && cx_queue_takes(launch->base.queue, m) &&
            cx_kernel_runs_on(launch->request.kernel, m))
            return m;
    return member;
}

/* Whether no driver says that it takes the launch, and nobody hears a refusal any more: it had better run
 * where the program alone would have run it. */
static bool is_blind(const struct cx_launch *launch)
{
    return launch->acceptance.beyond && atomic_load(&launch->base.asked) != CX_ASKED_WAITS;
}

/* The member with the highest speed that takes the launch, of those that are not stragglers where there are
 * any; nmembers: none. sure: none that reports less than the launch asks for; nor has fewer compute units. */
static unsigned fastest_of(struct cx_launch *launch, bool sure, cl_uint units) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    unsigned best = context->nmembers;
    double best_speed = -1;
    for (unsigned m = 0; m < context->nmembers; m++) {
        double speed = cx_plan_speed_on(launch, m);
        if (m == launch->base.queue->fastest && !sure && is_blind(launch))
            speed *= 1e9;
        if (cx_device_load_is_straggler(&context->workers[m]))
            speed *= 1e-9;
        if (speed <= best_speed || context->workers[m].device->compute_units < units ||
            !cx_queue_takes(launch->base.queue, m) || !cx_kernel_runs_on(launch->request.kernel, m) ||
            cx_take_refused(launch, m) || (sure && !cx_plan_fits(launch, m)) ||
            cx_launch_prepare(launch, m) != CL_SUCCESS)
            continue;
        best = m;
        best_speed = speed;
    }
    return best;
}

/* Drivers take more than they report: the fastest one is asked first where its refusal does no harm, as the
 * call is still there and tries the next one. */
static unsigned fastest_taker(struct cx_launch *launch, cl_uint units) CX_HOLDS(cx_context_locked)
{
    const bool asked = atomic_load(&launch->base.asked) == CX_ASKED_WAITS;
    const unsigned sure = asked ? launch->base.context->nmembers : fastest_of(launch, true, units);
    return sure < launch->base.context->nmembers ? sure : fastest_of(launch, false, units);
}

/* Whether the kernel may use variables of its program's, of which each device has its own. */
static bool may_keep_state(const struct cx_launch *launch, bool *certain)
{
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, NULL);
    *certain = summary && summary->flags & CX_SUMMARY_PINNED;
    return *certain || !summary || summary->flags & CX_SUMMARY_OPAQUE;
}

/* All launches that may use such variables run where the first one did. Where that member cannot run one that
 * does for certain, it fails: elsewhere it would see other values. */
static unsigned place_with_state(struct cx_launch *launch, unsigned preferred, bool certain)
    CX_HOLDS(cx_context_locked)
{
    struct cx_program *program = launch->request.kernel->program;
    unsigned owner = atomic_load(&program->build.variables_owner), none = launch->base.context->nmembers;
    if (owner && cx_queue_takes(launch->base.queue, owner - 1)) {
        if (cx_kernel_runs_on(launch->request.kernel, owner - 1) &&
            cx_launch_prepare(launch, owner - 1) == CL_SUCCESS)
            return owner - 1;
        if (certain) {
            cx_warn(CX_TOPIC_PLAN,
                    "%s uses variables of its program, and the device that has them cannot run it",
                    launch->request.kernel->function->name);
            return none;
        }
    }
    unsigned best = preferred;
    if (preferred >= none || cx_launch_prepare(launch, preferred) != CL_SUCCESS)
        best = fastest_taker(launch, 0);
    if (!owner && best < none)
        atomic_store(&program->build.variables_owner, best + 1);
    return best;
}

/* Whether the owner of shared virtual memory accepts the launch, with the variables of its program. */
static bool place_at_svm_owner(struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    struct cx_program *program = launch->request.kernel->program;
    const unsigned owner = cx_svm_owner(launch->base.context);
    bool certain, state = may_keep_state(launch, &certain);
    unsigned kept = 0;
    if (!cx_kernel_runs_on(launch->request.kernel, owner) || cx_launch_prepare(launch, owner) != CL_SUCCESS)
        return false;
    if (state && !atomic_compare_exchange_strong(&program->build.variables_owner, &kept, owner + 1) &&
        kept != owner + 1 && certain) {
        if (cx_svm_has_argument(launch))
            cx_warn(CX_TOPIC_PLAN, "%s uses variables of its program, which another device has",
                    launch->request.kernel->function->name);
        return false;
    }
    return true;
}

/* ---- where the like ran before ---- */

/* Once the process is ending a CPU's compiler may be gone: then a member that has done the like before. */
static unsigned compiled(struct cx_launch *launch, unsigned best) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    if (best == context->nmembers || !history ||
        !(context->workers[best].device->type & CL_DEVICE_TYPE_CPU) ||
        cx_launch_knows(launch, history, best, CX_VARIANT_PLAIN, true))
        return best;
    for (unsigned m = 0; m < context->nmembers; m++)
        if (cx_launch_knows(launch, history, m, CX_VARIANT_PLAIN, true) && cx_plan_may_go_to(launch, m))
            return m;
    return best;
}

/* Where the last launch of an in-order queue ran whole, if that is a device like `best` and about as fast at
 * this one: kernels that share buffers should not each run on a GPU of its own because that was faster by a
 * hair. Or any, where bringing the data to `best` takes longer. compared: that was considered when `best` was
 * chosen. */
static unsigned stay(struct cx_launch *launch, unsigned best, bool compared) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_queue *queue = launch->base.queue;
    if (!queue->in_order || !queue->last_member || queue->last_member - 1 == best ||
        best == context->nmembers)
        return best;
    const unsigned last = queue->last_member - 1;
    const double own = cx_plan_measured_on(launch, best), there = cx_plan_measured_on(launch, last);
    const bool as_fast = own <= 0 || there <= 0 || there <= nearly * own;
    const bool stays = (cx_context_alike(context, best, last) && as_fast) ||
                       (!compared && cx_follow_data_stays(launch, last, best));
    return stays && cx_plan_may_go_to(launch, last) ? last : best;
}

bool cx_plan_is_alone(const struct cx_launch *launch)
{
    return launch->base.queue->in_order && atomic_load(&launch->base.context->nqueues) < 2;
}

/* ---- groups that wait for each other ---- */

/* Programs make as many of them as the device has compute units, by its word. */
static bool groups_wait(const struct cx_launch *launch)
{
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, NULL);
    for (uint32_t n = 0; summary && n < summary->nnote; n++)
        if (summary->note[n].reason == CX_REASON_GROUPS_WAIT)
            return true;
    return false;
}

/* How many the members have at most that have fewer than so many. */
static cl_uint fewer_units(const struct cx_context *context, cl_uint than)
{
    cl_uint most = 0;
    for (unsigned m = 0; m < context->nmembers; m++) {
        const cl_uint units = context->workers[m].device->compute_units;
        most = units < than && units > most ? units : most;
    }
    return most;
}

/* A member with the units that the program was shown, `best` if it has them; else the one with most. */
static unsigned place_together(struct cx_launch *launch, unsigned best) CX_HOLDS(cx_context_locked)
{
    static atomic_bool warned;
    const struct cx_context *context = launch->base.context;
    const cl_uint shown = launch->base.queue->device->units;
    cl_uint units = shown;
    unsigned chosen = best;
    while (units && context->workers[best].device->compute_units < units &&
           (chosen = fastest_taker(launch, units)) == context->nmembers)
        units = fewer_units(context, units);
    if (chosen == context->nmembers)
        chosen = best;
    if (context->workers[chosen].device->compute_units < shown && !atomic_exchange(&warned, true))
        cx_warn(
            CX_TOPIC_PLAN,
            "work-groups of %s wait for each other, and no device has the %u compute units shown: more than "
            "the %u that %s has may wait for ever (COEXEC_DEBUG=units=fastest)",
            launch->request.kernel->function->name, shown, context->workers[chosen].device->compute_units,
            context->workers[chosen].device->name);
    return chosen;
}

unsigned cx_plan_place(struct cx_launch *launch, unsigned preferred)
{
    struct cx_context *context = launch->base.context;
    unsigned best = preferred;
    bool certain;
    if (launch->decision.on_svm_owner) {
        /* a pointer that is passed is only good there, whatever sub-device the queue is of */
        const bool needs = cx_svm_has_argument(launch) || launch->request.args->nsvm;
        if ((needs || cx_queue_takes(launch->base.queue, cx_svm_owner(context))) &&
            place_at_svm_owner(launch))
            return cx_svm_owner(context);
        if (needs)
            return context->nmembers;
        launch->decision.on_svm_owner = false; /* it was but a suspicion */
    }
    if (may_keep_state(launch, &certain)) {
        best = place_with_state(launch, preferred, certain);
    } else {
        if (preferred >= context->nmembers || cx_device_load_is_straggler(&context->workers[preferred]) ||
            cx_take_refused(launch, preferred) ||
            (launch->acceptance.beyond && !cx_plan_fits(launch, preferred)) ||
            cx_launch_prepare(launch, preferred) != CL_SUCCESS)
            best = fastest_taker(launch, 0);
        best = stay(launch, best, best == preferred);
        if (best < context->nmembers && groups_wait(launch))
            return place_together(launch, best);
        if (cx_exit_guard_ending())
            return compiled(launch, best);
    }
    return cx_plan_is_alone(launch) || best == context->nmembers ? best : cx_plan_chains_place(launch, best);
}

void cx_plan_occupy(struct cx_launch *launch, unsigned member)
{
    if (!cx_plan_is_alone(launch) && !launch->decision.on_svm_owner)
        cx_plan_chains_note(launch, member);
}
