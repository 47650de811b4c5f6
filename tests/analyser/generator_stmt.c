/* SPDX-License-Identifier: MIT */
/* Statements of random kernels. */
#include "generator_make.h"

int make_statement(struct scope *s, struct gen_stmt t)
{
    struct gen_kernel *k = s->k;

    if (k->nstmt == GEN_STMTS) {
        k->full = true;
        return -1;
    }
    t.next = -1;
    k->stmt[k->nstmt] = t;
    return (int)k->nstmt++;
}

struct gen_stmt make_stmt(unsigned op)
{
    return (struct gen_stmt){.op = (uint8_t)op,
                             .sub = B_SET,
                             .var = -1,
                             .a = -1,
                             .b = -1,
                             .c = -1,
                             .ref = -1,
                             .ref2 = -1,
                             .body = -1,
                             .other = -1,
                             .next = -1};
}

void make_append(struct scope *s, struct list *l, int i)
{
    if (i < 0) {
        return;
    }
    if (l->first < 0) {
        l->first = i;
    } else {
        s->k->stmt[l->last].next = (int16_t)i;
    }
    l->last = i;
}

int make_new_var(struct scope *s, unsigned type, bool fixed)
{
    struct gen_kernel *k = s->k;
    unsigned var = k->nvar;

    if (k->nvar == GEN_VARS - 2) {
        k->full = true;
        return -1;
    }
    k->nvar++;
    k->var_type[var] = (uint8_t)type;
    s->fixed[s->nvar] = fixed;
    s->var[s->nvar++] = (uint8_t)var;
    return (int)var;
}

int make_declare(struct scope *s, int value, bool tame)
{
    struct gen_stmt t = make_stmt(S_DECL);
    unsigned type = make_chance(s, 50) ? s->k->expr[value].type : make_below(s, 4);

    t.a = (int16_t)value;
    t.var = (int16_t)make_new_var(s, type, false);
    if (t.var < 0) {
        return -1;
    }
    s->k->var_tame[t.var] = tame;
    return make_statement(s, t);
}

/* The variables a body declares end with it. */
static int body_of(struct scope *s, unsigned count)
{
    unsigned nvar = s->nvar, nptr = s->nptr;
    bool uniform = s->uniform;
    int body;

    s->uniform = false;
    s->depth++;
    body = make_body(s, count);
    s->depth--;
    s->uniform = uniform;
    s->nvar = nvar;
    s->nptr = nptr;
    return body;
}

static int guard_null(struct scope *s, int inside, int nullable)
{
    struct gen_stmt t = make_stmt(S_IF);

    if (nullable < 0 || inside < 0) {
        return inside;
    }
    t.a = (int16_t)make_expr(
        s, (struct gen_expr){
               .op = E_EXISTS, .type = I32, .sub = (uint8_t)nullable, .a = -1, .b = -1, .c = -1, .ref = -1});
    t.body = (int16_t)inside;
    return make_statement(s, t);
}

static unsigned assignment(struct scope *s)
{
    static const uint8_t op[] = {B_ADD, B_SUB, B_XOR, B_AND, B_OR, B_MUL, B_SHL, B_SHR};

    return op[make_below(s, sizeof(op))];
}

/* Compound assignments to signed numbers could overflow: by bits or by unsigned numbers. */
static unsigned fitting(struct scope *s, unsigned op, unsigned left, int *value)
{
    if (op <= B_MUL && (left == I32 || left == I64)) {
        *value = make_cast(s, left == I32 ? U32 : U64, *value);
    }
    return op;
}

static unsigned left_type(const struct gen_ref *f)
{
    return gen_elem[gen_ref_scalar(f)].type;
}

int make_store(struct scope *s)
{
    struct gen_stmt t = make_stmt(S_STORE);
    bool compound = make_chance(s, 20);
    int nullable, value = make_value(s, s->k->class == CLASS_AFFINE ? 2 : 3);

    t.ref = (int16_t)make_ref(s, compound ? USE_COMPOUND : USE_STORE, &nullable);
    if (t.ref < 0) {
        return -1;
    }
    if (compound) {
        t.sub = (uint8_t)fitting(s, assignment(s), left_type(&s->k->ref[t.ref]), &value);
    }
    t.a = (int16_t)value;
    return guard_null(s, make_statement(s, t), nullable);
}

