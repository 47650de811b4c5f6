/* SPDX-License-Identifier: MIT */
/*
 * Auto: ours. Packages as long as can be afforded by how well their length is known.
 *
 * Costs C and speeds v are those of memory.h (C = groups and v = groups/s while nothing was learned), L_i
 * what a launch costs on device i, B_i how long it still needs for what it holds.
 *
 * 1. Everybody's end T solves sum over i of v_i max(0, T - B_i - L_i) = C not assigned: a device that would
 * start after the end takes no part, so transfers and launches are in the plan.
 * 2. A device's share is x_i = v_i (T - B_i - L_i). It gets p = x / (1 + k d): d is the deviation of the
 * logarithm of real over predicted lengths of packages, in this launch and, remembered, in earlier ones; k is
 *    auto_safety. So a package k deviations longer than thought still ends with the others. What is left over
 *    is shared again by the same rule: packages shrink geometrically, fast where lengths are sure.
 * 3. All of x where another package could gain less than it costs: k d x / v < L.
 * 4. While the cost along the range is unknown, a package lasts no longer than a part 1 / auto_packages of
 * the launch, or 100 launches: cheap ones find out where the dear groups are.
 * 5. A device for which even the smallest package (what fills it) would end after the others' end without it
 *    gets none.
 * 6. A device never measured gets one package, auto_first of its share by nominal speed, and no more than it
 *    could do, were it auto_distrust times slower than nominal, in the time the measured ones still need.
 * 7. The next package is given out while one is held only where both together are no more than a quarter of
 * what is left.
 * 8. Nothing is left and a device is idle: it does again what the device that would end last still holds, in
 *    parts by the speeds of all that are idle, where that ends sooner (rescue.c). A package that takes longer
 *    than k deviations allow is expected to take as long again as it took so far.
 *
 * With a memory (9) the first packages come from a plan of the whole launch: homes one after the other along
 * the range, of cost v_i (T - L_i). As lengths get surer over launches d goes to the devices' noise, the
 * first package to the whole home: one static share a device. When balance drifts, errors raise d, and
 * packages are small again; memory.c holds Marrow's test, and what stands for its binary search.
 *
 * The bound: with rescues, a device q times slower than thought delays the end by no more than a launch on
 * each other device and the time in which they together do the package that it holds, whatever q: by rule 6
 * at most auto_first of the launch, by rule 2 its share. Without, an unmeasured device delays it by at most q
 * / auto_distrust times what the others needed when it began, or by q times its smallest package. Previous
 * stage: policy.h. Next: rescue.c, memory.c.
 */
#include "scheduler/policy.h"
#include "scheduler/ranges.h"
#include <math.h>

/* From a package's end until the next one can begin, where none waits on the device: host and driver. */
static const double reply_seconds = 50e-6;
/* Deviation before anything is known; how many packages that guess counts for. */
static const double first_deviation = 0.4, first_weight = 0.5;
/* No sample says more than that: one wild package must not outweigh all others. */
static const double most_error = 0.7;
static const double least_deviation = 0.002;
/* Launches that a package of unknown groups should be worth. */
static const double launches_a_package = 40;
/* Times that a package should fill a device, where the end is far: one filling after the other hides
 * latencies. */
static const double fillings_a_package = 8;
/* Part of what is left that two packages on one device may make up. */
static const double ahead_part = 0.25;

/* Part of what is left that a package may make up at a place that the device does not know yet. */
static const double jump_part = 0.125;

struct view {
    double speed;   /* now: 0 when failed */
    double belief;  /* the same, not lowered for a package that takes long */
    double backlog; /* seconds */
    double launch;
};

struct auto_device {
    uint64_t home; /* planned groups */
    bool started;
    double cost[CX_SPEED_HISTORY], seconds[CX_SPEED_HISTORY]; /* of the last packages, a ring */
    unsigned samples;
    double
        missing; /* cost predicted for its home that its packages there did not show: it lies in the rest */
    double squares, weight; /* of its errors */
    struct view view;
};

struct auto_data {
    bool learned;           /* the memory's costs are used */
    double done_cost;       /* of packages that ended */
    double squares, weight; /* of all errors, by cost */
    struct auto_device device[];
};

/* ---- what is known ---- */

