/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TRIPS 40

uint64_t cx_random_next(struct cx_random *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u); /* splitmix64 */

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t cx_random_below(struct cx_random *r, uint64_t below)
{
    return cx_random_next(r) % below;
}

bool cx_random_chance(struct cx_random *r, unsigned percent)
{
    return cx_random_below(r, 100) < percent;
}

struct run {
    const struct cx_summary_kernel *k;
    const struct cx_access_geometry *g;
    const struct cx_access_arg *args;
    struct cx_oracle *o;
    struct cx_random *random;
    uint64_t group[3], lid[3], local[3];
    uint64_t *trip;  /* by loop */
    uint64_t *value; /* by node, masked to its width */
    unsigned char *known;
    struct cx_bits *bits; /* by node */
    bool undefined;       /* this instance does something OpenCL leaves undefined */
    unsigned dim;
};

static uint64_t mask(uint64_t value, unsigned width)
{
    return width >= 64 ? value : value & ((UINT64_C(1) << width) - 1);
}

static int64_t as_signed(uint64_t value, unsigned width)
{
    return (int64_t)(value << (64 - width)) >> (64 - width);
}

static uint64_t work_item(const struct run *r, const struct cx_expr *e)
{
    unsigned d = (unsigned)e->a;
    bool used = d < r->g->work_dim;
    uint64_t global = used ? r->g->global[d] : 1, local = used ? r->g->local[d] : 1;
    uint64_t offset = used ? r->g->offset[d] : 0;

    switch ((enum cx_expr_op)e->op) {
    case CX_EXPR_GLOBAL_ID:
        return offset + r->group[d] * local + r->lid[d];
    case CX_EXPR_LOCAL_ID:
        return r->lid[d];
    case CX_EXPR_GROUP_ID:
        return r->group[d];
    case CX_EXPR_GLOBAL_SIZE:
        return global;
    case CX_EXPR_LOCAL_SIZE:
        return r->local[d];
    case CX_EXPR_ENQ_LOCAL_SIZE:
        return local;
    case CX_EXPR_NUM_GROUPS:
        return (global + local - 1) / local;
    case CX_EXPR_GLOBAL_OFFSET:
        return offset;
    default:
        return r->g->work_dim;
    }
}

/* Something in a word, often small or near the ends. */
static uint64_t open_value(struct run *r)
{
    r->o->complete = false;
    switch (cx_random_below(r->random, 4)) {
    case 0:
        return cx_random_next(r->random);
    case 1:
        return 0 - cx_random_below(r->random, 20);
    default:
        return cx_random_below(r->random, 300);
    }
}

static uint64_t divide(struct run *r, enum cx_expr_op op, uint64_t a, uint64_t b, unsigned width)
{
    int64_t sa = as_signed(a, width), sb = as_signed(b, width);

    if (b == 0 || (sb == -1 && sa == as_signed(UINT64_C(1) << (width - 1), width))) {
        r->undefined = true;
        return 0;
    }
    switch (op) {
    case CX_EXPR_UDIV:
        return a / b;
    case CX_EXPR_UREM:
        return a % b;
    case CX_EXPR_SDIV:
        return (uint64_t)(sa / sb);
    default:
        return (uint64_t)(sa % sb);
    }
}

static uint64_t shift(struct run *r, enum cx_expr_op op, uint64_t a, uint64_t b, unsigned width)
{
    if (b >= width) {
        r->undefined = true;
        return 0;
    }
    return op == CX_EXPR_SHL ? a << b : op == CX_EXPR_LSHR ? a >> b : (uint64_t)(as_signed(a, width) >> b);
}

static uint64_t mul24(struct run *r, uint64_t a, uint64_t b, bool sign)
{
    int64_t x = as_signed(a, 32), y = as_signed(b, 32);
    bool fits =
        sign ? x >= -(1 << 23) && x < 1 << 23 && y >= -(1 << 23) && y < 1 << 23 : a < 1 << 24 && b < 1 << 24;

    return fits ? a * b : open_value(r);
}

