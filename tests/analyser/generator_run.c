/* SPDX-License-Identifier: MIT */
/*
 * The interpreter. The work-items of a group go through the statements side by side, so that barriers need
 * nothing done; groups run one after another.
 */
#include "generator_run.h"

#include <stdlib.h>
#include <string.h>

void run_undefined(struct run *r, const char *why)
{
    if (!r->rec->undefined) {
        r->rec->undefined = why;
    }
}

/* Those of the team that still run, or that are in that state. */
static struct team those(const struct run *r, const struct team *team, unsigned state)
{
    struct team some;

    some.count = 0;
    for (unsigned i = 0; i < team->count; i++) {
        if (r->state[team->item[i]] == state) {
            some.item[some.count++] = team->item[i];
        }
    }
    return some;
}

static void wake(struct run *r, const struct team *team, unsigned state)
{
    for (unsigned i = 0; i < team->count; i++) {
        if (r->state[team->item[i]] == state) {
            r->state[team->item[i]] = RUNS;
        }
    }
}

static void set_state(struct run *r, const struct team *team, unsigned state)
{
    for (unsigned i = 0; i < team->count; i++) {
        r->state[team->item[i]] = (uint8_t)state;
    }
}

/* Those for which the expression holds, and the others. */
static void divide(struct run *r, int expr, const struct team *team, struct team *yes, struct team *no)
{
    struct team all = *team; /* may be one of the two */

    yes->count = no->count = 0;
    for (unsigned i = 0; i < all.count; i++) {
        struct team *side = run_eval(r, expr, all.item[i]) ? yes : no;
        side->item[side->count++] = all.item[i];
    }
}

static void assign(struct run *r, int var, unsigned op, int value_expr, unsigned item)
{
    unsigned type = r->k->var_type[var], right = r->k->expr[value_expr].type;
    int64_t value = run_eval(r, value_expr, item);

    if (op != B_SET) {
        bool shift = op == B_SHL || op == B_SHR;
        value = run_binary(r, op, shift ? type : run_common(type, right), r->var[var][item], value);
    }
    r->var[var][item] = run_convert(type, value);
}

/* A loop: cond -1 or evaluated first, or after the body where late. */
static void loop(struct run *r, const struct gen_stmt *s, int cond, const struct team *team)
{
    struct team in = *team, out;

    while (in.count && !r->rec->undefined) {
        if (s->op != S_DO) {
            divide(r, cond, &in, &in, &out);
        }
        run_body(r, s->body, &in);
        wake(r, &in, CONTINUES);
        out = those(r, &in, RUNS);
        wake(r, &in, BREAKS);
        in = out;
        for (unsigned i = 0; s->op == S_FOR && i < in.count; i++) {
            assign(r, s->var, s->sub, s->c, in.item[i]);
        }
        if (s->op == S_DO) {
            divide(r, cond, &in, &in, &out);
        }
    }
}

static void choose(struct run *r, const struct gen_stmt *s, const struct team *team)
{
    int64_t value[GEN_ITEMS];
    bool inside[GEN_ITEMS] = {false};

    for (unsigned i = 0; i < team->count; i++) {
        value[team->item[i]] = run_eval(r, s->a, team->item[i]);
    }
    for (int c = s->body; c >= 0; c = r->k->stmt[c].next) {
        const struct gen_stmt *label = &r->k->stmt[c];
        struct team now = {0};
        if (label->dropped) {
            continue;
        }
        for (unsigned i = 0; i < team->count; i++) {
            unsigned item = team->item[i];
            /* the default comes last */
            inside[item] |= label->imm < 0 ? value[item] != INT64_MIN : value[item] == label->imm;
            if (inside[item] && r->state[item] == RUNS) {
                now.item[now.count++] = (uint8_t)item;
            }
        }
        run_body(r, label->body, &now);
        for (unsigned i = 0; i < now.count; i++) {
            value[now.item[i]] = INT64_MIN; /* it has found its label */
            if (label->sub) {
                inside[now.item[i]] = false;
            }
        }
    }
}

static void atomic_apply(unsigned op, unsigned el, unsigned char *at, int64_t value)
{
    int64_t old = run_get(el, at);
    bool less = el == EL_INT ? old < value : (uint64_t)old < (uint64_t)value;
    int64_t result[A_COUNT] = {
        old + value, old - value, old + 1,     old - 1, less ? old : value,    less ? value : old,
        old & value, old | value, old ^ value, value,   old == 1 ? value : old};

    run_put(el, at, result[op]);
}

static unsigned family_of(unsigned op)
{
    return op <= A_DEC ? A_ADD : op;
}

