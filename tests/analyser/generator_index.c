/* SPDX-License-Identifier: MIT */
/* Values, indices and places in memory of random kernels. */
#include "generator_make.h"

bool make_chance(struct scope *s, unsigned percent)
{
    return cx_random_chance(s->r, percent);
}

unsigned make_below(struct scope *s, unsigned below)
{
    return (unsigned)cx_random_below(s->r, below);
}

int make_expr(struct scope *s, struct gen_expr e)
{
    struct gen_kernel *k = s->k;

    if (k->nexpr == GEN_EXPRS) {
        k->full = true;
        return 0; /* a constant */
    }
    k->expr[k->nexpr] = e;
    return (int)k->nexpr++;
}

int make_const(struct scope *s, unsigned type, int64_t value)
{
    return make_expr(
        s, (struct gen_expr){
               .op = E_CONST, .type = (uint8_t)type, .a = -1, .b = -1, .c = -1, .ref = -1, .imm = value});
}

int make_var(struct scope *s, unsigned var)
{
    return make_expr(s, (struct gen_expr){.op = E_VAR,
                                          .type = s->k->var_type[var],
                                          .sub = (uint8_t)var,
                                          .a = -1,
                                          .b = -1,
                                          .c = -1,
                                          .ref = -1});
}

int make_item(struct scope *s, unsigned item, unsigned dim)
{
    return make_expr(s, (struct gen_expr){.op = E_ITEM,
                                          .type = item == ITEM_WORK_DIM ? U32 : U64,
                                          .sub = (uint8_t)item,
                                          .a = -1,
                                          .b = -1,
                                          .c = -1,
                                          .ref = -1,
                                          .imm = dim});
}

int make_cast(struct scope *s, unsigned type, int a)
{
    return make_expr(
        s,
        (struct gen_expr){.op = E_CAST, .type = (uint8_t)type, .a = (int16_t)a, .b = -1, .c = -1, .ref = -1});
}

/* A number small enough that sums and a few products of such numbers fit its type. */
static bool is_tame(const struct gen_kernel *k, int i)
{
    const struct gen_expr *e = &k->expr[i];

    switch ((enum gen_expr_op)e->op) {
    case E_VAR:
        return k->var_tame[e->sub];
    case E_ARG:
        return gen_elem[k->param[e->sub].el].size <= 8;
    case E_BIN:
        return e->sub >= B_ARITHMETIC || (e->sub != B_SHL && is_tame(k, e->a) && is_tame(k, e->b));
    case E_CAST:
        return is_tame(k, e->a);
    case E_CONST:
    case E_ITEM:
    case E_TABLE:
    case E_FLOAT:
    case E_EXISTS:
    case E_IMAGE_SIZE:
        return true;
    case E_NARROW:
        return e->sub < EL_SHORT;
    default:
        return false;
    }
}

static int binary(struct scope *s, unsigned op, int a, int b)
{
    unsigned x = s->k->expr[a].type, y = s->k->expr[b].type, common = x > y ? x : y;
    unsigned opnd = op == B_SHL || op == B_SHR ? x : common;

    return make_expr(s, (struct gen_expr){.op = E_BIN,
                                          .type = (uint8_t)(op >= B_ARITHMETIC ? I32 : opnd),
                                          .sub = (uint8_t)op,
                                          .opnd = (uint8_t)opnd,
                                          .a = (int16_t)a,
                                          .b = (int16_t)b,
                                          .c = -1,
                                          .ref = -1});
}

int make_binary(struct scope *s, unsigned op, int a, int b)
{
    const struct gen_kernel *k = s->k;
    unsigned x = k->expr[a].type, y = k->expr[b].type, common = x > y ? x : y;

    if (op <= B_MUL && (common == I32 || common == I64) && (!is_tame(k, a) || !is_tame(k, b))) {
        unsigned unsigned_type = common == I32 ? U32 : U64;
        int result = binary(s, op, make_cast(s, unsigned_type, a), make_cast(s, unsigned_type, b));
        return make_chance(s, 70) ? make_cast(s, common, result) : result;
    }
    if (op == B_DIV || op == B_REM) {
        /* by no zero, and by no -1 */
        b = make_chance(s, 60)
                ? make_const(s, y, 1 + make_below(s, 9))
                : binary(s, B_ADD, binary(s, B_AND, b, make_const(s, y, 15)), make_const(s, y, 1));
    }
    return binary(s, op, a, b);
}

