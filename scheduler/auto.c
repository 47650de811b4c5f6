/* SPDX-License-Identifier: MIT */
/*
 * Auto: ours. Packages as long as can be afforded by how well their length is known.
 *
 * Costs C and speeds v are those of memory.h (C = groups and v = groups/s while nothing was learned), L_i
 * what a launch costs on device i, with its first one what has to be brought to it before; B_i how long it
 * still needs for what it holds. Moves for each group are part of its cost, those of earlier launches changed
 * for those of this one.
 *
 * 1. Everybody's end T solves sum over i of v_i max(0, T - B_i - L_i) = C not assigned: a device that would
 * start after the end takes no part, so transfers and launches are in the plan.
 * 2. A device's share is x_i = v_i (T - B_i - L_i). It gets p = x / (1 + k d): d is the deviation of the
 * logarithm of real over predicted lengths of packages, in this launch and, remembered, in earlier ones; k is
 *    auto_safety. So a package k deviations longer than thought still ends with the others. What is left over
 *    is shared again by the same rule: packages shrink geometrically, fast where lengths are sure.
 * 3. All of x where another package could gain less than it costs: k d x / v < L; of a package that takes
 *    longer the others can do only their part of all speeds, so a device faster than all others gets few. L
 *    counts the half-empty filling that a package ends with (cx_groups_drain), where nothing overlaps with
 * it; nor is less than that left.
 * 4. While the cost along the range is unknown, a package lasts no longer than a part 1 / auto_packages of
 * the launch T, or min(40 L, sqrt(3 L T)): cheap ones find out where the dear groups are. Where groups turned
 * out, or turn out in a package under way, to cost f times those beside them, f > 4, it lasts no longer than
 * 1 / f of what is left or sqrt(2 L left), so that it could be as dear; and beside a package that took, or
 * takes, longer than predicted it is as many times shorter. Here a filling of the device counts with L: its
 * first and last groups may not hide each other's latencies. Where the others are weak it matters less, and a
 * package is longer, as long as it likes where all that they could do until the end is worth less than L.
 * Where they are not weak, it has no more than three times the groups that its device was given before in the
 * launch: what was measured may be the cheap edge, by which all that is left seems worth no launch. Where
 * packages overlap, so that more of them cost little, it has between a quarter and a half of a device's even
 * part of the groups left, whatever these seem to cost: lengths may be those of single groups (a kernel as
 * long as its dearest one), or of groups unlike the rest.
 * 5. A device for which even the smallest package (what fills it) would end after the others' end without it
 *    gets none; one that works on a package that should be over does not count among the others.
 *    Nor does one that could do next to nothing, and that before the end, as a group more would be late.
 *    One refused so is asked again when a package of the others should be over.
 * 6. A device never measured gets one package, auto_first of its share by nominal speed, and no more than it
 *    could do, were it auto_distrust times slower than nominal, in the time the measured ones still need.
 *    Where all devices are of one kind, none is feared: each gets auto_alike of its share, but no more than
 *    eight fillings, and a third as much behind it where packages overlap; those not measured count as fast
 * as those that are; but where these, which may have begun with cheap groups, make the rest seem worth few
 * launches, the first package must end first.
 * 7. The next package is given out while one is held only where both together are no more than a quarter of
 * what is left. Where packages overlap on a device it is cut to that, so that no half-empty filling shows;
 * and a device is asked again shortly before what it holds should be over (cx_auto_due): when it begins to
 *    drain, and half a deviation of its length earlier. What it then gets is at most 1 / (k d) times as long
 * as the drain, or a small part of what is left: its size rests on what was known before the one that it
 * holds.
 * 8. Nothing is left and a device is idle: it does again what the device that would end last still holds, in
 *    parts by the speeds of all that are idle, where that ends sooner (reexecute.c); a part that would end
 * last itself, whole. An eighth of a part in one go, or what takes twenty launches: a device that the other
 *    forestalls after all is then soon free for the next launch. A package may need k deviations more until
 * that long is over, and is then expected to take as long again as it took so far; one late by a quarter of
 * what doing it again takes is not waited for, so that waiting in vain costs little. Both by four launches at
 * least: an end is noticed late, and what is done again in vain keeps the device from the next launch. In a
 * clustered launch a
 * device's speed is here the best that it had: the latest may be that of dear groups, which the package's
 * cost counts already.
 *
 * With a memory (9) the first packages come from a plan of the whole launch: parts one after the other along
 * the range, of cost v_i (T - L_i). As lengths get surer over launches d goes to the devices' noise, the
 * first package to the whole part: one static share a device; at once where packages overlap and two fillings
 * or fewer of an even share would be left. When balance drifts, errors raise d, and
 * packages are small again; memory.c holds Marrow's test, and what stands for its binary search. Where
 * costs lie elsewhere in each launch the plan is left alone, and rule 4 holds.
 *
 * 10. A plan is only as good as the speeds it rests on, and a device may get slower while it works: something
 * else wants its cores. So no package is most of a device's share, however sure lengths are: each lasts a
 * part of what is left of the launch and a little of the whole, where such packages cost next to nothing. A
 * device that is late then holds little, and the others do the rest.
 *
 * The bound: with re-execution, a device q times slower than thought delays the end by no more than the time
 * in which the others together do the package that it holds, and a tenth of that or a launch on each of them,
 * whatever q: by rule 6 at most auto_first of the launch (of one kind: auto_alike of a share), by rule 2 its
 * share. Without, an unmeasured device delays it by at most q / auto_distrust times what the others needed
 * when it began, or by q times its smallest package. Previous stage: policy.h. Next: reexecute.c, memory.c.
 */