static double package_cost(const struct cx_balancer *balancer, const struct cx_flight *package)
{
    const struct auto_data *data = balancer->data;
    if (!data->learned || package->first == CX_NOWHERE)
        return (double)package->groups;
    return cx_memory_cost(balancer->memory, balancer->groups, package->first, package->groups);
}

static double filled_cost(const struct cx_balancer *balancer, const struct cx_device_state *device,
                          const struct cx_flight *package)
{
    return package_cost(balancer, package) * cx_groups_filled(device, package->groups) /
           (double)package->groups;
}

static bool is_measured(const struct cx_balancer *balancer, unsigned index)
{
    const struct auto_data *data = balancer->data;
    const struct cx_device_state *device = &balancer->devices[index];
    return data->device[index].samples > 0 || device->given.measured_speed > 0 ||
           (data->learned && balancer->memory->device[device->given.slot].speed > 0);
}

/* The speed that the device's own packages show, or the memory; 0: neither. */
static double own_speed(const struct cx_balancer *balancer, unsigned index)
{
    const struct auto_data *data = balancer->data;
    const struct auto_device *own = &data->device[index];
    const struct cx_balancer_device *given = &balancer->devices[index].given;
    unsigned n = own->samples < CX_SPEED_HISTORY ? own->samples : CX_SPEED_HISTORY;
    double cost = 0, seconds = 0;
    for (unsigned i = 0; i < n; i++) {
        cost += own->cost[i];
        seconds += own->seconds[i];
    }
    if (n > 0)
        return cx_number_clean(cost / seconds);
    if (data->learned && balancer->memory->device[given->slot].speed > 0)
        return balancer->memory->device[given->slot].speed;
    return given->measured_speed;
}

/* Brings every device's view up to date. False: no speed is known in groups/s. */
static bool look(struct cx_balancer *balancer, double now)
{
    struct auto_data *data = balancer->data;
    double start = 0, known = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_device_state *device = &balancer->devices[i];
        struct view *view = &data->device[i].view;
        *view = (struct view){.launch = device->given.launch_seconds};
        if (device->failed)
            continue;
        view->speed = own_speed(balancer, i);
        start += view->speed > 0 ? device->start_speed : 0;
        known += view->speed;
    }
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        const struct cx_device_state *device = &balancer->devices[i];
        struct view *view = &data->device[i].view;
        if (device->failed)
            continue;
        if (view->speed == 0)
            view->speed =
                cx_number_clean(known > 0 ? device->start_speed * (known / start) : device->start_speed);
        view->belief = view->speed;
        if (device->nflight == 0 || known == 0)
            continue;
        double worked = fmax(now - device->busy_since, 0), sum = 0;
        double oldest = filled_cost(balancer, device, &device->flight[0]);
        if (worked > view->launch && view->speed * (worked - view->launch) > oldest)
            view->speed = cx_number_clean(oldest / (worked - view->launch));
        for (unsigned k = 0; k < device->nflight; k++)
            sum += view->launch + filled_cost(balancer, device, &device->flight[k]) / view->speed;
        view->backlog = fmax(sum - worked, 0);
    }
    return known > 0;
}

/* A device's own errors, with one like the mean of all beside them. */
static double deviation(const struct cx_balancer *balancer, unsigned index)
{
    const struct auto_data *data = balancer->data;
    const struct auto_device *own = &data->device[index];
    double common = data->squares / data->weight;
    return fmax(sqrt((common + own->squares) / (1 + own->weight)), least_deviation);
}

static void add_error(struct cx_balancer *balancer, unsigned index, double error, double cost)
{
    struct auto_data *data = balancer->data;
    struct auto_device *own = &data->device[index];
    error = fmin(fabs(error), most_error);
    if (!isfinite(error))
        return;
    double weight = cost / (double)balancer->groups * balancer->ndevices;
    data->squares += weight * error * error;
    data->weight += weight;
    own->squares += error * error;
    own->weight += 1;
}

static double cost_left(const struct cx_balancer *balancer)
{
    const struct auto_data *data = balancer->data;
    if (!data->learned)
        return (double)balancer->remaining;
    double cost = (double)balancer->groups - data->done_cost;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        for (unsigned k = 0; k < balancer->devices[i].nflight; k++) {
            const struct cx_flight *package = &balancer->devices[i].flight[k];
            cost -= package->copy || package->lost ? 0 : package_cost(balancer, package);
        }
    }
    return fmax(cost, 1e-6 * (double)balancer->remaining);
}

