/* SPDX-License-Identifier: MIT */
/*
 * Drops the expressions, guards and loops of a kernel that no access needs: most of what a kernel computes is
 * no index.
 *
 * Previous stage: kernel.c (all that was built). Next stage: the summary.
 */
#include "layer/analyser/compact.h"
#include "layer/analyser/map.h"

#include <stdlib.h>

struct marks {
    struct cx_summary_kernel *k;
    unsigned char *node, *guard, *loop;
    int32_t *new_node;
    uint32_t *new_guard, *new_loop;
    bool changed;
};

static void mark_span(struct marks *m, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        if (!m->guard[i]) {
            m->guard[i] = 1;
            m->node[m->k->guard[i].l] = m->node[m->k->guard[i].r] = 1;
            m->changed = true;
        }
    }
}

/* Operands come before their users, so one pass from the end marks all below. */
static void mark_nodes(struct marks *m)
{
    for (uint32_t i = m->k->nexpr; i-- > 0;) {
        const struct cx_expr *e = &m->k->expr[i];
        unsigned n = cx_expr_operands(e->op);
        if (!m->node[i]) {
            continue;
        }
        if (n >= 1) {
            m->node[e->a] = 1;
        }
        if (n >= 2) {
            m->node[e->b] = 1;
        }
        if ((e->op == CX_EXPR_LOOP || e->op == CX_EXPR_DECAY) && !m->loop[e->imm]) {
            m->loop[e->imm] = 1;
            m->changed = true;
            mark_span(m, m->k->loop[e->imm].guard, m->k->loop[e->imm].nguard);
        }
    }
}

static void mark_all(struct marks *m)
{
    for (uint32_t i = 0; i < m->k->naccess; i++) {
        const struct cx_access_record *r = &m->k->access[i];
        if (r->off >= 0) {
            m->node[r->off] = 1;
        }
        if (r->len >= 0) {
            m->node[r->len] = 1;
        }
        mark_span(m, r->guard, r->nguard);
    }
    do { /* a loop's guards may need nodes that were passed already */
        m->changed = false;
        mark_nodes(m);
    } while (m->changed);
}

static void move_nodes(struct marks *m)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->k->nexpr; i++) {
        struct cx_expr e = m->k->expr[i];
        unsigned operands = cx_expr_operands(e.op);
        if (!m->node[i]) {
            continue;
        }
        e.a = operands >= 1 ? m->new_node[e.a] : e.a;
        e.b = operands >= 2 ? m->new_node[e.b] : e.b;
        if (e.op == CX_EXPR_LOOP || e.op == CX_EXPR_DECAY) {
            e.imm = m->new_loop[e.imm];
        }
        m->new_node[i] = (int32_t)n;
        m->k->expr[n++] = e;
    }
    m->k->nexpr = n;
}

static void move_guards(struct marks *m)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->k->nguard; i++) {
        struct cx_guard g = m->k->guard[i];
        m->new_guard[i] = n;
        if (m->guard[i]) {
            g.l = m->new_node[g.l];
            g.r = m->new_node[g.r];
            m->k->guard[n++] = g;
        }
    }
    m->new_guard[m->k->nguard] = n;
    m->k->nguard = n;
}

static void number_loops(struct marks *m)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->k->nloop; i++) {
        m->new_loop[i] = n;
        n += m->loop[i];
    }
}

static uint32_t steps_sum(uint64_t a, uint64_t b)
{
    return a + b < CX_STEPS_UNKNOWN ? (uint32_t)(a + b) : CX_STEPS_UNKNOWN;
}

/* The loops that go leave what they do to what is around them, as often as they run. */
static void move_steps(struct marks *m)
{
    struct cx_loop *loop = m->k->loop;

    for (uint32_t i = 0; i < m->k->nloop; i++) {
        uint64_t steps = loop[i].steps;
        int32_t kept = m->loop[i] ? (int32_t)i : -1;
        for (int32_t l = (int32_t)i; l >= 0; l = loop[l].parent) {
            kept = kept < 0 && m->loop[l] ? l : kept;
            if (m->loop[l]) {
                continue;
            }
            /* where nothing is left that could tell how often it runs */
            steps = loop[l].times ? steps * loop[l].times : CX_STEPS_UNKNOWN;
            steps = steps < CX_STEPS_UNKNOWN ? steps : CX_STEPS_UNKNOWN;
        }
        if (kept == (int32_t)i) {
            loop[i].steps = (uint32_t)steps;
        } else if (kept >= 0) {
            loop[kept].steps = steps_sum(loop[kept].steps, steps);
        } else {
            m->k->steps = steps_sum(m->k->steps, steps);
        }
    }
    for (uint32_t i = 0; i < m->k->nloop; i++) {
        const int32_t parent = loop[i].parent;
        if (parent >= 0 && !m->loop[parent]) {
            loop[i].parent = loop[parent].parent; /* which is one that stays: it came before */
        }
    }
}

static void move_loops(struct marks *m)
{
    uint32_t n = 0;

    move_steps(m);
    for (uint32_t i = 0; i < m->k->nloop; i++) {
        struct cx_loop l = m->k->loop[i];
        if (!m->loop[i]) {
            continue;
        }
        l.guard = m->new_guard[l.guard];
        l.parent = l.parent >= 0 ? (int32_t)m->new_loop[l.parent] : -1;
        m->k->loop[n++] = l;
    }
    m->k->nloop = n;
}

void cx_compact(struct cx_summary_kernel *kernel)
{
    struct marks m = {.k = kernel};

    m.node = cx_alloc(kernel->nexpr, 1);
    m.guard = cx_alloc(kernel->nguard, 1);
    m.loop = cx_alloc(kernel->nloop, 1);
    m.new_node = cx_alloc(kernel->nexpr, sizeof(*m.new_node));
    m.new_guard = cx_alloc(kernel->nguard + 1, sizeof(*m.new_guard));
    m.new_loop = cx_alloc(kernel->nloop, sizeof(*m.new_loop));
    mark_all(&m);
    number_loops(&m);
    move_nodes(&m);
    move_guards(&m);
    move_loops(&m);
    for (uint32_t i = 0; i < kernel->naccess; i++) {
        struct cx_access_record *r = &kernel->access[i];
        r->off = r->off >= 0 ? m.new_node[r->off] : -1;
        r->len = r->len >= 0 ? m.new_node[r->len] : -1;
        r->guard = m.new_guard[r->guard];
    }
    free(m.node);
    free(m.guard);
    free(m.loop);
    free(m.new_node);
    free(m.new_guard);
    free(m.new_loop);
}