static void atomic(struct run *r, const struct gen_stmt *s, unsigned item)
{
    const struct gen_ref *f = s->op == S_ATOMIC ? &r->k->ref[s->ref] : NULL;
    unsigned el = f ? f->el : EL_INT, family = family_of(s->sub);
    bool commutes = s->var < 0 && family < A_XCHG;
    int64_t value = run_convert(gen_elem[el].type, run_eval(r, s->a, item));
    struct pointer at;
    unsigned char *memory;

    if (s->op == S_LATOMIC) {
        uint64_t index = (uint32_t)run_eval(r, s->b, item) % (unsigned)r->k->local[s->ref].n;
        memory =
            run_touch_local(r, s->ref, index, GEN_READ | GEN_WRITE, commutes ? 1 + family : 0, (int)item);
    } else {
        if (!run_address(r, s->ref, item, &at)) {
            return;
        }
        memory = run_touch(r, at, 4, GEN_READ | GEN_WRITE, el, commutes ? 1 + family : 0, (int)item);
        if (memory) {
            struct gen_object_use *use = &r->rec->use[r->l->args[at.param].object - 1];
            use->families |= 1u << family;
            use->result_used |= !commutes;
        }
    }
    if (memory) {
        if (s->var >= 0) {
            r->var[s->var][item] = run_convert(r->k->var_type[s->var], run_get(el, memory));
        }
        atomic_apply(s->sub, el, memory, value);
    }
}

/* Pointers stay inside their buffer or just behind its end. */
static void check_pointer(struct run *r, const struct pointer *at)
{
    if (at->offset < 0 || (uint64_t)at->offset > r->l->args[at->param].bytes) {
        if (at->offset > 0) {
            r->rec->missing = (uint64_t)at->offset;
        }
        run_undefined(r, "pointer outside");
    }
}

static void set_pointer(struct run *r, const struct gen_stmt *s, unsigned item)
{
    struct pointer at;
    int ref = s->a >= 0 && !run_eval(r, s->a, item) ? s->ref2 : s->ref;

    if (run_address(r, ref, item, &at)) {
        check_pointer(r, &at);
        r->ptr[s->var][item] = at;
    }
}

static void add_pointer(struct run *r, const struct gen_stmt *s, unsigned item)
{
    struct pointer *at = &r->ptr[s->var][item];
    int64_t by = run_eval(r, s->a, item);

    if (by > INT32_MAX || by < INT32_MIN) {
        run_undefined(r, "pointer outside");
        return;
    }
    at->offset += by * gen_elem[r->k->ptr[s->var].el].size;
    check_pointer(r, at);
}

static void store_array(struct run *r, const struct gen_stmt *s, unsigned item)
{
    bool local = s->op == S_LOCAL;
    unsigned el = local ? r->k->local[s->var].el : EL_INT;
    int64_t value = run_eval(r, s->b, item), index = run_eval(r, s->a, item);
    unsigned right = r->k->expr[s->b].type, how = GEN_WRITE | (s->sub != B_SET ? GEN_READ : 0);
    unsigned char *at = local ? run_touch_local(r, s->var, (uint32_t)index % (unsigned)r->k->local[s->var].n,
                                                how, 0, (int)item)
                              : (unsigned char *)&r->mine[index & 3][item];

    if (s->sub != B_SET) {
        bool shift = s->sub == B_SHL || s->sub == B_SHR;
        value = run_binary(r, s->sub, shift ? gen_elem[el].type : run_common(gen_elem[el].type, right),
                           run_get(el, at), value);
    }
    run_put(el, at, value);
}

static void copy_whole(struct run *r, const struct gen_stmt *s, unsigned item)
{
    unsigned size = gen_elem[r->k->ref[s->ref].el].size;
    struct pointer to, from;
    unsigned char *source, *target;

    if (run_address(r, s->ref2, item, &from) && run_address(r, s->ref, item, &to)) {
        source = run_touch(r, from, size, GEN_READ, ANY_TYPE, 0, (int)item);
        target = source ? run_touch(r, to, size, GEN_WRITE, ANY_TYPE, 0, (int)item) : NULL;
        if (target) {
            if (memcmp(target, source, size)) {
                run_stored(r, to.param, gen_elem[r->k->ref[s->ref].el].align);
            }
            memmove(target, source, size);
        }
    }
}

