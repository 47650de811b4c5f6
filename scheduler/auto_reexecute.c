/* SPDX-License-Identifier: MIT */
/*
 * When nothing is left: which of the packages that others hold an idle device should do again, and how much
 * of it. Previous stage: auto.h. Next: reexecute.c, the books of it.
 */
#include "scheduler/auto.h"
#include <math.h>

/* A re-execution has to end within this part of the time until the package would be done without it. */
static const double reexecution_gain = 0.9;
/* A package late by that part of what doing it again takes is not waited for, however unsure lengths are. */
static const double wait_part = 0.25;
/* A device is asked for its next package before the one it holds should be over, by what that ends early for
 * an error of so many deviations. */
static const double early = 0.5;
/* Fillings of the device for which a package drains: up to 2.5 were seen on H100 and H200 (nbody's). */
static const double drain_ahead = 2.2;
/* Launches, or seconds, that a re-execution has to gain, and that a package may be late, since ends are
 * noticed that late. */
static const double launches_worth = 4, most_worth = 500e-6;
/* What is done again in one go: such a part of it, but worth so many launches. */
static const double part_a_go = 0.125, launches_a_go = 20;

/* When the package at that place in flight will end, in seconds from now. */
static double end_of_package(const struct cx_balancer *balancer, unsigned index, unsigned place, double now)
{
    const struct cx_auto *data = balancer->data;
    const struct cx_device_state *device = &balancer->devices[index];
    double speed = data->device[index].view.belief, launch = device->given.launch_seconds;
    double worked = fmax(now - device->busy_since, 0), end = 0;
    for (unsigned k = 0; k <= place; k++) {
        double length = launch + cx_auto_filled(balancer, device, &device->flight[k]) / speed;
        if (k == 0) {
            length += data->device[index].view.fixed;
            double room = balancer->params.auto_safety * cx_auto_deviation(balancer, index);
            length = worked > (1 + room) * length ? worked : fmax(length - worked, room * length);
        }
        end += length;
    }
    return end;
}

double cx_auto_due(const struct cx_balancer *balancer, unsigned index, double now)
{
    const struct cx_auto *data = balancer->data;
    const struct cx_device_state *device = &balancer->devices[index];
    const struct cx_auto_view *view = &data->device[index].view;
    if (device->nflight != 1 || !device->given.overlaps)
        return INFINITY;
    const struct cx_flight *package = &device->flight[0];
    const double each = cx_auto_cost(balancer, package) / (double)package->groups;
    const double drain = drain_ahead * (double)device->given.fill * each / view->belief;
    const double length = cx_auto_filled(balancer, device, package) / view->belief;
    const double room = balancer->params.auto_safety * cx_auto_deviation(balancer, index) * length;
    const double end = device->busy_since + device->given.launch_seconds + view->fixed + length;
    return end - now - (drain + CX_AUTO_REPLY + view->launch + early * room);
}

/* Seconds that the oldest package there has taken beyond what was predicted. */
static double lateness(const struct cx_balancer *balancer, unsigned index, double now)
{
    const struct cx_auto *data = balancer->data;
    const struct cx_device_state *device = &balancer->devices[index];
    const struct cx_auto_view *view = &data->device[index].view;
    const double filled = cx_auto_at_most(balancer, device, &device->flight[0]);
    return now - device->busy_since - device->given.launch_seconds - view->fixed - filled / view->belief;
}

/* When the groups of a package will be done, or of a copy: by itself or one of its twins. */
static double end_of_work(const struct cx_balancer *balancer, unsigned index, unsigned place, double now)
{
    const struct cx_flight *flight = &balancer->devices[index].flight[place];
    double end = end_of_package(balancer, index, place, now);
    for (unsigned i = 0; i < balancer->ndevices && flight->copy; i++) {
        const struct cx_device_state *device = &balancer->devices[i];
        for (unsigned k = 0; k < device->nflight; k++) {
            const struct cx_flight *other = &device->flight[k];
            if (cx_reexecute_twins(other, flight) || (!other->copy && other->serial == flight->serial))
                end = fmin(end, end_of_package(balancer, i, k, now));
        }
    }
    return end;
}

