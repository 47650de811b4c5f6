/* SPDX-License-Identifier: MIT */
#include "random_kernel.h"

#include <string.h>

static int32_t make(struct cx_random_kernel *k, enum cx_expr_op op, unsigned width, int32_t a, int32_t b,
                    int64_t imm)
{
    struct cx_expr e = {.op = (uint8_t)op, .width = (uint8_t)width, .a = a, .b = b, .imm = imm};

    k->expr[k->kernel.nexpr] = e;
    return (int32_t)k->kernel.nexpr++;
}

static unsigned width_of(const struct cx_random_kernel *k, int32_t node)
{
    return k->expr[node].width;
}

static int32_t constant(struct cx_random_kernel *k, unsigned width, int64_t value)
{
    return make(k, CX_EXPR_CONST, width, -1, -1, width == 32 ? (int32_t)value : value);
}

static int32_t resize(struct cx_random_kernel *k, struct cx_random *r, int32_t a, unsigned width)
{
    if (width_of(k, a) == width) {
        return a;
    }
    if (width_of(k, a) > width) {
        return make(k, CX_EXPR_TRUNC, width, a, -1, 0);
    }
    return make(k, cx_random_chance(r, 70) ? CX_EXPR_SEXT : CX_EXPR_ZEXT, width, a, -1, 0);
}

static int32_t leaf(struct cx_random_kernel *k, struct cx_random *r, unsigned width, bool wild)
{
    static const enum cx_expr_op ids[] = {CX_EXPR_GLOBAL_ID,     CX_EXPR_GLOBAL_ID,      CX_EXPR_GLOBAL_ID,
                                          CX_EXPR_LOCAL_ID,      CX_EXPR_GROUP_ID,       CX_EXPR_GROUP_ID,
                                          CX_EXPR_GLOBAL_SIZE,   CX_EXPR_LOCAL_SIZE,     CX_EXPR_NUM_GROUPS,
                                          CX_EXPR_GLOBAL_OFFSET, CX_EXPR_ENQ_LOCAL_SIZE, CX_EXPR_WORK_DIM};
    uint64_t pick = cx_random_below(r, 100);

    if (pick < 55) {
        int32_t dim = (int32_t)cx_random_below(r, cx_random_chance(r, 10) ? 3 : k->geometry.work_dim);
        return resize(k, r, make(k, ids[cx_random_below(r, wild ? 12 : 6)], 64, dim, -1, 0), width);
    }
    if (pick < 70) {
        return resize(k, r, make(k, CX_EXPR_ARG, 32, 3, -1, 0), width);
    }
    if (pick < 75) {
        return resize(k, r, make(k, CX_EXPR_ARG, 64, 4, -1, 0), width);
    }
    if (pick < 80 && wild) {
        return make(k, CX_EXPR_OPAQUE, width, CX_OPAQUE_LOADED, -1, (int64_t)k->kernel.nexpr);
    }
    if (wild && cx_random_chance(r, 10)) {
        return constant(k, width, (int64_t)cx_random_next(r) >> cx_random_below(r, 63));
    }
    return constant(k, width, (int64_t)cx_random_below(r, 12) - 3);
}

static int32_t sized(struct cx_random_kernel *k, struct cx_random *r, unsigned width, unsigned depth,
                     bool wild);