#include "scheduler/auto.h"
#include <math.h>

/* Deviation before anything is known; how many packages that guess counts for. */
static const double first_deviation = 0.4, first_weight = 0.5;
/* The same where all devices are of one kind, so that only the groups' costs are unknown. */
static const double alike_deviation = 0.2;
/* No sample says more than that: one wild package must not outweigh all others. */
static const double most_error = 0.7;
/* Launches that a package of unknown groups should be worth; and where they are dear, the square root of so
 * many times the launch's length in launches: with packages of length p, n = length / p launches cost n L,
 * and a package that meets dear groups late costs a multiple of p, so that p goes with the root of L. */
static const double launches_a_package = 40, even_launches = 3;
/* Times that a package should fill a device, where the end is far: one filling after the other hides
 * latencies. */
static const double fillings_a_package = 24;
/* The same of a first package, so that it is short even where it hits the dearest groups; and times as long
 * as its drain that a package may be which begins while the one before drains. */
static const double first_fillings = 8, early_drains = 8;
/* Where packages overlap and so few fillings would be left of a device's even share, it gets all that it
 * should have at once: groups that all run at once are done as soon as one of them, whoever does them. */
static const double few_fillings = 2;
/* The same where nobody could do again what is late. */
static const double sure_room = 0.1;
/* Behind its first package a device gets such a part of it, so that its end does not show. */
static const double second_part = 0.33;
/* Part of its share that a device begins with where all are of one kind: the rest is for what groups cost. */
static const double auto_alike = 0.5;
/* Where all that is left seems worth fewer launches, nobody gets a second package by the speeds of others. */
static const double few_launches = 16;
/* Part of what is left that two packages on one device may make up. */
static const double ahead_part = 0.25;
/* Seconds: a device is asked at the time it told, give or take rounding. */
static const double due_now = 1e-9;

/* Part of what is left that a package may make up at a place that the device does not know yet, and launches
 * that it is worth all the same. */
static const double jump_part = 0.25, jump_launches = 8, unsure_deviation = 0.08;
/* In a clustered launch a package is as many times shorter than what is left as groups are dearer, but worth
 * some launches: by the same root. */
static const double clustered_launches = 2, least_launches = 2;
/* Fewer groups differ by chance. */
enum { least_compared = 4 };
/* A device that does less than this part of a launch, and would end before this part of its time, is left
 * out. */
static const double coarse_part = 0.01, coarse_end = 0.95;
enum { COARSE_RETRY = 64 };
/* Smallest packages that it is then given. */
static const double fillings_tried = 1.5;
/* Fewer units a device than that are planned one by one, to ends of that exactness; none is later than so
 * many times the end of units that could be cut. */
