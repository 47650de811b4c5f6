/* SPDX-License-Identifier: MIT */
/* Such loops are a single block after simplification. */
#include "layer/analyser/update.h"

struct update {
    struct cx_build *b;
    int32_t loop;
    LLVMBasicBlockRef bb;
    LLVMValueRef exchange; /* the call that stores */
    LLVMValueRef old;      /* what was there before: a load, or a header phi */
    LLVMValueRef load;     /* that load, or the one before the loop */
    LLVMValueRef sum;      /* what is stored */
    LLVMValueRef test;
    LLVMValueRef taken; /* of a pair of exchanges: the call that takes what was there */
};

static LLVMOpcode opcode_of(LLVMValueRef v)
{
    return LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet;
}

/* Behind changes between int and float of the same bits. */
static LLVMValueRef strip(LLVMValueRef v)
{
    while (opcode_of(v) == LLVMBitCast) {
        v = LLVMGetOperand(v, 0);
    }
    return v;
}

static bool is_in(const struct update *u, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == u->bb;
}

/* All uses of the value, also behind bit casts, are by these. */
static bool used_only_by(LLVMValueRef v, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (user == a || user == b || user == c) {
            continue;
        }
        if (opcode_of(user) != LLVMBitCast || !used_only_by(user, a, b, c)) {
            return false;
        }
    }
    return true;
}

static struct cx_builtin builtin_of(LLVMValueRef v)
{
    LLVMValueRef callee = opcode_of(v) == LLVMCall ? LLVMGetCalledValue(v) : NULL;

    if (!callee || !LLVMIsAFunction(callee) || LLVMCountBasicBlocks(callee) > 0) {
        return (struct cx_builtin){.kind = CX_BUILTIN_UNKNOWN};
    }
    return cx_builtin_classify(callee);
}

static bool is_pure_call(LLVMValueRef v)
{
    enum cx_builtin_kind kind = builtin_of(v).kind;

    return kind == CX_BUILTIN_PURE || kind == CX_BUILTIN_INTEGER || kind == CX_BUILTIN_WORK_ITEM ||
           kind == CX_BUILTIN_IGNORE || kind == CX_BUILTIN_IMAGE_QUERY;
}

/* Whether an instruction is one of the loop's parts or has no effect at all. */
static bool is_expected(const struct update *u, LLVMValueRef v)
{
    switch (opcode_of(v)) {
    case LLVMPHI:
        return v == u->old;
    case LLVMLoad:
        return v == u->load;
    case LLVMCall:
        return v == u->exchange || v == u->taken || v == u->load || is_pure_call(v);
    case LLVMStore:
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMInvoke:
    case LLVMCallBr:
    case LLVMVAArg:
    case LLVMAlloca:
        return false;
    default:
        return true;
    }
}

static bool does_nothing_else(const struct update *u)
{
    for (LLVMValueRef v = LLVMGetFirstInstruction(u->bb); v; v = LLVMGetNextInstruction(v)) {
        if (!is_expected(u, v)) {
            return false;
        }
    }
    return true;
}

/* The loop's end: goes on where the two differ. */
static bool goes_on_if_unequal(struct update *u, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(u->bb), l, r;
    bool equal, yes;

    if (LLVMGetInstructionOpcode(end) != LLVMBr || !LLVMIsConditional(end)) {
        return false;
    }
    u->test = LLVMGetCondition(end);
    if (opcode_of(u->test) == LLVMICmp) {
        equal = LLVMGetICmpPredicate(u->test) == LLVMIntEQ;
        if (!equal && LLVMGetICmpPredicate(u->test) != LLVMIntNE) {
            return false;
        }
    } else if (opcode_of(u->test) == LLVMFCmp) {
        LLVMRealPredicate p = LLVMGetFCmpPredicate(u->test);
        equal = p == LLVMRealOEQ || p == LLVMRealUEQ;
        if (!equal && p != LLVMRealUNE && p != LLVMRealONE) {
            return false;
        }
    } else {
        return false;
    }
    l = strip(LLVMGetOperand(u->test, 0));
    r = strip(LLVMGetOperand(u->test, 1));
    yes = LLVMGetSuccessor(end, 0) == u->bb;
    return yes != equal && ((l == x && r == y) || (l == y && r == x));
}