static int32_t expression(struct cx_random_kernel *k, struct cx_random *r, unsigned width, unsigned depth,
                          bool wild)
{
    static const enum cx_expr_op tame[] = {CX_EXPR_ADD, CX_EXPR_ADD, CX_EXPR_ADD, CX_EXPR_SUB, CX_EXPR_MUL};
    static const enum cx_expr_op all[] = {
        CX_EXPR_ADD,  CX_EXPR_SUB,  CX_EXPR_MUL,  CX_EXPR_UDIV,  CX_EXPR_SDIV,   CX_EXPR_UREM,  CX_EXPR_SREM,
        CX_EXPR_SHL,  CX_EXPR_LSHR, CX_EXPR_ASHR, CX_EXPR_AND,   CX_EXPR_OR,     CX_EXPR_XOR,   CX_EXPR_SMIN,
        CX_EXPR_SMAX, CX_EXPR_UMIN, CX_EXPR_UMAX, CX_EXPR_UNION, CX_EXPR_SMUL24, CX_EXPR_UMUL24};
    enum cx_expr_op op;
    int32_t a, b;

    if (depth == 0 || k->kernel.nexpr > 200) {
        return leaf(k, r, width, wild);
    }
    if (cx_random_chance(r, 25)) { /* the other width inside */
        return resize(k, r, sized(k, r, width == 32 ? 64 : 32, depth - 1, wild), width);
    }
    if (wild && cx_random_chance(r, 5)) {
        return make(k, cx_random_chance(r, 50) ? CX_EXPR_ABS : CX_EXPR_DECAY, width,
                    sized(k, r, width, depth - 1, wild), -1, 0);
    }
    op = wild ? all[cx_random_below(r, sizeof(all) / sizeof(*all))] : tame[cx_random_below(r, 5)];
    width = op == CX_EXPR_SMUL24 || op == CX_EXPR_UMUL24 ? 32 : width;
    a = sized(k, r, width, depth - 1, wild);
    b = op == CX_EXPR_MUL && !wild ? leaf(k, r, width, false) : sized(k, r, width, depth - 1, wild);
    if (op == CX_EXPR_SHL || op == CX_EXPR_LSHR || op == CX_EXPR_ASHR) {
        b = cx_random_chance(r, 80) ? constant(k, width, (int64_t)cx_random_below(r, width)) : b;
    }
    if ((op == CX_EXPR_UDIV || op == CX_EXPR_UREM || op == CX_EXPR_SDIV || op == CX_EXPR_SREM) &&
        cx_random_chance(r, 60)) {
        b = constant(k, width, 1 + (int64_t)cx_random_below(r, 9));
    }
    return make(k, op, width, a, b, 0);
}

/* An expression of exactly this width (24-bit products have their own). */
static int32_t sized(struct cx_random_kernel *k, struct cx_random *r, unsigned width, unsigned depth,
                     bool wild)
{
    return resize(k, r, expression(k, r, width, depth, wild), width);
}

static void add_guard(struct cx_random_kernel *k, struct cx_random *r, int32_t l, bool wild)
{
    static const enum cx_guard_pred usual[] = {CX_PRED_SLT, CX_PRED_SLT, CX_PRED_ULT, CX_PRED_SGE,
                                               CX_PRED_EQ};
    struct cx_guard g = {.pred = (uint8_t)usual[cx_random_below(r, 5)], .l = l};

    if (wild) {
        g.pred = (uint8_t)cx_random_below(r, CX_PRED_COUNT);
    }
    g.r = sized(k, r, width_of(k, l), wild ? 2 : 0, wild);
    k->guard[k->kernel.nguard++] = g;
}

/* for (i = start; i < bound; i += step): the node of i. */
static int32_t add_loop(struct cx_random_kernel *k, struct cx_random *r, bool wild)
{
    unsigned width = cx_random_chance(r, 50) ? 32 : 64;
    int32_t start = sized(k, r, width, cx_random_below(r, 2), wild);
    int32_t step = constant(k, width, cx_random_chance(r, 80) ? 1 + (int64_t)cx_random_below(r, 4) : -1);
    uint32_t index = k->kernel.nloop++;
    int32_t i = make(k, CX_EXPR_LOOP, width, start, step, index), tested = i;
    struct cx_loop *loop = &k->loop[index];
    struct cx_guard g = {.pred = CX_PRED_SLT};

    if (cx_random_chance(r, 25)) { /* do ... while (i + step < bound) */
        tested = make(k, CX_EXPR_ADD, width, i, step, 0);
    }
    g.l = tested;
    g.r = cx_random_chance(r, 50) ? constant(k, width, (int64_t)cx_random_below(r, 12))
                                  : sized(k, r, width, wild ? 2 : 0, wild);
    if (k->expr[step].imm < 0) {
        g.pred = CX_PRED_SGE;
    } else if (cx_random_chance(r, 20)) {
        g.pred = cx_random_chance(r, 50) ? CX_PRED_NE : CX_PRED_ULT;
    }
    *loop = (struct cx_loop){.guard = k->kernel.nguard, .nguard = 1, .single_exit = 1, .parent = -1};
    k->guard[k->kernel.nguard++] = g;
    return i;
}

