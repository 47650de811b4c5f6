/* SPDX-License-Identifier: MIT */
/*
 * Flags: merges of numbers that are asked for being 0 or not, and so tell which way control came.
 *
 *     bool computed;
 *     for (int i = 0; i < n; i++) {
 *         computed = false;
 *         if (i < x && x < size - i) {
 *             computed = true;
 *             ...
 *         }
 *         if (i == n - 1)
 *             break;
 *         ...
 *     }
 *     if (computed)
 *         ...
 *
 * Where some ways into a merge bring the other truth, control came by one of the rest, and what holds where
 * all of these pass held then: the conditions between a block that dominates the merge and one that dominates
 * the ends of the rest. These speak of the same instances of values as an access behind the merge does: a way
 * out of a loop ends in the loop's last iteration. Ways around a loop do not, and are not followed.
 *
 * A value that is undefined on a way has any truth there; that a branch depends on it is undefined behaviour
 * (C99 6.3.2.1, 6.7.8), so that such ways are left out.
 */
#include "layer/analyser/flag.h"

#define MAX_WAYS  8
#define MAX_FLAGS 3 /* one on the way of another */
#define MAX_ABOVE 8 /* blocks with a condition above a way's end */

/* ---- loops that are left by their last but one question ---- */

/* v is x + by. */
static bool is_sum(LLVMValueRef v, LLVMValueRef x, int64_t by)
{
    return cx_opcode_of(v) == LLVMAdd && LLVMGetOperand(v, 0) == x &&
           LLVMIsAConstantInt(LLVMGetOperand(v, 1)) && LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1)) == by;
}

/* Constants are one less, too. */
static bool is_one_less(LLVMValueRef v, LLVMValueRef than)
{
    if (LLVMIsAConstantInt(v) && LLVMIsAConstantInt(than)) {
        const int64_t more = LLVMConstIntGetSExtValue(than);
        return more > 0 && LLVMConstIntGetSExtValue(v) == more - 1;
    }
    return is_sum(v, than, -1);
}

/* Of a block that decides whether control stays in the loop: the comparison; NULL: it is none. */
static LLVMValueRef question(const struct cx_build *b, int32_t loop, int32_t block, bool *stays)
{
    LLVMValueRef c = cx_build_exit_condition(b, loop, block, stays);

    return c && cx_opcode_of(c) == LLVMICmp ? c : NULL;
}

/* Whether the block's question, asked in each iteration, ends the loop where x + 1 would be `limit`. */
static bool ends_before(const struct cx_build *b, int32_t loop, int32_t block, LLVMValueRef x,
                        LLVMValueRef next, LLVMValueRef limit)
{
    bool stays;
    LLVMValueRef c, l, r;

    if (b->cfg.block[block].loop != loop || !cx_cfg_dominates(&b->cfg, block, b->cfg.loop[loop].latch)) {
        return false;
    }
    c = question(b, loop, block, &stays);
    if (!c || LLVMGetICmpPredicate(c) != (stays ? LLVMIntNE : LLVMIntEQ)) {
        return false;
    }
    l = LLVMGetOperand(c, 0);
    r = LLVMGetOperand(c, 1);
    return (l == x && is_one_less(r, limit)) || (l == next && r == limit) || (r == next && l == limit);
}

/*
 * Whether the loop's header lets control out in the first iteration only: it asks "x < limit" of an x that
 * each iteration adds 1 to, and each iteration that ends is one in which x was not limit - 1. Then x < limit
 * - 1 there, so that x + 1 < limit: nothing wraps. The same of "x != limit".
 */
