/* SPDX-License-Identifier: MIT */
/* Calls that are left after inlining: built-ins and what clang makes of language features. */
#include "layer/analyser/scan.h"
#include "layer/analyser/pipeline.h"
#include "layer/analyser/place.h"

#include <stdlib.h>
#include <string.h>

static LLVMValueRef argument(LLVMValueRef call, unsigned i)
{
    return LLVMGetOperand(call, i);
}

static int32_t scaled(struct cx_scan *scan, LLVMValueRef value, int64_t scale)
{
    struct cx_dag *dag = &scan->build->dag;

    return cx_dag_binary(dag, CX_EXPR_MUL, cx_build_index(scan->build, value, false),
                         cx_dag_const(dag, 64, scale));
}

static void scan_vector(struct cx_scan *scan, LLVMValueRef call, const struct cx_builtin *b)
{
    bool store = b->kind == CX_BUILTIN_VSTORE;
    LLVMValueRef index = argument(call, store ? 1 : 0), pointer = argument(call, store ? 2 : 1);

    cx_scan_touch(scan, call, pointer,
                  (struct cx_touch){.mode = store ? CX_MODE_WRITE : CX_MODE_READ,
                                    .size = (uint64_t)b->lanes * b->elem,
                                    .width = b->elem,
                                    .extra = scaled(scan, index, (int64_t)b->pitch * b->elem),
                                    .len = -1,
                                    .stored = store ? argument(call, 0) : NULL});
}

static bool is_global_pointer(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind &&
           LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == CX_SPACE_GLOBAL;
}

/* destination, source, elements[, stride], event: one of the two is local memory; the stride counts in the
 * other */
static void scan_async(struct cx_scan *scan, LLVMValueRef call, const struct cx_builtin *b)
{
    struct cx_dag *dag = &scan->build->dag;
    bool strided = b->kind == CX_BUILTIN_ASYNC_STRIDED;
    int32_t len = scaled(scan, argument(call, 2), b->elem);

    if (strided) {
        int32_t stride = cx_build_index(scan->build, argument(call, 3), false);
        int32_t elem = cx_dag_const(dag, 64, b->elem);
        /* without the gap after the last element where that is sure to exist */
        if (LLVMIsAConstantInt(argument(call, 2)) && LLVMConstIntGetZExtValue(argument(call, 2)) > 0) {
            len = cx_dag_binary(dag, CX_EXPR_SUB, len, elem);
        }
        len = cx_dag_binary(dag, CX_EXPR_MUL, len, stride);
        len = cx_dag_binary(dag, CX_EXPR_ADD, len, elem);
    }
    for (unsigned i = 0; i < 2; i++) {
        cx_scan_touch(scan, call, argument(call, i),
                      (struct cx_touch){.mode = i == 0 ? CX_MODE_WRITE : CX_MODE_READ,
                                        .width = b->elem,
                                        .may = strided,
                                        .sparse = strided,
                                        .extra = -1,
                                        .len = len});
    }
}

/* A length in bytes: a constant goes into the record's size. */
static void scan_memory(struct cx_scan *scan, LLVMValueRef call, unsigned which, enum cx_access_mode mode)
{
    struct cx_touch touch = {.mode = mode, .width = 1, .extra = -1, .len = -1};
    LLVMValueRef length = argument(call, 2), is_volatile = argument(call, 3);

    if (LLVMIsAConstantInt(length)) {
        touch.size = LLVMConstIntGetZExtValue(length);
    } else {
        touch.len = cx_build_index(scan->build, length, false);
    }
    touch.is_volatile = !LLVMIsAConstantInt(is_volatile) || LLVMConstIntGetZExtValue(is_volatile) != 0;
    cx_scan_touch(scan, call, argument(call, which), touch);
}

static void scan_out_pointer(struct cx_scan *scan, LLVMValueRef call)
{
    uint32_t bytes = (uint32_t)LLVMABISizeOfType(scan->build->layout, LLVMTypeOf(call));
    LLVMTypeRef type = LLVMTypeOf(call);
    unsigned lanes = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
    unsigned n = LLVMGetNumArgOperands(call);

    cx_scan_touch(scan, call, argument(call, n - 1),
                  (struct cx_touch){.mode = CX_MODE_WRITE,
                                    .size = bytes,
                                    .width = bytes / lanes < 4 ? bytes / lanes : 4,
                                    .may = true,
                                    .sparse = true,
                                    .extra = -1,
                                    .len = -1});
}

/* atomic_OP_explicit(pointer, operand, order[, scope]): relaxed, or of no concern to other work-groups. */
static bool is_relaxed(LLVMValueRef call)
{
    unsigned n = LLVMGetNumArgOperands(call);
    LLVMValueRef order = n > 2 ? argument(call, 2) : NULL, scope = n > 3 ? argument(call, 3) : NULL;

    return (order && LLVMIsAConstantInt(order) && LLVMConstIntGetZExtValue(order) == 0) ||
           (scope && LLVMIsAConstantInt(scope) && LLVMConstIntGetZExtValue(scope) <= 1);
}

