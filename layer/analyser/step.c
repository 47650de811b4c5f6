/* SPDX-License-Identifier: MIT */
/*
 * Values carried around a loop: how far a value lies from what the loop's header phi held in the same
 * iteration.
 *
 * Exactly (step_of): through sums, through merges where all ways add the same, and through inner loops whose
 * number of iterations is known as an expression. Within bounds (move_of): where ways differ. Bounds hold in
 * every iteration, so t iterations move the value by t times as much.
 */
#include "layer/analyser/build.h"

#define MAX_DEPTH 24
#define MAX_STEPS 200 /* of one question, so that chains of merges cannot take exponential time */

static int32_t constant(struct cx_build *b, unsigned width, int64_t value)
{
    return cx_dag_const(&b->dag, width, value);
}

static int32_t sum(struct cx_build *b, int32_t x, int32_t y)
{
    return cx_dag_binary(&b->dag, CX_EXPR_ADD, x, y);
}

static int32_t product(struct cx_build *b, int32_t x, int32_t y)
{
    return cx_dag_binary(&b->dag, CX_EXPR_MUL, x, y);
}

/* Bits of the numbers that a value of that type counts in: pointers count bytes. */
static unsigned number_width(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        type = LLVMGetElementType(type);
    }
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 64;
}

static bool is_inside(const struct cx_build *b, int32_t inner, int32_t outer)
{
    while (inner >= 0 && inner != outer) {
        inner = b->cfg.loop[inner].parent;
    }
    return inner >= 0;
}

/* ---- exact steps ---- */

struct walk {
    struct cx_build *b;
    LLVMValueRef phi;
    unsigned lane, steps;
    int32_t loop; /* what is added must not change in it */
};

static bool step_of(struct walk *w, LLVMValueRef v, unsigned depth, int32_t *step);

static bool step_of_sum(struct walk *w, LLVMValueRef v, unsigned depth, int32_t *step)
{
    bool minus = LLVMGetInstructionOpcode(v) == LLVMSub;

    for (unsigned i = 0; i < (minus ? 1 : 2); i++) {
        LLVMValueRef moving = LLVMGetOperand(v, i), fixed = LLVMGetOperand(v, 1 - i);
        if (cx_build_invariant(w->b, fixed, w->loop) && step_of(w, moving, depth + 1, step)) {
            int32_t more = cx_build_value(w->b, fixed, w->lane);
            *step = cx_dag_binary(&w->b->dag, minus ? CX_EXPR_SUB : CX_EXPR_ADD, *step, more);
            return true;
        }
    }
    return false;
}

/* mad24(x, y, z): z, and x * y where they do not change in the loop; NULL for other calls. */
static LLVMValueRef split_mad24(const struct walk *w, LLVMValueRef call, int32_t *more)
{
    LLVMValueRef callee = LLVMGetCalledValue(call), x, y;
    struct cx_builtin builtin;

    if (!callee || !LLVMIsAFunction(callee) || LLVMCountBasicBlocks(callee) > 0) {
        return NULL;
    }
    builtin = cx_builtin_classify(callee);
    if (builtin.kind != CX_BUILTIN_INTEGER || builtin.integer != CX_INTEGER_MAD24 ||
        LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMIntegerTypeKind) {
        return NULL;
    }
    x = LLVMGetOperand(call, 0);
    y = LLVMGetOperand(call, 1);
    if (!cx_build_invariant(w->b, x, w->loop) || !cx_build_invariant(w->b, y, w->loop)) {
        return NULL;
    }
    *more = cx_dag_binary(&w->b->dag, builtin.is_signed ? CX_EXPR_SMUL24 : CX_EXPR_UMUL24,
                          cx_build_value(w->b, x, 0), cx_build_value(w->b, y, 0));
    return LLVMGetOperand(call, 2);
}

static bool step_of_call(struct walk *w, LLVMValueRef v, unsigned depth, int32_t *step)
{
    int32_t more;
    LLVMValueRef moving = split_mad24(w, v, &more);

    if (!moving || !step_of(w, moving, depth + 1, step)) {
        return false;
    }
    *step = sum(w->b, *step, more);
    return true;
}