/* Seconds until all are done with that cost and what they hold, without new work for one of them (ndevices:
 * for all). */
static double end_of(const struct cx_balancer *balancer, double cost, unsigned without)
{
    const struct auto_data *data = balancer->data;
    double end = INFINITY;
    for (unsigned round = 0; round <= balancer->ndevices; round++) {
        double work = cost, speeds = 0;
        for (unsigned i = 0; i < balancer->ndevices; i++) {
            const struct view *view = &data->device[i].view;
            double start = view->backlog + view->launch;
            if (i == without || !(view->speed > 0) || start >= end)
                continue;
            work += view->speed * start;
            speeds += view->speed;
        }
        double next = speeds > 0 ? work / speeds : end;
        if (!(next < end))
            break;
        end = next;
    }
    return end;
}

/* The same where a device does nothing at all or at least its smallest package, whose groups cost `each`:
 * what several devices must not leave to one another. */
static double end_in_packages(const struct cx_balancer *balancer, double cost, double each, unsigned without)
{
    const struct auto_data *data = balancer->data;
    double low = end_of(balancer, cost, without), high = 2 * low;
    for (unsigned round = 0; round < 24; round++) {
        double end = round < 8 ? high : (low + high) / 2, work = 0;
        for (unsigned i = 0; i < balancer->ndevices; i++) {
            const struct view *view = &data->device[i].view;
            double can = view->speed * (end - view->backlog - view->launch);
            if (i != without && can > 0 && can >= each * (double)cx_package_minimum(balancer, i))
                work += can;
        }
        if (work >= cost)
            high = end;
        else
            low = end;
        if (round < 8 && work < cost)
            high *= 4; /* not long enough yet */
        else if (round < 8)
            round = 8;
    }
    return high;
}

/* ---- sizes ---- */

static uint64_t decide(struct cx_balancer *balancer, unsigned index, enum cx_decision decision, double groups,
                       double rate)
{
    struct cx_device_state *device = &balancer->devices[index];
    device->decision = decision;
    device->rate = rate;
    return decision >= CX_DECIDED_WAIT ? 0 : cx_groups_clamp(fmax(groups, 1), balancer->remaining);
}

static uint64_t first_package(struct cx_balancer *balancer, unsigned index, bool known)
{
    const struct auto_data *data = balancer->data;
    const struct cx_device_state *device = &balancer->devices[index];
    double sum = 0, minimum = (double)cx_package_minimum(balancer, index);
    double speed = data->device[index].view.speed;
    if (device->nflight > 0)
        return decide(balancer, index, CX_DECIDED_WAIT, 0, 0);
    for (unsigned i = 0; i < balancer->ndevices; i++)
        sum += balancer->devices[i].failed ? 0 : balancer->devices[i].start_speed;
    double groups = balancer->params.auto_first * (double)balancer->groups * (device->start_speed / sum);
    if (known) {
        double others = end_of(balancer, cost_left(balancer), index);
        double feared = speed / balancer->params.auto_distrust;
        if (isfinite(others))
            groups = fmin(groups, feared * others);
        bool rescued = balancer->parts && device->given.private_results;
        if (isfinite(others) && minimum / (rescued ? speed : feared) > others)
            return decide(balancer, index, CX_DECIDED_LATE, 0, 0);
    }
    if (device->given.first_package > 0 && device->done == 0)
        groups = fmin(groups, (double)device->given.first_package);
    else
        groups = fmax(groups, minimum);
    return decide(balancer, index, CX_DECIDED_FIRST, groups, 0);
}

/* Most of the home that the plan gives the device. */
static uint64_t learned_package(struct cx_balancer *balancer, unsigned index)
{
    struct auto_data *data = balancer->data;
    struct auto_device *own = &data->device[index];
    double room = balancer->params.auto_safety * deviation(balancer, index);
    double cost = (double)own->home; /* mean groups; good enough to compare with a launch */
    double later = cost - floor(cost / (1 + room));
    bool all = room * cost / own->view.speed < own->view.launch + reply_seconds;
    for (unsigned i = 0; i < balancer->ndevices; i++) /* nobody could make good use of so few */
        all |= later < (double)cx_package_minimum(balancer, i);
    own->started = true;
    return decide(balancer, index, all ? CX_DECIDED_REST : CX_DECIDED_LEARNED,
                  all ? ceil((double)own->home) : floor((double)own->home / (1 + room)), own->view.speed);
}

