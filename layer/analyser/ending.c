/* SPDX-License-Identifier: MIT */
/* The end of loops. See ending.h. */
#include "layer/analyser/ending.h"

#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 4000000u /* visits of blocks: a fraction of a second */

struct slice {
    struct cx_scan *scan;
    struct cx_map seen;    /* values */
    struct cx_map decided; /* blocks whose deciding branches are in the slice */
    LLVMValueRef *todo;
    size_t count, room;
    uint32_t steps;
    bool unknown; /* it may depend on any memory */
};

static const struct cx_cfg *cfg_of(const struct slice *s)
{
    return &s->scan->build->cfg;
}

static void add(struct slice *s, LLVMValueRef v)
{
    int32_t ignored;

    if (!LLVMIsAInstruction(v) || cx_map_get(&s->seen, (uintptr_t)v, 0, &ignored)) {
        return;
    }
    cx_map_put(&s->seen, (uintptr_t)v, 0, 1);
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        s->todo = cx_realloc(s->todo, s->room, sizeof(*s->todo));
    }
    s->todo[s->count++] = v;
}

static void add_operands(struct slice *s, LLVMValueRef v)
{
    int n = LLVMGetNumOperands(v);

    for (int i = 0; i < n; i++) {
        add(s, LLVMGetOperand(v, (unsigned)i));
    }
}

/* What decides where control goes at the end of a block: nothing, a branch's condition, a switch's value. */
static LLVMValueRef decider(const struct slice *s, uint32_t block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg_of(s)->block[block].bb);

    return LLVMGetNumOperands(end) > 1 ? LLVMGetOperand(end, 0) : NULL;
}

static void add_decider(struct slice *s, uint32_t block)
{
    LLVMValueRef condition = decider(s, block);

    if (condition) {
        add(s, condition);
    }
}

/* ---- memory ---- */

/* A by-value argument that the kernel never writes to. */
static bool is_kept_value(const struct slice *s, LLVMValueRef v)
{
    const struct cx_build *b = s->scan->build;

    for (unsigned i = 0; v && i < s->scan->kernel->narg; i++) {
        if (LLVMGetParam(b->function, i) == v) {
            return !b->arg_changed[i];
        }
    }
    return false;
}

/* The slice reads what the pointer leads to. */
static void read_from(struct slice *s, LLVMValueRef pointer)
{
    struct cx_base base[CX_MAX_BASES];
    unsigned n = cx_build_pointer(s->scan->build, pointer, base);

    for (unsigned i = 0; i < n; i++) {
        switch (base[i].kind) {
        case CX_BASE_ARG:
            s->scan->kernel->arg[base[i].arg].touch |= CX_TOUCH_DECIDES;
            break;
        case CX_BASE_GLOBAL:
            s->unknown |= !LLVMIsGlobalConstant(base[i].value);
            break;
        case CX_BASE_PRIVATE: /* local memory among it */
            s->unknown |= !is_kept_value(s, base[i].value);
            break;
        case CX_BASE_NOTHING:
            break;
        case CX_BASE_UNKNOWN:
            s->unknown = true;
        }
    }
}

static void visit_call(struct slice *s, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    struct cx_builtin b;

    if (!callee || !LLVMIsAFunction(callee) || LLVMCountBasicBlocks(callee) > 0) {
        s->unknown |= !callee || !LLVMIsAInlineAsm(callee); /* others than pure assembly have notes */
        return;
    }
    b = cx_builtin_classify(callee);
    switch (b.kind) {
    case CX_BUILTIN_PURE:
    case CX_BUILTIN_INTEGER:
        for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) { /* one may read through a pointer */
            s->unknown |= LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, i))) == LLVMPointerTypeKind;
        }
        break;
    case CX_BUILTIN_WORK_ITEM:
    case CX_BUILTIN_LINEAR_ID:
    case CX_BUILTIN_IMAGE_QUERY:
        break;
    case CX_BUILTIN_VLOAD:
        read_from(s, LLVMGetOperand(call, 1));
        break;
    case CX_BUILTIN_ATOMIC:
        read_from(s, LLVMGetOperand(call, 0));
        s->unknown |= LLVMGetNumArgOperands(call) > 1 &&
                      LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, 1))) == LLVMPointerTypeKind;
        break;
    default:
        s->unknown = true;
    }
}

/* ---- branches ---- */

/* All branches between the block's dominator and the block: which way control comes to it. Round a loop there
 * is one way; how often it is taken is what the ways out are asked for. */