/* Bytes that a GEP adds, where they do not change in the loop; -1 otherwise. */
static int32_t fixed_gep(const struct walk *w, LLVMValueRef v)
{
    int n = LLVMGetNumOperands(v);

    for (int i = 1; i < n; i++) {
        if (!cx_build_invariant(w->b, LLVMGetOperand(v, (unsigned)i), w->loop)) {
            return -1;
        }
    }
    return cx_build_gep(w->b, v);
}

static bool step_of_gep(struct walk *w, LLVMValueRef v, unsigned depth, int32_t *step)
{
    int32_t more = fixed_gep(w, v);

    if (more < 0 || !step_of(w, LLVMGetOperand(v, 0), depth + 1, step)) {
        return false;
    }
    *step = sum(w->b, *step, more);
    return true;
}

/* What the header phi of an inner loop holds when that loop is left. */
static bool step_of_inner(struct walk *w, LLVMValueRef v, int32_t inner, unsigned depth, int32_t *step)
{
    struct walk own = {.b = w->b, .phi = v, .lane = w->lane, .steps = w->steps, .loop = w->loop};
    LLVMValueRef start, next;
    int32_t times, each;
    bool exact;

    if (cx_build_header_phi(w->b, v, &start, &next) != inner || !next || !step_of(&own, next, 0, &each) ||
        !step_of(w, start, depth + 1, step)) {
        return false;
    }
    times = cx_build_repeats(w->b, inner, w->loop, &exact);
    if (times < 0 || !exact) {
        return false;
    }
    times = cx_dag_resize(&w->b->dag, times, cx_dag_width(&w->b->dag, each), false);
    *step = sum(w->b, *step, product(w->b, each, times));
    return true;
}

/* The loop whose header phi v is, if it lies inside the walk's; -1 for other phis of the walk's loop, -2 for
 * phis that are none of its business. */
static int32_t inner_loop(const struct walk *w, LLVMValueRef v)
{
    int32_t block = cx_cfg_index(&w->b->cfg, LLVMGetInstructionParent(v));
    int32_t loop = w->b->cfg.block[block].loop;

    if (!is_inside(w->b, loop, w->loop) || w->b->cfg.loop[w->loop].header == block) {
        return -2;
    }
    return w->b->cfg.loop[loop].header == block ? loop : -1;
}

static bool step_of_phi(struct walk *w, LLVMValueRef v, unsigned depth, int32_t *step)
{
    unsigned n = LLVMCountIncoming(v);
    int32_t inner = inner_loop(w, v);

    if (inner >= 0) {
        return step_of_inner(w, v, inner, depth, step);
    }
    if (inner == -2 || n > 8) {
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        int32_t one;
        if (!step_of(w, LLVMGetIncomingValue(v, i), depth + 1, &one) || (i > 0 && one != *step)) {
            return false;
        }
        *step = one;
    }
    return n > 0;
}

static bool step_of(struct walk *w, LLVMValueRef v, unsigned depth, int32_t *step)
{
    int32_t other;

    if (v == w->phi) {
        *step = constant(w->b, number_width(LLVMTypeOf(v)), 0);
        return true;
    }
    if (depth > MAX_DEPTH || ++w->steps > MAX_STEPS) {
        return false;
    }
    switch (cx_opcode_of(v)) {
    case LLVMAdd:
    case LLVMSub:
        return step_of_sum(w, v, depth, step);
    case LLVMGetElementPtr:
        return step_of_gep(w, v, depth, step);
    case LLVMPHI:
        return step_of_phi(w, v, depth, step);
    case LLVMCall:
        return step_of_call(w, v, depth, step);
    case LLVMSelect:
        return step_of(w, LLVMGetOperand(v, 1), depth + 1, step) &&
               step_of(w, LLVMGetOperand(v, 2), depth + 1, &other) && other == *step;
    default:
        return false;
    }
}

