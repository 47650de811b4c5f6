/* SPDX-License-Identifier: MIT */
/*
 * Chains of whole launches on several devices. See plan_chains.h.
 */
#include "layer/plan/plan_chains.h"
#include "layer/plan/bounds.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/driver/account.h"
#include "layer/plan/compile_ahead.h"
#include "layer/plan/device_load.h"
#include "layer/plan/launch_form.h"
#include "layer/plan/launch_prepare.h"
#include "layer/plan/plan_open.h"
#include "layer/plan/plan_size.h"
#include "layer/plan/plan_stake.h"
#include "layer/plan/policy.h"
#include "layer/program/build_deferred.h"
#include "layer/program/kernel_bind.h"
#include "layer/program/program.h"
#include "layer/timeline/queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Launches that are shorter never begin it: waking another device takes some tens of microseconds. */
#define LONG_SECONDS 100e-6
/* Once chains were moved one launch of so many is timed, as devices may become slower: no multiple of the
 * number of chains that programs have. */
enum { TIMED = 7 };
/* How much longer than estimated moves may take. */
#define MOVES_BOUND 2.0
/* Times on devices that are alike may differ so much by chance. */
#define ABOUT_AS_LONG 1.25

/* A launch and its chain. */
struct asked {
    struct cx_chains_launch launch; /* at home */
    uint64_t of;
    double now, ready; /* host clock, seconds */
};

/* planner->chains */
struct cx_noted_chains {
    struct cx_chains last;
    const struct cx_launch *placed; /* that `asked` is of, until it is noted; only compared */
    struct asked asked;
};

/* Whether the member takes the launch, if its memory has room. */
static bool takes(const struct cx_launch *launch, unsigned member) CX_HOLDS(cx_context_locked)
{
    const struct cx_worker *worker = &launch->base.context->workers[member];
    return !cx_device_load_is_straggler(worker) && !atomic_load(&worker->left_out) &&
           cx_queue_takes(launch->base.queue, member) && cx_kernel_runs_on(launch->request.kernel, member) &&
           cx_plan_fits(launch, member);
}

bool cx_plan_may_go_to(struct cx_launch *launch, unsigned member)
{
    return takes(launch, member) && cx_launch_prepare(launch, member) == CL_SUCCESS;
}

/* ---- how long ---- */

/* Seconds of the launch by its kernel's times on that member; 0: never measured there. */
static double measured(const struct cx_launch *launch, unsigned m) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    const double mean = history ? cx_chains_times_mean(&history->times[m]) : 0;
    if (mean > 0)
        return mean * (double)cx_launch_items(&launch->request.geometry);
    const double seconds = cx_plan_measured_on(launch, m);
    return seconds > 0 || !cx_context_alike(context, m, context->fastest) ? seconds : cx_plan_length(launch);
}

/* How long it runs on a member, and how many times as long it may. Seconds 0: nothing is known. */
struct expected {
    double seconds, bound;
};

static struct expected expected_on(const struct cx_launch *launch, unsigned m) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_real_device *device = context->workers[m].device;
    struct expected expected = {measured(launch, m), CX_BOUND_MEASURED};
    for (unsigned other = 0; expected.seconds <= 0 && other < 2 * context->nmembers; other++) {
        const struct cx_real_device *known = context->workers[other % context->nmembers].device;
        const bool like = cx_plan_akin(device, known);
        if (like || other >= context->nmembers) /* those that are like it come first */
            expected = (struct expected){measured(launch, other % context->nmembers) * known->nominal_gflops /
                                             device->nominal_gflops,
                                         like ? CX_BOUND_ALIKE : CX_BOUND_UNKNOWN};
    }
    return expected;
}

/* What drivers do once, seconds at most. */
static double first_seconds(const struct cx_launch *launch, unsigned m) CX_HOLDS(cx_context_locked)
{
    const struct cx_worker *worker = &launch->base.context->workers[m];
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    if (worker->device->type & CL_DEVICE_TYPE_CPU)
        return history && cx_launch_compiled(launch, history, m, CX_VARIANT_PLAIN, true)
                   ? 0
                   : cx_plan_compiles(worker);
    if (worker->timeline.planned == 0)
        return CX_BOUND_FIRST_USE;
    return history && cx_launch_knows(launch, history, m, CX_VARIANT_PLAIN, true) ? 0 : CX_BOUND_FIRST_KERNEL;
}

