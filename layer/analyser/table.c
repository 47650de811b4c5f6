/* SPDX-License-Identifier: MIT */
/* What may be read from a program's own constant tables and from a work-item's private arrays. */
#include "layer/analyser/table.h"

#include <stdlib.h>

#define MAX_LEAVES 16384u /* of one table */
#define MAX_STORES 64u    /* into one array */

/* ---- constant tables ---- */

/* One question: the numbers of `width` bits that begin at `first`, first + pitch, first + 2 pitch, ... */
struct hunt {
    LLVMTargetDataRef layout;
    unsigned width;
    uint64_t first, pitch;
    int64_t lo, hi;
    uint64_t found;
    unsigned leaves;
    bool failed;
};

static void hunt_leaf(struct hunt *h, LLVMValueRef value, uint64_t at)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    int64_t number;

    if (++h->leaves > MAX_LEAVES) {
        h->failed = true;
    }
    if (at % h->pitch != h->first || LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(type) != h->width || !LLVMIsAConstantInt(value)) {
        return; /* missed, if it should have been one */
    }
    number = LLVMConstIntGetSExtValue(value);
    h->lo = number < h->lo ? number : h->lo;
    h->hi = number > h->hi ? number : h->hi;
    h->found++;
}

static void hunt_in(struct hunt *h, LLVMValueRef value, uint64_t at)
{
    LLVMTypeRef type = LLVMTypeOf(value), elem = NULL;
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    uint64_t size = 0;
    unsigned n;

    if (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind) {
        elem = LLVMGetElementType(type);
        n = kind == LLVMArrayTypeKind ? LLVMGetArrayLength(type) : LLVMGetVectorSize(type);
        size = kind == LLVMArrayTypeKind ? LLVMABISizeOfType(h->layout, elem)
                                         : LLVMSizeOfTypeInBits(h->layout, elem) / 8;
    } else if (kind == LLVMStructTypeKind) {
        n = LLVMCountStructElementTypes(type);
    } else {
        hunt_leaf(h, value, at);
        return;
    }
    for (unsigned i = 0; i < n && !h->failed; i++) {
        LLVMValueRef part = LLVMGetAggregateElement(value, i);
        if (!part) {
            h->failed = true;
            return;
        }
        hunt_in(h, part, at + (elem ? i * size : LLVMOffsetOfElement(h->layout, type, i)));
    }
}

/* Numbers that stay far below 2^64 when they are multiplied by a small size. */
static bool is_small(const struct cx_dag *dag, const struct cx_expr *e)
{
    return ((e->op == CX_EXPR_SEXT || e->op == CX_EXPR_ZEXT) && dag->node[e->a].width <= 32) ||
           (e->op >= CX_EXPR_GLOBAL_ID && e->op <= CX_EXPR_GLOBAL_OFFSET);
}