static void add_ways_to(struct slice *s, int32_t block)
{
    const struct cx_cfg *cfg = cfg_of(s);
    const int32_t from = cfg->block[block].idom, loop = cfg->block[block].loop;
    const int32_t latch = loop >= 0 && cfg->loop[loop].header == block ? cfg->loop[loop].latch : -1;
    unsigned char *mark;
    int32_t *todo, ignored;
    size_t count = 0;

    if (cx_map_get(&s->decided, (uint64_t)block, 0, &ignored)) {
        return;
    }
    cx_map_put(&s->decided, (uint64_t)block, 0, 1);
    mark = cx_alloc(cfg->nblock, 1);
    todo = cx_alloc(cfg->nblock + 1, sizeof(*todo));
    for (todo[count++] = block; count > 0; s->steps++) {
        const struct cx_cfg_block *now = &cfg->block[todo[--count]];
        for (uint32_t p = 0; p < now->npred; p++) {
            const int32_t before = now->pred[p];
            if (mark[before] || !cx_cfg_reachable(cfg, before) ||
                (now == &cfg->block[block] && before == latch)) {
                continue;
            }
            mark[before] = 1;
            add_decider(s, (uint32_t)before);
            if (before != from) {
                todo[count++] = before;
            }
        }
    }
    s->steps += cfg->nblock / 64; /* the memory */
    s->unknown |= s->steps > MAX_STEPS;
    free(mark);
    free(todo);
}

static void visit_phi(struct slice *s, LLVMValueRef phi)
{
    unsigned n = LLVMCountIncoming(phi);

    for (unsigned i = 0; i < n; i++) {
        add(s, LLVMGetIncomingValue(phi, i));
    }
    add_ways_to(s, cx_cfg_index(cfg_of(s), LLVMGetInstructionParent(phi)));
}

static void visit(struct slice *s, LLVMValueRef v)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPHI:
        visit_phi(s, v);
        return;
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        read_from(s, LLVMGetOperand(v, 0));
        break;
    case LLVMCall:
        visit_call(s, v);
        break;
    case LLVMInvoke:
    case LLVMCallBr:
    case LLVMVAArg:
        s->unknown = true;
        break;
    default:
        break;
    }
    add_operands(s, v);
}

/* ---- ways out of a loop ---- */

/* Whether control, once at `from` in the loop, may go round or leave it without passing the block. */
static bool may_miss(struct slice *s, const struct cx_cfg_loop *loop, uint32_t from, uint32_t block)
{
    const struct cx_cfg *cfg = cfg_of(s);
    unsigned char *mark = cx_alloc(cfg->nblock, 1);
    uint32_t *todo = cx_alloc(cfg->nblock + 1, sizeof(*todo)), count = 0;
    bool missed = false;

    for (todo[count++] = from; count > 0 && !missed; s->steps++) {
        const struct cx_cfg_block *now = &cfg->block[todo[--count]];
        for (uint32_t i = 0; i < now->nsucc && !missed; i++) {
            const uint32_t next = (uint32_t)now->succ[i];
            if (next == block || mark[next]) {
                continue;
            }
            mark[next] = 1;
            missed = !loop->inside[next] || (int32_t)next == loop->header;
            if (!missed) {
                todo[count++] = next;
            }
        }
    }
    s->steps += cfg->nblock / 64; /* the memory */
    s->unknown |= s->steps > MAX_STEPS;
    free(mark);
    free(todo);
    return missed;
}

static LLVMValueRef strip(LLVMValueRef v)
{
    while (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMBitCast) {
        v = LLVMGetOperand(v, 0);
    }
    return v;
}

/* The compare-exchange whose result this is; NULL: it is none. */
static LLVMValueRef exchange_of(LLVMValueRef v)
{
    LLVMValueRef callee;
    struct cx_builtin b;

    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMCall) {
        return NULL;
    }
    callee = LLVMGetCalledValue(v);
    if (!callee || !LLVMIsAFunction(callee) || LLVMCountBasicBlocks(callee) > 0) {
        return NULL;
    }
    b = cx_builtin_classify(callee);
    return b.kind == CX_BUILTIN_ATOMIC && b.exchange == CX_EXCHANGE_COMPARE && LLVMGetNumArgOperands(v) == 3
               ? v
               : NULL;
}

/* Whether the value is what was found at the pointer: by a load there, or by the exchange that failed. */
static bool was_found(LLVMValueRef v, LLVMValueRef exchange)
{
    v = strip(v);
    return v == exchange || (LLVMIsALoadInst(v) && LLVMGetOperand(v, 0) == LLVMGetOperand(exchange, 0));
}

