/* SPDX-License-Identifier: MIT */
/*
 * coherence_map.c against a dumb oracle that keeps every fact once a byte, over tens of thousands of random
 * operations. The map must agree with the oracle on every byte, stay canonical (as many segments as there are
 * runs of equal bytes) and survive any allocation that fails, unchanged. Linked with
 * --wrap=malloc,calloc,realloc for the latter.
 */
#include "layer/memory/coherence_map.h"
#include "tap.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_SIZE = 400, MAX_PLACES = 63, MAX_TIMELINES = 9 };

/* The k-th allocation from now fails when fail_in > 0; -1: none. */
static int fail_in = -1;
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool fails_now(void)
{
    return fail_in > 0 && --fail_in == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails_now() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails_now() ? NULL : __real_realloc(old, size);
}

struct byte {
    uint64_t valid, unwritten;
    uint64_t writers[MAX_TIMELINES], readers[MAX_TIMELINES];
};

struct oracle {
    unsigned size, places, timelines;
    struct byte at[MAX_SIZE];
};

static uint64_t random_state;

static unsigned roll(unsigned below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % below;
}

static void oracle_init(struct oracle *oracle, unsigned size, unsigned places, unsigned timelines)
{
    memset(oracle, 0, sizeof(*oracle));
    oracle->size = size;
    oracle->places = places;
    oracle->timelines = timelines;
    for (unsigned i = 0; i < size; i++)
        oracle->at[i] = (struct byte){.valid = (UINT64_C(1) << places) - 1, .unwritten = 1};
}

static void oracle_deps(const struct oracle *oracle, unsigned lo, unsigned hi, bool write, unsigned timeline,
                        uint64_t *deps)
{
    for (unsigned i = lo; i < hi; i++) {
        const struct byte *byte = &oracle->at[i];
        for (unsigned t = 0; t < oracle->timelines; t++) {
            if (t != timeline && byte->writers[t] > deps[t])
                deps[t] = byte->writers[t];
            if (t != timeline && write && byte->readers[t] > deps[t])
                deps[t] = byte->readers[t];
        }
    }
}

static void oracle_access(struct oracle *oracle, unsigned lo, unsigned hi, bool write, unsigned timeline,
                          uint64_t seq)
{
    for (unsigned i = lo; i < hi; i++) {
        struct byte *byte = &oracle->at[i];
        if (write) {
            memset(byte->writers, 0, sizeof(byte->writers));
            memset(byte->readers, 0, sizeof(byte->readers));
            byte->writers[timeline] = seq;
        } else if (seq > byte->readers[timeline]) {
            byte->readers[timeline] = seq;
        }
    }
}

