/* SPDX-License-Identifier: MIT */
/*
 * Chooses buffers for remote access. See remote_access_rules.h.
 */
#include "layer/plan/remote_access_rules.h"
#include "layer/plan/device_load.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/memory/alias.h"
#include "layer/memory/peer.h"
#include "layer/plan/launch_prepare.h"
#include "layer/plan/merge_cost.h"
#include "layer/plan/plan_size.h"
#include "layer/program/kernel_bind.h"

#include <stdlib.h>

/* What peers copy, and what kernels read or write of another's memory, in bytes a second; a place not known
 * costs a sector at least. On two H200 kernels went at 361 and 369 GB/s, copies at 378 (2026-11-22). */
#define PEER_BYTES_PER_S 350e9
#define SECTOR_BYTES     32.0
/* Of a device's own memory, in passes over what is merged: as in plan_share.c. */
#define OWN_BYTES_PER_S 2e12
/* Waiting on the host for the others, after the launch. */
#define REMOTE_SECONDS 40e-6
/* Estimate, not measured: to have one more object over a buffer's memory. */
#define ALIAS_SECONDS 300e-6

/* ---- which buffers? ---- */

/* One decision. */
struct choice {
    struct cx_launch *launch;
    const struct cx_summary_kernel *kernel;
    const struct cx_access_means *means;
    struct cx_access_region *whole; /* by argument */
    const unsigned *member;
    unsigned n;
    unsigned owner, npeers; /* and how many members reach it, itself too */
};

static bool reaches(const struct cx_context *context, unsigned owner, unsigned member)
{
    return member == owner || (cx_peer_reaches(context->memory.peers, owner, member) &&
                               !cx_peer_broken(context->memory.peers, owner, member) &&
                               !cx_peer_remote_disabled(context->memory.peers, owner, member));
}

static bool is_touched(const struct cx_access_region *region)
{
    return region->read.lo < region->read.hi || region->write.lo < region->write.hi;
}

/* Whether the argument's buffer may be used by remote access at all; the argument is the first one with it.
 */
static bool is_able(const struct choice *choice, unsigned first)
{
    const struct cx_mem *root = cx_launch_mem(choice->launch, first);
    const struct cx_context *context = choice->launch->base.context;
    bool unknown = false;
    if (!root || root->root != root || root->image || root->storage->svm)
        return false;
    for (unsigned i = 0; i < choice->kernel->narg; i++) {
        const struct cx_mem *mem = cx_launch_mem(choice->launch, i);
        const struct cx_summary_arg *arg = &choice->kernel->arg[i];
        if (!mem || mem->root != root)
            continue;
        if (i < first || mem != root || arg->kind != CX_ARG_GLOBAL ||
            arg->touch & (CX_TOUCH_ATOMIC | CX_TOUCH_VOLATILE) ||
            (choice->means[i].protocol != CX_PROTOCOL_NONE && choice->means[i].protocol != CX_PROTOCOL_MERGE))
            return false;
        unknown |= choice->means[i].protocol == CX_PROTOCOL_MERGE ||
                   (!choice->whole[i].read.known && is_touched(&choice->whole[i]));
    }
    for (uint32_t i = 0; i < choice->kernel->naccess && unknown; i++) {
        const struct cx_mem *mem = cx_launch_mem(choice->launch, choice->kernel->access[i].arg);
        unknown = !mem || mem->root != root || choice->kernel->access[i].mode != CX_MODE_ATOMIC;
    }
    for (unsigned m = 0; m < choice->n && unknown; m++)
        unknown = cx_mem_place(root, &context->workers[choice->member[m]]) == 1 + choice->member[m] ||
                  !reaches(context, choice->owner, choice->member[m]);
    return unknown;
}

/* What each place lacks of what the launch touches of the root. */
static void add_lacking(const struct choice *choice, const struct cx_mem *root, uint64_t *lacking)
    CX_HOLDS(cx_context_locked)
{
    for (unsigned i = 0; i < choice->kernel->narg; i++) {
        const struct cx_access_interval *read = &choice->whole[i].read, *write = &choice->whole[i].write;
        if (cx_launch_mem(choice->launch, i) != root)
            continue;
        if (read->lo < read->hi)
            cx_coherence_lacking(root->storage->coherence, read->lo, read->hi, lacking);
        else if (write->lo < write->hi && !write->exact)
            cx_coherence_lacking(root->storage->coherence, write->lo, write->hi, lacking);
    }
}

/* ---- does it pay? ---- */

/* How often a work-item may execute an access: in kernels with loops, as if all of them together went once
 * over the longest other buffer that is read, as lists of indices are. */
static double times_each(const struct choice *choice, const struct cx_mem *root, double items)
{
    double most = items;
    for (unsigned i = 0; i < choice->kernel->narg && choice->kernel->nloop; i++) {
        const struct cx_mem *mem = cx_launch_mem(choice->launch, i);
        const struct cx_access_interval *read = &choice->whole[i].read;
        const uint32_t size = choice->kernel->arg[i].elem_size;
        if (mem && mem->root != root && read->lo < read->hi &&
            (double)(read->hi - read->lo) / (size ? size : 1) > most)
            most = (double)(read->hi - read->lo) / (size ? size : 1);
    }
    return most / items;
}

