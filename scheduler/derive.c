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

struct system {
    unsigned size;
    double row[UNKNOWNS][UNKNOWNS + 1]; /* with the right side behind it */
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

/* By Gauss's elimination with pivots. False: it has no one solution. */
static bool solve(struct system *system, double *x)
{
    const unsigned n = system->size;
    for (unsigned c = 0; c < n; c++) {
        unsigned best = c;
        for (unsigned r = c + 1; r < n; r++)
            best = fabs(system->row[r][c]) > fabs(system->row[best][c]) ? r : best;
        if (!(fabs(system->row[best][c]) > LEAST_PIVOT))
            return false;
        for (unsigned k = c; k <= n && best != c; k++) {
            const double other = system->row[c][k];
            system->row[c][k] = system->row[best][k];
            system->row[best][k] = other;
        }
        for (unsigned r = c + 1; r < n; r++) {
            const double factor = system->row[r][c] / system->row[c][c];
            for (unsigned k = c; k <= n; k++)
                system->row[r][k] -= factor * system->row[c][k];
        }
    }
    for (unsigned r = n; r-- > 0;) {
        x[r] = system->row[r][n];
        for (unsigned k = r + 1; k < n; k++)
            x[r] -= system->row[r][k] * x[k];
        x[r] /= system->row[r][r];
    }
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
        system->row[i][system->size] = point[i].value;
    }
}

static bool interpolate(const struct cx_derive_point *point, unsigned n, unsigned dims, const double *at,
                        double *value)
{
    struct system *system = malloc(sizeof(*system)); /* threads may have small stacks */
    double x[UNKNOWNS];
    if (!system)
        return false;
    fill(system, point, n, dims);
    const bool solved = solve(system, x);
    free(system);
    if (!solved)
        return false;
    *value = x[n];
    for (unsigned i = 0; i < n; i++)
        *value += x[i] * basis(distance(point[i].at, at, dims));
    for (unsigned d = 0; d < dims; d++)
        *value += x[n + 1 + d] * at[d];
    return isfinite(*value);
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

static double within(const struct cx_derive_point *kept, unsigned n, double value)
{
    double least = kept[0].value, most = kept[0].value;
    for (unsigned i = 1; i < n; i++) {
        least = fmin(least, kept[i].value);
        most = fmax(most, kept[i].value);
    }
    return fmin(fmax(value, least - CX_DERIVE_BEYOND), most + CX_DERIVE_BEYOND);
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
    *value = within(kept, count, *value);
    return true;
}