bool cx_build_step(struct cx_build *b, LLVMValueRef next, LLVMValueRef phi, unsigned lane, int32_t loop,
                   int32_t *step)
{
    struct walk w = {.b = b, .phi = phi, .lane = lane, .loop = loop};

    return step_of(&w, next, 0, step);
}

/* ---- steps that are made in some iterations only ---- */

/*
 * Iterations so far in which a merge was reached by some of its ways: the same number for all values that
 * step on those ways, whatever it is.
 */
static int32_t count_of(struct cx_build *b, int32_t loop, LLVMValueRef merge, uint32_t ways)
{
    int32_t zero = constant(b, 64, 0), all, node;
    uintptr_t place = cx_opcode_of(merge) == LLVMPHI ? (uintptr_t)LLVMGetInstructionParent(merge)
                                                     : (uintptr_t)LLVMGetOperand(merge, 0);

    if (!cx_map_get(&b->counts, place, (uint64_t)loop << 32 | ways, &node)) {
        all = cx_dag_loop(&b->dag, zero, constant(b, 64, 1), (uint32_t)loop);
        node = cx_dag_between(&b->dag, zero, all);
        cx_map_put(&b->counts, place, (uint64_t)loop << 32 | ways, node);
    }
    return node;
}

static LLVMValueRef way_of(LLVMValueRef merge, unsigned i)
{
    return cx_opcode_of(merge) == LLVMPHI ? LLVMGetIncomingValue(merge, i) : LLVMGetOperand(merge, 1 + i);
}

/* The i-th way's bit: phis of one block may list their ways in different orders. */
static uint32_t bit_of(const struct cx_build *b, LLVMValueRef merge, unsigned i)
{
    const struct cx_cfg_block *at;
    int32_t from;

    if (cx_opcode_of(merge) != LLVMPHI) {
        return 1u << i;
    }
    at = &b->cfg.block[cx_cfg_index(&b->cfg, LLVMGetInstructionParent(merge))];
    from = cx_cfg_index(&b->cfg, LLVMGetIncomingBlock(merge, i));
    for (uint32_t p = 0; p < at->npred && p < 31; p++) {
        if (at->pred[p] == from) {
            return 1u << p;
        }
    }
    return 1u << 31;
}

/* What the merge adds on its i-th way; `apart` where it is no value to go on with but what is added to the
 * phi. */
static bool step_on_way(struct walk *w, LLVMValueRef merge, unsigned i, bool apart, int32_t *step)
{
    LLVMValueRef way = way_of(merge, i);

    if (!apart) {
        return step_of(w, way, 0, step);
    }
    if (!cx_build_invariant(w->b, way, w->loop)) {
        return false;
    }
    *step = cx_build_value(w->b, way, 0);
    return true;
}

/* phi + (condition ? x : y): the select or merge of what is added, else NULL. */
static LLVMValueRef added_merge(const struct walk *w, LLVMValueRef next)
{
    for (unsigned i = 0; cx_opcode_of(next) == LLVMAdd && i < 2; i++) {
        LLVMValueRef more = LLVMGetOperand(next, 1 - i);
        if (LLVMGetOperand(next, i) == w->phi &&
            (cx_opcode_of(more) == LLVMPHI || cx_opcode_of(more) == LLVMSelect)) {
            return more;
        }
    }
    return NULL;
}

/*
 * `next` adds the same step in some iterations and nothing in the others: the step, the merge that decides,
 * and a bit for each of its ways that step.
 */
static bool sometimes(struct walk *w, LLVMValueRef next, LLVMValueRef *merge, int32_t *step, uint32_t *ways)
{
    LLVMValueRef apart = added_merge(w, next);
    int32_t zero = constant(w->b, number_width(LLVMTypeOf(w->phi)), 0);
    bool is_phi;
    unsigned n;

    *merge = apart ? apart : next;
    *ways = 0;
    is_phi = cx_opcode_of(*merge) == LLVMPHI;
    n = is_phi ? LLVMCountIncoming(*merge) : 2;
    if ((!is_phi && cx_opcode_of(*merge) != LLVMSelect) || n > 8 || (is_phi && inner_loop(w, *merge) != -1)) {
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        int32_t one;
        if (!step_on_way(w, *merge, i, apart != NULL, &one) || (one != zero && *ways && one != *step)) {
            return false;
        }
        if (one != zero) {
            *step = one;
            *ways |= bit_of(w->b, *merge, i);
        }
    }
    return *ways != 0;
}