int make_divided(struct scope *s, unsigned op, int a, unsigned by)
{
    return binary(s, op, a, make_const(s, s->k->expr[a].type, by));
}

static int some_var(struct scope *s, bool uniform)
{
    unsigned from = make_below(s, s->nvar ? s->nvar : 1);

    for (unsigned i = 0; i < s->nvar; i++) {
        unsigned var = s->var[(from + i) % s->nvar];
        if (!uniform || s->k->var_uniform[var]) {
            return make_var(s, var);
        }
    }
    return -1;
}

static int some_arg(struct scope *s, bool narrow)
{
    const struct gen_kernel *k = s->k;
    unsigned from = make_below(s, k->nparam);

    for (unsigned n = 0; n < k->nparam && !s->helper; n++) {
        unsigned i = (from + n) % k->nparam;
        const struct gen_elem_info *el = &gen_elem[k->param[i].el];
        unsigned part = el->nfield ? make_below(s, el->nfield) : el->comps ? make_below(s, el->comps) : 0;
        unsigned scalar = el->nfield ? el->field[part].scalar : el->comps ? el->scalar : k->param[i].el;
        if (k->param[i].kind == P_VALUE && !(narrow && scalar == EL_FLOAT)) {
            return make_expr(s, (struct gen_expr){.op = E_ARG,
                                                  .type = gen_elem[scalar].type,
                                                  .sub = (uint8_t)i,
                                                  .a = -1,
                                                  .b = -1,
                                                  .c = -1,
                                                  .ref = -1,
                                                  .imm = part});
        }
    }
    return -1;
}

static int some_item(struct scope *s)
{
    static const uint8_t common[] = {ITEM_GLOBAL_ID, ITEM_GLOBAL_ID, ITEM_GLOBAL_ID, ITEM_LOCAL_ID,
                                     ITEM_GROUP_ID,  ITEM_GROUP_ID,  ITEM_LOCAL_SIZE};
    unsigned item = make_chance(s, 75) ? common[make_below(s, sizeof(common))]
                                       : make_below(s, s->k->std >= 20 ? ITEM_COUNT : ITEM_WORK_DIM + 1);
    unsigned dim = make_chance(s, 5) ? make_below(s, 4) : make_below(s, s->k->dims);

    return make_item(s, item, dim);
}

int make_uniform(struct scope *s)
{
    int value = -1;

    switch (make_below(s, 5)) {
    case 0:
        value = make_item(s, make_chance(s, 70) ? ITEM_GROUP_ID : ITEM_NUM_GROUPS, make_below(s, s->k->dims));
        break;
    case 1:
        value = some_arg(s, true);
        break;
    case 2:
        value = some_var(s, true);
        break;
    default:
        break;
    }
    return value >= 0 ? value : make_const(s, make_below(s, 2), make_below(s, 6));
}

static int load(struct scope *s)
{
    int nullable, ref = make_ref(s, USE_LOAD, &nullable), value;
    const struct gen_ref *f;
    unsigned scalar;

    if (ref < 0) {
        return -1;
    }
    f = &s->k->ref[ref];
    scalar = f->form == R_HALF ? (unsigned)EL_INT : gen_ref_scalar(f);
    value = make_expr(
        s, (struct gen_expr){
               .op = E_LOAD, .type = gen_elem[scalar].type, .a = -1, .b = -1, .c = -1, .ref = (int16_t)ref});
    if (nullable >= 0) {
        int exists = make_expr(
            s,
            (struct gen_expr){
                .op = E_EXISTS, .type = I32, .sub = (uint8_t)nullable, .a = -1, .b = -1, .c = -1, .ref = -1});
        value = make_expr(s, (struct gen_expr){.op = E_COND,
                                               .type = s->k->expr[value].type,
                                               .a = (int16_t)exists,
                                               .b = (int16_t)value,
                                               .c = (int16_t)make_const(s, I32, 1),
                                               .ref = -1});
    }
    return value;
}