static int atomic(struct scope *s)
{
    struct gen_kernel *k = s->k;
    struct gen_stmt t = make_stmt(S_ATOMIC);
    int nullable;

    t.sub = (uint8_t)make_below(s, make_chance(s, 85) ? A_XCHG : A_COUNT);
    t.ref = (int16_t)make_ref(s, USE_ATOMIC, &nullable);
    if (t.ref < 0) {
        return -1;
    }
    t.a = (int16_t)make_cast(s, gen_elem[k->ref[t.ref].el].type, make_value(s, 1));
    if (make_chance(s, 20) && nullable < 0) {
        for (unsigned i = 0; i < s->nvar; i++) {
            if (!s->fixed[i] && !k->var_uniform[s->var[i]]) {
                t.var = s->var[i];
                k->var_tame[t.var] = false;
            }
        }
    }
    return guard_null(s, make_statement(s, t), nullable);
}

static int set(struct scope *s)
{
    struct gen_stmt t = make_stmt(S_SET);
    unsigned at = s->nvar ? make_below(s, s->nvar) : 0;
    int value;

    if (!s->nvar || s->fixed[at] || s->k->var_uniform[s->var[at]]) {
        return -1;
    }
    t.var = s->var[at];
    if (make_chance(s, 40)) {
        value = make_affine(s);
    } else {
        value = make_value(s, 2);
        s->k->var_tame[t.var] = false;
    }
    if (make_chance(s, 50)) {
        t.sub = (uint8_t)fitting(s, assignment(s), s->k->var_type[t.var], &value);
        s->k->var_tame[t.var] = false;
    }
    t.a = (int16_t)value;
    return make_statement(s, t);
}

static int branch(struct scope *s)
{
    struct gen_stmt t = make_stmt(S_IF);

    t.a = (int16_t)make_condition(s);
    t.body = (int16_t)body_of(s, 1 + make_below(s, 2));
    if (make_chance(s, 30)) {
        t.other = (int16_t)body_of(s, 1);
    }
    return make_statement(s, t);
}

static int choice(struct scope *s)
{
    struct gen_stmt t = make_stmt(S_SWITCH);
    struct list cases = {-1, -1};
    bool no_break = s->no_break;

    t.a = (int16_t)make_wrapped(s, make_chance(s, 50) ? make_affine(s) : make_value(s, 1), 4);
    t.a = (int16_t)make_cast(s, U32, t.a);
    s->no_break = true;
    for (int i = 0; i < 3; i++) {
        struct gen_stmt c = make_stmt(S_CASE);
        c.imm = i < 2 ? i : -1;
        c.sub = make_chance(s, 75);
        c.body = (int16_t)body_of(s, 1);
        make_append(s, &cases, make_statement(s, c));
    }
    s->no_break = no_break;
    t.body = (int16_t)cases.first;
    return make_statement(s, t);
}

/* The bound of a loop: small. */
static int bound(struct scope *s)
{
    int value = make_uniform(s);

    if (make_chance(s, 25)) {
        value = make_affine(s);
    }
    return make_chance(s, 40) ? make_wrapped(s, value, 6) : value;
}

static void count_up(struct scope *s, struct gen_stmt *t, int end)
{
    static const uint8_t op[] = {B_LT, B_LT, B_LT, B_LE, B_NE};
    unsigned type = s->k->var_type[t->var];
    bool ids = make_chance(s, 25);

    t->a = (int16_t)(ids ? make_item(s, ITEM_GLOBAL_ID, make_below(s, s->k->dims))
                         : make_const(s, type, make_below(s, 3)));
    t->b = (int16_t)make_binary(s, op[make_below(s, ids ? 3 : 5)], make_var(s, (unsigned)t->var), end);
    t->sub = B_ADD;
    t->c = (int16_t)(ids ? make_item(s, ITEM_GLOBAL_SIZE, make_below(s, s->k->dims))
                         : make_const(s, make_below(s, 2), make_chance(s, 70) ? 1 : 1 + make_below(s, 4)));
}

