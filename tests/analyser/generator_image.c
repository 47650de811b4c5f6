/* SPDX-License-Identifier: MIT */
/* Images of random kernels: parameters, calls, their source, sizes for a launch, and what the calls touch. */
#include "generator_make.h"
#include "generator_run.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *type;
    uint8_t coordinates;
    bool layers;
} shapes[GEN_SHAPES] = {{"image1d_t", 1, false},
                        {"image1d_array_t", 2, true},
                        {"image2d_t", 2, false},
                        {"image2d_array_t", 3, true},
                        {"image3d_t", 3, false}};

enum sampler { SAMPLER_NONE, SAMPLER_EDGE, SAMPLER_BORDER };

/* ---- kernels ---- */

void make_image_params(struct scope *s)
{
    static const uint8_t usual[] = {GEN_2D, GEN_2D, GEN_2D, GEN_1D, GEN_3D, GEN_1D_ARRAY, GEN_2D_ARRAY};
    struct gen_kernel *k = s->k;
    unsigned count = make_chance(s, 30) ? 1 + make_below(s, 2) : 0;

    for (unsigned i = 0; i < count && k->nparam < GEN_PARAMS; i++) {
        struct gen_param *p = &k->param[k->nparam++];
        p->kind = P_IMAGE;
        p->el = (uint8_t)(make_chance(s, 60) ? EL_INT + make_below(s, 2) : make_below(s, EL_UINT));
        p->is_const = make_chance(s, 40);
        p->shape = usual[make_below(s, sizeof(usual))];
        p->shape = !p->is_const && p->shape == GEN_3D ? (uint8_t)GEN_2D_ARRAY : p->shape;
        p->channels = make_chance(s, 50) ? 1 : 4;
        p->sampler = (uint8_t)make_below(s, 3);
        p->written = !p->is_const;
    }
}

static int some_image(struct scope *s, bool written)
{
    unsigned from = make_below(s, s->k->nparam);

    for (unsigned n = 0; n < s->k->nparam && !s->helper; n++) {
        unsigned i = (from + n) % s->k->nparam;
        if (s->k->param[i].kind == P_IMAGE && s->k->param[i].is_const != written) {
            return (int)i;
        }
    }
    return -1;
}

static int size_of_image(struct scope *s, int image, unsigned coordinate)
{
    int size = make_expr(s, (struct gen_expr){.op = E_IMAGE_SIZE,
                                              .type = I32,
                                              .sub = (uint8_t)image,
                                              .a = -1,
                                              .b = -1,
                                              .c = -1,
                                              .ref = -1,
                                              .imm = coordinate});
    return make_cast(s, I32, size);
}

static int last_of(struct scope *s, int image, unsigned coordinate)
{
    return make_binary(s, B_SUB, size_of_image(s, image, coordinate), make_const(s, I32, 1));
}

static int clamped(struct scope *s, int image, unsigned coordinate, int value)
{
    return make_expr(s, (struct gen_expr){.op = E_BUILTIN,
                                          .type = I32,
                                          .sub = F_CLAMP,
                                          .opnd = I32,
                                          .a = (int16_t)value,
                                          .b = (int16_t)make_const(s, I32, 0),
                                          .c = (int16_t)last_of(s, image, coordinate),
                                          .ref = -1});
}

static int coordinate(struct scope *s, int image, unsigned at)
{
    int id = make_item(s, ITEM_GLOBAL_ID, at < s->k->dims ? at : make_below(s, s->k->dims)), value = id;
    unsigned roll = make_below(s, 100);

    if (roll < 20) {
        value = make_binary(s, B_ADD, id, make_const(s, I32, (int64_t)make_below(s, 5) - 2));
    } else if (roll < 30) {
        value = make_binary(s, B_SUB, last_of(s, image, at), make_cast(s, I32, id));
    } else if (roll < 40) {
        value = make_binary(s, B_MUL, id, make_const(s, I32, 2 + make_below(s, 2)));
    } else if (roll < 55) {
        value = make_affine(s);
    } else if (roll < 63) {
        value = make_value(s, 2);
    } else if (roll < 75) {
        value = make_const(s, I32, make_below(s, 4));
    }
    value = make_cast(s, I32, value);
    return make_chance(s, 30) ? clamped(s, image, at, value) : value;
}

