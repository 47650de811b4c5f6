/* SPDX-License-Identifier: MIT */
/*
 * Which stores may race with each other. A work-item's own stores come one after the other; those of
 * different work-groups have no order, and where they write unlike values to one place, a split launch keeps
 * another one of these than one device would. A store that meets itself is left alone: the program has chosen
 * that any of its values will do. So stores are told apart by instruction, except where all write the same
 * value.
 *
 * Stores that a work-item makes at one place count as one: its last value stays, whatever came before.
 */
#include "layer/analyser/scan.h"
#include "layer/analyser/thin.h"
#include "layer/analyser/unroll.h"

#include <string.h>

/* The same for all work-items. */
static bool is_same_for_all(LLVMValueRef value)
{
    return LLVMIsConstant(value) ||
           (LLVMIsAArgument(value) && LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMPointerTypeKind);
}

static uint32_t numbered(struct cx_map *map, uint64_t a, uint64_t b, uint32_t *count)
{
    int32_t number;

    if (!cx_map_get(map, a, b, &number)) {
        number = (int32_t)++ * count;
        cx_map_put(map, a, b, number);
    }
    return (uint32_t)number;
}

/* Of a store that was copied when its loop was unrolled; 0: it was not. */
static uint64_t number_before(LLVMValueRef store)
{
    LLVMContextRef context =
        LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(store))));
    LLVMValueRef node = LLVMGetMetadata(
                     store, LLVMGetMDKindIDInContext(context, CX_METADATA_STORE, strlen(CX_METADATA_STORE))),
                 number;

    if (!node || LLVMGetMDNodeNumOperands(node) != 1) {
        return 0;
    }
    LLVMGetMDNodeOperands(node, &number);
    return number && LLVMIsAConstantInt(number) ? LLVMConstIntGetZExtValue(number) : 0;
}

uint32_t cx_scan_store(struct cx_scan *scan, LLVMValueRef store, LLVMValueRef stored)
{
    const uint64_t before = number_before(store);

    if (before) {
        return numbered(&scan->stores, before, 1, &scan->nstore);
    }
    if (!stored || !is_same_for_all(stored)) {
        return ++scan->nstore;
    }
    return numbered(&scan->stores, (uintptr_t)stored, 0, &scan->nstore);
}

uint32_t cx_scan_place(struct cx_scan *scan, int32_t off)
{
    return off < 0 ? 0 : numbered(&scan->places, (uint64_t)off, (uint64_t)(scan->moving + 1), &scan->nplace);
}

int32_t cx_scan_moving(struct cx_scan *scan, LLVMValueRef pointer, const struct cx_touch *touch)
{
    const struct cx_cfg *cfg = &scan->build->cfg;
    int32_t loop = cfg->block[scan->block].loop;

    while (loop >= 0 && touch->extra < 0 && cx_build_invariant(scan->build, pointer, loop)) {
        loop = cfg->loop[loop].parent;
    }
    return loop;
}

void cx_scan_join_stores(struct cx_scan *scan, struct cx_access_record *into,
                         const struct cx_access_record *more)
{
    bool both = into->off >= 0 && into->skew == more->skew && into->size == more->size;

    if (both && into->store != more->store) {
        into->store = ++scan->nstore;
    } else if (!both) {
        cx_thin_join(into, more);
    }
}