static int for_loop(struct scope *s, bool uniform)
{
    struct gen_stmt t = make_stmt(S_FOR);
    unsigned nvar = s->nvar, nptr = s->nptr, roll = make_below(s, 100);
    bool loop = s->loop, no_break = s->no_break, may_return = s->may_return, was_uniform = s->uniform;
    int end = uniform ? make_wrapped(s, make_uniform(s), 5) : bound(s);
    int var = make_new_var(s, make_below(s, 4), true);

    if (var < 0) {
        return -1;
    }
    t.var = (int16_t)var;
    s->k->var_tame[var] = true;
    if (uniform || roll < 70) {
        count_up(s, &t, end);
        if (uniform) {
            t.a = (int16_t)make_const(s, I32, 0);
            t.b = (int16_t)make_binary(s, B_LT, make_var(s, (unsigned)var), end);
            t.c = (int16_t)make_const(s, I32, 1);
        }
    } else if (roll < 85) {
        s->k->var_type[var] = make_chance(s, 50) ? I32 : I64;
        t.a = (int16_t)end;
        t.b = (int16_t)make_binary(s, make_chance(s, 50) ? B_GT : B_GE, make_var(s, (unsigned)var),
                                   make_const(s, I32, make_below(s, 2)));
        t.sub = B_SUB;
        t.c = (int16_t)make_const(s, I32, 1 + make_below(s, 2));
    } else {
        bool up = make_chance(s, 50);
        t.a = (int16_t)(up ? make_const(s, I32, 1) : make_item(s, ITEM_LOCAL_SIZE, 0));
        t.b =
            (int16_t)(up ? make_binary(s, B_LT, make_var(s, (unsigned)var), make_item(s, ITEM_LOCAL_SIZE, 0))
                         : make_binary(s, B_GT, make_var(s, (unsigned)var), make_const(s, I32, 0)));
        t.sub = up ? B_SHL : B_SHR;
        t.c = (int16_t)make_const(s, I32, 1);
    }
    s->k->var_uniform[var] = uniform;
    s->loop = true;
    s->no_break = uniform;
    s->may_return = may_return && !uniform;
    s->uniform = uniform;
    s->depth++;
    t.body = (int16_t)make_body(s, 1 + make_below(s, 2));
    s->depth--;
    s->uniform = was_uniform;
    s->loop = loop;
    s->no_break = no_break;
    s->may_return = may_return;
    s->nvar = nvar;
    s->nptr = nptr;
    return make_statement(s, t);
}

/* A variable counts to its end inside the body. */
static void while_loop(struct scope *s, struct list *l)
{
    struct gen_stmt t = make_stmt(make_chance(s, 70) ? S_WHILE : S_DO), step = make_stmt(S_SET);
    int start = make_chance(s, 60) ? make_const(s, I32, make_below(s, 3)) : make_affine(s),
        i = make_declare(s, start, true);
    bool loop = s->loop, no_break = s->no_break;
    struct list body = {-1, -1};
    unsigned var;

    if (i < 0) {
        return;
    }
    make_append(s, l, i);
    var = (unsigned)s->k->stmt[i].var;
    s->fixed[s->nvar - 1] = true;
    t.a = (int16_t)make_binary(s, make_chance(s, 80) ? B_LT : B_NE, make_var(s, var), bound(s));
    s->loop = false; /* no continue past the step */
    body.first = body_of(s, 1 + make_below(s, 2));
    s->loop = loop;
    s->no_break = no_break;
    body.last = body.first;
    while (body.last >= 0 && s->k->stmt[body.last].next >= 0) {
        body.last = s->k->stmt[body.last].next;
    }
    step.var = (int16_t)var;
    step.sub = B_ADD;
    step.a = (int16_t)make_const(s, make_below(s, 2), 1 + make_below(s, 3));
    make_append(s, &body, make_statement(s, step));
    t.body = (int16_t)body.first;
    make_append(s, l, make_statement(s, t));
}

static int jump(struct scope *s)
{
    struct gen_stmt t = make_stmt(S_IF);
    unsigned op;

    if (s->loop && !s->no_break) {
        op = make_chance(s, 60) ? S_BREAK : S_CONTINUE;
    } else if (s->may_return) {
        op = S_RETURN;
    } else {
        return -1;
    }
    t.a = (int16_t)make_condition(s);
    t.body = (int16_t)make_statement(s, make_stmt(op));
    return make_statement(s, t);
}