enum { few_units = 64 };
static const double exact_end = 1e-4, most_late = 1e6;
/* Likewise by nominal speeds, where it could do so few packages at most. */
static const double coarse_first = 0.005;
/* Where the others have less than that part of what they would have were all equal, there is less to lose by
 * an uneven end: packages are as many times longer, to that part of what is left. */
static const double weak_others = 0.5, weak_part = 0.6;
/* Lengths that differ so from what that many earlier launches taught: costs lie elsewhere in each. */
static const double useless_deviation = 0.45;
enum { enough_launches = 4 };
/* While the cost along the range is unknown, a package is no more than so many times what its device was
 * given before. */
static const double most_growth = 3, most_left = 2, most_packages = 4;
/* A package of a launch whose costs are known lasts such parts of the whole launch and of what is left of it:
 * one that gets 8 times slower at its begin then ends before 1.5 times what two devices alike need at least.
 * Those are about six packages a device; they may cost that part of the launch, else they are as many times
 * longer. No matter where the others have less than that part of all speed. */
static const double guard_all = 0.08, guard_left = 0.2, guard_packages = 6, guard_cost = 0.006,
                    guard_others = 0.02;
/* Neighbours that took so many times longer than predicted make the package as many times shorter. */
static const double dear_factor = 2, dear_launches = 30;

static void add_error(struct cx_balancer *balancer, unsigned index, double error, double cost)
{
    struct cx_auto *data = balancer->data;
    struct cx_auto_device *own = &data->device[index];
    error = fmin(fabs(error), most_error);
    if (!isfinite(error))
        return;
    double weight = cost / (double)balancer->groups * balancer->ndevices;
    data->squares += weight * error * error;
    data->weight += weight;
    own->squares += error * error;
    own->weight += 1;
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
    const struct cx_auto *data = balancer->data;
    const struct cx_device_state *device = &balancer->devices[index];
    double sum = 0, minimum = (double)cx_package_minimum(balancer, index);
    double speed = data->device[index].view.speed;
    if (device->nflight == 1 && device->given.overlaps && !known && device->given.first_package == 0 &&
        second_part * (double)device->flight[0].groups >= minimum && cx_auto_alike(balancer))
        return decide(balancer, index, CX_DECIDED_FIRST, second_part * (double)device->flight[0].groups, 0);
    if (device->nflight > 0)
        return decide(balancer, index, CX_DECIDED_WAIT, 0, 0);
    for (unsigned i = 0; i < balancer->ndevices; i++)
        sum += balancer->devices[i].failed ? 0 : balancer->devices[i].start_speed;
    double groups = balancer->params.auto_first * (double)balancer->groups * (device->start_speed / sum);
    if (known) {
        double others = cx_auto_end(balancer, cx_auto_cost_left(balancer), index);
        double feared = speed / balancer->params.auto_distrust, fixed = device->given.fixed_seconds;
        if (isfinite(others))
            groups = fmin(groups, feared * fmax(others - fixed, 0));
        bool reexecuted = balancer->parts && device->given.private_results;
        if (isfinite(others) && fixed + minimum / (reexecuted ? speed : feared) > others)
            return decide(balancer, index, CX_DECIDED_LATE, 0, 0);
    }
    if (device->given.first_package > 0 && device->done == 0) {
        groups = fmin(groups, (double)device->given.first_package);
    } else {
        if (!known && device->given.fill > 1 && cx_auto_alike(balancer))
            groups = fmax(groups, fmin(auto_alike * (double)balancer->groups / balancer->ndevices,
                                       first_fillings * (double)device->given.fill));
        groups = fmax(groups, minimum);
    }
    return decide(balancer, index, CX_DECIDED_FIRST, groups, 0);
}

