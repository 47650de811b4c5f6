/* SPDX-License-Identifier: MIT */
#include "layer/analyser/scan.h"
#include "layer/analyser/ending.h"
#include "layer/analyser/place.h"
#include "layer/analyser/table.h"
#include "layer/analyser/thin.h"
#include "layer/analyser/wait.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ACCESSES 2048u
#define MAX_NOTES    64u
#define MAX_RANGES   3 /* of one offset that are followed as they narrow */

void cx_scan_note(struct cx_scan *scan, enum cx_summary_reason reason, uint32_t line, int arg)
{
    struct cx_summary_kernel *k = scan->kernel;

    for (uint32_t i = 0; i < k->nnote; i++) {
        if (k->note[i].reason == reason && k->note[i].arg == arg) {
            if (line && (k->note[i].line == 0 || line < k->note[i].line)) {
                k->note[i].line = line;
            }
            return;
        }
    }
    if (k->nnote == MAX_NOTES) {
        return;
    }
    k->note = cx_realloc(k->note, k->nnote + 1, sizeof(*k->note));
    k->note[k->nnote++] =
        (struct cx_summary_note){.reason = (uint8_t)reason, .arg = (int16_t)arg, .line = line};
}

static bool same_guards(const struct cx_scan *scan, const struct cx_access_record *a,
                        const struct cx_access_record *b)
{
    const struct cx_guard *x = scan->build->guard + a->guard, *y = scan->build->guard + b->guard;

    if (a->nguard != b->nguard) {
        return false;
    }
    for (uint32_t i = 0; x != y && i < a->nguard; i++) {
        if (x[i].pred != y[i].pred || x[i].hint != y[i].hint || x[i].l != y[i].l || x[i].r != y[i].r) {
            return false;
        }
    }
    return true;
}

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/*
 * Takes the access `more` into `into` where one record can say both: reads of the same place but for a
 * constant (stencil taps), and writes that touch or overlap.
 */
static bool merge(struct cx_scan *scan, struct cx_access_record *into, const struct cx_access_record *more)
{
    int64_t lo = min64(into->skew, more->skew);
    int64_t into_end = into->skew + (int64_t)into->size, more_end = more->skew + (int64_t)more->size;
    bool touching = into->skew <= more_end && more->skew <= into_end;

    if (into->arg != more->arg || into->mode != more->mode || into->atomic_op != more->atomic_op ||
        into->off != more->off || into->len != more->len || into->place != more->place ||
        ((into->flags ^ more->flags) & ~CX_ACCESS_SEVERAL) || !same_guards(scan, into, more)) {
        return false;
    }
    if (into->off < 0 || (into->skew == more->skew && into->size == more->size)) {
        cx_scan_join_stores(scan, into, more);
        into->width = into->width < more->width ? into->width : more->width;
        return true;
    }
    if (into->len >= 0 || (into->mode != CX_MODE_READ && !touching) || more_end - lo > 1 << 20 ||
        into_end - lo > 1 << 20) {
        return false;
    }
    cx_scan_join_stores(scan, into, more);
    into->size = (uint64_t)(max64(into_end, more_end) - lo);
    into->skew = lo;
    into->width = into->width < more->width ? into->width : more->width;
    return true;
}

/* Makes room by knowing less of one argument from now on. */
static bool make_room(struct cx_scan *scan)
{
    uint32_t arg = cx_thin_pick(scan->kernel);

    if (arg == scan->kernel->narg) {
        return false;
    }
    cx_thin_arg(scan->kernel, arg);
    scan->anywhere[arg] = true;
    return scan->kernel->naccess < MAX_ACCESSES;
}

static void add_record(struct cx_scan *scan, struct cx_access_record *record)
{
    struct cx_summary_kernel *k = scan->kernel;

    if (k->naccess == MAX_ACCESSES && !make_room(scan)) {
        scan->too_complex = true;
        return;
    }
    if (scan->anywhere[record->arg]) {
        cx_thin_record(record);
    }
    for (uint32_t i = 0; i < k->naccess; i++) {
        if (merge(scan, &k->access[i], record)) {
            return;
        }
    }
    if (k->naccess == scan->access_room) {
        scan->access_room = scan->access_room ? scan->access_room * 2 : 16;
        k->access = cx_realloc(k->access, scan->access_room, sizeof(*k->access));
    }
    k->access[k->naccess++] = *record;
}

