/* SPDX-License-Identifier: MIT */
/*
 * What layer/access/access.h says of a launch, held against what the interpreter saw: regions hold every byte
 * that was read or written, exact ones nothing else, and the way of each object fits.
 */
#include "apart.h"
#include "generator.h"

#include <stdlib.h>
#include <string.h>

struct check {
    const struct cx_summary_kernel *s;
    const struct gen_kernel *k;
    const struct gen_launch *l;
    const struct gen_record *rec;
    struct cx_random *r;
    struct gen_stats *stats;
    char *why;
    size_t size;
    bool quick; /* take every read and write for one that matters */
    unsigned dim;
    uint64_t groups;                 /* along dim */
    unsigned char *fold[GEN_PARAMS]; /* touch by group along dim */
};

/* By group along the dimension. */
static void fold(struct check *c)
{
    const uint64_t *n = c->rec->groups;

    c->groups = n[c->dim];
    for (unsigned i = 0; i < c->k->nparam; i++) {
        uint64_t bytes = c->l->args[i].bytes;
        c->fold[i] = c->rec->touch[i] ? calloc(c->groups, bytes) : NULL;
        for (uint64_t g = 0; c->fold[i] && g < c->rec->ngroups; g++) {
            uint64_t at[3] = {g % n[0], g / n[0] % n[1], g / n[0] / n[1]};
            for (uint64_t b = 0; b < bytes; b++) {
                c->fold[i][at[c->dim] * bytes + b] |= c->rec->touch[i][g * bytes + b];
            }
        }
    }
}

static void unfold(struct check *c)
{
    for (unsigned i = 0; i < c->k->nparam; i++) {
        free(c->fold[i]);
    }
}

static bool in_box(const struct cx_access_box *b, uint64_t byte)
{
    uint64_t at;

    if (byte < b->lo) {
        return false;
    }
    at = byte - b->lo;
    if (b->count[1] > 1) {
        uint64_t j = at / b->stride[1];
        at -= (j < b->count[1] ? j : b->count[1] - 1) * b->stride[1];
    }
    if (b->count[0] > 1) {
        uint64_t i = at / b->stride[0];
        at -= (i < b->count[0] ? i : b->count[0] - 1) * b->stride[0];
    }
    return at < b->len;
}

static bool inside(const struct cx_access_interval *i, const struct cx_access_box *box, unsigned n,
                   uint64_t byte, bool *exact)
{
    *exact = i->exact;
    if (byte < i->lo || byte >= i->hi) {
        return false;
    }
    for (unsigned b = 0; b < n; b++) {
        if (in_box(&box[b], byte)) {
            *exact |= box[b].exact;
            return true;
        }
    }
    return n == 0;
}

/* Bytes of objects, for a question. */
struct bytes {
    unsigned char *set[GEN_PARAMS];
};

static void bytes_init(const struct check *c, struct bytes *b, unsigned char value)
{
    for (unsigned i = 0; i < c->l->nobject; i++) {
        b->set[i] = malloc(c->l->bytes[i]);
        memset(b->set[i], value, c->l->bytes[i]);
    }
}

static void bytes_finish(const struct check *c, struct bytes *b)
{
    for (unsigned i = 0; i < c->l->nobject; i++) {
        free(b->set[i]);
    }
}

/* The launch with other contents in some bytes; tries differ, and number 0 keeps all as they are. */
static void disturb(const struct check *c, struct gen_launch *l, const struct bytes *which, unsigned tries)
{
    *l = *c->l;
    for (unsigned i = 0; i < l->nobject; i++) {
        l->data[i] = malloc(l->bytes[i]);
        for (size_t b = 0; b < l->bytes[i]; b++) {
            unsigned noise = tries == 0  ? 0
                             : tries < 5 ? 1u << (tries - 1)
                                         : (unsigned)(cx_random_next(c->r) >> 20);
            l->data[i][b] = (unsigned char)(c->l->data[i][b] ^ (which->set[i][b] ? noise : 0));
        }
    }
}

enum { DISTURBANCES = 7 };

/*
 * Bytes that the groups change, whatever is in them. A store of what was there before is none: compilers
 * leave `p[i] -= 0` out, and the analyser need not know of it.
 */
