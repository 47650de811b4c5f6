/* SPDX-License-Identifier: MIT */
/*
 * The proof in cx_shape_apart(). Let K[0] < K[1] < ... be the strides of both shapes (one that lacks a stride
 * has a count of 1 there), and t, t' the units of x and y. The distance of a byte of x from a byte of y is
 *
 *     (l - l') + sum K[i] * (d[i] - d'[i])  =  e + sum K[i] * D[i]
 *
 * where l and l' are their low parts. For any whole numbers c[i] let D[i] = d[i] - d'[i] + c[i] and e = l -
 * l' - sum K[i] * c[i]; the equation holds for each choice, so the choice needs no proof: it is made such
 * that e is small.
 *
 * 1. The low parts lie in [low, high), so |e| <= M[0], known from the four ends. If K[i] > M[i] for each i,
 * with M[i + 1] = M[i] + K[i] * max |D[i]|, then the distance is not 0 unless all D[i] are: with i the
 * highest one that is not 0, K[i] * |D[i]| >= K[i] > M[i] >= |all the rest|.
 * 2. If all D[i] are 0, the distance is e. Where the hulls of the low parts (moved by the c[i]) are disjoint,
 * e is not 0. Else e = (off - off' - sum K[i] * c[i]) + (r - r') + s * (t - t') for shapes of one s. If the
 * range of all but the last summand lies within (-|s|, |s|), then e is 0 for no t other than t'.
 * 3. Where some D[i] cannot be 0, there is nothing to show in 2.
 *
 * A package's box is a run of the low part from that of its first unit to that of its last one, cut to [low,
 * high), in the same rows. 1 speaks of nothing but [low, high). In 2 the runs of units f..l and f'..l' with
 * f' > l are apart in the same way: s * (f' - l) is at least one |s|, and no run reaches over a whole one. So
 * the boxes of different packages are apart if this returns CX_APART_UNITS, and all boxes of x and y if
 * CX_APART_ALWAYS.
 *
 * All is about whole numbers, not about numbers modulo 2^64: shapes come from forms whose value is known to
 * lie within 63 bits (bound.c), and what their guards cut off only makes the sets smaller.
 */
#include "layer/access/stride.h"
#include "layer/access/number.h"

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

struct cx_shape cx_shape_of_bound(const struct cx_bound *b)
{
    return (struct cx_shape){.exact = b->exact,
                             .s = b->s,
                             .off = b->lo,
                             .run = cx_sat_add(b->hi, cx_sat_mul(-1, b->lo)),
                             .low = b->min,
                             .high = b->max,
                             .min = b->min,
                             .max = b->max,
                             .first = b->first,
                             .last = b->last};
}

int64_t cx_shape_end(const struct cx_shape *x)
{
    int64_t end = x->high;

    for (unsigned i = 0; i < x->levels; i++) {
        end = cx_sat_add(end, cx_sat_mul(x->stride[i], x->count[i] - 1));
    }
    return end;
}

int64_t cx_shape_rows(const struct cx_shape *x)
{
    int64_t rows = 1;

    for (unsigned i = 0; i < x->levels; i++) {
        rows = cx_sat_mul(rows, x->count[i]);
    }
    return rows;
}

struct cx_bound cx_shape_bound(const struct cx_shape *x)
{
    struct cx_bound b = {.known = true,
                         .s = x->s,
                         .lo = x->off,
                         .hi = cx_sat_add(x->off, x->run),
                         .min = larger(x->min, x->low),
                         .max = smaller(x->max, cx_shape_end(x)),
                         .first = x->first,
                         .last = x->last};

    b.hi = cx_sat_add(b.hi, cx_sat_add(cx_shape_end(x), cx_sat_mul(-1, x->high)));
    return b;
}

bool cx_shape_is_strict(const struct cx_shape *x)
{
    int64_t extent = x->high - x->low;

    for (unsigned i = 0; i < x->levels; i++) {
        if (x->stride[i] < extent) {
            return false;
        }
        extent = cx_sat_add(extent, cx_sat_mul(x->stride[i], x->count[i] - 1));
    }
    return true;
}

/* Each stride is at least the extent of what one unit touches below it. */
static bool is_stacked(const struct cx_shape *x)
{
    int64_t extent = x->run;

    for (unsigned i = 0; i < x->levels; i++) {
        if (x->stride[i] < extent) {
            return false;
        }
        extent = cx_sat_add(extent, cx_sat_mul(x->stride[i], x->count[i] - 1));
    }
    return extent < CX_NUMBER_FAR;
}

static void sort(struct cx_step *step, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        for (unsigned j = i; j > 0 && step[j - 1].stride > step[j].stride; j--) {
            struct cx_step swap = step[j];
            step[j] = step[j - 1];
            step[j - 1] = swap;
        }
    }
}