static uint64_t compute(struct run *r, const struct cx_expr *e)
{
    uint64_t a = cx_expr_operands(e->op) > 0 ? r->value[e->a] : 0;
    uint64_t b = cx_expr_operands(e->op) > 1 ? r->value[e->b] : 0;
    unsigned w = e->width;

    switch ((enum cx_expr_op)e->op) {
    case CX_EXPR_ADD:
        return a + b;
    case CX_EXPR_SUB:
        return a - b;
    case CX_EXPR_MUL:
        return a * b;
    case CX_EXPR_UDIV:
    case CX_EXPR_SDIV:
    case CX_EXPR_UREM:
    case CX_EXPR_SREM:
        return divide(r, e->op, a, b, w);
    case CX_EXPR_SHL:
    case CX_EXPR_LSHR:
    case CX_EXPR_ASHR:
        return shift(r, e->op, a, b, w);
    case CX_EXPR_AND:
        return a & b;
    case CX_EXPR_OR:
        return a | b;
    case CX_EXPR_XOR:
        return a ^ b;
    case CX_EXPR_SMIN:
        return as_signed(a, w) < as_signed(b, w) ? a : b;
    case CX_EXPR_SMAX:
        return as_signed(a, w) > as_signed(b, w) ? a : b;
    case CX_EXPR_UMIN:
        return a < b ? a : b;
    case CX_EXPR_UMAX:
        return a > b ? a : b;
    case CX_EXPR_ABS:
        return as_signed(a, w) < 0 ? 0 - a : a;
    case CX_EXPR_ULESS:
        return a < b;
    case CX_EXPR_SLESS:
        return as_signed(a, w) < as_signed(b, w);
    case CX_EXPR_EQUAL:
        return a == b;
    case CX_EXPR_CHOICE:
        return r->value[b ? r->k->expr[e->a].a : r->k->expr[e->a].b];
    case CX_EXPR_UNION:
        r->o->complete = false;
        return cx_random_chance(r->random, 50) ? a : b;
    case CX_EXPR_SEXT:
        return (uint64_t)as_signed(a, r->k->expr[e->a].width);
    case CX_EXPR_SMUL24:
    case CX_EXPR_UMUL24:
        return mul24(r, a, b, e->op == CX_EXPR_SMUL24);
    default: /* ZEXT, TRUNC */
        return a;
    }
}

static uint64_t open_range(struct run *r, const struct cx_expr *e)
{
    unsigned w = e->width;

    r->o->complete = false;
    if (e->op == CX_EXPR_DECAY) {
        uint64_t start = r->value[e->a];
        return start == UINT64_MAX ? cx_random_next(r->random) : cx_random_below(r->random, start + 1);
    }
    int64_t lo = as_signed(r->value[e->a], w), hi = as_signed(r->value[e->b], w);
    if (lo > hi) {
        r->undefined = true;
        return 0;
    }
    return (uint64_t)lo + (hi - lo < INT64_MAX ? cx_random_below(r->random, (uint64_t)(hi - lo) + 1) : 0);
}

static uint64_t leaf(struct run *r, const struct cx_expr *e)
{
    uint64_t bits = 0;

    switch ((enum cx_expr_op)e->op) {
    case CX_EXPR_CONST:
        return (uint64_t)e->imm;
    case CX_EXPR_ARG:
        memcpy(&bits, (const char *)r->args[e->a].value + e->imm, e->width / 8u);
        return bits;
    case CX_EXPR_OPAQUE:
        return open_value(r);
    default:
        return work_item(r, e);
    }
}

static void compare_bits(const struct run *r, int32_t i)
{
    const struct cx_bits bits = r->bits[i];

    if (!r->undefined) {
        r->o->known += (unsigned)__builtin_popcountll(mask(bits.zero | bits.one, r->k->expr[i].width));
        r->o->unlike += (unsigned)__builtin_popcountll((r->value[i] & bits.zero) | (~r->value[i] & bits.one));
    }
}

