/* SPDX-License-Identifier: MIT */
/* One launch prepared for a cut: memory, verdict, choice of the dimension. Packages are in package.c.
 */
#include "layer/access/access_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZE (UINT64_C(1) << 40) /* of a launch's numbers; more would only overflow */

/* An image argument's description is there, and its numbers are none that would only overflow. */
static bool image_fits(const struct cx_access_arg *arg)
{
    const struct cx_access_image *i = &arg->image;
    const uint64_t numbers[] = {i->width,     i->height,      i->depth,        i->array_size,
                                i->row_pitch, i->slice_pitch, i->element_size, 1};

    for (size_t n = 0; n < sizeof(numbers) / sizeof(*numbers); n++) {
        if (numbers[n] < 1 || numbers[n] > MAX_SIZE) {
            return false;
        }
    }
    return arg->is_image;
}

static bool fits(const struct cx_summary_kernel *k, const struct cx_access_geometry *g,
                 const struct cx_access_arg *args, unsigned dim, uint64_t granularity)
{
    if (!k || !g || g->work_dim < 1 || g->work_dim > 3 || dim >= g->work_dim || granularity < 1 ||
        granularity > MAX_SIZE || (k->narg && !args)) {
        return false;
    }
    for (unsigned d = 0; d < g->work_dim; d++) {
        if (g->global[d] < 1 || g->global[d] > MAX_SIZE || g->local[d] < 1 || g->local[d] > MAX_SIZE ||
            g->offset[d] > MAX_SIZE) {
            return false;
        }
    }
    for (uint32_t i = 0; i < k->narg; i++) {
        if (args[i].base > INT64_MAX / 4 || args[i].bytes > INT64_MAX / 4 ||
            (k->arg[i].kind == CX_ARG_IMAGE && !image_fits(&args[i]))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < k->nexpr; i++) {
        const struct cx_expr *e = &k->expr[i];
        if (e->op == CX_EXPR_ARG &&
            (!args[e->a].value || (uint64_t)e->imm + e->width / 8u > args[e->a].size)) {
            return false;
        }
    }
    return true;
}

static void set_launch(struct cx_launch *l, const struct cx_summary_kernel *k,
                       const struct cx_access_geometry *g, unsigned dim, uint64_t granularity)
{
    *l = (struct cx_launch){
        .kernel = k, .work_dim = g->work_dim, .dim = dim, .granularity = (int64_t)granularity};
    for (unsigned d = 0; d < 3; d++) {
        bool used = d < g->work_dim;
        l->offset[d] = used ? (int64_t)g->offset[d] : 0;
        l->global[d] = used ? (int64_t)g->global[d] : 1;
        l->local[d] = used ? (int64_t)g->local[d] : 1;
        l->groups[d] = (l->global[d] + l->local[d] - 1) / l->local[d];
    }
    l->units = (l->groups[dim] + l->granularity - 1) / l->granularity;
}

static size_t value_bytes(const struct cx_summary_kernel *k, const struct cx_access_arg *args, uint32_t i)
{
    return k->arg[i].kind == CX_ARG_VALUE && args[i].value ? args[i].size : 0;
}

bool cx_access_is_memory(const struct cx_summary_kernel *k, uint32_t arg)
{
    return k->arg[arg].kind == CX_ARG_GLOBAL || k->arg[arg].kind == CX_ARG_CONSTANT ||
           k->arg[arg].kind == CX_ARG_IMAGE;
}

/* The object with room for everything but lists of units, in one block. */
static struct cx_access *create(const struct cx_summary_kernel *k, const struct cx_access_arg *args)
{
    size_t bounds = (k->naccess * sizeof(struct cx_bound) + 15) & ~(size_t)15;
    size_t copies = (k->narg * sizeof(struct cx_access_arg) + 15) & ~(size_t)15;
    size_t means = (k->narg * (sizeof(struct cx_access_means) + 1) + 15) & ~(size_t)15;
    size_t shapes = 2 * k->narg * sizeof(struct cx_shapes);
    size_t eval = cx_eval_size(k), values = 0;
    struct cx_access *a;
    unsigned char *at;

    for (uint32_t i = 0; i < k->narg; i++) {
        values += value_bytes(k, args, i);
    }
    a = malloc(sizeof(*a) + eval + bounds + copies + means + shapes + values);
    if (!a) {
        return NULL;
    }
    memset(a, 0, sizeof(*a));
    at = a->memory;
    a->eval_memory = at;
    a->bound = (struct cx_bound *)(at + eval);
    a->args = (struct cx_access_arg *)(at + eval + bounds);
    a->means = memset(at + eval + bounds + copies, 0, means);
    a->listed = (uint8_t *)(a->means + k->narg);
    at += eval + bounds + copies + means;
    a->shapes = memset(at, 0, shapes);
    at += shapes;
    for (uint32_t i = 0; i < k->narg; i++) {
        size_t size = value_bytes(k, args, i);
        a->args[i] = args[i];
        a->args[i].value = size ? memcpy(at, args[i].value, size) : NULL;
        at += size;
        if (!cx_access_is_memory(k, i)) {
            a->args[i].object = 0;
        }
    }
    return a;
}

/* Kernels whose records do not tell all they touch. */
static bool is_unreliable(const struct cx_summary_kernel *k)
{
    for (uint32_t i = 0; i < k->nnote; i++) {
        switch ((enum cx_summary_reason)k->note[i].reason) {
        case CX_REASON_NO_SUMMARY:
        case CX_REASON_COMPILE_FAILED:
        case CX_REASON_TIME_LIMIT:
        case CX_REASON_ANALYSER_CRASHED:
        case CX_REASON_TOO_COMPLEX:
        case CX_REASON_DEVICE_ENQUEUE:
        case CX_REASON_POINTER_STORED:
        case CX_REASON_POINTER_UNRESOLVED:
        case CX_REASON_POINTER_INTEGER:
        case CX_REASON_INLINE_ASM:
        case CX_REASON_OPAQUE_CALL:
        case CX_REASON_INDIRECT_CALL:
        case CX_REASON_RECURSION:
            return true;
        default:
            break;
        }
    }
    return k->flags & CX_SUMMARY_OPAQUE;
}

/* Whether what the kernel orders work-items by are atomics alone, no fences or volatile accesses. */
static bool orders_by_atomics(const struct cx_summary_kernel *k)
{
    bool alone = true;
    for (uint32_t i = 0; i < k->nnote; i++) {
        alone &= k->note[i].reason == CX_REASON_ATOMIC_ORDER;
    }
    return alone;
}

/*
 * Of a launch whose kernel may order work-items: what is judged CHECKED is split. So is one that needs no
 * check, as all that it writes, its atomics' places among them, is apart, whatever values are read or
 * returned: an atomic orders those that touch its place, here within a package, which runs on one device.
 */
static void judge_ordered(struct cx_access *a)
{
    struct cx_access_verdict *v = &a->verdict;
    const bool apart = v->splits && v->separable && !v->checked && orders_by_atomics(a->launch.kernel);

    v->separable = apart;
    v->splits = apart || (v->splits && v->checked);
    v->checked &= v->splits;
}

static void judge(struct cx_access *a)
{
    const struct cx_summary_kernel *k = a->launch.kernel;
    struct cx_access_verdict *v = &a->verdict;
    struct cx_fault fault;

    *v = (struct cx_access_verdict){.dim = (uint8_t)a->launch.dim,
                                    .granularity = (uint64_t)a->launch.granularity,
                                    .groups = (uint64_t)a->launch.groups[a->launch.dim],
                                    .arg = -1};
    v->reason = a->checks ? cx_summary_forbids_checked(k, &v->line, &v->arg)
                          : cx_summary_forbids(k, &v->line, &v->arg);
    if (v->reason != CX_REASON_NONE) {
        return;
    }
    if (a->launch.units < 2) {
        v->reason = CX_REASON_ONE_GROUP;
        return;
    }
    if (a->checks && !cx_access_may_check(a, &fault)) {
        v->reason = fault.reason;
        v->arg = fault.record->arg;
        v->line = fault.record->line;
        return;
    }
    cx_access_find_protocols(a);
    if (a->checks) {
        judge_ordered(a);
    }
}

static double times_of_loop(const struct cx_access *a, int32_t loop)
{
    const uint32_t times = a->launch.kernel->loop[loop].times;
    const int var = a->eval.loop_var[loop];

    return times ? times : var >= 0 ? (double)a->eval.vars.var[var].hi + 1 : INFINITY;
}

static double count_steps(const struct cx_access *a)
{
    const struct cx_launch *l = &a->launch;
    double steps = l->kernel->steps == CX_STEPS_UNKNOWN ? INFINITY : l->kernel->steps;

    for (uint32_t i = 0; i < l->kernel->nloop; i++) {
        const uint32_t own = l->kernel->loop[i].steps;
        double inside = own == CX_STEPS_UNKNOWN ? INFINITY : own;
        for (int32_t around = (int32_t)i; around >= 0 && own; around = l->kernel->loop[around].parent) {
            inside *= times_of_loop(a, around);
        }
        steps += inside;
    }
    return (double)l->global[0] * (double)l->global[1] * (double)l->global[2] * steps;
}

static bool refuse(struct cx_access_verdict *v, unsigned dim, uint64_t granularity,
                   enum cx_summary_reason reason)
{
    *v = (struct cx_access_verdict){
        .dim = (uint8_t)dim, .granularity = granularity ? granularity : 1, .reason = reason, .arg = -1};
    return false;
}

static bool prepare(const struct cx_summary_kernel *kernel, const struct cx_access_geometry *geometry,
                    const struct cx_access_arg *args, unsigned dim, uint64_t granularity, bool checks,
                    struct cx_access **out, struct cx_access_verdict *verdict)
{
    struct cx_access *a;

    if (out) {
        *out = NULL;
    }
    if (!kernel) {
        return refuse(verdict, dim, granularity, CX_REASON_NO_SUMMARY);
    }
    if (!fits(kernel, geometry, args, dim, granularity)) {
        return refuse(verdict, dim, granularity, CX_REASON_BAD_LAUNCH);
    }
    a = create(kernel, args);
    if (!a) {
        return refuse(verdict, dim, granularity, CX_REASON_NO_MEMORY);
    }
    a->geometry = *geometry;
    a->checks = checks;
    set_launch(&a->launch, kernel, geometry, dim, granularity);
    a->launch.args = a->args;
    a->unreliable = is_unreliable(kernel);
    cx_eval_init(&a->eval, &a->launch, a->eval_memory);
    cx_eval_run(&a->eval, 0, a->launch.units - 1);
    a->steps = count_steps(a);
    for (uint32_t i = 0; i < kernel->naccess; i++) {
        cx_eval_access(&a->eval, &kernel->access[i], &a->bound[i]);
        a->loose |= a->bound[i].loose;
    }
    judge(a);
    *verdict = a->verdict;
    if (out) {
        *out = a;
    } else {
        cx_access_destroy(&a);
    }
    return verdict->separable;
}

bool cx_access_separable(const struct cx_summary_kernel *kernel, const struct cx_access_geometry *geometry,
                         const struct cx_access_arg *args, unsigned dim, uint64_t granularity,
                         struct cx_access **out, struct cx_access_verdict *verdict)
{
    return prepare(kernel, geometry, args, dim, granularity, false, out, verdict);
}

void cx_access_destroy(struct cx_access **access)
{
    if (access && *access) {
        free((*access)->list);
        free((*access)->shape);
        free((*access)->places);
        free(*access);
        *access = NULL;
    }
}

const struct cx_access_verdict *cx_access_verdict(const struct cx_access *access)
{
    return &access->verdict;
}

double cx_access_steps(const struct cx_access *access)
{
    return access->steps;
}

const struct cx_access_means *cx_access_means(const struct cx_access *access)
{
    return access->means;
}

/* How far a judgement got that found no way: the reasons of one launch in the order in which they are found.
 */
static int progress(const struct cx_access_verdict *v)
{
    return v->reason == CX_REASON_ONE_GROUP ? 1 : v->reason > CX_REASON_KERNEL_LAST ? 2 : 0;
}

/* The best so far. */
struct best {
    struct cx_access *access;
    struct cx_access_verdict verdict;
    bool any;
    bool checks; /* what is tried may be CHECKED */
};

/* Whether a is strictly better than b; what was tried first wins otherwise. Both have a way for everything.
 */
static bool is_cheaper(const struct cx_access *a, const struct cx_access *b)
{
    if (a->verdict.separable != b->verdict.separable) {
        return a->verdict.separable;
    }
    if (a->merged != b->merged) {
        return a->merged < b->merged;
    }
    if (a->private_copies != b->private_copies) {
        return a->private_copies < b->private_copies;
    }
    return b->scattered && !a->scattered;
}

static bool is_better(const struct cx_access *a, const struct cx_access_verdict *v, const struct best *best)
{
    if (!best->any || !a || !best->access) {
        return !best->any || a;
    }
    if (v->splits && best->verdict.splits) {
        return is_cheaper(a, best->access);
    }
    return v->splits || (!best->verdict.splits && progress(v) > progress(&best->verdict));
}

/* What might do better along a dimension. */
struct cure {
    bool coarser;     /* powers of two */
    uint64_t aligned; /* this granularity; 0: none */
};

static bool try_one(struct best *best, const struct cx_summary_kernel *kernel,
                    const struct cx_access_geometry *geometry, const struct cx_access_arg *args, unsigned dim,
                    uint64_t granularity, struct cure *cure)
{
    struct cx_access_verdict v;
    struct cx_access *a = NULL;
    bool ok = prepare(kernel, geometry, args, dim, granularity, best->checks, &a, &v) && !a->scattered;

    cure->coarser = a && a->curable;
    cure->aligned = a ? (uint64_t)a->aligned : 0;
    if (is_better(a, &v, best)) {
        cx_access_destroy(&best->access);
        best->access = a;
        best->verdict = v;
        best->any = true;
    } else {
        cx_access_destroy(&a);
    }
    return ok;
}

static uint64_t groups_along(const struct cx_access_geometry *g, unsigned d)
{
    return g->local[d] ? g->global[d] / g->local[d] + (g->global[d] % g->local[d] != 0) : 0;
}

static void search(struct best *best, const struct cx_summary_kernel *kernel,
                   const struct cx_access_geometry *geometry, const struct cx_access_arg *args)
{
    struct cure cure[3] = {{false, 0}, {false, 0}, {false, 0}}, again;

    if (!kernel || !geometry || geometry->work_dim < 1 || geometry->work_dim > 3 ||
        (best->checks ? cx_summary_forbids_checked(kernel, NULL, NULL)
                      : cx_summary_forbids(kernel, NULL, NULL)) != CX_REASON_NONE) {
        try_one(best, kernel, geometry, args, 0, 1, &cure[0]);
        return;
    }
    for (unsigned d = geometry->work_dim; d-- > 0;) {
        if ((groups_along(geometry, d) > 1 || d == 0) &&
            try_one(best, kernel, geometry, args, d, 1, &cure[d])) {
            return;
        }
    }
    for (unsigned d = geometry->work_dim; d-- > 0 && !best->verdict.separable;) {
        /* from digit to digit of the ids */
        for (uint64_t q = cure[d].aligned; q > 1 && q * 2 <= groups_along(geometry, d); q = again.aligned) {
            if (try_one(best, kernel, geometry, args, d, q, &again)) {
                return;
            }
        }
    }
    if (best->verdict.separable) {
        return;
    }
    /* where all is affine in the group's number a coarser cut fails for the same reason */
    for (unsigned d = geometry->work_dim; d-- > 0;) {
        for (uint64_t q = 2; cure[d].coarser && q <= 1024 && q * 2 <= groups_along(geometry, d); q *= 2) {
            if (try_one(best, kernel, geometry, args, d, q, &again)) {
                return;
            }
        }
    }
}

static bool choose(struct best *best, const struct cx_summary_kernel *kernel,
                   const struct cx_access_geometry *geometry, const struct cx_access_arg *args,
                   struct cx_access **out, struct cx_access_verdict *verdict)
{
    search(best, kernel, geometry, args);
    *verdict = best->verdict;
    if (out) {
        *out = best->access;
    } else {
        cx_access_destroy(&best->access);
    }
    return verdict->splits;
}

bool cx_access_choose(const struct cx_summary_kernel *kernel, const struct cx_access_geometry *geometry,
                      const struct cx_access_arg *args, struct cx_access **out,
                      struct cx_access_verdict *verdict)
{
    struct best best = {.checks = false};

    return choose(&best, kernel, geometry, args, out, verdict);
}

bool cx_access_choose_checked(const struct cx_summary_kernel *kernel,
                              const struct cx_access_geometry *geometry, const struct cx_access_arg *args,
                              struct cx_access **out, struct cx_access_verdict *verdict)
{
    struct best best = {.checks = true};

    return choose(&best, kernel, geometry, args, out, verdict);
}
