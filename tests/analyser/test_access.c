/* SPDX-License-Identifier: MIT */
/* The evaluation of access summaries against the oracle, on random kernels. */
#include "layer/access/access_inside.h"
#include "oracle.h"
#include "random_kernel.h"

#include "suites.h"
#include "tests/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* check's own assertions note each line they pass in a file, which is too slow for one for each byte */
#define expect(condition, ...)                                                                               \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            ck_abort_msg(__VA_ARGS__);                                                                       \
        }                                                                                                    \
    } while (0)

struct tally {
    unsigned kernels, separable, coarse, known, exact, intervals, ways[CX_PROTOCOL_REDUCTION + 1];
    unsigned read_boxes, write_boxes, boxes, exact_boxes;
    uint64_t bits;
};

static char where[200];
static const char *const style_name[] = {"tame", "strided", "rings", "wild"};

static bool inside(const struct cx_access_interval *i, size_t byte)
{
    return byte >= i->lo && byte < i->hi;
}

/* One argument's reads or writes, byte by byte. */
struct claim {
    unsigned char may[512], exact[512];
};

static void claim(struct claim *c, const struct cx_access_interval *hull, const struct cx_access_box *box,
                  unsigned nbox, uint64_t bytes)
{
    memset(c, 0, sizeof(*c));
    expect(hull->lo <= hull->hi && hull->hi <= bytes && nbox <= CX_ACCESS_BOXES, "%s", where);
    expect(!nbox || hull->known, "%s", where);
    for (uint64_t byte = hull->lo; nbox == 0 && byte < hull->hi; byte++) {
        c->may[byte] = 1;
        c->exact[byte] = hull->exact;
    }
    for (unsigned i = 0; i < nbox; i++) {
        const struct cx_access_box *b = &box[i];
        uint64_t row = b->len + b->stride[0] * (b->count[0] - 1);
        expect(b->len > 0 && b->count[0] > 0 && b->count[1] > 0, "%s", where);
        expect(b->count[0] > 1 ? b->stride[0] >= b->len : b->stride[0] == 0, "%s", where);
        expect(b->count[1] > 1 ? b->stride[1] >= row : b->stride[1] == 0, "%s", where);
        expect(b->count[0] > 1 || b->count[1] == 1, "%s", where);
        for (uint64_t n = 0; n < b->count[0] * b->count[1] * b->len; n++) {
            uint64_t byte = b->lo + n % b->len + n / b->len % b->count[0] * b->stride[0] +
                            n / b->len / b->count[0] * b->stride[1];
            expect(inside(hull, byte) && !c->may[byte], "%s: byte %llu of box %u", where,
                   (unsigned long long)byte, i);
            c->may[byte] = 1;
            c->exact[byte] = b->exact;
        }
    }
}

/* A package's regions hold all that its groups touch; exact ones nothing else. */
static void check_package(const struct cx_random_kernel *k, const struct cx_oracle *o, struct cx_access *a,
                          uint64_t g0, uint64_t g1, struct tally *tally)
{
    struct cx_access_region regions[CX_RANDOM_ARGS];
    static struct claim reads, writes;

    cx_access_package(a, g0, g1, regions);
    for (uint32_t i = 0; i < 3; i++) {
        const struct cx_access_region *g = &regions[i];
        claim(&reads, &g->read, g->read_box, g->nread, k->value[i].bytes);
        claim(&writes, &g->write, g->write_box, g->nwrite, k->value[i].bytes);
        tally->intervals++;
        tally->known += g->write.known;
        tally->exact += g->write.exact;
        tally->read_boxes += g->nread > 0;
        tally->write_boxes += g->nwrite > 0;
        for (unsigned j = 0; j < g->nwrite; j++) {
            tally->boxes++;
            tally->exact_boxes += g->write_box[j].exact;
        }
        for (size_t byte = 0; byte < o->bytes; byte++) {
            bool r = cx_oracle_reads(o, i, g0, g1, byte), w = cx_oracle_writes(o, i, g0, g1, byte);
            expect(!r || reads.may[byte], "%s: arg %u groups %llu..%llu reads %zu", where, i,
                   (unsigned long long)g0, (unsigned long long)g1, byte);
            expect(!w || writes.may[byte], "%s: arg %u groups %llu..%llu writes %zu", where, i,
                   (unsigned long long)g0, (unsigned long long)g1, byte);
            expect(!reads.exact[byte], "%s", where);
            expect(w || !writes.exact[byte] || !o->complete,
                   "%s: arg %u groups %llu..%llu does not write %zu, said to be exact", where, i,
                   (unsigned long long)g0, (unsigned long long)g1, byte);
        }
    }
}

