/* SPDX-License-Identifier: MIT */
/* Launches of random kernels: geometry, arguments, contents of buffers. */
#include "generator.h"

#include <stdlib.h>
#include <string.h>

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static void make_geometry(struct cx_access_geometry *g, const struct gen_kernel *k, struct cx_random *r)
{
    uint64_t items = 1, groups = 1;
    bool uneven = cx_random_chance(r, 10) && !k->reqd[0];

    memset(g, 0, sizeof(*g));
    g->work_dim = cx_random_chance(r, 85) ? k->dims : k->dims + (uint32_t)cx_random_below(r, 4 - k->dims);
    for (unsigned d = 0; d < g->work_dim; d++) {
        uint64_t most_local = g->work_dim == 1 ? 16 : g->work_dim == 2 ? 5 : 3;
        uint64_t most = g->work_dim == 1 ? 12 : g->work_dim == 2 ? 5 : 3, n;
        g->local[d] = k->reqd[0] ? k->reqd[d] : 1 + cx_random_below(r, most_local);
        n = 1 + cx_random_below(r, most);
        if (d == 0 && g->work_dim == 1 && n == 1) {
            n = 2;
        }
        g->global[d] = n * g->local[d];
        if (uneven && g->local[d] > 1 && n > 1) {
            g->global[d] -= cx_random_below(r, g->local[d]);
        }
        g->offset[d] = cx_random_chance(r, 15) ? cx_random_below(r, 12) : 0;
        items *= g->local[d];
        groups *= ceil_div(g->global[d], g->local[d]);
    }
    if (items > GEN_ITEMS || groups > GEN_MAX_GROUPS) { /* cannot happen with the numbers above */
        abort();
    }
}

static uint64_t total(const struct cx_access_geometry *g)
{
    uint64_t n = 1;

    for (unsigned d = 0; d < g->work_dim; d++) {
        n *= g->global[d];
    }
    return n;
}

static int64_t number(const struct gen_launch *l, const struct gen_param *p, struct cx_random *r)
{
    static const int64_t odd[] = {-1,       0x7fffffff, INT64_C(0x80000000), 0xffffffff, INT64_C(1) << 40,
                                  -1000000, 65537};

    if (p->count && cx_random_chance(r, 70)) {
        return cx_random_chance(r, 50) ? (int64_t)total(&l->geometry)
                                       : (int64_t)cx_random_below(r, total(&l->geometry) + 1);
    }
    if (cx_random_chance(r, 70)) {
        return (int64_t)cx_random_below(r, 9);
    }
    if (cx_random_chance(r, 60)) {
        return (int64_t)cx_random_below(r, 60) - 20;
    }
    return odd[cx_random_below(r, sizeof(odd) / sizeof(odd[0]))];
}

static void put_scalar(unsigned char *to, unsigned scalar, int64_t value)
{
    memcpy(to, &value, gen_elem[scalar].size);
}

static void make_value(struct gen_launch *l, const struct gen_param *p, unsigned i, struct cx_random *r)
{
    const struct gen_elem_info *e = &gen_elem[p->el];

    l->args[i].value = l->value[i];
    l->args[i].size = e->size;
    if (e->nfield) {
        for (unsigned f = 0; f < e->nfield; f++) {
            put_scalar(l->value[i] + e->field[f].offset, e->field[f].scalar, number(l, p, r));
        }
    } else if (e->comps) {
        for (unsigned c = 0; c < e->comps; c++) {
            put_scalar(l->value[i] + c * gen_elem[e->scalar].size, e->scalar, number(l, p, r));
        }
    } else {
        put_scalar(l->value[i], p->el, number(l, p, r));
    }
}

static void fill(unsigned char *data, size_t bytes, struct cx_random *r)
{
    unsigned style = (unsigned)cx_random_below(r, 3);

    for (size_t i = 0; i < bytes; i += 4) {
        bool small = style == 0 || (style == 1 && cx_random_chance(r, 70));
        uint32_t word = small ? (uint32_t)cx_random_below(r, 24) : (uint32_t)cx_random_next(r);
        memcpy(data + i, &word, bytes - i < 4 ? bytes - i : 4);
    }
}

/* Bytes of one buffer. */
static size_t size_of(const struct gen_param *p, struct cx_random *r, unsigned scale)
{
    size_t least = (size_t)p->minimum * gen_elem[p->el].size, more = least + cx_random_below(r, 200);

    more = (more + 15) & ~(size_t)15;
    for (; scale > 0 && more * 4 <= GEN_MAX_BYTES; scale--) {
        more *= 4;
    }
    return more;
}

/* A parameter that points into the buffer of an earlier one. */
static int aliased(const struct gen_kernel *k, const struct gen_launch *l, unsigned i, struct cx_random *r)
{
    unsigned j = (unsigned)cx_random_below(r, i ? i : 1);
    const struct gen_param *p = &k->param[i], *q = &k->param[j];
    bool read_only = !p->written && !q->written;

    if (i == 0 || !cx_random_chance(r, 10) || q->kind > P_CONSTANT || !l->args[j].object || l->args[j].base) {
        return -1;
    }
    return read_only || !(p->is_restrict || q->is_restrict || p->kind == P_CONSTANT || q->kind == P_CONSTANT)
               ? (int)j
               : -1;
}

static void make_buffer(struct gen_launch *l, const struct gen_kernel *k, unsigned i, struct cx_random *r,
                        unsigned scale)
{
    const struct gen_param *p = &k->param[i];
    struct cx_access_arg *a = &l->args[i];
    size_t least = (size_t)p->minimum * gen_elem[p->el].size;
    int other = aliased(k, l, i, r);

    if (p->nullable && cx_random_chance(r, 50)) {
        return;
    }
    if (other >= 0 && l->args[other].bytes >= least) {
        *a = l->args[other];
        /* a sub-buffer: devices want them aligned, and these are */
        if (a->bytes >= least + 128 && cx_random_chance(r, 60)) {
            a->base = 128 * (1 + cx_random_below(r, (a->bytes - least) / 128));
            a->bytes -= a->base;
        }
        return;
    }
    a->object = l->nobject + 1;
    a->bytes = l->bytes[l->nobject] = size_of(p, r, scale);
    l->data[l->nobject] = malloc(a->bytes);
    fill(l->data[l->nobject], a->bytes, r);
    l->nobject++;
}

void gen_launch_make(struct gen_launch *l, const struct gen_kernel *k, struct cx_random *r, unsigned scale)
{
    memset(l, 0, sizeof(*l));
    make_geometry(&l->geometry, k, r);
    for (unsigned i = 0; i < k->nparam; i++) {
        const struct gen_param *p = &k->param[i];
        if (p->kind == P_VALUE) {
            make_value(l, p, i, r);
        } else if (p->kind == P_LOCAL) {
            l->args[i].size = (size_t)k->local[p->minimum].n * gen_elem[p->el].size;
        } else if (p->kind == P_IMAGE) {
            gen_launch_image(l, p, i, r);
        } else {
            make_buffer(l, k, i, r, scale);
        }
    }
}

void gen_launch_finish(struct gen_launch *l)
{
    for (unsigned i = 0; i < l->nobject; i++) {
        free(l->data[i]);
    }
    memset(l, 0, sizeof(*l));
}
