/* SPDX-License-Identifier: MIT */
/*
 * What a package of work-groups touches: cheap sums over the bounds, and an evaluation for just these units
 * where a bound of a read is loose.
 *
 * Previous stage: access.c. Next stage: the planner and coherence.
 */
#include "layer/access/access_inside.h"

#include <stdlib.h>
#include <string.h>

#define MAX_EXACT 16

static const struct cx_span nothing = {0, 0};

unsigned cx_access_lost_places;

/* Bytes an access touches with units first..last, not clipped. */
static struct cx_span span_of(const struct cx_bound *b, int64_t first, int64_t last)
{
    struct cx_span span;

    first = first > b->first ? first : b->first;
    last = last < b->last ? last : b->last;
    if (b->empty || first > last) {
        return nothing;
    }
    span.lo = cx_sat_add(cx_sat_mul(b->s, b->s >= 0 ? first : last), b->lo);
    span.hi = cx_sat_add(cx_sat_mul(b->s, b->s >= 0 ? last : first), b->hi);
    span.lo = span.lo > b->min ? span.lo : b->min;
    span.hi = span.hi < b->max ? span.hi : b->max;
    return span.lo < span.hi ? span : nothing;
}

static struct cx_span clip(struct cx_span span, uint64_t bytes)
{
    span.lo = span.lo > 0 ? span.lo : 0;
    span.hi = span.hi < (int64_t)bytes ? span.hi : (int64_t)bytes;
    return span.lo < span.hi ? span : nothing;
}

/* One argument's reads or writes while they are summed up. */
struct sum {
    struct cx_span hull, exact[MAX_EXACT];
    unsigned nexact;
    bool unknown;
};

static void add(struct sum *sum, struct cx_span span, bool exact)
{
    if (span.lo >= span.hi) {
        return;
    }
    if (sum->hull.lo >= sum->hull.hi) {
        sum->hull = span;
    } else {
        sum->hull.lo = span.lo < sum->hull.lo ? span.lo : sum->hull.lo;
        sum->hull.hi = span.hi > sum->hull.hi ? span.hi : sum->hull.hi;
    }
    if (exact && sum->nexact < MAX_EXACT) {
        sum->exact[sum->nexact++] = span;
    }
}

/* Whether the exact spans cover the hull without a gap. */
static bool is_covered(const struct sum *sum)
{
    int64_t upto = sum->hull.lo;
    bool grown = true;

    while (grown && upto < sum->hull.hi) {
        grown = false;
        for (unsigned i = 0; i < sum->nexact; i++) {
            if (sum->exact[i].lo <= upto && sum->exact[i].hi > upto) {
                upto = sum->exact[i].hi;
                grown = true;
            }
        }
    }
    return upto >= sum->hull.hi;
}

static struct cx_access_interval interval_of(const struct sum *sum, uint64_t bytes)
{
    struct cx_access_interval i = {.known = true};

    if (sum->unknown) {
        return (struct cx_access_interval){.hi = bytes};
    }
    if (sum->hull.lo < sum->hull.hi) {
        i.lo = (uint64_t)sum->hull.lo;
        i.hi = (uint64_t)sum->hull.hi;
        i.exact = sum->nexact > 0 && is_covered(sum);
    }
    return i;
}

static struct cx_span meet(struct cx_span a, struct cx_span b)
{
    struct cx_span both = {a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};

    return both.lo < both.hi ? both : nothing;
}

/*
 * Whether an evaluation for just these units is worth its microseconds: it is not where the bound follows the
 * unit already and is but a few units wide.
 */
static bool is_worth(const struct cx_access *a, uint32_t i)
{
    const struct cx_bound *b = &a->bound[i];
    int64_t step = b->s < 0 ? -b->s : b->s, wide = cx_sat_add(b->hi, cx_sat_mul(-1, b->lo));

    return b->loose && !b->empty && a->launch.kernel->access[i].mode == CX_MODE_READ &&
           (!b->known || wide > cx_sat_mul(3, step));
}

static bool any_is_worth(const struct cx_access *a)
{
    for (uint32_t i = 0; a->loose && i < a->launch.kernel->naccess; i++) {
        uint32_t arg = a->launch.kernel->access[i].arg;
        if (is_worth(a, i) && a->args[arg].object && !(a->listed[arg] & CX_LISTED_READS)) {
            return true;
        }
    }
    return false;
}

static void add_access(struct cx_access *a, uint32_t i, int64_t first, int64_t last, bool narrow,
                       struct sum *reads, struct sum *writes)
{
    const struct cx_access_record *r = &a->launch.kernel->access[i];
    const struct cx_bound *b = &a->bound[i];
    uint64_t bytes = a->args[r->arg].bytes;
    struct cx_span span = span_of(b, first, last);
    bool known = b->known;