/* Where a texel lies; of tidy kernels that write, each work-item has places of its own. */
static int place(struct scope *s, int image, bool own)
{
    int at[3] = {-1, -1, -1};

    for (unsigned i = 0; i < shapes[s->k->param[image].shape].coordinates; i++) {
        if (own && i < s->k->dims) {
            at[i] = make_item(s, ITEM_GLOBAL_ID, i);
            at[i] = make_cast(s, I32, make_binary(s, B_MUL, at[i], make_const(s, I32, 1 + make_below(s, 2))));
        } else {
            at[i] = own ? make_const(s, I32, make_below(s, 3)) : coordinate(s, image, i);
        }
    }
    return make_expr(s, (struct gen_expr){.op = E_PLACE,
                                          .type = I32,
                                          .sub = (uint8_t)image,
                                          .a = (int16_t)at[0],
                                          .b = (int16_t)at[1],
                                          .c = (int16_t)at[2],
                                          .ref = -1});
}

int make_image_read(struct scope *s)
{
    int image = some_image(s, false);

    if (image < 0) {
        return -1;
    }
    return make_expr(s, (struct gen_expr){.op = E_IMAGE,
                                          .type = gen_elem[s->k->param[image].el].type,
                                          .sub = (uint8_t)image,
                                          .a = (int16_t)place(s, image, false),
                                          .b = -1,
                                          .c = -1,
                                          .ref = -1});
}

int make_image_write(struct scope *s)
{
    struct gen_stmt t = make_stmt(S_IMAGE);
    int image = some_image(s, true);

    if (image < 0 || (s->k->tidy && shapes[s->k->param[image].shape].coordinates < s->k->dims)) {
        return -1;
    }
    t.var = (int16_t)image;
    t.a = (int16_t)place(s, image, s->k->tidy);
    t.b = (int16_t)make_value(s, 2);
    return make_statement(s, t);
}

/* ---- source ---- */

static bool is_unsigned(const struct gen_param *p)
{
    return p->el == EL_UCHAR || p->el == EL_USHORT || p->el == EL_UINT;
}

void gen_print_image_param(FILE *out, const struct gen_param *p, unsigned i)
{
    fprintf(out, "__%s_only %s p%u", p->is_const ? "read" : "write", shapes[p->shape].type, i);
}

static void print_place(FILE *out, const struct gen_kernel *k, int at)
{
    const struct gen_expr *e = &k->expr[at];
    int part[3] = {e->a, e->b, e->c};
    unsigned n = shapes[k->param[e->sub].shape].coordinates;

    fprintf(out, n == 1 ? "(" : n == 2 ? "(int2)(" : "(int4)(");
    for (unsigned i = 0; i < n; i++) {
        fprintf(out, i ? ", " : "");
        gen_print_expr(out, k, part[i]);
    }
    fprintf(out, n == 3 ? ", 0)" : ")");
}

void gen_print_image_read(FILE *out, const struct gen_kernel *k, const struct gen_expr *e)
{
    static const char *const sampler[] = {"", "edge, ", "border, "};
    const struct gen_param *p = &k->param[e->sub];

    fprintf(out, "%sread_image%s(p%u, %s", p->el < EL_INT ? "(int)" : "", is_unsigned(p) ? "ui" : "i", e->sub,
            sampler[p->sampler]);
    print_place(out, k, e->a);
    fprintf(out, ").x");
}

void gen_print_image_write(FILE *out, const struct gen_kernel *k, const struct gen_stmt *s)
{
    const struct gen_param *p = &k->param[s->var];
    const char *type = is_unsigned(p) ? "uint" : "int";

    fprintf(out, "write_image%s(p%d, ", is_unsigned(p) ? "ui" : "i", s->var);
    print_place(out, k, s->a);
    fprintf(out, ", (%s4)((%s)", type, type);
    gen_print_expr(out, k, s->b);
    fprintf(out, "));\n");
}

void gen_print_image_size(FILE *out, const struct gen_kernel *k, const struct gen_expr *e)
{
    static const char *const name[] = {"width", "height", "depth"};
    unsigned shape = k->param[e->sub].shape;
    bool layer = shapes[shape].layers && e->imm + 1 == shapes[shape].coordinates;

    fprintf(out, "get_image_%s(p%u)", layer ? "array_size" : name[e->imm], e->sub);
}

/* ---- launches ---- */

static uint64_t some_size(const struct gen_launch *l, unsigned d, struct cx_random *r)
{
    const struct cx_access_geometry *g = &l->geometry;

    return d < g->work_dim && cx_random_chance(r, 50) ? g->global[d] + g->offset[d]
                                                      : 1 + cx_random_below(r, 14);
}

