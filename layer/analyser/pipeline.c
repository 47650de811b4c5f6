/* SPDX-License-Identifier: MIT */
/*
 * Only functions that matter for the analysis are inlined: those that see global memory, ids or barriers,
 * themselves or through what they call, and small ones. Others stay calls marked as harmless: they compute on
 * values and on private memory.
 */
#include "layer/analyser/pipeline.h"
#include "layer/analyser/assembly.h"
#include "layer/analyser/scan.h"
#include "layer/analyser/sentinel.h"
#include "layer/analyser/unroll.h"

#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>

#include <stdlib.h>
#include <string.h>

#define SMALL       150u
#define MIDDLING    600u
#define MAX_FILLING 2400u /* instructions, of all copies of one that fills an array of its caller's */
#define MAX_INLINED 150000u
#define MAX_COUNTED (UINT64_C(1) << 40)
#define MAX_ADDED   30000u /* instructions, by unrolling loops */

#if LLVM_VERSION_MAJOR >= 18
#define INSTCOMBINE "instcombine<no-verify-fixpoint>"
#else
#define INSTCOMBINE "instcombine"
#endif

static const char first_passes[] = "globaldce,function(sroa,early-cse)";
static const char inlining[] = "function(simplifycfg),always-inline,globaldce,function(sroa,early-cse)";
static const char passes[] = "function(simplifycfg," INSTCOMBINE
                             ",sroa,gvn<no-pre;no-load-pre>,simplifycfg," INSTCOMBINE ",loop-simplify,lcssa)";

/* Where loops end at a sentinel (sentinel.h): merges must not become selects before their jumps are threaded.
 */
static const char inlining_merges[] = "always-inline,globaldce,function(sroa,early-cse)";

/* Where loops through private arrays of indices are marked to be unrolled. */
static const char unrolling[] = "function(loop-unroll<O1;no-partial;no-runtime;no-peeling;no-upperbound>,"
                                "sroa,early-cse,simplifycfg," INSTCOMBINE
                                ",gvn<no-pre;no-load-pre>,simplifycfg," INSTCOMBINE ",loop-simplify,lcssa)";

struct node {
    LLVMValueRef function;
    int32_t *callee;
    uint32_t ncallee;
    uint64_t size, inlined; /* instructions, alone and with all that would be inlined */
    uint64_t largest;       /* inlined, of it or of a function that it reaches */
    uint32_t calls;         /* how many there are of it */
    bool matters, recursive, kernel;
    bool fills;     /* gets a pointer to private memory */
    bool assembles; /* it or a function that it reaches has inline assembly */
    bool addresses; /* ..., makes a number of an address */
    uint8_t visit;  /* 0 new, 1 under way, 2 done */
};

struct graph {
    struct node *node;
    uint32_t count;
    struct cx_map index;
};

bool cx_pipeline_is_kernel(LLVMValueRef function)
{
    return LLVMGetFunctionCallConv(function) == LLVMSPIRKERNELCallConv && LLVMCountBasicBlocks(function) > 0;
}

bool cx_pipeline_makes_address(LLVMValueRef value)
{
    return LLVMIsAPtrToIntInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMPtrToInt);
}

bool cx_pipeline_is_pure_assembly(LLVMValueRef callee)
{
    char *text = LLVMPrintValueToString(callee);
    const bool pure = strstr(text, "\"" CX_ASSEMBLY_PURE "\"") != NULL;

    LLVMDisposeMessage(text);
    return pure;
}

bool cx_pipeline_has_assembly(LLVMValueRef function)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb)) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v)) {
            if (LLVMIsACallInst(v) && LLVMGetCalledValue(v) && LLVMIsAInlineAsm(LLVMGetCalledValue(v))) {
                return true;
            }
        }
    }
    return false;
}

static bool is_shared_pointer(LLVMTypeRef type)
{
    unsigned space;

    if (LLVMGetTypeKind(type) != LLVMPointerTypeKind) {
        return false;
    }
    space = LLVMGetPointerAddressSpace(type);
    return space == CX_SPACE_GLOBAL || space == CX_SPACE_GENERIC;
}

static bool declared_matters(LLVMValueRef callee)
{
    switch (cx_builtin_classify(callee).kind) {
    case CX_BUILTIN_PURE:
    case CX_BUILTIN_IGNORE:
    case CX_BUILTIN_INTEGER:
    case CX_BUILTIN_VLOAD:
    case CX_BUILTIN_VSTORE:
    case CX_BUILTIN_OUT_POINTER:
    case CX_BUILTIN_MEMCPY:
    case CX_BUILTIN_MEMSET:
        return false; /* a global pointer among the arguments is seen by its type */
    default:
        return true;
    }
}

static void add_callee(struct node *n, int32_t callee)
{
    n->callee = cx_realloc(n->callee, n->ncallee + 1, sizeof(*n->callee));
    n->callee[n->ncallee++] = callee;
}

