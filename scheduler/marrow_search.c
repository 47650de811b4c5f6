/* SPDX-License-Identifier: MIT */
/*
 * The load balancing test and the adaptive binary search. See marrow.h.
 */
#include "scheduler/balancer.h"
#include "scheduler/marrow.h"

#include <math.h>
#include <string.h>

/* More shifts than that in one direction double the transferable partition (section 3.3.1). */
enum { MOST_SHIFTS = 2 };
static const double largest_size = 0.5;

static double deviation_of(unsigned n, const double *seconds)
{
    double best = INFINITY, worst = 0;
    for (unsigned s = 0; s < n; s++) {
        best = fmin(best, seconds[s]);
        worst = fmax(worst, seconds[s]);
    }
    return worst / best;
}

bool cx_marrow_unbalanced(const struct cx_marrow *marrow, const struct cx_balancer_params *params,
                          double deviation)
{
    return deviation / fmax(marrow->correction, 1) > 1 / params->marrow_deviation;
}

void cx_marrow_rest(struct cx_marrow *marrow)
{
    marrow->lbt = 0;
    marrow->correction = 1;
    marrow->searching = false;
}

static void begin(struct cx_marrow *marrow, const struct cx_balancer_params *params, unsigned n)
{
    memset(marrow->side, 0, sizeof(marrow->side));
    for (unsigned s = 0; s < n; s++)
        marrow->side[s].size = 2 * params->marrow_step / n;
    marrow->searching = true;
    marrow->operations++;
}

/* The next move of a side goes there. Whether it is worth it. */
static bool turn(struct cx_marrow_side *side, int direction, double precision, bool unbalanced)
{
    const bool same = side->direction == direction;
    side->shifts = same ? side->shifts + 1 : 1;
    side->turned |= !same && side->direction != 0;
    if (side->shifts > MOST_SHIFTS && (unbalanced || !side->turned))
        side->size = fmin(2 * side->size, largest_size);
    else if (side->turned)
        side->size /= 2;
    side->direction = direction;
    if (same && unbalanced)
        side->size = fmax(side->size, precision);
    return !side->turned || side->size >= precision;
}

/* Moves each side's partition; what some take is what the others give. False: nothing is to be moved. */
static bool move(struct cx_marrow *marrow, unsigned n, double *part)
{
    double given = 0, taken = 0;
    for (unsigned s = 0; s < n; s++) {
        struct cx_marrow_side *side = &marrow->side[s];
        if (side->direction < 0)
            side->size = fmin(side->size, part[s] / 2);
        *(side->direction < 0 ? &given : &taken) += side->size;
    }
    if (!(given > 0) || !(taken > 0))
        return false;
    for (unsigned s = 0; s < n; s++) {
        struct cx_marrow_side *side = &marrow->side[s];
        side->size *= side->direction < 0 ? 1 : given / taken;
        part[s] += side->direction * side->size;
    }
    return true;
}

static bool search(struct cx_marrow *marrow, const struct cx_balancer_params *params, unsigned n,
                   const double *seconds, double *part)
{
    const double deviation = deviation_of(n, seconds);
    const bool unbalanced = cx_marrow_unbalanced(marrow, params, deviation);
    double mean = 0;
    bool goes_on = false;
    for (unsigned s = 0; s < n; s++)
        mean += seconds[s] / n;
    for (unsigned s = 0; s < n; s++)
        goes_on |= turn(&marrow->side[s], seconds[s] > mean ? -1 : 1, params->marrow_precision, unbalanced);
    if (goes_on && move(marrow, n, part))
        return true;
    marrow->searching = false;
    marrow->correction = unbalanced ? deviation : 1;
    return false;
}

bool cx_marrow_run(struct cx_marrow *marrow, const struct cx_balancer_params *params, unsigned n,
                   const double *seconds, double *part)
{
    const bool unbalanced = cx_marrow_unbalanced(marrow, params, deviation_of(n, seconds));
    const double weight = params->marrow_weight;
    marrow->runs++;
    marrow->unbalanced += unbalanced;
    marrow->lbt = weight * unbalanced + (1 - weight) * marrow->lbt;
    if (!marrow->searching && marrow->lbt < params->marrow_threshold)
        return false;
    if (!marrow->searching)
        begin(marrow, params, n);
    return search(marrow, params, n, seconds, part);
}
