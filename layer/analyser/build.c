/* SPDX-License-Identifier: MIT */
/*
 * Integers. An expression is right for an access if it is right for the instances of its operands that are
 * current when the access is executed; SSA form and dominance guarantee that for everything but values
 * carried around a loop, which are followed only as "start + step * iterations" and are opaque otherwise.
 */
#include "layer/analyser/build.h"
#include "layer/analyser/table.h"

#include <stdlib.h>

#define BUSY      (-2)
#define MAX_DEPTH 1000

void cx_build_init(struct cx_build *b, LLVMValueRef kernel, LLVMModuleRef module)
{
    *b = (struct cx_build){.function = kernel, .layout = LLVMGetModuleDataLayout(module)};
    b->arg_changed = cx_alloc(LLVMCountParams(kernel), sizeof(*b->arg_changed));
    cx_cfg_init(&b->cfg, kernel);
}

void cx_build_finish(struct cx_build *b)
{
    cx_cfg_finish(&b->cfg);
    cx_dag_finish(&b->dag);
    cx_map_finish(&b->memo);
    cx_map_finish(&b->counts);
    free(b->arg_changed);
    free(b->guard);
}

/* Bits of an integer type or of an integer vector's element; 0 for other types and for widths over 64. */
static unsigned int_width(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        type = LLVMGetElementType(type);
    }
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64) {
        return 0;
    }
    return LLVMGetIntTypeWidth(type);
}

static int32_t opaque(struct cx_build *b, LLVMValueRef value, enum cx_opaque why)
{
    unsigned width = int_width(LLVMTypeOf(value));

    return cx_dag_opaque(&b->dag, width ? width : 64, why);
}

static LLVMValueRef operand(LLVMValueRef value, unsigned i)
{
    return LLVMGetOperand(value, i);
}

static int32_t build_const(struct cx_build *b, LLVMValueRef value, unsigned lane)
{
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind) {
        LLVMValueRef elem = LLVMIsAConstantAggregateZero(value)
                                ? LLVMConstNull(LLVMGetElementType(LLVMTypeOf(value)))
                                : LLVMGetAggregateElement(value, lane);
        return elem ? cx_build_value(b, elem, 0) : opaque(b, value, CX_OPAQUE_OTHER);
    }
    if (LLVMIsAConstantInt(value)) {
        return cx_dag_const(&b->dag, LLVMGetIntTypeWidth(LLVMTypeOf(value)), LLVMConstIntGetSExtValue(value));
    }
    return opaque(b, value, CX_OPAQUE_OTHER);
}

static uint32_t param_index(struct cx_build *b, LLVMValueRef param)
{
    unsigned n = LLVMCountParams(b->function), i = 0;

    while (i < n && LLVMGetParam(b->function, i) != param) {
        i++;
    }
    return i;
}

static int32_t build_param(struct cx_build *b, LLVMValueRef value, unsigned lane)
{
    unsigned width = int_width(LLVMTypeOf(value));

    if (width == 0 || width % 8 != 0) {
        return opaque(b, value, CX_OPAQUE_OTHER);
    }
    return cx_dag_leaf(&b->dag, CX_EXPR_ARG, width, (int32_t)param_index(b, value),
                       (int64_t)lane * (width / 8));
}

static enum cx_opaque load_kind(LLVMValueRef load)
{
    switch (LLVMGetPointerAddressSpace(LLVMTypeOf(operand(load, 0)))) {
    case CX_SPACE_PRIVATE:
        return CX_OPAQUE_PRIVATE;
    case CX_SPACE_CONSTANT:
        return CX_OPAQUE_CONSTANT;
    case CX_SPACE_LOCAL:
        return CX_OPAQUE_LOCAL;
    default:
        return CX_OPAQUE_LOADED;
    }
}