/* What it lacks on a member. */
struct moves {
    double there; /* seconds to bring that */
    double back;  /* ... and to bring what it writes back from there */
    bool others;  /* some of it is on other members alone, which have to do their work first */
};

static struct moves moves_to(const struct cx_launch *launch, unsigned home, unsigned m)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_summary_kernel *summary = cx_launch_accesses(launch->request.kernel);
    const struct cx_worker *worker = &context->workers[m], *from = &context->workers[home];
    struct moves moves = {0, 0, false};
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        uint64_t lacking[CX_MEMBERS_MAX + 2] = {0};
        if (!mem)
            continue;
        cx_coherence_lacking(mem->storage->coherence, mem->origin, mem->origin + mem->size, lacking);
        if (lacking[cx_mem_place(mem->root, worker)] > 0) {
            const struct cx_plan_bring bring = cx_plan_bring(worker, mem->root, lacking);
            moves.there += CX_LEAST_MOVE_SECONDS + bring.host + bring.others;
            moves.others |= bring.others > 0;
        }
        if (cx_mem_place(mem->root, worker) != CX_PLACE_HOST &&
            cx_launch_args_may_write(launch->request.args, summary, i))
            moves.back +=
                CX_LEAST_MOVE_SECONDS + cx_plan_exchange_seconds(from, mem->root, (double)mem->size);
    }
    return moves;
}

/* ---- what it depends on ---- */

/* Nothing a kernel does may depend on which device it runs on; state that only one device has would. */
static bool is_bound(const struct cx_launch *launch)
{
    const struct cx_summary_kernel *summary = cx_kernel_summary(launch->request.kernel, NULL);
    if (!summary || summary->flags & CX_SUMMARY_OPAQUE)
        return true;
    for (uint32_t n = 0; n < summary->nnote; n++)
        switch (summary->note[n].reason) {
        case CX_REASON_DEVICE_ENQUEUE:
        case CX_REASON_PIPE:
        case CX_REASON_PROGRAM_VARIABLE:
        case CX_REASON_POINTER_STORED:
        case CX_REASON_POINTER_UNRESOLVED:
        case CX_REASON_POINTER_INTEGER:
        case CX_REASON_INLINE_ASM:
        case CX_REASON_OPAQUE_CALL:
        case CX_REASON_INDIRECT_CALL:
            return true;
        default:
            break;
        }
    return false;
}

/* Members that could run it once it is built there, as bits. */
static uint64_t able(const struct cx_launch *launch, unsigned member)
{
    const struct cx_context *context = launch->base.context;
    uint64_t able = UINT64_C(1) << member;
    if (is_bound(launch))
        return able;
    for (unsigned m = 0; m < context->nmembers; m++)
        if (cx_queue_takes(launch->base.queue, m) &&
            (cx_kernel_runs_on(launch->request.kernel, m) ||
             cx_build_deferred_on(launch->request.kernel->program, m)))
            able |= UINT64_C(1) << m;
    return able;
}

/* Up to which position of a timeline the launch depends on it. */
static uint64_t depends_on(const struct cx_launch *launch, unsigned timeline) CX_HOLDS(cx_context_locked)
{
    const struct cx_command *command = &launch->base;
    const uint64_t own = command->order.frontier[timeline], queue = command->queue->frontier[timeline];
    return command->queue->in_order && queue > own ? queue : own;
}

static double seconds_of(uint64_t ns)
{
    return (double)ns * 1e-9;
}

/* When the member will have done what is planned, by the host's clock. */
static double busy_until(const struct cx_context *context, unsigned m, double now) CX_HOLDS(cx_context_locked)
{
    struct cx_worker *worker = &context->workers[m];
    return cx_worker_idle(worker) ? now : fmax(seconds_of(cx_device_load_of(worker)->busy_until), now);
}

/* When all that the launch waits for wherever it runs is over: what it depends on, and its chain. */
static double ready_at(const struct cx_launch *launch, uint64_t of, double now) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_chains *chains = &context->planner->chains->last;
    double ready = now;
    for (unsigned t = 0; t < context->nmembers; t++) {
        const uint64_t position = depends_on(launch, t);
        if (cx_worker_idle(&context->workers[t]))
            continue;
        ready = fmax(ready, cx_chains_over(chains, of, t));
        if (position > atomic_load(&context->workers[t].timeline.completed))
            ready = fmax(ready, cx_chains_past(chains, t, position));
    }
    return ready;
}

