/* SPDX-License-Identifier: MIT */
/* How often a loop is repeated, as an expression: for values that inner loops move on for outer ones. */
#include "layer/analyser/build.h"

static int32_t constant(struct cx_build *b, unsigned width, int64_t value)
{
    return cx_dag_const(&b->dag, width, value);
}

/* v = header phi of the loop + constant: the phi, else NULL. */
static LLVMValueRef counter_of(const struct cx_build *b, LLVMValueRef v, int32_t loop, int64_t *plus)
{
    LLVMBasicBlockRef header = b->cfg.block[b->cfg.loop[loop].header].bb;

    *plus = 0;
    for (unsigned depth = 0; depth < 4 && cx_opcode_of(v) == LLVMAdd; depth++) {
        LLVMValueRef by = LLVMGetOperand(v, 1);
        if (!LLVMIsAConstantInt(by) || LLVMGetIntTypeWidth(LLVMTypeOf(by)) > 64) {
            return NULL;
        }
        *plus += LLVMConstIntGetSExtValue(by);
        v = LLVMGetOperand(v, 0);
    }
    return cx_opcode_of(v) == LLVMPHI && LLVMGetInstructionParent(v) == header ? v : NULL;
}

static LLVMIntPredicate swapped(LLVMIntPredicate p)
{
    static const LLVMIntPredicate table[][2] = {{LLVMIntSLT, LLVMIntSGT},
                                                {LLVMIntSLE, LLVMIntSGE},
                                                {LLVMIntULT, LLVMIntUGT},
                                                {LLVMIntULE, LLVMIntUGE}};

    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        if (table[i][0] == p || table[i][1] == p) {
            return table[i][table[i][0] == p];
        }
    }
    return p;
}

static LLVMIntPredicate inverse(LLVMIntPredicate p)
{
    static const LLVMIntPredicate table[][2] = {{LLVMIntSLT, LLVMIntSGE},
                                                {LLVMIntSGT, LLVMIntSLE},
                                                {LLVMIntULT, LLVMIntUGE},
                                                {LLVMIntUGT, LLVMIntULE},
                                                {LLVMIntEQ, LLVMIntNE}};

    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        if (table[i][0] == p || table[i][1] == p) {
            return table[i][table[i][0] == p];
        }
    }
    return p;
}

/*
 * How often "x PRED bound" holds in a row for x = start, start + step, ... (step 1 or -1): a node of 64 bits,
 * -1 where that is not known. Right for all values: x does not wrap around before it meets the bound.
 */
static int32_t run_length(struct cx_build *b, int32_t start, int step, LLVMIntPredicate pred, int32_t bound)
{
    bool sign = pred == LLVMIntSLT || pred == LLVMIntSGT;
    enum cx_expr_op op;
    int32_t far;

    if (pred == LLVMIntNE) {
        far = bound;
    } else if (step > 0 && (pred == LLVMIntSLT || pred == LLVMIntULT)) {
        op = sign ? CX_EXPR_SMAX : CX_EXPR_UMAX;
        far = cx_dag_binary(&b->dag, op, bound, start);
    } else if (step < 0 && (pred == LLVMIntSGT || pred == LLVMIntUGT)) {
        op = sign ? CX_EXPR_SMIN : CX_EXPR_UMIN;
        far = cx_dag_binary(&b->dag, op, bound, start);
    } else {
        return -1;
    }
    far = step > 0 ? cx_dag_binary(&b->dag, CX_EXPR_SUB, far, start)
                   : cx_dag_binary(&b->dag, CX_EXPR_SUB, start, far);
    return cx_dag_resize(&b->dag, far, 64, false);
}

/* x <= bound as x < bound + 1 and so on, in 64 bits: the same but for a bound at the end of its range, where
 * the loop never ends. */
static LLVMIntPredicate make_strict(struct cx_build *b, LLVMIntPredicate pred, int32_t *start, int32_t *bound)
{
    bool up = pred == LLVMIntSLE || pred == LLVMIntULE, sign = pred == LLVMIntSLE || pred == LLVMIntSGE;

    if ((!up && pred != LLVMIntSGE && pred != LLVMIntUGE) || cx_dag_width(&b->dag, *bound) > 32) {
        return pred;
    }
    *start = cx_dag_resize(&b->dag, *start, 64, sign);
    *bound = cx_dag_resize(&b->dag, *bound, 64, sign);
    *bound = cx_dag_binary(&b->dag, CX_EXPR_ADD, *bound, constant(b, 64, up ? 1 : -1));
    return up ? LLVMIntSLT : LLVMIntSGT;
}

/* How often the branch at the block's end keeps the loop going in a row; its parts must not change in
 * `outer`. */
static int32_t repeats_by(struct cx_build *b, int32_t loop, int32_t block, int32_t outer)
{
    LLVMValueRef cmp, phi, start, next;
    bool stays;

    cmp = cx_build_exit_condition(b, loop, block, &stays);
    if (!cmp || cx_opcode_of(cmp) != LLVMICmp ||
        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(cmp, 0))) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(cmp, 0))) > 64) {
        return -1;
    }
    for (unsigned side = 0; side < 2; side++) {
        LLVMValueRef limit = LLVMGetOperand(cmp, 1 - side);
        LLVMIntPredicate pred = LLVMGetICmpPredicate(cmp);
        int64_t plus, by;
        int32_t step, from, bound;
        phi = counter_of(b, LLVMGetOperand(cmp, side), loop, &plus);
        if (!phi || cx_build_header_phi(b, phi, &start, &next) != loop || !next ||
            !cx_build_invariant(b, limit, outer) || !cx_build_invariant(b, start, outer) ||
            !cx_build_step(b, next, phi, 0, loop, &step) || !cx_dag_is_const(&b->dag, step, &by) ||
            (by != 1 && by != -1)) {
            continue;
        }
        pred = side ? swapped(pred) : pred;
        pred = stays ? pred : inverse(pred);
        from = cx_build_value(b, start, 0);
        from = cx_dag_binary(&b->dag, CX_EXPR_ADD, from, constant(b, cx_dag_width(&b->dag, from), plus));
        bound = cx_build_value(b, limit, 0);
        pred = make_strict(b, pred, &from, &bound);
        return run_length(b, from, (int)by, pred, bound);
    }
    return -1;
}

int32_t cx_build_repeats(struct cx_build *b, int32_t loop, int32_t outer, bool *exact)
{
    int32_t latch = b->cfg.loop[loop].latch, least = -1;
    unsigned exits = 0;

    for (uint32_t i = 0; latch >= 0 && i < b->cfg.nblock; i++) {
        int32_t n;
        if (!b->cfg.loop[loop].inside[i] || !cx_build_leaves(b, loop, (int32_t)i)) {
            continue;
        }
        exits++;
        if (least < 0 && b->cfg.block[i].loop == loop && cx_cfg_dominates(&b->cfg, (int32_t)i, latch)) {
            n = repeats_by(b, loop, (int32_t)i, outer);
            least = n >= 0 ? n : least;
        }
    }
    *exact = exits == 1;
    return least;
}