/* ---- flags ---- */

static int set_to(struct scope *s, int var, int value)
{
    struct gen_stmt t = make_stmt(S_SET);

    t.var = (int16_t)var;
    t.a = (int16_t)make_const(s, I32, value);
    return make_statement(s, t);
}

/* Something like "i < id && id < 7 - i"; i: a variable, or -1. */
static int inside(struct scope *s, int i)
{
    int id = make_item(s, make_chance(s, 60) ? ITEM_LOCAL_ID : ITEM_GLOBAL_ID, make_below(s, s->k->dims));
    int low, high;

    if (i < 0 || make_chance(s, 20)) {
        return make_condition(s);
    }
    low = make_binary(s, make_chance(s, 50) ? B_GT : B_GE, make_chance(s, 70) ? id : make_affine(s),
                      make_var(s, (unsigned)i));
    high = make_binary(s, B_SUB, make_const(s, I32, 2 + make_below(s, 14)), make_var(s, (unsigned)i));
    high = make_binary(s, make_chance(s, 50) ? B_LT : B_LE, id, high);
    return make_chance(s, 80) ? make_binary(s, B_LAND, low, high) : low;
}

/* if (...) { flag = 1; ... }, mostly with flag = 0 before it. */
static void raise_flag(struct scope *s, struct list *l, int flag, int i)
{
    struct gen_stmt t = make_stmt(S_IF);
    struct list body = {-1, -1};

    if (make_chance(s, 85)) {
        make_append(s, l, set_to(s, flag, 0));
    }
    t.a = (int16_t)inside(s, i);
    make_append(s, &body, set_to(s, flag, make_chance(s, 80) ? 1 : -2));
    if (make_chance(s, 60)) {
        make_append(s, &body, make_store(s));
    }
    t.body = (int16_t)body.first;
    if (make_chance(s, 15)) {
        t.other = (int16_t)set_to(s, flag, make_chance(s, 70) ? 0 : 1);
    }
    make_append(s, l, make_statement(s, t));
}

/* if (i == end - 1) break, or what is like it. */
static int leave_last(struct scope *s, int i, int end)
{
    static const uint8_t op[] = {B_EQ, B_EQ, B_EQ, B_GE, B_GT, B_NE};
    struct gen_stmt t = make_stmt(S_IF);
    int x = make_var(s, (unsigned)i), n = make_var(s, (unsigned)end), one = make_const(s, I32, 1);

    if (make_chance(s, 50)) {
        n = make_binary(s, B_SUB, n, make_chance(s, 80) ? one : make_const(s, I32, 2));
    } else {
        x = make_binary(s, B_ADD, x, one);
    }
    t.a = (int16_t)make_binary(s, op[make_below(s, sizeof(op))], x, n);
    t.body = (int16_t)make_statement(s, make_stmt(S_BREAK));
    return make_statement(s, t);
}

/* A loop that sets the flag anew in each iteration and may end by a question of its own. */
static int flag_loop(struct scope *s, int flag, int end)
{
    struct gen_stmt t = make_stmt(S_FOR);
    struct list body = {-1, -1};
    unsigned nvar = s->nvar;

    t.var = (int16_t)make_new_var(s, I32, true);
    if (t.var < 0) {
        return -1;
    }
    t.a = (int16_t)make_const(s, I32, make_chance(s, 80) ? 0 : make_below(s, 3));
    t.b = (int16_t)make_binary(s, make_chance(s, 80) ? B_LT : B_LE, make_var(s, (unsigned)t.var),
                               make_var(s, (unsigned)end));
    t.sub = B_ADD;
    t.c = (int16_t)make_const(s, I32, make_chance(s, 90) ? 1 : 2);
    if (make_chance(s, 10)) {
        make_append(s, &body, leave_last(s, t.var, end));
    }
    raise_flag(s, &body, flag, t.var);
    if (make_chance(s, 75)) {
        make_append(s, &body, leave_last(s, t.var, end));
    }
    if (make_chance(s, 20)) {
        raise_flag(s, &body, flag, t.var);
    }
    s->nvar = nvar;
    t.body = (int16_t)body.first;
    return make_statement(s, t);
}