static void describe_arg(struct cx_summary_arg *arg, const struct cx_touch *touch)
{
    static const uint8_t bits[CX_MODE_COUNT] = {CX_TOUCH_READ, CX_TOUCH_WRITE,
                                                CX_TOUCH_READ | CX_TOUCH_WRITE | CX_TOUCH_ATOMIC};

    arg->touch |= bits[touch->mode] | (touch->is_volatile ? CX_TOUCH_VOLATILE : 0);
    arg->elem_size = touch->width > arg->elem_size ? touch->width : arg->elem_size;
    if (touch->mode != CX_MODE_READ && (arg->store_width == 0 || touch->width < arg->store_width)) {
        arg->store_width = touch->width;
    }
}

/* What an offset is made of, besides what is the same in any kernel. */
struct parts {
    bool left_loop; /* the value of a loop's variable after the loop: one of those it had inside, not each of
                       them */
    int32_t range[MAX_RANGES]; /* values between two others that are not constants */
    unsigned nrange;
};

static void look_at_part(const struct cx_scan *scan, int32_t node, struct parts *parts)
{
    const struct cx_dag *dag = &scan->build->dag;
    const struct cx_expr *e = &dag->node[node];
    int64_t value;

    if (e->op == CX_EXPR_LOOP) {
        parts->left_loop |= !scan->build->cfg.loop[e->imm].inside[scan->block];
    } else if (e->op == CX_EXPR_RANGE && parts->nrange < MAX_RANGES &&
               !(cx_dag_is_const(dag, e->a, &value) && cx_dag_is_const(dag, e->b, &value))) {
        parts->range[parts->nrange++] = node;
    }
}

static struct parts parts_of(const struct cx_scan *scan, int32_t node)
{
    const struct cx_dag *dag = &scan->build->dag;
    unsigned char *mark = cx_alloc((size_t)node + 1, 1);
    struct parts parts = {0};

    mark[node] = 1;
    for (int32_t i = node; i >= 0; i--) {
        const struct cx_expr *e = &dag->node[i];
        unsigned n = mark[i] ? cx_expr_operands(e->op) : 0;
        if (mark[i]) {
            look_at_part(scan, i, &parts);
        }
        if (n >= 1) {
            mark[e->a] = 1;
        }
        if (n >= 2) {
            mark[e->b] = 1;
        }
    }
    free(mark);
    return parts;
}

/* Gives the record a list of guards of its own at the end of all, so that there can be more. */
static void copy_guards(struct cx_build *b, struct cx_access_record *r)
{
    uint32_t first = b->nguard;

    for (uint32_t i = 0; i < r->nguard; i++) {
        cx_build_add_guard(b, b->guard[r->guard + i]);
    }
    r->guard = first;
}

/* A value in a range stays in it as the range narrows: the record's guards with hints that say so. */
static void tie_ranges(struct cx_scan *scan, struct cx_access_record *r, const struct parts *parts)
{
    struct cx_build *b = scan->build;

    for (unsigned i = 0; i < parts->nrange; i++) {
        int32_t node = parts->range[i];
        const struct cx_expr *e = &b->dag.node[node];
        cx_build_add_guard(b, (struct cx_guard){CX_PRED_SGE, true, node, e->a});
        cx_build_add_guard(b, (struct cx_guard){CX_PRED_SLE, true, node, e->b});
    }
    r->nguard = b->nguard - r->guard;
}

