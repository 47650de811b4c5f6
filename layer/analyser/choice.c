/* SPDX-License-Identifier: MIT */
/*
 * Choices that a launch's numbers decide: "transposed ? i * n + j : j * n + i". Where a condition depends on
 * nothing but arguments and sizes, it is a number 0 or 1 that the evaluation knows, and the choice is x * yes
 * + y * no. Other choices stay "either".
 */
#include "layer/analyser/build.h"

#include <stdlib.h>

#define MAX_DEPTH 8

static int32_t one(struct cx_build *b)
{
    return cx_dag_const(&b->dag, 64, 1);
}

static int32_t negated(struct cx_build *b, int32_t truth)
{
    const struct cx_expr *e = truth < 0 ? NULL : &b->dag.node[truth];

    if (e && e->op == CX_EXPR_SUB && e->a == one(b)) {
        return e->b; /* not not */
    }
    return truth < 0 ? -1 : cx_dag_binary(&b->dag, CX_EXPR_SUB, one(b), truth);
}

/* The same for all work-items of a launch. */
static bool is_uniform(const struct cx_dag *dag, int32_t node)
{
    unsigned char *mark = cx_alloc((size_t)node + 1, 1);
    bool uniform = true;

    mark[node] = 1;
    for (int32_t i = node; i >= 0 && uniform; i--) {
        const struct cx_expr *e = &dag->node[i];
        unsigned n = mark[i] ? cx_expr_operands(e->op) : 0;
        if (mark[i] && n == 0) {
            uniform = e->op == CX_EXPR_CONST || e->op == CX_EXPR_ARG || e->op == CX_EXPR_GLOBAL_SIZE ||
                      e->op == CX_EXPR_ENQ_LOCAL_SIZE || e->op == CX_EXPR_NUM_GROUPS ||
                      e->op == CX_EXPR_GLOBAL_OFFSET || e->op == CX_EXPR_WORK_DIM || e->op == CX_EXPR_IMAGE;
        }
        uniform = uniform && (!mark[i] || (e->op != CX_EXPR_RANGE && e->op != CX_EXPR_LOOP &&
                                           e->op != CX_EXPR_DECAY && e->op != CX_EXPR_UNION));
        if (n >= 1) {
            mark[e->a] = 1;
        }
        if (n >= 2) {
            mark[e->b] = 1;
        }
    }
    free(mark);
    return uniform;
}

/* 1 where the number is not 0, else 0; in 64 bits. */
static int32_t is_not_zero(struct cx_build *b, int32_t node)
{
    int32_t least = cx_dag_const(&b->dag, cx_dag_width(&b->dag, node), 1);

    return cx_dag_resize(&b->dag, cx_dag_binary(&b->dag, CX_EXPR_UMIN, node, least), 64, false);
}

/* x < y: the larger one is further from x than x is. */
static int32_t is_less(struct cx_build *b, int32_t x, int32_t y, bool sign)
{
    int32_t far = cx_dag_binary(&b->dag, sign ? CX_EXPR_SMAX : CX_EXPR_UMAX, y, x);

    return is_not_zero(b, cx_dag_binary(&b->dag, CX_EXPR_SUB, far, x));
}

static int32_t compare(struct cx_build *b, LLVMValueRef cmp)
{
    LLVMValueRef l = LLVMGetOperand(cmp, 0), r = LLVMGetOperand(cmp, 1);
    LLVMTypeRef type = LLVMTypeOf(l);
    int32_t x, y;

    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64 ||
        LLVMGetIntTypeWidth(type) < 2) {
        return -1;
    }
    x = cx_build_value(b, l, 0);
    y = cx_build_value(b, r, 0);
    if (!is_uniform(&b->dag, x) || !is_uniform(&b->dag, y)) {
        return -1;
    }
    switch (LLVMGetICmpPredicate(cmp)) {
    case LLVMIntNE:
        return is_not_zero(b, cx_dag_binary(&b->dag, CX_EXPR_SUB, x, y));
    case LLVMIntEQ:
        return negated(b, is_not_zero(b, cx_dag_binary(&b->dag, CX_EXPR_SUB, x, y)));
    case LLVMIntSLT:
        return is_less(b, x, y, true);
    case LLVMIntSGT:
        return is_less(b, y, x, true);
    case LLVMIntSGE:
        return negated(b, is_less(b, x, y, true));
    case LLVMIntSLE:
        return negated(b, is_less(b, y, x, true));
    case LLVMIntULT:
        return is_less(b, x, y, false);
    case LLVMIntUGT:
        return is_less(b, y, x, false);
    case LLVMIntUGE:
        return negated(b, is_less(b, x, y, false));
    default:
        return negated(b, is_less(b, y, x, false));
    }
}