    /* a guess that leaves nothing out says nothing */
    if (known && b->guessed && span.lo <= 0 && span.hi >= (int64_t)bytes && bytes > 0) {
        known = false;
    }
    if (narrow && is_worth(a, i)) {
        struct cx_bound again;
        cx_eval_access(&a->eval, r, &again);
        if (again.known) {
            struct cx_span close = span_of(&again, first, last);
            span = known ? meet(span, close) : close;
            known = true;
        }
    }
    if (r->mode != CX_MODE_WRITE) {
        reads->unknown |= !known;
        add(reads, clip(span, bytes), false);
    }
    if (r->mode != CX_MODE_READ) {
        writes->unknown |= !known;
        add(writes, clip(span, bytes), b->exact && r->mode == CX_MODE_WRITE);
    }
}

static struct cx_access_interval list_interval(const struct cx_span *units, int64_t first, int64_t last,
                                               uint64_t bytes)
{
    struct sum sum = {.hull = nothing};

    for (int64_t u = first; u <= last; u++) {
        add(&sum, clip(units[u], bytes), false);
    }
    return interval_of(&sum, bytes);
}

static void list_package(const struct cx_access *a, uint32_t arg, int64_t first, int64_t last,
                         struct cx_access_region *region)
{
    int64_t units = a->launch.units;

    if (!(a->listed[arg] & (CX_LISTED_READS | CX_LISTED_WRITES))) {
        return; /* there may be no lists at all */
    }
    const struct cx_span *writes = a->list + arg * units, *reads = writes + a->launch.kernel->narg * units;

    if (a->listed[arg] & CX_LISTED_WRITES) {
        region->write = list_interval(writes, first, last, a->args[arg].bytes);
    }
    if (a->listed[arg] & CX_LISTED_READS) {
        region->read = list_interval(reads, first, last, a->args[arg].bytes);
    }
}

static void add_boxes(const struct cx_access *a, uint32_t arg, int64_t first, int64_t last,
                      struct cx_access_region *region)
{
    const struct cx_shapes *reads = &a->shapes[2 * arg], *writes = reads + 1;
    bool whole = first == 0 && last == a->launch.units - 1;

    if (reads->n) {
        region->nread = cx_access_boxes(reads, first, last, a->args[arg].bytes, reads->must && !whole,
                                        region->read_box, &region->read);
        region->read.exact = false;
        region->read.apart = whole;
        for (unsigned i = 0; i < region->nread; i++) {
            region->read_box[i].exact = false;
        }
    }
    if (writes->n || writes->must) {
        region->nwrite = cx_access_boxes(writes, first, last, a->args[arg].bytes, writes->must && !whole,
                                         region->write_box, &region->write);
        region->write.apart = whole || !writes->must;
    }
}

static uint64_t bytes_of(const struct cx_access_box *box, unsigned n)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < n; i++) {
        const uint64_t rows = box[i].count[0] * box[i].count[1];
        sum += rows * (box[i].len + (uint64_t)cx_access_row_cost);
    }
    return sum;
}

/* The judgement rests on boxes that it has counted before: if they cannot be told, the regions overlap those
 * of other packages. */
static void lose_places(const struct cx_access *a, uint32_t arg, bool write)
{
    bool any = false; /* an argument may only read what its object's others write */

    for (unsigned i = 0; i < a->nplaces; i++) {
        const struct cx_places *p = &a->places[i];
        any |= p->arg == arg && (write ? p->writes : p->reads);
    }
    if (any) {
        __atomic_fetch_add(&cx_access_lost_places, 1, __ATOMIC_RELAXED);
    }
}

static void add_placed_writes(const struct cx_access *a, uint32_t arg, int64_t first, int64_t last,
                              struct cx_access_region *region)
{
    struct cx_access_interval hull;
    unsigned n = 0;

    if (!(a->listed[arg] & CX_PLACED_WRITES)) {
        return;
    }
    if (!cx_access_place_boxes(a, arg, true, first, last, region->write_box, &n, &hull)) {
        lose_places(a, arg, true);
        return;
    }
    region->write = hull;
    region->nwrite = first == 0 && last == a->launch.units - 1 ? 0 : n;
}

/* What is only read is told so where that leaves much out. */
static void add_placed_reads(const struct cx_access *a, uint32_t arg, int64_t first, int64_t last,
                             struct cx_access_region *region)
{
    const bool must = a->listed[arg] & CX_PLACED_READS;
    struct cx_access_interval hull;
    unsigned n = 0;