static void changed_by(const struct check *c, uint64_t g0, uint64_t g1, struct bytes *out)
{
    struct gen_part part = {c->dim, g0, g1};
    struct bytes written;

    bytes_init(c, out, 0);
    bytes_init(c, &written, 0);
    for (unsigned tries = 0; tries < DISTURBANCES; tries++) {
        struct gen_launch l;
        struct gen_record rec;
        disturb(c, &l, &written, tries);
        gen_run(&rec, c->k, &l, &part);
        for (unsigned i = 0; i < c->k->nparam && tries == 0; i++) {
            const struct cx_access_arg *a = &l.args[i];
            for (uint64_t n = 0; rec.touch[i] && n < rec.ngroups * a->bytes; n++) {
                written.set[a->object - 1][a->base + n % a->bytes] |= (rec.touch[i][n] & GEN_WRITE) != 0;
            }
        }
        for (unsigned i = 0; i < l.nobject && !rec.undefined; i++) {
            for (size_t b = 0; b < l.bytes[i]; b++) {
                out->set[i][b] |= rec.result[i][b] != l.data[i][b];
            }
        }
        gen_record_finish(&rec);
        gen_launch_finish(&l);
    }
    bytes_finish(c, &written);
}

/* Whether two runs of the part, from these contents, changed the same bytes into the same. */
static bool is_same(const struct gen_launch *la, const struct gen_record *a, const struct gen_launch *lb,
                    const struct gen_record *b)
{
    if (a->undefined || b->undefined) {
        return true; /* says nothing */
    }
    for (unsigned i = 0; i < la->nobject; i++) {
        for (size_t n = 0; n < la->bytes[i]; n++) {
            bool kept = a->result[i][n] == la->data[i][n] && b->result[i][n] == lb->data[i][n];
            if (!kept && a->result[i][n] != b->result[i][n]) {
                return false;
            }
        }
    }
    return true;
}

/*
 * Whether these bytes matter to what the groups write: some reads have no use, compilers leave them out, and
 * the analyser need not know of them.
 */
static bool matters(const struct check *c, uint64_t g0, uint64_t g1, const struct bytes *which)
{
    struct gen_part part = {c->dim, g0, g1};
    struct gen_record plain;
    bool same = true;

    gen_run(&plain, c->k, c->l, &part);
    for (unsigned tries = 1; tries < DISTURBANCES && same; tries++) {
        struct gen_launch l;
        struct gen_record other;
        disturb(c, &l, which, tries);
        gen_run(&other, c->k, &l, &part);
        same = is_same(c->l, &plain, &l, &other);
        gen_record_finish(&other);
        gen_launch_finish(&l);
    }
    gen_record_finish(&plain);
    return !same;
}

/* Whether the groups need to read more than their regions hold. */
static bool reads_more(const struct check *c, uint64_t g0, uint64_t g1,
                       const struct cx_access_region *regions)
{
    struct bytes outside;
    bool more, exact;

    bytes_init(c, &outside, 1);
    for (unsigned i = 0; i < c->k->nparam; i++) {
        const struct cx_access_arg *a = &c->l->args[i];
        for (uint64_t b = 0; a->object && c->fold[i] && b < a->bytes; b++) {
            if (inside(&regions[i].read, regions[i].read_box, regions[i].nread, b, &exact)) {
                outside.set[a->object - 1][a->base + b] = 0;
            }
        }
    }
    more = matters(c, g0, g1, &outside);
    bytes_finish(c, &outside);
    return more;
}

/* By unit, what it changes. */
static struct bytes *changes(const struct check *c, uint64_t granularity, uint64_t *units)
{
    struct bytes *by;

    *units = (c->groups + granularity - 1) / granularity;
    by = calloc(*units, sizeof(*by));
    for (uint64_t u = 0; u < *units; u++) {
        uint64_t end = (u + 1) * granularity;
        changed_by(c, u * granularity, end < c->groups ? end : c->groups, &by[u]);
    }
    return by;
}

static void changes_finish(const struct check *c, struct bytes *by, uint64_t units)
{
    for (uint64_t u = 0; u < units; u++) {
        bytes_finish(c, &by[u]);
    }
    free(by);
}

/* Whether some unit needs to read what others change of the object. */
static bool reads_others(const struct check *c, uint64_t object, uint64_t granularity)
{
    uint64_t units;
    struct bytes *by = changes(c, granularity, &units);
    bool does = false;

    for (uint64_t u = 0; u < units && !does; u++) {
        uint64_t end = (u + 1) * granularity;
        struct bytes others;
        bytes_init(c, &others, 0);
        for (uint64_t v = 0; v < units; v++) {
            for (size_t b = 0; b < c->l->bytes[object - 1] && v != u; b++) {
                others.set[object - 1][b] |= by[v].set[object - 1][b];
            }
        }
        does = matters(c, u * granularity, end < c->groups ? end : c->groups, &others);
        bytes_finish(c, &others);
    }
    changes_finish(c, by, units);
    return does;
}