/* Seconds that a package may take of a launch whose costs are known, by rule 10. */
static double guarded(const struct cx_balancer *balancer, unsigned index, double now, double end)
{
    const struct cx_auto_device *own = &((const struct cx_auto *)balancer->data)->device[index];
    const struct cx_device_state *device = &balancer->devices[index];
    const uint64_t unit = balancer->granularity, units = balancer->groups / unit;
    if (units < (uint64_t)few_units * balancer->ndevices || own->partition / unit < few_units ||
        cx_auto_others(balancer, index) < guard_others)
        return INFINITY;
    const double drain = cx_groups_drain(device) / own->view.speed, all = now + end;
    const double packages = guard_cost * all / (device->given.launch_seconds + drain + CX_AUTO_REPLY);
    return fmax(guard_packages / packages, 1) * (guard_all * all + guard_left * end);
}

/* Most of the partition that the plan gives the device. */
static uint64_t learned_package(struct cx_balancer *balancer, unsigned index)
{
    struct cx_auto *data = balancer->data;
    struct cx_auto_device *own = &data->device[index];
    double room = balancer->params.auto_safety * cx_auto_deviation(balancer, index);
    double cost = (double)own->partition; /* mean groups; good enough to compare with a launch */
    double later = cost - floor(cost / (1 + room));
    bool all = room * cost / own->view.speed < own->view.launch + CX_AUTO_REPLY;
    for (unsigned i = 0; i < balancer->ndevices; i++) /* nobody could make good use of so few */
        all |= later < (double)cx_package_minimum(balancer, i);
    const double even = (double)balancer->groups / balancer->ndevices;
    all |= balancer->devices[index].given.overlaps && (balancer->parts || room < sure_room) &&
           even - even / (1 + room) < few_fillings * (double)cx_package_minimum(balancer, index);
    own->started = true;
    const double longest = guarded(balancer, index, 0, own->view.start + cost / own->view.speed);
    const double most = fmax(longest * own->view.speed, (double)cx_package_minimum(balancer, index));
    if (most < (all ? cost : cost / (1 + room)))
        return decide(balancer, index, CX_DECIDED_PART, floor(most), own->view.speed);
    return decide(balancer, index, all ? CX_DECIDED_REST : CX_DECIDED_LEARNED,
                  all ? ceil((double)own->partition) : floor((double)own->partition / (1 + room)),
                  own->view.speed);
}

/* Seconds that a package may take while the cost along the range is unknown, by rule 4. */
static double longest_package(const struct cx_balancer *balancer, unsigned index, double others, double now,
                              double end)
{
    const struct cx_auto *data = balancer->data;
    const struct cx_device_state *device = &balancer->devices[index];
    const struct cx_auto_view *view = &data->device[index].view;
    double launch = view->launch + CX_AUTO_REPLY, filling = (double)device->given.fill / view->speed;
    double alike = 1 - 1.0 / balancer->ndevices; /* what others have of all speed where all are equal */
    double dear = launches_a_package * launch;
    if (device->given.fill > 1)
        launch += filling / 2;
    dear = fmin(dear, sqrt(even_launches * alike / others * (now + end) * launch));
    double longest = fmax((now + end) / balancer->params.auto_packages, dear);
    if (device->given.fill > 1)
        longest = fmax(longest, fillings_a_package * filling);
    if (cx_auto_deviation(balancer, index) > unsure_deviation && cx_auto_jumps(balancer, index))
        longest = fmin(longest, fmax(jump_part * end, jump_launches * launch));
    double factor = fmax(exp(data->surprise), cx_auto_overdue(balancer, now));
    double beside = cx_auto_neighbours(balancer, index, now);
    if (factor > CX_AUTO_CLUSTERED) {
        double worth = fmax(least_launches * launch, sqrt(clustered_launches * end * launch));
        longest = fmin(longest, fmax(end / factor, worth));
    }
    if (beside > dear_factor)
        longest = fmin(longest, fmax(longest / beside, dear_launches * launch));
    const bool overlaps = device->given.overlaps;
    const double left = (double)balancer->remaining / balancer->ndevices;
    const double part = overlaps ? left / most_left : INFINITY;
    const double most =
        device->assigned > 0 ? fmin(most_growth * (double)device->assigned, part) / view->speed : INFINITY;
    if (others / (1 - others) * end < launch)
        return others < weak_others * alike ? INFINITY : most;
    longest = fmin(overlaps ? fmax(longest, left / most_packages / view->speed) : longest, most);
    return fmax(longest, fmin(longest * weak_others * alike / others, weak_part * end));
}

