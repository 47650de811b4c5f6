/* SPDX-License-Identifier: MIT */
/*
 * Interpolation by radial basis functions. See derive.h. The weights w and the tail a + b x solve
 *
 *     sum_j w_j |x_i - x_j|^3 + a + b x_i = value_i,   sum_j w_j = 0,   sum_j w_j x_j = 0,
 *
 * of which the matrix is regular where the places are no subset of a line (a plane).
 */
#include "scheduler/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWNS = CX_DERIVE_POINTS + CX_DERIVE_DIMS + 1 };
/* A pivot that small beside the row's largest number means that the places do not span the space. */
#define LEAST_PIVOT 1e-9
/* Places nearer to each other than that are one. */
#define SAME_PLACE 1e-9
/* Values follow no law over the place where the interpolation misses those left out by so many times what
 * their median misses them by. */
#define LAWLESS 1.5

struct system {
    unsigned size;
    double row[UNKNOWNS][2 * UNKNOWNS]; /* with its inverse behind it, once that is made */
    double right[UNKNOWNS], solution[UNKNOWNS];
};

static double distance(const double *a, const double *b, unsigned dims)
{
    double sum = 0;
    for (unsigned d = 0; d < dims; d++)
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sqrt(sum);
}

static double basis(double r)
{
    return r * r * r;
}

static void swap_rows(struct system *system, unsigned a, unsigned b)
{
    for (unsigned k = 0; k < 2 * system->size && a != b; k++) {
        const double other = system->row[a][k];
        system->row[a][k] = system->row[b][k];
        system->row[b][k] = other;
    }
}

/* By Gauss's and Jordan's elimination with pivots. False: it has no one solution. */
static bool invert(struct system *system)
{
    const unsigned n = system->size;
    for (unsigned r = 0; r < n; r++)
        system->row[r][n + r] = 1;
    for (unsigned c = 0; c < n; c++) {
        unsigned best = c;
        for (unsigned r = c + 1; r < n; r++)
            best = fabs(system->row[r][c]) > fabs(system->row[best][c]) ? r : best;
        if (!(fabs(system->row[best][c]) > LEAST_PIVOT))
            return false;
        swap_rows(system, c, best);
        for (unsigned k = 2 * n; k-- > c;)
            system->row[c][k] /= system->row[c][c];
        for (unsigned r = 0; r < n; r++) {
            const double factor = r == c ? 0 : system->row[r][c];
            for (unsigned k = c; k < 2 * n && factor != 0; k++)
                system->row[r][k] -= factor * system->row[c][k];
        }
    }
    return true;
}

static bool solve(struct system *system)
{
    const unsigned n = system->size;
    if (!invert(system))
        return false;
    for (unsigned r = 0; r < n; r++)
        for (unsigned k = 0; k < n; k++)
            system->solution[r] += system->row[r][n + k] * system->right[k];
    return true;
}

static void fill(struct system *system, const struct cx_derive_point *point, unsigned n, unsigned dims)
{
    memset(system, 0, sizeof(*system));
    system->size = n + dims + 1;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < n; j++)
            system->row[i][j] = basis(distance(point[i].at, point[j].at, dims));
        system->row[i][n] = system->row[n][i] = 1;
        for (unsigned d = 0; d < dims; d++)
            system->row[i][n + 1 + d] = system->row[n + 1 + d][i] = point[i].at[d];
        system->right[i] = point[i].value;
    }
}

static double value_at(const struct system *system, const struct cx_derive_point *point, unsigned n,
                       unsigned dims, const double *at)
{
    const double *x = system->solution;
    double value = x[n];
    for (unsigned i = 0; i < n; i++)
        value += x[i] * basis(distance(point[i].at, at, dims));
    for (unsigned d = 0; d < dims; d++)
        value += x[n + 1 + d] * at[d];
    return value;
}

/* ---- whether values follow a law ---- */

/* Bounds for what is derived from all points but one. */
static double within(const struct cx_derive_point *point, unsigned n, unsigned but, double value)
{
    double least = INFINITY, most = -INFINITY;
    for (unsigned i = 0; i < n; i++) {
        least = i == but ? least : fmin(least, point[i].value);
        most = i == but ? most : fmax(most, point[i].value);
    }
    return fmin(fmax(value, least - CX_DERIVE_BEYOND), most + CX_DERIVE_BEYOND);
}