static void look_at_call(struct graph *g, struct node *n, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    int32_t index;

    /* what goes inline is for mark() to say */
    LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex,
                                    LLVMGetEnumAttributeKindForName("alwaysinline", 12));
    if (callee && LLVMIsAInlineAsm(callee)) {
        n->assembles = true;
        n->matters |= !cx_pipeline_is_pure_assembly(callee);
    } else if (!callee || !LLVMIsAFunction(callee)) {
        n->matters = true;
    } else if (cx_map_get(&g->index, (uintptr_t)callee, 0, &index)) {
        add_callee(n, index);
        g->node[index].calls++;
    } else if (declared_matters(callee)) {
        n->matters = true;
    }
}

static void look_at(struct graph *g, struct node *n)
{
    for (unsigned i = 0; i < LLVMCountParams(n->function); i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(n->function, i));
        const bool pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
        n->matters |=
            pointer && (is_shared_pointer(type) || LLVMGetPointerAddressSpace(type) == CX_SPACE_CONSTANT);
        n->fills |= pointer && LLVMGetPointerAddressSpace(type) == CX_SPACE_PRIVATE;
    }
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(n->function); bb; bb = LLVMGetNextBasicBlock(bb)) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(bb); v; v = LLVMGetNextInstruction(v)) {
            int operands = LLVMGetNumOperands(v);
            LLVMTypeRef type = LLVMTypeOf(v);
            n->size++;
            n->matters |= LLVMIsALoadInst(v) && LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
                          LLVMGetPointerAddressSpace(type) == CX_SPACE_CONSTANT;
            for (int i = 0; i < operands; i++) {
                n->matters |= is_shared_pointer(LLVMTypeOf(LLVMGetOperand(v, (unsigned)i)));
                n->addresses |= cx_pipeline_makes_address(LLVMGetOperand(v, (unsigned)i));
            }
            n->addresses |= cx_pipeline_makes_address(v);
            if (LLVMIsACallInst(v)) {
                look_at_call(g, n, v);
            } else if (LLVMIsAFenceInst(v) || LLVMIsAAtomicRMWInst(v) || LLVMIsAAtomicCmpXchgInst(v)) {
                n->matters = true;
            }
        }
    }
}

static void make_graph(struct graph *g, LLVMModuleRef module)
{
    *g = (struct graph){0};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMCountBasicBlocks(f) > 0) {
            g->node = cx_realloc(g->node, g->count + 1, sizeof(*g->node));
            g->node[g->count] = (struct node){.function = f, .kernel = cx_pipeline_is_kernel(f)};
            cx_map_put(&g->index, (uintptr_t)f, 0, (int32_t)g->count++);
        }
    }
    for (uint32_t i = 0; i < g->count; i++) {
        look_at(g, &g->node[i]);
    }
}

/* Unless it is recursive. What fills an array may fill one of indices (unroll.c). */
static bool goes_inline(const struct node *n)
{
    return n->matters || n->size < SMALL ||
           (n->fills && n->size < MIDDLING && n->size * n->calls < MAX_FILLING);
}

/* Depth first: sizes, what matters, and functions on a cycle (all that are under way when the cycle is seen
 * to close). */
static void visit(struct graph *g, int32_t at)
{
    struct node *n = &g->node[at];

    n->visit = 1;
    n->inlined = n->size;
    for (uint32_t i = 0; i < n->ncallee; i++) {
        struct node *callee = &g->node[n->callee[i]];
        if (callee->visit == 1) {
            callee->recursive = n->recursive = true;
            continue;
        }
        if (callee->visit == 0) {
            visit(g, n->callee[i]);
        }
        n->matters |= callee->matters;
        n->assembles |= callee->assembles;
        n->addresses |= callee->addresses;
        n->inlined += goes_inline(callee) ? callee->inlined : 0;
        n->inlined = n->inlined < MAX_COUNTED ? n->inlined : MAX_COUNTED;
        n->largest = n->largest > callee->largest ? n->largest : callee->largest;
    }
    n->matters |= n->assembles && n->addresses; /* the one may get the other: scan_call.c looks */
    n->largest = n->largest > n->inlined ? n->largest : n->inlined;
    n->visit = 2;
}

static bool reaches(const struct graph *g, int32_t from, int32_t to, unsigned char *seen)
{
    for (uint32_t i = 0; i < g->node[from].ncallee; i++) {
        int32_t next = g->node[from].callee[i];
        if (next == to) {
            return true;
        }
        if (!seen[next]) {
            seen[next] = 1;
            if (reaches(g, next, to, seen)) {
                return true;
            }
        }
    }
    return false;
}