static void touch_arg(struct cx_scan *scan, uint32_t line, const struct cx_base *base,
                      const struct cx_touch *touch, bool only)
{
    struct cx_access_record r = {.arg = (uint16_t)base->arg,
                                 .mode = (uint8_t)touch->mode,
                                 .atomic_op = (uint8_t)touch->atomic_op,
                                 .width = (uint8_t)(touch->width < 255 ? touch->width : 255),
                                 .off = base->off,
                                 .len = touch->len,
                                 .size = touch->size,
                                 .guard = scan->guards.first,
                                 .nguard = scan->guards.count,
                                 .line = line};

    if (r.off >= 0 && touch->extra >= 0) {
        r.off = cx_dag_binary(&scan->build->dag, CX_EXPR_ADD, r.off, touch->extra);
    }
    if (r.off >= 0) {
        int32_t rest = cx_dag_split(&scan->build->dag, r.off, &r.skew);
        r.off = rest >= 0 ? rest : cx_dag_const(&scan->build->dag, 64, 0);
    }
    if (llabs(r.skew) > INT64_MAX / 4) {
        r.off = -1;
        r.skew = 0;
    }
    if (r.off >= 0) {
        struct parts parts = parts_of(scan, r.off);
        only = only && !parts.left_loop;
        if (parts.nrange || touch->nguard) {
            copy_guards(scan->build, &r);
            for (unsigned i = 0; i < touch->nguard; i++) {
                cx_build_add_guard(scan->build, touch->guard[i]);
            }
            tie_ranges(scan, &r, &parts);
        }
    }
    r.flags = (uint8_t)((touch->is_volatile ? CX_ACCESS_VOLATILE : 0) |
                        (touch->result_used ? CX_ACCESS_RESULT_USED : 0) |
                        (touch->sparse ? CX_ACCESS_SPARSE : 0) | (touch->keeps ? CX_ACCESS_KEEPS : 0) |
                        (scan->must && only && !touch->may && r.off >= 0 ? CX_ACCESS_MUST : 0));
    if (r.mode == CX_MODE_WRITE) {
        r.store = scan->store;
        r.place = cx_scan_place(scan, r.off);
    }
    describe_arg(&scan->kernel->arg[base->arg], touch);
    add_record(scan, &r);
}

void cx_scan_touch_arg(struct cx_scan *scan, uint32_t line, uint32_t arg, const struct cx_touch *touch)
{
    const struct cx_base base = {.kind = CX_BASE_ARG, .arg = arg, .off = -1};

    touch_arg(scan, line, &base, touch, false);
}

void cx_scan_touch_from(struct cx_scan *scan, uint32_t line, uint32_t arg, const struct cx_touch *touch)
{
    const struct cx_base base = {
        .kind = CX_BASE_ARG, .arg = arg, .off = cx_dag_const(&scan->build->dag, 64, 0)};

    touch_arg(scan, line, &base, touch, true);
}

static void touch_variable(struct cx_scan *scan, uint32_t line, const struct cx_base *base,
                           const struct cx_touch *touch)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(base->value));

    if (touch->mode == CX_MODE_READ && (space == CX_SPACE_CONSTANT || LLVMIsGlobalConstant(base->value))) {
        return;
    }
    /* who writes it, this kernel or another one of the program, makes no difference: devices have copies of
     * their own */
    cx_scan_note(scan, CX_REASON_PROGRAM_VARIABLE, line, -1);
    scan->kernel->flags |= CX_SUMMARY_PINNED;
}

/* Whether this one orders anything is seen once all accesses are known. */
static bool remember_order(struct cx_scan *scan, uint32_t line, int arg)
{
    for (unsigned i = 0; i < scan->nordered; i++) {
        if (scan->ordered[i].arg == (uint32_t)arg) {
            return true;
        }
    }
    if (arg < 0 || scan->nordered == sizeof(scan->ordered) / sizeof(*scan->ordered)) {
        return false;
    }
    scan->ordered[scan->nordered].arg = (uint32_t)arg;
    scan->ordered[scan->nordered++].line = line;
    return true;
}

/*
 * Sequentially consistent updates can only be told from relaxed ones by atomic or volatile accesses to other
 * objects, or by fences.
 */
static void judge_order(struct cx_scan *scan)
{
    const struct cx_summary_kernel *k = scan->kernel;

    for (unsigned i = 0; i < scan->nordered; i++) {
        bool alone = true;
        for (uint32_t j = 0; j < k->narg; j++) {
            alone &= j == scan->ordered[i].arg || !(k->arg[j].touch & (CX_TOUCH_ATOMIC | CX_TOUCH_VOLATILE));
        }
        for (uint32_t j = 0; j < k->nnote; j++) {
            alone &= k->note[j].reason != CX_REASON_ATOMIC_FENCE && k->note[j].reason != CX_REASON_VOLATILE;
        }
        if (!alone) {
            cx_scan_note(scan, CX_REASON_ATOMIC_ORDER, scan->ordered[i].line, (int)scan->ordered[i].arg);
        }
    }
}

static void note_atomic(struct cx_scan *scan, uint32_t line, int arg, const struct cx_touch *touch)
{
    if (touch->mode != CX_MODE_ATOMIC) {
        return;
    }
    if (touch->atomic_op == CX_ATOMIC_OTHER || touch->orders ||
        (touch->may_order && !remember_order(scan, line, arg))) {
        cx_scan_note(scan, CX_REASON_ATOMIC_ORDER, line, arg);
    }
}