static int declare_fixed(struct scope *s, struct list *l, int value)
{
    int i = make_declare(s, value, true);

    if (i < 0) {
        return -1;
    }
    make_append(s, l, i);
    s->fixed[s->nvar - 1] = true;
    s->k->var_type[s->k->stmt[i].var] = I32;
    return s->k->stmt[i].var;
}

/* A flag, set on some ways, and a store where it is set (or not). */
static void flag(struct scope *s, struct list *l)
{
    struct gen_stmt t = make_stmt(S_IF);
    int end = declare_fixed(s, l, make_wrapped(s, make_uniform(s), 5));
    int var = end < 0 ? -1 : declare_fixed(s, l, make_const(s, I32, make_chance(s, 80) ? 0 : 1));

    if (var < 0) {
        return;
    }
    s->k->var_tame[var] = false;
    if (make_chance(s, 75)) {
        make_append(s, l, flag_loop(s, var, end));
    } else {
        raise_flag(s, l, var, -1);
    }
    t.a = (int16_t)make_binary(s, make_chance(s, 80) ? B_NE : B_EQ, make_var(s, (unsigned)var),
                               make_const(s, I32, make_chance(s, 90) ? 0 : 1));
    t.body = (int16_t)body_of(s, 1 + make_below(s, 2));
    make_append(s, l, make_statement(s, t));
}

static int pointer(struct scope *s)
{
    struct gen_kernel *k = s->k;
    struct gen_stmt t = make_stmt(S_PTR);
    bool is_const = k->tidy || make_chance(s, 40);
    unsigned ptr = k->nptr;

    if (k->nptr == GEN_PTRS) {
        return -1;
    }
    t.var = (int16_t)ptr;
    t.ref = (int16_t)make_address(s, -1, !is_const);
    if (t.ref < 0) {
        return -1;
    }
    if (make_chance(s, 30)) {
        t.ref2 = (int16_t)make_address(s, k->ref[t.ref].el, !is_const);
        t.a = (int16_t)(t.ref2 >= 0 ? make_condition(s) : -1);
    }
    k->nptr++;
    k->ptr[ptr].el = k->ref[t.ref].el;
    k->ptr[ptr].is_const = is_const;
    s->ptr[s->nptr++] = (uint8_t)ptr;
    return make_statement(s, t);
}

static int move_pointer(struct scope *s)
{
    struct gen_stmt t = make_stmt(S_PTR_ADD);

    if (!s->nptr || s->helper) {
        return -1;
    }
    t.var = s->ptr[make_below(s, s->nptr)];
    t.a = (int16_t)(make_chance(s, 60) ? make_const(s, I32, 1 + make_below(s, 3)) : make_affine(s));
    return make_statement(s, t);
}

static int copy(struct scope *s)
{
    struct gen_kernel *k = s->k;
    struct gen_stmt t = make_stmt(S_COPY);
    int to = make_address(s, EL_PAIR + (int)make_below(s, 4), true), from;

    if (to < 0) {
        return -1;
    }
    from = make_address(s, k->ref[to].el, false);
    if (from < 0) {
        return -1;
    }
    k->ref[to].form = k->ref[from].form = R_WHOLE;
    t.ref = (int16_t)to;
    t.ref2 = (int16_t)from;
    return make_statement(s, t);
}

static int arrays(struct scope *s)
{
    struct gen_kernel *k = s->k;
    struct gen_stmt t = make_stmt(S_PRIVATE);
    unsigned left = I32;
    int value;

    if (s->helper) {
        return -1;
    }
    if (k->nlocal && (make_chance(s, 70) || !k->has_private)) {
        t.op = S_LOCAL;
        t.var = (int16_t)make_below(s, k->nlocal);
        left = gen_elem[k->local[t.var].el].type;
        if (make_chance(s, 20) && k->local[t.var].el == EL_INT) {
            t.op = S_LATOMIC;
            t.sub = (uint8_t)make_below(s, A_XCHG);
            t.ref = t.var;
            t.var = -1;
            t.a = (int16_t)make_cast(s, I32, make_value(s, 1));
            t.b = (int16_t)make_value(s, 1);
            return make_statement(s, t);
        }
    } else if (!k->has_private) {
        return -1;
    }
    t.a = (int16_t)(make_chance(s, 60) ? make_item(s, ITEM_LOCAL_ID, make_below(s, k->dims))
                                       : make_value(s, 1));
    value = make_value(s, 2);
    if (make_chance(s, 20) && (t.op == S_PRIVATE || k->local[t.var].el != EL_FLOAT)) {
        t.sub = (uint8_t)fitting(s, assignment(s), left, &value);
    }
    t.b = (int16_t)value;
    return make_statement(s, t);
}