/* A unit takes no part in where the shape lies: its lowest level may as well be one run with holes. */
static bool fill_lowest(struct cx_shape *x)
{
    if (x->s != 0) {
        return false;
    }
    x->run += x->stride[0] * (x->count[0] - 1);
    x->high = x->low + x->run;
    x->exact = false;
    x->stride[0] = x->stride[1];
    x->count[0] = x->count[1];
    x->levels--;
    return true;
}

static bool stack_one(struct cx_shape *x, struct cx_step step)
{
    int64_t extent = cx_shape_end(x) - x->high + x->run, top = x->levels ? x->stride[x->levels - 1] : 0;

    if (x->levels == 0 && x->s == 0 && step.stride <= extent) {
        x->run += step.stride * (step.count - 1);
        x->high = x->low + x->run;
        return true;
    }
    if (top && step.stride % top == 0 && step.stride / top <= x->count[x->levels - 1]) {
        x->count[x->levels - 1] += step.stride / top * (step.count - 1);
        return true;
    }
    if (step.stride < extent || (x->levels == CX_SHAPE_LEVELS && !fill_lowest(x))) {
        return false;
    }
    x->stride[x->levels] = step.stride;
    x->count[x->levels++] = step.count;
    return true;
}

bool cx_shape_stack(struct cx_shape *x, struct cx_step *step, unsigned count)
{
    sort(step, count);
    for (unsigned i = 0; i < count; i++) {
        if (step[i].count >= CX_NUMBER_FAR / step[i].stride || !stack_one(x, step[i]) ||
            cx_shape_end(x) >= CX_NUMBER_FAR) {
            return false;
        }
    }
    return is_stacked(x);
}

void cx_shape_find_rows(struct cx_shape *x, struct cx_step *step, unsigned count, int64_t run)
{
    int64_t s = cx_number_size(x->s), row = s;
    unsigned i = 0;

    sort(step, count);
    x->row = 0;
    x->row_exact = true;
    for (; i < count; i++) {
        if (step[i].stride / 4 * 3 >= run) {
            row = step[i].stride;
            break;
        }
        x->row_exact = x->row_exact && step[i].stride <= run;
        run += step[i].stride * (step[i].count - 1);
    }
    if (row == 0 || row / 4 * 3 < run || s % row != 0) {
        return;
    }
    x->rows = 1;
    for (; i < count; i++) {
        if (step[i].stride % row != 0 || step[i].stride / row > x->rows) {
            return;
        }
        x->rows += step[i].stride / row * (step[i].count - 1);
    }
    x->row = row;
    x->row_off = x->off;
    x->row_run = run;
    x->row_exact = x->row_exact && x->rows >= s / row;
}

/* The strides of both, ascending, with the counts of each. */
struct strides {
    unsigned n;
    int64_t stride[2 * CX_SHAPE_LEVELS], x[2 * CX_SHAPE_LEVELS], y[2 * CX_SHAPE_LEVELS];
    int64_t c[2 * CX_SHAPE_LEVELS], moved; /* the choice and its sum */
};

static void join(struct strides *all, const struct cx_shape *x, const struct cx_shape *y)
{
    unsigned i = 0, j = 0;

    all->n = 0;
    while (i < x->levels || j < y->levels) {
        bool of_x = j == y->levels || (i < x->levels && x->stride[i] <= y->stride[j]);
        bool of_y = i == x->levels || (j < y->levels && y->stride[j] <= x->stride[i]);
        all->stride[all->n] = of_x ? x->stride[i] : y->stride[j];
        all->x[all->n] = of_x ? x->count[i++] : 1;
        all->y[all->n++] = of_y ? y->count[j++] : 1;
    }
}

/* Chooses the multiples of the strides that come closest to the distance. */
static void choose(struct strides *all, int64_t distance)
{
    all->moved = 0;
    for (unsigned i = all->n; i-- > 0;) {
        all->c[i] = cx_floor_div(distance + all->stride[i] / 2, all->stride[i]);
        all->moved += all->c[i] * all->stride[i];
        distance -= all->c[i] * all->stride[i];
    }
}

/* 1. of the proof; *zero is whether all D[i] can be 0. */
static bool rows_apart(const struct strides *all, int64_t most, bool *zero)
{
    *zero = true;
    for (unsigned i = 0; i < all->n; i++) {
        int64_t least = all->c[i] - (all->y[i] - 1), greatest = all->c[i] + all->x[i] - 1;
        if (least == 0 && greatest == 0) {
            continue;
        }
        if (all->stride[i] <= most) {
            return false;
        }
        *zero = *zero && least <= 0 && greatest >= 0;
        most = cx_sat_add(
            most, cx_sat_mul(all->stride[i], larger(cx_number_size(least), cx_number_size(greatest))));
    }
    return true;
}

static bool all_near(const struct cx_shape *x)
{
    return !cx_number_is_far(x->off) && !cx_number_is_far(x->run) && !cx_number_is_far(x->low) &&
           !cx_number_is_far(x->high) && !cx_number_is_far(x->s);
}