/* By the whole group; which of its items does it nobody knows. */
static void copy_async(struct run *r, const struct gen_stmt *s, const struct team *team)
{
    const struct gen_local *local = &r->k->local[s->var];
    unsigned size = gen_elem[local->el].size, item = team->item[0];
    uint64_t count = (uint64_t)run_eval(r, s->a, item);
    uint64_t stride = s->b >= 0 ? (uint64_t)run_eval(r, s->b, item) : 1;
    struct pointer at, first = {0};

    r->epoch++;
    for (unsigned i = 0; i < r->nitem && team->count == r->nitem; i++) {
        if (run_address(r, s->ref, i, &at) && (i == 0 || at.offset == first.offset) &&
            (uint64_t)run_eval(r, s->a, i) == count) {
            first = at;
        } else {
            run_undefined(r, "copy not met by all alike");
        }
    }
    if (!run_address(r, s->ref, item, &at) || team->count != r->nitem || count > (unsigned)local->n ||
        stride < 1 || stride > 64) {
        run_undefined(r, "copy of too much");
        return;
    }
    for (uint64_t i = 0; i < count && !r->rec->undefined; i++) {
        struct pointer place = {at.param, at.offset + (int64_t)(i * stride * size)};
        unsigned char *global =
            run_touch(r, place, size, s->sub ? GEN_WRITE : GEN_READ, ANY_TYPE, 0, (int)item);
        unsigned char *mine = run_touch_local(r, s->var, i, s->sub ? GEN_READ : GEN_WRITE, 0, (int)item);
        if (global) {
            if (s->sub && memcmp(global, mine, size)) {
                run_stored(r, at.param, size);
            }
            memcpy(s->sub ? global : mine, s->sub ? mine : global, size);
        }
    }
    r->epoch++;
}

static void fill(struct run *r, const struct gen_stmt *s, const struct team *team)
{
    const struct gen_local *l = &r->k->local[s->var];

    for (unsigned i = 0; i < (unsigned)l->n; i++) {
        unsigned item = team->item[i % team->count];
        run_put(l->el, run_touch_local(r, s->var, i, GEN_WRITE, 0, (int)item),
                (int32_t)(i * (uint32_t)s->imm));
    }
}

int64_t run_helper(struct run *r, unsigned helper, int a, int b, int ref, unsigned item)
{
    const struct gen_helper *h = &r->k->helper[helper];
    struct team one = {1, {(uint8_t)item}};
    int64_t first = run_eval(r, a, item), second = run_eval(r, b, item);
    struct pointer at;

    if (ref >= 0) {
        if (!run_address(r, ref, item, &at)) {
            return 0;
        }
        check_pointer(r, &at);
        r->ptr[h->ptr][item] = at;
    }
    r->var[h->var[0]][item] = run_convert(r->k->var_type[h->var[0]], first);
    r->var[h->var[1]][item] = run_convert(r->k->var_type[h->var[1]], second);
    run_body(r, h->body, &one);
    if (r->state[item] == RETURNED) {
        r->state[item] = RUNS; /* of a helper without a value */
    }
    return h->kind == H_STORE ? 0 : run_convert(h->type, run_eval(r, h->result, item));
}

static void run_flow(struct run *r, const struct gen_stmt *s, const struct team *team)
{
    struct team yes, no;

    switch ((enum gen_stmt_op)s->op) {
    case S_IF:
        divide(r, s->a, team, &yes, &no);
        run_body(r, s->body, &yes);
        run_body(r, s->other, &no);
        break;
    case S_SWITCH:
        choose(r, s, team);
        break;
    case S_FOR:
        for (unsigned i = 0; i < team->count; i++) {
            assign(r, s->var, B_SET, s->a, team->item[i]);
        }
        loop(r, s, s->b, team);
        break;
    default:
        loop(r, s, s->a, team);
        break;
    }
}

static void run_each(struct run *r, const struct gen_stmt *s, unsigned item)
{
    switch ((enum gen_stmt_op)s->op) {
    case S_DECL:
        assign(r, s->var, B_SET, s->a, item);
        break;
    case S_SET:
        assign(r, s->var, s->sub, s->a, item);
        break;
    case S_STORE:
        run_store(r, s->ref, s->sub, s->a, item);
        break;
    case S_COPY:
        copy_whole(r, s, item);
        break;
    case S_ATOMIC:
    case S_LATOMIC:
        atomic(r, s, item);
        break;
    case S_PTR:
        set_pointer(r, s, item);
        break;
    case S_PTR_ADD:
        add_pointer(r, s, item);
        break;
    case S_LOCAL:
    case S_PRIVATE:
        store_array(r, s, item);
        break;
    case S_IMAGE:
        run_image_write(r, s, item);
        break;
    default:
        run_helper(r, (unsigned)s->var, s->a, s->b, s->ref, item);
        break;
    }
}

