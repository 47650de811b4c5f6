/* SPDX-License-Identifier: MIT */
/*
 * How fast each device is and how long all need together, as far as auto knows by now.
 * Previous stage: auto.h.
 */
#include "scheduler/auto.h"
#include <limits.h>
#include <math.h>

static const double least_deviation = 0.002;
/* Times longer than until now that the overdue package of a device never measured is expected to take: of one
 * that is known it is as likely to end now as not. */
static const double unknown_doubt = 2;
/* What the memory says of a speed counts like packages of that part of the launch: one package of groups that
 * it took for dear or cheap by mistake would else make a device seem many times faster or slower. */
static const double remembered_part = 0.1;

double cx_auto_cost(const struct cx_balancer *balancer, const struct cx_flight *package)
{
    const struct cx_auto *data = balancer->data;
    return data->learned ? package->cost : (double)package->groups;
}

double cx_auto_filled(const struct cx_balancer *balancer, const struct cx_device_state *device,
                      const struct cx_flight *package)
{
    const double timed = cx_groups_timed(device, package->groups, package->fresh);
    return cx_auto_cost(balancer, package) * timed / (double)package->groups;
}

double cx_auto_at_most(const struct cx_balancer *balancer, const struct cx_device_state *device,
                       const struct cx_flight *package)
{
    const double filled = cx_groups_filled(device, package->groups) / (double)package->groups;
    return cx_greater(cx_auto_filled(balancer, device, package), cx_auto_cost(balancer, package) * filled);
}

bool cx_auto_alike(const struct cx_balancer *balancer)
{
    unsigned kind = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_device_state *device = &balancer->devices[i];
        if (device->failed || device->given.absent)
            continue;
        if (device->given.kind == 0 || (kind > 0 && device->given.kind != kind))
            return false;
        kind = device->given.kind;
    }
    return kind > 0;
}

bool cx_auto_measured(const struct cx_balancer *balancer, unsigned index)
{
    const struct cx_auto *data = balancer->data;
    const struct cx_device_state *device = &balancer->devices[index];
    return data->device[index].samples > 0 || device->given.measured_speed > 0 ||
           (data->learned && balancer->cost_model->device[device->given.slot].speed > 0);
}

void cx_auto_measure(struct cx_balancer *balancer, unsigned index, double cost, double seconds)
{
    struct cx_auto *data = balancer->data;
    struct cx_auto_device *own = &data->device[index];
    unsigned slot = own->samples++ % CX_SPEED_HISTORY;
    own->cost[slot] = cost;
    own->seconds[slot] = seconds;
    unsigned n = own->samples < CX_SPEED_HISTORY ? own->samples : CX_SPEED_HISTORY;
    cost = seconds = 0;
    for (unsigned i = 0; i < n; i++) {
        cost += own->cost[i];
        seconds += own->seconds[i];
    }
    if (own->remembered > 0) {
        cost += own->remembered * remembered_part * data->length;
        seconds += remembered_part * data->length;
    }
    own->measured = cx_number_clean(cost / seconds);
    own->best = cx_greater(own->best, own->measured);
}

double cx_auto_speed(const struct cx_balancer *balancer, unsigned index)
{
    const struct cx_auto *data = balancer->data;
    const struct cx_balancer_device *given = &balancer->devices[index].given;
    if (data->device[index].samples > 0)
        return data->device[index].measured;
    const struct cx_memory_device *memory = data->learned ? &balancer->cost_model->device[given->slot] : NULL;
    if (memory && memory->speed > 0) /* a group costs 1 in the mean */
        return cx_with_transfers(memory->speed, given->transfer_seconds - memory->transfer);
    return given->measured_speed;
}