static uint64_t node(struct run *r, int32_t i)
{
    const struct cx_expr *e = &r->k->expr[i];
    unsigned n = cx_expr_operands(e->op);

    if (r->known[i]) {
        return r->value[i];
    }
    if (n >= 1) {
        node(r, e->a);
    }
    if (n >= 2) {
        node(r, e->b);
    }
    if (e->op == CX_EXPR_LOOP) {
        r->value[i] = r->value[e->a] + r->value[e->b] * r->trip[e->imm];
    } else if (e->op == CX_EXPR_DECAY || e->op == CX_EXPR_RANGE) {
        r->value[i] = open_range(r, e);
    } else {
        r->value[i] = n ? compute(r, e) : leaf(r, e);
    }
    r->value[i] = mask(r->value[i], e->width);
    r->known[i] = 1;
    compare_bits(r, i);
    return r->value[i];
}

static bool holds(struct run *r, const struct cx_guard *g)
{
    unsigned w = r->k->expr[g->l].width;
    uint64_t l = node(r, g->l), rhs = node(r, g->r);
    int64_t sl = as_signed(l, w), sr = as_signed(rhs, w);

    switch ((enum cx_guard_pred)g->pred) {
    case CX_PRED_EQ:
        return l == rhs;
    case CX_PRED_NE:
        return l != rhs;
    case CX_PRED_SLT:
        return sl < sr;
    case CX_PRED_SLE:
        return sl <= sr;
    case CX_PRED_SGT:
        return sl > sr;
    case CX_PRED_SGE:
        return sl >= sr;
    case CX_PRED_ULT:
        return l < rhs;
    case CX_PRED_ULE:
        return l <= rhs;
    case CX_PRED_UGT:
        return l > rhs;
    default:
        return l >= rhs;
    }
}

static bool all_hold(struct run *r, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!holds(r, &r->k->guard[first + i])) {
            return false;
        }
    }
    return true;
}

static void forget(struct run *r)
{
    memset(r->known, 0, r->k->nexpr);
    r->undefined = false;
}

static void touch(struct run *r, const struct cx_access_record *rec)
{
    uint64_t size, group = r->group[r->dim];
    __int128 end;
    int64_t at;
    unsigned char *set;

    forget(r);
    if (!all_hold(r, rec->guard, rec->nguard) || rec->off < 0) {
        r->o->complete &= !r->undefined;
        return;
    }
    at = (int64_t)(node(r, rec->off) + (uint64_t)rec->skew);
    size = rec->size + (rec->len >= 0 ? node(r, rec->len) : 0);
    r->o->complete &= !r->undefined;
    if (r->undefined || !r->args[rec->arg].object) {
        return;
    }
    r->o->executed[rec - r->k->access] |= size > 0;
    set = (rec->mode == CX_MODE_READ ? r->o->read : r->o->write) +
          (rec->arg * r->o->groups + group) * r->o->bytes;
    end = (__int128)at + size;
    end = end < (__int128)r->o->bytes ? end : (__int128)r->o->bytes;
    for (int64_t i = at > 0 ? at : 0; i < end; i++) {
        set[i] = 1;
    }
}

/* All iterations of loops from `loop` on, outer ones before inner ones. */
static void iterate(struct run *r, const struct cx_access_record *rec, uint32_t loop)
{
    if (loop == r->k->nloop) {
        touch(r, rec);
        return;
    }
    for (r->trip[loop] = 0;; r->trip[loop]++) {
        bool on;
        if (r->trip[loop] > MAX_TRIPS) {
            r->o->complete = false;
            break;
        }
        iterate(r, rec, loop + 1);
        forget(r);
        for (uint32_t l = loop + 1; l < r->k->nloop; l++) {
            r->trip[l] = 0;
        }
        on = all_hold(r, r->k->loop[loop].guard, r->k->loop[loop].nguard);
        r->o->complete &= !r->undefined;
        if (!on || r->undefined) {
            break;
        }
    }
    r->trip[loop] = 0;
}