struct digit {
    int32_t node;
    int64_t extent;
};

/* What an index may be made of: each dimension's ids, and the loops. */
static unsigned digits(struct cx_random_kernel *k, struct cx_random *r, const int32_t *index, unsigned loops,
                       struct digit *digit)
{
    const struct cx_access_geometry *g = &k->geometry;
    unsigned n = 0;

    for (unsigned d = loops > 0 && k->expr[k->expr[index[0]].b].op == CX_EXPR_GLOBAL_SIZE; d < g->work_dim;
         d++) {
        int64_t local = (int64_t)g->local[d], groups = ((int64_t)g->global[d] + local - 1) / local;
        if (cx_random_chance(r, 60)) {
            digit[n++] =
                (struct digit){make(k, CX_EXPR_GLOBAL_ID, 64, (int32_t)d, -1, 0), (int64_t)g->global[d]};
        } else {
            digit[n++] = (struct digit){make(k, CX_EXPR_LOCAL_ID, 64, (int32_t)d, -1, 0), local};
            digit[n++] = (struct digit){make(k, CX_EXPR_GROUP_ID, 64, (int32_t)d, -1, 0), groups};
        }
    }
    for (unsigned i = 0; i < loops; i++) {
        digit[n++] = (struct digit){resize(k, r, index[i], 64), 1 + (int64_t)cx_random_below(r, 12)};
    }
    for (unsigned i = 0; i + 1 < n; i++) {
        unsigned j = cx_random_chance(r, 70) ? i + (unsigned)cx_random_below(r, n - i) : i;
        struct digit swap = digit[i];
        digit[i] = digit[j];
        digit[j] = swap;
    }
    return n;
}

/* d0 + e0 * (d1 + e1 * (...)), in places a little more or less, some digits counting down. */
static int32_t strided(struct cx_random_kernel *k, struct cx_random *r, const int32_t *index, unsigned loops)
{
    struct digit digit[10];
    unsigned n = digits(k, r, index, loops, digit);
    int64_t stride = cx_random_chance(r, 80) ? 1 : 2, skew = 0;
    int32_t off = -1;

    for (unsigned i = 0; i < n; i++) {
        bool down = cx_random_chance(r, 15);
        int32_t term = make(k, CX_EXPR_MUL, 64, digit[i].node, constant(k, 64, down ? -stride : stride), 0);
        if (digit[i].extent < 2 && cx_random_chance(r, 50)) {
            continue;
        }
        off = off < 0 ? term : make(k, CX_EXPR_ADD, 64, off, term, 0);
        skew += down ? stride * (digit[i].extent - 1) : 0;
        stride *= digit[i].extent;
        stride += cx_random_chance(r, 25) ? (int64_t)cx_random_below(r, 4) - 1 : 0;
        stride = stride < 1 ? 1 : stride;
    }
    skew += cx_random_chance(r, 20) ? (int64_t)cx_random_below(r, 60) : 0;
    return off < 0 ? constant(k, 64, skew) : make(k, CX_EXPR_ADD, 64, off, constant(k, 64, skew), 0);
}

static int32_t added(struct cx_random_kernel *k, struct cx_random *r, int32_t off, const int32_t *index,
                     unsigned loops)
{
    for (unsigned i = 0; i < loops; i++) {
        if (cx_random_chance(r, 60)) {
            off = make(k, CX_EXPR_ADD, 64, off, resize(k, r, index[i], 64), 0);
        }
    }
    return off;
}

/* for (i = get_global_id(0); i < n; i += get_global_size(0)) */
static int32_t add_grid_loop(struct cx_random_kernel *k, struct cx_random *r)
{
    uint32_t index = k->kernel.nloop++;
    int32_t start = make(k, CX_EXPR_GLOBAL_ID, 64, 0, -1, 0),
            step = make(k, CX_EXPR_GLOBAL_SIZE, 64, 0, -1, 0);
    int32_t i = make(k, CX_EXPR_LOOP, 64, start, step, index);
    struct cx_guard g = {.pred = cx_random_chance(r, 50) ? CX_PRED_SLT : CX_PRED_ULT, .l = i};

    g.r = constant(k, 64, (int64_t)cx_random_below(r, 200));
    k->loop[index] = (struct cx_loop){.guard = k->kernel.nguard, .nguard = 1, .single_exit = 1, .parent = -1};
    k->guard[k->kernel.nguard++] = g;
    return i;
}

