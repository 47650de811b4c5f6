/* SPDX-License-Identifier: MIT */
/*
 * Branch conditions as comparisons of integer expressions, and which of them hold where a block runs.
 *
 * A condition evaluated in a block that dominates an access speaks of the same instances of values as the
 * access does, so that it may clamp them.
 */
#include "layer/analyser/flag.h"

#define MAX_GUARDS 12 /* of one block; further ones make the access a "may" */
#define MAX_DEPTH  16 /* of a condition */

static enum cx_guard_pred pred_of(LLVMIntPredicate pred, bool truth)
{
    static const struct {
        LLVMIntPredicate llvm;
        enum cx_guard_pred yes, no;
    } table[] = {
        {LLVMIntEQ, CX_PRED_EQ, CX_PRED_NE},    {LLVMIntNE, CX_PRED_NE, CX_PRED_EQ},
        {LLVMIntSLT, CX_PRED_SLT, CX_PRED_SGE}, {LLVMIntSLE, CX_PRED_SLE, CX_PRED_SGT},
        {LLVMIntSGT, CX_PRED_SGT, CX_PRED_SLE}, {LLVMIntSGE, CX_PRED_SGE, CX_PRED_SLT},
        {LLVMIntULT, CX_PRED_ULT, CX_PRED_UGE}, {LLVMIntULE, CX_PRED_ULE, CX_PRED_UGT},
        {LLVMIntUGT, CX_PRED_UGT, CX_PRED_ULE}, {LLVMIntUGE, CX_PRED_UGE, CX_PRED_ULT},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        if (table[i].llvm == pred) {
            return truth ? table[i].yes : table[i].no;
        }
    }
    return CX_PRED_COUNT;
}

void cx_build_add_guard(struct cx_build *b, struct cx_guard guard)
{
    if (b->nguard == b->guard_room) {
        b->guard_room = b->guard_room ? b->guard_room * 2 : 64;
        b->guard = cx_realloc(b->guard, b->guard_room, sizeof(*b->guard));
    }
    b->guard[b->nguard++] = guard;
}

static void append(struct cx_build *b, enum cx_guard_pred pred, int32_t l, int32_t r, bool hint)
{
    cx_build_add_guard(b, (struct cx_guard){.pred = (uint8_t)pred, .hint = hint, .l = l, .r = r});
}

/* Pointers into the same buffer compare as their offsets do. */
static bool pointer_guard(struct cx_build *b, LLVMValueRef l, LLVMValueRef r, enum cx_guard_pred pred,
                          bool hint)
{
    struct cx_base x[CX_MAX_BASES], y[CX_MAX_BASES];

    if (cx_build_pointer(b, l, x) != 1 || cx_build_pointer(b, r, y) != 1 || x[0].kind != CX_BASE_ARG ||
        y[0].kind != CX_BASE_ARG || x[0].arg != y[0].arg || x[0].off < 0 || y[0].off < 0) {
        return false;
    }
    append(b, pred, x[0].off, y[0].off, hint);
    return true;
}

/* One lane of a comparison of vectors. */
static void lane_guard(struct cx_build *b, LLVMValueRef cmp, unsigned lane, bool truth, bool hint)
{
    enum cx_guard_pred pred = pred_of(LLVMGetICmpPredicate(cmp), truth);
    LLVMValueRef l = LLVMGetOperand(cmp, 0), r = LLVMGetOperand(cmp, 1);

    append(b, pred, cx_build_value(b, l, lane), cx_build_value(b, r, lane), hint);
}

static bool is_vector_compare(LLVMValueRef v)
{
    LLVMTypeRef type;

    if (!LLVMIsAICmpInst(v)) {
        return false;
    }
    type = LLVMTypeOf(LLVMGetOperand(v, 0));
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) {
        return false;
    }
    type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64 &&
           LLVMGetIntTypeWidth(type) > 1;
}

/* All lanes of a vector of truths are so. */
static bool lanes_guard(struct cx_build *b, LLVMValueRef v, bool truth, bool hint, unsigned depth)
{
    LLVMOpcode opcode = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMCall;
    bool first;

    if (is_vector_compare(v)) {
        for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(v)); i++) {
            lane_guard(b, v, i, truth, hint);
        }
        return true;
    }
    if (opcode == LLVMSExt && depth < MAX_DEPTH) {
        return lanes_guard(b, LLVMGetOperand(v, 0), truth, hint, depth + 1);
    }
    if (opcode != (truth ? LLVMAnd : LLVMOr) || depth > MAX_DEPTH) {
        return false;
    }
    first = lanes_guard(b, LLVMGetOperand(v, 0), truth, hint, depth + 1);
    return lanes_guard(b, LLVMGetOperand(v, 1), truth, hint, depth + 1) && first;
}