/* ---- the question ---- */

/* Where the chain's newest launch ran, if it was moved there, or if that is as good as `best`. */
static unsigned home_of(struct cx_launch *launch, uint64_t of, unsigned best, bool *moved)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const unsigned home = cx_chains_home(&context->planner->chains->last, of, best, moved);
    const bool stays = home == best ||
                       ((*moved || cx_context_alike(context, home, best)) && cx_plan_may_go_to(launch, home));
    *moved &= stays;
    return stays ? home : best;
}

static struct asked ask(struct cx_launch *launch, unsigned best) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_queue *queue = launch->base.queue;
    const struct cx_summary_kernel *summary = cx_launch_accesses(launch->request.kernel);
    struct asked asked = {.now = seconds_of(cx_clock_ns())};
    struct cx_chains_launch *own = &asked.launch;
    if (queue->in_order)
        cx_chains_use(own, &(struct cx_chains_touch){queue, 0, 1, true});
    for (unsigned i = 0; i < launch->request.args->count; i++) {
        const struct cx_mem *mem = cx_launch_mem(launch, i);
        if (mem)
            cx_chains_use(
                own, &(struct cx_chains_touch){mem->storage, mem->origin, mem->origin + mem->size,
                                               cx_launch_args_may_write(launch->request.args, summary, i)});
    }
    own->program = launch->request.kernel->program->base.id;
    own->kernel = launch->request.kernel->function;
    own->items = (double)cx_launch_items(&launch->request.geometry);
    asked.of = cx_chains_of(&context->planner->chains->last, own);
    own->home = home_of(launch, asked.of, best, &own->moved);
    own->able = able(launch, own->home);
    own->seconds = expected_on(launch, own->home).seconds;
    cx_chains_know(&context->planner->chains->last, own);
    asked.ready = ready_at(launch, asked.of, asked.now);
    own->waits = fmax(busy_until(context, own->home, asked.now) - asked.ready, 0);
    return asked;
}

/* ---- a move ---- */

/* How long it runs on another member: on one like its own as long, unless times there are quite different. */
static struct expected expected_there(const struct cx_launch *launch, const struct asked *asked, unsigned m)
    CX_HOLDS(cx_context_locked)
{
    struct expected there = expected_on(launch, m);
    const double ratio = there.seconds / asked->launch.seconds;
    if (cx_context_alike(launch->base.context, asked->launch.home, m) &&
        fmax(ratio, 1 / ratio) < ABOUT_AS_LONG)
        there.seconds = asked->launch.seconds;
    return there;
}

/* What each launch of the chain gains on that member on the mean if this one runs so long there; 0: not
 * enough to count. */
static double gain_if(const struct cx_launch *launch, const struct asked *asked, unsigned m, double there)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_chains_question question = {&asked->launch, asked->of, m, there / asked->launch.seconds};
    const double gain =
        there > 0 ? cx_chains_gain(&launch->base.context->planner->chains->last, &question) : 0;
    /* to where the program alone would have run it a little is enough: what led away may have been wrong */
    const double least = m == launch->base.queue->fastest ? CX_BUDGET_SMALL : CX_BUDGET_GAIN;
    return gain > least * (there + gain) ? gain : 0;
}

static double gain_on(const struct cx_launch *launch, const struct asked *asked, unsigned m)
    CX_HOLDS(cx_context_locked)
{
    return gain_if(launch, asked, m, expected_there(launch, asked, m).seconds);
}

/* ... if the member, which was never measured at the kernel, is as much faster than estimated as it may be
 * slower: nominal speeds tell little. 0: that is known, or would not help either. */
static double hope_on(const struct cx_launch *launch, const struct asked *asked, unsigned m)
    CX_HOLDS(cx_context_locked)
{
    const struct expected there = expected_there(launch, asked, m);
    if (!launch->base.context->account || there.bound <= CX_BOUND_MEASURED)
        return 0;
    return gain_if(launch, asked, m, there.seconds / there.bound);
}