/* Whether the atomic leaves what it finds: a load, or one that adds nothing. */
static bool keeps(LLVMValueRef call, const struct cx_builtin *b)
{
    LLVMValueRef operand = LLVMGetNumArgOperands(call) > 1 ? argument(call, 1) : NULL;
    bool neutral = b->atomic_op == CX_ATOMIC_ADD || b->atomic_op == CX_ATOMIC_SUB ||
                   b->atomic_op == CX_ATOMIC_OR || b->atomic_op == CX_ATOMIC_XOR;

    return b->loads || (neutral && operand && LLVMIsAConstant(operand) && LLVMIsNull(operand));
}

static void scan_atomic_call(struct cx_scan *scan, LLVMValueRef call, const struct cx_builtin *b)
{
    uint32_t bytes = b->elem ? b->elem : 8;

    cx_scan_touch(scan, call, argument(call, 0),
                  (struct cx_touch){.mode = CX_MODE_ATOMIC,
                                    .atomic_op = b->atomic_op,
                                    .result_used = LLVMGetFirstUse(call) != NULL,
                                    .keeps = keeps(call, b),
                                    .orders = b->order == CX_ORDER_EXPLICIT && !is_relaxed(call),
                                    .may_order = b->order == CX_ORDER_IMPLIED,
                                    .size = bytes,
                                    .width = bytes,
                                    .extra = -1,
                                    .len = -1});
}

/* atomic_work_item_fence(flags, order, scope): scopes up to the work-group order nothing between work-groups.
 */
static void scan_fence(struct cx_scan *scan, LLVMValueRef call)
{
    LLVMValueRef scope = LLVMGetNumArgOperands(call) == 3 ? argument(call, 2) : NULL;
    uint64_t value = scope && LLVMIsAConstantInt(scope) ? LLVMConstIntGetZExtValue(scope) : 3;

    if (value == 2 || value == 3 || value > 4) {
        cx_scan_note(scan, CX_REASON_ATOMIC_FENCE, cx_place_of(scan->kernel, call), -1);
    }
}

static void scan_work_item(struct cx_scan *scan, LLVMValueRef call, const struct cx_builtin *b)
{
    struct cx_summary_kernel *k = scan->kernel;

    k->uses |= b->use;
    if (b->kind == CX_BUILTIN_LINEAR_ID) {
        k->max_dim = 3;
    } else if (LLVMGetNumArgOperands(call) > 0) {
        LLVMValueRef dim = argument(call, 0);
        if (!LLVMIsAConstantInt(dim)) {
            k->flags |= CX_SUMMARY_DYNAMIC_DIM;
        } else if (LLVMConstIntGetZExtValue(dim) < 3 && LLVMConstIntGetZExtValue(dim) >= k->max_dim) {
            k->max_dim = (uint8_t)(LLVMConstIntGetZExtValue(dim) + 1);
        }
    }
}

static bool has_attribute(LLVMValueRef function, const char *name)
{
    return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name,
                                         (unsigned)strlen(name)) != NULL;
}

static bool makes_address(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind || cx_pipeline_makes_address(value);
}

/* Whether the number may be an address, or computed from one. scan->numbers keeps those that are not: what
 * programs compute is long, and each of its assembly takes more of it. */
static bool is_address(struct cx_scan *scan, LLVMValueRef value)
{
    LLVMValueRef *todo = cx_alloc(64, sizeof(*todo));
    size_t count = 1, room = 64;
    bool found = false;
    int32_t known;

    for (todo[0] = value; count > 0 && !found;) {
        LLVMValueRef now = todo[--count];
        found = makes_address(now);
        if (found || !LLVMIsAInstruction(now) || LLVMIsALoadInst(now) || LLVMIsACallInst(now) ||
            cx_map_get(&scan->numbers, (uintptr_t)now, 0, &known)) {
            continue;
        }
        cx_map_put(&scan->numbers, (uintptr_t)now, 0, 1);
        for (int i = 0; i < LLVMGetNumOperands(now); i++) {
            if (count == room) {
                todo = cx_realloc(todo, room *= 2, sizeof(*todo));
            }
            todo[count++] = LLVMGetOperand(now, (unsigned)i);
        }
    }
    if (found) { /* those on the way to it are not known to be none */
        cx_map_finish(&scan->numbers);
        scan->numbers = (struct cx_map){0};
    }
    free(todo);
    return found;
}

/* Whether a function that has inline assembly gets an address as a number. One that makes such numbers itself
 * is inlined (pipeline.c). */
static bool gets_address(struct cx_scan *scan, LLVMValueRef call)
{
    bool gets = false;

    for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && !gets; i++) {
        gets = LLVMGetTypeKind(LLVMTypeOf(argument(call, i))) != LLVMPointerTypeKind &&
               is_address(scan, argument(call, i));
    }
    return gets;
}