/* Whether several units change one byte of the object. */
static bool changed_twice(const struct check *c, uint64_t object, uint64_t granularity)
{
    uint64_t units;
    struct bytes *by = changes(c, granularity, &units);
    bool twice = false;

    for (size_t b = 0; b < c->l->bytes[object - 1]; b++) {
        unsigned times = 0;
        for (uint64_t u = 0; u < units; u++) {
            times += by[u].set[object - 1][b];
        }
        twice |= times > 1;
    }
    changes_finish(c, by, units);
    return twice;
}

/* Whether the groups change a byte of the argument outside all regions of the object. */
static bool writes_more(const struct check *c, uint64_t g0, uint64_t g1, unsigned arg,
                        const struct cx_access_region *regions)
{
    const struct cx_access_arg *a = &c->l->args[arg];
    struct bytes changed;
    bool more = false, exact;

    changed_by(c, g0, g1, &changed);
    for (uint64_t b = 0; b < a->bytes; b++) {
        bool touched = false;
        for (uint64_t g = g0; g < g1; g++) {
            touched |= (c->fold[arg][g * a->bytes + b] & (GEN_WRITE | GEN_ATOMIC)) != 0;
        }
        touched = touched && changed.set[a->object - 1][a->base + b];
        for (unsigned i = 0; i < c->k->nparam && touched; i++) {
            const struct cx_access_arg *o = &c->l->args[i];
            uint64_t at = a->base + b - o->base; /* wraps around where o begins later */
            touched = o->object != a->object || at >= o->bytes ||
                      !inside(&regions[i].write, regions[i].write_box, regions[i].nwrite, at, &exact);
        }
        more |= touched;
    }
    bytes_finish(c, &changed);
    return more;
}

static bool wrong(struct check *c, unsigned arg, uint64_t byte, uint64_t g0, uint64_t g1, const char *what,
                  const struct cx_access_interval *i)
{
    snprintf(c->why, c->size, "argument p%u byte %llu of groups %llu..%llu along %u: %s [%llu, %llu)%s%s",
             arg, (unsigned long long)byte, (unsigned long long)g0, (unsigned long long)g1, c->dim, what,
             (unsigned long long)(i ? i->lo : 0), (unsigned long long)(i ? i->hi : 0),
             i && i->known ? "" : " unknown", i && i->exact ? " exact" : "");
    return false;
}

static bool check_arg(struct check *c, unsigned arg, uint64_t g0, uint64_t g1,
                      const struct cx_access_region *regions)
{
    const struct cx_access_region *region = &regions[arg];
    bool looked = false, wrote = false;
    uint64_t bytes = c->l->args[arg].bytes;
    bool exact;

    for (uint64_t b = 0; b < bytes; b++) {
        unsigned touch = 0;
        for (uint64_t g = g0; g < g1; g++) {
            touch |= c->fold[arg][g * bytes + b];
        }
        if (touch & GEN_READ && !looked &&
            !inside(&region->read, region->read_box, region->nread, b, &exact)) {
            looked = true;
            c->stats->dead_reads++;
            if (reads_more(c, g0, g1, regions)) {
                return wrong(c, arg, b, g0, g1, "read outside", &region->read);
            }
        }
        if (!inside(&region->write, region->write_box, region->nwrite, b, &exact)) {
            if (touch & (GEN_WRITE | GEN_ATOMIC) && !wrote) {
                wrote = true;
                c->stats->idle_writes++;
                if (writes_more(c, g0, g1, arg, regions)) {
                    return wrong(c, arg, b, g0, g1, "written outside", &region->write);
                }
            }
        } else if (exact && !(touch & (GEN_WRITE | GEN_ATOMIC))) {
            return wrong(c, arg, b, g0, g1, "not written inside exact", &region->write);
        }
    }
    return true;
}

static void count(struct check *c, unsigned arg, const struct cx_access_region *region)
{
    unsigned touch = c->s->arg[arg].touch;

    if (touch & CX_TOUCH_READ) {
        c->stats->reads++;
        c->stats->reads_known += region->read.known;
    }
    if (touch & (CX_TOUCH_WRITE | CX_TOUCH_ATOMIC)) {
        c->stats->writes++;
        c->stats->writes_known += region->write.known;
        c->stats->writes_exact += region->write.exact;
        c->stats->boxes += region->nwrite > 0;
    }
}