/* The most cost that the device may get behind the package that it holds, by rule 7; 0: that must end first.
 * `want`: what it would get otherwise. */
static double most_behind(const struct cx_balancer *balancer, unsigned index, double want, double cost,
                          double end, double now)
{
    const struct cx_auto *data = balancer->data;
    const struct cx_device_state *device = &balancer->devices[index];
    const struct cx_auto_view *view = &data->device[index].view;
    const double mean = cost / (double)balancer->remaining;
    if (device->given.overlaps) {
        const double room = balancer->params.auto_safety * cx_auto_deviation(balancer, index);
        const double drains = fmax(early_drains, room > 0 ? 1 / room : INFINITY);
        want = fmin(
            want, fmax(drains * cx_groups_drain(device) * mean, cost / (most_packages * balancer->ndevices)));
    }
    if (cx_auto_due(balancer, index, now) <= due_now && !view->overdue)
        return want;
    const double ahead = (ahead_part * end - view->backlog) * view->speed;
    if (device->given.overlaps && ahead >= mean * (double)cx_package_minimum(balancer, index))
        want = fmin(want, ahead);
    return view->backlog + want / view->speed > ahead_part * end * (1 + 1e-9) ? 0 : want;
}

static uint64_t auto_next(struct cx_balancer *balancer, unsigned index, double now)
{
    struct cx_auto *data = balancer->data;
    struct cx_auto_device *own = &data->device[index];
    const struct cx_auto_view *view = &own->view;
    const struct cx_device_state *device = &balancer->devices[index];
    if (own->out)
        return decide(balancer, index, CX_DECIDED_LATE, 0, 0);
    bool known = cx_auto_look(balancer, now);
    if (device->given.first_package > 0 && device->done == 0)
        return device->assigned > 0 ? decide(balancer, index, CX_DECIDED_WAIT, 0, 0)
                                    : first_package(balancer, index, known);
    if (!cx_auto_measured(balancer, index) && !(known && cx_auto_alike(balancer)))
        return first_package(balancer, index, known);
    if (data->learned && !own->started && own->partition > 0)
        return learned_package(balancer, index);
    double cost = cx_auto_cost_left(balancer), mean = cost / (double)balancer->remaining;
    double end = cx_auto_end(balancer, cost, balancer->ndevices);
    if (!data->learned && device->nflight > 0 && !cx_auto_measured(balancer, index) &&
        end < few_launches * (view->launch + CX_AUTO_REPLY))
        return decide(balancer, index, CX_DECIDED_WAIT, 0, 0);
    double share = view->speed * (end - view->start);
    double room = balancer->params.auto_safety * cx_auto_deviation(balancer, index);
    enum cx_decision decision = CX_DECIDED_REST;
    double want = share;
    const double others = cx_auto_others(balancer, index);
    /* What would be left is not worth a package, unless some groups are much dearer than others. */
    const bool useless = device->given.fill > 1 && exp(data->surprise) <= CX_AUTO_CLUSTERED &&
                         (share - share / (1 + room)) / mean < 2 * cx_groups_drain(device);
    if (others * room * share / view->speed >= view->launch + CX_AUTO_REPLY && !useless) {
        want = share / (1 + room);
        decision = CX_DECIDED_PART;
    }
    double longest = data->learned ? guarded(balancer, index, now, end)
                                   : longest_package(balancer, index, others, now, end);
    if (want > longest * view->speed) {
        want = longest * view->speed;
        decision = CX_DECIDED_PART;
    }
    if (device->nflight > 0) {
        const double behind = most_behind(balancer, index, want, cost, end, now);
        decision = behind < want ? CX_DECIDED_PART : decision;
        want = behind;
    }
    if (device->nflight > 0 && !(want > 0))
        return decide(balancer, index, CX_DECIDED_WAIT, 0, 0);
    mean = cx_auto_local_mean(balancer, index, want, mean);
    double least = (double)cx_package_minimum(balancer, index), groups = want / mean;
    if (groups < least) {
        least = fmin(least, (double)balancer->remaining);
        double filled = cx_groups_filled(device, (uint64_t)least) * mean / view->speed;
        if (cx_auto_done_by(balancer, cost, mean, index, (view->start + filled) / (1 + 1e-9)))
            return decide(balancer, index, CX_DECIDED_LATE, 0, 0);
        groups = least;
    }
    return decide(balancer, index, decision,
                  decision == CX_DECIDED_REST ? ceil(groups - 0.01) : floor(groups), view->speed);
}