static int32_t binary(struct cx_random_kernel *k, enum cx_expr_op op, int32_t a, int64_t c)
{
    return make(k, op, width_of(k, a), a, constant(k, width_of(k, a), c), 0);
}

static int32_t either(struct cx_random_kernel *k, int32_t when, int32_t yes, int32_t no)
{
    const unsigned width = width_of(k, yes);

    return make(k, CX_EXPR_CHOICE, width, make(k, CX_EXPR_UNION, width, yes, no, (int64_t)k->kernel.nexpr),
                when, 0);
}

/* The same by a choice: x + by, less the ring where that is beyond it. Rarely off by one. */
static int32_t chosen(struct cx_random_kernel *k, struct cx_random *r, int32_t x, int64_t ring, int64_t by)
{
    const unsigned width = width_of(k, x);
    const int64_t edge = ring - by + (cx_random_chance(r, 4) ? 1 : 0);
    const enum cx_expr_op less = cx_random_chance(r, 50) ? CX_EXPR_ULESS : CX_EXPR_SLESS;
    const int32_t ahead = binary(k, CX_EXPR_ADD, x, by), back = binary(k, CX_EXPR_ADD, x, by - ring);
    int32_t zero = constant(k, width, 0);

    switch (cx_random_below(r, by == 1 || by == ring - 1 ? 5 : 3)) {
    case 0:
        return either(k, binary(k, less, x, edge), ahead, back);
    case 1: /* edge <= x */
        return either(k, make(k, less, width, constant(k, width, edge - 1), x, 0), back, ahead);
    case 2: /* x + by - (x + by < ring ? 0 : ring) */
        return make(k, CX_EXPR_SUB, width, ahead,
                    either(k, binary(k, less, ahead, edge + by), zero, constant(k, width, ring)), 0);
    case 3: /* at the end */
        return by == 1
                   ? either(k, binary(k, CX_EXPR_EQUAL, ahead, ring), zero, ahead)
                   : either(k, make(k, CX_EXPR_EQUAL, width, zero, x, 0), constant(k, width, ring - 1), back);
    default:
        return by == 1 ? either(k, binary(k, less, ahead, ring), ahead, zero)
                       : either(k, make(k, less, width, zero, x, 0), binary(k, CX_EXPR_SMAX, back, 0),
                                constant(k, width, ring - 1));
    }
}

/* A coordinate in [0, size), moved by a small distance around the ring; rarely around one of another size. */
static int32_t moved(struct cx_random_kernel *k, struct cx_random *r, int32_t x, int64_t size)
{
    const int64_t ring = size + (cx_random_chance(r, 4) ? (int64_t)cx_random_below(r, 3) - 1 : 0);
    int64_t by = cx_random_chance(r, 80) ? 1 : (int64_t)cx_random_below(r, 4);

    if (ring < 1 || cx_random_chance(r, 30)) {
        return x;
    }
    by = cx_random_chance(r, 50) ? by : ring - by; /* ahead, or back */
    if (cx_random_chance(r, 35)) {
        return chosen(k, r, x, ring, by);
    }
    if ((ring & (ring - 1)) == 0 && cx_random_chance(r, 30)) {
        by = cx_random_chance(r, 50) ? by : by - ring;
        return binary(k, CX_EXPR_AND, binary(k, CX_EXPR_ADD, x, by), ring - 1);
    }
    x = by < 0 ? binary(k, CX_EXPR_ADD, x, ring) : x;
    return binary(k, cx_random_chance(r, 30) ? CX_EXPR_SREM : CX_EXPR_UREM, binary(k, CX_EXPR_ADD, x, by),
                  ring);
}

/* The coordinates of a grid that the items are, of each dimension's or by dividing its id; slowest last. */
struct grid {
    unsigned n;
    int32_t x[6];
    int64_t size[6], stride[6], cells; /* with gaps */
};

