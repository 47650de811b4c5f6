/* SPDX-License-Identifier: MIT */
/*
 * A kernel may compute the indices of its neighbours first, into a private array, and then run through that
 * with a loop. LLVM keeps an array in registers only where each index into it is a constant, which it becomes
 * when all loops that it depends on are unrolled. So a loop is unrolled where that makes all indices into an
 * array constant and what is read from the array becomes an index into memory that work-items share. The same
 * goes for tables of constants in the program, such as those of directions. How often a loop runs is found by
 * counting: its counter begins with a constant, grows by one and is compared with one.
 */
#include "layer/analyser/unroll.h"
#include "layer/analyser/build.h"

#include <llvm-c/DebugInfo.h>

#include <stdlib.h>
#include <string.h>

#define MAX_TRIPS  64u
#define MAX_ADDED  6000u /* instructions, to one kernel */
#define MAX_VISITS 1000u /* values, of one question */
#define MAX_DEPTH  24u

struct unroll {
    struct cx_cfg cfg;
    uint32_t *trips; /* by loop, of its header; 0: not known, or too many */
    bool *marked;    /* by loop: to be unrolled */
    bool *needed;    /* the same for the array being looked at */
    unsigned visits;
};

static LLVMOpcode opcode_of(LLVMValueRef v)
{
    return LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet;
}

static bool is_small_integer(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);

    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64;
}

/* ---- how often a loop runs ---- */

/* Of which loop the block is the header; -1: none. */
static int32_t headed_by(const struct unroll *u, LLVMBasicBlockRef bb)
{
    const int32_t block = cx_cfg_index(&u->cfg, bb);

    for (uint32_t l = 0; l < u->cfg.nloop; l++) {
        if (u->cfg.loop[l].header == block) {
            return (int32_t)l;
        }
    }
    return -1;
}

/* What a header phi begins with, and what it becomes; false where it is not of that form. */
static bool parts_of(const struct unroll *u, LLVMValueRef phi, int32_t loop, LLVMValueRef *start,
                     LLVMValueRef *next)
{
    *start = *next = NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        const int32_t from = cx_cfg_index(&u->cfg, LLVMGetIncomingBlock(phi, i));
        LLVMValueRef *part = from >= 0 && u->cfg.loop[loop].inside[from] ? next : start;
        if (*part) {
            return false;
        }
        *part = LLVMGetIncomingValue(phi, i);
    }
    return *start && *next;
}

/* v = w + constant, or w itself; the constant is added to *plus. */
static LLVMValueRef without_constant(LLVMValueRef v, uint64_t *plus)
{
    for (unsigned i = 0; i < 4 && opcode_of(v) == LLVMAdd && LLVMIsAConstantInt(LLVMGetOperand(v, 1)); i++) {
        *plus += (uint64_t)LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1));
        v = LLVMGetOperand(v, 0);
    }
    return v;
}

bool cx_unroll_compare(LLVMIntPredicate pred, uint64_t a, uint64_t b, unsigned width)
{
    const int64_t sa = (int64_t)(a << (64 - width)) >> (64 - width),
                  sb = (int64_t)(b << (64 - width)) >> (64 - width);

    a = a << (64 - width) >> (64 - width);
    b = b << (64 - width) >> (64 - width);
    switch (pred) {
    case LLVMIntEQ:
        return a == b;
    case LLVMIntNE:
        return a != b;
    case LLVMIntULT:
        return a < b;
    case LLVMIntULE:
        return a <= b;
    case LLVMIntUGT:
        return a > b;
    case LLVMIntUGE:
        return a >= b;
    case LLVMIntSLT:
        return sa < sb;
    case LLVMIntSLE:
        return sa <= sb;
    case LLVMIntSGT:
        return sa > sb;
    default:
        return sa >= sb;
    }
}

/* How often the loop's header runs until the branch at the block's end, which each iteration passes, leaves
 * it. */