/* A lane of (a < b), as OpenCL C has truths in vectors: -1 or 0. */
static bool truth_guard(struct cx_build *b, LLVMValueRef v, bool truth, bool hint)
{
    LLVMValueRef vector;

    if (!LLVMIsAExtractElementInst(v) || !LLVMIsAConstantInt(LLVMGetOperand(v, 1))) {
        return false;
    }
    vector = LLVMGetOperand(v, 0);
    vector = LLVMIsASExtInst(vector) ? LLVMGetOperand(vector, 0) : vector;
    if (!is_vector_compare(vector)) {
        return false;
    }
    lane_guard(b, vector, (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)), truth, hint);
    return true;
}

/* any(v) == 0: no lane is; all(v) != 0: each lane is; or a lane of a comparison. False: it is none of these;
 * else *said: whether the guards say all. */
static bool vector_guard(struct cx_build *b, LLVMValueRef cmp, enum cx_guard_pred pred, bool hint, bool *said)
{
    LLVMValueRef call = LLVMGetOperand(cmp, 0), zero = LLVMGetOperand(cmp, 1), callee;
    enum cx_lanes test = CX_LANES_NONE;

    if (!LLVMIsAConstantInt(zero) || LLVMConstIntGetZExtValue(zero) != 0) {
        return false;
    }
    if ((pred == CX_PRED_EQ || pred == CX_PRED_NE) && truth_guard(b, call, pred == CX_PRED_NE, hint)) {
        *said = true;
        return true;
    }
    callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
    if (callee && LLVMIsAFunction(callee) && LLVMCountBasicBlocks(callee) == 0) {
        test = cx_builtin_classify(callee).test;
    }
    if ((test != CX_LANES_ANY || pred != CX_PRED_EQ) && (test != CX_LANES_ALL || pred != CX_PRED_NE)) {
        return false;
    }
    *said = lanes_guard(b, LLVMGetOperand(call, 0), test == CX_LANES_ALL, hint, 0);
    return true;
}

static bool guards(struct cx_build *b, LLVMValueRef c, bool truth, bool hint, unsigned depth);

/* A number that is 0 or not as v is; truth: known of v. NULL: there is none. */
static LLVMValueRef same_truth(LLVMValueRef v, bool truth)
{
    switch (LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet) {
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFreeze:
        return LLVMGetOperand(v, 0);
    case LLVMTrunc:
    case LLVMAnd: /* some of its bits are not 0 */
        return truth && LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 1 ? LLVMGetOperand(v, 0) : NULL;
    default:
        return NULL;
    }
}

/* What a number's being 0 or not says of the way that control came. */
static void flag_guards(struct cx_build *b, LLVMValueRef v, bool truth, bool hint, unsigned depth)
{
    for (; v && depth <= MAX_DEPTH; depth++) {
        if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind) {
            return;
        }
        if (LLVMIsAPHINode(v)) {
            v = cx_flag_guards(b, v, truth, hint);
        } else if (LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 1) {
            guards(b, v, truth, hint, depth + 1);
            return;
        } else {
            v = same_truth(v, truth);
        }
    }
}

static bool is_zero(LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) && LLVMIsNull(v);
}

static bool compare_guard(struct cx_build *b, LLVMValueRef cmp, bool truth, bool hint, unsigned depth)
{
    bool said;

    enum cx_guard_pred pred = pred_of(LLVMGetICmpPredicate(cmp), truth);
    LLVMValueRef l = LLVMGetOperand(cmp, 0), r = LLVMGetOperand(cmp, 1);
    LLVMTypeRef type = LLVMTypeOf(l);

    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        return pointer_guard(b, l, r, pred, hint);
    }
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64 ||
        LLVMGetIntTypeWidth(type) < 2) {
        return false;
    }
    if (vector_guard(b, cmp, pred, hint, &said)) {
        return said;
    }
    append(b, pred, cx_build_value(b, l, 0), cx_build_value(b, r, 0), hint);
    if ((pred == CX_PRED_EQ || pred == CX_PRED_NE) && is_zero(r)) {
        flag_guards(b, l, pred == CX_PRED_NE, hint, depth);
    }
    return true;
}

static bool is_const_bool(LLVMValueRef v, bool value)
{
    return LLVMIsAConstantInt(v) && (LLVMConstIntGetZExtValue(v) & 1) == value;
}

/* Both sides hold, or (one of several) is not known to. */
static bool both(struct cx_build *b, LLVMValueRef x, LLVMValueRef y, bool truth, bool hint, unsigned depth)
{
    bool first = guards(b, x, truth, hint, depth + 1);

    return guards(b, y, truth, hint, depth + 1) && first;
}