/* Loads: fields of by-value structs and constant tables have known values, others do not. */
static int32_t build_load(struct cx_build *b, LLVMValueRef load, unsigned lane)
{
    unsigned width = int_width(LLVMTypeOf(load)), n;
    struct cx_base base[CX_MAX_BASES];
    int32_t node = -1;
    int64_t off;

    if (width == 0 || width % 8 != 0) {
        return opaque(b, load, load_kind(load));
    }
    if (LLVMGetVolatile(load)) { /* a private variable stays its work-item's own */
        node = cx_table_private(b, load);
        return node >= 0 ? node : opaque(b, load, load_kind(load));
    }
    n = cx_build_pointer(b, operand(load, 0), base);
    if (n == 1 && base[0].kind == CX_BASE_PRIVATE && base[0].value && LLVMIsAArgument(base[0].value) &&
        !b->arg_changed[base[0].arg] && cx_dag_is_const(&b->dag, base[0].off, &off) && off >= 0) {
        node =
            cx_dag_leaf(&b->dag, CX_EXPR_ARG, width, (int32_t)base[0].arg, off + (int64_t)lane * (width / 8));
    } else if (n == 1 && base[0].kind == CX_BASE_GLOBAL && LLVMIsGlobalConstant(base[0].value) &&
               LLVMGetInitializer(base[0].value)) {
        node = cx_table_value(b, base[0].value, base[0].off, width, lane);
    } else if (n == 1 && base[0].kind == CX_BASE_PRIVATE && !base[0].value) {
        node = cx_table_private(b, load);
    }
    return node >= 0 ? node : opaque(b, load, load_kind(load));
}

static int32_t build_binary(struct cx_build *b, LLVMValueRef v, enum cx_expr_op op, unsigned lane)
{
    int32_t x = cx_build_value(b, operand(v, 0), lane), y = cx_build_value(b, operand(v, 1), lane);

    return cx_dag_binary(&b->dag, op, x, y);
}

/*
 * (x << up) >> down: LLVM's way to write a sign or zero extension of x's low bits, times a power of two. -1
 * where v is none of that form.
 */
static int32_t build_extension(struct cx_build *b, LLVMValueRef v, unsigned lane)
{
    LLVMValueRef inner = operand(v, 0), by = operand(v, 1);
    unsigned width = int_width(LLVMTypeOf(v));
    uint64_t up, down;
    int32_t x;

    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || !LLVMIsAConstantInt(by) ||
        !LLVMIsAInstruction(inner) || LLVMGetInstructionOpcode(inner) != LLVMShl ||
        !LLVMIsAConstantInt(operand(inner, 1))) {
        return -1;
    }
    up = LLVMConstIntGetZExtValue(operand(inner, 1));
    down = LLVMConstIntGetZExtValue(by);
    if (width == 0 || up == 0 || up >= width || down > up) {
        return -1;
    }
    x = cx_build_value(b, operand(inner, 0), lane);
    x = cx_dag_resize(&b->dag, x, width - (unsigned)up, false);
    x = cx_dag_resize(&b->dag, x, width, LLVMGetInstructionOpcode(v) == LLVMAShr);
    return cx_dag_binary(&b->dag, CX_EXPR_MUL, x, cx_dag_const(&b->dag, width, INT64_C(1) << (up - down)));
}

static int32_t build_cast(struct cx_build *b, LLVMValueRef v, unsigned lane)
{
    unsigned from = int_width(LLVMTypeOf(operand(v, 0))), to = int_width(LLVMTypeOf(v));

    if (from == 0 || to == 0) {
        return opaque(b, v, CX_OPAQUE_OTHER);
    }
    if (from == 1 && to > 1 &&
        LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind) { /* a truth as a number */
        const int64_t yes = LLVMGetInstructionOpcode(v) == LLVMSExt ? -1 : 1;
        const int32_t node =
            cx_build_choice(b, operand(v, 0), cx_dag_const(&b->dag, to, yes), cx_dag_const(&b->dag, to, 0));
        if (b->dag.node[node].op != CX_EXPR_UNION) {
            return node;
        }
    }
    return cx_dag_resize(&b->dag, cx_build_value(b, operand(v, 0), lane), to,
                         LLVMGetInstructionOpcode(v) == LLVMSExt);
}

static unsigned lanes_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

/* A bitcast between integer vectors of equal lanes, or from one scalar integer to itself. */
static int32_t build_bitcast(struct cx_build *b, LLVMValueRef v, unsigned lane)
{
    LLVMTypeRef from = LLVMTypeOf(operand(v, 0)), to = LLVMTypeOf(v);

    if (int_width(from) && int_width(from) == int_width(to) && lanes_of(from) == lanes_of(to)) {
        return cx_build_value(b, operand(v, 0), lane);
    }
    return opaque(b, v, CX_OPAQUE_OTHER);
}

static int32_t build_extract(struct cx_build *b, LLVMValueRef v)
{
    LLVMValueRef index = operand(v, 1);
    unsigned lanes = lanes_of(LLVMTypeOf(operand(v, 0)));

    if (!LLVMIsAConstantInt(index) || LLVMConstIntGetZExtValue(index) >= lanes) {
        return opaque(b, v, CX_OPAQUE_OTHER);
    }
    return cx_build_value(b, operand(v, 0), (unsigned)LLVMConstIntGetZExtValue(index));
}

