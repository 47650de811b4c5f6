/* SPDX-License-Identifier: MIT */
/* The evaluation of access summaries against the oracle, on random kernels. */
#include "oracle.h"
#include "random_kernel.h"

#include "suites.h"

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
    unsigned kernels, separable, coarse, known, exact, intervals, ways[CX_WAY_PRIVATE + 1];
};

static char where[200];

static bool inside(const struct cx_access_interval *i, size_t byte)
{
    return byte >= i->lo && byte < i->hi;
}

/* A package's intervals hold all that its groups touch; exact ones nothing else. */
static void check_package(const struct cx_random_kernel *k, const struct cx_oracle *o, struct cx_access *a,
                          uint64_t g0, uint64_t g1, struct tally *tally)
{
    struct cx_access_region regions[CX_RANDOM_ARGS];

    cx_access_package(a, g0, g1, regions);
    for (uint32_t i = 0; i < 3; i++) {
        const struct cx_access_interval *rd = &regions[i].read, *wr = &regions[i].write;
        expect(rd->lo <= rd->hi && rd->hi <= k->value[i].bytes, "%s", where);
        expect(wr->lo <= wr->hi && wr->hi <= k->value[i].bytes, "%s", where);
        tally->intervals++;
        tally->known += wr->known;
        tally->exact += wr->exact;
        for (size_t byte = 0; byte < o->bytes; byte++) {
            bool r = cx_oracle_reads(o, i, g0, g1, byte), w = cx_oracle_writes(o, i, g0, g1, byte);
            expect(!r || inside(rd, byte), "%s: arg %u groups %llu..%llu reads %zu outside %llu..%llu", where,
                   i, (unsigned long long)g0, (unsigned long long)g1, byte, (unsigned long long)rd->lo,
                   (unsigned long long)rd->hi);
            expect(!w || inside(wr, byte), "%s: arg %u groups %llu..%llu writes %zu outside %llu..%llu",
                   where, i, (unsigned long long)g0, (unsigned long long)g1, byte, (unsigned long long)wr->lo,
                   (unsigned long long)wr->hi);
            expect(w || !wr->exact || !inside(wr, byte) || !o->complete,
                   "%s: arg %u groups %llu..%llu does not write %zu, said to be exact %llu..%llu", where, i,
                   (unsigned long long)g0, (unsigned long long)g1, byte, (unsigned long long)wr->lo,
                   (unsigned long long)wr->hi);
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

/* What is said of an object's bytes, for any border: no byte of one that is OWN is written on both sides, and
 * none is read on the other side unless `before` says so. */
static void check_borders(const struct cx_random_kernel *k, const struct cx_oracle *o, uint64_t granularity,
                          uint64_t object, bool before)
{
    for (uint64_t b = granularity; b < o->groups; b += granularity) {
        for (size_t byte = 0; byte < o->bytes + 64; byte++) {
            bool wl = writes_object(k, o, object, 0, b, byte),
                 wr = writes_object(k, o, object, b, o->groups, byte);
            expect(!wl || !wr, "%s: byte %zu of %llu written on both sides of %llu", where, byte,
                   (unsigned long long)object, (unsigned long long)b);
            expect(before || !wl || !reads_object(k, o, object, b, o->groups, byte),
                   "%s: byte %zu read after border %llu", where, byte, (unsigned long long)b);
            expect(before || !wr || !reads_object(k, o, object, 0, b, byte),
                   "%s: byte %zu read before border %llu", where, byte, (unsigned long long)b);
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
    expect(m->why != NULL, "%s", where);
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
    expect(m->why != NULL && m->before, "%s", where);
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
        tally->ways[m[i].way]++;
        own &= m[i].way <= CX_WAY_OWN && !m[i].before;
        expect(k->value[i].object != k->value[0].object || memcmp(&m[i], &m[0], sizeof(*m)) == 0, "%s",
               where);
        if (m[i].way == CX_WAY_OWN) {
            check_borders(k, o, v->granularity, k->value[i].object, m[i].before);
        } else if (m[i].way == CX_WAY_PRIVATE) {
            check_private(k, o, k->value[i].object, &m[i]);
        } else if (m[i].way == CX_WAY_MERGE) {
            check_merge(k, o, k->value[i].object, &m[i]);
        }
    }
    expect(!v->splits || own == v->separable, "%s", where);
}

/* The packages of any cut own disjoint intervals, and together all that the whole launch owns. */
static void check_ownership(const struct cx_random_kernel *k, struct cx_access *a,
                            const struct cx_access_verdict *v, struct cx_random *r)
{
    uint64_t units = (v->groups + v->granularity - 1) / v->granularity, at = 0;
    unsigned char owner[3][512] = {{0}};

    for (unsigned char package = 1; at < units; package++) {
        struct cx_access_region regions[CX_RANDOM_ARGS];
        uint64_t more = 1 + cx_random_below(r, units - at), g1 = (at + more) * v->granularity;
        cx_access_package(a, at * v->granularity, g1 < v->groups ? g1 : v->groups, regions);
        for (uint32_t i = 0; i < 3; i++) {
            if (cx_access_means(a)[i].way != CX_WAY_OWN) {
                continue;
            }
            for (uint64_t byte = regions[i].write.lo; byte < regions[i].write.hi; byte++) {
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

static void check_kernel(uint64_t seed, bool wild, struct tally *tally)
{
    static struct cx_random_kernel k;
    struct cx_summary one = {.nkernel = 1, .kernel = &k.kernel};
    struct cx_random r = {seed};
    struct cx_access_verdict v;
    struct cx_access *a;
    struct cx_oracle o;
    unsigned dim;

    snprintf(where, sizeof(where), "%s kernel %llu", wild ? "wild" : "tame", (unsigned long long)seed);
    cx_random_kernel_make(&k, &r, wild);
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
        check_ownership(&k, a, &v, &r);
    }
    tally->kernels++;
    tally->separable += v.separable;
    tally->coarse += v.separable && v.granularity > 1;
    cx_oracle_finish(&o);
    cx_access_destroy(&a);
}

static void check_many(bool wild, unsigned count)
{
    struct tally tally = {0};
    const char *given = getenv("CX_TEST_KERNELS");
    uint64_t first = getenv("CX_TEST_SEED") ? strtoull(getenv("CX_TEST_SEED"), NULL, 10) : 1;

    count = given ? (unsigned)strtoul(given, NULL, 10) : count;
    for (uint64_t seed = first; seed < first + count; seed++) {
        check_kernel(seed, wild, &tally);
    }
    fprintf(stderr, "# %s: %u kernels, %u separable (%u coarse), writes known %u, exact %u of %u\n",
            wild ? "wild" : "tame", tally.kernels, tally.separable, tally.coarse, tally.known, tally.exact,
            tally.intervals);
    fprintf(stderr, "# arguments: none %u, own %u, merge %u, private %u\n", tally.ways[CX_WAY_NONE],
            tally.ways[CX_WAY_OWN], tally.ways[CX_WAY_MERGE], tally.ways[CX_WAY_PRIVATE]);
}

START_TEST(tame_kernels_match_the_oracle)
{
    check_many(false, 3000);
}
END_TEST

START_TEST(wild_kernels_match_the_oracle)
{
    check_many(true, 3000);
}
END_TEST

Suite *access_suite(void)
{
    Suite *suite = suite_create("access");
    TCase *oracle = tcase_create("oracle");

    tcase_set_timeout(oracle, 300);
    tcase_add_test(oracle, tame_kernels_match_the_oracle);
    tcase_add_test(oracle, wild_kernels_match_the_oracle);
    suite_add_tcase(suite, oracle);
    return suite;
}