/* Where the next package will be cut from, in groups. False: nobody told. */
static bool next_run(const struct cx_balancer *balancer, unsigned index, struct cx_range *run, bool *at_end)
{
    if (!balancer->ranges)
        return false;
    *run = cx_ranges_peek(balancer->ranges, index, at_end);
    run->first *= balancer->slice;
    run->end *= balancer->slice;
    run->end = run->end < balancer->groups ? run->end : balancer->groups;
    return run->end > run->first;
}

/* Whether the next package lies elsewhere than the device's newest one, so that its speed may be another
 * there. */
static bool jumps(const struct cx_balancer *balancer, unsigned index)
{
    const struct cx_device_state *device = &balancer->devices[index];
    const struct cx_flight *newest =
        device->nflight ? &device->flight[device->nflight - 1] : &device->newest_done;
    struct cx_range run;
    bool at_end;
    if (newest->first == CX_NOWHERE || newest->groups == 0 || !next_run(balancer, index, &run, &at_end))
        return false;
    uint64_t next = at_end ? run.end : run.first;
    uint64_t from = newest->first, to = newest->first + newest->groups;
    uint64_t away = next > to ? next - to : next < from ? from - next : 0;
    return away > newest->groups;
}

/* Mean cost of the next groups, of about that cost in all. */
static double local_mean(const struct cx_balancer *balancer, unsigned index, double want, double mean)
{
    const struct auto_data *data = balancer->data;
    struct cx_range run;
    bool at_end;
    if (!data->learned || !next_run(balancer, index, &run, &at_end))
        return mean;
    uint64_t length = run.end - run.first;
    double local = mean;
    for (unsigned round = 0; round < 3; round++) {
        uint64_t count = cx_groups_clamp(want / local, length);
        count = count ? count : 1;
        double cost =
            cx_memory_cost(balancer->memory, balancer->groups, at_end ? run.end - count : run.first, count);
        local = fmax(cost / (double)count, 1e-6);
    }
    return local;
}

static uint64_t auto_next(struct cx_balancer *balancer, unsigned index, double now)
{
    struct auto_data *data = balancer->data;
    struct auto_device *own = &data->device[index];
    const struct view *view = &own->view;
    const struct cx_device_state *device = &balancer->devices[index];
    bool known = look(balancer, now);
    if (device->given.first_package > 0 && device->done == 0)
        return device->assigned > 0 ? decide(balancer, index, CX_DECIDED_WAIT, 0, 0)
                                    : first_package(balancer, index, known);
    if (!is_measured(balancer, index))
        return first_package(balancer, index, known);
    if (data->learned && !own->started && own->home > 0)
        return learned_package(balancer, index);
    double cost = cost_left(balancer), mean = cost / (double)balancer->remaining;
    double end = end_of(balancer, cost, balancer->ndevices);
    double share = view->speed * (end - view->backlog - view->launch);
    double room = balancer->params.auto_safety * deviation(balancer, index);
    enum cx_decision decision = CX_DECIDED_REST;
    double want = share;
    if (room * share / view->speed >= view->launch + reply_seconds) {
        want = share / (1 + room);
        decision = CX_DECIDED_PART;
    }
    if (!data->learned) {
        double longest = fmax((now + end) / balancer->params.auto_packages,
                              launches_a_package * (view->launch + reply_seconds));
        if (device->given.fill > 1)
            longest = fmax(longest, fillings_a_package * (double)device->given.fill / view->speed);
        if (deviation(balancer, index) > 0.08 && jumps(balancer, index))
            longest = fmin(longest, fmax(jump_part * end, 4 * (view->launch + reply_seconds)));
        if (want > longest * view->speed) {
            want = longest * view->speed;
            decision = CX_DECIDED_PART;
        }
    }
    if (device->nflight > 0 && view->backlog + want / view->speed > ahead_part * end)
        return decide(balancer, index, CX_DECIDED_WAIT, 0, 0);
    mean = local_mean(balancer, index, want, mean);
    double least = (double)cx_package_minimum(balancer, index), groups = want / mean;
    if (groups < least) {
        least = fmin(least, (double)balancer->remaining);
        double filled = cx_groups_filled(device, (uint64_t)least) * mean / view->speed;
        if (view->backlog + view->launch + filled > end_in_packages(balancer, cost, mean, index) * (1 + 1e-9))
            return decide(balancer, index, CX_DECIDED_LATE, 0, 0);
        groups = least;
    }
    return decide(balancer, index, decision,
                  decision == CX_DECIDED_REST ? ceil(groups - 0.01) : floor(groups), view->speed);
}