static int32_t truth_of(struct cx_build *b, LLVMValueRef c, unsigned depth);

/* 1 where both hold; with either: where one of them does. */
static int32_t both(struct cx_build *b, LLVMValueRef x, LLVMValueRef y, bool either, unsigned depth)
{
    int32_t m = truth_of(b, x, depth + 1), n = truth_of(b, y, depth + 1);

    if (m < 0 || n < 0) {
        return -1;
    }
    return cx_dag_binary(&b->dag, either ? CX_EXPR_UMAX : CX_EXPR_UMIN, m, n);
}

static bool is_const_bool(LLVMValueRef v, bool value)
{
    return LLVMIsAConstantInt(v) && (LLVMConstIntGetZExtValue(v) & 1) == value;
}

/* A condition as a 64-bit node of 0 or 1; -1 where the launch alone does not decide it. */
static int32_t truth_of(struct cx_build *b, LLVMValueRef c, unsigned depth)
{
    if (!LLVMIsAInstruction(c) || depth > MAX_DEPTH ||
        LLVMGetTypeKind(LLVMTypeOf(c)) != LLVMIntegerTypeKind) {
        return -1;
    }
    switch (LLVMGetInstructionOpcode(c)) {
    case LLVMICmp:
        return compare(b, c);
    case LLVMAnd:
    case LLVMOr:
        return both(b, LLVMGetOperand(c, 0), LLVMGetOperand(c, 1), LLVMGetInstructionOpcode(c) == LLVMOr,
                    depth);
    case LLVMXor:
        return is_const_bool(LLVMGetOperand(c, 1), true)
                   ? negated(b, truth_of(b, LLVMGetOperand(c, 0), depth + 1))
                   : -1;
    case LLVMSelect:
        if (is_const_bool(LLVMGetOperand(c, 2), false)) {
            return both(b, LLVMGetOperand(c, 0), LLVMGetOperand(c, 1), false, depth);
        }
        if (is_const_bool(LLVMGetOperand(c, 1), true)) {
            return both(b, LLVMGetOperand(c, 0), LLVMGetOperand(c, 2), true, depth);
        }
        return -1;
    case LLVMFreeze:
        return truth_of(b, LLVMGetOperand(c, 0), depth + 1);
    default:
        return -1;
    }
}

/* The bound that "x PRED r" is for x, into `bounded`: min(x, r - 1) for x < r and so on. */
static int32_t bound_by(struct cx_build *b, LLVMIntPredicate pred, int32_t r, int32_t bounded)
{
    struct cx_dag *dag = &b->dag;
    int32_t one = cx_dag_const(dag, cx_dag_width(dag, r), 1);

    switch (pred) { /* r is not the least (or largest) number where something is below (or above) it */
    case LLVMIntSLT:
        return cx_dag_binary(dag, CX_EXPR_SMIN, bounded, cx_dag_binary(dag, CX_EXPR_SUB, r, one));
    case LLVMIntSLE:
        return cx_dag_binary(dag, CX_EXPR_SMIN, bounded, r);
    case LLVMIntSGT:
        return cx_dag_binary(dag, CX_EXPR_SMAX, bounded, cx_dag_binary(dag, CX_EXPR_ADD, r, one));
    case LLVMIntSGE:
        return cx_dag_binary(dag, CX_EXPR_SMAX, bounded, r);
    default:
        return bounded;
    }
}

static LLVMIntPredicate inverse(LLVMIntPredicate pred)
{
    switch (pred) {
    case LLVMIntSLT:
        return LLVMIntSGE;
    case LLVMIntSLE:
        return LLVMIntSGT;
    case LLVMIntSGT:
        return LLVMIntSLE;
    case LLVMIntSGE:
        return LLVMIntSLT;
    default:
        return LLVMIntEQ;
    }
}