/* Bytes of the root that members other than the owner are expected to read and write over their links. */
static double remote_bytes_of(const struct choice *choice, const struct cx_mem *root)
{
    const double items = (double)cx_launch_items(&choice->launch->request.geometry);
    double bytes = 0;
    for (uint32_t i = 0; i < choice->kernel->naccess; i++) {
        const struct cx_access_record *record = &choice->kernel->access[i];
        if (cx_launch_mem(choice->launch, record->arg) != root)
            continue;
        const double size = record->len >= 0 ? (double)root->size : (double)record->size;
        bytes += size > SECTOR_BYTES ? size : SECTOR_BYTES;
    }
    return items * times_each(choice, root, items) * bytes * (choice->npeers - 1) / choice->npeers;
}

/* Seconds that a merge of all that the launch merges costs, by the last one of such a launch; 0: there was
 * none. */
static double merge_seconds(const struct choice *choice)
{
    const struct cx_merge_memory *memory = cx_merge_expect(choice->launch);
    if (!memory)
        return 0;
    return 4 * (double)cx_launch_bytes_by(choice->launch, CX_PROTOCOL_MERGE, choice->whole) /
               OWN_BYTES_PER_S +
           cx_plan_move_seconds(2 * (double)memory->combined);
}

/* The costs of a root: bytes that others access remotely, the seconds of that, and the seconds of copies on
 * each member. */
struct cost {
    double remote_bytes, there, copies;
};

/* The most that a member lacks. */
static double most_lacking(const struct choice *choice, const uint64_t *lacking)
{
    double most = 0;
    for (unsigned m = 0; m < choice->n; m++)
        if (reaches(choice->launch->base.context, choice->owner, choice->member[m]) &&
            (double)lacking[1 + choice->member[m]] > most)
            most = (double)lacking[1 + choice->member[m]];
    return most;
}

static struct cost cost_of(const struct choice *choice, const struct cx_mem *root) CX_HOLDS(cx_context_locked)
{
    uint64_t lacking[64] = {0};
    add_lacking(choice, root, lacking);
    const double remote_bytes = remote_bytes_of(choice, root), before = (double)lacking[1 + choice->owner];
    return (struct cost){remote_bytes, REMOTE_SECONDS + (before + remote_bytes) / PEER_BYTES_PER_S,
                         most_lacking(choice, lacking) / PEER_BYTES_PER_S};
}

/* Seconds that objects cost which are not there yet. */
static double alias_seconds(const struct choice *choice, const struct cx_mem *root)
{
    const struct cx_context *context = root->context;
    double seconds = 0;
    for (unsigned m = 0; m < choice->n; m++)
        if (choice->member[m] != choice->owner && reaches(context, choice->owner, choice->member[m]) &&
            !cx_alias_exists(root, choice->owner, choice->member[m]))
            seconds += ALIAS_SECONDS;
    return seconds;
}

/* Whether aliases pay by now: launches would have saved as much as they cost. */
static bool is_time(struct cx_mem *root, double gain, double once) CX_HOLDS(cx_context_locked)
{
    if (gain > 0 && once > 0)
        root->storage->remote_missed += gain;
    return gain > 0 && (once <= 0 || root->storage->remote_missed >= once);
}

/* Whether remote access to the root, which is only read, is expected to cost less than copies, which last
 * until it changes. */
static bool reads_pay(const struct choice *choice, struct cx_mem *root, const struct cost *cost)
    CX_HOLDS(cx_context_locked)
{
    const uint64_t writes = cx_coherence_writes(root->storage->coherence);
    if (root->storage->remote_since != writes) {
        root->storage->remote_since = writes;
        root->storage->remote_bytes = 0;
    }
    return is_time(root, cost->copies - cost->there - (double)root->storage->remote_bytes / PEER_BYTES_PER_S,
                   alias_seconds(choice, root));
}

/* Whether remote access to all roots that would be merged is expected to cost less. */
static bool writes_pay(const struct choice *choice) CX_HOLDS(cx_context_locked)
{
    struct cx_mem *root = NULL;
    double gain = merge_seconds(choice), once = 0;
    for (unsigned i = 0; i < choice->kernel->narg; i++)
        if (choice->means[i].protocol == CX_PROTOCOL_MERGE && is_able(choice, i)) {
            root = cx_launch_mem(choice->launch, i);
            const struct cost cost = cost_of(choice, root);
            gain += cost.copies - cost.there;
            once += alias_seconds(choice, root);
        }
    return root && is_time(root, gain, once);
}

/* ---- the choice ---- */

static bool set_ways(struct cx_launch *launch, const struct cx_mem *root)
{
    if (!launch->decision.protocols)
        launch->decision.protocols = calloc(launch->request.args->count, sizeof(*launch->decision.protocols));
    for (unsigned i = 0; launch->decision.protocols && i < launch->request.args->count; i++)
        if (cx_launch_mem(launch, i) == root)
            launch->decision.protocols[i] = CX_PROTOCOL_REMOTE;
    return launch->decision.protocols != NULL;
}