static int leaf(struct scope *s)
{
    int value = -1;
    unsigned roll = make_below(s, 100);

    if (roll < 45) {
        value = some_var(s, false);
    } else if (roll < 60) {
        value = some_arg(s, true);
    } else if (roll < 80) {
        value = some_item(s);
    }
    return value >= 0 ? value
                      : make_const(s, make_below(s, 4), make_below(s, make_chance(s, 80) ? 10 : 1000));
}

static int call_builtin(struct scope *s, unsigned depth)
{
    static const uint8_t operands[F_COUNT] = {2, 2, 3, 3, 2, 3, 1, 2, 2, 2, 2, 1, 1, 3};
    struct gen_expr e = {.op = E_BUILTIN,
                         .sub = (uint8_t)make_below(s, make_chance(s, 70) ? F_ABS + 1 : F_COUNT),
                         .a = -1,
                         .b = -1,
                         .c = -1,
                         .ref = -1};
    int operand[3] = {-1, -1, -1};

    e.opnd = (uint8_t)make_below(s, e.sub == F_MUL24 || e.sub == F_MAD24 ? 2 : 4);
    for (unsigned i = 0; i < operands[e.sub]; i++) {
        operand[i] = make_value(s, depth - 1);
        if ((e.sub == F_MUL24 || e.sub == F_MAD24) && !is_tame(s->k, operand[i])) {
            operand[i] = binary(s, B_AND, operand[i], make_const(s, I32, 0xfff));
        }
    }
    if (e.sub == F_CLAMP) { /* the lower end is not above the upper one */
        operand[1] = make_const(s, I32, make_below(s, 4));
        operand[2] = make_const(s, I32, 4 + make_below(s, 20));
    }
    e.a = (int16_t)operand[0];
    e.b = (int16_t)operand[1];
    e.c = (int16_t)operand[2];
    e.type = e.opnd;
    if (e.sub == F_ABS || e.sub == F_ABS_DIFF) {
        e.type = e.opnd == I32 ? U32 : e.opnd == I64 ? U64 : e.opnd;
    }
    return make_expr(s, e);
}

static int call_helper(struct scope *s, unsigned depth)
{
    struct gen_kernel *k = s->k;
    struct gen_expr e = {.op = E_HELPER, .b = -1, .c = -1, .ref = -1};

    if (s->helper || !k->nhelper) {
        return -1;
    }
    e.sub = (uint8_t)make_below(s, k->nhelper);
    if (k->helper[e.sub].kind == H_STORE) {
        return -1;
    }
    if (k->helper[e.sub].kind == H_LOAD) {
        int ref = make_address(s, k->helper[e.sub].el, false);
        if (ref < 0) {
            return -1;
        }
        e.ref = (int16_t)ref;
    }
    e.a = (int16_t)make_value(s, depth - 1);
    e.b = (int16_t)make_value(s, depth - 1);
    e.type = k->helper[e.sub].type;
    return make_expr(s, e);
}

static int from_array(struct scope *s, unsigned depth)
{
    struct gen_kernel *k = s->k;
    struct gen_expr e = {.b = -1, .c = -1, .ref = -1};
    unsigned roll = make_below(s, 3);

    e.a = (int16_t)make_value(s, depth - 1);
    e.type = I32;
    e.op = E_TABLE;
    if (roll == 0 && k->has_private && !s->helper) {
        e.op = E_PRIVATE;
    } else if (roll == 1 && k->nlocal && !s->helper) {
        e.op = E_LOCAL;
        e.sub = (uint8_t)make_below(s, k->nlocal);
        e.type = gen_elem[k->local[e.sub].el].type;
    }
    return make_expr(s, e);
}