/* ---- steps within bounds ---- */

struct move {
    int32_t lo, hi; /* 64-bit nodes, signed */
};

static bool move_of(struct walk *w, LLVMValueRef v, unsigned depth, struct move *m);

static void join(struct cx_build *b, struct move *m, const struct move *other)
{
    m->lo = cx_dag_binary(&b->dag, CX_EXPR_SMIN, m->lo, other->lo);
    m->hi = cx_dag_binary(&b->dag, CX_EXPR_SMAX, m->hi, other->hi);
}

static bool merged_amount(struct walk *w, LLVMValueRef v, unsigned depth, struct move *m);

/* What a number may be in whatever iteration. */
static bool amount_of(struct walk *w, LLVMValueRef v, unsigned depth, struct move *m)
{
    unsigned width;

    if (depth > MAX_DEPTH || ++w->steps > MAX_STEPS ||
        LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64) {
        return false;
    }
    if (cx_build_invariant(w->b, v, w->loop)) {
        m->lo = m->hi = cx_build_index(w->b, v, true);
        return true;
    }
    switch (cx_opcode_of(v)) {
    case LLVMPHI:
    case LLVMSelect:
        return merged_amount(w, v, depth, m);
    case LLVMZExt:
        width = number_width(LLVMTypeOf(LLVMGetOperand(v, 0)));
        m->lo = constant(w->b, 64, 0);
        m->hi = constant(w->b, 64, (INT64_C(1) << (width < 63 ? width : 62)) - 1);
        return width <= 16;
    case LLVMSExt:
        return amount_of(w, LLVMGetOperand(v, 0), depth + 1, m);
    default:
        return false;
    }
}

/* Of a phi or select: what all of its ways have in common, each followed by `of`. */
static bool join_ways(struct walk *w, LLVMValueRef v, unsigned depth, struct move *m,
                      bool (*of)(struct walk *w, LLVMValueRef v, unsigned depth, struct move *m))
{
    unsigned n = cx_opcode_of(v) == LLVMPHI ? LLVMCountIncoming(v) : 2;

    if (n > 8) {
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        struct move one;
        if (!of(w, way_of(v, i), depth + 1, &one)) {
            return false;
        }
        if (i == 0) {
            *m = one;
        } else {
            join(w->b, m, &one);
        }
    }
    return n > 0;
}

static bool merged_amount(struct walk *w, LLVMValueRef v, unsigned depth, struct move *m)
{
    if (cx_opcode_of(v) == LLVMPHI && inner_loop(w, v) != -1) {
        return false;
    }
    return join_ways(w, v, depth, m, amount_of);
}

static bool move_of_sum(struct walk *w, LLVMValueRef v, unsigned depth, struct move *m)
{
    bool minus = LLVMGetInstructionOpcode(v) == LLVMSub;
    struct move more;

    for (unsigned i = 0; i < (minus ? 1 : 2); i++) {
        if (amount_of(w, LLVMGetOperand(v, 1 - i), depth + 1, &more) &&
            move_of(w, LLVMGetOperand(v, i), depth + 1, m)) {
            enum cx_expr_op op = minus ? CX_EXPR_SUB : CX_EXPR_ADD;
            m->lo = cx_dag_binary(&w->b->dag, op, m->lo, minus ? more.hi : more.lo);
            m->hi = cx_dag_binary(&w->b->dag, op, m->hi, minus ? more.lo : more.hi);
            return true;
        }
    }
    return false;
}