/* A cycle marks where it closes; the functions between are found by asking each whether it reaches itself. */
static void find_recursion(struct graph *g)
{
    bool any = false;

    for (uint32_t i = 0; i < g->count; i++) {
        any |= g->node[i].recursive;
    }
    for (uint32_t i = 0; any && i < g->count; i++) {
        unsigned char *seen = cx_alloc(g->count, 1);
        g->node[i].recursive = reaches(g, (int32_t)i, (int32_t)i, seen);
        free(seen);
    }
}

static void set_attribute(LLVMValueRef function, const char *name, bool is_string)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAttributeRef attribute =
        is_string ? LLVMCreateStringAttribute(context, name, (unsigned)strlen(name), "", 0)
                  : LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0);

    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
}

static void remove_attribute(LLVMValueRef function, const char *name)
{
    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                   LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

static void mark(struct node *n)
{
    if (n->recursive) {
        set_attribute(n->function, CX_ATTRIBUTE_RECURSIVE, true);
    } else if (!n->matters) {
        set_attribute(n->function, CX_ATTRIBUTE_HARMLESS, true);
    }
    if (n->assembles) {
        set_attribute(n->function, CX_ATTRIBUTE_ASSEMBLES, true);
    }
    remove_attribute(n->function, "optnone");
    remove_attribute(n->function, "noinline");
    remove_attribute(n->function, "alwaysinline");
    if (!n->recursive && goes_inline(n)) {
        set_attribute(n->function, "alwaysinline", false);
    }
    if (!n->kernel) {
        LLVMSetLinkage(n->function, LLVMInternalLinkage);
    }
}

static void mark_all(struct graph *g, bool *too_large)
{
    uint32_t kernel = 0;

    for (uint32_t i = 0; i < g->count; i++) {
        if (g->node[i].visit == 0) {
            visit(g, (int32_t)i);
        }
    }
    find_recursion(g);
    for (uint32_t i = 0; i < g->count; i++) {
        mark(&g->node[i]);
        if (g->node[i].kernel) {
            too_large[kernel] = g->node[i].largest > MAX_INLINED;
            if (too_large[kernel]) { /* so that it is dropped unless another kernel calls it */
                LLVMSetLinkage(g->node[i].function, LLVMInternalLinkage);
            }
            kernel++;
        }
    }
}

/* Each frozen value is what it was frozen of: LLVM freezes what it puts to another use, as the numerator of
 * i / n * n + i % n, which is then i. Programs that depend on a value that is none are wrong anyway. */
static void thaw(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb)) {
            for (LLVMValueRef v = LLVMGetFirstInstruction(bb), next; v; v = next) {
                next = LLVMGetNextInstruction(v);
                if (LLVMGetInstructionOpcode(v) == LLVMFreeze) {
                    LLVMReplaceAllUsesWith(v, LLVMGetOperand(v, 0));
                    LLVMInstructionEraseFromParent(v);
                }
            }
        }
    }
}

/* Whether there are loops to be unrolled; then all others are marked, too. */
static bool mark_loops(LLVMModuleRef module)
{
    struct cx_map marked = {0};
    uint64_t room = MAX_ADDED;
    int32_t one;
    bool any;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (cx_pipeline_is_kernel(f) && cx_unroll_mark(f, &room)) {
            cx_map_put(&marked, (uintptr_t)f, 0, 1);
        }
    }
    any = marked.used > 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && any; f = LLVMGetNextFunction(f)) {
        if (LLVMCountBasicBlocks(f) > 0 && !cx_map_get(&marked, (uintptr_t)f, 0, &one)) {
            cx_unroll_forbid(f);
        }
    }
    cx_map_finish(&marked);
    return any;
}

static char *run_passes(LLVMModuleRef module, const char *which)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, which, NULL, options);
    char *message = NULL;

    if (error) {
        char *text = LLVMGetErrorMessage(error);
        message = LLVMCreateMessage(text);
        LLVMDisposeErrorMessage(text);
    }
    LLVMDisposePassBuilderOptions(options);
    return message;
}

char *cx_pipeline_run(LLVMModuleRef module, bool *too_large)
{
    struct graph g;
    char *message;
    bool sentinels = false;

    make_graph(&g, module);
    mark_all(&g, too_large);
    for (uint32_t i = 0; i < g.count; i++) {
        free(g.node[i].callee);
    }
    free(g.node);
    cx_map_finish(&g.index);

    message = run_passes(module, first_passes);
    if (!message) {
        sentinels = cx_sentinel_possible(module);
        message = run_passes(module, sentinels ? inlining_merges : inlining);
    }
    if (!message && sentinels && cx_sentinel_begin(module)) {
        message = run_passes(module, cx_sentinel_passes);
        cx_sentinel_end(module);
    }
    if (!message) {
        message = run_passes(module, passes);
    }
    if (!message && mark_loops(module)) {
        message = run_passes(module, unrolling);
    }
    thaw(module);
    return message;
}