static bool writes_object(const struct cx_random_kernel *k, const struct cx_oracle *o, uint64_t object,
                          uint64_t g0, uint64_t g1, size_t byte)
{
    for (uint32_t i = 0; i < 3; i++) {
        if (k->value[i].object == object && byte >= k->value[i].base && byte - k->value[i].base < o->bytes &&
            cx_oracle_writes(o, i, g0, g1, byte - k->value[i].base)) {
            return true;
        }
    }
    return false;
}

static bool reads_object(const struct cx_random_kernel *k, const struct cx_oracle *o, uint64_t object,
                         uint64_t g0, uint64_t g1, size_t byte)
{
    for (uint32_t i = 0; i < 3; i++) {
        if (k->value[i].object == object && byte >= k->value[i].base && byte - k->value[i].base < o->bytes &&
            cx_oracle_reads(o, i, g0, g1, byte - k->value[i].base)) {
            return true;
        }
    }
    return false;
}

/* What is said of an object's bytes: none is written by two units, and none is read by one and written by
 * another one unless `before` says so. */
static void check_units(const struct cx_random_kernel *k, const struct cx_oracle *o, uint64_t granularity,
                        uint64_t object, bool before)
{
    for (size_t byte = 0; byte < o->bytes + 64; byte++) {
        uint64_t writer = UINT64_MAX;
        for (uint64_t g = 0; g < o->groups; g += granularity) {
            uint64_t end = g + granularity < o->groups ? g + granularity : o->groups;
            if (writes_object(k, o, object, g, end, byte)) {
                expect(writer == UINT64_MAX, "%s: byte %zu of %llu is written by the units at %llu and %llu",
                       where, byte, (unsigned long long)object, (unsigned long long)writer,
                       (unsigned long long)g);
                writer = g;
            }
        }
        for (uint64_t g = 0; !before && writer != UINT64_MAX && g < o->groups; g += granularity) {
            uint64_t end = g + granularity < o->groups ? g + granularity : o->groups;
            expect(g == writer || !reads_object(k, o, object, g, end, byte),
                   "%s: byte %zu is written by the unit at %llu and read by that at %llu", where, byte,
                   (unsigned long long)writer, (unsigned long long)g);
        }
    }
}

static int kind_of(uint8_t op)
{
    return op == CX_ATOMIC_SUB || op == CX_ATOMIC_INC || op == CX_ATOMIC_DEC ? CX_ATOMIC_ADD : op;
}

/* A private copy is right only where all that is done to the object is the same. Through accesses that are
 * never executed in this launch nothing is done. */
static void check_private(const struct cx_random_kernel *k, const struct cx_oracle *o, uint64_t object,
                          const struct cx_access_means *m)
{
    expect(m->why != CX_REASON_NONE, "%s", where);
    for (uint32_t i = 0; i < k->kernel.naccess; i++) {
        const struct cx_access_record *r = &k->access[i];
        if (k->value[r->arg].object == object && o->executed[i]) {
            expect(r->mode == CX_MODE_ATOMIC && !(r->flags & CX_ACCESS_RESULT_USED) &&
                       kind_of(r->atomic_op) == m->atomic_op && r->width == m->width,
                   "%s: access %u does not suit a private copy", where, i);
        }
    }
}

static void check_merge(const struct cx_random_kernel *k, const struct cx_oracle *o, uint64_t object,
                        const struct cx_access_means *m)
{
    expect(m->why != CX_REASON_NONE && m->before, "%s", where);
    for (uint32_t i = 0; i < k->kernel.naccess; i++) {
        const struct cx_access_record *r = &k->access[i];
        if (k->value[r->arg].object == object && o->executed[i]) {
            expect(r->mode != CX_MODE_ATOMIC, "%s: atomic %u in a merge", where, i);
            expect(r->mode != CX_MODE_WRITE || r->width % m->width == 0, "%s: width %u of access %u", where,
                   m->width, i);
        }
    }
}