static bool check_regions(struct check *c, const struct cx_access_region *regions, uint64_t g0, uint64_t g1)
{
    for (unsigned i = 0; i < c->k->nparam; i++) {
        if (c->fold[i]) {
            if (!check_arg(c, i, g0, g1, regions)) {
                return false;
            }
        } else if (regions[i].read.hi || regions[i].write.hi) {
            return wrong(c, i, 0, g0, g1, "a region of no buffer", &regions[i].write);
        }
    }
    return true;
}

/* Packages as a balancer may cut them: some at random, and a whole partition. */
static bool check_packages(struct check *c, struct cx_access *access, uint64_t granularity)
{
    struct cx_access_region regions[GEN_PARAMS];
    uint64_t units = (c->groups + granularity - 1) / granularity;

    for (unsigned n = 0; n < 6; n++) {
        uint64_t first = n ? cx_random_below(c->r, units) : 0;
        uint64_t end = n ? first + 1 + cx_random_below(c->r, n < 3 ? 1 : units - first) : units;
        uint64_t g0 = first * granularity, g1 = end * granularity < c->groups ? end * granularity : c->groups;
        memset(regions, 0xa5, sizeof(regions));
        cx_access_package(access, g0, g1, regions);
        if (!check_regions(c, regions, g0, g1)) {
            return false;
        }
        for (unsigned i = 0; i < c->k->nparam && n == 1; i++) {
            if (c->fold[i]) {
                count(c, i, &regions[i]);
            }
        }
    }
    memset(regions, 0xa5, sizeof(regions));
    cx_access_whole(access, regions);
    return check_regions(c, regions, 0, c->groups);
}

/* By byte of an object: the unit that writes and those that read: -1 none, -2 several. */
static bool check_object(struct check *c, uint64_t object, uint64_t granularity,
                         const struct cx_access_means *means, bool separable)
{
    size_t bytes = c->l->bytes[object - 1];
    bool good = true;

    for (size_t b = 0; b < bytes && good; b++) {
        int64_t writer = -1, reader = -1;
        unsigned arg = 0;
        for (unsigned i = 0; i < c->k->nparam; i++) {
            const struct cx_access_arg *a = &c->l->args[i];
            if (a->object != object || !c->fold[i] || b < a->base || b >= a->base + a->bytes) {
                continue;
            }
            for (uint64_t g = 0; g < c->groups; g++) {
                unsigned touch = c->fold[i][g * a->bytes + b - a->base];
                int64_t unit = (int64_t)(g / granularity);
                if (touch & (GEN_WRITE | GEN_ATOMIC)) {
                    writer = writer == -1 || writer == unit ? unit : -2;
                    arg = i;
                }
                if (touch & GEN_READ) {
                    reader = reader == -1 || reader == unit ? unit : -2;
                }
            }
        }
        if (writer == -2 && (separable || means->protocol == CX_PROTOCOL_EXCLUSIVE)) {
            good = (!c->quick && !changed_twice(c, object, granularity)) ||
                   wrong(c, arg, b, 0, c->groups, "written by several units, said to be OWN", NULL);
            break;
        } else if (writer != -1 && reader != -1 && (reader != writer || writer == -2) &&
                   (separable || (!means->before && means->protocol != CX_PROTOCOL_REDUCTION))) {
            good = (!c->quick && !reads_others(c, object, granularity)) ||
                   wrong(c, arg, b, 0, c->groups, "read by a unit, written by another", NULL);
            break;
        }
    }
    return good;
}

/* The operation PRIVATE names, as bits of enum gen_atomic. */
static unsigned families_of(unsigned op)
{
    switch (op) {
    case CX_ATOMIC_ADD:
        return 1u << A_ADD;
    case CX_ATOMIC_MIN:
    case CX_ATOMIC_UMIN:
        return 1u << A_MIN;
    case CX_ATOMIC_MAX:
    case CX_ATOMIC_UMAX:
        return 1u << A_MAX;
    case CX_ATOMIC_AND:
        return 1u << A_AND;
    case CX_ATOMIC_OR:
        return 1u << A_OR;
    case CX_ATOMIC_XOR:
        return 1u << A_XOR;
    default:
        return 0;
    }
}

