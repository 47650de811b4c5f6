/* SPDX-License-Identifier: MIT */
/*
 * Finds loops that end at a sentinel. See sentinel.h.
 */
#include "layer/analyser/sentinel.h"
#include "layer/analyser/unroll.h"

#include <llvm-c/Support.h>
#include <string.h>

/* From a loop's phi over what is added, merged and converted back to it. */
#define MAX_DEPTH  8
#define MAX_STEPS  100 /* of one phi */
#define MAX_BLOCKS 64  /* behind a loop's end, of which is asked whether they lead back */

const char *const cx_sentinel_passes = "function(jump-threading,sroa,early-cse)";

static bool is_sentinel(LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64 &&
           LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 1 && LLVMConstIntGetSExtValue(v) < 0;
}

static bool merges_sentinel(LLVMValueRef v)
{
    bool any = false;

    if (LLVMIsAPHINode(v)) {
        for (unsigned i = 0; i < LLVMCountIncoming(v) && !any; i++) {
            any = is_sentinel(LLVMGetIncomingValue(v, i));
        }
    } else if (LLVMIsASelectInst(v)) {
        any = is_sentinel(LLVMGetOperand(v, 1)) || is_sentinel(LLVMGetOperand(v, 2));
    }
    return any;
}

static bool leads_to(LLVMValueRef v, LLVMValueRef phi, unsigned depth, unsigned *steps)
{
    bool found = v == phi;
    int n;

    if (found || depth > MAX_DEPTH || ++*steps > MAX_STEPS || !LLVMIsAInstruction(v)) {
        return found;
    }
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(v) && !found; i++) {
            found = leads_to(LLVMGetIncomingValue(v, i), phi, depth + 1, steps);
        }
        return found;
    case LLVMAdd:
    case LLVMSub:
    case LLVMSelect:
    case LLVMTrunc:
    case LLVMSExt:
    case LLVMZExt:
        n = LLVMGetNumOperands(v);
        for (int i = 0; i < n && !found; i++) {
            found = leads_to(LLVMGetOperand(v, (unsigned)i), phi, depth + 1, steps);
        }
        return found;
    default:
        return false;
    }
}

/* ---- the loop's end ---- */

/* Whether `to` can be reached; true as well where that takes too long to find out. */
static bool reaches(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMBasicBlockRef seen[MAX_BLOCKS] = {from};
    unsigned n = 1;

    for (unsigned at = 0; at < n; at++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(seen[at]);
        if (seen[at] == to) {
            return true;
        }
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(end, s);
            unsigned k = 0;
            while (k < n && seen[k] != next) {
                k++;
            }
            if (k == MAX_BLOCKS) {
                return true;
            }
            if (k == n) {
                seen[n++] = next;
            }
        }
    }
    return false;
}

/* Whether the comparison, of a value with a constant, sends -1 to where the block is not reached any more. */
static bool leaves(LLVMValueRef comparison, LLVMValueRef value, LLVMBasicBlockRef block)
{
    LLVMValueRef with = LLVMGetOperand(comparison, 1);

    if (LLVMGetOperand(comparison, 0) != value || !LLVMIsAConstantInt(with) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(with)) > 64) {
        return false;
    }
    const bool holds =
        cx_unroll_compare(LLVMGetICmpPredicate(comparison), UINT64_MAX,
                          (uint64_t)LLVMConstIntGetSExtValue(with), LLVMGetIntTypeWidth(LLVMTypeOf(with)));
    for (LLVMUseRef use = LLVMGetFirstUse(comparison); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef branch = LLVMGetUser(use);
        if (LLVMIsABranchInst(branch) && LLVMIsConditional(branch) &&
            !reaches(LLVMGetSuccessor(branch, holds ? 0 : 1), block)) {
            return true;
        }
    }
    return false;
}

static bool ends_loop(LLVMValueRef value, LLVMBasicBlockRef block)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        if (LLVMIsAICmpInst(LLVMGetUser(use)) && leaves(LLVMGetUser(use), value, block)) {
            return true;
        }
    }
    return false;
}

/* Whether one of the ways into the phi comes from itself, over a merge with a sentinel that ends the loop. */
static bool is_carried(LLVMValueRef phi)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(phi);

    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef way = LLVMGetIncomingValue(phi, i);
        unsigned steps = 0;
        if (way != phi && merges_sentinel(way) && leads_to(way, phi, 0, &steps) &&
            (ends_loop(phi, block) || ends_loop(way, block))) {
            return true;
        }
    }
    return false;
}

/* ---- functions ---- */

static bool has_phi(LLVMValueRef function, bool (*is)(LLVMValueRef phi))
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(block); v && LLVMIsAPHINode(v);
             v = LLVMGetNextInstruction(v)) {
            if (is(v)) {
                return true;
            }
        }
    }
    return false;
}

static unsigned kind_of(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

bool cx_sentinel_possible(LLVMModuleRef module)
{
    bool any = false;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && !any; f = LLVMGetNextFunction(f)) {
        any = has_phi(f, merges_sentinel);
    }
    return any;
}

/* A function that has neither mark gets both. */
static void mark(LLVMModuleRef module, LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    const unsigned where = (unsigned)LLVMAttributeFunctionIndex;

    LLVMAddAttributeAtIndex(function, where, LLVMCreateEnumAttribute(context, kind_of("noinline"), 0));
    LLVMAddAttributeAtIndex(function, where, LLVMCreateEnumAttribute(context, kind_of("optnone"), 0));
}

bool cx_sentinel_begin(LLVMModuleRef module)
{
    static const char *const words[] = {"coexec-analyse", "-jump-threading-across-loop-headers"};
    static bool is_set;
    bool any = false;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && !any; f = LLVMGetNextFunction(f)) {
        any = has_phi(f, is_carried);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(module); any && f; f = LLVMGetNextFunction(f)) {
        if (LLVMCountBasicBlocks(f) > 0 && !has_phi(f, is_carried)) {
            mark(module, f);
        }
    }
    if (any && !is_set) { /* LLVM offers it in no other way */
        LLVMParseCommandLineOptions(2, words, NULL);
        is_set = true;
    }
    return any;
}

void cx_sentinel_end(LLVMModuleRef module)
{
    const unsigned where = (unsigned)LLVMAttributeFunctionIndex;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMGetEnumAttributeAtIndex(f, where, kind_of("optnone"))) {
            LLVMRemoveEnumAttributeAtIndex(f, where, kind_of("optnone"));
            LLVMRemoveEnumAttributeAtIndex(f, where, kind_of("noinline"));
        }
    }
}