static int either(struct scope *s, unsigned depth)
{
    int a = make_condition(s), b = make_value(s, depth - 1), c = make_value(s, depth - 1);
    unsigned x = s->k->expr[b].type, y = s->k->expr[c].type;

    return make_expr(s, (struct gen_expr){.op = E_COND,
                                          .type = (uint8_t)(x > y ? x : y),
                                          .a = (int16_t)a,
                                          .b = (int16_t)b,
                                          .c = (int16_t)c,
                                          .ref = -1});
}

static int changed(struct scope *s, unsigned depth)
{
    struct gen_expr e = {.b = -1, .c = -1, .ref = -1};

    e.a = (int16_t)make_value(s, depth - 1);
    switch (make_below(s, 5)) {
    case 0:
    case 1:
        return make_cast(s, make_below(s, 4), e.a);
    case 2:
        e.op = E_NARROW;
        e.sub = (uint8_t)make_below(s, EL_USHORT + 1);
        e.type = I32;
        return make_expr(s, e);
    case 3:
        e.op = E_FLOAT;
        e.type = I32;
        return make_expr(s, e);
    default:
        e.op = E_UN;
        e.sub = (uint8_t)(make_chance(s, 50) ? U_NOT : make_chance(s, 50) ? U_LNOT : U_NEG);
        if (e.sub == U_NEG && (s->k->expr[e.a].type == I32 || s->k->expr[e.a].type == I64) &&
            !is_tame(s->k, e.a)) {
            e.sub = U_NOT;
        }
        e.type = e.sub == U_LNOT ? I32 : s->k->expr[e.a].type;
        return make_expr(s, e);
    }
}

int make_value(struct scope *s, unsigned depth)
{
    static const uint8_t wild[] = {B_ADD, B_ADD, B_SUB, B_MUL, B_DIV, B_REM, B_SHL,
                                   B_SHR, B_AND, B_OR,  B_XOR, B_LT,  B_EQ};
    unsigned roll = make_below(s, 100);
    int value = -1;

    if (depth == 0 || s->k->full || s->k->nexpr > GEN_EXPRS - 200) {
        return leaf(s);
    }
    if (roll < 40) {
        int a = make_value(s, depth - 1), b = make_value(s, depth - 1);
        return make_binary(s, wild[make_below(s, sizeof(wild))], a, b);
    }
    if (roll < 60) {
        value = make_chance(s, 25) ? make_image_read(s) : -1;
        value = value >= 0 ? value : load(s);
    } else if (roll < 68) {
        value = changed(s, depth);
    } else if (roll < 75) {
        value = call_builtin(s, depth);
    } else if (roll < 80) {
        value = either(s, depth);
    } else if (roll < 86) {
        value = from_array(s, depth);
    } else if (roll < 91) {
        value = call_helper(s, depth);
    }
    return value >= 0 ? value : leaf(s);
}

int make_condition(struct scope *s)
{
    int a, b;

    if (make_chance(s, 20) && s->depth < 6) {
        s->depth++;
        a = make_condition(s);
        b = make_condition(s);
        s->depth--;
        return binary(s, make_chance(s, 50) ? B_LAND : B_LOR, a, b);
    }
    a = s->k->class == CLASS_AFFINE || make_chance(s, 60) ? make_affine(s) : make_value(s, 2);
    b = make_chance(s, 60) ? make_uniform(s) : make_affine(s);
    return binary(s, B_LT + make_below(s, make_chance(s, 80) ? 4 : 6), a, b);
}

/* A thing that affine indices are made of. */
static int atom(struct scope *s)
{
    unsigned roll = make_below(s, 100);
    int value = -1;

    if (roll < 65) {
        for (int tries = 0; tries < 4 && value < 0; tries++) {
            unsigned var = s->nvar ? s->var[make_below(s, s->nvar)] : 0;
            value = s->nvar && s->k->var_tame[var] ? make_var(s, var) : -1;
        }
    } else if (roll < 75) {
        value = some_arg(s, true);
        value = value >= 0 && is_tame(s->k, value) ? value : -1;
    }
    return value >= 0 ? value : some_item(s);
}