/* How far apart neighbours are: mostly as the coordinates come, else in any order, with gaps. */
static void make_strides(struct cx_random *r, struct grid *grid)
{
    const bool shuffled = cx_random_chance(r, 50);
    unsigned order[6];

    for (unsigned i = 0; i < grid->n; i++) {
        const unsigned at = shuffled ? (unsigned)cx_random_below(r, i + 1) : i;
        order[i] = order[at];
        order[at] = i;
    }
    grid->cells = 1;
    for (unsigned i = 0; i < grid->n; i++) {
        grid->stride[order[i]] = grid->cells;
        grid->cells *= grid->size[order[i]];
        grid->cells += shuffled && cx_random_chance(r, 20) ? 1 + (int64_t)cx_random_below(r, 3) : 0;
    }
}

static void make_grid(struct cx_random_kernel *k, struct cx_random *r, struct grid *grid)
{
    const struct cx_access_geometry *g = &k->geometry;

    *grid = (struct grid){0};
    for (unsigned d = 0; d < g->work_dim; d++) {
        const unsigned width = cx_random_chance(r, 10) ? 8 : cx_random_chance(r, 50) ? 32 : 64;
        const uint64_t first = g->offset[d] < 100 ? g->offset[d] : 0; /* beyond, ids end and begin again */
        int64_t ends = (int64_t)(g->global[d] + first), cut = 1 + (int64_t)cx_random_below(r, 6);
        int32_t id = resize(k, r, make(k, CX_EXPR_GLOBAL_ID, 64, (int32_t)d, -1, 0), width), low = id;
        for (unsigned part = 0; part < 5 && cut > 1 && ends % cut == 0 && grid->n < 6 - g->work_dim + d;
             part++) {
            grid->x[grid->n] = binary(k, CX_EXPR_UREM, low, cut);
            grid->size[grid->n++] = cut;
            low = binary(k, CX_EXPR_UDIV, low, cut);
            ends /= cut;
            cut = 1 + (int64_t)cx_random_below(r, 4);
        }
        grid->x[grid->n] = low;
        grid->size[grid->n++] = ends;
    }
    make_strides(r, grid);
}

/* An access to a cell beside the item's, in one of a few slots or fields. */
static void add_ring(struct cx_random_kernel *k, struct cx_random *r, const struct grid *grid, int64_t elem,
                     bool fields)
{
    struct cx_access_record *a = &k->access[k->kernel.naccess++];
    const int64_t slot = (int64_t)cx_random_below(r, 4);
    /* in few bits, where sums wrap around */
    const unsigned width = cx_random_chance(r, 20) ? 8 : cx_random_chance(r, 10) ? 16 : 64;
    int32_t cell = -1;

    for (unsigned i = 0; i < grid->n; i++) {
        const int64_t more = cx_random_chance(r, 4) ? (int64_t)cx_random_below(r, 3) - 1 : 0;
        const int64_t stride = grid->stride[i] + more < 1 ? 1 : grid->stride[i] + more;
        const int64_t far = width < 64 && cx_random_chance(r, 8)
                                ? (INT64_C(1) << (width - 1)) / (1 + (int64_t)cx_random_below(r, 8))
                                : 0;
        int32_t x = resize(k, r, moved(k, r, grid->x[i], grid->size[i]), width);
        x = stride + far == 1 ? x : binary(k, CX_EXPR_MUL, x, stride + far);
        cell = cell < 0 ? x : make(k, CX_EXPR_ADD, width, cell, x, 0);
    }
    if (width < 64 && cx_random_chance(r, 30)) {
        cell = binary(k, CX_EXPR_ADD, cell, (int64_t)cx_random_below(r, UINT64_C(1) << width));
    }
    cell = resize(k, r, cell, 64);
    cell = binary(k, CX_EXPR_MUL, cell, fields ? 4 * elem : elem);
    *a = (struct cx_access_record){.arg = (uint16_t)cx_random_below(r, 2),
                                   .mode = cx_random_chance(r, 50) ? CX_MODE_WRITE : CX_MODE_READ,
                                   .flags = CX_ACCESS_MUST,
                                   .width = (uint8_t)elem,
                                   .off =
                                       binary(k, CX_EXPR_ADD, cell, slot * elem * (fields ? 1 : grid->cells)),
                                   .len = -1,
                                   .size = (uint64_t)elem};
    if (k->kernel.naccess > 1 && cx_random_chance(r, 60)) { /* the other way through a place of before */
        const struct cx_access_record *other = &k->access[cx_random_below(r, k->kernel.naccess - 1)];
        a->arg = other->arg;
        a->off = other->off;
    }
    if (cx_random_chance(r, 20)) { /* of some of the cells */
        a->guard = k->kernel.nguard;
        a->nguard = 1;
        k->guard[k->kernel.nguard++] = (struct cx_guard){
            .pred = CX_PRED_ULT,
            .l = grid->x[grid->n - 1],
            .r = constant(k, width_of(k, grid->x[grid->n - 1]), (int64_t)cx_random_below(r, 8))};
    }
}

