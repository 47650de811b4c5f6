/* SPDX-License-Identifier: MIT */
/*
 * How much a work-item has to do at most: the instructions of each loop and those outside, and how often
 * loops run where that is a constant. Loops whose ends depend on the launch are left to guard.c.
 *
 * Previous stage: scan.c. Next stage: compact.c, which knows what becomes of the loops; then access.c.
 */
#include "layer/analyser/effort.h"

/* In steps, by what they may take on a CPU: guesses, on the safe side. */
enum { STEPS_MEMORY = 16, STEPS_CALL = 32 };
/* Of a loop whose counter is shifted, multiplied or divided, whatever its width. */
enum { TIMES_SCALED = 64 };

static uint32_t capped(uint64_t n)
{
    return n < CX_STEPS_UNKNOWN ? (uint32_t)n : CX_STEPS_UNKNOWN;
}

static uint32_t times_of_range(LLVMValueRef from, LLVMValueRef to, LLVMValueRef by)
{
    if (!LLVMIsAConstantInt(from) || !LLVMIsAConstantInt(to) || !LLVMIsAConstantInt(by) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(from)) > 64) {
        return 0;
    }
    const __int128 way = (__int128)LLVMConstIntGetSExtValue(to) - LLVMConstIntGetSExtValue(from);
    const __int128 step = LLVMConstIntGetSExtValue(by);
    if (step == 0 || (way < 0) != (step < 0) || way / step > INT32_MAX) {
        return 0;
    }
    return (uint32_t)(way / step) + 2; /* the header once more, and for <= */
}

/* How often the loop runs at most whose end compares `v`, what its counter is or becomes, with `limit`; 0:
 * unknown. */
static uint32_t times_of_counter(const struct cx_build *b, int32_t loop, LLVMValueRef v, LLVMValueRef limit)
{
    LLVMValueRef start, next, phi = v;

    if (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) != LLVMPHI && LLVMGetNumOperands(v) == 2) {
        phi = LLVMGetOperand(v, 0);
    }
    if (!LLVMIsAInstruction(phi) || LLVMGetInstructionOpcode(phi) != LLVMPHI ||
        cx_build_header_phi(b, phi, &start, &next) != loop || !next || !LLVMIsAInstruction(next) ||
        (v != phi && v != next) || LLVMGetNumOperands(next) != 2 || LLVMGetOperand(next, 0) != phi ||
        !LLVMIsAConstantInt(LLVMGetOperand(next, 1))) {
        return 0;
    }
    switch (LLVMGetInstructionOpcode(next)) {
    case LLVMAdd:
        return times_of_range(start, limit, LLVMGetOperand(next, 1));
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMMul:
        return LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1)) > 0 ? TIMES_SCALED : 0;
    default:
        return 0;
    }
}

/* How often the loop runs at most, by a branch of it that every iteration passes; 0: the branch does not
 * tell. */
static uint32_t times_by(const struct cx_build *b, int32_t loop, int32_t block)
{
    const struct cx_cfg_block *at = &b->cfg.block[block];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(at->bb), condition;
    bool leaves = false;

    for (uint32_t s = 0; s < at->nsucc; s++) {
        leaves |= !b->cfg.loop[loop].inside[at->succ[s]];
    }
    if (!leaves || at->loop != loop || !cx_cfg_dominates(&b->cfg, block, b->cfg.loop[loop].latch) ||
        LLVMGetInstructionOpcode(end) != LLVMBr || !LLVMIsConditional(end)) {
        return 0;
    }
    condition = LLVMGetCondition(end);
    if (!LLVMIsAICmpInst(condition)) {
        return 0;
    }
    const uint32_t times =
        times_of_counter(b, loop, LLVMGetOperand(condition, 0), LLVMGetOperand(condition, 1));
    return times ? times
                 : times_of_counter(b, loop, LLVMGetOperand(condition, 1), LLVMGetOperand(condition, 0));
}

static uint32_t times_of(const struct cx_build *b, int32_t loop)
{
    uint32_t times = 0;

    for (uint32_t i = 0; b->cfg.loop[loop].latch >= 0 && i < b->cfg.nblock && !times; i++) {
        if (b->cfg.loop[loop].inside[i]) {
            times = times_by(b, loop, (int32_t)i);
        }
    }
    return times;
}

static uint32_t steps_of_call(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);

    if (LLVMIsAIntrinsicInst(call)) {
        return LLVMIsADbgInfoIntrinsic(call) ? 0 : STEPS_CALL;
    }
    /* what was not put in line may hold loops of its own */
    return callee && LLVMIsAFunction(callee) && LLVMCountBasicBlocks(callee) == 0 ? STEPS_CALL
                                                                                  : CX_STEPS_UNKNOWN;
}

static uint32_t steps_of(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMCall:
        return steps_of_call(instruction);
    case LLVMLoad:
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return STEPS_MEMORY;
    default:
        return 1;
    }
}

static uint32_t steps_of_block(const struct cx_cfg_block *block)
{
    uint64_t steps = 0;

    for (LLVMValueRef i = LLVMGetFirstInstruction(block->bb); i; i = LLVMGetNextInstruction(i)) {
        steps = capped(steps + steps_of(i));
    }
    return (uint32_t)steps;
}

void cx_effort_find(const struct cx_build *b, struct cx_summary_kernel *kernel)
{
    kernel->steps = 0;
    for (uint32_t l = 0; l < kernel->nloop; l++) {
        kernel->loop[l].times = times_of(b, (int32_t)l);
        kernel->loop[l].parent = b->cfg.loop[l].parent;
    }
    if (b->cfg.irreducible || kernel->nloop < b->cfg.nloop) {
        kernel->steps = CX_STEPS_UNKNOWN;
        return;
    }
    for (uint32_t i = 0; i < b->cfg.nblock; i++) {
        const struct cx_cfg_block *block = &b->cfg.block[i];
        uint32_t *steps = block->loop >= 0 ? &kernel->loop[block->loop].steps : &kernel->steps;
        *steps = capped((uint64_t)*steps + steps_of_block(block));
    }
}