void cx_scan_touch(struct cx_scan *scan, LLVMValueRef instruction, LLVMValueRef pointer,
                   struct cx_touch touch)
{
    uint32_t line = cx_place_of(scan->kernel, instruction);
    struct cx_base base[CX_MAX_BASES];
    unsigned space, n;

    if (LLVMGetTypeKind(LLVMTypeOf(pointer)) == LLVMPointerTypeKind) {
        space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
        if (space == CX_SPACE_PRIVATE || space == CX_SPACE_LOCAL) {
            return;
        }
    }
    n = cx_build_pointer(scan->build, pointer, base);
    if (touch.mode == CX_MODE_WRITE) {
        scan->moving = cx_scan_moving(scan, pointer, &touch);
        scan->store = cx_scan_store(scan, instruction, touch.stored);
    }
    for (unsigned i = 0; i < n; i++) {
        enum cx_base_kind kind = base[i].kind;
        int arg = kind == CX_BASE_ARG ? (int)base[i].arg : -1;
        if (kind == CX_BASE_PRIVATE || kind == CX_BASE_NOTHING) {
            continue;
        }
        if (touch.is_volatile && touch.mode != CX_MODE_ATOMIC) {
            cx_scan_note(scan, CX_REASON_VOLATILE, line, arg);
        }
        note_atomic(scan, line, arg, &touch);
        if (kind == CX_BASE_GLOBAL) {
            touch_variable(scan, line, &base[i], &touch);
        } else if (arg >= 0 && (scan->kernel->arg[arg].kind == CX_ARG_GLOBAL ||
                                scan->kernel->arg[arg].kind == CX_ARG_CONSTANT)) {
            touch_arg(scan, line, &base[i], &touch, n == 1);
        } else {
            cx_scan_note(scan, CX_REASON_POINTER_UNRESOLVED, line, arg);
        }
    }
}

static uint32_t bytes_of(const struct cx_scan *scan, LLVMTypeRef type)
{
    return (uint32_t)LLVMStoreSizeOfType(scan->build->layout, type);
}

/*
 * What may be stored alone: of a vector each component, for clang stores one component as a vector of which
 * the others were loaded before, and vendors' compilers leave those out. A store that is less aligned than it
 * is wide (of a packed struct, or a small struct as one number) may share a unit of its width with another
 * one.
 */
static uint32_t stored_alone(const struct cx_scan *scan, LLVMValueRef store, LLVMTypeRef type)
{
    bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    uint32_t bytes = bytes_of(scan, vector ? LLVMGetElementType(type) : type);
    uint32_t alignment = LLVMGetAlignment(store);

    return alignment > 0 && alignment < bytes ? alignment : bytes;
}

/* True where the pointer may lead to memory that other work-items see. */
static bool is_shared_pointer(struct cx_scan *scan, LLVMValueRef v)
{
    struct cx_base base[CX_MAX_BASES];
    unsigned n, space;

    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind) {
        return false;
    }
    space = LLVMGetPointerAddressSpace(LLVMTypeOf(v));
    if (space == CX_SPACE_PRIVATE || space == CX_SPACE_LOCAL) {
        return false;
    }
    n = cx_build_pointer(scan->build, v, base);
    for (unsigned i = 0; i < n; i++) {
        if (base[i].kind != CX_BASE_PRIVATE && base[i].kind != CX_BASE_NOTHING) {
            return true;
        }
    }
    return false;
}

static void scan_load_store(struct cx_scan *scan, LLVMValueRef v, bool store)
{
    LLVMValueRef pointer = LLVMGetOperand(v, store ? 1 : 0);
    LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(v, 0) : v);
    struct cx_touch touch = {.mode = store ? CX_MODE_WRITE : CX_MODE_READ, .extra = -1, .len = -1};

    touch.size = bytes_of(scan, type);
    touch.width = store ? stored_alone(scan, v, type) : touch.size;
    touch.stored = store ? LLVMGetOperand(v, 0) : NULL;
    touch.is_volatile = LLVMGetVolatile(v);
    if (LLVMGetOrdering(v) != LLVMAtomicOrderingNotAtomic) {
        touch.mode = CX_MODE_ATOMIC;
        touch.atomic_op = CX_ATOMIC_OTHER;
        touch.result_used = touch.keeps = !store;
    }
    cx_scan_touch(scan, v, pointer, touch);
    if (store && is_shared_pointer(scan, LLVMGetOperand(v, 0)) && !cx_table_keeps(v)) {
        cx_scan_note(scan, CX_REASON_POINTER_STORED, cx_place_of(scan->kernel, v), -1);
    }
}