static void add_rings(struct cx_random_kernel *k, struct cx_random *r)
{
    const int64_t elem = INT64_C(1) << cx_random_below(r, 3);
    const bool fields = cx_random_chance(r, 20);
    const unsigned accesses = 1 + (unsigned)cx_random_below(r, 6);
    struct grid grid;

    make_grid(k, r, &grid);
    for (unsigned i = 0; i < accesses; i++) {
        add_ring(k, r, &grid, elem, fields);
    }
}

static void add_access(struct cx_random_kernel *k, struct cx_random *r, int32_t *index, unsigned count,
                       enum cx_random_style style)
{
    bool wild = style == CX_RANDOM_WILD;
    struct cx_access_record *a = &k->access[k->kernel.naccess++];
    int32_t off;
    uint64_t elem = UINT64_C(1) << cx_random_below(r, style == CX_RANDOM_STRIDED ? 3 : 4);
    uint32_t first;

    if (style == CX_RANDOM_STRIDED) {
        off = strided(k, r, index, count);
    } else {
        off = added(k, r, sized(k, r, 64, 1 + (unsigned)cx_random_below(r, 3), wild), index, count);
    }
    off = make(k, CX_EXPR_MUL, 64, off, constant(k, 64, (int64_t)elem), 0);
    *a = (struct cx_access_record){.arg = (uint16_t)cx_random_below(r, 3),
                                   .mode = cx_random_chance(r, 50) ? CX_MODE_WRITE : CX_MODE_READ,
                                   .flags = CX_ACCESS_MUST,
                                   .width = (uint8_t)elem,
                                   .off = off,
                                   .len = -1,
                                   .skew = (int64_t)cx_random_below(r, 3) * (int64_t)elem,
                                   .size = elem};
    if (cx_random_chance(r, 10)) {
        a->len = sized(k, r, 64, 1, wild);
        a->size = 0;
    } else if (elem >= 4 && cx_random_chance(r, 30)) {
        a->mode = CX_MODE_ATOMIC;
        a->atomic_op = cx_random_chance(r, 70) ? CX_ATOMIC_ADD + (uint8_t)cx_random_below(r, 4)
                                               : CX_ATOMIC_ADD + (uint8_t)cx_random_below(r, 12);
        a->flags |= cx_random_chance(r, 10) ? CX_ACCESS_RESULT_USED : 0;
    }
    first = k->kernel.nguard;
    if (style == CX_RANDOM_STRIDED && cx_random_chance(r, 20)) { /* if (index < n) */
        k->guard[k->kernel.nguard++] = (struct cx_guard){
            .pred = CX_PRED_SLT, .l = k->expr[off].a, .r = constant(k, 64, (int64_t)cx_random_below(r, 128))};
    }
    for (unsigned i = 0; i < count; i++) { /* the loops' own conditions hold in their bodies */
        if (cx_random_chance(r, 70)) {
            k->guard[k->kernel.nguard++] = k->guard[k->loop[i].guard];
        }
    }
    for (uint64_t n = cx_random_below(r, 3); n-- > 0;) {
        add_guard(
            k, r,
            sized(k, r, cx_random_chance(r, 50) ? 32 : 64, wild ? 2 : (unsigned)cx_random_below(r, 2), wild),
            wild);
    }
    a->guard = first;
    a->nguard = k->kernel.nguard - first;
}