/* Lanes of a vector in one word: carries would cross them, and sums of them are no sum of the word. */
static bool has_lanes(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

/* The operation, if `sum` is old OP something that does not change in the loop. */
static enum cx_atomic_op operation(const struct update *u, LLVMValueRef old)
{
    static const struct {
        LLVMOpcode opcode;
        enum cx_atomic_op op;
        bool ordered, bitwise;
    } table[] = {
        {LLVMFAdd, CX_ATOMIC_FADD, false, false}, {LLVMFSub, CX_ATOMIC_FADD, true, false},
        {LLVMAdd, CX_ATOMIC_ADD, false, false},   {LLVMSub, CX_ATOMIC_SUB, true, false},
        {LLVMAnd, CX_ATOMIC_AND, false, true},    {LLVMOr, CX_ATOMIC_OR, false, true},
        {LLVMXor, CX_ATOMIC_XOR, false, true},
    };

    if (opcode_of(u->sum) == LLVMCall && builtin_of(u->sum).kind == CX_BUILTIN_PURE) {
        struct cx_builtin b = builtin_of(u->sum);
        bool fixed = b.is_fma && !has_lanes(u->sum) && LLVMGetNumArgOperands(u->sum) == 3 &&
                     cx_build_invariant(u->b, LLVMGetOperand(u->sum, 0), u->loop) &&
                     cx_build_invariant(u->b, LLVMGetOperand(u->sum, 1), u->loop);
        return fixed && strip(LLVMGetOperand(u->sum, 2)) == old ? CX_ATOMIC_FADD : CX_ATOMIC_NONE;
    }
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        if (opcode_of(u->sum) != table[i].opcode || (has_lanes(u->sum) && !table[i].bitwise)) {
            continue;
        }
        for (unsigned side = 0; side < (table[i].ordered ? 1 : 2); side++) {
            if (strip(LLVMGetOperand(u->sum, side)) == old &&
                cx_build_invariant(u->b, LLVMGetOperand(u->sum, 1 - side), u->loop)) {
                return table[i].op;
            }
        }
    }
    return CX_ATOMIC_NONE;
}

static bool same_bytes(const struct update *u, LLVMValueRef v)
{
    return LLVMStoreSizeOfType(u->b->layout, LLVMTypeOf(v)) ==
           LLVMStoreSizeOfType(u->b->layout, LLVMTypeOf(u->exchange));
}

static bool is_zero(LLVMValueRef v)
{
    return LLVMIsConstant(v) && LLVMIsNull(v);
}

/* A load, or an atomic that changes nothing and so is one. */
static bool is_load_of(const struct update *u, LLVMValueRef v, LLVMValueRef pointer)
{
    struct cx_builtin b = builtin_of(v);

    if (b.kind == CX_BUILTIN_ATOMIC && b.order == CX_ORDER_NONE && LLVMGetNumArgOperands(v) == 2 &&
        (b.atomic_op == CX_ATOMIC_ADD || b.atomic_op == CX_ATOMIC_SUB || b.atomic_op == CX_ATOMIC_OR ||
         b.atomic_op == CX_ATOMIC_XOR)) {
        return LLVMGetOperand(v, 0) == pointer && same_bytes(u, v) && is_zero(LLVMGetOperand(v, 1));
    }
    return opcode_of(v) == LLVMLoad && LLVMGetOperand(v, 0) == pointer && same_bytes(u, v) &&
           LLVMGetOrdering(v) == LLVMAtomicOrderingNotAtomic;
}

/* old = *p; do got = cmpxchg(p, old, old + x); while (got != old, and then old = got or *p). */
static enum cx_atomic_op by_compare(struct update *u)
{
    LLVMValueRef pointer = LLVMGetOperand(u->exchange, 0), start, next;
    enum cx_atomic_op op;

    u->old = strip(LLVMGetOperand(u->exchange, 1));
    u->sum = strip(LLVMGetOperand(u->exchange, 2));
    if (is_in(u, u->old) && is_load_of(u, u->old, pointer)) {
        u->load = u->old;
    } else if (opcode_of(u->old) == LLVMPHI && is_in(u, u->old) &&
               cx_build_header_phi(u->b, u->old, &start, &next) == u->loop && next &&
               strip(next) == u->exchange && is_load_of(u, strip(start), pointer)) {
        u->load = strip(start);
        if (!used_only_by(u->load, u->old, NULL, NULL)) {
            return CX_ATOMIC_NONE;
        }
    } else {
        return CX_ATOMIC_NONE;
    }
    op = operation(u, u->old);
    if (op == CX_ATOMIC_NONE || !goes_on_if_unequal(u, u->exchange, u->old) ||
        !used_only_by(u->old, u->sum, u->exchange, u->test) ||
        !used_only_by(u->exchange, u->test, u->old, NULL) || !used_only_by(u->sum, u->exchange, NULL, NULL)) {
        return CX_ATOMIC_NONE;
    }
    return op;
}