static uint32_t trips_by(const struct unroll *u, int32_t loop, int32_t block)
{
    const struct cx_cfg_block *at = &u->cfg.block[block];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(at->bb), condition, phi, start, next;
    uint64_t plus = 0, step = 0;
    bool stays;

    if (at->nsucc != 2 || opcode_of(end) != LLVMBr || u->cfg.loop[loop].latch < 0 ||
        !cx_cfg_dominates(&u->cfg, block, u->cfg.loop[loop].latch)) {
        return 0;
    }
    condition = LLVMGetCondition(end);
    stays = u->cfg.loop[loop].inside[at->succ[0]];
    if (stays == u->cfg.loop[loop].inside[at->succ[1]] || opcode_of(condition) != LLVMICmp ||
        !LLVMIsAConstantInt(LLVMGetOperand(condition, 1)) ||
        !is_small_integer(LLVMGetOperand(condition, 0))) {
        return 0;
    }
    phi = without_constant(LLVMGetOperand(condition, 0), &plus);
    if (opcode_of(phi) != LLVMPHI || headed_by(u, LLVMGetInstructionParent(phi)) != loop ||
        !parts_of(u, phi, loop, &start, &next) || !LLVMIsAConstantInt(start) ||
        without_constant(next, &step) != phi) {
        return 0;
    }
    for (uint32_t t = 0; t < MAX_TRIPS; t++) {
        const uint64_t x = (uint64_t)LLVMConstIntGetSExtValue(start) + step * t + plus;
        const uint64_t limit = (uint64_t)LLVMConstIntGetSExtValue(LLVMGetOperand(condition, 1));
        if (cx_unroll_compare(LLVMGetICmpPredicate(condition), x, limit,
                              LLVMGetIntTypeWidth(LLVMTypeOf(phi))) != stays) {
            return t + 1;
        }
    }
    return 0;
}

static void count_trips(struct unroll *u)
{
    for (uint32_t l = 0; l < u->cfg.nloop; l++) {
        for (uint32_t i = 0; i < u->cfg.nblock && !u->trips[l]; i++) {
            u->trips[l] = u->cfg.block[i].loop == (int32_t)l ? trips_by(u, (int32_t)l, (int32_t)i) : 0;
        }
    }
}

/* ---- which arrays ---- */

/* Whether the value becomes a constant when loops are unrolled, which are then needed. */
static bool is_counted(struct unroll *u, LLVMValueRef v, unsigned depth)
{
    LLVMValueRef start, next;
    int32_t loop;

    if (LLVMIsAConstant(v)) {
        return true;
    }
    if (depth > MAX_DEPTH || ++u->visits > MAX_VISITS || !LLVMIsAInstruction(v)) {
        return false;
    }
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPHI:
        loop = headed_by(u, LLVMGetInstructionParent(v));
        if (loop < 0 || !u->trips[loop] || !parts_of(u, v, loop, &start, &next)) {
            return false;
        }
        u->needed[loop] = true;
        next = without_constant(next, &(uint64_t){0});
        return is_counted(u, start, depth + 1) && (next == v || is_counted(u, next, depth + 1));
    case LLVMLoad:
    case LLVMCall:
    case LLVMAlloca:
        return false;
    default:
        for (int i = 0; i < LLVMGetNumOperands(v); i++) {
            if (LLVMIsABasicBlock(LLVMGetOperand(v, (unsigned)i)) ||
                !is_counted(u, LLVMGetOperand(v, (unsigned)i), depth + 1)) {
                return false;
            }
        }
        return LLVMGetNumOperands(v) > 0;
    }
}

static bool is_shared(LLVMValueRef pointer)
{
    unsigned space;

    if (LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind) {
        return false;
    }
    space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    return space == CX_SPACE_GLOBAL || space == CX_SPACE_GENERIC;
}

/* Whether what is computed from the value tells a place in memory that work-items share. */
static bool becomes_place(struct unroll *u, LLVMValueRef v, unsigned depth)
{
    if (depth > MAX_DEPTH) {
        return false;
    }
    for (LLVMUseRef use = LLVMGetFirstUse(v); use && ++u->visits < MAX_VISITS; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool shared = false;
        switch (opcode_of(user)) {
        case LLVMGetElementPtr:
            shared = is_shared(user);
            break;
        case LLVMCall: /* a built-in, whose pointer may be beside the index */
            for (int i = 0; i + 1 < LLVMGetNumOperands(user); i++) {
                shared |= is_shared(LLVMGetOperand(user, (unsigned)i));
            }
            break;
        case LLVMStore:
        case LLVMLoad:
        case LLVMBr:
        case LLVMRet: /* also what is no instruction */
            continue;
        default:
            shared = becomes_place(u, user, depth + 1);
        }
        if (shared) {
            return true;
        }
    }
    return false;
}

static bool is_harmless_call(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length = 0;
    const char *name = callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";

    return strncmp(name, "llvm.lifetime.", 14) == 0 || strncmp(name, "llvm.dbg.", 9) == 0 ||
           ((strncmp(name, "llvm.memset.", 12) == 0 || strncmp(name, "llvm.memcpy.", 12) == 0) &&
            LLVMIsAConstantInt(LLVMGetOperand(call, 2)));
}

