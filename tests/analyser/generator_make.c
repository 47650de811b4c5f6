/* SPDX-License-Identifier: MIT */
/* Random kernels: parameters, helpers, how kernels begin. */
#include "generator_make.h"

#include <string.h>

static void make_params(struct scope *s)
{
    static const uint8_t usual[] = {EL_INT, EL_INT, EL_INT, EL_UINT, EL_FLOAT, EL_FLOAT};
    struct gen_kernel *k = s->k;
    unsigned buffers = 1 + make_below(s, 4), values = make_below(s, 4);

    for (unsigned i = 0; i < buffers; i++) {
        struct gen_param *p = &k->param[k->nparam++];
        p->el = make_chance(s, 50) ? usual[make_below(s, sizeof(usual))] : (uint8_t)make_below(s, EL_COUNT);
        p->minimum = 8 + (int)make_below(s, 60);
        if (i > 0) {
            p->kind = make_chance(s, 10) ? P_CONSTANT : P_GLOBAL;
            p->is_const = p->kind == P_GLOBAL && make_chance(s, 35);
        }
        p->is_restrict = p->kind == P_GLOBAL && make_chance(s, 20);
        p->is_volatile =
            p->kind == P_GLOBAL && !p->is_const && gen_elem[p->el].nfield == 0 && make_chance(s, 1);
        p->first_ref = -1;
        if (i == 0 || (p->kind == P_GLOBAL && !p->is_const)) {
            p->role = i == 0 || make_chance(s, 30)                                  ? ROLE_OUT
                      : (p->el == EL_INT || p->el == EL_UINT) && make_chance(s, 40) ? ROLE_COUNTER
                                                                                    : ROLE_IN;
        }
        p->nullable = p->kind == P_GLOBAL && make_chance(s, 4);
    }
    for (unsigned i = 0; i < values; i++) {
        struct gen_param *p = &k->param[k->nparam++];
        p->kind = P_VALUE;
        p->el = (uint8_t)(make_chance(s, 60) ? EL_INT + make_below(s, 4) : make_below(s, EL_PACKED));
        p->count = p->el < EL_FLOAT && make_chance(s, 50);
    }
    for (unsigned i = 0; make_chance(s, 25) && i < GEN_LOCALS; i++) {
        struct gen_local *l = &k->local[k->nlocal++];
        l->el = (uint8_t)(make_chance(s, 80) ? EL_INT : make_below(s, EL_SCALARS));
        l->n = 4 + (int)make_below(s, 29);
        l->param = -1;
        if (make_chance(s, 30)) {
            l->param = (int)k->nparam;
            k->param[k->nparam++] = (struct gen_param){.kind = P_LOCAL, .el = l->el, .minimum = (int)i};
        }
    }
    k->has_private = make_chance(s, 15);
}

static void make_helper(struct scope *kernel)
{
    struct gen_kernel *k = kernel->k;
    struct gen_helper *h = &k->helper[k->nhelper];
    struct scope s = {.k = k, .r = kernel->r, .helper = true, .depth = 2};

    memset(h, 0, sizeof(*h));
    h->kind = (uint8_t)make_below(&s, 3);
    h->noinline = make_chance(&s, 20);
    h->type = (uint8_t)make_below(&s, 4);
    for (int i = 0; i < 2; i++) {
        h->var[i] = (int16_t)make_new_var(&s, make_below(&s, 4), false);
        k->var_tame[h->var[i]] = make_chance(&s, 70);
    }
    if (h->kind != H_VALUE) {
        /* of the same kind as some buffer, mostly */
        h->el = k->param[0].el;
        h->ptr = (int16_t)k->nptr;
        k->ptr[k->nptr].el = h->el;
        k->ptr[k->nptr].is_helper = true;
        k->ptr[k->nptr].is_const = h->kind == H_LOAD;
        s.ptr[s.nptr++] = (uint8_t)k->nptr++;
    }
    if (h->kind == H_STORE) {
        s.may_return = true;
        h->body = (int16_t)make_body(&s, 1 + make_below(&s, 2));
        return;
    }
    h->body = (int16_t)(make_chance(&s, 40) ? make_declare(&s, make_value(&s, 2), false) : -1);
    h->result = (int16_t)make_value(&s, 2);
}

/* The variable that counts the work-items of the launch through. */
static int number_items(struct scope *s)
{
    struct gen_stmt t = make_stmt(S_DECL);
    int id = make_item(s, ITEM_GLOBAL_ID, s->k->dims - 1u);

    for (unsigned d = s->k->dims - 1u; d-- > 0;) {
        id = make_binary(s, B_MUL, id, make_item(s, ITEM_GLOBAL_SIZE, d));
        id = make_binary(s, B_ADD, id, make_item(s, ITEM_GLOBAL_ID, d));
    }
    t.a = (int16_t)id;
    t.var = s->k->unique = (int16_t)make_new_var(s, make_below(s, 4), true);
    s->k->var_tame[t.var] = true;
    return make_statement(s, t);
}