static bool select_guard(struct cx_build *b, LLVMValueRef c, bool truth, bool hint, unsigned depth)
{
    LLVMValueRef x = LLVMGetOperand(c, 0), yes = LLVMGetOperand(c, 1), no = LLVMGetOperand(c, 2);

    if (is_const_bool(no, false)) { /* x and yes */
        return truth && both(b, x, yes, true, hint, depth);
    }
    if (is_const_bool(yes, true)) { /* x or no */
        return !truth && both(b, x, no, false, hint, depth);
    }
    return false;
}

static bool guards(struct cx_build *b, LLVMValueRef c, bool truth, bool hint, unsigned depth)
{
    if (is_const_bool(c, truth)) {
        return true;
    }
    if (!LLVMIsAInstruction(c) || depth > MAX_DEPTH ||
        LLVMGetTypeKind(LLVMTypeOf(c)) != LLVMIntegerTypeKind) {
        return false;
    }
    switch (LLVMGetInstructionOpcode(c)) {
    case LLVMICmp:
        return compare_guard(b, c, truth, hint, depth);
    case LLVMAnd:
        return truth && both(b, LLVMGetOperand(c, 0), LLVMGetOperand(c, 1), true, hint, depth);
    case LLVMOr:
        return !truth && both(b, LLVMGetOperand(c, 0), LLVMGetOperand(c, 1), false, hint, depth);
    case LLVMXor:
        if (is_const_bool(LLVMGetOperand(c, 1), true)) {
            return guards(b, LLVMGetOperand(c, 0), !truth, hint, depth + 1);
        }
        return false;
    case LLVMSelect:
        return select_guard(b, c, truth, hint, depth);
    case LLVMExtractElement:
        return truth_guard(b, c, truth, hint);
    case LLVMFreeze:
        return guards(b, LLVMGetOperand(c, 0), truth, hint, depth + 1);
    case LLVMPHI:
        flag_guards(b, c, truth, hint, depth);
        return false;
    case LLVMTrunc: /* to its lowest bit */
        if (truth) {
            flag_guards(b, LLVMGetOperand(c, 0), true, hint, depth);
        }
        return false;
    default:
        return false;
    }
}

bool cx_build_guards(struct cx_build *b, LLVMValueRef condition, bool truth, bool hint)
{
    return guards(b, condition, truth, hint, 0);
}

bool cx_build_branch_guards(struct cx_build *b, int32_t from, int32_t to, bool hint)
{
    const struct cx_cfg_block *f = &b->cfg.block[from];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(f->bb);

    return LLVMGetInstructionOpcode(end) == LLVMBr && LLVMIsConditional(end) && f->succ[0] != f->succ[1] &&
           cx_build_guards(b, LLVMGetCondition(end), f->succ[0] == to, hint);
}

/* The same for a switch: the value of `to`'s case, or none of the others'. */
static bool switch_guards(struct cx_build *b, LLVMValueRef end, LLVMBasicBlockRef to, bool hint)
{
    unsigned n = LLVMGetNumSuccessors(end), first = b->nguard;
    bool others = LLVMGetSuccessor(end, 0) == to;
    LLVMValueRef value = LLVMGetOperand(end, 0);
    int32_t node;

    if (n > 9 || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64) {
        return false;
    }
    node = cx_build_value(b, value, 0);
    for (unsigned i = 1; i < n; i++) {
        if ((LLVMGetSuccessor(end, i) == to) != others) {
            append(b, others ? CX_PRED_NE : CX_PRED_EQ, node,
                   cx_build_value(b, LLVMGetOperand(end, 2 * i), 0), hint);
        }
    }
    if (others) {
        return true;
    }
    if (b->nguard - first > 1) { /* several cases lead there */
        b->nguard = first;
    }
    return b->nguard > first;
}

/* The condition under which control goes from a block to `to`, where that is the only way into `to`. */
static bool edge_guards(struct cx_build *b, int32_t from, int32_t to, bool hint)
{
    const struct cx_cfg_block *f = &b->cfg.block[from];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(f->bb);

    if (b->cfg.block[to].npred == 1 && LLVMGetInstructionOpcode(end) == LLVMSwitch) {
        return switch_guards(b, end, b->cfg.block[to].bb, hint);
    }
    return b->cfg.block[to].npred == 1 && cx_build_branch_guards(b, from, to, hint);
}

struct cx_block_guards cx_build_block_guards(struct cx_build *b, int32_t block)
{
    struct cx_block_guards result = {.first = b->nguard, .must = true};

    for (int32_t at = block; b->cfg.block[at].idom >= 0; at = b->cfg.block[at].idom) {
        int32_t above = b->cfg.block[at].idom;
        bool always = cx_cfg_postdominates(&b->cfg, at, above);
        bool complete = b->nguard - result.first < MAX_GUARDS && edge_guards(b, above, at, always);
        if (!always && !complete) {
            result.must = false;
        }
    }
    result.count = b->nguard - result.first;
    return result;
}