/* What is at stake if the chain moves to the member with this launch, which gains so much on the mean. */
static struct cx_stake stake_of(const struct cx_launch *launch, const struct asked *asked, unsigned m,
                                double gain) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const struct expected there = expected_there(launch, asked, m);
    const struct moves moves = moves_to(launch, asked->launch.home, m);
    const double home = fmax(busy_until(context, asked->launch.home, asked->now), asked->ready);
    double begins = fmax(busy_until(context, m, asked->now), asked->ready);
    if (moves.others) /* whoever has it gives it behind its own work */
        begins = fmax(begins, home);
    const double sooner = home + asked->launch.seconds - begins - moves.there - there.seconds;
    const double whole = there.seconds + gain, split = whole - fmin(sooner, gain);
    return (struct cx_stake){.whole = whole,
                             .split = split,
                             .worst = split + (there.bound - 1) * there.seconds +
                                      (MOVES_BOUND - 1) * moves.there + MOVES_BOUND * moves.back +
                                      first_seconds(launch, m),
                             .later = there.seconds};
}

/* Whether the kernel was never measured on the member, apart from what its driver did once. */
static bool is_unmeasured(const struct cx_launch *launch, unsigned m) CX_HOLDS(cx_context_locked)
{
    const struct cx_kernel_history *history = launch->request.kernel->function->history;
    return !history || history->times[m].n == 0;
}

/* Until the kernel is measured on a member one chain at a time goes there. */
static bool may_move_to(const struct cx_launch *launch, const struct asked *asked, unsigned m)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    return cx_worker_is_open(&context->workers[m]) &&
           (!cx_options_get()->reproducible || cx_context_alike(context, asked->launch.home, m)) &&
           (cx_worker_idle(&context->workers[m]) || !is_unmeasured(launch, m)) && takes(launch, m);
}

/* Whether the stake is taken; reserves what it may lose. */
static bool is_affordable(struct cx_launch *launch, const struct cx_stake *stake, unsigned m)
    CX_HOLDS(cx_context_locked)
{
    struct cx_context *context = launch->base.context;
    struct cx_kernel_history *history =
        cx_kernel_history_of(launch->request.kernel->function, context->nmembers);
    double reserved = 0;
    if (!history)
        return false;
    /* to where the program alone would have run it, and sooner: no loss against that stands in its way */
    const bool back = m == launch->base.queue->fastest && cx_stake_risk(stake) <= 0;
    const enum cx_stake_verdict verdict =
        context->account && !back ? cx_account_decide(context->account, &history->moves[m], stake, &reserved)
                                  : CX_STAKE_SPLIT;
    cx_budget_alone(&history->moves[m]);
    cx_debug(CX_TOPIC_PLAN,
             "%s on %s: its chain gains %.3f ms a launch, this one %.3f, loses at most %.3f: %s",
             launch->request.kernel->function->name, context->workers[m].device->name,
             (stake->whole - stake->later) * 1e3, (stake->whole - stake->split) * 1e3,
             cx_stake_risk(stake) * 1e3, cx_stake_splits(verdict) ? "moved" : "stays");
    if (!cx_stake_splits(verdict)) {
        cx_compile_ahead_missed(launch, CX_COMPILE_WHOLE, CX_VARIANT_PLAIN, stake->whole - stake->later,
                                first_seconds(launch, m));
        return false;
    }
    launch->move = (struct cx_launch_move){.whole = stake->whole,
                                           .expected = stake->split,
                                           .seconds = stake->later,
                                           .reserved = reserved,
                                           .invests = stake->split >= stake->whole,
                                           .to = m,
                                           .back = back,
                                           .first = first_seconds(launch, m) > 0};
    return true;
}

bool cx_plan_chains_may_move(const struct cx_launch *launch)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_queue *queue = launch->base.queue;
    return queue->members & (queue->members - 1) && !context->memory.svm.n &&
           !(queue->in_order && atomic_load(&context->nqueues) < 2) && !cx_plan_policy(launch)->keeps_whole &&
           !is_bound(launch);
}

bool cx_plan_chains_wait(const struct cx_launch *launch, unsigned member)
{
    const struct cx_context *context = launch->base.context;
    const uint64_t planned = context->workers[member].timeline.planned;
    return depends_on(launch, member) < planned &&
           atomic_load(&context->workers[member].timeline.completed) < planned &&
           cx_plan_chains_may_move(launch);
}

/* Whether launches are noted: one that lasts waited for others lately. */
static bool notes(const struct cx_launch *launch, unsigned best) CX_HOLDS(cx_context_locked)
{
    struct cx_planner *planner = launch->base.context->planner;
    if (cx_plan_chains_wait(launch, best) && expected_on(launch, best).seconds >= LONG_SECONDS)
        planner->noting = CX_CHAINS_LAUNCHES;
    if (planner->noting && !planner->chains)
        planner->chains = calloc(1, sizeof(*planner->chains));
    return planner->noting && planner->chains;
}

