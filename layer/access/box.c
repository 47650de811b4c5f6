/* SPDX-License-Identifier: MIT */
/*
 * Regions as boxes: collects the shapes of an argument's accesses for a launch, and cuts them to a package.
 *
 * Previous stages: stride.c (shapes) and protocol.c (which are wanted). Next stage:
 * package.c.
 */
#include "layer/access/access_inside.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ROWS     65536
#define MAX_GATHERED 24 /* accesses of one argument */

int64_t cx_access_row_cost = 64;

const struct cx_shape *cx_access_shape(struct cx_access *a, uint32_t access)
{
    uint32_t n = a->launch.kernel->naccess;
    struct cx_shape *shape;

    if (!a->bound[access].known || a->bound[access].empty) {
        return NULL;
    }
    if (!a->shape) {
        a->shape = malloc(n * (5 * sizeof(*a->shape) + 1));
        if (!a->shape) {
            return NULL;
        }
        a->shaped = (uint8_t *)(a->shape + 5 * n);
        memset(a->shaped, 0, n);
    }
    shape = &a->shape[access];
    if (!a->shaped[access]) {
        a->shaped[access] = 1;
        if (!cx_eval_shape(&a->eval, &a->launch.kernel->access[access], shape)) {
            *shape = cx_shape_of_bound(&a->bound[access]);
        }
    }
    return shape;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Drops rows before the beginning and past the end; all of them where one would have to be cut at its
 * beginning. */
static void fit(struct cx_shape *x, const struct cx_bound *bound, int64_t bytes)
{
    int64_t limit = smaller(x->max, bytes), bottom = x->min > 0 ? x->min : 0;

    for (unsigned top = x->levels; top-- > 0;) {
        int64_t end = top ? x->high + x->stride[0] * (x->count[0] - 1) : x->high; /* of its first row */
        int64_t below = end <= bottom ? (bottom - end) / x->stride[top] + 1 : 0, most;
        below = smaller(below, x->count[top] - 1);
        x->off += below * x->stride[top];
        x->low += below * x->stride[top];
        x->high += below * x->stride[top];
        x->row_off += below * x->stride[top];
        most = x->low < limit ? (limit - 1 - x->low) / x->stride[top] + 1 : 1;
        x->count[top] = smaller(x->count[top] - below, most);
        if (x->count[top] > 1) {
            break;
        }
        x->levels--;
    }
    if (x->levels && x->low < bottom) {
        *x = cx_shape_of_bound(bound);
    }
    if (x->levels == 0 && x->low < bottom) { /* one row can be cut */
        x->low = smaller(bottom, x->high - 1);
    }
}

/*
 * A shape on a ring: of two rows, the first begins before the memory that it may touch and the second may end
 * behind it. Each becomes a run of its own, cut at both ends; no two of their bytes are one, since the rows
 * lie a stride apart. False: it is not like that.
 */
static bool open_ring(const struct cx_shape *x, int64_t bytes, struct cx_shape *run)
{
    const int64_t bottom = x->min > 0 ? x->min : 0, top = smaller(x->max, bytes);

    if (x->levels != 1 || x->count[0] != 2 || x->low >= bottom || x->high <= bottom ||
        x->low + x->stride[0] >= top || x->high - x->low > x->stride[0]) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        const int64_t by = i ? x->stride[0] : 0;
        run[i] = *x;
        run[i].levels = 0;
        run[i].row = 0;
        run[i].exact = false;
        run[i].off += by;
        run[i].low = larger(x->low + by, bottom);
        run[i].high = smaller(x->high + by, top);
        run[i].min = run[i].low;
        run[i].max = run[i].high;
    }
    return true;
}

/* Boxes that a package may need for it. */
static unsigned most_boxes(const struct cx_shape *x, int64_t bytes)
{
    if (x->row) {
        return x->levels + 2u;
    }
    return x->levels && cx_shape_end(x) > smaller(x->max, bytes) ? x->levels + 1u : 1;
}

