/* SPDX-License-Identifier: MIT */
/*
 * Calls that read or write images. A texel is the bytes at x * element size + y * row pitch + z * slice pitch
 * of a layout that the launch tells (struct cx_access_image); it need not be how a device stores it.
 *
 * Integer coordinates are followed. What is read lies at the nearest texel inside: clamping modes read that
 * one, others nothing or, undefined, anything. What is written lies inside, or nothing is written. Any other
 * coordinates (floating-point ones, levels, samples) may mean the whole image.
 */
#include "layer/analyser/scan.h"
#include "layer/analyser/place.h"

enum { MAX_COORDINATES = 3 };

static int32_t query(struct cx_scan *scan, uint32_t arg, enum cx_image_query what)
{
    return cx_dag_leaf(&scan->build->dag, CX_EXPR_IMAGE, 64, (int32_t)arg, what);
}

/* Number of the operand that holds the coordinates; 0 where they are not a texel's whole numbers. */
static unsigned place_of(LLVMValueRef call, const struct cx_builtin *b, bool write)
{
    unsigned at = b->image.sampler ? 2 : 1, operands = at + 1 + write;
    LLVMTypeRef type;
    unsigned lanes = 1;

    if (b->image.coordinates < 1 || b->image.coordinates > MAX_COORDINATES || b->image.samples ||
        LLVMGetNumArgOperands(call) != operands) {
        return 0;
    }
    type = LLVMTypeOf(LLVMGetOperand(call, at));
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        lanes = LLVMGetVectorSize(type);
        type = LLVMGetElementType(type);
    }
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && lanes >= b->image.coordinates ? at : 0;
}

struct texel {
    int32_t off; /* bytes */
    struct cx_guard inside[2 * MAX_COORDINATES];
    unsigned ninside;
};

/* A coordinate as a 64-bit number, as far as it is used: clamped for reads, guarded for writes. */
static int32_t coordinate(struct cx_scan *scan, int32_t x, int32_t size, bool write, struct texel *texel)
{
    struct cx_dag *dag = &scan->build->dag;
    int32_t zero = cx_dag_const(dag, 64, 0), one = cx_dag_const(dag, 64, 1);

    x = cx_dag_resize(dag, x, 64, true);
    if (write) {
        texel->inside[texel->ninside++] = (struct cx_guard){CX_PRED_SGE, false, x, zero};
        texel->inside[texel->ninside++] = (struct cx_guard){CX_PRED_SLT, false, x, size};
        return x;
    }
    x = cx_dag_binary(dag, CX_EXPR_SMAX, x, zero);
    return cx_dag_binary(dag, CX_EXPR_SMIN, x, cx_dag_binary(dag, CX_EXPR_SUB, size, one));
}

static struct texel texel_of(struct cx_scan *scan, LLVMValueRef place, uint32_t arg,
                             const struct cx_builtin *b, bool write)
{
    static const enum cx_image_query sizes[] = {CX_IMAGE_WIDTH, CX_IMAGE_HEIGHT, CX_IMAGE_DEPTH},
                                     pitches[] = {CX_IMAGE_ELEMENT_SIZE, CX_IMAGE_ROW_PITCH,
                                                  CX_IMAGE_SLICE_PITCH};
    struct cx_dag *dag = &scan->build->dag;
    struct texel t = {.off = cx_dag_const(dag, 64, 0)};

    for (unsigned i = 0; i < b->image.coordinates; i++) {
        bool layer = b->image.layers && i + 1u == b->image.coordinates;
        int32_t size = query(scan, arg, layer ? CX_IMAGE_ARRAY_SIZE : sizes[i]);
        int32_t x = coordinate(scan, cx_build_value(scan->build, place, i), size, write, &t);
        x = cx_dag_binary(dag, CX_EXPR_MUL, x, query(scan, arg, layer ? CX_IMAGE_SLICE_PITCH : pitches[i]));
        t.off = cx_dag_binary(dag, CX_EXPR_ADD, t.off, x);
    }
    return t;
}

void cx_scan_image(struct cx_scan *scan, LLVMValueRef call, const struct cx_builtin *b)
{
    bool write = b->kind == CX_BUILTIN_IMAGE_WRITE;
    LLVMValueRef image = LLVMGetOperand(call, 0);
    struct cx_touch touch = {.mode = write ? CX_MODE_WRITE : CX_MODE_READ};
    uint32_t line = cx_place_of(scan->kernel, call), arg = 0;
    unsigned at = place_of(call, b, write);
    struct texel texel = {.ninside = 0};

    while (arg < scan->kernel->narg && LLVMGetParam(scan->build->function, arg) != image) {
        arg++;
    }
    if (arg == scan->kernel->narg || scan->kernel->arg[arg].kind != CX_ARG_IMAGE) {
        cx_scan_note(scan, write ? CX_REASON_IMAGE_WRITE : CX_REASON_IMAGE_READ, line, -1);
        return;
    }
    if (at) {
        texel = texel_of(scan, LLVMGetOperand(call, at), arg, b, write);
        touch.extra = texel.off;
        touch.len = query(scan, arg, CX_IMAGE_ELEMENT_SIZE);
        touch.guard = texel.inside;
        touch.nguard = texel.ninside;
    } else {
        touch.extra = cx_dag_const(&scan->build->dag, 64, 0);
        touch.len = query(scan, arg, CX_IMAGE_BYTES);
        touch.may = touch.sparse = true;
    }
    cx_scan_touch_from(scan, line, arg, &touch);
}