static void check_ways(const struct cx_random_kernel *k, const struct cx_oracle *o, const struct cx_access *a,
                       const struct cx_access_verdict *v, struct tally *tally)
{
    const struct cx_access_means *m = cx_access_means(a);
    bool own = true;

    expect(v->splits || !v->separable, "%s", where);
    expect(v->separable == (v->reason == CX_REASON_NONE), "%s", where);
    for (uint32_t i = 0; v->splits && i < 3; i++) {
        tally->ways[m[i].protocol]++;
        own &= m[i].protocol <= CX_PROTOCOL_EXCLUSIVE && !m[i].before;
        expect(k->value[i].object != k->value[0].object || memcmp(&m[i], &m[0], sizeof(*m)) == 0, "%s",
               where);
        if (m[i].protocol == CX_PROTOCOL_EXCLUSIVE) {
            check_units(k, o, v->granularity, k->value[i].object, m[i].before);
        } else if (m[i].protocol == CX_PROTOCOL_REDUCTION) {
            check_private(k, o, k->value[i].object, &m[i]);
        } else if (m[i].protocol == CX_PROTOCOL_MERGE) {
            check_merge(k, o, k->value[i].object, &m[i]);
        }
    }
    expect(!v->splits || own == v->separable, "%s", where);
}

/* What a package is said to read of an object that it need not have from before, no other package writes. */
static void check_reads(const struct cx_random_kernel *k, const struct cx_oracle *o, uint32_t arg,
                        const struct cx_access_region *region, uint64_t g0, uint64_t g1)
{
    static struct claim reads;
    uint64_t base = k->value[arg].base, object = k->value[arg].object;

    claim(&reads, &region->read, region->read_box, region->nread, k->value[arg].bytes);
    for (size_t byte = 0; byte < 512; byte++) {
        expect(!reads.may[byte] || (!writes_object(k, o, object, 0, g0, byte + base) &&
                                    !writes_object(k, o, object, g1, o->groups, byte + base)),
               "%s: arg %u groups %llu..%llu: said to read %zu, which others write", where, arg,
               (unsigned long long)g0, (unsigned long long)g1, byte);
    }
}

/* The packages of any cut own disjoint regions. */
static void check_ownership(const struct cx_random_kernel *k, const struct cx_oracle *o, struct cx_access *a,
                            const struct cx_access_verdict *v, struct cx_random *r)
{
    uint64_t units = (v->groups + v->granularity - 1) / v->granularity, at = 0;
    unsigned char owner[3][512] = {{0}};

    for (unsigned char package = 1; at < units; package++) {
        struct cx_access_region regions[CX_RANDOM_ARGS];
        static struct claim writes;
        uint64_t more = 1 + cx_random_below(r, units - at), g1 = (at + more) * v->granularity;
        cx_access_package(a, at * v->granularity, g1 < v->groups ? g1 : v->groups, regions);
        for (uint32_t i = 0; i < 3; i++) {
            if (cx_access_means(a)[i].protocol != CX_PROTOCOL_EXCLUSIVE) {
                continue;
            }
            if (!cx_access_means(a)[i].before) {
                check_reads(k, o, i, &regions[i], at * v->granularity, g1 < v->groups ? g1 : v->groups);
            }
            claim(&writes, &regions[i].write, regions[i].write_box, regions[i].nwrite, k->value[i].bytes);
            for (uint64_t byte = 0; byte < 512; byte++) {
                if (!writes.may[byte]) {
                    continue;
                }
                for (uint32_t j = 0; j < 3; j++) {
                    uint64_t other = byte + k->value[i].base - k->value[j].base;
                    bool theirs = k->value[i].object == k->value[j].object && other < 512 &&
                                  owner[j][other] && owner[j][other] != package;
                    expect(!theirs, "%s: byte %llu of arg %u has two owners", where, (unsigned long long)byte,
                           i);
                }
                owner[i][byte] = package;
            }
        }
        at += more;
    }
}

