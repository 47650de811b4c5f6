/* SPDX-License-Identifier: MIT */
/*
 * Elimination of variables. See polyhedron.h. A condition that follows from others may be left out at any
 * time, and is where there is no room for it or its numbers are too large.
 */
#include "layer/access/polyhedron.h"
#include "layer/access/form.h"
#include "layer/access/number.h"

enum truth { NEVER, ALWAYS, MAYBE };

/* Divides by what the factors have in common; then the constant may be rounded up, or, of an equation, has no
 * remainder if it can hold. */
static enum truth normalise(struct cx_linear *row, unsigned nvars)
{
    int64_t by = 0;

    for (unsigned v = 0; v < nvars; v++) {
        by = cx_number_gcd(by, row->factor[v]);
    }
    if (by == 0) {
        return row->constant == 0 || (row->constant < 0 && !row->equal) ? ALWAYS : NEVER;
    }
    if (row->equal && row->constant % by != 0) {
        return NEVER;
    }
    for (unsigned v = 0; v < nvars; v++) {
        row->factor[v] /= by;
    }
    row->constant = -cx_floor_div(-row->constant, by);
    return MAYBE;
}

static bool is_large(int64_t value)
{
    return value > INT64_MAX / 4 || value < -(INT64_MAX / 4);
}

static bool has_large(const struct cx_linear *row, unsigned nvars)
{
    bool large = is_large(row->constant);

    for (unsigned v = 0; v < nvars; v++) {
        large = large || is_large(row->factor[v]);
    }
    return large;
}

void cx_polyhedron_add(struct cx_polyhedron *set, const struct cx_linear *row)
{
    if (!has_large(row, set->nvars) && set->nrows < CX_POLYHEDRON_ROWS) {
        set->row[set->nrows++] = *row;
    }
}

/* *to += by * row. False: the numbers are too large. */
static bool add_times(struct cx_linear *to, const struct cx_linear *row, int64_t by, unsigned nvars)
{
    int64_t product;
    bool large = __builtin_mul_overflow(row->constant, by, &product) ||
                 __builtin_add_overflow(to->constant, product, &to->constant);

    for (unsigned v = 0; v < nvars && !large; v++) {
        large = __builtin_mul_overflow(row->factor[v], by, &product) ||
                __builtin_add_overflow(to->factor[v], product, &to->factor[v]);
    }
    return !large && !has_large(to, nvars);
}

/* What follows from both, without the variable; neither factor is 0. False: nothing, or the numbers are too
 * large. */
static bool combine(const struct cx_linear *x, const struct cx_linear *y, unsigned var, unsigned nvars,
                    struct cx_linear *out)
{
    const int64_t by = cx_number_gcd(x->factor[var], y->factor[var]);
    int64_t of_x = y->factor[var] / by, of_y = -x->factor[var] / by;

    if ((!x->equal && of_x < 0) || (!y->equal && of_y < 0)) {
        of_x = -of_x;
        of_y = -of_y;
    }
    if ((!x->equal && of_x < 0) || (!y->equal && of_y < 0)) {
        return false; /* both are limits on the same side */
    }
    *out = (struct cx_linear){.equal = x->equal && y->equal};
    return add_times(out, x, of_x, nvars) && add_times(out, y, of_y, nvars);
}

/* Removes row `index`, whose place the last one takes. */
static void drop(struct cx_polyhedron *set, unsigned index)
{
    set->row[index] = set->row[--set->nrows];
}

/* True: a condition can never hold. Those that always do are removed. */
static bool normalise_all(struct cx_polyhedron *set)
{
    for (unsigned i = 0; i < set->nrows;) {
        switch (normalise(&set->row[i], set->nvars)) {
        case NEVER:
            return true;
        case ALWAYS:
            drop(set, i);
            break;
        case MAYBE:
            i++;
        }
    }
    return false;
}

/* An equation, and the variable in it with the least factor; false: there is none. */
static bool find_equation(const struct cx_polyhedron *set, unsigned *row, unsigned *var)
{
    int64_t least = INT64_MAX;

    for (unsigned i = 0; i < set->nrows; i++) {
        for (unsigned v = 0; set->row[i].equal && v < set->nvars; v++) {
            const int64_t factor = cx_number_size(set->row[i].factor[v]);
            if (factor && factor < least) {
                least = factor;
                *row = i;
                *var = v;
            }
        }
    }
    return least != INT64_MAX;
}

/* The variable whose elimination makes the fewest conditions; false: there are no variables left. */
static bool find_variable(const struct cx_polyhedron *set, unsigned *var)
{
    unsigned least = UINT32_MAX;

    for (unsigned v = 0; v < set->nvars; v++) {
        unsigned above = 0, below = 0;
        for (unsigned i = 0; i < set->nrows; i++) {
            above += set->row[i].factor[v] > 0;
            below += set->row[i].factor[v] < 0;
        }
        if (above + below && above * below < least) {
            least = above * below;
            *var = v;
        }
    }
    return least != UINT32_MAX;
}

/* Puts the equation into all others. */
static void substitute(struct cx_polyhedron *set, unsigned row, unsigned var)
{
    const struct cx_linear equation = set->row[row];

    drop(set, row);
    for (unsigned i = 0; i < set->nrows;) {
        struct cx_linear without;
        if (set->row[i].factor[var] == 0) {
            i++;
        } else if (combine(&equation, &set->row[i], var, set->nvars, &without)) {
            set->row[i++] = without;
        } else {
            drop(set, i);
        }
    }
}

/* Puts what each upper limit and each lower one say together in their place. */
static void eliminate(struct cx_polyhedron *set, unsigned var)
{
    const unsigned before = set->nrows;
    unsigned kept = 0;

    for (unsigned i = 0; i < before; i++) {
        for (unsigned j = i + 1; j < before && set->row[i].factor[var]; j++) {
            struct cx_linear without;
            if (set->row[j].factor[var] && combine(&set->row[i], &set->row[j], var, set->nvars, &without)) {
                cx_polyhedron_add(set, &without);
            }
        }
    }
    for (unsigned i = 0; i < set->nrows; i++) {
        if (set->row[i].factor[var] == 0) {
            set->row[kept++] = set->row[i];
        }
    }
    set->nrows = kept;
}

bool cx_polyhedron_is_empty(struct cx_polyhedron *set)
{
    unsigned row, var;

    while (!normalise_all(set)) {
        if (find_equation(set, &row, &var)) {
            substitute(set, row, var);
        } else if (find_variable(set, &var)) {
            eliminate(set, var);
        } else {
            return false;
        }
    }
    return true;
}
