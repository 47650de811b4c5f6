/* SPDX-License-Identifier: MIT */
/* Makes a kernel that shows a fault smaller: statements go, values become constants, as long as it still
 * does. */
#include "generator_shrink.h"

#include <string.h>

static void mark(const struct gen_kernel *k, int i, bool *used)
{
    const struct gen_expr *e = i >= 0 ? &k->expr[i] : NULL;

    if (e && !used[i]) {
        used[i] = true;
        mark(k, e->a, used);
        mark(k, e->b, used);
        mark(k, e->c, used);
        if ((e->op == E_LOAD || e->op == E_HELPER) && e->ref >= 0) {
            mark(k, k->ref[e->ref].index, used);
        }
    }
}

static void mark_body(const struct gen_kernel *k, int body, bool *used)
{
    for (int i = body; i >= 0; i = k->stmt[i].next) {
        const struct gen_stmt *s = &k->stmt[i];
        if (!s->dropped) {
            mark(k, s->a, used);
            mark(k, s->b, used);
            mark(k, s->c, used);
            mark(k, s->ref >= 0 && s->op != S_LATOMIC ? k->ref[s->ref].index : -1, used);
            mark(k, s->ref2 >= 0 ? k->ref[s->ref2].index : -1, used);
            mark_body(k, s->body, used);
            mark_body(k, s->other, used);
        }
    }
}

static bool drop_statements(struct gen_kernel *k, gen_fails fails, void *context, unsigned *tries)
{
    bool smaller = false;

    for (unsigned i = 0; i<k->nstmt && * tries> 0; i++) {
        if (!k->stmt[i].dropped && k->stmt[i].op != S_CASE) {
            k->stmt[i].dropped = true;
            --*tries;
            if (fails(k, context)) {
                smaller = true;
            } else {
                k->stmt[i].dropped = false;
            }
        }
    }
    return smaller;
}

static bool try_expr(struct gen_kernel *k, int i, struct gen_expr with, gen_fails fails, void *context,
                     unsigned *tries)
{
    struct gen_expr old = k->expr[i];

    if (*tries == 0) {
        return false;
    }
    --*tries;
    with.type = old.type;
    k->expr[i] = with;
    if (fails(k, context)) {
        return true;
    }
    k->expr[i] = old;
    return false;
}

static bool simplify(struct gen_kernel *k, gen_fails fails, void *context, unsigned *tries)
{
    bool used[GEN_EXPRS] = {false}, smaller = false;

    mark_body(k, k->body, used);
    for (unsigned h = 0; h < k->nhelper; h++) {
        mark_body(k, k->helper[h].body, used);
        mark(k, k->helper[h].kind == H_STORE ? -1 : k->helper[h].result, used);
    }
    for (int i = (int)k->nexpr - 1; i > 0; i--) {
        const struct gen_expr *e = &k->expr[i];
        struct gen_expr number = {.op = E_CONST, .a = -1, .b = -1, .c = -1, .ref = -1, .imm = 1},
                        part = number;
        if (!used[i] || e->op == E_CONST || e->op == E_PLACE) {
            continue;
        }
        part.op = E_CAST;
        part.a = e->a;
        if (e->op == E_BIN || e->op == E_COND || e->op == E_BUILTIN || e->op == E_NARROW || e->op == E_UN) {
            int16_t other = e->b;
            if (try_expr(k, i, number, fails, context, tries) ||
                try_expr(k, i, part, fails, context, tries)) {
                smaller = true;
                continue;
            }
            part.a = other;
            smaller |= other >= 0 && try_expr(k, i, part, fails, context, tries);
        } else if (e->op != E_CAST || k->expr[e->a].op != E_CONST) {
            smaller |= try_expr(k, i, number, fails, context, tries);
        }
    }
    return smaller;
}

void gen_shrink(struct gen_kernel *k, gen_fails fails, void *context, unsigned tries)
{
    for (bool again = true; again && tries > 0;) {
        again = drop_statements(k, fails, context, &tries);
        again |= simplify(k, fails, context, &tries);
    }
}