static bool header_ends_first(const struct cx_build *b, int32_t loop)
{
    const struct cx_cfg_loop *l = &b->cfg.loop[loop];
    LLVMValueRef c, x, limit, start, next;
    LLVMIntPredicate pred;
    bool stays, ends = false;

    c = l->latch < 0 ? NULL : question(b, loop, l->header, &stays);
    if (!c) {
        return false;
    }
    pred = LLVMGetICmpPredicate(c);
    x = LLVMGetOperand(c, 0);
    limit = LLVMGetOperand(c, 1);
    if (stays ? pred != LLVMIntSLT && pred != LLVMIntULT && pred != LLVMIntNE
              : pred != LLVMIntSGE && pred != LLVMIntUGE && pred != LLVMIntEQ) {
        return false;
    }
    if (cx_opcode_of(x) != LLVMPHI || cx_build_header_phi(b, x, &start, &next) != loop || !next ||
        !is_sum(next, x, 1) ||
        (LLVMIsAInstruction(limit) && l->inside[cx_cfg_index(&b->cfg, LLVMGetInstructionParent(limit))])) {
        return false;
    }
    for (uint32_t i = 0; i < b->cfg.nblock && !ends; i++) {
        ends = l->inside[i] && (int32_t)i != l->header && ends_before(b, loop, (int32_t)i, x, next, limit);
    }
    return ends;
}

/* ---- ways ---- */

static bool is_other(LLVMValueRef v, bool truth)
{
    return LLVMIsUndef(v) || (LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64 &&
                              (LLVMConstIntGetZExtValue(v) != 0) != truth);
}

/* Whether a value of that truth cannot come from the one block into the other: it is the other one there,
 * whenever control goes that way. */
static bool is_shut(const struct cx_build *b, LLVMValueRef v, int32_t from, int32_t merge, bool truth)
{
    LLVMValueRef start, next;
    int32_t loop;

    if (is_other(v, truth)) {
        return true;
    }
    if (cx_opcode_of(v) != LLVMPHI || cx_cfg_index(&b->cfg, LLVMGetInstructionParent(v)) != from) {
        return false;
    }
    loop = cx_build_header_phi(b, v, &start, &next);
    return loop >= 0 && !b->cfg.loop[loop].inside[merge] && start && is_other(start, truth) &&
           header_ends_first(b, loop);
}

/* The nearest block that dominates both. */
static int32_t common(const struct cx_build *b, int32_t x, int32_t y)
{
    while (!cx_cfg_dominates(&b->cfg, x, y)) {
        x = b->cfg.block[x].idom;
    }
    return x;
}

/* The ways by which the truth can come: how many, the last one, and the block that all of them pass. */
struct ways {
    unsigned count, way;
    int32_t from;
};

static struct ways open_ways(const struct cx_build *b, LLVMValueRef phi, int32_t merge, bool truth)
{
    const unsigned n = LLVMCountIncoming(phi);
    struct ways ways = {0};

    for (unsigned i = 0; i < n && n <= MAX_WAYS; i++) {
        const int32_t from = cx_cfg_index(&b->cfg, LLVMGetIncomingBlock(phi, i));
        if (cx_cfg_reachable(&b->cfg, from) &&
            !is_shut(b, LLVMGetIncomingValue(phi, i), from, merge, truth)) {
            ways.from = ways.count++ ? common(b, ways.from, from) : from;
            ways.way = i;
        }
    }
    return ways;
}

/* What holds where control passes the block on its way into the merge, but for what holds there anyhow. */
static void guards_above(struct cx_build *b, int32_t from, int32_t merge, bool hint)
{
    for (unsigned i = 0; i < MAX_ABOVE && !cx_cfg_dominates(&b->cfg, from, merge); i++) {
        const int32_t above = b->cfg.block[from].idom;
        if (b->cfg.block[from].npred == 1) {
            cx_build_branch_guards(b, above, from, hint);
        }
        from = above;
    }
}

LLVMValueRef cx_flag_guards(struct cx_build *b, LLVMValueRef phi, bool truth, bool hint)
{
    const int32_t merge = cx_cfg_index(&b->cfg, LLVMGetInstructionParent(phi));
    const int32_t loop = b->cfg.block[merge].loop;

    if (b->flags == MAX_FLAGS || (loop >= 0 && b->cfg.loop[loop].header == merge)) {
        return NULL; /* a value of the iteration before */
    }
    const struct ways ways = open_ways(b, phi, merge, truth);
    if (ways.count == 0) {
        return NULL;
    }
    b->flags++;
    if (ways.count == 1) {
        cx_build_branch_guards(b, ways.from, merge, hint);
    }
    guards_above(b, ways.from, merge, hint);
    b->flags--;
    return ways.count == 1 ? LLVMGetIncomingValue(phi, ways.way) : NULL;
}