/* Whether what is in the object matters to more than itself, or its sums to themselves. */
static bool leaks(const struct check *c, uint64_t object, unsigned op)
{
    struct gen_record plain;
    struct bytes all;
    bool same = true;

    bytes_init(c, &all, 0);
    memset(all.set[object - 1], 1, c->l->bytes[object - 1]);
    gen_run(&plain, c->k, c->l, NULL);
    for (unsigned tries = 1; tries < DISTURBANCES && same; tries++) {
        struct gen_launch l;
        struct gen_record other;
        disturb(c, &l, &all, tries);
        gen_run(&other, c->k, &l, NULL);
        for (unsigned i = 0; i < l.nobject && !other.undefined; i++) {
            for (size_t b = 0; b + 4 <= l.bytes[i]; b += 4) {
                uint32_t x, y, from_x = 0, from_y = 0;
                memcpy(&x, plain.result[i] + b, 4);
                memcpy(&y, other.result[i] + b, 4);
                if (i == object - 1) {
                    memcpy(&from_x, c->l->data[i] + b, 4);
                    memcpy(&from_y, l.data[i] + b, 4);
                }
                same &= x - from_x == y - from_y || (i == object - 1 && op != CX_ATOMIC_ADD);
            }
        }
        gen_record_finish(&other);
        gen_launch_finish(&l);
    }
    gen_record_finish(&plain);
    bytes_finish(c, &all);
    return !same;
}

static bool check_way(struct check *c, unsigned arg, const struct cx_access_means *means)
{
    const struct gen_object_use *use = &c->rec->use[c->l->args[arg].object - 1];

    if (means->protocol == CX_PROTOCOL_REDUCTION &&
        (use->stored || (use->families & ~families_of(means->atomic_op)) ||
         ((use->result_used || use->loaded) && leaks(c, c->l->args[arg].object, means->atomic_op)))) {
        return wrong(c, arg, 0, 0, c->groups, "PRIVATE of more than one kind of access", NULL);
    }
    if (means->protocol == CX_PROTOCOL_MERGE && (use->families || !means->before)) {
        return wrong(c, arg, 0, 0, c->groups, "MERGE with atomics, or without the contents before", NULL);
    }
    if (means->protocol >= CX_PROTOCOL_MERGE && use->narrowest_store && means->width > use->narrowest_store) {
        return wrong(c, arg, use->narrowest_store, 0, c->groups,
                     "a store is narrower than the units to merge", NULL);
    }
    return true;
}

static bool is_written(const struct check *c, unsigned arg)
{
    for (uint64_t b = 0; b < c->groups * c->l->args[arg].bytes; b++) {
        if (c->fold[arg][b] & (GEN_WRITE | GEN_ATOMIC)) {
            return true;
        }
    }
    return false;
}

static bool check_ways(struct check *c, struct cx_access *access, const struct cx_access_verdict *v)
{
    static const struct cx_access_region nothing[GEN_PARAMS];
    const struct cx_access_means *means = cx_access_means(access);

    for (unsigned i = 0; i < c->k->nparam; i++) {
        if (!c->fold[i] || means[i].protocol == CX_PROTOCOL_CHECKED) {
            continue; /* each participant has a copy, whatever its accesses are */
        }
        for (unsigned j = 0; j < i; j++) {
            /* one buffer under two names: what is read only under one may be written under the other */
            if (c->l->args[j].object == c->l->args[i].object && means[i].protocol != CX_PROTOCOL_NONE &&
                means[j].protocol != CX_PROTOCOL_NONE && means[i].protocol != means[j].protocol) {
                return wrong(c, i, 0, 0, c->groups, "two ways for one object", NULL);
            }
        }
        c->stats->ways[means[i].protocol & 3]++;
        if (means[i].protocol == CX_PROTOCOL_NONE && is_written(c, i) &&
            writes_more(c, 0, c->groups, i, nothing)) {
            return wrong(c, i, 0, 0, c->groups, "written, said to be never", NULL);
        }
        if (means[i].protocol != CX_PROTOCOL_NONE &&
            (!check_way(c, i, &means[i]) ||
             !check_object(c, c->l->args[i].object, v->granularity, &means[i], v->separable))) {
            return false;
        }
    }
    return true;
}

/* Whether no group touches what another one writes. */
static bool is_apart(struct check *c)
{
    static const struct cx_access_means own = {.protocol = CX_PROTOCOL_EXCLUSIVE};
    char why[300];
    struct check quiet = *c;

    quiet.quick = true;
    quiet.why = why;
    quiet.size = sizeof(why);
    for (uint64_t o = 1; o <= c->l->nobject; o++) {
        if (!check_object(&quiet, o, 1, &own, true)) {
            return false;
        }
    }
    return true;
}

