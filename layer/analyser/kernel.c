/* SPDX-License-Identifier: MIT */
#include "layer/analyser/kernel.h"
#include "layer/analyser/compact.h"
#include "layer/analyser/effort.h"
#include "layer/analyser/place.h"
#include "layer/analyser/scan.h"
#include "layer/analyser/thin.h"

#include <stdlib.h>
#include <string.h>

#define MAX_OPERANDS 4096

/* Operands of the function's metadata node of that name; their number, 0 where there is none. */
static unsigned metadata(LLVMValueRef function, const char *name, LLVMValueRef operands[MAX_OPERANDS])
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    unsigned kind = LLVMGetMDKindIDInContext(context, name, (unsigned)strlen(name)), found = 0;
    size_t n;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(function, &n);

    for (unsigned i = 0; i < n; i++) {
        if (LLVMValueMetadataEntriesGetKind(entries, i) == kind) {
            LLVMValueRef node = LLVMMetadataAsValue(context, LLVMValueMetadataEntriesGetMetadata(entries, i));
            found = LLVMGetMDNodeNumOperands(node);
            if (found > MAX_OPERANDS) {
                found = 0;
                break;
            }
            LLVMGetMDNodeOperands(node, operands);
        }
    }
    LLVMDisposeValueMetadataEntries(entries);
    return found;
}

static char *copy_string(const char *text, unsigned length)
{
    char *copy = cx_alloc(length + 1, 1);

    memcpy(copy, text, length);
    return copy;
}

static char *string_operand(LLVMValueRef operand)
{
    unsigned length = 0;
    const char *text = LLVMGetMDString(operand, &length);

    return copy_string(text ? text : "", text ? length : 0);
}

static bool triple(LLVMValueRef function, const char *name, uint32_t size[3])
{
    LLVMValueRef operands[MAX_OPERANDS];

    if (metadata(function, name, operands) != 3) {
        return false;
    }
    for (unsigned d = 0; d < 3; d++) {
        size[d] = LLVMIsAConstantInt(operands[d]) ? (uint32_t)LLVMConstIntGetZExtValue(operands[d]) : 0;
    }
    return true;
}

static enum cx_arg_kind value_kind(const char *type)
{
    static const char *const others[] = {"sampler_t",   "queue_t",      "event_t",
                                         "clk_event_t", "reserve_id_t", "ndrange_t"};

    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        if (strcmp(type, others[i]) == 0) {
            return CX_ARG_OTHER;
        }
    }
    return CX_ARG_VALUE;
}

static enum cx_arg_kind arg_kind(const char *type, const char *qualifiers, uint64_t space)
{
    size_t length = strlen(type);

    if (strstr(qualifiers, "pipe")) {
        return CX_ARG_OTHER;
    }
    if (strncmp(type, "image", 5) == 0 && length > 2 && strcmp(type + length - 2, "_t") == 0) {
        return CX_ARG_IMAGE;
    }
    switch (space) {
    case CX_SPACE_PRIVATE:
        return value_kind(type);
    case CX_SPACE_GLOBAL:
        return CX_ARG_GLOBAL;
    case CX_SPACE_CONSTANT:
        return CX_ARG_CONSTANT;
    case CX_SPACE_LOCAL:
        return CX_ARG_LOCAL;
    default:
        return CX_ARG_OTHER;
    }
}

/* Bytes clSetKernelArg() gets for a by-value argument; 0 where not known. */
static uint32_t value_size(LLVMValueRef function, unsigned i, LLVMTargetDataRef layout)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(function, i));

    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
        LLVMAttributeRef byval = LLVMGetEnumAttributeAtIndex(function, i + 1, kind);
        if (!byval) {
            return 0;
        }
        type = LLVMGetTypeAttributeValue(byval);
    }
    return (uint32_t)LLVMABISizeOfType(layout, type);
}