/* It lacks the build for another member, if it is not known to lack one for a split as well. */
static void lack(struct cx_launch *launch) CX_HOLDS(cx_context_locked)
{
    if (launch->deferral.lacks_builds)
        return;
    launch->deferral.lacks_builds = true;
    launch->deferral.missing_variant = CX_VARIANT_PLAIN;
    cx_plan_want(launch, CX_VARIANT_PLAIN);
}

/* Whether the account holds what finding out may lose: opening the member, and a launch there. */
static bool may_find_out(const struct cx_launch *launch, const struct asked *asked, unsigned m)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_stake stake = stake_of(launch, asked, m, 0);
    const bool closed = atomic_load(&context->workers[m].state) == CX_WORKER_CLOSED;
    return cx_stake_risk(&stake) + (closed ? cx_plan_opening_price(context, m) : 0) <=
           cx_account_left_for_curiosity(context->account);
}

/* The member on which the chain would gain most if estimates, by which it gains on none, are wrong; its own:
 * on none. Notes what the launch lacks to find out, where the account holds that. */
static unsigned curious_for(struct cx_launch *launch, const struct asked *asked, uint64_t all)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_program *program = launch->request.kernel->program;
    unsigned chosen = asked->launch.home;
    double most = 0;
    for (unsigned m = 0; m < context->nmembers; m++) {
        const double hope = all >> m & 1 && m != asked->launch.home ? hope_on(launch, asked, m) : 0;
        if (hope > 0 && cx_build_deferred_on(program, m) && may_find_out(launch, asked, m))
            lack(launch);
        if (hope > most && may_move_to(launch, asked, m)) {
            most = hope;
            chosen = m;
        }
    }
    return chosen;
}

/* The member on which the chain gains most, or, as far as is known, on none, may gain; its own: on none.
 * Notes what the launch lacks for that. */
static unsigned best_for(struct cx_launch *launch, const struct asked *asked, double *most)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = launch->base.context;
    const struct cx_program *program = launch->request.kernel->program;
    const uint64_t all =
        cx_chains_able(&context->planner->chains->last, asked->of, asked->launch.program, asked->launch.able);
    unsigned chosen = asked->launch.home;
    *most = 0;
    for (unsigned m = 0; m < context->nmembers; m++) {
        const double gain = all >> m & 1 && m != asked->launch.home ? gain_on(launch, asked, m) : 0;
        if (gain > 0 && cx_build_deferred_on(program, m))
            lack(launch);
        if (gain > *most && may_move_to(launch, asked, m)) {
            *most = gain;
            chosen = m;
        }
    }
    return chosen == asked->launch.home ? curious_for(launch, asked, all) : chosen;
}

/* The member has no room for it: that is not asked anew for each launch. */
static void fail_to_move(struct cx_launch *launch, unsigned m, double seconds) CX_HOLDS(cx_context_locked)
{
    struct cx_budget_record *moves = &launch->request.kernel->function->history->moves[m];
    cx_plan_chains_drop(launch);
    moves->lost += seconds;
    moves->excess += seconds;
}

/* It stays where its chain is. If that moved there, it may have to go back: until the member is measured what
 * a launch there takes is known before the next one goes there, so that no more is lost than the account
 * held; later it is planned late, also in a queue without order, as how long others keep `best` busy is known
 * better then. */
static unsigned stay(struct cx_launch *launch, const struct asked *asked, unsigned best)
    CX_HOLDS(cx_context_locked)
{
    const unsigned home = asked->launch.home;
    const struct cx_worker *worker = &launch->base.context->workers[home];
    launch->deferral.follows_move = asked->launch.moved && launch->base.context->account &&
                                    is_unmeasured(launch, home) &&
                                    atomic_load(&worker->timeline.completed) < worker->timeline.planned;
    launch->deferral.may_move |= asked->launch.moved && home != best &&
                                 expected_on(launch, home).seconds >= LONG_SECONDS &&
                                 cx_plan_chains_may_move(launch);
    return home;
}

