/* SPDX-License-Identifier: MIT */
/* Values in the interpreter: exact integers of OpenCL C; what C leaves undefined ends the launch. */
#include "generator_run.h"

enum { MAX_STEPS = 1500000 };

/* Values are kept as 64-bit numbers: 32-bit ones sign or zero extended. */
int64_t run_convert(unsigned type, int64_t value)
{
    return type == I32 ? (int32_t)value : type == U32 ? (int64_t)(uint32_t)value : value;
}

unsigned run_common(unsigned a, unsigned b)
{
    return a > b ? a : b; /* by the usual arithmetic conversions, long holds every uint */
}

static bool is_signed(unsigned type)
{
    return type == I32 || type == I64;
}

static int64_t signed_arithmetic(struct run *r, unsigned op, unsigned type, int64_t a, int64_t b)
{
    int64_t value;
    bool over = op == B_ADD   ? __builtin_add_overflow(a, b, &value)
                : op == B_SUB ? __builtin_sub_overflow(a, b, &value)
                              : __builtin_mul_overflow(a, b, &value);

    if (over || run_convert(type, value) != value) {
        run_undefined(r, "signed overflow");
        return 0;
    }
    return value;
}

static int64_t divided(struct run *r, unsigned op, unsigned type, int64_t a, int64_t b)
{
    if (b == 0 || (is_signed(type) && b == -1 && a == (type == I32 ? INT32_MIN : INT64_MIN))) {
        run_undefined(r, "division");
        return 0;
    }
    if (is_signed(type)) {
        return op == B_DIV ? a / b : a % b;
    }
    return (int64_t)(op == B_DIV ? (uint64_t)a / (uint64_t)b : (uint64_t)a % (uint64_t)b);
}

static int64_t compared(unsigned op, unsigned type, int64_t a, int64_t b)
{
    bool less = is_signed(type) ? a < b : (uint64_t)a < (uint64_t)b;

    switch (op) {
    case B_LT:
        return less;
    case B_LE:
        return less || a == b;
    case B_GT:
        return !less && a != b;
    case B_GE:
        return !less;
    case B_EQ:
        return a == b;
    default:
        return a != b;
    }
}

int64_t run_binary(struct run *r, unsigned op, unsigned type, int64_t a, int64_t b)
{
    unsigned amount = (unsigned)b & (type == I32 || type == U32 ? 31 : 63);

    a = run_convert(type, a);
    if (op != B_SHL && op != B_SHR) {
        b = run_convert(type, b);
    }
    switch (op) {
    case B_ADD:
    case B_SUB:
    case B_MUL:
        if (is_signed(type)) {
            return signed_arithmetic(r, op, type, a, b);
        }
        return run_convert(type, (int64_t)(op == B_ADD   ? (uint64_t)a + (uint64_t)b
                                           : op == B_SUB ? (uint64_t)a - (uint64_t)b
                                                         : (uint64_t)a * (uint64_t)b));
    case B_DIV:
    case B_REM:
        return divided(r, op, type, a, b);
    case B_SHL:
        return run_convert(type, (int64_t)((uint64_t)a << amount));
    case B_SHR:
        return is_signed(type) ? a >> amount : (int64_t)((uint64_t)a >> amount);
    case B_AND:
        return a & b;
    case B_OR:
        return a | b;
    case B_XOR:
        return a ^ b;
    default:
        return compared(op, type, a, b);
    }
}

static int64_t smaller(unsigned type, int64_t a, int64_t b)
{
    return compared(B_LT, type, a, b) ? a : b;
}

static int64_t larger(unsigned type, int64_t a, int64_t b)
{
    return compared(B_LT, type, a, b) ? b : a;
}

static int64_t add_sat(unsigned type, int64_t a, int64_t b)
{
    __int128 low = type == I32 ? INT32_MIN : type == I64 ? INT64_MIN : 0;
    __int128 high = type == I32 ? INT32_MAX : type == U32 ? UINT32_MAX : type == I64 ? INT64_MAX : UINT64_MAX;
    __int128 sum = is_signed(type) ? (__int128)a + b : (__int128)(uint64_t)a + (uint64_t)b;

    return (int64_t)(sum < low ? low : sum > high ? high : sum);
}

static int64_t mul24(struct run *r, unsigned type, int64_t a, int64_t b)
{
    int64_t low = type == I32 ? -(1 << 23) : 0, high = type == I32 ? (1 << 23) - 1 : (1 << 24) - 1;

    if (a < low || a > high || b < low || b > high) {
        run_undefined(r, "mul24 of more than 24 bits");
        return 0;
    }
    return run_convert(type, (int64_t)((uint64_t)a * (uint64_t)b));
}