/* A number that the 64-bit node surely is a multiple of; 0 where it is 0. */
static uint64_t multiple_of(const struct cx_dag *dag, int32_t node, unsigned depth)
{
    const struct cx_expr *e = &dag->node[node];
    uint64_t a, b;

    if (e->op == CX_EXPR_CONST) {
        return e->imm < 0 ? 0 - (uint64_t)e->imm : (uint64_t)e->imm;
    }
    if (depth > 16 || cx_expr_operands(e->op) != 2) {
        return 1;
    }
    a = multiple_of(dag, e->a, depth + 1);
    b = multiple_of(dag, e->b, depth + 1);
    if (e->op == CX_EXPR_MUL && dag->node[e->b].op == CX_EXPR_CONST && b && b < 1u << 20) {
        return is_small(dag, &dag->node[e->a]) ? b : b & -b; /* a power of two outlives wrapping around */
    }
    if (e->op != CX_EXPR_ADD && e->op != CX_EXPR_SUB) {
        return 1;
    }
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int32_t cx_table_value(struct cx_build *b, LLVMValueRef table, int32_t off, unsigned width, unsigned lane)
{
    LLVMValueRef init = LLVMGetInitializer(table);
    struct hunt h = {.layout = b->layout, .width = width, .lo = INT64_MAX, .hi = INT64_MIN};
    uint64_t size = init ? LLVMABISizeOfType(b->layout, LLVMTypeOf(init)) : 0;
    int64_t constant = 0;
    int32_t rest;

    if (!init || off < 0 || width % 8 != 0 || size == 0) {
        return -1;
    }
    rest = cx_dag_split(&b->dag, off, &constant);
    h.pitch = rest < 0 ? size : multiple_of(&b->dag, rest, 0);
    constant += (int64_t)lane * (width / 8);
    if (constant < 0 || h.pitch == 0 || (uint64_t)constant >= size) {
        return -1;
    }
    h.first = (uint64_t)constant % h.pitch;
    hunt_in(&h, init, 0);
    /* each place the load may look at must hold such a number */
    if (h.failed || h.found == 0 || h.found != (size - h.first + h.pitch - 1) / h.pitch) {
        return -1;
    }
    return h.lo == h.hi ? cx_dag_const(&b->dag, width, h.lo) : cx_dag_range(&b->dag, width, h.lo, h.hi);
}

/* ---- private arrays ---- */

struct contents {
    LLVMValueRef stored[MAX_STORES], table[MAX_STORES];
    unsigned nstored, ntable;
    bool zeroed;
    uint64_t grain; /* its lowest bit: places where blocks copied or zeroed begin and end are multiples of it;
                       0: there are none */
};

static LLVMOpcode opcode_of(LLVMValueRef v)
{
    return LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet;
}

/* The variable that a pointer leads into, whatever the index; NULL where it is none of one function's own. */
static LLVMValueRef variable_of(LLVMValueRef pointer)
{
    while (opcode_of(pointer) == LLVMGetElementPtr || opcode_of(pointer) == LLVMBitCast ||
           opcode_of(pointer) == LLVMAddrSpaceCast) {
        pointer = LLVMGetOperand(pointer, 0);
    }
    return LLVMIsAAllocaInst(pointer) ? pointer : NULL;
}

/* Of a call that writes a block: where that begins, as far as it is told, and how long it is. */
static uint64_t block_grain(LLVMValueRef call)
{
    LLVMAttributeRef align =
        LLVMGetCallSiteEnumAttribute(call, 1, LLVMGetEnumAttributeKindForName("align", 5));
    LLVMValueRef length = LLVMGetOperand(call, 2);

    return (align ? LLVMGetEnumAttributeValue(align) : 1) |
           (LLVMIsAConstantInt(length) ? LLVMConstIntGetZExtValue(length) : 1);
}

/* Whether numbers of so many bytes, each in a place of its own, lie within blocks entirely or not at all. */
static bool fits_blocks(const struct contents *c, unsigned bytes)
{
    return !c->grain || (bytes && (c->grain & -c->grain) % bytes == 0);
}

static bool look_at_call(LLVMValueRef call, LLVMValueRef pointer, struct contents *c)
{
    LLVMValueRef callee = LLVMGetCalledValue(call), source, fill;

    if (!callee || !LLVMIsAFunction(callee) || LLVMCountBasicBlocks(callee) > 0) {
        return false;
    }
    switch (cx_builtin_classify(callee).kind) {
    case CX_BUILTIN_IGNORE:
    case CX_BUILTIN_VLOAD:
        return true;
    case CX_BUILTIN_MEMCPY:
        source = LLVMGetOperand(call, 1);
        if (LLVMGetOperand(call, 0) != pointer) { /* copied from, to a place of the same work-item's */
            return LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(call, 0))) == CX_SPACE_PRIVATE;
        }
        if (!LLVMIsAGlobalVariable(source) || !LLVMIsGlobalConstant(source) || c->ntable == MAX_STORES) {
            return false;
        }
        c->table[c->ntable++] = source;
        c->grain |= block_grain(call);
        return true;
    case CX_BUILTIN_MEMSET:
        fill = LLVMGetOperand(call, 1);
        c->zeroed = true;
        c->grain |= block_grain(call);
        return LLVMIsAConstantInt(fill) && LLVMConstIntGetZExtValue(fill) == 0;
    default:
        return false;
    }
}

/* A number in a place of its own: it overlaps another one of its type entirely or not at all. */
static bool is_aligned(LLVMValueRef access, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned bytes = kind == LLVMIntegerTypeKind   ? LLVMGetIntTypeWidth(type) / 8
                     : kind == LLVMPointerTypeKind ? 8
                                                   : 0;

    return LLVMGetAlignment(access) >= bytes;
}