static void run_item(struct run *r)
{
    for (uint32_t i = 0; i < r->k->naccess; i++) {
        iterate(r, &r->k->access[i], 0);
    }
}

static void run_group(struct run *r)
{
    for (unsigned d = 0; d < 3; d++) {
        uint64_t global = d < r->g->work_dim ? r->g->global[d] : 1,
                 local = d < r->g->work_dim ? r->g->local[d] : 1;
        uint64_t left = global - r->group[d] * local;
        r->local[d] = left < local ? left : local;
    }
    for (r->lid[2] = 0; r->lid[2] < r->local[2]; r->lid[2]++) {
        for (r->lid[1] = 0; r->lid[1] < r->local[1]; r->lid[1]++) {
            for (r->lid[0] = 0; r->lid[0] < r->local[0]; r->lid[0]++) {
                run_item(r);
            }
        }
    }
}

void cx_oracle_run(struct cx_oracle *o, const struct cx_summary_kernel *k, const struct cx_access_geometry *g,
                   const struct cx_access_arg *args, unsigned dim, size_t bytes, struct cx_random *random)
{
    struct run r = {.k = k, .g = g, .args = args, .o = o, .random = random, .dim = dim};
    struct cx_launch launch = {.kernel = k, .global = {1, 1, 1}, .local = {1, 1, 1}};
    uint64_t n[3] = {1, 1, 1};

    for (unsigned d = 0; d < g->work_dim; d++) {
        n[d] = (g->global[d] + g->local[d] - 1) / g->local[d];
        launch.offset[d] = (int64_t)g->offset[d];
        launch.global[d] = (int64_t)g->global[d];
        launch.local[d] = (int64_t)g->local[d];
    }
    for (unsigned d = 0; d < 3; d++) {
        launch.groups[d] = (int64_t)n[d];
    }
    *o = (struct cx_oracle){.groups = n[dim], .narg = k->narg, .bytes = bytes, .complete = true};
    o->read = calloc(2 * o->groups * k->narg * bytes + 1, 1);
    o->write = o->read + o->groups * k->narg * bytes;
    r.trip = calloc(k->nloop + 1, sizeof(*r.trip));
    r.value = calloc(k->nexpr + 1, sizeof(*r.value));
    r.known = calloc(k->nexpr + 1, 1);
    r.bits = cx_bits_find(&launch);
    for (r.group[2] = 0; r.group[2] < n[2]; r.group[2]++) {
        for (r.group[1] = 0; r.group[1] < n[1]; r.group[1]++) {
            for (r.group[0] = 0; r.group[0] < n[0]; r.group[0]++) {
                run_group(&r);
            }
        }
    }
    free(r.trip);
    free(r.value);
    free(r.known);
    free(r.bits);
}

void cx_oracle_finish(struct cx_oracle *o)
{
    free(o->read);
}

static bool any(const struct cx_oracle *o, const unsigned char *set, uint32_t arg, uint64_t g0, uint64_t g1,
                size_t byte)
{
    for (uint64_t g = g0; g < g1; g++) {
        if (set[(arg * o->groups + g) * o->bytes + byte]) {
            return true;
        }
    }
    return false;
}

bool cx_oracle_reads(const struct cx_oracle *o, uint32_t arg, uint64_t g0, uint64_t g1, size_t byte)
{
    return any(o, o->read, arg, g0, g1, byte);
}

bool cx_oracle_writes(const struct cx_oracle *o, uint32_t arg, uint64_t g0, uint64_t g1, size_t byte)
{
    return any(o, o->write, arg, g0, g1, byte);
}