/* rest = x; do rest = xchg(p, xchg(p, 0) + rest); while (rest != 0) */
static enum cx_atomic_op by_exchanges(struct update *u)
{
    LLVMValueRef start, next, zero = LLVMConstNull(LLVMTypeOf(u->exchange)), test;

    u->sum = strip(LLVMGetOperand(u->exchange, 1));
    if (opcode_of(u->sum) != LLVMFAdd || has_lanes(u->sum) || !is_in(u, u->sum)) {
        return CX_ATOMIC_NONE;
    }
    for (unsigned side = 0; side < 2; side++) {
        LLVMValueRef taken = strip(LLVMGetOperand(u->sum, side));
        LLVMValueRef rest = strip(LLVMGetOperand(u->sum, 1 - side));
        struct cx_builtin b = builtin_of(taken);
        if (!is_in(u, taken) || b.kind != CX_BUILTIN_ATOMIC || b.exchange != CX_EXCHANGE_ALWAYS ||
            LLVMGetOperand(taken, 0) != LLVMGetOperand(u->exchange, 0) || !same_bytes(u, taken) ||
            !is_zero(strip(LLVMGetOperand(taken, 1))) || opcode_of(rest) != LLVMPHI || !is_in(u, rest) ||
            cx_build_header_phi(u->b, rest, &start, &next) != u->loop || !next ||
            strip(next) != u->exchange) {
            continue;
        }
        u->taken = taken;
        u->old = rest;
        if (LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(u->bb)) != LLVMBr ||
            !LLVMIsConditional(LLVMGetBasicBlockTerminator(u->bb))) {
            return CX_ATOMIC_NONE;
        }
        test = LLVMGetCondition(LLVMGetBasicBlockTerminator(u->bb));
        if (opcode_of(test) == LLVMFCmp) {
            zero = LLVMConstNull(LLVMTypeOf(LLVMGetOperand(test, 0)));
        }
        return goes_on_if_unequal(u, u->exchange, zero) && used_only_by(taken, u->sum, NULL, NULL) &&
                       used_only_by(rest, u->sum, NULL, NULL) &&
                       used_only_by(u->sum, u->exchange, NULL, NULL) &&
                       used_only_by(u->exchange, u->test, rest, NULL)
                   ? CX_ATOMIC_FADD
                   : CX_ATOMIC_NONE;
    }
    return CX_ATOMIC_NONE;
}

static void look_at(struct cx_build *b, int32_t loop, struct cx_map *found)
{
    struct update u = {.b = b, .loop = loop, .bb = b->cfg.block[b->cfg.loop[loop].header].bb};
    enum cx_exchange kind = CX_EXCHANGE_NONE;
    enum cx_atomic_op op = CX_ATOMIC_NONE;

    for (LLVMValueRef v = LLVMGetFirstInstruction(u.bb); v; v = LLVMGetNextInstruction(v)) {
        struct cx_builtin builtin = builtin_of(v);
        if (builtin.kind == CX_BUILTIN_ATOMIC && builtin.exchange != CX_EXCHANGE_NONE) {
            u.exchange = v; /* the last one stores */
            kind = builtin.exchange;
        }
    }
    if (!u.exchange || !cx_build_invariant(b, LLVMGetOperand(u.exchange, 0), loop)) {
        return;
    }
    op = kind == CX_EXCHANGE_COMPARE ? by_compare(&u) : by_exchanges(&u);
    if (op == CX_ATOMIC_NONE || !does_nothing_else(&u)) {
        return;
    }
    cx_map_put(found, (uintptr_t)u.exchange, 0, (int32_t)op);
    if (u.load) {
        cx_map_put(found, (uintptr_t)u.load, 0, CX_UPDATE_PART);
    }
    if (u.taken) {
        cx_map_put(found, (uintptr_t)u.taken, 0, CX_UPDATE_PART);
    }
}

void cx_update_find(struct cx_build *b, struct cx_map *found)
{
    for (uint32_t i = 0; i < b->cfg.nloop; i++) {
        if (b->cfg.loop[i].latch == b->cfg.loop[i].header) {
            look_at(b, (int32_t)i, found);
        }
    }
}