static void auto_done(struct cx_balancer *balancer, unsigned index, double now)
{
    (void)now;
    struct auto_data *data = balancer->data;
    const struct cx_device_state *device = &balancer->devices[index];
    struct auto_device *own = &data->device[index];
    const struct cx_flight *package = &device->newest_done;
    if (package->groups == 0 || device->newest_seconds <= 0)
        return;
    double cost = filled_cost(balancer, device, package), seconds = device->newest_seconds;
    if (!package->copy && !package->lost)
        data->done_cost += package_cost(balancer, package);
    unsigned slot = own->samples++ % CX_SPEED_HISTORY;
    own->cost[slot] = cost;
    own->seconds[slot] = fmax(seconds - device->given.launch_seconds, 0.1 * seconds);
    if (package->rate > 0)
        add_error(balancer, index, log(seconds / (device->given.launch_seconds + cost / package->rate)),
                  cost);
    if (package->rate > 0 || own->samples > 1)
        return;
    /* A first package: whether nominal speeds keep their proportions says how even the launch is. */
    double sum = 0, nominal = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        if (i != index && data->device[i].samples > 0) {
            sum += own_speed(balancer, i);
            nominal += balancer->devices[i].start_speed;
        }
    }
    if (sum > 0)
        add_error(balancer, index, log(own_speed(balancer, index) / device->start_speed * nominal / sum),
                  cost);
}

/* ---- the plan of a launch like earlier ones ---- */

/* Rounds shares of cost to homes one behind the other along the range. What rounding leaves over is the
 * fastest device's: one group more or less is nothing to it. */
static void cut_homes(struct cx_balancer *balancer, double end)
{
    struct auto_data *data = balancer->data;
    double before = 0, from = 0;
    uint64_t left = balancer->groups;
    unsigned fastest = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        struct auto_device *own = &data->device[i];
        before += own->view.speed * fmax(end - own->view.launch, 0) / (double)balancer->groups;
        double to = cx_memory_place(balancer->memory, balancer->groups, fmin(before, 1));
        uint64_t units = cx_groups_clamp((to - from) / (double)balancer->granularity + 0.02, left);
        own->home = units * balancer->granularity;
        own->home = own->home < left ? own->home : left;
        left -= own->home;
        from = to;
        if (own->view.speed > data->device[fastest].view.speed)
            fastest = i;
    }
    data->device[fastest].home += left;
}

/* Homes such that all end together; devices too slow for one filling get none. */
static void plan(struct cx_balancer *balancer)
{
    struct auto_data *data = balancer->data;
    unsigned n = balancer->ndevices;
    look(balancer, 0);
    for (unsigned round = 0; round < n; round++) {
        double end = end_of(balancer, (double)balancer->groups, n);
        unsigned out = n;
        cut_homes(balancer, end);
        for (unsigned i = 0; i < n; i++) {
            const struct auto_device *own = &data->device[i];
            uint64_t fill = cx_package_minimum(balancer, i);
            if (own->view.speed > 0 && own->home < fill &&
                (own->home == 0 || own->view.launch + (double)fill / own->view.speed > end) &&
                (out == n || own->view.speed < data->device[out].view.speed))
                out = i;
        }
        if (out == n)
            return;
        data->device[out].view.speed = 0;
    }
}

static void auto_init(struct cx_balancer *balancer)
{
    struct auto_data *data = balancer->data;
    data->squares = first_weight * first_deviation * first_deviation;
    data->weight = first_weight;
    data->learned = cx_memory_knows(balancer->memory, balancer->groups);
    for (unsigned i = 0; i < balancer->ndevices && data->learned; i++)
        data->learned = balancer->devices[i].given.slot < CX_MEMORY_DEVICES;
    if (!data->learned)
        return;
    double remembered = fmax(balancer->memory->deviation, least_deviation);
    data->squares = first_weight * remembered * remembered;
    plan(balancer);
}