static LLVMIntPredicate swapped(LLVMIntPredicate pred)
{
    switch (pred) {
    case LLVMIntSLT:
        return LLVMIntSGT;
    case LLVMIntSLE:
        return LLVMIntSGE;
    case LLVMIntSGT:
        return LLVMIntSLT;
    case LLVMIntSGE:
        return LLVMIntSLE;
    default:
        return LLVMIntEQ;
    }
}

/* Node x where the condition is known to be `truth`, with what that says of x: equal to x then. */
static int32_t where(struct cx_build *b, LLVMValueRef c, bool truth, int32_t x, int32_t bounded,
                     unsigned depth)
{
    LLVMOpcode opcode = LLVMIsAInstruction(c) ? LLVMGetInstructionOpcode(c) : LLVMCall;
    LLVMIntPredicate pred;
    int64_t number;
    int32_t l, r;

    if (cx_dag_is_const(&b->dag, x, &number)) {
        return bounded; /* nothing says more of it */
    }
    if (opcode == (truth ? LLVMAnd : LLVMOr) && depth < MAX_DEPTH &&
        LLVMGetTypeKind(LLVMTypeOf(c)) == LLVMIntegerTypeKind) {
        bounded = where(b, LLVMGetOperand(c, 0), truth, x, bounded, depth + 1);
        return where(b, LLVMGetOperand(c, 1), truth, x, bounded, depth + 1);
    }
    if (opcode == LLVMSelect && depth < MAX_DEPTH &&
        is_const_bool(LLVMGetOperand(c, truth ? 2 : 1), !truth)) { /* and, or as clang writes them */
        bounded = where(b, LLVMGetOperand(c, 0), truth, x, bounded, depth + 1);
        return where(b, LLVMGetOperand(c, truth ? 1 : 2), truth, x, bounded, depth + 1);
    }
    if (opcode != LLVMICmp || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(c, 0))) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(c, 0))) != cx_dag_width(&b->dag, x)) {
        return bounded;
    }
    l = cx_build_value(b, LLVMGetOperand(c, 0), 0);
    r = cx_build_value(b, LLVMGetOperand(c, 1), 0);
    pred = truth ? LLVMGetICmpPredicate(c) : inverse(LLVMGetICmpPredicate(c));
    return l == x ? bound_by(b, pred, r, bounded) : r == x ? bound_by(b, swapped(pred), l, bounded) : bounded;
}

/* Made of ids, sizes and arguments alone: a number that a launch and an item decide. */
static bool is_closed(const struct cx_dag *dag, int32_t node)
{
    unsigned char *mark = cx_alloc((size_t)node + 1, 1);
    bool closed = true;

    mark[node] = 1;
    for (int32_t i = node; i >= 0 && closed; i--) {
        const struct cx_expr *e = &dag->node[i];
        const unsigned n = mark[i] ? cx_expr_operands(e->op) : 0;
        if (!mark[i]) {
            continue;
        }
        closed = e->op != CX_EXPR_OPAQUE && e->op != CX_EXPR_RANGE && e->op != CX_EXPR_LOOP &&
                 e->op != CX_EXPR_DECAY && (e->op != CX_EXPR_UNION || mark[i] == 2);
        for (unsigned j = 0; j < n; j++) {
            /* the union below a choice is no open one */
            mark[j ? e->b : e->a] |= e->op == CX_EXPR_CHOICE && j == 0 ? 2 : 1;
        }
    }
    free(mark);
    return closed;
}

/* A comparison of numbers that items decide, as a node that is 0 or not; -1: it is none. *inverse: it is not
 * 0 where the condition does not hold. */
