/* SPDX-License-Identifier: MIT */
/*
 * Carries out the planner's decision about a launch. See start.h.
 */
#include "layer/launch/start.h"
#include "layer/launch/launch.h"
#include "layer/launch/prefix.h"
#include "layer/launch/verify.h"
#include "layer/launch/write_back.h"
#include "layer/plan/launch_form.h"
#include "layer/timeline/queue.h"

/* Whether something is left to do once the packages are over. */
static bool afterwards(const struct cx_launch *launch)
{
    for (unsigned i = 0; launch->decision.protocols && i < launch->request.args->count; i++)
        if (launch->decision.protocols[i] > CX_PROTOCOL_EXCLUSIVE)
            return true;
    return false;
}

/* Whether each member has run such packages before, so that its driver does not refuse them (take.h). */
static bool have_run(struct cx_launch *launch, const struct cx_split_plan *plan) CX_HOLDS(cx_context_locked)
{
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    bool known = cx_take_packages_known(launch, plan);
    for (unsigned p = 0; p < plan->n && known; p++)
        known = cx_launch_knows(launch, history, plan->member[p], plan->variant[p], false) ||
                cx_launch_knows(launch, history, plan->member[p], plan->variant[p], true);
    return known;
}

/* Whether it can be planned at once, as nothing is left to be found out while it runs: not whether a driver
 * refuses its package, either. */
static bool is_static(struct cx_launch *launch, const struct cx_split_plan *plan) CX_HOLDS(cx_context_locked)
{
    return !plan->done && cx_balancer_is_static(plan->balancer) &&
           launch->request.kernel->function->history->proven && !cx_launch_may_compile(launch, plan) &&
           have_run(launch, plan) && !plan->probes && !afterwards(launch) &&
           !cx_write_back_wants(launch, plan);
}

void cx_start_split(struct cx_launch *launch, struct cx_split_plan *plan)
{
    cx_verify_begin(launch, plan);
    if (is_static(launch, plan))
        cx_static_launch(launch, plan);
    else
        cx_split_launch(launch, plan);
}

/* WHOLE or FAIL. */
static void start_whole(struct cx_launch *launch, enum cx_plan_kind kind, unsigned member)
    CX_HOLDS(cx_context_locked)
{
    if (kind == CX_PLAN_FAIL) {
        cx_command_fail(&launch->base, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        return;
    }
    launch->base.queue->last_member = member + 1;
    cx_whole_launch(launch, member);
}

static void start_slices(struct cx_launch *launch, const struct cx_plan_decision *decision)
    CX_HOLDS(cx_context_locked)
{
    const unsigned member = decision->member;
    if (cx_prefix_begin(launch, decision->judged, member, decision->variant))
        launch->base.queue->last_member = member + 1;
    else
        start_whole(launch, cx_plan_whole(launch, member), member);
}

void cx_start_launch(struct cx_command *command)
{
    struct cx_launch *launch = (struct cx_launch *)command;
    struct cx_plan_decision decision;
    const enum cx_plan_kind kind = cx_plan_decide(launch, &decision);
    switch (kind) {
    case CX_PLAN_WAIT:
        cx_launch_waits(command);
        break;
    case CX_PLAN_SPLIT:
        cx_start_split(launch, &decision.split);
        break;
    case CX_PLAN_SLICES:
        start_slices(launch, &decision);
        break;
    case CX_PLAN_WHOLE:
    case CX_PLAN_FAIL:
        start_whole(launch, kind, decision.member);
    }
}
