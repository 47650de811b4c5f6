/* SPDX-License-Identifier: MIT */
/* Image accesses as texels: the coordinates behind the sum of bytes that a record holds. */
#include "layer/access/explain_image.h"
#include "layer/access/explain.h"

#include <string.h>

enum { COORDINATES = 3, DEEPEST = 8 };

struct texel {
    int32_t coordinate[COORDINATES]; /* nodes; -1: none */
    bool one[COORDINATES];           /* it is 1 */
};

/* Which of an argument's numbers a node is; CX_IMAGE_QUERY_COUNT: none. */
static enum cx_image_query query_of(const struct cx_summary_kernel *k, int32_t node, uint32_t arg)
{
    const struct cx_expr *e = &k->expr[node];

    return e->op == CX_EXPR_IMAGE && (uint32_t)e->a == arg ? (enum cx_image_query)e->imm
                                                           : CX_IMAGE_QUERY_COUNT;
}

static int place_of(enum cx_image_query query)
{
    return query == CX_IMAGE_ELEMENT_SIZE  ? 0
           : query == CX_IMAGE_ROW_PITCH   ? 1
           : query == CX_IMAGE_SLICE_PITCH ? 2
                                           : -1;
}

/* A part of the sum; false where it is none of the known kind. */
static bool take(const struct cx_summary_kernel *k, uint32_t arg, int32_t node, struct texel *t,
                 unsigned depth)
{
    const struct cx_expr *e = &k->expr[node];
    int alone = place_of(query_of(k, node, arg)), a, b;

    if (alone >= 0) {
        t->one[alone] = true;
        return t->coordinate[alone] < 0;
    }
    if (e->op == CX_EXPR_CONST) {
        return e->imm == 0;
    }
    if (e->op == CX_EXPR_ADD && depth < DEEPEST) {
        return take(k, arg, e->a, t, depth + 1) && take(k, arg, e->b, t, depth + 1);
    }
    if (e->op != CX_EXPR_MUL) {
        return false;
    }
    a = place_of(query_of(k, e->a, arg));
    b = place_of(query_of(k, e->b, arg));
    if ((a >= 0) == (b >= 0) || t->coordinate[a >= 0 ? a : b] >= 0 || t->one[a >= 0 ? a : b]) {
        return false;
    }
    t->coordinate[a >= 0 ? a : b] = a >= 0 ? e->b : e->a;
    return true;
}

static bool texel_of(const struct cx_summary_kernel *k, const struct cx_access_record *r, struct texel *t)
{
    *t = (struct texel){.coordinate = {-1, -1, -1}};
    return r->off >= 0 && r->skew == 0 && r->len >= 0 &&
           query_of(k, r->len, r->arg) == CX_IMAGE_ELEMENT_SIZE && take(k, r->arg, r->off, t, 0);
}

/* The coordinate without the clamping that a read adds. */
static int32_t unclamped(const struct cx_summary_kernel *k, int32_t node)
{
    const struct cx_expr *min = &k->expr[node], *max;

    if (min->op != CX_EXPR_SMIN) {
        return node;
    }
    max = &k->expr[min->a];
    if (max->op == CX_EXPR_CONST) {
        return min->a;
    }
    return max->op == CX_EXPR_SMAX && k->expr[max->b].op == CX_EXPR_CONST && k->expr[max->b].imm == 0 ? max->a
                                                                                                      : node;
}

static void put_coordinate(char *buf, size_t size, const struct cx_summary_kernel *k, const struct texel *t,
                           unsigned i)
{
    size_t used = strlen(buf);

    if (t->coordinate[i] >= 0) {
        cx_explain_expr(buf + used, size - used, k, unclamped(k, t->coordinate[i]));
    } else {
        snprintf(buf + used, size - used, "%d", t->one[i]);
    }
}

static void put(char *buf, size_t size, const char *text)
{
    size_t used = strlen(buf);

    snprintf(buf + used, size - used, "%s", text);
}

bool cx_explain_texel(char *buf, size_t size, const struct cx_summary_kernel *k,
                      const struct cx_access_record *r)
{
    const char *type = k->arg[r->arg].type;
    bool line = strncmp(type, "image1d", 7) == 0, array = strstr(type, "array"), space = strstr(type, "3d");
    struct texel t;

    if (r->len >= 0 && query_of(k, r->len, r->arg) == CX_IMAGE_BYTES) {
        snprintf(buf, size, "any texel");
        return true;
    }
    if (!texel_of(k, r, &t)) {
        return false;
    }
    snprintf(buf, size, "texel (");
    for (unsigned i = 0; i < (line ? 1u : space ? 3u : 2u); i++) {
        put(buf, size, i ? ", " : "");
        put_coordinate(buf, size, k, &t, i);
    }
    put(buf, size, ")");
    if (array) {
        put(buf, size, ", layer ");
        put_coordinate(buf, size, k, &t, 2);
    }
    return true;
}

bool cx_explain_is_inside(const struct cx_summary_kernel *k, const struct cx_access_record *r,
                          const struct cx_guard *g)
{
    enum cx_image_query limit = query_of(k, g->r, r->arg);
    struct texel t;
    bool ours = false;

    if (k->arg[r->arg].kind != CX_ARG_IMAGE || !texel_of(k, r, &t)) {
        return false;
    }
    for (unsigned i = 0; i < COORDINATES; i++) {
        ours |= t.coordinate[i] == g->l;
    }
    ours |= k->expr[g->l].op == CX_EXPR_CONST;
    return ours && ((g->pred == CX_PRED_SGE && k->expr[g->r].op == CX_EXPR_CONST && k->expr[g->r].imm == 0) ||
                    (g->pred == CX_PRED_SLT && limit <= CX_IMAGE_ARRAY_SIZE));
}