/* Whether all uses of a pointer into the array allow for it to be kept in registers once the needed loops are
 * unrolled; *places: some value read there becomes a place. */
static bool can_be_kept(struct unroll *u, LLVMValueRef pointer, unsigned depth, bool *places)
{
    bool can = depth <= MAX_DEPTH;

    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use && can; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        unsigned visits = u->visits;
        switch (opcode_of(user)) {
        case LLVMLoad:
            u->visits = 0;
            *places = *places || (is_small_integer(user) && becomes_place(u, user, 0));
            can = !LLVMGetVolatile(user);
            u->visits = visits;
            break;
        case LLVMStore:
            can = LLVMGetOperand(user, 0) != pointer && !LLVMGetVolatile(user);
            break;
        case LLVMGetElementPtr:
            can = LLVMGetOperand(user, 0) == pointer;
            for (int i = 1; can && i < LLVMGetNumOperands(user); i++) {
                can = is_counted(u, LLVMGetOperand(user, (unsigned)i), 0);
            }
            can = can && can_be_kept(u, user, depth + 1, places);
            break;
        case LLVMBitCast:
            can = can_be_kept(u, user, depth + 1, places);
            break;
        case LLVMCall:
            can = is_harmless_call(user);
            break;
        default:
            can = false;
        }
    }
    return can;
}

static void look_at_array(struct unroll *u, LLVMValueRef array)
{
    bool places = false;

    memset(u->needed, 0, u->cfg.nloop * sizeof(*u->needed));
    u->visits = 0;
    if (!can_be_kept(u, array, 0, &places) || !places) {
        return;
    }
    for (uint32_t l = 0; l < u->cfg.nloop; l++) {
        u->marked[l] |= u->needed[l];
    }
}

static void look_at_arrays(struct unroll *u)
{
    for (LLVMValueRef v = LLVMGetFirstInstruction(u->cfg.block[0].bb); v; v = LLVMGetNextInstruction(v)) {
        if (LLVMIsAAllocaInst(v)) {
            look_at_array(u, v);
        }
    }
}

/* ---- which tables ---- */

/* Whether the instruction reads a table of constants, at an index that the needed loops decide. */
static bool reads_table(struct unroll *u, LLVMValueRef v)
{
    LLVMValueRef place, table;

    if (opcode_of(v) != LLVMLoad || !is_small_integer(v)) {
        return false;
    }
    place = LLVMGetOperand(v, 0);
    if (opcode_of(place) != LLVMGetElementPtr) {
        return false;
    }
    table = LLVMGetOperand(place, 0);
    if (!LLVMIsAGlobalVariable(table) || !LLVMIsGlobalConstant(table) || !LLVMGetInitializer(table)) {
        return false;
    }
    for (int i = 1; i < LLVMGetNumOperands(place); i++) {
        if (!is_counted(u, LLVMGetOperand(place, (unsigned)i), 0)) {
            return false;
        }
    }
    return true;
}

/* Loops in which what a table holds becomes a place. */
static void look_at_tables(struct unroll *u)
{
    for (uint32_t i = 0; i < u->cfg.nblock; i++) {
        LLVMValueRef v = u->cfg.block[i].loop >= 0 ? LLVMGetFirstInstruction(u->cfg.block[i].bb) : NULL;
        for (; v; v = LLVMGetNextInstruction(v)) {
            u->visits = 0;
            memset(u->needed, 0, u->cfg.nloop * sizeof(*u->needed));
            if (!reads_table(u, v) || !becomes_place(u, v, 0)) {
                continue;
            }
            for (uint32_t l = 0; l < u->cfg.nloop; l++) {
                u->marked[l] |= u->needed[l];
            }
        }
    }
}

/* ---- marks ---- */

/* How many instructions unrolling adds at most. */
static uint64_t count_added(const struct unroll *u)
{
    uint64_t added = 0;

    for (uint32_t i = 0; i < u->cfg.nblock; i++) {
        uint64_t size = 0, times = 1;
        for (LLVMValueRef v = LLVMGetFirstInstruction(u->cfg.block[i].bb); v; v = LLVMGetNextInstruction(v)) {
            size++;
        }
        for (int32_t l = u->cfg.block[i].loop; l >= 0; l = u->cfg.loop[l].parent) {
            times *= u->marked[l] && times <= MAX_ADDED ? u->trips[l] : 1;
        }
        added += (times - 1) * size;
    }
    return added;
}