static void auto_weigh(struct cx_balancer *balancer, double *weights)
{
    const struct auto_data *data = balancer->data;
    for (unsigned i = 0; i < balancer->ndevices && data->learned; i++)
        weights[i] = (double)data->device[i].home;
}

/* Groups came back, and with them an unknown part of the cost that is done: from here on all count alike. */
static void auto_regained(struct cx_balancer *balancer)
{
    struct auto_data *data = balancer->data;
    if (balancer->nlive < balancer->ndevices)
        data->learned = false;
}

/* ---- rescues ---- */

/* When the package at that place in flight will end, in seconds from now. */
static double end_of_package(const struct cx_balancer *balancer, unsigned index, unsigned place, double now)
{
    const struct auto_data *data = balancer->data;
    const struct cx_device_state *device = &balancer->devices[index];
    double speed = data->device[index].view.belief, launch = device->given.launch_seconds;
    double worked = fmax(now - device->busy_since, 0), end = 0;
    for (unsigned k = 0; k <= place; k++) {
        double length = launch + filled_cost(balancer, device, &device->flight[k]) / speed;
        if (k == 0) {
            double room = 1 + balancer->params.auto_safety * deviation(balancer, index);
            length = worked > room * length ? worked : fmax(length - worked, 0);
        }
        end += length;
    }
    return end;
}

/* When a package will be done by its holder, or by those who do it again. */
static double end_of_work(const struct cx_balancer *balancer, unsigned index, unsigned place, double now)
{
    const struct cx_flight *package = &balancer->devices[index].flight[place];
    double end = end_of_package(balancer, index, place, now), copies = 0;
    if (package->handed < package->groups)
        return end;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        for (unsigned k = 0; k < balancer->devices[i].nflight; k++) {
            const struct cx_flight *copy = &balancer->devices[i].flight[k];
            if (copy->copy && !copy->lost && copy->serial == package->serial)
                copies = fmax(copies, end_of_package(balancer, i, k, now));
        }
    }
    return fmin(end, copies);
}

static uint64_t auto_rescue(struct cx_balancer *balancer, unsigned index, double now, unsigned *victim,
                            unsigned *package, double *again)
{
    struct auto_data *data = balancer->data;
    double latest = -1;
    if (balancer->remaining > 0 || !look(balancer, now) || !is_measured(balancer, index))
        return 0;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        for (unsigned k = 0; i != index && k < balancer->devices[i].nflight; k++) {
            double end = cx_rescue_possible(balancer, i, k) ? end_of_work(balancer, i, k, now) : -1;
            if (end > latest) {
                latest = end;
                *victim = i;
                *package = k;
            }
        }
    }
    if (latest < 0)
        return 0;
    const struct view *view = &data->device[index].view;
    const struct cx_flight *flight = &balancer->devices[*victim].flight[*package];
    double left = (double)(flight->groups - flight->handed % flight->groups);
    double each = package_cost(balancer, flight) / (double)flight->groups;
    double work = left * each;
    double speed = data->device[*victim].view.speed;
    data->device[*victim].view.speed = 0; /* it is not counted on */
    double end = end_of(balancer, work, balancer->ndevices);
    double without = end_in_packages(balancer, work, each, index);
    data->device[*victim].view.speed = speed;
    double groups = ceil(view->speed * (end - view->launch) / each - 0.01);
    double least = (double)cx_package_minimum(balancer, index);
    if (groups < least)
        groups = view->launch + least * each / view->speed > without * (1 + 1e-9) ? 0 : least;
    if (groups > 0 && end + reply_seconds < (flight->handed < flight->groups ? 0.9 : 0.4) * latest)
        return (uint64_t)fmin(groups, left);
    *again = now + fmax(latest, 0.1 * end) + reply_seconds;
    return 0;
}

const struct cx_policy cx_policy_auto = {
    .name = "auto",
    .help = "packages as long as their length is sure, learned over launches, stragglers rescued",
    .plans_ends = true,
    .data_size = sizeof(struct auto_data),
    .data_size_per_device = sizeof(struct auto_device),
    .init = auto_init,
    .next = auto_next,
    .done = auto_done,
    .regained = auto_regained,
    .rescue = auto_rescue,
    .weigh = auto_weigh,
};