enum cx_apart cx_shape_apart(const struct cx_shape *x, const struct cx_shape *y, int64_t by)
{
    struct strides all;
    int64_t lowest, highest, off;
    bool zero;

    if (x->max <= cx_sat_add(y->min, by) || cx_sat_add(y->max, by) <= x->min) {
        return CX_APART_ALWAYS;
    }
    if (!all_near(x) || !all_near(y) || cx_number_is_far(by)) {
        return CX_APART_NOT;
    }
    join(&all, x, y);
    choose(&all, x->low - (y->low + by));
    lowest = x->low - (y->high + by - 1) - all.moved;
    highest = x->high - 1 - (y->low + by) - all.moved;
    if (!rows_apart(&all, larger(cx_number_size(lowest), cx_number_size(highest)), &zero)) {
        return CX_APART_NOT;
    }
    if (!zero || lowest > 0 || highest < 0) {
        return CX_APART_ALWAYS;
    }
    off = x->off - (y->off + by) - all.moved;
    if (x->s != y->s || off + x->run - 1 >= cx_number_size(x->s) ||
        off - (y->run - 1) <= -cx_number_size(x->s)) {
        return CX_APART_NOT;
    }
    return CX_APART_UNITS;
}

static bool same_strides(const struct cx_shape *x, const struct cx_shape *y)
{
    bool same = x->s == y->s && x->levels == y->levels;

    for (unsigned i = 0; same && i < x->levels; i++) {
        same = x->stride[i] == y->stride[i];
    }
    return same;
}

static bool holds(const struct cx_shape *x, const struct cx_shape *y)
{
    bool all = x->off <= y->off && x->off + x->run >= y->off + y->run && x->low <= y->low &&
               x->high >= y->high && x->min <= y->min && x->max >= y->max && x->first <= y->first &&
               x->last >= y->last;

    for (unsigned i = 0; all && i < x->levels; i++) {
        all = x->count[i] == y->count[i];
    }
    return all;
}

/* The rows of both; they may reach out of the runs a little, which then grow unless that must not be. */
static void merge_rows(struct cx_shape *both, const struct cx_shape *x, const struct cx_shape *y,
                       int64_t moved, int64_t down, bool tight)
{
    int64_t rest = y->row_off - x->row_off - moved, q, r, end;

    if (x->row == 0 || x->row != y->row) {
        both->row = 0;
        return;
    }
    q = cx_floor_div(rest + x->row / 2, x->row);
    r = rest - q * x->row;
    both->row_off = x->row_off + down + smaller(q, 0) * x->row + smaller(r, 0);
    both->rows = larger(x->rows, q + y->rows) - smaller(q, 0);
    both->row_run = larger(x->row_run, r + y->row_run) - smaller(r, 0);
    both->row_exact = false;
    end = both->row_off + (both->rows - 1) * both->row + both->row_run;
    rest = both->off - smaller(both->off, both->row_off);
    if (both->row_run > both->row || (tight && (rest > 0 || end > both->off + both->run))) {
        both->row = 0;
        return;
    }
    end = larger(0, end - (both->off + both->run));
    both->off -= rest;
    both->low -= rest;
    both->run += rest + end;
    both->high += end;
}

bool cx_shape_merge(struct cx_shape *x, const struct cx_shape *y, bool tight)
{
    struct cx_shape both = *x;
    struct strides all;
    int64_t down = 0, up = 0, rest, most; /* how far x and y lie above the new shape's first row */

    if (!same_strides(x, y) || !all_near(x) || !all_near(y)) {
        return false;
    }
    join(&all, y, x);
    choose(&all, y->off - x->off);
    rest = y->off - x->off - all.moved;
    for (unsigned i = 0; i < x->levels; i++) {
        int64_t c = all.c[i];
        if (c > x->count[i] || -c > y->count[i]) {
            return false;
        }
        down += smaller(c, 0) * x->stride[i];
        up += larger(c, 0) * x->stride[i];
        both.count[i] = larger(x->count[i], c + y->count[i]) - smaller(c, 0);
    }
    both.off = x->off + smaller(rest, 0) + down;
    both.run = larger(x->run, rest + y->run) - smaller(rest, 0);
    most =
        tight ? larger(cx_number_size(x->s), larger(x->run, y->run)) : x->run + y->run + cx_number_size(x->s);
    both.low = smaller(x->low + down, y->low - up);
    both.high = larger(x->high + down, y->high - up);
    both.min = smaller(x->min, y->min);
    both.max = larger(x->max, y->max);
    both.first = smaller(x->first, y->first);
    both.last = larger(x->last, y->last);
    both.exact = (x->exact && holds(x, y)) || (y->exact && holds(y, x));
    if (both.run > most) {
        return false;
    }
    merge_rows(&both, x, y, all.moved, down, tight);
    /* rows that begin before the memory could not be cut alike */
    if (!is_stacked(&both) || (both.levels && both.low < 0 && both.low < x->low)) {
        return false;
    }
    *x = both;
    return true;
}