/* Merges what one shape can hold; true where no two of the boxes can overlap but plain runs. */
static bool settle(struct cx_shapes *p, bool tight)
{
    for (unsigned i = 0; i < p->n; i++) {
        for (unsigned j = i + 1; j < p->n;) {
            if (cx_shape_merge(&p->shape[i], &p->shape[j], tight)) {
                p->shape[j] = p->shape[--p->n];
                j = i + 1; /* it has grown */
            } else {
                j++;
            }
        }
    }
    for (unsigned i = 0; i < p->n; i++) {
        for (unsigned j = i + 1; j < p->n; j++) {
            struct cx_shape *x = &p->shape[i], *y = &p->shape[j];
            if (!x->levels && !y->levels && !x->row && !y->row) {
                continue;
            }
            if (cx_shape_apart(x, y, 0) != CX_APART_ALWAYS) {
                x->row = y->row = 0;
                if (x->levels || y->levels) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Boxes needed for all shapes; fewer without the rows of low parts. */
static unsigned count_boxes(struct cx_shapes *p, int64_t bytes, bool rows)
{
    unsigned boxes = 0;

    for (unsigned i = 0; i < p->n; i++) {
        p->shape[i].row = rows ? p->shape[i].row : 0;
        boxes += most_boxes(&p->shape[i], bytes);
    }
    return boxes;
}

static bool touches(const struct cx_access_record *r, bool write)
{
    return write ? r->mode != CX_MODE_READ : r->mode != CX_MODE_WRITE;
}

bool cx_access_gather(struct cx_access *a, uint32_t arg, bool write, bool tight)
{
    const struct cx_summary_kernel *k = a->launch.kernel;
    struct cx_shapes *p = &a->shapes[2 * arg + write];
    int64_t bytes = (int64_t)a->args[arg].bytes, rows = 0;

    *p = (struct cx_shapes){0};
    for (uint32_t i = 0; i < k->naccess; i++) {
        const struct cx_shape *shape;
        if (k->access[i].arg != arg || !touches(&k->access[i], write) || a->bound[i].empty) {
            continue;
        }
        shape = cx_access_shape(a, i);
        if (!shape || p->n + 2 > MAX_GATHERED) {
            p->n = 0;
            return false;
        }
        if (!p->shape) {
            p->shape = a->shape + (size_t)(write ? k->naccess : 3 * k->naccess) + 2 * (size_t)i;
        }
        if (open_ring(shape, bytes, &p->shape[p->n])) {
            p->n += 2;
        } else {
            p->shape[p->n] = *shape;
            fit(&p->shape[p->n++], &a->bound[i], bytes);
        }
    }
    if (!settle(p, tight)) {
        p->n = 0;
        return false;
    }
    for (unsigned i = 0; i < p->n; i++) {
        if (p->shape[i].levels && (p->shape[i].low < 0 || p->shape[i].low < p->shape[i].min)) {
            p->n = 0; /* as fit() has it, but merged */
            return false;
        }
        rows = cx_sat_add(rows, cx_shape_rows(&p->shape[i]));
    }
    if ((count_boxes(p, bytes, true) > CX_ACCESS_BOXES && count_boxes(p, bytes, false) > CX_ACCESS_BOXES) ||
        rows > MAX_ROWS) {
        p->n = 0;
        return false;
    }
    return true;
}

struct boxes {
    struct cx_access_box *box;
    unsigned n;
};

/* Rows of the lower levels from lo on, cut at the limit. */
static void emit(struct boxes *out, const struct cx_shape *x, int64_t lo, int64_t len, int64_t limit)
{
    for (unsigned levels = x->levels; lo < limit; levels--) {
        int64_t inner = len, rows = 1; /* extent of what lies below the level, and how many fit in */
        struct cx_access_box *b = &out->box[out->n];
        if (levels > 1) {
            inner += x->stride[0] * (x->count[0] - 1);
        }
        if (levels > 0) {
            rows = lo + inner > limit ? 0 : (limit - lo - inner) / x->stride[levels - 1] + 1;
            rows = smaller(rows, x->count[levels - 1]);
        }
        if (rows > 0) {
            *b = (struct cx_access_box){
                .lo = (uint64_t)lo, .len = (uint64_t)len, .count = {1, 1}, .exact = x->exact};
            if (levels == 0) {
                b->len = (uint64_t)smaller(len, limit - lo);
            }
            for (unsigned i = 0; i < levels; i++) {
                b->stride[i] = (uint64_t)x->stride[i];
                b->count[i] = (uint64_t)(i + 1 < levels ? x->count[i] : rows);
            }
            out->n++;
        }
        if (levels == 0 || rows == x->count[levels - 1]) {
            return;
        }
        lo += x->stride[levels - 1] * rows;
    }
}

/* One level less where rows follow each other without a gap. */
static void close_gaps(struct cx_access_box *b)
{
    for (unsigned i = 0; i < 2; i++) {
        if (b->count[0] == 1 || b->len == b->stride[0]) {
            b->len += b->stride[0] * (b->count[0] - 1);
            b->stride[0] = b->stride[1];
            b->count[0] = b->count[1];
            b->stride[1] = 0;
            b->count[1] = 1;
        }
        if (b->count[0] == 1) {
            b->stride[0] = 0;
        }
    }
    if (b->count[1] > 1 && b->stride[1] == b->stride[0] * b->count[0]) {
        b->count[0] *= b->count[1];
        b->count[1] = 1;
    }
    b->stride[1] = b->count[1] > 1 ? b->stride[1] : 0;
}

static bool join(struct cx_access_box *x, const struct cx_access_box *y)
{
    uint64_t end = x->lo + x->len, other = y->lo + y->len;

    if (x->count[0] > 1 || y->count[0] > 1 || x->lo > other || y->lo > end) {
        return false;
    }
    x->lo = y->lo < x->lo ? y->lo : x->lo;
    x->len = (other > end ? other : end) - x->lo;
    x->exact = x->exact && y->exact;
    return true;
}

static void tidy(struct boxes *all)
{
    for (unsigned i = 0; i < all->n; i++) {
        close_gaps(&all->box[i]);
    }
    for (unsigned i = 0; i < all->n; i++) {
        for (unsigned j = i + 1; j < all->n;) {
            if (join(&all->box[i], &all->box[j])) {
                all->box[j] = all->box[--all->n];
                j = i + 1;
            } else {
                j++;
            }
        }
    }
}

static uint64_t end_of(const struct cx_access_box *b)
{
    return b->lo + b->len + b->stride[0] * (b->count[0] - 1) + b->stride[1] * (b->count[1] - 1);
}

/* Rows of this length do not overlap. Always so where the boxes of packages are apart: see stride.c.
 */
static bool fits(const struct cx_shape *x, int64_t len)
{
    return (x->levels < 1 || len <= x->stride[0]) &&
           (x->levels < 2 || x->stride[0] * (x->count[0] - 1) + len <= x->stride[1]);
}

/*
 * Emits the rows of the low part for units f..l. False where they do not make boxes: too many or too little
 * between them, or one would have to be cut at its beginning, or (unless free) at its end.
 */
static bool emit_rows(struct boxes *out, const struct cx_shape *x, int64_t f, int64_t l, int64_t limit,
                      bool free)
{
    int64_t lo = x->row_off + x->s * (x->s >= 0 ? f : l), skip = 0;
    int64_t rows = x->rows + (x->s < 0 ? -x->s : x->s) / x->row * (l - f);
    struct cx_shape y = *x;

    if (x->levels == CX_SHAPE_LEVELS || x->row_run + cx_access_row_cost > x->row / 4 * 3) {
        return false;
    }
    if (lo + x->row_run <= x->low) {
        skip = (x->low - lo - x->row_run) / x->row + 1;
    }
    lo += skip * x->row;
    rows -= skip;
    rows = lo < x->high ? smaller(rows, (x->high - 1 - lo) / x->row + 1) : 0;
    if (rows <= 0) {
        return true;
    }
    if (lo < 0 || lo < x->low || rows * cx_shape_rows(x) > MAX_ROWS ||
        (!free && lo + (rows - 1) * x->row + x->row_run > x->high)) {
        return false;
    }
    y.exact = x->row_exact;
    y.levels = x->levels + 1;
    y.stride[1] = x->stride[0];
    y.count[1] = x->count[0];
    y.stride[0] = x->row;
    y.count[0] = rows;
    if (!fits(&y, x->row_run)) {
        return false;
    }
    emit(out, &y, lo, x->row_run, limit);
    return true;
}

/* False where the boxes would overlap. */
static bool emit_run(struct boxes *out, const struct cx_shape *x, int64_t f, int64_t l, int64_t limit)
{
    int64_t lo = cx_sat_add(cx_sat_mul(x->s, x->s >= 0 ? f : l), x->off);
    int64_t hi = cx_sat_add(cx_sat_add(cx_sat_mul(x->s, x->s >= 0 ? l : f), x->off), x->run);

    lo = lo > x->low ? lo : x->low;
    lo = lo > 0 ? lo : 0;
    hi = smaller(hi, x->high);
    if (lo < hi && !fits(x, hi - lo)) {
        return false;
    }
    if (lo < hi) {
        emit(out, x, lo, hi - lo, limit);
    }
    return true;
}

unsigned cx_access_boxes(const struct cx_shapes *p, int64_t first, int64_t last, uint64_t bytes, bool must,
                         struct cx_access_box *box, struct cx_access_interval *hull)
{
    struct boxes all = {box, 0};
    uint64_t sum = 0, rows = 0, lo = UINT64_MAX, hi = 0;
    bool exact = true;

    for (unsigned i = 0; i < p->n; i++) {
        const struct cx_shape *x = &p->shape[i];
        int64_t f = first > x->first ? first : x->first, l = last < x->last ? last : x->last;
        int64_t limit = smaller(x->max, (int64_t)bytes);
        if (f > l || (x->row && emit_rows(&all, x, f, l, limit, p->free))) {
            continue;
        }
        if (!emit_run(&all, x, f, l, limit)) {
            return 0;
        }
    }
    tidy(&all);
    for (unsigned i = 0; i < all.n; i++) {
        sum += box[i].len * box[i].count[0] * box[i].count[1];
        rows += box[i].count[0] * box[i].count[1];
        lo = box[i].lo < lo ? box[i].lo : lo;
        hi = end_of(&box[i]) > hi ? end_of(&box[i]) : hi;
        exact = exact && box[i].exact;
    }
    /* where boxes are a wish, the hull is the one that is known to be apart from others */
    if (!must && ((sum + rows * (uint64_t)cx_access_row_cost > (hi - lo) / 4 * 3 && sum < hi - lo) ||
                  (!p->free && (lo < hull->lo || hi > hull->hi)))) {
        return 0;
    }
    *hull = (struct cx_access_interval){.known = true};
    if (all.n) {
        *hull =
            (struct cx_access_interval){.lo = lo, .hi = hi, .known = true, .exact = exact && sum == hi - lo};
    }
    return sum == hi - lo ? 0 : all.n;
}