/* For apart_check(). */
static bool group_changes(void *context, uint64_t object, uint64_t byte, uint64_t g0, uint64_t g1)
{
    const struct check *c = context;
    bool changes = false;

    for (unsigned i = 0; i < c->k->nparam; i++) {
        const struct cx_access_arg *a = &c->l->args[i];
        const uint64_t at = byte - a->base; /* wraps around where it begins later */
        for (uint64_t g = g0; g < g1 && c->fold[i] && a->object == object && at < a->bytes; g++) {
            changes |= (c->fold[i][g * a->bytes + at] & (GEN_WRITE | GEN_ATOMIC)) != 0;
        }
    }
    if (changes) {
        struct bytes by;
        changed_by(c, g0, g1, &by);
        changes = by.set[object - 1][byte] != 0;
        bytes_finish(c, &by);
    }
    return changes;
}

static bool check_access(struct check *c, struct cx_access *access, const struct cx_access_verdict *v,
                         const char *how)
{
    bool good;

    if (!access) {
        snprintf(c->why, c->size, "%s: no access: %s", how, cx_summary_reason_name(v->reason));
        return false;
    }
    c->dim = v->dim;
    fold(c);
    good = check_packages(c, access, v->granularity);
    if (good && v->separable && !v->splits) {
        snprintf(c->why, c->size, "separable, and yet it does not split");
        good = false;
    }
    good = good &&
           (!v->splits || (check_ways(c, access, v) && apart_check(access, c->k->nparam, c->l->args, v, c->r,
                                                                   group_changes, c, c->why, c->size)));
    unfold(c);
    if (!good) {
        size_t used = strlen(c->why);
        snprintf(c->why + used, c->size - used, " (%s, granularity %llu, %s)", how,
                 (unsigned long long)v->granularity,
                 v->separable ? "separable"
                 : v->splits  ? "splits"
                              : cx_summary_reason_name(v->reason));
    }
    return good;
}

/* What is split first and checked afterwards has all else apart; what only an atomic's order forbade, all. */
static bool check_checked(struct check *c)
{
    struct cx_access_verdict v;
    struct cx_access *access;
    bool good = true;

    if (cx_access_choose_checked(c->s, &c->l->geometry, c->l->args, &access, &v)) {
        const struct cx_access_means *means = cx_access_means(access);
        for (unsigned i = 0; i < c->k->nparam; i++) {
            good &= means[i].protocol == CX_PROTOCOL_CHECKED || means[i].protocol == CX_PROTOCOL_NONE ||
                    (means[i].protocol == CX_PROTOCOL_EXCLUSIVE && !means[i].before);
        }
        c->stats->checked += v.checked;
        c->stats->ordered += !v.checked;
        if (!good || v.checked == v.separable)
            snprintf(c->why, c->size, "checked, with an object that is not apart");
        good = good && v.checked != v.separable && check_access(c, access, &v, "checked");
    }
    cx_access_destroy(&access);
    return good;
}

bool gen_check(const struct cx_summary_kernel *s, const struct gen_kernel *k, const struct gen_launch *l,
               const struct gen_record *rec, struct cx_random *r, struct gen_stats *stats, char *why,
               size_t size)
{
    struct gen_stats ignored = {0};
    struct check c = {.s = s, .k = k, .l = l, .rec = rec, .r = r, .stats = stats, .why = why, .size = size};
    struct cx_access_verdict v;
    struct cx_access *access;
    bool good;

    if (s->narg != k->nparam) {
        snprintf(why, size, "%u arguments in the summary, %u in the source", s->narg, k->nparam);
        return false;
    }
    cx_access_choose(s, &l->geometry, l->args, &access, &v);
    stats->launches++;
    stats->splits += v.splits;
    stats->separable += v.separable;
    good = check_access(&c, access, &v, "choose");
    if (good && !v.splits) {
        good = check_checked(&c);
    }
    if (access) {
        fold(&c);
        stats->apart += c.groups > 1 && is_apart(&c);
        unfold(&c);
    }
    cx_access_destroy(&access);
    c.stats = &ignored;
    for (unsigned d = 0; good && d < l->geometry.work_dim; d++) {
        uint64_t granularity = cx_random_chance(r, 60) ? 1 : 2 + cx_random_below(r, 3);
        cx_access_separable(s, &l->geometry, l->args, d, granularity, &access, &v);
        good = check_access(&c, access, &v, "separable");
        cx_access_destroy(&access);
    }
    return good;
}