static void choose_root(const struct choice *choice, unsigned first, bool written) CX_HOLDS(cx_context_locked)
{
    struct cx_launch *launch = choice->launch;
    struct cx_mem *root = cx_launch_mem(launch, first);
    const bool asks = cx_options_get()->remote_access == CX_OPTION_REMOTE_ACCESS_AUTO;
    const struct cost cost = cost_of(choice, root);
    if (asks &&
        !(choice->means[first].protocol == CX_PROTOCOL_MERGE ? written : reads_pay(choice, root, &cost)))
        return;
    if (cx_mem_prepare(root, choice->owner) != CL_SUCCESS || !root->storage->peer ||
        !root->storage->peer[choice->owner] || !set_ways(launch, root))
        return;
    launch->decision.remote_access = true;
    launch->decision.remote_owner = choice->owner;
    launch->decision.remote_bytes += (uint64_t)cost.remote_bytes;
}

/* How many of the members reach the owner's memory. */
static unsigned count_peers(const struct choice *choice, unsigned owner)
{
    unsigned count = 0;
    for (unsigned m = 0; m < choice->n; m++)
        count += reaches(choice->launch->base.context, owner, choice->member[m]);
    return count;
}

/* Chooses as owner the member, among those that others reach, that lacks the fewest bytes of the possible
 * buffers. False: there is no such buffer or member. */
static bool choose_owner(struct choice *choice) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = choice->launch->base.context;
    uint64_t least = UINT64_MAX;
    unsigned owner = context->nmembers;
    for (unsigned m = 0; m < choice->n; m++) {
        uint64_t lacking[64] = {0};
        bool any = false;
        choice->owner = choice->member[m];
        if (cx_device_load_is_straggler(&context->workers[choice->owner]) ||
            count_peers(choice, choice->owner) < 2)
            continue;
        for (unsigned i = 0; i < choice->kernel->narg; i++)
            if (is_able(choice, i)) {
                add_lacking(choice, cx_launch_mem(choice->launch, i), lacking);
                any = true;
            }
        if (!any)
            return false;
        if (lacking[1 + choice->owner] < least) {
            least = lacking[1 + choice->owner];
            owner = choice->owner;
        }
    }
    choice->owner = owner;
    if (owner < context->nmembers)
        choice->npeers = count_peers(choice, owner);
    return owner < context->nmembers;
}

void cx_remote_access_choose(struct cx_launch *launch, const struct cx_cached_verdict *judged,
                             const unsigned *member, unsigned n)
{
    struct cx_context *context = launch->base.context;
    launch->decision.remote_access = false;
    launch->decision.remote_bytes = 0;
    if (!context->memory.peers || cx_options_get()->remote_access == CX_OPTION_REMOTE_ACCESS_NEVER ||
        !launch->request.args->count || !cx_peers_are_open(context))
        return;
    struct choice choice = {.launch = launch,
                            .kernel = cx_kernel_summary(launch->request.kernel, NULL),
                            .means = cx_access_means(judged->access),
                            .member = member,
                            .n = n};
    if (!choice.kernel || choice.kernel->narg != launch->request.args->count ||
        !(choice.whole = cx_access_regions_make(launch->request.args->count)))
        return;
    cx_access_whole(judged->access, choice.whole);
    if (choose_owner(&choice)) {
        const bool written = writes_pay(&choice);
        for (unsigned i = 0; i < launch->request.args->count; i++)
            if (is_able(&choice, i))
                choose_root(&choice, i, written);
    }
    free(choice.whole);
}

bool cx_remote_access_confirm(struct cx_launch *launch, const unsigned *member, unsigned n)
{
    const struct cx_context *context = launch->base.context;
    bool confirmed = true;
    for (unsigned m = 0; m < n && confirmed; m++) {
        confirmed = reaches(context, launch->decision.remote_owner, member[m]);
        for (unsigned i = 0;
             i < launch->request.args->count && confirmed && member[m] != launch->decision.remote_owner; i++)
            confirmed = launch->decision.protocols[i] != CX_PROTOCOL_REMOTE ||
                        cx_alias_get(cx_launch_mem(launch, i), launch->decision.remote_owner, member[m]);
    }
    launch->decision.remote_access = confirmed;
    if (!confirmed) {
        launch->decision.remote_bytes = 0;
        return false;
    }
    unsigned count = 0;
    for (unsigned i = 0; i < launch->request.args->count; i++)
        count += launch->decision.protocols[i] == CX_PROTOCOL_REMOTE;
    for (unsigned i = 0; i < launch->request.args->count; i++)
        if (launch->decision.protocols[i] == CX_PROTOCOL_REMOTE)
            cx_launch_mem(launch, i)->storage->remote_bytes += launch->decision.remote_bytes / count;
    cx_info(CX_TOPIC_PLAN, "%s uses buffers by remote access on %s: other devices access %.3f MB at most",
            launch->request.kernel->function->name,
            context->workers[launch->decision.remote_owner].device->name,
            (double)launch->decision.remote_bytes / 1e6);
    return true;
}