int make_affine(struct scope *s)
{
    unsigned terms = make_chance(s, 55) ? 1 : 1 + make_below(s, 3);
    int sum = -1;

    for (unsigned i = 0; i < terms; i++) {
        int term = atom(s);
        if (make_chance(s, 25)) {
            int factor = make_chance(s, 60) ? make_const(s, make_below(s, 4), 1 + make_below(s, 4)) : atom(s);
            term = make_binary(s, B_MUL, term, factor);
        }
        sum = sum < 0 ? term : make_binary(s, make_chance(s, 88) ? B_ADD : B_SUB, sum, term);
    }
    if (make_chance(s, 25)) {
        sum = make_binary(s, make_chance(s, 80) ? B_ADD : B_SUB, sum,
                          make_const(s, make_below(s, 4), make_below(s, 5)));
    }
    if (make_chance(s, 6)) {
        const struct gen_ring ring = make_ring_layout(s);
        sum = make_ring(s, make_chance(s, 50) ? make_item(s, ITEM_GLOBAL_ID, make_below(s, s->k->dims)) : sum,
                        &ring);
    }
    if (make_chance(s, 6)) { /* from the end */
        int size = make_item(s, ITEM_GLOBAL_SIZE, make_below(s, s->k->dims));
        sum = make_binary(s, B_SUB, make_binary(s, B_SUB, size, make_const(s, I32, 1)), sum);
    }
    if (make_chance(s, 6)) {
        static const uint8_t op[] = {B_DIV, B_REM, B_SHR, B_AND};
        sum = make_binary(s, op[make_below(s, 4)], sum, make_const(s, I32, 1 + make_below(s, 6)));
    }
    return make_chance(s, 20) ? make_cast(s, make_below(s, 4), sum) : sum;
}

static int min_of(struct scope *s, unsigned type, int a, int b)
{
    return make_expr(s, (struct gen_expr){.op = E_BUILTIN,
                                          .type = (uint8_t)type,
                                          .sub = F_MIN,
                                          .opnd = (uint8_t)type,
                                          .a = (int16_t)a,
                                          .b = (int16_t)b,
                                          .c = -1,
                                          .ref = -1});
}

int make_wrapped(struct scope *s, int value, unsigned count)
{
    unsigned power = 1;

    while (power * 2 <= count) {
        power *= 2;
    }
    switch (make_below(s, 6)) {
    case 0:
        return binary(s, B_AND, value, make_const(s, I32, power - 1));
    case 1:
        return min_of(s, U32, value, make_const(s, U32, count - 1));
    case 2:
        return make_expr(s, (struct gen_expr){.op = E_BUILTIN,
                                              .type = I32,
                                              .sub = F_CLAMP,
                                              .opnd = I32,
                                              .a = (int16_t)value,
                                              .b = (int16_t)make_const(s, I32, 0),
                                              .c = (int16_t)make_const(s, I32, count - 1),
                                              .ref = -1});
    case 3:
        return binary(s, B_REM, make_cast(s, U64, value), make_const(s, I32, count));
    case 4: {
        int cond = binary(s, B_LT, make_cast(s, U32, value), make_const(s, U32, count));
        return make_expr(s, (struct gen_expr){.op = E_COND,
                                              .type = U32,
                                              .a = (int16_t)cond,
                                              .b = (int16_t)make_cast(s, U32, value),
                                              .c = (int16_t)make_const(s, U32, 0),
                                              .ref = -1});
    }
    default:
        return binary(s, B_REM, make_cast(s, U32, value), make_const(s, U32, count));
    }
}

static int make_index(struct scope *s, unsigned minimum)
{
    static const uint8_t wrapped[CLASS_COUNT] = {3, 45, 80, 10};

    if (make_chance(s, wrapped[s->k->class]) && minimum > 0) {
        return make_wrapped(s, make_value(s, s->k->class == CLASS_WILD ? 3 : 2), minimum);
    }
    return make_affine(s);
}

/* The form of an access to a parameter or pointer with that element; aligned: the source is a whole buffer.
 */