static void make_geometry(struct cx_access_geometry *g, struct cx_random *r)
{
    static const uint64_t most[4] = {0, 60, 12, 6};

    *g = (struct cx_access_geometry){.work_dim = 1 + (uint32_t)cx_random_below(r, 3)};
    for (unsigned d = 0; d < g->work_dim; d++) {
        g->local[d] = 1 + cx_random_below(r, g->work_dim == 1 ? 8 : 3);
        g->global[d] = 1 + cx_random_below(r, most[g->work_dim]);
        if (cx_random_chance(r, 70)) {
            g->global[d] = (g->global[d] + g->local[d] - 1) / g->local[d] * g->local[d];
        }
        g->offset[d] = cx_random_chance(r, 20) ? cx_random_below(r, 9) : 0;
    }
}

static uint64_t argument(const struct cx_access_geometry *g, struct cx_random *r)
{
    switch (cx_random_below(r, 6)) {
    case 0:
        return cx_random_below(r, 64);
    case 1:
        return cx_random_next(r) >> cx_random_below(r, 64);
    case 2:
        return 0 - cx_random_below(r, 8);
    default:
        return g->global[cx_random_below(r, g->work_dim)] + cx_random_below(r, 2);
    }
}

static void sort_accesses(struct cx_random_kernel *k)
{
    for (uint32_t i = 1; i < k->kernel.naccess; i++) {
        for (uint32_t j = i; j > 0 && k->access[j - 1].arg > k->access[j].arg; j--) {
            struct cx_access_record swap = k->access[j];
            k->access[j] = k->access[j - 1];
            k->access[j - 1] = swap;
        }
    }
}

void cx_random_kernel_make(struct cx_random_kernel *k, struct cx_random *r, enum cx_random_style style)
{
    bool wild = style == CX_RANDOM_WILD;
    int32_t index[3];
    unsigned loops = (unsigned)cx_random_below(r, 3), accesses = 1 + (unsigned)cx_random_below(r, 3);

    memset(k, 0, sizeof(*k));
    make_geometry(&k->geometry, r);
    if (style == CX_RANDOM_RINGS && cx_random_chance(r, 6)) {
        k->geometry.offset[0] = (UINT64_C(1) << (cx_random_chance(r, 60) ? 32 : 31)) - cx_random_below(r, 70);
    }
    k->kernel = (struct cx_summary_kernel){.name = "random",
                                           .narg = CX_RANDOM_ARGS,
                                           .arg = k->arg,
                                           .expr = k->expr,
                                           .guard = k->guard,
                                           .loop = k->loop,
                                           .access = k->access};
    k->n32 = (uint32_t)argument(&k->geometry, r);
    k->n64 = argument(&k->geometry, r);
    for (unsigned i = 0; i < CX_RANDOM_ARGS; i++) {
        k->arg[i] =
            (struct cx_summary_arg){.name = "a", .type = "", .kind = i < 3 ? CX_ARG_GLOBAL : CX_ARG_VALUE};
        k->arg[i].size = i < 3 ? 0 : i == 3 ? 4 : 8;
        k->arg[i].touch = CX_TOUCH_READ | CX_TOUCH_WRITE;
        k->value[i] = (struct cx_access_arg){.value = i == 3 ? (void *)&k->n32 : &k->n64,
                                             .size = i == 3 ? 4 : 8,
                                             .object = i < 3 ? i + 1 : 0,
                                             .bytes = i < 3 ? 512 : 0};
    }
    if (cx_random_chance(r, 15)) { /* two views of one buffer */
        k->value[1].object = 1;
        k->value[1].base = cx_random_below(r, 64);
    }
    loops = style == CX_RANDOM_RINGS ? 0 : loops;
    for (unsigned i = 0; i < loops; i++) {
        bool grid = style == CX_RANDOM_STRIDED && i == 0 && cx_random_chance(r, 30);
        index[i] = grid ? add_grid_loop(k, r) : add_loop(k, r, wild);
    }
    if (style == CX_RANDOM_RINGS) {
        add_rings(k, r);
        accesses = cx_random_chance(r, 10);
    }
    for (unsigned i = 0; i < accesses; i++) {
        add_access(k, r, index, loops, style);
    }
    if (k->kernel.nloop == 0) { /* decaying values must name a loop */
        k->loop[0] = (struct cx_loop){.parent = -1};
        k->kernel.nloop = 1;
    }
    sort_accesses(k);
}