static void check_kernel(uint64_t seed, enum cx_random_style style, struct tally *tally)
{
    static struct cx_random_kernel k;
    struct cx_summary one = {.nkernel = 1, .kernel = &k.kernel};
    struct cx_random r = {seed};
    struct cx_access_verdict v;
    struct cx_access *a;
    struct cx_oracle o;
    unsigned dim;

    snprintf(where, sizeof(where), "%s kernel %llu", style_name[style], (unsigned long long)seed);
    cx_random_kernel_make(&k, &r, style);
    expect(cx_summary_check(&one), "%s", where);
    dim = (unsigned)cx_random_below(&r, k.geometry.work_dim);
    if (cx_random_chance(&r, 50)) {
        cx_access_choose(&k.kernel, &k.geometry, k.value, &a, &v);
        dim = v.dim;
    } else {
        cx_access_separable(&k.kernel, &k.geometry, k.value, dim, 1 + cx_random_below(&r, 3), &a, &v);
    }
    expect(a != NULL, "%s", where);
    snprintf(where + strlen(where), sizeof(where) - strlen(where), " (dimension %u, %llu at a time)", dim,
             (unsigned long long)v.granularity);
    cx_oracle_run(&o, &k.kernel, &k.geometry, k.value, dim, 512, &r);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t units = (v.groups + v.granularity - 1) / v.granularity, u0 = cx_random_below(&r, units);
        uint64_t g1 = (u0 + 1 + cx_random_below(&r, units - u0)) * v.granularity;
        check_package(&k, &o, a, u0 * v.granularity, g1 < v.groups ? g1 : v.groups, tally);
    }
    check_package(&k, &o, a, 0, v.groups, tally);
    check_ways(&k, &o, a, &v, tally);
    if (v.splits) {
        check_ownership(&k, &o, a, &v, &r);
    }
    expect(!o.unlike, "%s: %llu known bits are others", where, (unsigned long long)o.unlike);
    tally->bits += o.known;
    tally->kernels++;
    tally->separable += v.separable;
    tally->coarse += v.separable && v.granularity > 1;
    cx_oracle_finish(&o);
    cx_access_destroy(&a);
}

static void check_many(enum cx_random_style style, unsigned count)
{
    struct tally tally = {0};
    const char *given = getenv("CX_TEST_KERNELS");
    uint64_t first = getenv("CX_TEST_SEED") ? strtoull(getenv("CX_TEST_SEED"), NULL, 10) : 1;

    cx_access_row_cost = first % 2 ? 0 : 64;
    count = given ? (unsigned)strtoul(given, NULL, 10) : count;
    for (uint64_t seed = first; seed < first + count; seed++) {
        check_kernel(seed, style, &tally);
        expect(cx_access_lost_places == 0, "%s: regions that are not those it was judged by", where);
    }
    fprintf(stderr, "# %s: %u kernels, %u separable (%u coarse), writes known %u, exact %u of %u\n",
            style_name[style], tally.kernels, tally.separable, tally.coarse, tally.known, tally.exact,
            tally.intervals);
    fprintf(stderr, "# arguments: none %u, own %u, merge %u, private %u\n", tally.ways[CX_PROTOCOL_NONE],
            tally.ways[CX_PROTOCOL_EXCLUSIVE], tally.ways[CX_PROTOCOL_MERGE],
            tally.ways[CX_PROTOCOL_REDUCTION]);
    fprintf(stderr, "# bits known of values: %llu\n", (unsigned long long)tally.bits);
    fprintf(stderr, "# in boxes: reads %u, writes %u (%u, exact %u)\n", tally.read_boxes, tally.write_boxes,
            tally.boxes, tally.exact_boxes);
}

START_TEST(tame_kernels_match_the_oracle)
{
    check_many(CX_RANDOM_TAME, test_part(1500));
}
END_TEST

START_TEST(strided_kernels_match_the_oracle)
{
    check_many(CX_RANDOM_STRIDED, test_part(2500));
}
END_TEST

START_TEST(ring_kernels_match_the_oracle)
{
    check_many(CX_RANDOM_RINGS, test_part(4000));
}
END_TEST

START_TEST(wild_kernels_match_the_oracle)
{
    check_many(CX_RANDOM_WILD, test_part(1500));
}
END_TEST

Suite *access_suite(void)
{
    Suite *suite = suite_create("access");
    TCase *oracle = tcase_create("oracle");

    tcase_set_timeout(oracle, 300);
    tcase_add_test(oracle, tame_kernels_match_the_oracle);
    tcase_add_test(oracle, strided_kernels_match_the_oracle);
    tcase_add_test(oracle, ring_kernels_match_the_oracle);
    tcase_add_test(oracle, wild_kernels_match_the_oracle);
    suite_add_tcase(suite, oracle);
    return suite;
}