bool cx_auto_look(struct cx_balancer *balancer, double now)
{
    struct cx_auto *data = balancer->data;
    double start = 0, known = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_device_state *device = &balancer->devices[i];
        struct cx_auto_view *view = &data->device[i].view;
        *view = (struct cx_auto_view){.launch = device->given.launch_seconds};
        if (device->failed || data->device[i].out)
            continue;
        view->speed = cx_auto_speed(balancer, i);
        start += view->speed > 0 ? device->start_speed : 0;
        known += view->speed;
    }
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_device_state *device = &balancer->devices[i];
        struct cx_auto_view *view = &data->device[i].view;
        if (device->failed || data->device[i].out)
            continue;
        if (view->speed == 0)
            view->speed = cx_number_clean(known > 0 ? cx_with_transfers(device->start_speed * (known / start),
                                                                        device->given.transfer_seconds)
                                                    : device->start_speed);
        view->belief = view->speed;
        view->fixed = known > 0 && device->packages == 0 ? device->given.fixed_seconds : 0;
        if (device->nflight == 0 || !device->given.overlaps)
            view->launch += cx_groups_drain(device) / view->speed;
        view->start = view->launch + view->fixed;
        if (device->nflight == 0 || known == 0)
            continue;
        double worked = cx_greater(now - device->busy_since, 0), sum = view->fixed;
        double oldest = cx_auto_at_most(balancer, device, &device->flight[0]);
        const double began = worked - device->given.launch_seconds - view->fixed;
        view->overdue =
            began > 0 && view->speed * began >
                             (1 + balancer->params.auto_safety * cx_auto_deviation(balancer, i)) * oldest;
        if (began > 0 && view->speed * began > oldest)
            view->speed =
                cx_number_clean(oldest / (cx_auto_measured(balancer, i) ? began : unknown_doubt * began));
        for (unsigned k = 0; k < device->nflight; k++)
            sum += device->given.launch_seconds +
                   cx_auto_filled(balancer, device, &device->flight[k]) / view->speed;
        view->backlog = cx_greater(sum - worked, 0);
        view->start = view->backlog + view->launch;
    }
    return known > 0;
}

/* A device's own errors, with one like the mean of all beside them. */
double cx_auto_deviation(const struct cx_balancer *balancer, unsigned index)
{
    const struct cx_auto *data = balancer->data;
    const struct cx_auto_device *own = &data->device[index];
    double common = data->squares / data->weight;
    return fmax(sqrt((common + own->squares) / (1 + own->weight)), least_deviation);
}

/* One of a kind that does not answer yet is not weak: it may have begun late, or with dear groups. */
double cx_auto_others(const struct cx_balancer *balancer, unsigned index)
{
    const struct cx_auto *data = balancer->data;
    const bool alike = cx_auto_alike(balancer);
    double speeds = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        speeds += alike ? data->device[i].view.belief : data->device[i].view.speed;
    return 1 - (alike ? data->device[index].view.belief : data->device[index].view.speed) / speeds;
}

double cx_auto_cost_left(const struct cx_balancer *balancer)
{
    const struct cx_auto *data = balancer->data;
    if (!data->learned)
        return (double)balancer->remaining;
    double cost = (double)balancer->groups - balancer->done_cost;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        for (unsigned k = 0; k < balancer->devices[i].nflight; k++) {
            const struct cx_flight *package = &balancer->devices[i].flight[k];
            cost -= package->copy || package->lost ? 0 : cx_auto_cost(balancer, package);
        }
    }
    return fmax(cost, 1e-6 * (double)balancer->remaining);
}

double cx_auto_end(const struct cx_balancer *balancer, double cost, unsigned without)
{
    const struct cx_auto *data = balancer->data;
    double end = INFINITY;
    for (unsigned workers = UINT_MAX;;) {
        double work = cost, speeds = 0;
        unsigned count = 0;
        for (unsigned i = 0; i < balancer->ndevices; i++) {
            const struct cx_auto_view *view = &data->device[i].view;
            if (i == without || !(view->speed > 0) || view->start >= end)
                continue;
            work += view->speed * view->start;
            speeds += view->speed;
            count++;
        }
        /* Fewer each time, as those are left out that would start after the end. */
        if (count == workers || count == 0)
            return end;
        workers = count;
        end = cx_lesser(work / speeds, end);
    }
}

bool cx_auto_done_by(const struct cx_balancer *balancer, double cost, double each, unsigned without,
                     double end)
{
    const struct cx_auto *data = balancer->data;
    double work = 0;
    for (unsigned i = 0; i < balancer->ndevices && work < cost; i++) {
        const struct cx_auto_view *view = &data->device[i].view;
        double can = view->speed * (end - view->start);
        if (i != without && !balancer->devices[i].given.absent && !view->overdue && can > 0 &&
            can >= each * (double)cx_package_minimum(balancer, i))
            work += can;
    }
    return work >= cost;
}

double cx_auto_dearness(const struct cx_balancer *balancer, unsigned index, double now)
{
    const struct cx_auto *data = balancer->data;
    const struct cx_auto_device *own = &data->device[index];
    const struct cx_device_state *device = &balancer->devices[index];
    const bool alike = own->samples == 0 && balancer->measured && cx_auto_alike(balancer);
    if ((own->samples == 0 && !alike) || device->nflight == 0) /* slow or dear: who knows? */
        return 1;
    double worked = now - device->busy_since - device->given.launch_seconds;
    double dear = worked * own->view.belief / cx_auto_filled(balancer, device, &device->flight[0]);
    return alike ? fmax(dear, 1) : fmax(fmin(dear, exp(data->surprise)), 1);
}
