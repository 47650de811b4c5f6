/* SPDX-License-Identifier: MIT */
/* Pointers: which argument or variable they come from, and how many bytes from its start they point. */
#include "layer/analyser/build.h"
#include "layer/analyser/table.h"

#include <stdlib.h>

#define MAX_STEPS 4000 /* of one question, so that chains of phis cannot take exponential time */

struct bases {
    struct cx_base base[CX_MAX_BASES];
    unsigned count;
    bool unknown;
};

static LLVMOpcode opcode_of(LLVMValueRef v)
{
    if (LLVMIsAInstruction(v)) {
        return LLVMGetInstructionOpcode(v);
    }
    return LLVMIsAConstantExpr(v) ? LLVMGetConstOpcode(v) : LLVMRet;
}

static bool same_base(const struct cx_base *a, const struct cx_base *b)
{
    return a->kind == b->kind && a->arg == b->arg && a->value == b->value;
}

static void add_base(struct cx_build *b, struct bases *set, const struct cx_base *base)
{
    for (unsigned i = 0; i < set->count; i++) {
        struct cx_base *old = &set->base[i];
        if (same_base(old, base)) {
            old->off = old->off < 0 || base->off < 0
                           ? -1
                           : cx_dag_binary(&b->dag, CX_EXPR_UNION, old->off, base->off);
            return;
        }
    }
    if (set->count == CX_MAX_BASES || base->kind == CX_BASE_UNKNOWN) {
        set->unknown = true;
    } else {
        set->base[set->count++] = *base;
    }
}

static int32_t add_offset(struct cx_build *b, int32_t off, int32_t more)
{
    return off < 0 || more < 0 ? -1 : cx_dag_binary(&b->dag, CX_EXPR_ADD, off, more);
}

static int32_t gep_index(struct cx_build *b, LLVMValueRef index, uint64_t size)
{
    int32_t scale = cx_dag_const(&b->dag, 64, (int64_t)size);

    if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind) {
        return -1;
    }
    return cx_dag_binary(&b->dag, CX_EXPR_MUL, cx_build_index(b, index, true), scale);
}

int32_t cx_build_gep(struct cx_build *b, LLVMValueRef gep)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    int n = LLVMGetNumOperands(gep);
    int32_t off = cx_dag_const(&b->dag, 64, 0);

    for (int i = 1; i < n; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        int32_t more;
        if (i > 1 && kind == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            more = cx_dag_const(&b->dag, 64, (int64_t)LLVMOffsetOfElement(b->layout, type, field));
            type = LLVMStructGetTypeAtIndex(type, field);
        } else {
            if (i > 1) {
                type = LLVMGetElementType(type);
            }
            more = gep_index(b, index,
                             i > 1 && kind == LLVMVectorTypeKind ? LLVMSizeOfTypeInBits(b->layout, type) / 8
                                                                 : LLVMABISizeOfType(b->layout, type));
        }
        off = add_offset(b, off, more);
    }
    return off;
}

static void follow(struct cx_build *b, LLVMValueRef pointer, int32_t off, struct bases *set);

/* A pointer that moves in each iteration: where it starts, plus how far it has moved. */
static bool follow_induction(struct cx_build *b, LLVMValueRef phi, int32_t off, struct bases *set)
{
    LLVMValueRef start, next;
    int32_t loop = cx_build_header_phi(b, phi, &start, &next), moved;
    struct bases from = {.count = 0};

    moved = loop < 0 || !next ? -1 : cx_build_carried(b, phi, 0, cx_dag_const(&b->dag, 64, 0), next, loop);
    if (moved < 0) {
        return false;
    }
    follow(b, start, cx_dag_const(&b->dag, 64, 0), &from);
    set->unknown |= from.unknown;
    for (unsigned i = 0; i < from.count; i++) {
        if (from.base[i].off >= 0) {
            from.base[i].off = add_offset(b, add_offset(b, from.base[i].off, moved), off);
        }
        add_base(b, set, &from.base[i]);
    }
    return true;
}

static void follow_phi(struct cx_build *b, LLVMValueRef phi, int32_t off, struct bases *set)
{
    unsigned n = LLVMCountIncoming(phi);
    LLVMValueRef start, next;
    int32_t busy = 0;
    bool header = cx_build_header_phi(b, phi, &start, &next) >= 0;

    if (cx_map_get(&b->ptr_busy, (uintptr_t)phi, 0, &busy) && busy) {
        return; /* round a loop: adds no base that the other ways into the loop do not add */
    }
    if (follow_induction(b, phi, off, set)) {
        return;
    }
    cx_map_put(&b->ptr_busy, (uintptr_t)phi, 0, 1);
    for (unsigned i = 0; i < n; i++) {
        struct bases from = {.count = 0};
        follow(b, LLVMGetIncomingValue(phi, i), off, &from);
        set->unknown |= from.unknown;
        for (unsigned j = 0; j < from.count; j++) {
            /* around a loop the offset changes in a way not followed */
            from.base[j].off = header ? -1 : from.base[j].off;
            add_base(b, set, &from.base[j]);
        }
    }
    cx_map_put(&b->ptr_busy, (uintptr_t)phi, 0, 0);
}