/* How the package's groups compare with those beside them, where the device did them just before: elsewhere
 * all may cost more or less, but gradually. */
static void note_surprise(struct cx_balancer *balancer, unsigned index)
{
    struct cx_auto *data = balancer->data;
    struct cx_auto_device *own = &data->device[index];
    const struct cx_device_state *device = &balancer->devices[index];
    const struct cx_flight *package = &device->newest_done;
    uint64_t end = package->first + package->groups;
    bool beside = own->end > own->first && (package->first == own->end || end == own->first);
    double error = fabs(log(device->newest_seconds / device->newest_expected));
    if (package->first == CX_NOWHERE || package->copy || package->groups < least_compared)
        return;
    own->first = package->first;
    own->end = end;
    if (beside && device->newest_expected > 0 && isfinite(error))
        data->surprise = fmax(data->surprise, error);
}

static void auto_done(struct cx_balancer *balancer, unsigned index, double now)
{
    (void)now;
    struct cx_auto *data = balancer->data;
    const struct cx_device_state *device = &balancer->devices[index];
    struct cx_auto_device *own = &data->device[index];
    const struct cx_flight *package = &device->newest_done;
    if (package->groups == 0 || device->newest_seconds <= 0)
        return;
    double cost = cx_auto_filled(balancer, device, package), seconds = device->newest_seconds;
    cx_auto_measure(balancer, index, cost, fmax(seconds - device->given.launch_seconds, 0.1 * seconds));
    note_surprise(balancer, index);
    struct cx_lengths row = {0};
    double error, length;
    const bool tells =
        package->fresh || package->groups >= device->given.fill; /* else it may end with the one before */
    if (package->rate > 0 && tells)
        cx_lengths_add(&row, device, package->groups, seconds,
                       device->given.launch_seconds + cost / package->rate);
    if (cx_lengths_tell(&row, &error, &length)) /* at once, not in rows: a plan that errs should be seen */
        add_error(balancer, index, error, length * package->rate);
    if (package->rate > 0 || own->samples > 1)
        return;
    /* A first package: whether nominal speeds keep their proportions says how even the launch is. */
    double sum = 0, nominal = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        if (i != index && data->device[i].samples > 0) {
            sum += cx_auto_speed(balancer, i);
            nominal += balancer->devices[i].start_speed;
        }
    }
    if (sum > 0)
        add_error(balancer, index, log(cx_auto_speed(balancer, index) / device->start_speed * nominal / sum),
                  cost);
}

/* ---- the plan of a launch like earlier ones ---- */

/* Parts one behind the other along the range, each as many whole units as its device can do until that end.
 * False: some are left over. */
static bool cut_until(struct cx_balancer *balancer, double end)
{
    struct cx_auto *data = balancer->data;
    uint64_t at = 0, all = balancer->groups, unit = balancer->granularity;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        struct cx_auto_device *own = &data->device[i];
        double cost = own->view.speed * cx_greater(end - own->view.start, 0) +
                      cx_cost_model_cost(balancer->cost_model, all, 0, at);
        double to = cx_cost_model_place(balancer->cost_model, all, cx_lesser(cost / (double)all, 1));
        own->partition = cx_groups_clamp((to - (double)at) / (double)unit + 0.02, all) * unit;
        if (own->partition > all - at)
            own->partition = all - at;
        at += own->partition;
    }
    return at == all;
}

/* The end, between that of divisible units and a little later, at which partitions of whole units cover the
 * launch. */