static int64_t rotate(unsigned bits, int64_t a, int64_t b)
{
    uint64_t value = bits == 32 ? (uint32_t)a : (uint64_t)a;
    unsigned amount = (unsigned)b & (bits - 1);

    return (int64_t)(amount ? value << amount | value >> (bits - amount) : value);
}

static int64_t count_zeros(unsigned bits, int64_t a)
{
    uint64_t value = bits == 32 ? (uint32_t)a : (uint64_t)a;

    return value ? __builtin_clzll(value) - (64 - (int)bits) : (int)bits;
}

static int64_t distance(unsigned type, int64_t a, int64_t b)
{
    return compared(B_LT, type, a, b) ? (int64_t)((uint64_t)b - (uint64_t)a)
                                      : (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t builtin(struct run *r, const struct gen_expr *e, const int64_t v[3])
{
    unsigned type = e->opnd, bits = type == I32 || type == U32 ? 32 : 64;
    int64_t a = v[0], b = v[1], c = v[2];

    switch ((enum gen_builtin)e->sub) {
    case F_MIN:
        return smaller(type, a, b);
    case F_MAX:
        return larger(type, a, b);
    case F_CLAMP:
        if (compared(B_GT, type, b, c)) {
            run_undefined(r, "clamp between nothing");
        }
        return smaller(type, larger(type, a, b), c);
    case F_SELECT:
        return c ? b : a;
    case F_MUL24:
        return mul24(r, type, a, b);
    case F_MAD24: {
        /* the sum is an int: past its end it is undefined as any */
        int64_t product = mul24(r, type, a, b);
        return run_binary(r, B_ADD, type, product, c);
    }
    case F_ABS:
        return a < 0 && is_signed(type) ? (int64_t)(0 - (uint64_t)a) : a;
    case F_ABS_DIFF:
        return distance(type, a, b);
    case F_ADD_SAT:
        return add_sat(type, a, b);
    case F_ROTATE:
        return rotate(bits, a, b);
    case F_MUL_HI:
        if (bits == 32) {
            return is_signed(type) ? (a * b) >> 32 : (int64_t)(((uint64_t)a * (uint64_t)b) >> 32);
        }
        return is_signed(type) ? (int64_t)(((__int128)a * b) >> 64)
                               : (int64_t)(((unsigned __int128)(uint64_t)a * (uint64_t)b) >> 64);
    case F_CLZ:
        return count_zeros(bits, a);
    case F_POPCOUNT:
        return __builtin_popcountll(bits == 32 ? (uint32_t)a : (uint64_t)a);
    default:
        return (a & ~c) | (b & c);
    }
}

static bool is_size(unsigned what)
{
    return what == ITEM_GLOBAL_SIZE || what == ITEM_LOCAL_SIZE || what == ITEM_ENQUEUED_LOCAL_SIZE ||
           what == ITEM_NUM_GROUPS;
}

static uint64_t item_of_dim(struct run *r, unsigned what, unsigned d, unsigned item)
{
    const struct cx_access_geometry *g = &r->l->geometry;
    bool used = d < g->work_dim;
    uint64_t offset = used ? g->offset[d] : 0, local = used ? g->local[d] : 1;

    if (d > 2 && is_size(what)) {
        run_undefined(r, "size of a fourth dimension"); /* 1 by the letter, 0 on some devices */
    }
    switch (what) {
    case ITEM_GLOBAL_ID:
        return used ? offset + r->group[d] * local + r->lid[item][d] : 0;
    case ITEM_LOCAL_ID:
        return used ? r->lid[item][d] : 0;
    case ITEM_GROUP_ID:
        return used ? r->group[d] : 0;
    case ITEM_GLOBAL_SIZE:
        return used ? g->global[d] : 1;
    case ITEM_LOCAL_SIZE:
        return used ? r->local[d] : 1;
    case ITEM_ENQUEUED_LOCAL_SIZE:
        return local;
    case ITEM_NUM_GROUPS:
        return used ? r->rec->groups[d] : 1;
    default:
        return offset;
    }
}

static uint64_t linear_id(const struct run *r, bool global, unsigned item)
{
    const struct cx_access_geometry *g = &r->l->geometry;
    uint64_t id = 0;

    for (unsigned d = g->work_dim; d-- > 0;) {
        uint64_t in_group = r->lid[item][d];
        id = global ? id * g->global[d] + r->group[d] * g->local[d] + in_group : id * r->local[d] + in_group;
    }
    return id;
}

static int64_t item_value(struct run *r, const struct gen_expr *e, unsigned item)
{
    unsigned d = e->a >= 0 ? (uint32_t)run_eval(r, e->a, item) : (unsigned)e->imm;

    switch (e->sub) {
    case ITEM_WORK_DIM:
        return r->l->geometry.work_dim;
    case ITEM_GLOBAL_LINEAR_ID:
    case ITEM_LOCAL_LINEAR_ID:
        return (int64_t)linear_id(r, e->sub == ITEM_GLOBAL_LINEAR_ID, item);
    default:
        return (int64_t)item_of_dim(r, e->sub, d < 3 ? d : 3, item);
    }
}

static int64_t argument(const struct run *r, const struct gen_expr *e)
{
    const struct gen_elem_info *el = &gen_elem[r->k->param[e->sub].el];
    const unsigned char *value = r->l->value[e->sub];

    if (el->nfield) {
        return run_get(el->field[e->imm].scalar, value + el->field[e->imm].offset);
    }
    if (el->comps) {
        return run_get(el->scalar, value + e->imm * gen_elem[el->scalar].size);
    }
    return run_get(r->k->param[e->sub].el, value);
}

static int64_t bin(struct run *r, const struct gen_expr *e, unsigned item)
{
    int64_t a = run_eval(r, e->a, item);

    if (e->sub == B_LAND) {
        return a ? run_eval(r, e->b, item) != 0 : 0;
    }
    if (e->sub == B_LOR) {
        return a ? 1 : run_eval(r, e->b, item) != 0;
    }
    return run_binary(r, e->sub, e->opnd, a, run_eval(r, e->b, item));
}

static int64_t unary(struct run *r, const struct gen_expr *e, unsigned item)
{
    int64_t a = run_eval(r, e->a, item);

    if (e->sub == U_LNOT) {
        return !a;
    }
    return e->sub == U_NOT ? run_convert(e->type, ~a) : run_binary(r, B_SUB, e->type, 0, a);
}

static int64_t builtin_call(struct run *r, const struct gen_expr *e, unsigned item)
{
    int64_t v[3] = {0, 0, 0};
    int operand[3] = {e->a, e->b, e->c};

    for (int i = 0; i < 3 && operand[i] >= 0; i++) {
        v[i] = run_convert(e->opnd, run_eval(r, operand[i], item));
    }
    return run_convert(e->type, builtin(r, e, v));
}

static int64_t local_value(struct run *r, const struct gen_expr *e, unsigned item)
{
    const struct gen_local *l = &r->k->local[e->sub];
    uint64_t index = (uint32_t)run_eval(r, e->a, item) % (unsigned)l->n;

    return run_get(l->el, run_touch_local(r, e->sub, index, GEN_READ, 0, (int)item));
}

int64_t run_eval(struct run *r, int i, unsigned item)
{
    const struct gen_expr *e = &r->k->expr[i];

    if (r->rec->undefined) {
        return 1;
    }
    if (++r->steps > MAX_STEPS) {
        run_undefined(r, "too long");
    }
    switch ((enum gen_expr_op)e->op) {
    case E_CONST:
        return run_convert(e->type, e->imm);
    case E_VAR:
        return r->var[e->sub][item];
    case E_ARG:
        return argument(r, e);
    case E_ITEM:
        return item_value(r, e, item);
    case E_BIN:
        return bin(r, e, item);
    case E_UN:
        return unary(r, e, item);
    case E_CAST:
        return run_convert(e->type, run_eval(r, e->a, item));
    case E_NARROW: {
        int64_t value = run_eval(r, e->a, item);
        return run_get(e->sub, (const unsigned char *)&value);
    }
    case E_COND:
        return run_convert(e->type, run_eval(r, run_eval(r, e->a, item) ? e->b : e->c, item));
    case E_BUILTIN:
        return builtin_call(r, e, item);
    case E_LOAD:
        return run_load(r, e->ref, item);
    case E_LOCAL:
        return local_value(r, e, item);
    case E_PRIVATE:
        return r->mine[run_eval(r, e->a, item) & 3][item];
    case E_TABLE:
        return gen_table_value(run_eval(r, e->a, item) & 7);
    case E_HELPER:
        return run_helper(r, e->sub, e->a, e->b, e->ref, item);
    case E_IMAGE:
        return run_image_read(r, e, item);
    case E_IMAGE_SIZE:
        return run_image_size(r, e);
    case E_FLOAT:
        return (run_eval(r, e->a, item) & 255) >> 1;
    default:
        return r->l->args[e->sub].object != 0;
    }
}