static int32_t decided(struct cx_build *b, LLVMValueRef c, bool *inverse)
{
    LLVMIntPredicate pred;
    enum cx_expr_op op;
    int32_t l, r;
    bool swap;

    *inverse = false;
    while (LLVMIsAInstruction(c) && LLVMGetInstructionOpcode(c) == LLVMFreeze) {
        c = LLVMGetOperand(c, 0);
    }
    if (!LLVMIsAInstruction(c) || LLVMGetInstructionOpcode(c) != LLVMICmp ||
        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(c, 0))) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(c, 0))) > 64 ||
        LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(c, 0))) < 2) {
        return -1;
    }
    pred = LLVMGetICmpPredicate(c);
    op = pred == LLVMIntEQ || pred == LLVMIntNE ? CX_EXPR_EQUAL
         : pred >= LLVMIntSGT                   ? CX_EXPR_SLESS
                                                : CX_EXPR_ULESS;
    /* x > y is y < x, and x <= y is not y < x */
    swap = pred == LLVMIntUGT || pred == LLVMIntSGT || pred == LLVMIntULE || pred == LLVMIntSLE;
    *inverse = pred == LLVMIntNE || pred == LLVMIntULE || pred == LLVMIntSLE || pred == LLVMIntUGE ||
               pred == LLVMIntSGE;
    l = cx_build_value(b, LLVMGetOperand(c, swap ? 1 : 0), 0);
    r = cx_build_value(b, LLVMGetOperand(c, swap ? 0 : 1), 0);
    return is_closed(&b->dag, l) && is_closed(&b->dag, r) ? cx_dag_binary(&b->dag, op, l, r) : -1;
}

int32_t cx_build_choice(struct cx_build *b, LLVMValueRef condition, int32_t yes, int32_t no)
{
    int32_t truth = yes == no ? -1 : truth_of(b, condition, 0), x, y;
    unsigned width = cx_dag_width(&b->dag, yes);
    bool inverse;

    if (truth < 0) {
        yes = where(b, condition, true, yes, yes, 0);
        no = where(b, condition, false, no, no, 0);
        truth = yes == no ? -1 : decided(b, condition, &inverse);
        return truth < 0 ? cx_dag_binary(&b->dag, CX_EXPR_UNION, yes, no)
                         : cx_dag_choice(&b->dag, truth, inverse ? no : yes, inverse ? yes : no);
    }
    x = cx_dag_resize(&b->dag, truth, width, false);
    y = cx_dag_resize(&b->dag, negated(b, truth), width, false);
    return cx_dag_binary(&b->dag, CX_EXPR_ADD, cx_dag_binary(&b->dag, CX_EXPR_MUL, yes, x),
                         cx_dag_binary(&b->dag, CX_EXPR_MUL, no, y));
}

/* The side of a branch (0 or 1) by which control comes from `from` into `to`; -1 where that is not said. */
static int side_of(const struct cx_build *b, int32_t branch, int32_t from, int32_t to)
{
    const struct cx_cfg_block *at = &b->cfg.block[branch];

    for (int side = 0; side < 2; side++) {
        int32_t next = at->succ[side];
        if (from == branch
                ? next == to
                : next != to && b->cfg.block[next].npred == 1 && cx_cfg_dominates(&b->cfg, next, from)) {
            return side;
        }
    }
    return -1;
}

LLVMValueRef cx_build_decider(const struct cx_build *b, LLVMValueRef phi, unsigned *yes)
{
    int32_t to = cx_cfg_index(&b->cfg, LLVMGetInstructionParent(phi)), branch = b->cfg.block[to].idom;
    LLVMValueRef end;
    int side[2];

    if (branch < 0 || LLVMCountIncoming(phi) != 2) {
        return NULL;
    }
    end = LLVMGetBasicBlockTerminator(b->cfg.block[branch].bb);
    if (LLVMGetInstructionOpcode(end) != LLVMBr || !LLVMIsConditional(end) ||
        b->cfg.block[branch].nsucc != 2 || b->cfg.block[branch].succ[0] == b->cfg.block[branch].succ[1]) {
        return NULL;
    }
    for (unsigned i = 0; i < 2; i++) {
        side[i] = side_of(b, branch, cx_cfg_index(&b->cfg, LLVMGetIncomingBlock(phi, i)), to);
    }
    if (side[0] < 0 || side[1] < 0 || side[0] == side[1]) {
        return NULL;
    }
    *yes = side[0] == 0 ? 0 : 1;
    return LLVMGetCondition(end);
}