    if (region->nread > 0) {
        return;
    }
    if (!cx_access_place_boxes(a, arg, false, first, last, region->read_box, &n, &hull)) {
        if (must) {
            lose_places(a, arg, false);
        }
        return;
    }
    if (must || !region->read.known ||
        (n ? bytes_of(region->read_box, n) : hull.hi - hull.lo) <=
            (region->read.hi - region->read.lo) / 4 * 3) {
        region->read = hull;
        region->nread = first == 0 && last == a->launch.units - 1 ? 0 : n;
    }
}

uint64_t cx_access_read_bytes(const struct cx_access_region *region)
{
    uint64_t bytes = region->nread ? 0 : region->read.hi - region->read.lo;
    for (unsigned i = 0; i < region->nread; i++)
        bytes += region->read_box[i].len * region->read_box[i].count[0] * region->read_box[i].count[1];
    return bytes;
}

void cx_access_regions_clear(struct cx_access_region *regions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memset(&regions[i], 0, offsetof(struct cx_access_region, read_box));
}

struct cx_access_region *cx_access_regions_make(size_t count)
{
    const size_t room = count ? count : 1;
    struct cx_access_region *regions =
        room <= SIZE_MAX / sizeof(*regions) ? malloc(room * sizeof(*regions)) : NULL;
    if (regions)
        cx_access_regions_clear(regions, room);
    return regions;
}

void cx_access_package(struct cx_access *a, uint64_t g0, uint64_t g1, struct cx_access_region *regions)
{
    const struct cx_summary_kernel *k = a->launch.kernel;
    int64_t q = a->launch.granularity, first = (int64_t)g0 / q, last = ((int64_t)g1 + q - 1) / q - 1;
    bool narrow = (first > 0 || last < a->launch.units - 1) && any_is_worth(a);
    uint32_t at = 0;

    for (uint32_t i = 0; i < k->narg; i++) {
        const struct cx_access_interval none = {.known = true};
        regions[i].read = regions[i].write = none;
        regions[i].nread = regions[i].nwrite = 0;
        if (a->unreliable && a->args[i].object) {
            regions[i].read = (struct cx_access_interval){.hi = a->args[i].bytes};
            regions[i].write = k->arg[i].kind == CX_ARG_CONSTANT ? none : regions[i].read;
        }
    }
    if (a->unreliable) {
        return;
    }
    if (narrow) {
        cx_eval_run(&a->eval, first, last);
    }
    for (uint32_t i = 0; i < k->narg; i++) {
        struct sum reads = {.hull = nothing}, writes = {.hull = nothing};
        bool memory = a->args[i].object != 0;
        for (; at < k->naccess && k->access[at].arg == i; at++) {
            if (memory) {
                add_access(a, at, first, last, narrow, &reads, &writes);
            }
        }
        if (memory) {
            regions[i].read = interval_of(&reads, a->args[i].bytes);
            regions[i].write = interval_of(&writes, a->args[i].bytes);
            list_package(a, i, first, last, &regions[i]);
            add_boxes(a, i, first, last, &regions[i]);
            if (a->nplaces > 0) {
                add_placed_writes(a, i, first, last, &regions[i]);
                add_placed_reads(a, i, first, last, &regions[i]);
            }
        }
    }
}

bool cx_access_reaches_below(const struct cx_access *a, uint32_t arg)
{
    const struct cx_summary_kernel *k = a->launch.kernel;

    if (a->unreliable) {
        return true;
    }
    for (uint32_t i = 0; i < k->naccess; i++) {
        const struct cx_bound *b = &a->bound[i];
        if (k->access[i].arg == arg && !b->empty &&
            (!b->known || span_of(b, 0, a->launch.units - 1).lo < 0)) {
            return true;
        }
    }
    return false;
}

void cx_access_whole(struct cx_access *a, struct cx_access_region *regions)
{
    cx_access_package(a, 0, (uint64_t)a->launch.groups[a->launch.dim], regions);
}

static void list_span(struct cx_span *unit, struct cx_span span)
{
    struct sum sum = {.hull = *unit};

    add(&sum, span, false);
    *unit = sum.hull;
}