static int32_t build_insert(struct cx_build *b, LLVMValueRef v, unsigned lane)
{
    LLVMValueRef index = operand(v, 2);

    if (!LLVMIsAConstantInt(index)) {
        return opaque(b, v, CX_OPAQUE_OTHER);
    }
    if (LLVMConstIntGetZExtValue(index) == lane) {
        return cx_build_value(b, operand(v, 1), 0);
    }
    return cx_build_value(b, operand(v, 0), lane);
}

static int32_t build_shuffle(struct cx_build *b, LLVMValueRef v, unsigned lane)
{
    unsigned lanes = lanes_of(LLVMTypeOf(operand(v, 0)));
    int from = lane < LLVMGetNumMaskElements(v) ? LLVMGetMaskValue(v, lane) : -1;

    if (from < 0 || (unsigned)from >= 2 * lanes) {
        return opaque(b, v, CX_OPAQUE_OTHER);
    }
    return cx_build_value(b, operand(v, (unsigned)from / lanes), (unsigned)from % lanes);
}

int32_t cx_build_header_phi(const struct cx_build *b, LLVMValueRef phi, LLVMValueRef *start,
                            LLVMValueRef *next)
{
    int32_t block = cx_cfg_index(&b->cfg, LLVMGetInstructionParent(phi));
    int32_t loop = b->cfg.block[block].loop;

    if (loop < 0 || b->cfg.loop[loop].header != block) {
        return -1;
    }
    if (LLVMCountIncoming(phi) == 2) {
        for (unsigned i = 0; i < 2; i++) {
            int32_t in = cx_cfg_index(&b->cfg, LLVMGetIncomingBlock(phi, i));
            int32_t out = cx_cfg_index(&b->cfg, LLVMGetIncomingBlock(phi, 1 - i));
            if (in == b->cfg.loop[loop].latch && !b->cfg.loop[loop].inside[out]) {
                *next = LLVMGetIncomingValue(phi, i);
                *start = LLVMGetIncomingValue(phi, 1 - i);
                return loop;
            }
        }
    }
    *start = *next = NULL;
    return loop;
}

static bool is_const_at_least(LLVMValueRef v, uint64_t least)
{
    return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) >= least;
}

/* phi shifted or divided down in every iteration stays between 0 and where it started. */
static int32_t build_decay(struct cx_build *b, LLVMValueRef phi, LLVMValueRef start, LLVMValueRef next,
                           int32_t loop)
{
    LLVMOpcode op = LLVMIsAInstruction(next) ? LLVMGetInstructionOpcode(next) : LLVMCall;
    int32_t zero, from, low;

    if (op != LLVMLShr && op != LLVMUDiv && op != LLVMAShr && op != LLVMSDiv) {
        return -1;
    }
    if (operand(next, 0) != phi ||
        !is_const_at_least(operand(next, 1), op == LLVMUDiv || op == LLVMSDiv ? 2 : 1) ||
        LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind) {
        return -1;
    }
    from = cx_build_value(b, start, 0);
    if (op == LLVMLShr || op == LLVMUDiv) {
        return cx_dag_decay(&b->dag, from, (uint32_t)loop);
    }
    if (op == LLVMSDiv && LLVMConstIntGetSExtValue(operand(next, 1)) < 0) {
        return -1;
    }
    zero = cx_dag_const(&b->dag, cx_dag_width(&b->dag, from), 0);
    low = cx_dag_binary(&b->dag, CX_EXPR_SMIN, from, zero);
    from = cx_dag_binary(&b->dag, CX_EXPR_SMAX, from, zero);
    /* signed: between start and 0, or -1 where an arithmetic shift starts below zero */
    return cx_dag_binary(&b->dag, CX_EXPR_UNION, cx_dag_decay(&b->dag, from, (uint32_t)loop), low);
}

static int32_t build_header_phi(struct cx_build *b, LLVMValueRef phi, unsigned lane, LLVMValueRef start,
                                LLVMValueRef next, int32_t loop)
{
    int32_t node;

    if (!next) {
        return opaque(b, phi, CX_OPAQUE_LOOP);
    }
    node = cx_build_carried(b, phi, lane, cx_build_value(b, start, lane), next, loop);
    if (node < 0) {
        node = build_decay(b, phi, start, next, loop);
    }
    return node >= 0 ? node : opaque(b, phi, CX_OPAQUE_LOOP);
}