static void follow_root(struct cx_build *b, LLVMValueRef v, int32_t off, struct bases *set)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(v)), n = LLVMCountParams(b->function);
    struct cx_base base = {.kind = CX_BASE_UNKNOWN, .off = off};

    if (LLVMIsAArgument(v)) {
        while (base.arg < n && LLVMGetParam(b->function, base.arg) != v) {
            base.arg++;
        }
        base.kind = space == CX_SPACE_GLOBAL || space == CX_SPACE_CONSTANT ? CX_BASE_ARG : CX_BASE_PRIVATE;
        base.value = space == CX_SPACE_PRIVATE ? v : NULL;
    } else if (LLVMIsAGlobalVariable(v)) {
        base.kind = space == CX_SPACE_LOCAL ? CX_BASE_PRIVATE : CX_BASE_GLOBAL;
        base.value = base.kind == CX_BASE_GLOBAL ? v : NULL;
    } else if (LLVMIsAAllocaInst(v)) {
        base.kind = CX_BASE_PRIVATE;
    } else if (LLVMIsNull(v) || LLVMIsUndef(v)) {
        base.kind = CX_BASE_NOTHING;
    }
    add_base(b, set, &base);
}

/* to_global() and the like give their argument back; anything else a call returns is unknown. */
static void follow_call(struct cx_build *b, LLVMValueRef call, int32_t off, struct bases *set)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);

    if (callee && LLVMIsAFunction(callee) && LLVMCountBasicBlocks(callee) == 0 &&
        cx_builtin_classify(callee).kind == CX_BUILTIN_SAME_POINTER) {
        follow(b, LLVMGetOperand(call, 0), off, set);
    } else {
        set->unknown = true;
    }
}

/* A pointer out of a private array: any of those put in there, some time. */
static void follow_load(struct cx_build *b, LLVMValueRef load, int32_t off, struct bases *set)
{
    LLVMValueRef pointers[64];
    unsigned n = cx_table_pointers(load, pointers, 64);

    set->unknown |= n == 0;
    for (unsigned i = 0; i < n && !set->unknown; i++) {
        struct bases from = {.count = 0};
        follow(b, pointers[i], cx_dag_const(&b->dag, 64, 0), &from);
        set->unknown |= from.unknown;
        for (unsigned j = 0; j < from.count; j++) {
            struct cx_base *base = &from.base[j];
            bool stable = base->off >= 0 && cx_table_is_stable(&b->dag, base->off);
            base->off = stable ? add_offset(b, base->off, off) : -1;
            add_base(b, set, base);
        }
    }
}

static void follow(struct cx_build *b, LLVMValueRef pointer, int32_t off, struct bases *set)
{
    if (++b->ptr_steps > MAX_STEPS || set->unknown) {
        set->unknown = true;
        return;
    }
    switch (opcode_of(pointer)) {
    case LLVMGetElementPtr:
        follow(b, LLVMGetOperand(pointer, 0), add_offset(b, off, cx_build_gep(b, pointer)), set);
        break;
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMFreeze:
        follow(b, LLVMGetOperand(pointer, 0), off, set);
        break;
    case LLVMPHI:
        follow_phi(b, pointer, off, set);
        break;
    case LLVMSelect:
        follow(b, LLVMGetOperand(pointer, 1), off, set);
        follow(b, LLVMGetOperand(pointer, 2), off, set);
        break;
    case LLVMCall:
        follow_call(b, pointer, off, set);
        break;
    case LLVMLoad:
        follow_load(b, pointer, off, set);
        break;
    case LLVMAlloca:
    case LLVMRet: /* no instruction */
        follow_root(b, pointer, off, set);
        break;
    default:
        set->unknown = true;
    }
}

unsigned cx_build_pointer(struct cx_build *b, LLVMValueRef pointer, struct cx_base bases[CX_MAX_BASES])
{
    /* an index may be loaded through a pointer: each question has its own set of phis under way */
    struct cx_map busy = b->ptr_busy;
    unsigned steps = b->ptr_steps;
    struct bases set = {.count = 0};

    if (LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind) {
        set.unknown = true; /* vectors of pointers */
    } else {
        b->ptr_busy = (struct cx_map){0};
        b->ptr_steps = 0;
        follow(b, pointer, cx_dag_const(&b->dag, 64, 0), &set);
        cx_map_finish(&b->ptr_busy);
        b->ptr_busy = busy;
        b->ptr_steps = steps;
    }
    if (set.unknown) {
        bases[0] = (struct cx_base){.kind = CX_BASE_UNKNOWN, .off = -1};
        return 1;
    }
    for (unsigned i = 0; i < set.count; i++) {
        bases[i] = set.base[i];
    }
    return set.count;
}