/* In a clustered launch the speeds just measured may be those of dear groups. What the package costs is told
 * against ordinary ones (cx_auto_dearness), so speeds have to be those of ordinary ones, too. */
static void take_best_speeds(struct cx_balancer *balancer)
{
    struct cx_auto *data = balancer->data;
    if (!(exp(data->surprise) > CX_AUTO_CLUSTERED))
        return;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        struct cx_auto_device *own = &data->device[i];
        if (own->samples > 0 && own->view.speed > 0)
            own->view.speed = own->view.belief = own->best;
    }
}

/* A device that does again what another then ends first is lost to the next launch until it is through: it
 * does as much as takes long beside a launch, and looks again. */
static double one_go(const struct cx_auto_view *view, double groups, double each, double least)
{
    const double worth = launches_a_go * (view->launch + CX_AUTO_REPLY) * view->speed / each;
    return fmin(groups, fmax(fmax(part_a_go * groups, worth), least));
}

uint64_t cx_auto_reexecute(struct cx_balancer *balancer, unsigned index, double now, unsigned *victim,
                           unsigned *package, double *ask_next)
{
    struct cx_auto *data = balancer->data;
    double latest = -1;
    if (balancer->remaining > 0 || !cx_auto_look(balancer, now) || !cx_auto_measured(balancer, index))
        return 0;
    take_best_speeds(balancer);
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        for (unsigned k = 0; i != index && k < balancer->devices[i].nflight; k++) {
            double end = cx_reexecute_possible(balancer, i, k) ? end_of_work(balancer, i, k, now) : -1;
            if (end > latest) {
                latest = end;
                *victim = i;
                *package = k;
            }
        }
    }
    if (latest < 0)
        return 0;
    const struct cx_auto_view *view = &data->device[index].view;
    const struct cx_flight *flight = &balancer->devices[*victim].flight[*package];
    double left = (double)(flight->groups - flight->handed);
    double each = cx_auto_cost(balancer, flight) / (double)flight->groups;
    if (*package == 0)
        each *= cx_auto_dearness(balancer, *victim, now);
    double work = left * each;
    double speed = data->device[*victim].view.speed;
    data->device[*victim].view.speed = 0; /* it is not counted on */
    double end = cx_auto_end(balancer, work, balancer->ndevices);
    if (flight->copy) /* one device does all of it */
        end = view->start + work / view->speed;
    double groups = ceil(view->speed * (end - view->start) / each - 0.01);
    double least = (double)cx_package_minimum(balancer, index);
    if (groups < least) {
        double alone = view->start + least * each / view->speed;
        groups = cx_auto_done_by(balancer, work, each, index, alone / (1 + 1e-9)) ? 0 : least;
    }
    data->device[*victim].view.speed = speed;
    const double worth = fmin(launches_worth * (view->launch + CX_AUTO_REPLY), most_worth);
    const double late = lateness(balancer, *victim, now);
    const double patience = *package == 0 ? fmax(wait_part * end, worth) - late : INFINITY;
    if (groups > 0 && (end + worth < reexecution_gain * latest || patience <= 0))
        return (uint64_t)fmin(flight->copy ? groups : one_go(view, groups, each, least), left);
    *ask_next = now + fmax(fmin(latest, patience), 0.1 * end) + CX_AUTO_REPLY;
    return 0;
}

/* A device was refused as the others would be through with the rest first: when a package of one of them
 * should be over there is no event if that is wrong. */
double cx_auto_ask_next(struct cx_balancer *balancer, unsigned index, double now)
{
    double first = INFINITY;
    if (!cx_auto_look(balancer, now))
        return 0;
    if (balancer->devices[index].nflight > 0) {
        const double due = cx_auto_due(balancer, index, now);
        return isfinite(due) && due > 0 ? now + due : 0;
    }
    for (unsigned i = 0; i < balancer->ndevices; i++)
        if (i != index && balancer->devices[i].nflight > 0 && !balancer->devices[i].failed)
            first = fmin(first, end_of_package(balancer, i, 0, now));
    return isfinite(first) ? now + first + CX_AUTO_REPLY : 0;
}