static int32_t build_phi(struct cx_build *b, LLVMValueRef phi, unsigned lane)
{
    LLVMValueRef start, next, condition;
    int32_t loop = cx_build_header_phi(b, phi, &start, &next), node = -1;
    unsigned n = LLVMCountIncoming(phi), yes;

    if (loop >= 0) {
        return build_header_phi(b, phi, lane, start, next, loop);
    }
    if (n > 16) {
        return opaque(b, phi, CX_OPAQUE_OTHER);
    }
    condition = cx_build_decider(b, phi, &yes);
    if (condition) {
        node = cx_build_value(b, LLVMGetIncomingValue(phi, yes), lane);
        return cx_build_choice(b, condition, node,
                               cx_build_value(b, LLVMGetIncomingValue(phi, 1 - yes), lane));
    }
    for (unsigned i = 0; i < n; i++) {
        int32_t in = cx_build_value(b, LLVMGetIncomingValue(phi, i), lane);
        node = node < 0 ? in : cx_dag_binary(&b->dag, CX_EXPR_UNION, node, in);
    }
    return node >= 0 ? node : opaque(b, phi, CX_OPAQUE_OTHER);
}

/* select(no, yes, condition): of a scalar, the second where the condition is not 0. */
static int32_t build_chosen(struct cx_build *b, LLVMValueRef call, int32_t no, int32_t yes)
{
    LLVMValueRef c = operand(call, 2);

    if (LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMIntegerTypeKind && LLVMIsAInstruction(c) &&
        (LLVMGetInstructionOpcode(c) == LLVMZExt || LLVMGetInstructionOpcode(c) == LLVMSExt) &&
        LLVMTypeOf(operand(c, 0)) == LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(c)))) {
        return cx_build_choice(b, operand(c, 0), yes, no);
    }
    return cx_dag_binary(&b->dag, CX_EXPR_UNION, no, yes);
}

static int32_t build_integer_call(struct cx_build *b, LLVMValueRef call, const struct cx_builtin *builtin,
                                  unsigned lane)
{
    unsigned width = int_width(LLVMTypeOf(call)), n = LLVMGetNumArgOperands(call);
    int32_t x[3] = {-1, -1, -1};
    bool sign = builtin->is_signed;

    for (unsigned i = 0; i < 3 && i < n; i++) {
        LLVMTypeRef type = LLVMTypeOf(operand(call, i));
        bool scalar = LLVMGetTypeKind(type) != LLVMVectorTypeKind;
        unsigned from = int_width(type);
        bool fits = from == width || builtin->integer == CX_INTEGER_CONVERT;
        x[i] = from && fits ? cx_build_value(b, operand(call, i), scalar ? 0 : lane) : -1;
    }
    if (x[0] < 0 || width == 0) {
        return opaque(b, call, CX_OPAQUE_CALL);
    }
    switch (builtin->integer) {
    case CX_INTEGER_MIN:
        return cx_dag_binary(&b->dag, sign ? CX_EXPR_SMIN : CX_EXPR_UMIN, x[0], x[1]);
    case CX_INTEGER_MAX:
        return cx_dag_binary(&b->dag, sign ? CX_EXPR_SMAX : CX_EXPR_UMAX, x[0], x[1]);
    case CX_INTEGER_CLAMP:
        x[0] = cx_dag_binary(&b->dag, sign ? CX_EXPR_SMAX : CX_EXPR_UMAX, x[0], x[1]);
        return cx_dag_binary(&b->dag, sign ? CX_EXPR_SMIN : CX_EXPR_UMIN, x[0], x[2]);
    case CX_INTEGER_ABS:
        return sign ? cx_dag_abs(&b->dag, x[0]) : x[0];
    case CX_INTEGER_MUL24:
    case CX_INTEGER_MAD24:
        x[0] = cx_dag_binary(&b->dag, sign ? CX_EXPR_SMUL24 : CX_EXPR_UMUL24, x[0], x[1]);
        return builtin->integer == CX_INTEGER_MUL24 ? x[0] : cx_dag_binary(&b->dag, CX_EXPR_ADD, x[0], x[2]);
    case CX_INTEGER_SELECT:
        return x[1] < 0 ? opaque(b, call, CX_OPAQUE_CALL) : build_chosen(b, call, x[0], x[1]);
    case CX_INTEGER_CONVERT:
        return cx_dag_resize(&b->dag, x[0], width, sign);
    }
    return opaque(b, call, CX_OPAQUE_CALL);
}