/* Adds what one unit touches to the list. */
static void list_unit(struct cx_access *a, int64_t unit)
{
    const struct cx_summary_kernel *k = a->launch.kernel;
    struct cx_span *writes = a->list, *reads = a->list + k->narg * a->launch.units;

    cx_eval_run(&a->eval, unit, unit);
    for (uint32_t i = 0; i < k->naccess; i++) {
        const struct cx_access_record *r = &k->access[i];
        int64_t bytes = (int64_t)a->args[r->arg].bytes, at = r->arg * a->launch.units + unit;
        struct cx_bound b;
        struct cx_span span;
        if (!a->args[r->arg].object) {
            continue;
        }
        cx_eval_access(&a->eval, r, &b);
        span = clip(b.known ? span_of(&b, unit, unit) : (struct cx_span){0, bytes}, (uint64_t)bytes);
        if (r->mode != CX_MODE_WRITE) {
            list_span(&reads[at], span);
        }
        if (r->mode != CX_MODE_READ) {
            list_span(&writes[at], span);
        }
    }
}

bool cx_access_list_units(struct cx_access *a)
{
    const struct cx_summary_kernel *k = a->launch.kernel;

    if (a->list) {
        return true;
    }
    if (a->launch.units > CX_MAX_LISTED_UNITS || a->launch.units < 2) {
        return false;
    }
    a->list = calloc(2 * (size_t)k->narg * (size_t)a->launch.units + 1, sizeof(*a->list));
    if (!a->list) {
        return false;
    }
    for (int64_t u = 0; u < a->launch.units; u++) {
        list_unit(a, u);
    }
    cx_eval_run(&a->eval, 0, a->launch.units - 1);
    return true;
}

void cx_access_drop_list(struct cx_access *a)
{
    free(a->list);
    a->list = NULL;
}

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u; /* FNV-1a */
    }
    return hash;
}

static uint64_t mix_number(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 32);
}

static bool same_image(const struct cx_access_arg *x, const struct cx_access_arg *y)
{
    const struct cx_access_image *a = &x->image, *b = &y->image;

    return x->is_image == y->is_image && a->width == b->width && a->height == b->height &&
           a->depth == b->depth && a->array_size == b->array_size && a->row_pitch == b->row_pitch &&
           a->slice_pitch == b->slice_pitch && a->element_size == b->element_size &&
           a->channel_order == b->channel_order && a->channel_type == b->channel_type;
}

uint64_t cx_access_hash(const struct cx_summary_kernel *k, const struct cx_access_geometry *g,
                        const struct cx_access_arg *args)
{
    uint64_t hash = mix_number(0xcbf29ce484222325u, (uint64_t)(uintptr_t)k);

    hash = mix_number(hash, g->work_dim);
    for (unsigned d = 0; d < g->work_dim && d < 3; d++) {
        hash = mix_number(hash, g->offset[d]);
        hash = mix_number(hash, g->global[d]);
        hash = mix_number(hash, g->local[d]);
    }
    for (uint32_t i = 0; i < k->narg; i++) {
        if (cx_access_is_memory(k, i)) {
            hash = mix_number(hash, args[i].object);
            hash = mix_number(hash, args[i].base);
            hash = mix_number(hash, args[i].bytes);
            hash = mix_number(hash, args[i].image.width); /* the others hardly ever tell two apart */
        }
    }
    for (uint32_t i = 0; i < k->nexpr; i++) {
        const struct cx_expr *e = &k->expr[i];
        if (e->op == CX_EXPR_ARG && args[e->a].value && (uint64_t)e->imm + e->width / 8u <= args[e->a].size) {
            hash = mix(hash, (const unsigned char *)args[e->a].value + e->imm, e->width / 8u);
        }
    }
    return hash;
}

static bool same_geometry(const struct cx_access_geometry *x, const struct cx_access_geometry *y)
{
    bool same = x->work_dim == y->work_dim;

    for (unsigned d = 0; same && d < x->work_dim && d < 3; d++) {
        same = x->offset[d] == y->offset[d] && x->global[d] == y->global[d] && x->local[d] == y->local[d];
    }
    return same;
}

bool cx_access_matches(const struct cx_access *a, const struct cx_summary_kernel *k,
                       const struct cx_access_geometry *g, const struct cx_access_arg *args)
{
    if (a->launch.kernel != k || !same_geometry(&a->geometry, g)) {
        return false;
    }
    for (uint32_t i = 0; i < k->narg; i++) {
        if (cx_access_is_memory(k, i) &&
            (a->args[i].object != args[i].object || a->args[i].base != args[i].base ||
             a->args[i].bytes != args[i].bytes || !same_image(&a->args[i], &args[i]))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < k->nexpr; i++) {
        const struct cx_expr *e = &k->expr[i];
        if (e->op == CX_EXPR_ARG &&
            (!args[e->a].value || (uint64_t)e->imm + e->width / 8u > args[e->a].size ||
             memcmp((const unsigned char *)a->args[e->a].value + e->imm,
                    (const unsigned char *)args[e->a].value + e->imm, e->width / 8u) != 0)) {
            return false;
        }
    }
    return true;
}
