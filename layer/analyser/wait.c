/* SPDX-License-Identifier: MIT */
/*
 * A loop waits where whether it ends depends on what it reads of memory that work-groups share, always at one
 * place, by an atomic or a volatile load that does not bring the loop on by itself: a ticket drawn by
 * atomic_inc does, and so does a compare-exchange with what was read before. A plain load counts where
 * nothing else changes in the loop, which would never end otherwise.
 */
#include "layer/analyser/wait.h"
#include "layer/analyser/place.h"

#define MAX_DEPTH 24

struct waiter {
    struct cx_scan *scan;
    const struct cx_cfg_loop *loop;
    int32_t number;
    bool still; /* nothing changes in the loop but memory, and the loop writes none */
    /* of one way out */
    struct cx_map seen;
    bool retries;
    LLVMValueRef found; /* what asks for another work-group's doing, of an argument; NULL: nothing */
    int arg;
};

static bool is_in(const struct waiter *w, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) &&
           w->loop->inside[cx_cfg_index(&w->scan->build->cfg, LLVMGetInstructionParent(v))];
}

static bool is_still(const struct cx_cfg *cfg, const struct cx_cfg_loop *loop)
{
    for (uint32_t i = 0; i < cfg->nblock; i++) {
        for (LLVMValueRef v = loop->inside[i] ? LLVMGetFirstInstruction(cfg->block[i].bb) : NULL; v;
             v = LLVMGetNextInstruction(v)) {
            if (LLVMIsAPHINode(v) || LLVMIsAStoreInst(v) || LLVMIsACallInst(v)) {
                return false;
            }
        }
    }
    return true;
}

/* What an instruction does that whether a loop ends may depend on. */
enum question {
    NO_QUESTION,
    ASKS,   /* what others did, whatever this work-item does */
    RETRIES /* whether anybody was faster, who then got on */
};

/* operand: the first one that the atomic is given; NULL: none. */
static enum question question_of_atomic(enum cx_atomic_op op, bool compares, LLVMValueRef operand)
{
    bool constant = operand && LLVMIsAConstant(operand);

    if (compares && !constant) {
        return RETRIES;
    }
    switch (op) {
    case CX_ATOMIC_INC:
    case CX_ATOMIC_DEC:
        return NO_QUESTION;
    case CX_ATOMIC_ADD:
    case CX_ATOMIC_SUB:
    case CX_ATOMIC_FADD:
        return constant && LLVMIsNull(operand) ? ASKS : NO_QUESTION;
    default: /* a load; or a lock is tried: it is given a constant, or compared with one */
        return !operand || constant ? ASKS : RETRIES;
    }
}

static enum question question_of_call(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call), operand;
    struct cx_builtin builtin;

    if (!callee || !LLVMIsAFunction(callee) || LLVMCountBasicBlocks(callee) > 0) {
        return NO_QUESTION;
    }
    builtin = cx_builtin_classify(callee);
    operand = LLVMGetNumArgOperands(call) > 1 ? LLVMGetOperand(call, 1) : NULL;
    return builtin.kind == CX_BUILTIN_ATOMIC
               ? question_of_atomic(builtin.atomic_op, builtin.exchange == CX_EXCHANGE_COMPARE, operand)
               : NO_QUESTION;
}

static enum question question_of(const struct waiter *w, LLVMValueRef v)
{
    LLVMAtomicRMWBinOp op;

    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad:
        return LLVMGetVolatile(v) || LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic || w->still
                   ? ASKS
                   : NO_QUESTION;
    case LLVMAtomicRMW:
        op = LLVMGetAtomicRMWBinOp(v);
        return question_of_atomic(
            op == LLVMAtomicRMWBinOpAdd || op == LLVMAtomicRMWBinOpSub ? CX_ATOMIC_ADD : CX_ATOMIC_OTHER,
            false, LLVMGetOperand(v, 1));
    case LLVMAtomicCmpXchg:
        return question_of_atomic(CX_ATOMIC_OTHER, true, LLVMGetOperand(v, 1));
    case LLVMCall:
        return question_of_call(v);
    default:
        return NO_QUESTION;
    }
}

/* Whether others may write there, and it is one place throughout the loop. */
static bool is_waited_for(const struct waiter *w, LLVMValueRef pointer, bool plain, int *arg)
{
    const struct cx_summary_kernel *k = w->scan->kernel;
    struct cx_base base[CX_MAX_BASES];
    unsigned n = cx_build_pointer(w->scan->build, pointer, base);

    if (!cx_build_invariant(w->scan->build, pointer, w->number)) {
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        bool is_arg = base[i].kind == CX_BASE_ARG && k->arg[base[i].arg].kind == CX_ARG_GLOBAL;
        if (is_arg && (!plain || k->arg[base[i].arg].touch & (CX_TOUCH_WRITE | CX_TOUCH_ATOMIC))) {
            *arg = (int)base[i].arg;
            return true;
        }
        if (base[i].kind == CX_BASE_GLOBAL || (base[i].kind == CX_BASE_UNKNOWN && !plain)) {
            *arg = -1;
            return true;
        }
    }
    return false;
}

/* Follows a value to what it is made of in the loop. */
static void follow(struct waiter *w, LLVMValueRef v, unsigned depth)
{
    enum question question;
    int32_t ignored;
    int arg, n;

    if (!is_in(w, v) || depth > MAX_DEPTH || cx_map_get(&w->seen, (uintptr_t)v, 0, &ignored) ||
        cx_map_get(&w->scan->updates, (uintptr_t)v, 0, &ignored)) {
        return;
    }
    cx_map_put(&w->seen, (uintptr_t)v, 0, 1);
    question = question_of(w, v);
    w->retries |= question == RETRIES;
    if (question == ASKS && !w->found &&
        is_waited_for(w, LLVMGetOperand(v, 0), LLVMIsALoadInst(v) && !LLVMGetVolatile(v), &arg)) {
        w->found = v;
        w->arg = arg;
    }
    n = LLVMGetNumOperands(v);
    for (int i = 0; i < n; i++) {
        follow(w, LLVMGetOperand(v, (unsigned)i), depth + 1);
    }
}

static bool leaves(const struct cx_cfg *cfg, const struct cx_cfg_loop *loop, uint32_t block)
{
    for (uint32_t s = 0; loop->inside[block] && s < cfg->block[block].nsucc; s++) {
        if (!loop->inside[cfg->block[block].succ[s]]) {
            return true;
        }
    }
    return false;
}

static void look_at_exit(struct waiter *w, LLVMValueRef end)
{
    w->retries = false;
    w->found = NULL;
    follow(w, LLVMGetOperand(end, 0), 0);
    if (w->found && !w->retries) {
        cx_scan_note(w->scan, CX_REASON_GROUPS_WAIT, cx_place_of(w->scan->kernel, w->found), w->arg);
    }
    cx_map_finish(&w->seen);
}

void cx_wait_find(struct cx_scan *scan)
{
    const struct cx_cfg *cfg = &scan->build->cfg;

    for (uint32_t l = 0; l < cfg->nloop; l++) {
        struct waiter w = {.scan = scan, .loop = &cfg->loop[l], .number = (int32_t)l};
        w.still = is_still(cfg, w.loop);
        for (uint32_t i = 0; i < cfg->nblock; i++) {
            LLVMValueRef end = leaves(cfg, w.loop, i) ? LLVMGetBasicBlockTerminator(cfg->block[i].bb) : NULL;
            if (end && LLVMGetNumOperands(end) > 1) {
                look_at_exit(&w, end);
            }
        }
    }
}
