/* SPDX-License-Identifier: MIT */
/* What does not change in a loop, and what holds while it goes on. */
#include "layer/analyser/build.h"
#include "layer/analyser/place.h"

#define MAX_DEPTH 24

static bool invariant(struct cx_build *b, LLVMValueRef v, int32_t loop, unsigned depth);

static bool invariant_operands(struct cx_build *b, LLVMValueRef v, int32_t loop, unsigned depth)
{
    int n = LLVMGetNumOperands(v);

    for (int i = 0; i < n; i++) {
        if (!invariant(b, LLVMGetOperand(v, (unsigned)i), loop, depth + 1)) {
            return false;
        }
    }
    return true;
}

static bool is_pure_call(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    struct cx_builtin builtin;

    if (!callee || !LLVMIsAFunction(callee) || LLVMCountBasicBlocks(callee) > 0) {
        return false;
    }
    builtin = cx_builtin_classify(callee);
    return builtin.kind == CX_BUILTIN_WORK_ITEM || builtin.kind == CX_BUILTIN_LINEAR_ID ||
           builtin.kind == CX_BUILTIN_INTEGER || builtin.kind == CX_BUILTIN_IMAGE_QUERY;
}

static bool invariant(struct cx_build *b, LLVMValueRef v, int32_t loop, unsigned depth)
{
    int32_t block;

    if (LLVMIsAFunction(v) || !LLVMIsAInstruction(v)) {
        return true;
    }
    block = cx_cfg_index(&b->cfg, LLVMGetInstructionParent(v));
    if (!b->cfg.loop[loop].inside[block]) {
        return true;
    }
    if (depth > MAX_DEPTH) {
        return false;
    }
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMCall:
        return is_pure_call(v) && invariant_operands(b, v, loop, depth);
    case LLVMPHI:
    case LLVMLoad:
    case LLVMAlloca:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMVAArg:
    case LLVMInvoke:
    case LLVMCallBr:
    case LLVMLandingPad:
    case LLVMFreeze:
        return false;
    default:
        return invariant_operands(b, v, loop, depth);
    }
}

bool cx_build_invariant(struct cx_build *b, LLVMValueRef value, int32_t loop)
{
    return invariant(b, value, loop, 0);
}

bool cx_build_leaves(const struct cx_build *b, int32_t loop, int32_t block)
{
    const struct cx_cfg_block *at = &b->cfg.block[block];

    for (uint32_t s = 0; s < at->nsucc; s++) {
        if (!b->cfg.loop[loop].inside[at->succ[s]]) {
            return true;
        }
    }
    return false;
}

LLVMValueRef cx_build_exit_condition(const struct cx_build *b, int32_t loop, int32_t block, bool *stays)
{
    const struct cx_cfg_block *at = &b->cfg.block[block];
    const unsigned char *inside = b->cfg.loop[loop].inside;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(at->bb);

    if (LLVMGetInstructionOpcode(end) != LLVMBr || !LLVMIsConditional(end) ||
        inside[at->succ[0]] == inside[at->succ[1]]) {
        return NULL;
    }
    *stays = inside[at->succ[0]];
    return LLVMGetCondition(end);
}

/*
 * If each iteration ends with this block deciding whether the loop goes on: appends what must hold for that.
 * True where that is all the block decides by.
 */
static bool exit_guards(struct cx_build *b, int32_t loop, int32_t block)
{
    const struct cx_cfg_loop *l = &b->cfg.loop[loop];
    LLVMValueRef condition;
    bool stays;

    if (l->latch < 0 || b->cfg.block[block].loop != loop || !cx_cfg_dominates(&b->cfg, block, l->latch)) {
        return false;
    }
    condition = cx_build_exit_condition(b, loop, block, &stays);
    return condition && cx_build_guards(b, condition, stays, false);
}

struct cx_loop *cx_build_loops(struct cx_build *b, struct cx_summary_kernel *kernel)
{
    struct cx_loop *loops = cx_alloc(b->cfg.nloop, sizeof(*loops));

    for (uint32_t i = 0; i < b->cfg.nloop; i++) {
        LLVMValueRef first = LLVMGetFirstInstruction(b->cfg.block[b->cfg.loop[i].header].bb);
        unsigned exits = 0;
        bool complete = true;
        while (first && LLVMGetDebugLocLine(first) == 0) {
            first = LLVMGetNextInstruction(first);
        }
        loops[i].line = first ? cx_place_of(kernel, first) : 0;
        loops[i].guard = b->nguard;
        for (uint32_t block = 0; block < b->cfg.nblock; block++) {
            if (b->cfg.loop[i].inside[block] && cx_build_leaves(b, (int32_t)i, (int32_t)block)) {
                exits++;
                complete &= exit_guards(b, (int32_t)i, (int32_t)block);
            }
        }
        loops[i].nguard = b->nguard - loops[i].guard;
        loops[i].single_exit = exits == 1 && complete;
    }
    return loops;
}