static void run_statement(struct run *r, const struct gen_stmt *s, const struct team *team)
{
    if (s->op >= S_IF && s->op <= S_DO) {
        run_flow(r, s, team);
        return;
    }
    switch ((enum gen_stmt_op)s->op) {
    case S_BREAK:
        set_state(r, team, BREAKS);
        break;
    case S_CONTINUE:
        set_state(r, team, CONTINUES);
        break;
    case S_RETURN:
        set_state(r, team, RETURNED);
        break;
    case S_BARRIER:
        r->epoch++;
        if (team->count != r->nitem) {
            run_undefined(r, "barrier not met by all");
        }
        break;
    case S_ASYNC:
        copy_async(r, s, team);
        break;
    case S_FILL:
        fill(r, s, team);
        break;
    default:
        for (unsigned i = 0; i < team->count && !r->rec->undefined; i++) {
            run_each(r, s, team->item[i]);
        }
        break;
    }
}

void run_body(struct run *r, int body, const struct team *team)
{
    struct team now = those(r, team, RUNS);

    for (int i = body; i >= 0 && now.count && !r->rec->undefined; i = r->k->stmt[i].next) {
        if (!r->k->stmt[i].dropped) {
            run_statement(r, &r->k->stmt[i], &now);
            now = those(r, &now, RUNS);
        }
    }
}

static void run_group(struct run *r)
{
    const struct cx_access_geometry *g = &r->l->geometry;
    struct team all = {0};

    for (unsigned d = 0; d < 3; d++) {
        uint64_t left = d < g->work_dim ? g->global[d] - r->group[d] * g->local[d] : 1;
        r->local[d] = d < g->work_dim && left > g->local[d] ? g->local[d] : left;
    }
    r->nitem = all.count = (unsigned)(r->local[0] * r->local[1] * r->local[2]);
    for (unsigned i = 0; i < all.count; i++) {
        r->lid[i][0] = i % r->local[0];
        r->lid[i][1] = i / r->local[0] % r->local[1];
        r->lid[i][2] = i / r->local[0] / r->local[1];
        all.item[i] = (uint8_t)i;
        for (int j = 0; j < GEN_PRIVATE; j++) {
            r->mine[j][i] = j + 1;
        }
    }
    r->group_index = (r->group[2] * r->rec->groups[1] + r->group[1]) * r->rec->groups[0] + r->group[0];
    r->epoch++;
    memset(r->state, RUNS, sizeof(r->state));
    memset(r->local_set, 0, sizeof(r->local_set));
    memset(r->local_use, 0xff, sizeof(r->local_use));
    run_body(r, r->k->body, &all);
}

static void prepare(struct run *r)
{
    struct gen_record *rec = r->rec;

    rec->ngroups = 1;
    for (unsigned d = 0; d < 3; d++) {
        const struct cx_access_geometry *g = &r->l->geometry;
        rec->groups[d] = d < g->work_dim ? (g->global[d] + g->local[d] - 1) / g->local[d] : 1;
        rec->ngroups *= rec->groups[d];
    }
    for (unsigned i = 0; i < r->k->nparam; i++) {
        if (r->l->args[i].object) {
            rec->touch[i] = calloc(rec->ngroups, r->l->args[i].bytes);
        }
    }
    for (unsigned i = 0; i < r->l->nobject; i++) {
        rec->result[i] = malloc(r->l->bytes[i]);
        memcpy(rec->result[i], r->l->data[i], r->l->bytes[i]);
        r->use[i] = malloc(r->l->bytes[i] * sizeof(struct last_use));
        memset(r->use[i], 0xff, r->l->bytes[i] * sizeof(struct last_use));
        for (size_t b = 0; b < r->l->bytes[i]; b++) {
            r->use[i][b].type = r->use[i][b].family = 0;
        }
    }
}

static bool is_in(const struct run *r, const struct gen_part *part)
{
    return !part || (r->group[part->dim] >= part->g0 && r->group[part->dim] < part->g1);
}

void gen_run(struct gen_record *rec, const struct gen_kernel *k, const struct gen_launch *l,
             const struct gen_part *part)
{
    struct run *r = calloc(1, sizeof(*r));

    memset(rec, 0, sizeof(*rec));
    r->k = k;
    r->l = l;
    r->rec = rec;
    prepare(r);
    for (r->group[2] = 0; r->group[2] < rec->groups[2]; r->group[2]++) {
        for (r->group[1] = 0; r->group[1] < rec->groups[1]; r->group[1]++) {
            for (r->group[0] = 0; r->group[0] < rec->groups[0] && !rec->undefined; r->group[0]++) {
                if (is_in(r, part)) {
                    run_group(r);
                }
            }
        }
    }
    for (unsigned i = 0; i < l->nobject; i++) {
        free(r->use[i]);
    }
    free(r);
}

void gen_record_finish(struct gen_record *rec)
{
    for (unsigned i = 0; i < GEN_PARAMS; i++) {
        free(rec->touch[i]);
        free(rec->result[i]);
    }
    memset(rec, 0, sizeof(*rec));
}