static enum cx_atomic_op rmw_op(LLVMValueRef v)
{
    switch (LLVMGetAtomicRMWBinOp(v)) {
    case LLVMAtomicRMWBinOpAdd:
        return CX_ATOMIC_ADD;
    case LLVMAtomicRMWBinOpSub:
        return CX_ATOMIC_SUB;
    case LLVMAtomicRMWBinOpAnd:
        return CX_ATOMIC_AND;
    case LLVMAtomicRMWBinOpOr:
        return CX_ATOMIC_OR;
    case LLVMAtomicRMWBinOpXor:
        return CX_ATOMIC_XOR;
    case LLVMAtomicRMWBinOpMax:
        return CX_ATOMIC_MAX;
    case LLVMAtomicRMWBinOpMin:
        return CX_ATOMIC_MIN;
    case LLVMAtomicRMWBinOpUMax:
        return CX_ATOMIC_UMAX;
    case LLVMAtomicRMWBinOpUMin:
        return CX_ATOMIC_UMIN;
    case LLVMAtomicRMWBinOpFAdd:
        return CX_ATOMIC_FADD;
    default:
        return CX_ATOMIC_OTHER;
    }
}

static void scan_atomic(struct cx_scan *scan, LLVMValueRef v, enum cx_atomic_op op)
{
    uint32_t bytes = bytes_of(scan, LLVMTypeOf(LLVMGetOperand(v, 1)));
    bool relaxed = LLVMIsAAtomicRMWInst(v) && LLVMGetOrdering(v) == LLVMAtomicOrderingMonotonic;

    cx_scan_touch(scan, v, LLVMGetOperand(v, 0),
                  (struct cx_touch){.mode = CX_MODE_ATOMIC,
                                    .atomic_op = op,
                                    .result_used = LLVMGetFirstUse(v) != NULL,
                                    .orders = !relaxed,
                                    .size = bytes,
                                    .width = bytes,
                                    .extra = -1,
                                    .len = -1});
}

/* The difference of two pointers into one buffer says nothing of where the buffer lies. */
static bool is_difference(struct cx_scan *scan, LLVMValueRef user)
{
    struct cx_base base[2][CX_MAX_BASES];

    if (LLVMGetInstructionOpcode(user) != LLVMSub) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef v = LLVMGetOperand(user, i);
        if (!LLVMIsAPtrToIntInst(v) || cx_build_pointer(scan->build, LLVMGetOperand(v, 0), base[i]) != 1) {
            return false;
        }
    }
    return base[0][0].kind == CX_BASE_ARG && base[1][0].kind == CX_BASE_ARG &&
           base[0][0].arg == base[1][0].arg;
}

static void scan_pointer_to_int(struct cx_scan *scan, LLVMValueRef v)
{
    if (!is_shared_pointer(scan, LLVMGetOperand(v, 0))) {
        return;
    }
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAInstruction(user) || (!LLVMIsAICmpInst(user) && !is_difference(scan, user))) {
            cx_scan_note(scan, CX_REASON_POINTER_INTEGER, cx_place_of(scan->kernel, v), -1);
        }
    }
}

static void note_local_memory(struct cx_scan *scan, LLVMValueRef v)
{
    int n = LLVMGetNumOperands(v);

    for (int i = 0; i < n; i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(v, (unsigned)i));
        if (LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
            LLVMGetPointerAddressSpace(type) == CX_SPACE_LOCAL) {
            scan->kernel->flags |= CX_SUMMARY_LOCAL_MEM;
        }
    }
}

/* A loop that is an atomic update: one access in place of those it is made of. */
static bool scan_update(struct cx_scan *scan, LLVMValueRef v)
{
    int32_t op;
    uint32_t bytes;

    if (!cx_map_get(&scan->updates, (uintptr_t)v, 0, &op)) {
        return false;
    }
    if (op != CX_UPDATE_PART) {
        bytes = bytes_of(scan, LLVMTypeOf(v));
        cx_scan_touch(scan, v, LLVMGetOperand(v, 0),
                      (struct cx_touch){.mode = CX_MODE_ATOMIC,
                                        .atomic_op = (enum cx_atomic_op)op,
                                        .size = bytes,
                                        .width = bytes,
                                        .extra = -1,
                                        .len = -1});
    }
    return true;
}