static void cut_units(struct cx_balancer *balancer, double end)
{
    double low = end, high = end, step = exact_end * end;
    while (!cut_until(balancer, high) && step < most_late * end) {
        low = high;
        high += step;
        step *= 4;
    }
    for (unsigned round = 0; round < 16 && high - low > exact_end * high; round++) {
        double middle = (low + high) / 2;
        *(cut_until(balancer, middle) ? &high : &low) = middle;
    }
    cut_until(balancer, high);
}

/* The same for many units a device, of which one more or less is nothing: what rounding leaves over is the
 * fastest device's. */
static void cut_partitions(struct cx_balancer *balancer, double end)
{
    struct cx_auto *data = balancer->data;
    double before = 0, from = 0;
    uint64_t left = balancer->groups;
    unsigned fastest = 0;
    if (left / balancer->granularity < (uint64_t)few_units * balancer->ndevices) {
        cut_units(balancer, end);
        return;
    }
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        struct cx_auto_device *own = &data->device[i];
        before += own->view.speed * fmax(end - own->view.start, 0) / (double)balancer->groups;
        double to = cx_cost_model_place(balancer->cost_model, balancer->groups, fmin(before, 1));
        uint64_t units = cx_groups_clamp((to - from) / (double)balancer->granularity + 0.02, left);
        own->partition = units * balancer->granularity;
        own->partition = own->partition < left ? own->partition : left;
        left -= own->partition;
        from = to;
        if (own->view.speed > data->device[fastest].view.speed)
            fastest = i;
    }
    data->device[fastest].partition += left;
}

/* Now and then all devices are tried. */
static bool tries_all(const struct cx_balancer *balancer)
{
    return balancer->cost_model->launches % COARSE_RETRY == COARSE_RETRY - 1;
}

/* Counts on so much of each device whose work others can do again that it gets a package, however slow it was
 * when it was last seen. */
static void count_on_all(struct cx_balancer *balancer)
{
    struct cx_auto *data = balancer->data;
    const double end = cx_auto_end(balancer, (double)balancer->groups, balancer->ndevices);
    for (unsigned i = 0; i < balancer->ndevices && balancer->parts; i++) {
        struct cx_auto_view *view = &data->device[i].view;
        const double least = fillings_tried * (double)cx_package_minimum(balancer, i) / (end - view->start);
        if (view->speed > 0 && view->start < end && balancer->devices[i].given.private_results)
            view->speed = fmax(view->speed, least);
    }
}

/* The slowest device whose partition is done well before the end, as one more group would end too late, and
 * that does next to nothing; ndevices: none. */
static unsigned coarse(struct cx_balancer *balancer, double end)
{
    struct cx_auto *data = balancer->data;
    unsigned n = balancer->ndevices, slowest = n;
    if (tries_all(balancer))
        return n;
    double first = 0, groups = (double)balancer->groups;
    for (unsigned i = 0; i < n; i++) {
        const struct cx_auto_device *own = &data->device[i];
        double cost =
            cx_cost_model_cost(balancer->cost_model, balancer->groups, (uint64_t)first, own->partition);
        first += (double)own->partition;
        if (own->partition > 0 && cost < coarse_part * groups &&
            own->view.start + cost / own->view.speed < coarse_end * end &&
            (slowest == n || own->view.speed < data->device[slowest].view.speed))
            slowest = i;
    }
    if (slowest < n)
        data->device[slowest].out = true;
    return slowest;
}

/* When all would end without the device. */
static double end_without(struct cx_balancer *balancer, unsigned index)
{
    double *speed = &((struct cx_auto *)balancer->data)->device[index].view.speed, own = *speed;
    *speed = 0;
    const double end = cx_auto_end(balancer, (double)balancer->groups, balancer->ndevices);
    *speed = own;
    return end;
}

/* Partitions such that all devices end together. A device for which one filling ends later than the others
 * would without it gets none. A device never measured gets a first package of its partition; the rest is free
 * for all. */