static int compare(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* Of all points but one. */
static double median(const struct cx_derive_point *point, unsigned n, unsigned but)
{
    double value[CX_DERIVE_POINTS];
    unsigned m = 0;
    for (unsigned i = 0; i < n; i++)
        if (i != but)
            value[m++] = point[i].value;
    qsort(value, m, sizeof(*value), compare);
    return (value[m / 2] + value[(m - 1) / 2]) / 2;
}

static double nearest_but(const struct cx_derive_point *point, unsigned n, unsigned dims, unsigned but)
{
    unsigned best = but ? 0 : 1;
    for (unsigned i = 0; i < n; i++)
        if (i != but &&
            distance(point[i].at, point[but].at, dims) < distance(point[best].at, point[but].at, dims))
            best = i;
    return point[best].value;
}

/* What the other points alone would give at the place of point i: its value less w_i over the inverse's
 * element (Rippa, "An algorithm for selecting a good value for the parameter c in radial basis function
 * interpolation", 1999). Where these span no space, the nearest one's. */
static double left_out(const struct system *system, const struct cx_derive_point *point, unsigned n,
                       unsigned dims, unsigned i)
{
    const double own = system->row[i][system->size + i];
    const double value =
        fabs(own) > LEAST_PIVOT ? point[i].value - system->solution[i] / own : nearest_but(point, n, dims, i);
    return within(point, n, i, value);
}

/* Each point left out in turn, the interpolation is to miss it by little more than the others' median does.
 * Where values differ without a law over the place, as by what disturbed measurements, it passes through each
 * and tells nothing elsewhere. */
static bool follows_law(const struct system *system, const struct cx_derive_point *point, unsigned n,
                        unsigned dims)
{
    double law = 0, none = 0;
    for (unsigned i = 0; i < n && n > 2; i++) {
        law += fabs(left_out(system, point, n, dims, i) - point[i].value);
        none += fabs(median(point, n, i) - point[i].value);
    }
    return law <= LAWLESS * none + SAME_PLACE;
}

static bool interpolate(const struct cx_derive_point *point, unsigned n, unsigned dims, const double *at,
                        double *value)
{
    struct system *system = malloc(sizeof(*system)); /* threads may have small stacks */
    if (!system)
        return false;
    fill(system, point, n, dims);
    const bool solved = solve(system);
    if (solved)
        *value =
            follows_law(system, point, n, dims) ? value_at(system, point, n, dims, at) : median(point, n, n);
    free(system);
    return solved && isfinite(*value);
}

static bool is_finite(const struct cx_derive_point *point, unsigned dims)
{
    bool finite = isfinite(point->value);
    for (unsigned d = 0; d < dims; d++)
        finite &= isfinite(point->at[d]);
    return finite;
}

/* Adds it to the kept ones, which are in order of their distance; of those at one place the first counts. */
static void keep(struct cx_derive_point *kept, unsigned *n, const struct cx_derive_point *point,
                 unsigned dims, const double *at)
{
    const double away = distance(point->at, at, dims);
    unsigned place = *n;
    for (unsigned i = 0; i < *n; i++)
        if (distance(kept[i].at, point->at, dims) < SAME_PLACE)
            return;
    while (place > 0 && distance(kept[place - 1].at, at, dims) > away)
        place--;
    if (place == CX_DERIVE_POINTS)
        return;
    *n -= *n == CX_DERIVE_POINTS;
    memmove(&kept[place + 1], &kept[place], (*n - place) * sizeof(*kept));
    kept[place] = *point;
    ++*n;
}

bool cx_derive(const struct cx_derive_point *known, unsigned n, unsigned dims,
               const double at[CX_DERIVE_DIMS], double *value)
{
    struct cx_derive_point kept[CX_DERIVE_POINTS];
    const unsigned used = dims < CX_DERIVE_DIMS ? dims : CX_DERIVE_DIMS;
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++)
        if (is_finite(&known[i], used))
            keep(kept, &count, &known[i], used, at);
    for (unsigned d = 0; d < used; d++)
        if (!isfinite(at[d]))
            return false;
    if (count == 0 || used == 0)
        return false;
    const bool exact = distance(kept[0].at, at, used) < SAME_PLACE;
    if (exact || dims > CX_DERIVE_DIMS || count < used + 1 || !interpolate(kept, count, used, at, value))
        *value = kept[0].value;
    *value = within(kept, count, count, *value);
    return true;
}