static void scan_instruction(struct cx_scan *scan, LLVMValueRef v)
{
    note_local_memory(scan, v);
    if (scan_update(scan, v)) {
        return;
    }
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad:
    case LLVMStore:
        scan_load_store(scan, v, LLVMGetInstructionOpcode(v) == LLVMStore);
        break;
    case LLVMAtomicRMW:
        scan_atomic(scan, v, rmw_op(v));
        break;
    case LLVMAtomicCmpXchg:
        scan_atomic(scan, v, CX_ATOMIC_OTHER);
        break;
    case LLVMFence:
        cx_scan_note(scan, CX_REASON_ATOMIC_FENCE, cx_place_of(scan->kernel, v), -1);
        break;
    case LLVMCall:
        cx_scan_call(scan, v);
        break;
    case LLVMInvoke:
    case LLVMCallBr:
    case LLVMVAArg:
        cx_scan_note(scan, CX_REASON_OPAQUE_CALL, cx_place_of(scan->kernel, v), -1);
        break;
    case LLVMPtrToInt:
        scan_pointer_to_int(scan, v);
        break;
    default:
        break;
    }
}

/* True where each iteration of the loops around the block runs unless one of the loops' own guards fails. */
static bool loops_run_through(const struct cx_scan *scan, int32_t block)
{
    const struct cx_cfg *cfg = &scan->build->cfg;

    for (int32_t l = cfg->block[block].loop; l >= 0; l = cfg->loop[l].parent) {
        if (!scan->loops[l].single_exit) {
            return false;
        }
    }
    return true;
}

/* Uses of a by-value struct that leave it as it was passed: loads, also of parts, and copies from it. */
static bool only_read(LLVMValueRef pointer, unsigned depth)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use), callee;
        if (!LLVMIsAInstruction(user) || depth > 16) {
            return false;
        }
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMLoad:
            break;
        case LLVMGetElementPtr:
        case LLVMBitCast:
        case LLVMAddrSpaceCast:
            if (!only_read(user, depth + 1)) {
                return false;
            }
            break;
        case LLVMCall:
            callee = LLVMGetCalledValue(user);
            if (!callee || !LLVMIsAFunction(callee) ||
                cx_builtin_classify(callee).kind != CX_BUILTIN_MEMCPY || LLVMGetOperand(user, 0) == pointer) {
                return false;
            }
            break;
        default:
            return false;
        }
    }
    return true;
}

static int by_arg(const void *a, const void *b)
{
    const struct cx_access_record *x = a, *y = b;

    if (x->arg != y->arg) {
        return x->arg < y->arg ? -1 : 1;
    }
    return x->line < y->line ? -1 : x->line > y->line;
}

void cx_scan_run(struct cx_scan *scan)
{
    struct cx_build *b = scan->build;
    struct cx_summary_kernel *k = scan->kernel;

    for (uint32_t i = 0; i < k->narg; i++) {
        LLVMValueRef param = LLVMGetParam(b->function, i);
        b->arg_changed[i] = LLVMGetTypeKind(LLVMTypeOf(param)) == LLVMPointerTypeKind && !only_read(param, 0);
    }
    if (b->cfg.irreducible) {
        scan->too_complex = true;
        return;
    }
    scan->loops = cx_build_loops(b, scan->kernel);
    scan->anywhere = cx_alloc(k->narg + 1, sizeof(*scan->anywhere));
    cx_update_find(b, &scan->updates);
    for (uint32_t i = 0; i < b->cfg.nblock; i++) {
        if (!cx_cfg_reachable(&b->cfg, (int32_t)i)) {
            continue;
        }
        scan->block = i;
        scan->guards = cx_build_block_guards(b, (int32_t)i);
        scan->must = scan->guards.must && loops_run_through(scan, (int32_t)i);
        for (LLVMValueRef v = LLVMGetFirstInstruction(b->cfg.block[i].bb); v; v = LLVMGetNextInstruction(v)) {
            scan_instruction(scan, v);
        }
    }
    judge_order(scan);
    cx_wait_find(scan);
    cx_ending_find(scan);
    cx_map_finish(&scan->updates);
    cx_map_finish(&scan->stores);
    cx_map_finish(&scan->places);
    cx_map_finish(&scan->numbers);
    free(scan->anywhere);
    if (k->naccess > 1) {
        qsort(k->access, k->naccess, sizeof(*k->access), by_arg);
    }
    scan->too_complex |= b->dag.full;
}