static bool choose_form(struct scope *s, struct gen_ref *f, enum make_use use, bool aligned, bool is_volatile)
{
    const struct gen_elem_info *e = &gen_elem[f->el];
    bool plain = f->el < EL_SCALARS;

    f->form = make_chance(s, 85) ? R_ELEM : R_STAR;
    f->to = f->el;
    if (use == USE_ATOMIC) {
        return f->el == EL_INT || f->el == EL_UINT;
    }
    if (e->nfield) {
        f->form = R_FIELD;
        f->part = (uint8_t)make_below(s, e->nfield);
    } else if (e->comps) {
        f->form = make_chance(s, 50) || use == USE_COMPOUND ? R_COMP : R_VECTOR;
        f->part = (uint8_t)make_below(s, e->comps);
    } else if (make_chance(s, 12) && use != USE_COMPOUND && !is_volatile &&
               (f->el == EL_CHAR || f->el == EL_SHORT || f->el == EL_INT || f->el == EL_LONG ||
                f->el == EL_FLOAT)) {
        static const uint8_t counts[] = {2, 3, 4, 8};
        f->form = R_VLOAD;
        f->part = counts[make_below(s, 4)];
    } else if (make_chance(s, 2) && use != USE_COMPOUND && !is_volatile && plain && aligned) {
        f->form = R_HALF;
    } else if (make_chance(s, 8)) {
        f->form = make_chance(s, 50) ? R_CAST : R_BYTES;
        f->to = (uint8_t)(make_chance(s, 50) ? make_below(s, 2) : make_below(s, EL_FLOAT));
        if (!aligned && gen_elem[f->to].align > e->align) {
            f->to = EL_CHAR;
        }
    }
    return !(use == USE_COMPOUND && ((f->form == R_FIELD && e->field[f->part].scalar == EL_FLOAT) ||
                                     (f->form == R_COMP && e->scalar == EL_FLOAT) ||
                                     (f->to == EL_FLOAT && f->form != R_FIELD && f->form != R_COMP)));
}

static int add_ref(struct scope *s, struct gen_ref f)
{
    if (s->k->nref == GEN_REFS) {
        s->k->full = true;
        return -1;
    }
    s->k->ref[s->k->nref] = f;
    return (int)s->k->nref++;
}

/* A parameter or pointer variable that fits; el -1: any. */
static bool choose_source(struct scope *s, struct gen_ref *f, int el, enum make_use use, bool plain)
{
    struct gen_kernel *k = s->k;
    bool written = use != USE_LOAD;
    unsigned role = use == USE_LOAD ? ROLE_IN : use == USE_ATOMIC ? ROLE_COUNTER : ROLE_OUT;
    unsigned all = (s->helper ? 0 : k->nparam) + s->nptr, from = make_below(s, all ? all : 1);

    for (unsigned n = 0; n < all; n++) {
        unsigned i = (from + n) % all;
        bool ptr = i < s->nptr;
        unsigned src = ptr ? s->ptr[i] : i - s->nptr;
        unsigned kind = ptr ? (k->ptr[src].space == 1 ? P_CONSTANT : P_GLOBAL) : k->param[src].kind;
        bool is_const = ptr ? k->ptr[src].is_const : k->param[src].is_const;
        bool is_volatile = ptr ? k->ptr[src].is_volatile : k->param[src].is_volatile;
        unsigned has = ptr ? k->ptr[src].el : k->param[src].el;
        if (k->tidy && !ptr && k->param[src].role != role) {
            continue;
        }
        if (kind > P_CONSTANT || (written && (is_const || kind == P_CONSTANT)) ||
            (el >= 0 && has != (unsigned)el) ||
            (plain && (is_volatile || kind == P_CONSTANT || (!ptr && k->param[src].nullable)))) {
            continue;
        }
        *f = (struct gen_ref){.ptr = ptr, .src = (uint8_t)src, .el = (uint8_t)has};
        return true;
    }
    return false;
}