/* !{itself, !{"name"}} */
static LLVMValueRef loop_metadata(LLVMContextRef context, const char *name)
{
    LLVMMetadataRef text = LLVMMDStringInContext2(context, name, strlen(name)), part[2], node;

    part[0] = LLVMTemporaryMDNode(context, NULL, 0);
    part[1] = LLVMMDNodeInContext2(context, &text, 1);
    node = LLVMMDNodeInContext2(context, part, 2);
    LLVMMetadataReplaceAllUsesWith(part[0], node);
    return LLVMMetadataAsValue(context, node);
}

static void mark_loops(const struct unroll *u, LLVMContextRef context)
{
    const unsigned kind = LLVMGetMDKindIDInContext(context, "llvm.loop", 9);

    for (uint32_t l = 0; l < u->cfg.nloop; l++) {
        const struct cx_cfg_loop *loop = &u->cfg.loop[l];
        LLVMValueRef mark = loop_metadata(context, u->marked && u->marked[l] ? "llvm.loop.unroll.full"
                                                                             : "llvm.loop.unroll.disable");
        for (uint32_t i = 0; i < u->cfg.nblock; i++) {
            for (uint32_t s = 0; loop->inside[i] && s < u->cfg.block[i].nsucc; s++) {
                if (u->cfg.block[i].succ[s] == loop->header) {
                    LLVMSetMetadata(LLVMGetBasicBlockTerminator(u->cfg.block[i].bb), kind, mark);
                }
            }
        }
    }
}

/* Whether a store, or a built-in that stores, has a number of its own (scan_store.c). */
static bool is_numbered(LLVMValueRef v)
{
    bool shared = false;

    if (opcode_of(v) != LLVMStore && opcode_of(v) != LLVMCall) {
        return false;
    }
    for (int i = 1; i < LLVMGetNumOperands(v); i++) {
        shared |= is_shared(LLVMGetOperand(v, (unsigned)i));
    }
    return shared && !LLVMIsAConstant(LLVMGetOperand(v, 0)) && !LLVMIsAArgument(LLVMGetOperand(v, 0));
}

/* Numbers stores that are about to be copied. */
static void mark_stores(const struct unroll *u, LLVMContextRef context)
{
    const unsigned kind = LLVMGetMDKindIDInContext(context, CX_METADATA_STORE, strlen(CX_METADATA_STORE));
    uint64_t n = 0;

    for (uint32_t i = 0; i < u->cfg.nblock; i++) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(u->cfg.block[i].bb); v; v = LLVMGetNextInstruction(v)) {
            if (is_numbered(v)) {
                LLVMMetadataRef number =
                    LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(context), ++n, false));
                LLVMSetMetadata(v, kind,
                                LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &number, 1)));
            }
        }
    }
}

static void finish(struct unroll *u)
{
    cx_cfg_finish(&u->cfg);
    free(u->trips);
    free(u->marked);
    free(u->needed);
}

/* Whether there are private arrays or loops through tables at all. */
static bool may_gain(LLVMValueRef function)
{
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    LLVMValueRef v = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));

    while (v && !LLVMIsAAllocaInst(v)) {
        v = LLVMGetNextInstruction(v);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g && !v; g = LLVMGetNextGlobal(g)) {
        v = LLVMIsGlobalConstant(g) ? g : NULL;
    }
    return v != NULL;
}

bool cx_unroll_mark(LLVMValueRef kernel, uint64_t *room)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(kernel));
    struct unroll u = {0};
    uint64_t added = 0;

    if (!may_gain(kernel)) {
        return false;
    }
    cx_cfg_init(&u.cfg, kernel);
    u.trips = cx_alloc(u.cfg.nloop + 1, sizeof(*u.trips));
    u.marked = cx_alloc(u.cfg.nloop + 1, sizeof(*u.marked));
    u.needed = cx_alloc(u.cfg.nloop + 1, sizeof(*u.needed));
    if (u.cfg.nloop > 0 && !u.cfg.irreducible) {
        count_trips(&u);
        look_at_arrays(&u);
        look_at_tables(&u);
        added = count_added(&u);
    }
    if (added == 0 || added > MAX_ADDED || added > *room) {
        finish(&u);
        return false;
    }
    *room -= added;
    mark_loops(&u, context);
    mark_stores(&u, context);
    finish(&u);
    return true;
}

void cx_unroll_forbid(LLVMValueRef function)
{
    struct unroll u = {0};

    cx_cfg_init(&u.cfg, function);
    mark_loops(&u, LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    finish(&u);
}