static int32_t work_item(struct cx_build *b, enum cx_expr_op leaf, int32_t dim)
{
    return cx_dag_leaf(&b->dag, leaf, 64, dim, 0);
}

/* The linear ids in terms of the others, as the specification defines them; unused dimensions have size 1 and
 * id 0. */
static int32_t build_linear(struct cx_build *b, bool global)
{
    enum cx_expr_op id = global ? CX_EXPR_GLOBAL_ID : CX_EXPR_LOCAL_ID;
    enum cx_expr_op size = global ? CX_EXPR_GLOBAL_SIZE : CX_EXPR_LOCAL_SIZE;
    int32_t sum = -1;

    for (int32_t d = 2; d >= 0; d--) {
        int32_t x = work_item(b, id, d);
        if (global) {
            x = cx_dag_binary(&b->dag, CX_EXPR_SUB, x, work_item(b, CX_EXPR_GLOBAL_OFFSET, d));
        }
        if (sum >= 0) {
            sum = cx_dag_binary(&b->dag, CX_EXPR_MUL, sum, work_item(b, size, d));
            x = cx_dag_binary(&b->dag, CX_EXPR_ADD, sum, x);
        }
        sum = x;
    }
    return sum;
}

static int32_t build_work_item(struct cx_build *b, LLVMValueRef call, const struct cx_builtin *builtin)
{
    unsigned width = int_width(LLVMTypeOf(call));
    int64_t dim = 0;

    if (LLVMGetNumArgOperands(call) > 0) {
        LLVMValueRef arg = operand(call, 0);
        if (!LLVMIsAConstantInt(arg)) {
            return opaque(b, call, CX_OPAQUE_CALL);
        }
        dim = (int64_t)LLVMConstIntGetZExtValue(arg);
    }
    if (dim > 2) {
        /* for dimensions that do not exist the specification has sizes of 1, PoCL and oclgrind of 0 */
        bool size = builtin->leaf == CX_EXPR_GLOBAL_SIZE || builtin->leaf == CX_EXPR_LOCAL_SIZE ||
                    builtin->leaf == CX_EXPR_ENQ_LOCAL_SIZE || builtin->leaf == CX_EXPR_NUM_GROUPS;
        return size ? cx_dag_range(&b->dag, width, 0, 1) : cx_dag_const(&b->dag, width, 0);
    }
    return cx_dag_resize(&b->dag, work_item(b, builtin->leaf, (int32_t)dim), width, false);
}

/* A leaf of an image argument; opaque where it is not known which one. */
static int32_t build_image_query(struct cx_build *b, LLVMValueRef call, const struct cx_builtin *builtin,
                                 unsigned lane)
{
    static const enum cx_image_query dim[] = {CX_IMAGE_WIDTH, CX_IMAGE_HEIGHT, CX_IMAGE_DEPTH};
    unsigned width = int_width(LLVMTypeOf(call));
    uint32_t arg = param_index(b, operand(call, 0));
    enum cx_image_query query = builtin->query;

    if (arg == LLVMCountParams(b->function)) {
        return opaque(b, call, CX_OPAQUE_CALL);
    }
    if (query == CX_IMAGE_QUERY_COUNT) {
        if (lane > 2) {
            return cx_dag_const(&b->dag, width, 0);
        }
        query = dim[lane];
    }
    return cx_dag_resize(&b->dag, cx_dag_leaf(&b->dag, CX_EXPR_IMAGE, 64, (int32_t)arg, query), width, false);
}

static int32_t build_call(struct cx_build *b, LLVMValueRef call, unsigned lane)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    struct cx_builtin builtin;

    if (!callee || !LLVMIsAFunction(callee) || LLVMCountBasicBlocks(callee) > 0) {
        return opaque(b, call, CX_OPAQUE_CALL);
    }
    builtin = cx_builtin_classify(callee);
    switch (builtin.kind) {
    case CX_BUILTIN_WORK_ITEM:
        return build_work_item(b, call, &builtin);
    case CX_BUILTIN_LINEAR_ID:
        return cx_dag_resize(&b->dag, build_linear(b, builtin.use == CX_USE_GLOBAL_LINEAR_ID),
                             int_width(LLVMTypeOf(call)), false);
    case CX_BUILTIN_INTEGER:
        return build_integer_call(b, call, &builtin, lane);
    case CX_BUILTIN_IMAGE_QUERY:
        return build_image_query(b, call, &builtin, lane);
    default:
        return opaque(b, call, CX_OPAQUE_CALL);
    }
}