/* An index that no other work-item has; step: of the places between two work-items. */
static int own_index(struct scope *s, unsigned step, unsigned place)
{
    int index = make_own_number(s);

    if (step > 1) {
        index = make_binary(s, B_MUL, index, make_const(s, make_below(s, 4), step));
    }
    return place ? make_binary(s, B_ADD, index, make_const(s, make_below(s, 4), place)) : index;
}

/* A store of a tidy kernel: to the same kind of place as the others through the parameter. */
static int own_place(struct scope *s, struct gen_ref f, enum make_use use)
{
    struct gen_param *p = &s->k->param[f.src];
    unsigned step = 1 + (unsigned)(p->minimum % 4 == 3);
    int ref;

    if (f.ptr) { /* in a helper: its caller has chosen the place */
        if (f.el < EL_SCALARS) {
            f.form = R_ELEM;
            f.to = f.el;
        }
        if (use == USE_COMPOUND && f.form == R_ELEM && f.el == EL_FLOAT) {
            return -1;
        }
        f.index = (int16_t)make_const(s, I32, 0);
        return add_ref(s, f);
    }
    if (p->first_ref >= 0 && f.form != R_FIELD && f.form != R_COMP) {
        uint8_t form = s->k->ref[p->first_ref].form;
        f.form = form == R_FIELD || form == R_COMP ? f.form : form;
        f.to = s->k->ref[p->first_ref].to;
        f.part = s->k->ref[p->first_ref].part;
        if (use == USE_COMPOUND && (f.form >= R_VECTOR || f.to == EL_FLOAT)) {
            return -1;
        }
    }
    f.index = (int16_t)own_index(s, step, make_below(s, step));
    ref = add_ref(s, f);
    if (p->first_ref < 0) {
        p->first_ref = (int16_t)ref;
    }
    return ref;
}

int make_ref(struct scope *s, enum make_use use, int *nullable)
{
    struct gen_kernel *k = s->k;
    struct gen_ref f;
    int index;
    unsigned stride, minimum;
    const bool place = k->class == CLASS_RINGS && use == USE_LOAD && !s->helper && make_chance(s, 40);

    *nullable = -1;
    if (k->full || k->nref > GEN_REFS - 20 || !choose_source(s, &f, -1, place ? USE_STORE : use, false) ||
        !choose_form(s, &f, use, !f.ptr, f.ptr ? k->ptr[f.src].is_volatile : k->param[f.src].is_volatile)) {
        return -1;
    }
    stride = gen_ref_stride(&f);
    minimum = f.ptr ? 0 : (unsigned)k->param[f.src].minimum * gen_elem[f.el].size / stride;
    if (!f.ptr && k->param[f.src].nullable) {
        *nullable = f.src;
    }
    if (!f.ptr && use != USE_LOAD) {
        k->param[f.src].written = true;
    }
    if (k->tidy &&
        (use == USE_STORE || use == USE_COMPOUND || (place && !f.ptr && k->param[f.src].first_ref >= 0))) {
        return own_place(s, f, use);
    }
    s->depth++;
    index = s->depth > 3 ? make_wrapped(s, leaf(s), minimum ? minimum : 4) : make_index(s, minimum);
    s->depth--;
    f.index = (int16_t)index;
    return add_ref(s, f);
}

int make_address(struct scope *s, int el, bool written)
{
    struct gen_ref f;

    if (!choose_source(s, &f, el, written ? USE_STORE : USE_LOAD, true)) {
        return -1;
    }
    f.form = R_STAR;
    f.to = f.el;
    f.index =
        (int16_t)(make_chance(s, 30) ? make_const(s, I32, make_below(s, 3))
                  : f.ptr || make_chance(s, 60)
                      ? make_affine(s)
                      : make_wrapped(s, make_value(s, 1), (unsigned)s->k->param[f.src].minimum / 2 + 1));
    if (s->k->tidy && written && !f.ptr) {
        f.index = (int16_t)own_index(s, 1, 0);
    }
    if (!f.ptr && written) {
        s->k->param[f.src].written = true;
    }
    return add_ref(s, f);
}