void gen_launch_image(struct gen_launch *l, const struct gen_param *p, unsigned i, struct cx_random *r)
{
    struct cx_access_arg *a = &l->args[i];
    struct cx_access_image *m = &a->image;
    uint64_t size[3] = {1, 1, 1};
    unsigned n = shapes[p->shape].coordinates;

    for (unsigned d = 0; d < n; d++) {
        size[d] = some_size(l, d, r);
        size[d] = size[d] < (d ? 16 : 60) ? size[d] : (d ? 16 : 60);
    }
    *m = (struct cx_access_image){.width = size[0], .height = 1, .depth = 1, .array_size = 1};
    *(shapes[p->shape].layers ? &m->array_size : n == 3 ? &m->depth : &m->height) = n == 1 ? 1 : size[n - 1];
    if (n == 3) {
        m->height = size[1];
    }
    m->element_size = p->channels * gen_elem[p->el].size;
    m->channel_order = p->channels == 4 ? 0x10b5 : 0x10b0; /* CL_RGBA, CL_R */
    m->row_pitch = (m->width + (cx_random_chance(r, 20) ? cx_random_below(r, 3) : 0)) * m->element_size;
    m->slice_pitch = m->row_pitch * m->height;
    while (m->slice_pitch * m->depth * m->array_size > GEN_MAX_BYTES) {
        *(m->depth > m->array_size ? &m->depth : &m->array_size) -= 1;
    }
    a->is_image = true;
    a->object = l->nobject + 1;
    a->bytes = l->bytes[l->nobject] = m->slice_pitch * m->depth * m->array_size;
    l->data[l->nobject] = malloc(a->bytes);
    for (size_t b = 0; b < a->bytes; b++) {
        l->data[l->nobject][b] = (unsigned char)cx_random_below(r, 24);
    }
    l->nobject++;
}

/* ---- the interpreter ---- */

static int64_t image_size(const struct run *r, unsigned param, unsigned at)
{
    const struct cx_access_image *m = &r->l->args[param].image;
    unsigned shape = r->k->param[param].shape;

    if (shapes[shape].layers && at + 1 == shapes[shape].coordinates) {
        return (int64_t)m->array_size;
    }
    return (int64_t)(at == 0 ? m->width : at == 1 ? m->height : m->depth);
}

int64_t run_image_size(struct run *r, const struct gen_expr *e)
{
    return image_size(r, e->sub, (unsigned)e->imm);
}

/* Where the texel lies, or false where there is none. */
static bool texel(struct run *r, int at, bool write, unsigned item, struct pointer *p)
{
    const struct gen_expr *e = &r->k->expr[at];
    const struct cx_access_image *m = &r->l->args[e->sub].image;
    const struct gen_param *param = &r->k->param[e->sub];
    int part[3] = {e->a, e->b, e->c};
    bool inside = true;

    *p = (struct pointer){e->sub, 0};
    for (unsigned i = 0; i < shapes[param->shape].coordinates; i++) {
        int64_t x = run_eval(r, part[i], item), size = image_size(r, e->sub, i), in;
        bool layer = shapes[param->shape].layers && i + 1 == shapes[param->shape].coordinates;
        in = x < 0 ? 0 : x >= size ? size - 1 : x;
        if (in != x && !write && param->sampler == SAMPLER_NONE) {
            run_undefined(r, "image read outside");
        }
        /* layers are always clamped by samplers */
        inside &= in == x || (!write && (layer || param->sampler == SAMPLER_EDGE));
        p->offset += in * (int64_t)(layer || i == 2 ? m->slice_pitch
                                    : i == 1        ? m->row_pitch
                                                    : m->element_size);
    }
    return inside && !r->rec->undefined;
}

int64_t run_image_read(struct run *r, const struct gen_expr *e, unsigned item)
{
    struct pointer at;
    unsigned char *from;

    if (!texel(r, e->a, false, item, &at)) {
        return 0;
    }
    from = run_touch(r, at, r->l->args[e->sub].image.element_size, GEN_READ, ANY_TYPE, 0, (int)item);
    return from ? run_get(r->k->param[e->sub].el, from) : 0;
}

/* Outside nothing is written. */
void run_image_write(struct run *r, const struct gen_stmt *s, unsigned item)
{
    const struct gen_param *p = &r->k->param[s->var];
    unsigned size = gen_elem[p->el].size;
    int64_t value = run_eval(r, s->b, item);
    unsigned char *to, before[16];
    struct pointer at;

    if (!texel(r, s->a, true, item, &at)) {
        return;
    }
    to = run_touch(r, at, p->channels * size, GEN_WRITE, ANY_TYPE, 0, (int)item);
    if (!to) {
        return;
    }
    memcpy(before, to, p->channels * size);
    for (unsigned i = 0; i < p->channels; i++) {
        run_put(p->el, to + i * size, value);
    }
    if (memcmp(before, to, p->channels * size) != 0) {
        run_stored(r, s->var, p->channels * size);
    }
}