/* Collects all that is stored behind the pointer; false where something else may be. */
static bool collect(LLVMValueRef pointer, struct contents *c, unsigned depth)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        switch (opcode_of(user)) {
        case LLVMLoad:
            if (!is_aligned(user, LLVMTypeOf(user))) {
                return false;
            }
            break;
        case LLVMStore:
            if (LLVMGetOperand(user, 1) != pointer || LLVMGetOperand(user, 0) == pointer ||
                c->nstored == MAX_STORES || !is_aligned(user, LLVMTypeOf(LLVMGetOperand(user, 0)))) {
                return false;
            }
            c->stored[c->nstored++] = LLVMGetOperand(user, 0);
            break;
        case LLVMGetElementPtr:
        case LLVMBitCast:
        case LLVMAddrSpaceCast:
            if (depth > 8 || !collect(user, c, depth + 1)) {
                return false;
            }
            break;
        case LLVMCall:
            if (!look_at_call(user, pointer, c)) {
                return false;
            }
            break;
        default:
            return false;
        }
    }
    return true;
}

/* What may be another value each time it is stored: two loads of an array would look like one value. */
static bool may_change(const struct cx_expr *e)
{
    return e->op == CX_EXPR_OPAQUE || e->op == CX_EXPR_RANGE || e->op == CX_EXPR_UNION ||
           e->op == CX_EXPR_LOOP || e->op == CX_EXPR_DECAY;
}

bool cx_table_is_stable(const struct cx_dag *dag, int32_t node)
{
    unsigned char *mark = cx_alloc((size_t)node + 1, 1);
    bool stable = true;

    mark[node] = 1;
    for (int32_t i = node; i >= 0 && stable; i--) {
        const struct cx_expr *e = &dag->node[i];
        unsigned n = mark[i] ? cx_expr_operands(e->op) : 0;
        stable = !mark[i] || !may_change(e);
        if (n >= 1) {
            mark[e->a] = 1;
        }
        if (n >= 2) {
            mark[e->b] = 1;
        }
    }
    free(mark);
    return stable;
}

static int32_t unite(struct cx_build *b, int32_t node, int32_t more)
{
    return node < 0 ? more : cx_dag_binary(&b->dag, CX_EXPR_UNION, node, more);
}

int32_t cx_table_private(struct cx_build *b, LLVMValueRef load)
{
    LLVMTypeRef type = LLVMTypeOf(load);
    LLVMValueRef variable = variable_of(LLVMGetOperand(load, 0));
    struct contents c = {.nstored = 0};
    int32_t node = -1;
    unsigned width;

    if (!variable || LLVMGetTypeKind(type) != LLVMIntegerTypeKind || !collect(variable, &c, 0)) {
        return -1;
    }
    width = LLVMGetIntTypeWidth(type);
    if (!fits_blocks(&c, width / 8)) {
        return -1;
    }
    for (unsigned i = 0; i < c.nstored; i++) {
        int32_t one = LLVMTypeOf(c.stored[i]) == type ? cx_build_value(b, c.stored[i], 0) : -1;
        if (one < 0 || !cx_table_is_stable(&b->dag, one)) {
            return -1;
        }
        node = unite(b, node, one);
    }
    for (unsigned i = 0; i < c.ntable; i++) {
        int32_t any = cx_dag_binary(&b->dag, CX_EXPR_MUL, cx_dag_opaque(&b->dag, 64, CX_OPAQUE_OTHER),
                                    cx_dag_const(&b->dag, 64, width / 8));
        int32_t one = cx_table_value(b, c.table[i], any, width, 0);
        if (one < 0) {
            return -1;
        }
        node = unite(b, node, one);
    }
    return c.zeroed ? unite(b, node, cx_dag_const(&b->dag, width, 0)) : node;
}

unsigned cx_table_pointers(LLVMValueRef load, LLVMValueRef *pointers, unsigned room)
{
    LLVMValueRef variable = variable_of(LLVMGetOperand(load, 0));
    struct contents c = {.nstored = 0};

    if (!variable || !collect(variable, &c, 0) || c.ntable || c.nstored > room || !fits_blocks(&c, 8)) {
        return 0;
    }
    for (unsigned i = 0; i < c.nstored; i++) {
        if (LLVMTypeOf(c.stored[i]) != LLVMTypeOf(load)) {
            return 0;
        }
        pointers[i] = c.stored[i];
    }
    return c.nstored;
}

bool cx_table_keeps(LLVMValueRef store)
{
    LLVMValueRef variable = variable_of(LLVMGetOperand(store, 1));
    struct contents c = {.nstored = 0};

    return variable && collect(variable, &c, 0);
}
