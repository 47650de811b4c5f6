/* SPDX-License-Identifier: MIT */
/*
 * Bookkeeping of re-executions: parts of a package in flight that other devices do again, and whose results
 * count.
 *
 * A package that is being re-executed is handed out from its end, in parts. If its holder ends first, the
 * parts count for nothing; if all parts are done first, the package is lost: its holder's results count for
 * nothing, and the groups are the others'. A part may itself be done again, whole, on further devices: the
 * first of them counts. A failure anywhere ends all that is under way of it, since results may have died with
 * it; they may begin anew. Which package is worth it is the policy's to say. Previous stage: balancer.c.
 */
#include "scheduler/policy.h"
#include <string.h>

static struct cx_flight *find_package(struct cx_balancer *balancer, uint64_t serial, unsigned *holder)
{
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        struct cx_device_state *device = &balancer->devices[i];
        for (unsigned k = 0; k < device->nflight; k++) {
            if (!device->flight[k].copy && device->flight[k].serial == serial) {
                *holder = i;
                return &device->flight[k];
            }
        }
    }
    return NULL;
}

static void forget_parts(struct cx_balancer *balancer, uint64_t serial)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < balancer->nparts; i++) {
        if (balancer->parts[i].serial != serial)
            balancer->parts[kept++] = balancer->parts[i];
    }
    balancer->nparts = kept;
}

void cx_reexecute_void(struct cx_balancer *balancer, uint64_t serial)
{
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        struct cx_device_state *device = &balancer->devices[i];
        for (unsigned k = 0; k < device->nflight; k++) {
            if (device->flight[k].copy && device->flight[k].serial == serial)
                device->flight[k].lost = true;
        }
    }
    forget_parts(balancer, serial);
}

/* Drops the copies of a package's parts; a re-execution may begin anew. */
static void restart(struct cx_balancer *balancer, struct cx_flight *package)
{
    cx_reexecute_void(balancer, package->serial);
    package->serial = balancer->serial++;
    package->handed = package->saved = 0;
}

void cx_reexecute_void_all(struct cx_balancer *balancer)
{
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        struct cx_device_state *device = &balancer->devices[i];
        for (unsigned k = 0; k < device->nflight; k++) {
            struct cx_flight *package = &device->flight[k];
            if (!package->copy && !package->lost && package->handed > 0)
                restart(balancer, package);
        }
    }
}

/* All parts are done: the package is theirs. */
static void take_over(struct cx_balancer *balancer, unsigned holder, struct cx_flight *package, double now)
{
    struct cx_device_state *victim = &balancer->devices[holder];
    package->lost = true;
    victim->assigned -= package->groups;
    victim->lost_groups = package->groups;
    victim->lost_seconds = now - (package == &victim->flight[0] ? victim->busy_since : package->issued);
    for (unsigned i = 0; i < balancer->nparts; i++) {
        const struct cx_reexecution_part *part = &balancer->parts[i];
        if (part->serial != package->serial)
            continue;
        balancer->devices[part->device].assigned += part->groups;
        balancer->devices[part->device].done += part->groups;
    }
    forget_parts(balancer, package->serial);
}

/* Others at the same part are too late. */
static void drop_twins(struct cx_balancer *balancer, const struct cx_flight *copy)
{
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        struct cx_device_state *device = &balancer->devices[i];
        for (unsigned k = 0; k < device->nflight; k++) {
            if (cx_reexecute_twins(&device->flight[k], copy))
                device->flight[k].lost = true;
        }
    }
}

/* One entry for each re-execution and device, so there is always room, however small the parts become. */
static void add_part(struct cx_balancer *balancer, struct cx_reexecution_part added)
{
    for (unsigned i = 0; i < balancer->nparts; i++) {
        struct cx_reexecution_part *part = &balancer->parts[i];
        if (part->serial == added.serial && part->device == added.device) {
            part->groups += added.groups;
            return;
        }
    }
    balancer->parts[balancer->nparts++] = added;
}

enum cx_done cx_reexecute_done(struct cx_balancer *balancer, unsigned index, const struct cx_flight *copy,
                               double now)
{
    unsigned holder = 0;
    struct cx_flight *package = copy->lost ? NULL : find_package(balancer, copy->serial, &holder);
    if (!package)
        return CX_DONE_DROPPED;
    drop_twins(balancer, copy);
    package->saved += copy->groups;
    add_part(balancer, (struct cx_reexecution_part){copy->serial, index, copy->groups});
    if (package->saved < package->groups)
        return CX_DONE_COPY;
    take_over(balancer, holder, package, now);
    return CX_DONE_REPLACES;
}

bool cx_reexecute_possible(const struct cx_balancer *balancer, unsigned victim, unsigned index)
{
    const struct cx_device_state *device = &balancer->devices[victim];
    const struct cx_flight *package = &device->flight[index];
    return balancer->parts && device->given.private_results && !package->lost &&
           package->first != CX_NOWHERE && package->handed < package->groups;
}

/* Copies in flight: each will want a place among the parts. */
static unsigned copies(const struct cx_balancer *balancer)
{
    unsigned count = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        for (unsigned k = 0; k < balancer->devices[i].nflight; k++)
            count += balancer->devices[i].flight[k].copy;
    }
    return count;
}

bool cx_balancer_reexecute(struct cx_balancer *balancer, unsigned index, double now,
                           struct cx_reexecution *reexecute)
{
    *reexecute = (struct cx_reexecution){.ask_next = 0};
    now = cx_number_clean(now);
    if (index >= balancer->ndevices || !balancer->parts || !balancer->policy->reexecute)
        return false;
    struct cx_device_state *device = &balancer->devices[index];
    device->given.absent = false;
    if (device->failed || device->nflight > 0 ||
        balancer->nparts + copies(balancer) >= cx_reexecute_room(balancer))
        return false;
    unsigned victim = 0, which = 0;
    uint64_t want = balancer->policy->reexecute(balancer, index, now, &victim, &which, &reexecute->ask_next);
    if (want == 0 || victim == index || !cx_reexecute_possible(balancer, victim, which))
        return false;
    struct cx_flight *package = &balancer->devices[victim].flight[which];
    if (package->copy)
        victim = package->victim;
    uint64_t end = package->first + package->groups - package->handed;
    uint64_t first = want < end - package->first && !package->copy ? end - want : package->first;
    first = first / balancer->granularity * balancer->granularity;
    first = first > package->first ? first : package->first;
    if (!package->copy)
        package->handed += end - first;
    *reexecute = (struct cx_reexecution){victim, package->serial, first, end - first, 0};
    device->busy_since = now;
    device->decision = CX_DECIDED_REEXECUTE;
    device->flight[device->nflight++] = (struct cx_flight){.groups = end - first,
                                                           .first = first,
                                                           .serial = package->serial,
                                                           .issued = now,
                                                           .fresh = true,
                                                           .copy = true,
                                                           .victim = victim};
    cx_flight_cost(balancer, &device->flight[device->nflight - 1]);
    return true;
}

uint64_t cx_balancer_oldest(const struct cx_balancer *balancer, unsigned index)
{
    return balancer->devices[index].flight[0].serial;
}

bool cx_balancer_holds(const struct cx_balancer *balancer, unsigned index, unsigned place)
{
    const struct cx_device_state *device = &balancer->devices[index];
    return place < device->nflight && !device->flight[place].copy && !device->flight[place].lost;
}