static bool move_of_gep(struct walk *w, LLVMValueRef v, unsigned depth, struct move *m)
{
    int32_t more = fixed_gep(w, v), size;
    struct move index;

    if (!move_of(w, LLVMGetOperand(v, 0), depth + 1, m)) {
        return false;
    }
    if (more >= 0) {
        m->lo = sum(w->b, m->lo, more);
        m->hi = sum(w->b, m->hi, more);
        return true;
    }
    if (LLVMGetNumOperands(v) != 2 || !amount_of(w, LLVMGetOperand(v, 1), depth + 1, &index)) {
        return false;
    }
    size = constant(w->b, 64, (int64_t)LLVMABISizeOfType(w->b->layout, LLVMGetGEPSourceElementType(v)));
    m->lo = sum(w->b, m->lo, product(w->b, index.lo, size));
    m->hi = sum(w->b, m->hi, product(w->b, index.hi, size));
    return true;
}

static bool move_of_inner(struct walk *w, LLVMValueRef v, int32_t inner, unsigned depth, struct move *m)
{
    struct walk own = {.b = w->b, .phi = v, .steps = w->steps, .loop = w->loop};
    LLVMValueRef start, next;
    struct move each, all;
    int32_t times;
    bool exact;

    if (cx_build_header_phi(w->b, v, &start, &next) != inner || !next || !move_of(&own, next, 0, &each) ||
        !move_of(w, start, depth + 1, m)) {
        return false;
    }
    times = cx_build_repeats(w->b, inner, w->loop, &exact);
    if (times < 0) {
        return false;
    }
    all.lo = product(w->b, each.lo, times);
    all.hi = product(w->b, each.hi, times);
    if (!exact) {
        join(w->b, &all, &(struct move){constant(w->b, 64, 0), constant(w->b, 64, 0)});
    }
    m->lo = sum(w->b, m->lo, all.lo);
    m->hi = sum(w->b, m->hi, all.hi);
    return true;
}

static bool move_of_merge(struct walk *w, LLVMValueRef v, unsigned depth, struct move *m)
{
    int32_t inner = cx_opcode_of(v) == LLVMPHI ? inner_loop(w, v) : -1;

    if (inner >= 0) {
        return move_of_inner(w, v, inner, depth, m);
    }
    return inner != -2 && join_ways(w, v, depth, m, move_of);
}

static bool move_of(struct walk *w, LLVMValueRef v, unsigned depth, struct move *m)
{
    if (v == w->phi) {
        m->lo = m->hi = constant(w->b, 64, 0);
        return true;
    }
    if (depth > MAX_DEPTH || ++w->steps > MAX_STEPS) {
        return false;
    }
    switch (cx_opcode_of(v)) {
    case LLVMAdd:
    case LLVMSub:
        return move_of_sum(w, v, depth, m);
    case LLVMGetElementPtr:
        return move_of_gep(w, v, depth, m);
    case LLVMPHI:
    case LLVMSelect:
        return move_of_merge(w, v, depth, m);
    default:
        return false;
    }
}

int32_t cx_build_carried(struct cx_build *b, LLVMValueRef phi, unsigned lane, int32_t start,
                         LLVMValueRef next, int32_t loop)
{
    struct walk w = {.b = b, .phi = phi, .lane = lane, .loop = loop};
    unsigned width = cx_dag_width(&b->dag, start);
    int32_t step, count, zero;
    LLVMValueRef merge;
    struct move m;
    uint32_t ways;

    if (step_of(&w, next, 0, &step)) {
        return cx_dag_loop(&b->dag, start, step, (uint32_t)loop);
    }
    w.steps = 0;
    if (lane == 0 && sometimes(&w, next, &merge, &step, &ways)) {
        count = cx_dag_resize(&b->dag, count_of(b, loop, merge, ways), width, false);
        return sum(b, start, product(b, count, step));
    }
    w.steps = 0;
    if (LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMVectorTypeKind || !move_of(&w, next, 0, &m)) {
        return -1;
    }
    zero = constant(b, 64, 0);
    m.lo = cx_dag_loop(&b->dag, zero, m.lo, (uint32_t)loop);
    m.hi = cx_dag_loop(&b->dag, zero, m.hi, (uint32_t)loop);
    return sum(b, start, cx_dag_resize(&b->dag, cx_dag_between(&b->dag, m.lo, m.hi), width, false));
}