static void describe_args(struct cx_summary_kernel *k, LLVMValueRef function, LLVMModuleRef module)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    LLVMValueRef operands[MAX_OPERANDS];
    unsigned n = LLVMCountParams(function);
    char **base = cx_alloc(n, sizeof(*base)), **qualifiers = cx_alloc(n, sizeof(*qualifiers));
    unsigned have_base = metadata(function, "kernel_arg_base_type", operands);

    k->narg = n;
    k->arg = cx_alloc(n, sizeof(*k->arg));
    for (unsigned i = 0; i < n; i++) {
        base[i] = have_base == n ? string_operand(operands[i]) : copy_string("", 0);
    }
    have_base = metadata(function, "kernel_arg_type_qual", operands);
    for (unsigned i = 0; i < n; i++) {
        qualifiers[i] = have_base == n ? string_operand(operands[i]) : copy_string("", 0);
    }
    have_base = metadata(function, "kernel_arg_type", operands);
    for (unsigned i = 0; i < n; i++) {
        k->arg[i].type = have_base == n ? string_operand(operands[i]) : copy_string("", 0);
    }
    have_base = metadata(function, "kernel_arg_name", operands);
    for (unsigned i = 0; i < n; i++) {
        k->arg[i].name = have_base == n ? string_operand(operands[i]) : copy_string("", 0);
    }
    have_base = metadata(function, "kernel_arg_addr_space", operands);
    for (unsigned i = 0; i < n; i++) {
        bool known = have_base == n && LLVMIsAConstantInt(operands[i]);
        k->arg[i].kind =
            known ? (uint8_t)arg_kind(base[i], qualifiers[i], LLVMConstIntGetZExtValue(operands[i]))
                  : CX_ARG_OTHER;
        k->arg[i].size = k->arg[i].kind == CX_ARG_VALUE ? value_size(function, i, layout) : 0;
        k->flags |= k->arg[i].kind == CX_ARG_LOCAL ? CX_SUMMARY_LOCAL_MEM : 0;
        free(base[i]);
        free(qualifiers[i]);
    }
    free(base);
    free(qualifiers);
}

void cx_kernel_describe(struct cx_summary_kernel *kernel, LLVMValueRef function, LLVMModuleRef module)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);

    *kernel = (struct cx_summary_kernel){.name = copy_string(name, (unsigned)length)};
    kernel->line = cx_place_of(kernel, function);
    kernel->flags |= triple(function, "reqd_work_group_size", kernel->reqd_size) ? CX_SUMMARY_REQD_SIZE : 0;
    kernel->flags |= triple(function, "work_group_size_hint", kernel->size_hint) ? CX_SUMMARY_SIZE_HINT : 0;
    describe_args(kernel, function, module);
}

void cx_kernel_make_opaque(struct cx_summary_kernel *kernel, enum cx_summary_reason reason)
{
    free(kernel->note);
    free(kernel->expr);
    free(kernel->guard);
    free(kernel->loop);
    free(kernel->access);
    kernel->nexpr = kernel->nguard = kernel->nloop = kernel->naccess = 0;
    kernel->expr = NULL;
    kernel->guard = NULL;
    kernel->loop = NULL;
    kernel->access = NULL;
    kernel->flags |= CX_SUMMARY_OPAQUE;
    kernel->steps = CX_STEPS_UNKNOWN;
    kernel->uses = UINT32_MAX & (CX_USE_NEEDS_REWRITE | 0xffu);
    kernel->nnote = 1;
    kernel->note = cx_alloc(1, sizeof(*kernel->note));
    *kernel->note = (struct cx_summary_note){.reason = (uint8_t)reason, .arg = -1, .line = kernel->line};
}

/* Arguments read by expressions must be there in full: a leaf past a by-value argument's end would be a
 * miscompilation. */
static bool leaves_fit(const struct cx_summary_kernel *k)
{
    struct cx_summary one = {.nkernel = 1, .kernel = (struct cx_summary_kernel *)k};

    return cx_summary_check(&one);
}

void cx_kernel_analyse(struct cx_summary_kernel *kernel, LLVMValueRef function, LLVMModuleRef module)
{
    struct cx_build build;
    struct cx_scan scan = {.build = &build, .kernel = kernel};

    cx_build_init(&build, function, module);
    cx_scan_run(&scan);
    kernel->expr = build.dag.node;
    kernel->nexpr = build.dag.count;
    kernel->guard = build.guard;
    kernel->nguard = build.nguard;
    kernel->loop = scan.loops;
    kernel->nloop = scan.loops ? build.cfg.nloop : 0;
    cx_effort_find(&build, kernel);
    build.dag.node = NULL;
    build.guard = NULL;
    cx_build_finish(&build);
    if (scan.too_complex || !leaves_fit(kernel)) {
        cx_kernel_make_opaque(kernel, CX_REASON_TOO_COMPLEX);
        return;
    }
    cx_compact(kernel);
    while (cx_thin_cost(kernel) > CX_THIN_MOST && cx_thin_pick(kernel) < kernel->narg) {
        cx_thin_arg(kernel, cx_thin_pick(kernel));
        cx_compact(kernel);
    }
}