unsigned cx_plan_chains_place(struct cx_launch *launch, unsigned best)
{
    struct cx_context *context = launch->base.context;
    double gain;
    cx_plan_chains_drop(launch); /* it was planned before, and held */
    launch->deferral.may_move = launch->base.queue->in_order &&
                                expected_on(launch, best).seconds >= LONG_SECONDS &&
                                cx_plan_chains_may_move(launch);
    if (!notes(launch, best))
        return best;
    context->planner->chains->asked = ask(launch, best);
    context->planner->chains->placed = launch;
    const struct asked *asked = &context->planner->chains->asked;
    const unsigned home = asked->launch.home;
    const unsigned chosen = asked->launch.seconds > 0 ? best_for(launch, asked, &gain) : home;
    if (chosen == home)
        return stay(launch, asked, best);
    const struct cx_stake stake = stake_of(launch, asked, chosen, gain);
    if (!is_affordable(launch, &stake, chosen))
        return stay(launch, asked, best);
    if (cx_launch_prepare(launch, chosen) != CL_SUCCESS) {
        fail_to_move(launch, chosen, asked->launch.seconds);
        return home;
    }
    cx_info(CX_TOPIC_PLAN, "%s goes to %s, where its chain does not wait for others",
            launch->request.kernel->function->name, context->workers[chosen].device->name);
    return chosen;
}

/* What a move lost is made good by launches since. */
static void count_since(const struct cx_launch *launch, double seconds) CX_HOLDS(cx_context_locked)
{
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    for (unsigned m = 0; history && m < launch->base.context->nmembers; m++)
        history->moves[m].since += seconds;
}

void cx_plan_chains_note(struct cx_launch *launch, unsigned member)
{
    struct cx_context *context = launch->base.context;
    struct cx_worker *worker = &context->workers[member];
    struct cx_planner *planner = context->planner;
    const uint64_t members = launch->base.queue->members;
    if (!(members & (members - 1)))
        return;
    const double seconds = expected_on(launch, member).seconds;
    cx_device_load_add(worker, seconds * 1e9);
    if (!planner->noting || !planner->chains)
        return;
    if (planner->chains->placed != launch)
        planner->chains->asked = ask(launch, member);
    planner->chains->placed = NULL;
    struct asked *asked = &planner->chains->asked;
    struct cx_chains *chains = &planner->chains->last;
    planner->noting--;
    count_since(launch, seconds);
    if (launch->move.whole > 0)
        cx_chains_move(chains, &(struct cx_chains_question){&asked->launch, asked->of, member,
                                                            seconds / asked->launch.seconds});
    launch->move.timed = launch->move.whole > 0 || (asked->launch.moved && is_unmeasured(launch, member)) ||
                         (chains->moves && chains->n % TIMED == 0);
    asked->launch.moved = launch->move.whole > 0 || asked->launch.moved;
    asked->launch.home = asked->launch.device = member;
    asked->launch.seconds = seconds;
    asked->launch.ends = seconds_of(cx_device_load_of(worker)->busy_until);
    asked->launch.position = worker->timeline.planned + 1;
    cx_chains_add(chains, &asked->launch);
}

/* ---- its account ---- */

void cx_plan_chains_drop(struct cx_launch *launch)
{
    struct cx_context *context = launch->base.context;
    struct cx_budget_record nothing = {0};
    if (launch->move.whole > 0 && context->account)
        (void)cx_account_settle(context->account, &nothing, launch->move.reserved, 0, 0, false, false, false);
    launch->move = (struct cx_launch_move){0};
    if (context->planner->chains && context->planner->chains->placed == launch)
        context->planner->chains->placed = NULL;
}

void cx_plan_chains_end(struct cx_launch *launch)
{
    struct cx_context *context = launch->base.context;
    const struct cx_launch_move *move = &launch->move;
    if (!(move->whole > 0))
        return;
    cx_context_lock(context);
    struct cx_kernel_history *history = launch->request.kernel->function->history;
    struct cx_budget_record nothing = {0};
    /* that tells of moves there */
    struct cx_budget_record *record = move->back ? &nothing : &history->moves[move->to];
    const double took = atomic_load(&launch->base.error) < 0 ? 0 : seconds_of(launch->run.busy_ns);
    const double elapsed = move->expected + took - move->seconds;
    const double lost =
        took > 0 && context->account
            ? cx_account_moved(context->account, record, move->reserved, move->whole, elapsed, move->first)
            : 0;
    if (lost > 0 && move->invests)
        cx_budget_invested(record, fmin(lost, move->reserved));
    if (took > 0)
        launch->move = (struct cx_launch_move){0};
    cx_plan_chains_drop(launch);
    cx_context_unlock(context);
}