/* What kernels begin with: ids in variables. */
static void begin(struct scope *s, struct list *l)
{
    static const uint8_t ids[] = {ITEM_GLOBAL_ID, ITEM_GLOBAL_ID, ITEM_GLOBAL_ID, ITEM_GROUP_ID,
                                  ITEM_LOCAL_ID};
    struct gen_kernel *k = s->k;

    for (unsigned d = 0; d < k->dims; d++) {
        make_append(s, l,
                    make_declare(s,
                                 make_item(s, make_chance(s, 70) ? ITEM_GLOBAL_ID : ids[make_below(s, 5)], d),
                                 true));
    }
    if (k->dims > 1 && make_chance(s, 70)) { /* the linear id */
        int row = make_binary(s, B_MUL, make_item(s, ITEM_GLOBAL_ID, 1), make_item(s, ITEM_GLOBAL_SIZE, 0));
        make_append(s, l, make_declare(s, make_binary(s, B_ADD, row, make_item(s, ITEM_GLOBAL_ID, 0)), true));
    } else if (make_chance(s, 25)) {
        int first = make_binary(s, B_MUL, make_item(s, ITEM_GROUP_ID, 0), make_item(s, ITEM_LOCAL_SIZE, 0));
        make_append(s, l,
                    make_declare(s, make_binary(s, B_ADD, first, make_item(s, ITEM_LOCAL_ID, 0)), true));
    }
    if (k->tidy) {
        make_append(s, l, number_items(s));
    }
    for (unsigned i = 0; i < k->nlocal; i++) {
        struct gen_stmt t = make_stmt(S_FILL);
        t.var = (int16_t)i;
        t.imm = 1 + make_below(s, 7);
        make_append(s, l, make_statement(s, t));
    }
    if (k->nlocal) {
        make_append(s, l, make_statement(s, make_stmt(S_BARRIER)));
    }
}

/* Of a launch that has more work-items than the rings have places. */
static int ring_return(struct scope *s)
{
    struct gen_stmt t = make_stmt(S_IF);
    unsigned places = 1;

    for (unsigned i = 0; i < s->k->ring.n; i++) {
        places *= s->k->ring.base[i];
    }
    t.a = (int16_t)make_binary(s, B_GE, make_var(s, (unsigned)s->k->unique),
                               make_const(s, make_below(s, 4), places));
    t.body = (int16_t)make_statement(s, make_stmt(S_RETURN));
    return make_statement(s, t);
}

/* The usual guard: more work-items than elements return at once. */
static int early_return(struct scope *s)
{
    struct gen_stmt t = make_stmt(S_IF);

    for (unsigned i = 0; i < s->k->nparam; i++) {
        if (s->k->param[i].count) {
            int n = make_expr(s, (struct gen_expr){.op = E_ARG,
                                                   .type = gen_elem[s->k->param[i].el].type,
                                                   .sub = (uint8_t)i,
                                                   .a = -1,
                                                   .b = -1,
                                                   .c = -1,
                                                   .ref = -1});
            t.a = (int16_t)make_binary(s, B_GE, make_var(s, s->var[make_below(s, s->nvar)]), n);
            t.body = (int16_t)make_statement(s, make_stmt(S_RETURN));
            return make_statement(s, t);
        }
    }
    return -1;
}

void gen_make(struct gen_kernel *k, uint64_t seed, unsigned index, bool runs, bool rings)
{
    static const uint8_t stds[] = {0, 12, 20, 30};
    static const uint8_t classes[] = {CLASS_AFFINE, CLASS_AFFINE, CLASS_MIXED,
                                      CLASS_MIXED,  CLASS_WILD,   CLASS_RINGS};
    struct cx_random batch = {seed * 7919 + index / GEN_BATCH}, random = {seed * UINT64_C(1000003) + index};
    struct scope s = {.k = k, .r = &random, .uniform = true};
    struct list l = {-1, -1};

    memset(k, 0, sizeof(*k));
    cx_random_next(&random);
    k->seed = seed;
    k->index = index;
    k->std = stds[cx_random_below(&batch, runs ? 2 : 4)];
    k->tidy = make_chance(&s, runs ? 85 : 35);
    k->class = rings ? CLASS_RINGS : classes[make_below(&s, sizeof(classes))];
    k->tidy |= k->class == CLASS_RINGS;
    k->dims = (uint8_t)(make_chance(&s, k->class == CLASS_RINGS ? 85 : 55) ? 1 : 2 + make_chance(&s, 30));
    make_const(&s, I32, 1); /* expression 0, taken where there is no room */
    k->ring = make_ring_layout(&s);
    make_params(&s);
    if (!runs) {
        make_image_params(&s);
    }
    while (make_chance(&s, 25) && k->nhelper < GEN_HELPERS) {
        make_helper(&s);
        k->nhelper++;
    }
    if (make_chance(&s, 5)) {
        k->reqd[0] = 1 + make_below(&s, 6);
        k->reqd[1] = k->dims > 1 ? 1 + make_below(&s, 3) : 1;
        k->reqd[2] = k->dims > 2 ? 1 + make_below(&s, 2) : 1;
    }
    s.may_return = k->nlocal == 0;
    begin(&s, &l);
    if (make_chance(&s, 30) && s.may_return) {
        make_append(&s, &l, early_return(&s));
    }
    if (k->class == CLASS_RINGS && s.may_return && make_chance(&s, 85)) {
        make_append(&s, &l, ring_return(&s));
        make_append(&s, &l, make_store(&s));
    }
    for (unsigned n = 1 + make_below(&s, 5), i = 0; i < n && !k->full; i++) {
        make_append(&s, &l, make_one(&s, &l));
        if (k->nlocal && make_chance(&s, 40)) {
            make_append(&s, &l, make_statement(&s, make_stmt(S_BARRIER)));
        }
    }
    if (make_chance(&s, 90)) {
        make_append(&s, &l, make_store(&s));
    }
    k->body = (int16_t)l.first;
}