static bool same_byte(const struct byte *a, const struct byte *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static size_t oracle_runs(const struct oracle *oracle)
{
    size_t runs = 1;
    for (unsigned i = 1; i < oracle->size; i++)
        runs += !same_byte(&oracle->at[i - 1], &oracle->at[i]);
    return runs;
}

/* What must be moved, byte for byte; moves must be ordered, maximal and clipped to [lo, hi). */
static void check_missing(const struct cx_coherence *map, const struct oracle *oracle, unsigned lo,
                          unsigned hi, unsigned place)
{
    struct cx_move *moves = NULL;
    size_t count = 0, next = 0;
    uint64_t lacking[64] = {0}, listed_bytes = 0;
    ck_assert(cx_coherence_missing(map, lo, hi, place, &moves, &count));
    cx_coherence_lacking(map, lo, hi, lacking);
    for (size_t m = 0; m < count; m++)
        listed_bytes += moves[m].hi - moves[m].lo;
    ck_assert_uint_eq(lacking[place], listed_bytes);
    ck_assert_uint_eq(cx_coherence_lacking_all(map, lo, hi, UINT64_C(1) << place), listed_bytes);
    for (size_t m = 0; m + 1 < count; m++) {
        ck_assert_uint_le(moves[m].hi, moves[m + 1].lo);
        ck_assert(moves[m].hi < moves[m + 1].lo || moves[m].from != moves[m + 1].from);
    }
    for (unsigned i = lo; i < hi; i++) {
        while (next < count && moves[next].hi <= i)
            next++;
        bool listed = next < count && moves[next].lo <= i;
        ck_assert_int_eq(listed, !(oracle->at[i].valid >> place & 1));
        if (listed)
            ck_assert_uint_eq(moves[next].from, oracle->at[i].valid
                                                    ? (unsigned)__builtin_ctzll(oracle->at[i].valid)
                                                    : CX_PLACE_NONE);
    }
    if (count) {
        ck_assert_uint_ge(moves[0].lo, lo);
        ck_assert_uint_le(moves[count - 1].hi, hi);
    }
    free(moves);
}

static void check_queries(const struct cx_coherence *map, const struct oracle *oracle, unsigned lo,
                          unsigned hi)
{
    const unsigned place = roll(oracle->places);
    uint64_t holders = (UINT64_C(1) << oracle->places) - 1;
    const uint64_t places = holders & (((uint64_t)roll(1 << 15) << 15) | roll(1 << 15));
    uint64_t lacking_all = 0;
    bool owned = true;
    for (unsigned i = lo; i < hi; i++) {
        lacking_all += !(oracle->at[i].valid & places);
        holders &= oracle->at[i].valid;
        owned &= oracle->at[i].valid == UINT64_C(1) << place && !oracle->at[i].unwritten;
    }
    ck_assert_uint_eq(cx_coherence_lacking_all(map, lo, hi, places), lacking_all);
    ck_assert_uint_eq(cx_coherence_holders(map, lo, hi), holders);
    ck_assert_int_eq(cx_coherence_owned(map, lo, hi, place), owned);
    ck_assert_int_eq(cx_coherence_valid(map, lo, hi, place), holders >> place & 1);
    check_missing(map, oracle, lo, hi, place);
}

static void check_deps(const struct cx_coherence *map, const struct oracle *oracle, unsigned lo, unsigned hi)
{
    uint64_t expected[MAX_TIMELINES] = {0}, got[MAX_TIMELINES] = {0};
    unsigned timeline = roll(oracle->timelines);
    bool write = roll(2);
    expected[roll(oracle->timelines)] = roll(50);
    memcpy(got, expected, sizeof(got));
    oracle_deps(oracle, lo, hi, write, timeline, expected);
    cx_coherence_host_deps(map, lo, hi, write, timeline, got);
    ck_assert_mem_eq(got, expected, sizeof(got));
}

static void check_alone(const struct cx_coherence *map, const struct oracle *oracle)
{
    for (unsigned place = 0; place < oracle->places; place++) {
        bool alone = true;
        for (unsigned i = 0; i < oracle->size; i++)
            alone &= oracle->at[i].unwritten || !(oracle->at[i].valid & ~(UINT64_C(1) << place | 1));
        ck_assert_int_eq(cx_coherence_alone(map, place), alone);
    }
}

static void check_all(const struct cx_coherence *map, const struct oracle *oracle)
{
    check_alone(map, oracle);
    ck_assert_uint_eq(cx_coherence_segments(map), oracle_runs(oracle));
    for (unsigned i = 0; i < oracle->size; i++) {
        uint64_t expected[MAX_TIMELINES] = {0}, got[MAX_TIMELINES] = {0};
        ck_assert_uint_eq(cx_coherence_holders(map, i, i + 1), oracle->at[i].valid);
        oracle_deps(oracle, i, i + 1, true, oracle->timelines, expected);
        cx_coherence_host_deps(map, i, i + 1, true, oracle->timelines, got);
        ck_assert_mem_eq(got, expected, sizeof(got));
    }
}

static void random_range(unsigned size, unsigned *lo, unsigned *hi)
{
    unsigned a = roll(size + 1), b = roll(size + 1);
    switch (roll(8)) {
    case 0:
        a = 0;
        break;
    case 1:
        b = size;
        break;
    case 2:
        b = a;
        break;
    case 3: /* multiples of 16: borders that meet */
        a = a / 16 * 16;
        b = b / 16 * 16;
        break;
    default:
        break;
    }
    *lo = a < b ? a : b;
    *hi = a < b ? b : a;
}

static void random_access(struct cx_coherence *map, struct oracle *oracle, unsigned lo, unsigned hi,
                          uint64_t *seqs)
{
    uint64_t expected[MAX_TIMELINES] = {0}, got[MAX_TIMELINES] = {0};
    unsigned timeline = roll(oracle->timelines);
    bool write = roll(2);
    uint64_t seq = seqs[timeline] += 1 + roll(2);
    if (roll(8) == 0) { /* side by side with the writers before */
        for (unsigned i = lo; i < hi; i++)
            oracle->at[i].writers[timeline] = seq;
        ck_assert(cx_coherence_host_share(map, lo, hi, timeline, seq));
        return;
    }
    oracle_deps(oracle, lo, hi, write, timeline, expected);
    oracle_access(oracle, lo, hi, write, timeline, seq);
    if (write)
        ck_assert(cx_coherence_host_write(map, lo, hi, timeline, seq, got));
    else
        ck_assert(cx_coherence_host_read(map, lo, hi, timeline, seq, got));
    ck_assert_mem_eq(got, expected, sizeof(got));
}

static void random_tidy(struct cx_coherence *map, struct oracle *oracle, const uint64_t *seqs)
{
    uint64_t completed[MAX_TIMELINES];
    for (unsigned t = 0; t < oracle->timelines; t++)
        completed[t] = seqs[t] ? seqs[t] - roll((unsigned)(seqs[t] < 9 ? seqs[t] : 9)) : 0;
    cx_coherence_tidy(map, completed);
    for (unsigned i = 0; i < oracle->size; i++) {
        struct byte *byte = &oracle->at[i];
        for (unsigned t = 0; t < oracle->timelines; t++) {
            if (byte->writers[t] <= completed[t])
                byte->writers[t] = 0;
            if (byte->readers[t] <= completed[t])
                byte->readers[t] = 0;
        }
    }
}

static bool same_run(const struct oracle *oracle, unsigned a, unsigned b)
{
    return memcmp(&oracle->at[a], &oracle->at[b], sizeof(struct byte)) == 0;
}

/* Whole segments lose the place where another one holds them. */
static void random_loss(struct cx_coherence *map, struct oracle *oracle, unsigned lo, unsigned hi,
                        unsigned place)
{
    cx_coherence_lose(map, lo, hi, place);
    if (lo >= hi)
        return;
    while (lo > 0 && same_run(oracle, lo - 1, lo))
        lo--;
    while (hi < oracle->size && same_run(oracle, hi - 1, hi))
        hi++;
    for (unsigned i = lo; i < hi; i++)
        if (oracle->at[i].valid & ~(UINT64_C(1) << place))
            oracle->at[i].valid &= ~(UINT64_C(1) << place);
}

static struct byte own_of(const struct byte *byte, unsigned place)
{
    struct byte own = *byte;
    own.valid = UINT64_C(1) << place;
    own.unwritten = 0;
    return own;
}

static void random_operation(struct cx_coherence *map, struct oracle *oracle, uint64_t *seqs)
{
    unsigned lo, hi, place = roll(oracle->places);
    random_range(oracle->size, &lo, &hi);
    switch (roll(24)) {
    case 0:
    case 1:
        ck_assert(cx_coherence_own(map, lo, hi, place));
        ck_assert(place == CX_PLACE_HOST || cx_coherence_owned(map, lo, hi, place));
        for (unsigned i = lo; i < hi; i++)
            oracle->at[i] = own_of(&oracle->at[i], place);
        break;
    case 10:
        ck_assert(cx_coherence_define(map, lo, hi, place));
        for (unsigned i = lo; i < hi; i++)
            if (oracle->at[i].unwritten)
                oracle->at[i] = own_of(&oracle->at[i], place);
        break;
    case 2:
    case 3:
        ck_assert(cx_coherence_validate(map, lo, hi, place));
        for (unsigned i = lo; i < hi; i++)
            oracle->at[i].valid |= UINT64_C(1) << place;
        break;
    case 4:
    case 5:
    case 6:
        random_access(map, oracle, lo, hi, seqs);
        break;
    case 7:
        if (roll(8) == 0)
            random_tidy(map, oracle, seqs);
        break;
    case 8:
        check_queries(map, oracle, lo, hi);
        break;
    case 9:
        random_loss(map, oracle, lo, hi, place);
        break;
    case 11:
        ck_assert(cx_coherence_void(map, lo, hi));
        for (unsigned i = lo; i < hi; i++) {
            oracle->at[i].valid = 0;
            oracle->at[i].unwritten = 0;
        }
        break;
    default:
        check_deps(map, oracle, lo, hi);
        break;
    }
    ck_assert_uint_eq(cx_coherence_segments(map), oracle_runs(oracle));
}

static void run_random(unsigned size, unsigned places, unsigned timelines, unsigned operations)
{
    static struct oracle oracle;
    uint64_t seqs[MAX_TIMELINES] = {0};
    oracle_init(&oracle, size, places, timelines);
    struct cx_coherence *map = cx_coherence_create(size, places, timelines);
    ck_assert_ptr_nonnull(map);
    for (unsigned i = 0; i < operations; i++) {
        random_operation(map, &oracle, seqs);
        if (i % 256 == 0)
            check_all(map, &oracle);
    }
    check_all(map, &oracle);
    cx_coherence_destroy(map);
}

START_TEST(random_against_oracle)
{
    static const unsigned sizes[] = {1, 2, 17, 64, 200, MAX_SIZE};
    static const unsigned places[] = {1, 2, 3, 5, 17, MAX_PLACES};
    static const unsigned timelines[] = {1, 2, 3, 4, 6, MAX_TIMELINES - 1};
    random_state = 0x2545f4914f6cdd1du + (unsigned)_i;
    for (unsigned i = 0; i < 6; i++)
        run_random(sizes[(i + (unsigned)_i) % 6], places[i], timelines[(i + 2) % 6], 3000);
}
END_TEST

START_TEST(fresh_map)
{
    struct cx_coherence *map = cx_coherence_create(100, 3, 2);
    ck_assert_uint_eq(cx_coherence_segments(map), 1);
    ck_assert_uint_eq(cx_coherence_holders(map, 0, 100), 7);
    ck_assert(cx_coherence_valid(map, 0, 100, 2));
    cx_coherence_destroy(map);
    ck_assert_ptr_null(cx_coherence_create(100, 64, 2));
    ck_assert_ptr_null(cx_coherence_create(100, 0, 2));
    cx_coherence_destroy(NULL);
}
END_TEST

START_TEST(counts_writes)
{
    struct cx_coherence *map = cx_coherence_create(100, 3, 2);
    const uint64_t before = cx_coherence_writes(map);
    ck_assert(cx_coherence_own(map, 10, 20, 1));
    const uint64_t owned = cx_coherence_writes(map);
    ck_assert_uint_ne(owned, before);
    ck_assert(cx_coherence_validate(map, 10, 20, 2));
    cx_coherence_lose(map, 10, 20, 2);
    ck_assert_uint_eq(cx_coherence_writes(map), owned);
    ck_assert(cx_coherence_own(map, 10, 20, 1));
    ck_assert_uint_ne(cx_coherence_writes(map), owned);
    cx_coherence_destroy(map);
}
END_TEST

START_TEST(empty_ranges_change_nothing)
{
    struct cx_coherence *map = cx_coherence_create(100, 3, 2);
    uint64_t deps[2] = {0};
    struct cx_move *moves = NULL;
    size_t count = 0;
    ck_assert(cx_coherence_own(map, 50, 50, 1));
    ck_assert(cx_coherence_own(map, 100, 100, 1));
    ck_assert(cx_coherence_own(map, 200, 300, 1));
    ck_assert(cx_coherence_validate(map, 0, 0, 1));
    ck_assert(cx_coherence_host_write(map, 7, 7, 1, 5, deps));
    ck_assert(cx_coherence_host_read(map, 9, 3, 1, 5, deps));
    ck_assert(cx_coherence_missing(map, 4, 4, 1, &moves, &count));
    ck_assert_uint_eq(count, 0);
    ck_assert_ptr_null(moves);
    ck_assert(cx_coherence_valid(map, 4, 4, 1));
    ck_assert_uint_eq(cx_coherence_segments(map), 1);
    cx_coherence_destroy(map);
    map = cx_coherence_create(0, 2, 1);
    ck_assert(cx_coherence_own(map, 0, 10, 1));
    ck_assert_uint_eq(cx_coherence_holders(map, 0, 0), 3);
    cx_coherence_destroy(map);
}
END_TEST

START_TEST(size_of_one_byte)
{
    struct cx_coherence *map = cx_coherence_create(1, 2, 2);
    ck_assert(cx_coherence_own(map, 0, 1, 1));
    ck_assert(!cx_coherence_valid(map, 0, 1, CX_PLACE_HOST));
    ck_assert(cx_coherence_validate(map, 0, 1, CX_PLACE_HOST));
    ck_assert_uint_eq(cx_coherence_holders(map, 0, 1), 3);
    ck_assert_uint_eq(cx_coherence_segments(map), 1);
    cx_coherence_destroy(map);
}
END_TEST

START_TEST(huge_buffer)
{
    const uint64_t size = UINT64_C(1) << 46;
    struct cx_coherence *map = cx_coherence_create(size, 4, 3);
    struct cx_move *moves = NULL;
    size_t count = 0;
    ck_assert(cx_coherence_own(map, 0, size / 2, 1));
    ck_assert(cx_coherence_own(map, size / 2, size, 3));
    ck_assert(cx_coherence_missing(map, 1, size, 0, &moves, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(moves[0].lo, 1);
    ck_assert_uint_eq(moves[1].hi, size);
    ck_assert_uint_eq(moves[1].from, 3);
    free(moves);
    cx_coherence_destroy(map);
}
END_TEST

START_TEST(readers_and_writers)
{
    struct cx_coherence *map = cx_coherence_create(100, 2, 3);
    uint64_t deps[3] = {0};
    ck_assert(cx_coherence_host_write(map, 0, 100, 0, 4, deps));
    ck_assert(cx_coherence_host_read(map, 0, 100, 0, 5, deps)); /* its own writer */
    ck_assert(deps[0] == 0 && deps[1] == 0 && deps[2] == 0);
    ck_assert(cx_coherence_host_read(map, 40, 60, 1, 7, deps));
    ck_assert(deps[0] == 4 && deps[1] == 0 && deps[2] == 0);
    deps[0] = 0;
    ck_assert(cx_coherence_host_write(map, 0, 50, 2, 1, deps)); /* cuts the reader's range */
    ck_assert(deps[0] == 5 && deps[1] == 7 && deps[2] == 0);
    memset(deps, 0, sizeof(deps));
    ck_assert(cx_coherence_host_write(map, 50, 100, 1, 8, deps)); /* its own reader does not count */
    ck_assert(deps[0] == 5 && deps[1] == 0 && deps[2] == 0);
    memset(deps, 0, sizeof(deps));
    cx_coherence_host_deps(map, 0, 100, false, 0, deps);
    ck_assert(deps[0] == 0 && deps[1] == 8 && deps[2] == 1);
    ck_assert_uint_eq(cx_coherence_segments(map), 2);
    cx_coherence_tidy(map, (uint64_t[]){9, 8, 1});
    ck_assert_uint_eq(cx_coherence_segments(map), 1);
    cx_coherence_destroy(map);
}
END_TEST

START_TEST(missing_appends)
{
    struct cx_coherence *map = cx_coherence_create(100, 3, 1);
    struct cx_move *moves = malloc(sizeof(*moves));
    size_t count = 1;
    moves[0] = (struct cx_move){1, 2, 9};
    ck_assert(cx_coherence_own(map, 10, 20, 2));
    ck_assert(cx_coherence_own(map, 20, 30, 1));
    ck_assert(cx_coherence_missing(map, 0, 25, 0, &moves, &count));
    ck_assert_uint_eq(count, 3);
    ck_assert(moves[0].lo == 1 && moves[0].hi == 2 && moves[0].from == 9);
    ck_assert(moves[1].lo == 10 && moves[1].hi == 20 && moves[1].from == 2);
    ck_assert(moves[2].lo == 20 && moves[2].hi == 25 && moves[2].from == 1);
    free(moves);
    cx_coherence_destroy(map);
}
END_TEST

/* The same launches again and again: the map must not grow. */
START_TEST(repeated_patterns_do_not_grow)
{
    enum { PARTS = 8, ROUNDS = 200 };
    struct cx_coherence *map = cx_coherence_create(8000, 4, 4);
    uint64_t deps[4] = {0};
    for (unsigned round = 1; round <= ROUNDS; round++) {
        for (unsigned part = 0; part < PARTS; part++) {
            unsigned place = part % 4;
            ck_assert(cx_coherence_own(map, part * 1000, part * 1000 + 1000, place));
            ck_assert(cx_coherence_host_write(map, part * 1000, part * 1000 + 1000, place, round, deps));
            ck_assert(cx_coherence_host_read(map, 0, 8000, place, round, deps));
        }
        ck_assert_uint_le(cx_coherence_segments(map), PARTS + 1);
    }
    ck_assert(cx_coherence_own(map, 0, 8000, 0));
    ck_assert(cx_coherence_host_write(map, 0, 8000, 0, ROUNDS + 1, deps));
    ck_assert_uint_eq(cx_coherence_segments(map), 1);
    cx_coherence_destroy(map);
}
END_TEST

/* Many segments: lookups and cuts must stay cheap (a quadratic map would not end within the time limit). */
START_TEST(many_segments)
{
    enum { SEGMENTS = 200000 };
    struct cx_coherence *map = cx_coherence_create((uint64_t)SEGMENTS * 8, 3, 3);
    for (unsigned i = 0; i < SEGMENTS; i++) {
        uint64_t at = (uint64_t)(i * UINT64_C(7919) % SEGMENTS) * 8;
        ck_assert(cx_coherence_own(map, at, at + 8, (unsigned)(at / 8 % 2)));
    }
    ck_assert_uint_eq(cx_coherence_segments(map), SEGMENTS);
    struct cx_move *moves = NULL;
    size_t count = 0;
    ck_assert(cx_coherence_missing(map, 0, (uint64_t)SEGMENTS * 8, 0, &moves, &count));
    ck_assert_uint_eq(count, SEGMENTS / 2);
    free(moves);
    ck_assert(cx_coherence_own(map, 0, (uint64_t)SEGMENTS * 8, 2));
    ck_assert_uint_eq(cx_coherence_segments(map), 1);
    cx_coherence_destroy(map);
}
END_TEST

/* A map of many segments that are its contents is not walked for each package that changes a few of them. */
START_TEST(tidied_as_often_as_it_pays)
{
    enum { SEGMENTS = 10000, CHANGES = 1000 };
    static const uint64_t completed[3] = {0, 0, 0};
    unsigned walks = 0;
    struct cx_coherence *map = cx_coherence_create((uint64_t)SEGMENTS * 8, 3, 3);
    ck_assert(!cx_coherence_is_cluttered(map));
    for (uint64_t i = 0; i < SEGMENTS; i++)
        ck_assert(cx_coherence_own(map, i * 8, i * 8 + 8, (unsigned)(i % 2)));
    ck_assert(cx_coherence_is_cluttered(map));
    cx_coherence_tidy(map, completed);
    ck_assert_uint_eq(cx_coherence_segments(map), SEGMENTS);
    ck_assert(!cx_coherence_is_cluttered(map));
    for (uint64_t i = 0; i < CHANGES; i++) {
        ck_assert(cx_coherence_own(map, i * 80 + 2, i * 80 + 4, 2));
        if (cx_coherence_is_cluttered(map)) {
            cx_coherence_tidy(map, completed);
            walks++;
        }
    }
    ck_assert_uint_le(walks, 10);
    ck_assert(cx_coherence_own(map, 0, (uint64_t)SEGMENTS * 8, 0));
    ck_assert(!cx_coherence_is_cluttered(map));
    cx_coherence_destroy(map);
}
END_TEST

/* Whether a place holds all, and others little of it. */
START_TEST(holds_most_of_a_range)
{
    struct cx_coherence *map = cx_coherence_create(1000, 3, 1);
    ck_assert(cx_coherence_own(map, 0, 1000, 1));
    ck_assert(cx_coherence_holds_most(map, 0, 1000, 1, 0));
    ck_assert(!cx_coherence_holds_most(map, 0, 1000, 2, 1000));
    ck_assert(cx_coherence_validate(map, 100, 200, 0));
    ck_assert(cx_coherence_validate(map, 150, 260, 2));
    ck_assert(cx_coherence_holds_most(map, 0, 1000, 1, 160));
    ck_assert(!cx_coherence_holds_most(map, 0, 1000, 1, 159));
    ck_assert(cx_coherence_holds_most(map, 120, 155, 1, 35));
    ck_assert(cx_coherence_own(map, 990, 1000, 2));
    ck_assert(!cx_coherence_holds_most(map, 0, 1000, 1, 1000));
    ck_assert(cx_coherence_holds_most(map, 0, 990, 1, 160));
    ck_assert(cx_coherence_holds_most(map, 2000, 3000, 1, 0));
    cx_coherence_destroy(map);
}
END_TEST

/* Segments that differ only by jobs which were under way when the map was tidied are joined once these are
 * over, though nothing is cut off any more. */
START_TEST(joined_when_jobs_are_over)
{
    enum { SEGMENTS = 1000 };
    static const uint64_t before[3] = {0, 0, 0}, after[3] = {SEGMENTS, SEGMENTS, SEGMENTS};
    uint64_t deps[3] = {0};
    unsigned asked = 0;
    struct cx_coherence *map = cx_coherence_create((uint64_t)SEGMENTS * 8, 3, 3);
    for (uint64_t i = 0; i < SEGMENTS; i++)
        ck_assert(cx_coherence_host_read(map, i * 8, i * 8 + 8, 1, i + 1, deps));
    ck_assert(cx_coherence_is_cluttered(map));
    cx_coherence_tidy(map, before);
    ck_assert_uint_eq(cx_coherence_segments(map), SEGMENTS);
    while (asked < 100 && !cx_coherence_is_cluttered(map))
        asked++;
    cx_coherence_tidy(map, after);
    ck_assert(asked > 1 && asked < 100);
    ck_assert_uint_eq(cx_coherence_segments(map), 1);
    cx_coherence_destroy(map);
}
END_TEST

/* Every operation with its first allocation failing: false (or no need of memory), and the map as before. */
START_TEST(out_of_memory_changes_nothing)
{
    static struct oracle oracle;
    uint64_t seqs[MAX_TIMELINES] = {0};
    unsigned refused = 0;
    for (int k = 1; k <= 2; k++) {
        fail_in = k;
        ck_assert_ptr_null(cx_coherence_create(10, 2, 2));
        fail_in = -1;
    }
    random_state = 4711;
    oracle_init(&oracle, MAX_SIZE, 3, 4);
    struct cx_coherence *map = cx_coherence_create(MAX_SIZE, 3, 4);
    for (unsigned i = 0; i < 4000; i++) {
        unsigned lo = roll(MAX_SIZE), hi = lo + 1 + roll(MAX_SIZE - lo), place = roll(3);
        size_t before = cx_coherence_segments(map);
        fail_in = 1;
        bool done = cx_coherence_own(map, lo, hi, place);
        bool failed = fail_in != 1;
        fail_in = -1;
        ck_assert_int_eq(done, !failed);
        refused += failed;
        for (unsigned b = lo; done && b < hi; b++)
            oracle.at[b] = own_of(&oracle.at[b], place);
        if (failed) {
            ck_assert_uint_eq(cx_coherence_segments(map), before);
            check_all(map, &oracle);
        }
        random_operation(map, &oracle, seqs);
    }
    ck_assert_uint_gt(refused, 0);
    struct cx_move *moves = NULL;
    size_t count = 0;
    ck_assert(cx_coherence_own(map, 3, 5, 1));
    fail_in = 1;
    ck_assert(!cx_coherence_missing(map, 0, MAX_SIZE, 0, &moves, &count));
    fail_in = -1;
    ck_assert(count == 0 && moves == NULL);
    cx_coherence_destroy(map);
}
END_TEST

static Suite *coherence_suite(void)
{
    Suite *suite = suite_create("coherence");
    TCase *tcase = tcase_create("map");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, fresh_map);
    tcase_add_test(tcase, counts_writes);
    tcase_add_test(tcase, empty_ranges_change_nothing);
    tcase_add_test(tcase, size_of_one_byte);
    tcase_add_test(tcase, huge_buffer);
    tcase_add_test(tcase, readers_and_writers);
    tcase_add_test(tcase, missing_appends);
    tcase_add_test(tcase, repeated_patterns_do_not_grow);
    tcase_add_test(tcase, many_segments);
    tcase_add_test(tcase, tidied_as_often_as_it_pays);
    tcase_add_test(tcase, joined_when_jobs_are_over);
    tcase_add_test(tcase, holds_most_of_a_range);
    tcase_add_test(tcase, out_of_memory_changes_nothing);
    tcase_add_loop_test(tcase, random_against_oracle, 0, 8);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return tap_run(coherence_suite());
}