static int32_t build_select(struct cx_build *b, LLVMValueRef v, unsigned lane)
{
    int32_t x = cx_build_value(b, operand(v, 1), lane), y = cx_build_value(b, operand(v, 2), lane);

    if (LLVMGetTypeKind(LLVMTypeOf(operand(v, 0))) == LLVMVectorTypeKind) {
        return cx_dag_binary(&b->dag, CX_EXPR_UNION, x, y);
    }
    return cx_build_choice(b, operand(v, 0), x, y);
}

static int32_t build_instruction(struct cx_build *b, LLVMValueRef v, unsigned lane)
{
    static const struct {
        LLVMOpcode opcode;
        enum cx_expr_op op;
    } binary[] = {
        {LLVMAdd, CX_EXPR_ADD},   {LLVMSub, CX_EXPR_SUB},   {LLVMMul, CX_EXPR_MUL},
        {LLVMUDiv, CX_EXPR_UDIV}, {LLVMSDiv, CX_EXPR_SDIV}, {LLVMURem, CX_EXPR_UREM},
        {LLVMSRem, CX_EXPR_SREM}, {LLVMShl, CX_EXPR_SHL},   {LLVMLShr, CX_EXPR_LSHR},
        {LLVMAShr, CX_EXPR_ASHR}, {LLVMAnd, CX_EXPR_AND},   {LLVMOr, CX_EXPR_OR},
        {LLVMXor, CX_EXPR_XOR},
    };
    LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
    int32_t extension = opcode == LLVMAShr || opcode == LLVMLShr ? build_extension(b, v, lane) : -1;

    if (extension >= 0) {
        return extension;
    }
    for (size_t i = 0; i < sizeof(binary) / sizeof(*binary); i++) {
        if (binary[i].opcode == opcode) {
            return build_binary(b, v, binary[i].op, lane);
        }
    }
    switch (opcode) {
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
        return build_cast(b, v, lane);
    case LLVMBitCast:
        return build_bitcast(b, v, lane);
    case LLVMFreeze:
        return cx_build_value(b, operand(v, 0), lane);
    case LLVMExtractElement:
        return build_extract(b, v);
    case LLVMInsertElement:
        return build_insert(b, v, lane);
    case LLVMShuffleVector:
        return build_shuffle(b, v, lane);
    case LLVMPHI:
        return build_phi(b, v, lane);
    case LLVMSelect:
        return build_select(b, v, lane);
    case LLVMLoad:
        return build_load(b, v, lane);
    case LLVMCall:
        return build_call(b, v, lane);
    case LLVMICmp:
    case LLVMFCmp:
        return opaque(b, v, CX_OPAQUE_BOOL);
    case LLVMFPToSI:
    case LLVMFPToUI:
        return opaque(b, v, CX_OPAQUE_FLOAT);
    default:
        return opaque(b, v, CX_OPAQUE_OTHER);
    }
}

int32_t cx_build_value(struct cx_build *b, LLVMValueRef value, unsigned lane)
{
    int32_t node;

    if (cx_map_get(&b->memo, (uintptr_t)value, lane, &node)) {
        /* a value that needs itself goes round a cycle no loop was found for */
        return node == BUSY ? opaque(b, value, CX_OPAQUE_LOOP) : node;
    }
    if (b->depth > MAX_DEPTH ||
        LLVMIsUndef(value)) { /* every use of an undefined value may see another one */
        return opaque(b, value, CX_OPAQUE_OTHER);
    }
    b->depth++;
    cx_map_put(&b->memo, (uintptr_t)value, lane, BUSY);
    if (int_width(LLVMTypeOf(value)) == 0) {
        node = opaque(b, value, CX_OPAQUE_OTHER);
    } else if (LLVMIsAInstruction(value)) {
        node = build_instruction(b, value, lane);
    } else if (LLVMIsAArgument(value)) {
        node = build_param(b, value, lane);
    } else {
        node = build_const(b, value, lane);
    }
    cx_map_put(&b->memo, (uintptr_t)value, lane, node);
    b->depth--;
    return node;
}

int32_t cx_build_index(struct cx_build *b, LLVMValueRef value, bool sign)
{
    return cx_dag_resize(&b->dag, cx_build_value(b, value, 0), 64, sign);
}
