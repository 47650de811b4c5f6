/* SPDX-License-Identifier: MIT */
/*
 * A launch of ordinary shape for a kernel of which only the source is known: many groups, integers as large
 * as the range along dimension 0, or, where the names say so, offsets of nothing and strides of more.
 */
#include "layer/access/explain_trial.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TRIAL_BYTES 1024
#define SHAPES      4

struct trial {
    struct cx_access_geometry geometry;
    struct cx_access_arg *args;
    unsigned char number[3][TRIAL_BYTES]; /* 32-bit numbers one after another: int, int2, most structs */
    unsigned char wide[3][8];             /* one 64-bit number */
};

enum { SIZE, STRIDE, NOTHING };

/* Shapes of work-groups to try, the most usual ones first, by number of dimensions. */
static const uint64_t shapes[4][SHAPES] = {{1, 1, 1, 1}, {64, 256, 128, 16}, {16, 8, 32, 4}, {4, 8, 2, 1}};

static void make_geometry(struct cx_access_geometry *g, const struct cx_summary_kernel *k, unsigned shape)
{
    static const uint64_t items[4] = {0, 4096, 256, 64};
    uint32_t dims = k->max_dim ? k->max_dim : 1;

    *g = (struct cx_access_geometry){.work_dim = dims};
    for (unsigned d = 0; d < dims; d++) {
        uint64_t groups;
        g->local[d] = k->reqd_size[d] ? k->reqd_size[d] : shapes[dims][shape];
        groups = items[dims] / g->local[d];
        g->global[d] = g->local[d] * (groups ? groups : 2);
    }
}

static bool has_word(const char *name, const char *const *words)
{
    for (; *words; words++) {
        size_t n = strlen(*words);
        for (const char *at = name; *at; at++) {
            if (strncasecmp(at, *words, n) == 0) {
                return true;
            }
        }
    }
    return false;
}

static unsigned role_of(const char *name)
{
    static const char *const strides[] = {"stride", "pitch", "step", "ld", NULL};
    static const char *const offsets[] = {"off", "shift", "start", "begin", NULL};

    return has_word(name, offsets) ? NOTHING : has_word(name, strides) ? STRIDE : SIZE;
}

/* As wide as the range, and so on; a layer or slice for each item along the last dimension. */
static struct cx_access_image trial_image(const struct cx_access_geometry *g, const char *type)
{
    bool line = strncmp(type, "image1d", 7) == 0, array = strstr(type, "array"), space = strstr(type, "3d");
    uint64_t size[3] = {1, 1, 1};
    struct cx_access_image i = {.element_size = 16, .channel_order = 0x10b5, .channel_type = 0x10de};

    for (uint32_t d = 0; d < g->work_dim; d++) {
        size[d] = g->offset[d] + g->global[d];
    }
    i.width = size[0];
    i.height = line ? 1 : size[1];
    i.depth = space ? size[2] : 1;
    i.array_size = array ? size[line ? 1 : 2] : 1;
    i.row_pitch = i.width * i.element_size;
    i.slice_pitch = i.row_pitch * i.height;
    return i;
}

static void make_trial(struct trial *t, const struct cx_summary_kernel *k, unsigned shape, bool by_name)
{
    make_geometry(&t->geometry, k, shape);
    for (unsigned role = SIZE; role <= NOTHING; role++) {
        uint64_t number = role == NOTHING ? 0 : t->geometry.global[0] * (role == STRIDE ? 16 : 1);
        memcpy(t->wide[role], &number, sizeof(t->wide[role]));
        for (size_t at = 0; at < TRIAL_BYTES; at += 4) {
            memcpy(t->number[role] + at, &(uint32_t){(uint32_t)number}, 4);
        }
    }
    for (uint32_t i = 0; i < k->narg; i++) {
        unsigned role = by_name ? role_of(k->arg[i].name) : SIZE;
        bool wide = k->arg[i].size == 8 && !strchr(k->arg[i].type, '2');
        t->args[i] = (struct cx_access_arg){.value = wide ? t->wide[role] : t->number[role],
                                            .size = wide ? sizeof(t->wide[role]) : TRIAL_BYTES,
                                            .object = i + 1,
                                            .bytes = UINT64_C(1) << 30};
        if (k->arg[i].kind == CX_ARG_IMAGE) {
            struct cx_access_image image = trial_image(&t->geometry, k->arg[i].type);
            t->args[i].is_image = true;
            t->args[i].image = image;
            t->args[i].bytes = image.slice_pitch * image.depth * image.array_size;
        }
    }
}

static int rank(const struct cx_access_verdict *v)
{
    return v->separable ? 2 : v->splits;
}

bool cx_explain_try(const struct cx_summary_kernel *k, bool checked, struct cx_access **access,
                    struct cx_access_verdict *verdict, uint64_t *local)
{
    unsigned shape_count = k->flags & CX_SUMMARY_REQD_SIZE ? 1 : SHAPES;
    struct trial *t = calloc(1, sizeof(*t));

    *access = NULL;
    *local = 0;
    *verdict = (struct cx_access_verdict){.reason = CX_REASON_NO_MEMORY, .arg = -1};
    if (t) {
        t->args = calloc(k->narg + 1, sizeof(*t->args));
    }
    for (unsigned i = 0; t && t->args && i < shape_count * 2 && rank(verdict) < 2; i++) {
        struct cx_access_verdict v;
        struct cx_access *a;
        make_trial(t, k, i / 2, i % 2);
        (checked ? cx_access_choose_checked : cx_access_choose)(k, &t->geometry, t->args, &a, &v);
        if (i == 0 || rank(&v) > rank(verdict)) {
            cx_access_destroy(access);
            *access = a;
            *verdict = v;
            *local = i / 2 ? t->geometry.local[0] : 0;
        } else {
            cx_access_destroy(&a);
        }
    }
    if (t) {
        free(t->args);
    }
    free(t);
    return *access != NULL;
}