static bool compares_what_was_found(LLVMValueRef old, LLVMValueRef exchange)
{
    if (!LLVMIsAPHINode(old)) {
        return old != exchange && was_found(old, exchange);
    }
    for (unsigned i = 0; i < LLVMCountIncoming(old); i++) {
        if (!was_found(LLVMGetIncomingValue(old, i), exchange)) {
            return false;
        }
    }
    return true;
}

/* Whether control stays in the loop by this block only where a compare-exchange failed. */
static bool is_retry(const struct slice *s, const struct cx_cfg_loop *loop, uint32_t block)
{
    const struct cx_cfg *cfg = cfg_of(s);
    LLVMValueRef test = decider(s, block), exchange, old;
    bool equal, first_inside;

    if (!test || !LLVMIsAICmpInst(test) || cfg->block[block].nsucc != 2) {
        return false;
    }
    equal = LLVMGetICmpPredicate(test) == LLVMIntEQ;
    if (!equal && LLVMGetICmpPredicate(test) != LLVMIntNE) {
        return false;
    }
    exchange = exchange_of(strip(LLVMGetOperand(test, 0)));
    old = strip(LLVMGetOperand(test, 1));
    if (!exchange) {
        exchange = exchange_of(strip(LLVMGetOperand(test, 1)));
        old = strip(LLVMGetOperand(test, 0));
    }
    first_inside = loop->inside[cx_cfg_index(
        cfg, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(cfg->block[block].bb), 0))];
    return exchange && first_inside != equal && strip(LLVMGetOperand(exchange, 1)) == old &&
           compares_what_was_found(old, exchange) &&
           loop->inside[cx_cfg_index(cfg, LLVMGetInstructionParent(exchange))];
}

/* Whether the loop is one block, which is an update. */
static bool is_update(const struct slice *s, const struct cx_cfg_loop *loop)
{
    LLVMBasicBlockRef bb = cfg_of(s)->block[loop->header].bb;
    int32_t op;

    for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v && loop->latch == loop->header;
         v = LLVMGetNextInstruction(v)) {
        if (cx_map_get(&s->scan->updates, (uintptr_t)v, 0, &op) && op != CX_UPDATE_PART) {
            return true;
        }
    }
    return false;
}

static bool leaves(const struct cx_cfg *cfg, const struct cx_cfg_loop *loop, uint32_t block)
{
    for (uint32_t i = 0; loop->inside[block] && i < cfg->block[block].nsucc; i++) {
        if (!loop->inside[cfg->block[block].succ[i]]) {
            return true;
        }
    }
    return false;
}

/* Its condition, and those in the loop that decide whether control comes to it. */
static void add_way_out(struct slice *s, const struct cx_cfg_loop *loop, uint32_t block)
{
    const struct cx_cfg *cfg = cfg_of(s);

    if (!is_retry(s, loop, block)) {
        add_decider(s, block);
    }
    for (uint32_t i = 0; i < cfg->nblock && !s->unknown; i++) {
        if (i != block && loop->inside[i] && decider(s, i) && may_miss(s, loop, i, block)) {
            add_decider(s, i);
        }
    }
}

static void add_loop(struct slice *s, const struct cx_cfg_loop *loop)
{
    const struct cx_cfg *cfg = cfg_of(s);
    bool any = false;

    if (is_update(s, loop)) {
        return;
    }
    for (uint32_t i = 0; i < cfg->nblock; i++) {
        if (leaves(cfg, loop, i)) {
            any = true;
            add_way_out(s, loop, i);
        }
    }
    s->unknown |= !any;
}

/* Only kernels with these ask for it (access/checked.c). */
static bool has_atomics(const struct cx_summary_kernel *k)
{
    bool any = false;

    for (uint32_t i = 0; i < k->narg; i++) {
        any |= (k->arg[i].touch & (CX_TOUCH_ATOMIC | CX_TOUCH_VOLATILE)) != 0;
    }
    return any;
}

void cx_ending_find(struct cx_scan *scan)
{
    struct slice s = {.scan = scan};
    const struct cx_cfg *cfg = &scan->build->cfg;

    s.unknown = cfg->nloop > 0 && !has_atomics(scan->kernel);
    for (uint32_t l = 0; l < cfg->nloop && !s.unknown; l++) {
        add_loop(&s, &cfg->loop[l]);
    }
    while (s.count > 0 && !s.unknown) {
        visit(&s, s.todo[--s.count]);
    }
    for (uint32_t i = 0; i < scan->kernel->narg && s.unknown; i++) {
        scan->kernel->arg[i].touch |= scan->kernel->arg[i].touch ? CX_TOUCH_DECIDES : 0;
    }
    cx_map_finish(&s.seen);
    cx_map_finish(&s.decided);
    free(s.todo);
}