static int call(struct scope *s)
{
    struct gen_kernel *k = s->k;
    struct gen_stmt t = make_stmt(S_CALL);
    unsigned i = k->nhelper ? make_below(s, k->nhelper) : 0;

    if (s->helper || !k->nhelper || k->helper[i].kind != H_STORE) {
        return -1;
    }
    t.var = (int16_t)i;
    t.ref = (int16_t)make_address(s, k->helper[i].el, true);
    if (t.ref < 0) {
        return -1;
    }
    t.a = (int16_t)(make_chance(s, 60) ? make_affine(s) : make_value(s, 2));
    t.b = (int16_t)make_value(s, 1);
    return make_statement(s, t);
}

static int group_copy(struct scope *s)
{
    struct gen_kernel *k = s->k;
    struct gen_stmt t = make_stmt(S_ASYNC);
    struct gen_ref *f;
    unsigned local = k->nlocal ? make_below(s, k->nlocal) : 0;

    if (!s->uniform || s->helper || !k->nlocal) {
        return -1;
    }
    t.sub = make_chance(s, 50);
    t.var = (int16_t)local;
    t.ref = (int16_t)make_address(s, k->local[local].el, t.sub);
    if (t.ref < 0 || k->ref[t.ref].ptr) {
        return -1;
    }
    f = &k->ref[t.ref];
    f->index = (int16_t)make_uniform(s);
    if (make_chance(s, 60)) {
        f->index = (int16_t)make_binary(s, B_MUL, make_item(s, ITEM_GROUP_ID, make_below(s, k->dims)),
                                        make_const(s, I32, 1 + make_below(s, 8)));
    }
    t.a = (int16_t)(make_chance(s, 50) ? make_const(s, I32, 1 + make_below(s, (unsigned)k->local[local].n))
                                       : make_wrapped(s, make_uniform(s), (unsigned)k->local[local].n));
    if (make_chance(s, 30)) {
        t.b = (int16_t)make_const(s, I32, 1 + make_below(s, 4));
    }
    return make_statement(s, t);
}

int make_one(struct scope *s, struct list *l)
{
    unsigned roll = make_below(s, 100);
    bool deep = s->depth > 3;

    if (roll < 34) {
        int image = make_chance(s, 40) ? make_image_write(s) : -1;
        return image >= 0 ? image : make_store(s);
    } else if (roll < 42) {
        return make_declare(s, make_chance(s, 60) ? make_affine(s) : make_value(s, 2), make_chance(s, 50));
    } else if (roll < 47) {
        return set(s);
    } else if (roll < 52) {
        return atomic(s);
    } else if (roll < 62) {
        return deep ? make_store(s) : branch(s);
    } else if (roll < 65) {
        return deep ? -1 : choice(s);
    } else if (roll < 76) {
        return deep ? make_store(s) : for_loop(s, s->uniform && make_chance(s, 40));
    } else if (roll < 79) {
        if (!deep) {
            while_loop(s, l);
        }
        return -1;
    } else if (roll < 84) {
        return jump(s);
    } else if (roll < 87) {
        return pointer(s);
    } else if (roll < 88) {
        return move_pointer(s);
    } else if (roll < 91) {
        return copy(s);
    } else if (roll < 94) {
        return arrays(s);
    } else if (roll < 96) {
        return call(s);
    } else if (roll < 98) {
        if (!deep) {
            flag(s, l);
        }
        return -1;
    }
    return group_copy(s);
}

int make_body(struct scope *s, unsigned count)
{
    struct list l = {-1, -1};

    for (unsigned i = 0; i < count && !s->k->full; i++) {
        make_append(s, &l, make_one(s, &l));
        if (s->uniform && s->k->nlocal && make_chance(s, 40)) {
            make_append(s, &l, make_statement(s, make_stmt(S_BARRIER)));
        }
    }
    return l.first;
}