static void plan(struct cx_balancer *balancer)
{
    struct cx_auto *data = balancer->data;
    unsigned n = balancer->ndevices;
    cx_auto_look(balancer, 0);
    if (tries_all(balancer))
        count_on_all(balancer);
    for (unsigned i = 0; i < n; i++)
        data->device[i].started = !cx_auto_measured(balancer, i);
    for (unsigned round = 0; round < n; round++) {
        double end = cx_auto_end(balancer, (double)balancer->groups, n);
        unsigned out = n;
        cut_partitions(balancer, end);
        for (unsigned i = 0; i < n; i++) {
            const struct cx_auto_device *own = &data->device[i];
            uint64_t fill = cx_package_minimum(balancer, i);
            const double filled = own->view.start + (double)fill / own->view.speed;
            if (own->view.speed > 0 && own->partition < fill &&
                (own->partition == 0 || (filled > end && end_without(balancer, i) <= filled)) &&
                (out == n || own->view.speed < data->device[out].view.speed))
                out = i;
        }
        if (out == n)
            out = coarse(balancer, end);
        if (out == n)
            return;
        data->device[out].view.speed = 0;
    }
}

/* Speeds as the memory knows them, with the transfers of this launch. */
static void remember_speeds(struct cx_balancer *balancer)
{
    struct cx_auto *data = balancer->data;
    double sum = 0;
    for (unsigned i = 0; i < balancer->ndevices; i++) {
        if (balancer->cost_model->device[balancer->devices[i].given.slot].speed > 0)
            data->device[i].remembered = cx_auto_speed(balancer, i);
        sum += data->device[i].remembered;
    }
    data->length = sum > 0 ? (double)balancer->groups / sum : 0;
}

static void auto_init(struct cx_balancer *balancer)
{
    struct cx_auto *data = balancer->data;
    const double deviation = cx_auto_alike(balancer) ? alike_deviation : first_deviation;
    data->squares = first_weight * deviation * deviation;
    data->weight = first_weight;
    data->learned = cx_cost_model_knows(balancer->cost_model, balancer->groups) &&
                    (balancer->cost_model->launches < enough_launches ||
                     balancer->cost_model->deviation < useless_deviation);
    for (unsigned i = 0; i < balancer->ndevices && data->learned; i++)
        data->learned = balancer->devices[i].given.slot < CX_MEMORY_DEVICES;
    if (!data->learned) {
        double sum = 0;
        for (unsigned i = 0; i < balancer->ndevices; i++)
            sum += balancer->devices[i].start_speed;
        for (unsigned i = 0; i < balancer->ndevices; i++) {
            double part = balancer->devices[i].start_speed / sum;
            data->device[i].out = part < coarse_first;
        }
        return;
    }
    double remembered = balancer->cost_model->deviation;
    data->squares = first_weight * remembered * remembered;
    remember_speeds(balancer);
    plan(balancer);
}

static void auto_weigh(struct cx_balancer *balancer, double *weights)
{
    const struct cx_auto *data = balancer->data;
    for (unsigned i = 0; i < balancer->ndevices && data->learned; i++)
        weights[i] = (double)data->device[i].partition;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        weights[i] = data->device[i].out ? 0 : weights[i];
}

/* Groups came back. After a failure, and with them an unknown part of the cost that is done: from there on
 * all count alike. */
static void auto_regained(struct cx_balancer *balancer)
{
    struct cx_auto *data = balancer->data;
    bool failed = false;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        failed |= balancer->devices[i].failed && !balancer->devices[i].retired;
    if (!failed)
        return;
    data->learned = false;
    for (unsigned i = 0; i < balancer->ndevices; i++)
        data->device[i].out = false;
}

const struct cx_policy cx_policy_auto = {
    .name = "auto",
    .help = "packages as long as their length is sure, learned over launches, stragglers re-executed",
    .plans_ends = true,
    .plans_transfers = true,
    .learns = true,
    .data_size = sizeof(struct cx_auto),
    .data_size_per_device = sizeof(struct cx_auto_device),
    .init = auto_init,
    .next = auto_next,
    .done = auto_done,
    .regained = auto_regained,
    .ask_next = cx_auto_ask_next,
    .reexecute = cx_auto_reexecute,
    .weigh = auto_weigh,
};