/* A function with a body that was not inlined. */
static void scan_defined(struct cx_scan *scan, LLVMValueRef call, LLVMValueRef callee)
{
    if (has_attribute(callee, CX_ATTRIBUTE_ASSEMBLES)) {
        scan->kernel->flags |= CX_SUMMARY_ONE_MODEL;
        if (gets_address(scan, call)) {
            cx_scan_note(scan, CX_REASON_INLINE_ASM, cx_place_of(scan->kernel, call), -1);
        }
    }
    if (has_attribute(callee, CX_ATTRIBUTE_RECURSIVE)) {
        cx_scan_note(scan, CX_REASON_RECURSION, cx_place_of(scan->kernel, call), -1);
    } else if (!has_attribute(callee, CX_ATTRIBUTE_HARMLESS)) {
        cx_scan_note(scan, CX_REASON_OPAQUE_CALL, cx_place_of(scan->kernel, call), -1);
    }
}

static void scan_declared(struct cx_scan *scan, LLVMValueRef call, LLVMValueRef callee)
{
    struct cx_builtin b = cx_builtin_classify(callee);
    uint32_t line = cx_place_of(scan->kernel, call);

    switch (b.kind) {
    case CX_BUILTIN_PURE:
    case CX_BUILTIN_IGNORE:
    case CX_BUILTIN_INTEGER:
    case CX_BUILTIN_IMAGE_QUERY:
    case CX_BUILTIN_SAME_POINTER:
        break;
    case CX_BUILTIN_WORK_ITEM:
    case CX_BUILTIN_LINEAR_ID:
    case CX_BUILTIN_SUB_GROUP:
        scan_work_item(scan, call, &b);
        break;
    case CX_BUILTIN_VLOAD:
    case CX_BUILTIN_VSTORE:
        scan_vector(scan, call, &b);
        break;
    case CX_BUILTIN_ASYNC_COPY:
    case CX_BUILTIN_ASYNC_STRIDED:
        if (is_global_pointer(argument(call, 0)) || is_global_pointer(argument(call, 1))) {
            scan_async(scan, call, &b);
        } else {
            cx_scan_note(scan, CX_REASON_POINTER_UNRESOLVED, line, -1);
        }
        break;
    case CX_BUILTIN_OUT_POINTER:
        scan_out_pointer(scan, call);
        break;
    case CX_BUILTIN_BARRIER:
    case CX_BUILTIN_COLLECTIVE:
        scan->kernel->flags |= CX_SUMMARY_BARRIER;
        break;
    case CX_BUILTIN_FENCE:
        scan_fence(scan, call);
        break;
    case CX_BUILTIN_ATOMIC:
        scan_atomic_call(scan, call, &b);
        break;
    case CX_BUILTIN_IMAGE_READ:
    case CX_BUILTIN_IMAGE_WRITE:
        cx_scan_image(scan, call, &b);
        break;
    case CX_BUILTIN_PRINTF:
        cx_scan_note(scan, CX_REASON_PRINTF, line, -1);
        break;
    case CX_BUILTIN_ENQUEUE:
        scan->kernel->flags |= CX_SUMMARY_PINNED;
        cx_scan_note(scan, CX_REASON_DEVICE_ENQUEUE, line, -1);
        break;
    case CX_BUILTIN_PIPE:
        scan->kernel->flags |= CX_SUMMARY_PINNED;
        cx_scan_note(scan, CX_REASON_PIPE, line, -1);
        break;
    case CX_BUILTIN_MEMCPY:
        scan_memory(scan, call, 0, CX_MODE_WRITE);
        scan_memory(scan, call, 1, CX_MODE_READ);
        break;
    case CX_BUILTIN_MEMSET:
        scan_memory(scan, call, 0, CX_MODE_WRITE);
        break;
    case CX_BUILTIN_UNKNOWN:
        cx_scan_note(scan, CX_REASON_OPAQUE_CALL, line, -1);
        break;
    }
}

/* assembly.h tells what is known of the instructions. */
static bool is_pure_assembly(struct cx_scan *scan, LLVMValueRef call, LLVMValueRef callee)
{
    bool pure = cx_pipeline_is_pure_assembly(callee);

    for (unsigned i = 0; pure && i < LLVMGetNumArgOperands(call); i++) {
        pure = !is_address(scan, argument(call, i));
    }
    return pure;
}

void cx_scan_call(struct cx_scan *scan, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);

    if (callee && LLVMIsAInlineAsm(callee)) {
        scan->kernel->flags |= CX_SUMMARY_ONE_MODEL;
        if (!is_pure_assembly(scan, call, callee)) {
            cx_scan_note(scan, CX_REASON_INLINE_ASM, cx_place_of(scan->kernel, call), -1);
        }
    } else if (!callee || !LLVMIsAFunction(callee)) {
        cx_scan_note(scan, CX_REASON_INDIRECT_CALL, cx_place_of(scan->kernel, call), -1);
    } else if (LLVMCountBasicBlocks(callee) > 0) {
        scan_defined(scan, call, callee);
    } else {
        scan_declared(scan, call, callee);
    }
}
