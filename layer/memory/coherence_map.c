/* SPDX-License-Identifier: MIT */
/*
 * The region map of one buffer: see coherence_map.h for what it promises.
 *
 * Segments form a doubly linked list in address order and, over it, a treap by first byte: lookups and splits
 * cost O(log n), walks nothing extra. A segment ends where the next one begins. The map is canonical: two
 * neighbours always differ, for each change joins what it made equal, so the map is as small as its contents.
 * No operation needs more than two new segments (a cut at each end of its range). They are set aside before
 * anything is touched, and an operation that finds no memory for them has changed nothing.
 */
#include "layer/memory/coherence_map.h"
#include <stdlib.h>
#include <string.h>

struct segment {
    uint64_t lo;
    uint64_t valid;    /* bit p: place p holds these bytes; map->unwritten: nobody wrote them yet */
    uint32_t priority; /* treap heap order */
    struct segment *left, *right;
    struct segment *prev, *next;
    /* two a timeline: its last read of the host copy since the last write, then its last write as long as it
       is not superseded (several timelines may share the last write); 0 for none. With peers two more: its
       last copy from a peer into its own place, then the same with the peer it came from in the low bits */
    uint64_t seq[];
};

/* Segments are carved from blocks, which live as long as the map. */
struct block {
    struct block *next;
    _Alignas(struct segment) unsigned char room[];
};

enum { FIRST_BLOCK = 4, LAST_BLOCK = 1024, CUTS = 2 };

/* Segments from which on a map is tidied: at once where many are new; else, as what kept neighbours apart may
 * be over by now, after so many questions, twice as many each time that it was not. */
enum { CLUTTER = 48, PATIENCE = 16, MOST_PATIENCE = 4096 };

/* A copy between peers: its position and where it came from, or that it was several peers. */
enum { SOURCE_BITS = 8, SOURCES = 255 };

struct cx_coherence {
    uint64_t size;
    uint64_t all;       /* a bit for each place */
    uint64_t unwritten; /* the bit above them */
    uint64_t writes;    /* cx_coherence_writes */
    unsigned timelines;
    unsigned sets; /* seqs a timeline in each segment */
    uint32_t random;
    size_t stride; /* bytes of a segment with its readers */
    size_t count;
    size_t made;              /* segments cut off since it was tidied last */
    unsigned asked, patience; /* questions whether it is cluttered since then; so many are enough */
    struct segment *root, *first;
    struct segment *spare; /* linked by next */
    size_t nspare;
    struct block *blocks;
    size_t next_block; /* segments in it: each block is twice the last, to a limit */
};

static uint32_t next_random(struct cx_coherence *map)
{
    uint32_t x = map->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return map->random = x;
}

/* Makes sure that `count` spare segments are at hand. */
static bool reserve(struct cx_coherence *map, size_t count)
{
    if (map->nspare >= count)
        return true;
    size_t fresh = map->next_block;
    struct block *block = malloc(sizeof(*block) + fresh * map->stride);
    if (!block)
        return false;
    block->next = map->blocks;
    map->blocks = block;
    for (size_t i = 0; i < fresh; i++) {
        struct segment *segment = (struct segment *)(void *)(block->room + i * map->stride);
        segment->next = map->spare;
        map->spare = segment;
    }
    map->nspare += fresh;
    if (fresh < LAST_BLOCK)
        map->next_block = fresh * 2;
    return true;
}

static uint64_t segment_end(const struct cx_coherence *map, const struct segment *segment)
{
    return segment->next ? segment->next->lo : map->size;
}

/* The segment that holds byte `at`, which is below the map's size. */
static struct segment *find(const struct cx_coherence *map, uint64_t at)
{
    struct segment *best = map->first;
    for (struct segment *node = map->root; node;) {
        if (node->lo <= at) {
            best = node;
            node = node->right;
        } else {
            node = node->left;
        }
    }
    return best;
}

static void tree_insert(struct cx_coherence *map, struct segment *node)
{
    struct segment **link = &map->root;
    while (*link && (*link)->priority >= node->priority)
        link = node->lo < (*link)->lo ? &(*link)->left : &(*link)->right;
    struct segment *rest = *link, **left = &node->left, **right = &node->right;
    *link = node;
    while (rest) {
        if (rest->lo < node->lo) {
            *left = rest;
            left = &rest->right;
            rest = rest->right;
        } else {
            *right = rest;
            right = &rest->left;
            rest = rest->left;
        }
    }
    *left = *right = NULL;
}

static void tree_remove(struct cx_coherence *map, struct segment *node)
{
    struct segment **link = &map->root, *left = node->left, *right = node->right;
    while (*link != node)
        link = node->lo < (*link)->lo ? &(*link)->left : &(*link)->right;
    while (left && right) {
        if (left->priority >= right->priority) {
            *link = left;
            link = &left->right;
            left = left->right;
        } else {
            *link = right;
            link = &right->left;
            right = right->left;
        }
    }
    *link = left ? left : right;
}

/* Cuts so that a segment begins at `at`, and gives it; NULL for the map's end. Takes at most one spare. */
static struct segment *cut(struct cx_coherence *map, uint64_t at)
{
    if (at == map->size)
        return NULL;
    struct segment *low = find(map, at);
    if (low->lo == at)
        return low;
    struct segment *high = map->spare;
    map->spare = high->next;
    map->nspare--;
    memcpy(high, low, map->stride);
    high->lo = at;
    high->priority = next_random(map);
    high->prev = low;
    if (high->next)
        high->next->prev = high;
    low->next = high;
    tree_insert(map, high);
    map->count++;
    map->made++;
    return high;
}

/* Drops a segment that equals the one before it, which grows over its bytes. */
static void drop(struct cx_coherence *map, struct segment *segment)
{
    tree_remove(map, segment);
    segment->prev->next = segment->next;
    if (segment->next)
        segment->next->prev = segment->prev;
    segment->next = map->spare;
    map->spare = segment;
    map->nspare++;
    map->count--;
}

static bool equal(const struct cx_coherence *map, const struct segment *a, const struct segment *b)
{
    return a->valid == b->valid &&
           memcmp(a->seq, b->seq, map->sets * map->timelines * sizeof(a->seq[0])) == 0;
}

/* Joins equal neighbours from `first`, and the one before it, up to and with `end` (NULL: the map's end). */
static void join(struct cx_coherence *map, struct segment *first, const struct segment *end)
{
    struct segment *segment = first->prev ? first->prev : first;
    while (segment->next) {
        struct segment *next = segment->next;
        bool last = next == end;
        if (equal(map, segment, next))
            drop(map, next);
        else
            segment = next;
        if (last)
            break;
    }
}

/* Clips a range to the map; false when nothing is left of it. */
static bool clip(const struct cx_coherence *map, uint64_t lo, uint64_t *hi)
{
    if (*hi > map->size)
        *hi = map->size;
    return lo < *hi;
}

/* A range being changed: whole segments from `first` up to, not with, `end`. */
struct span {
    struct segment *first, *end;
};

static bool span_open(struct cx_coherence *map, uint64_t lo, uint64_t hi, struct span *span)
{
    if (!reserve(map, CUTS))
        return false;
    span->first = cut(map, lo);
    span->end = cut(map, hi);
    return true;
}

static struct cx_coherence *create(uint64_t size, unsigned places, unsigned timelines, unsigned sets)
{
    if (places == 0 || places > 63)
        return NULL;
    struct cx_coherence *map = calloc(1, sizeof(*map));
    if (!map)
        return NULL;
    map->size = size;
    map->unwritten = UINT64_C(1) << places;
    map->all = map->unwritten - 1;
    map->timelines = timelines;
    map->sets = sets;
    map->next_block = FIRST_BLOCK;
    map->random = 0x9e3779b9u;
    map->stride = sizeof(struct segment) + sets * timelines * sizeof(uint64_t);
    if (!reserve(map, 1)) {
        free(map);
        return NULL;
    }
    struct segment *segment = map->spare;
    map->spare = segment->next;
    map->nspare--;
    memset(segment, 0, map->stride);
    segment->valid = map->all | map->unwritten;
    segment->priority = next_random(map);
    map->first = map->root = segment;
    map->count = 1;
    map->patience = PATIENCE;
    return map;
}

struct cx_coherence *cx_coherence_create(uint64_t size, unsigned places, unsigned timelines)
{
    return create(size, places, timelines, 2);
}

struct cx_coherence *cx_coherence_create_peers(uint64_t size, unsigned places, unsigned timelines)
{
    return create(size, places, timelines, 4);
}

void cx_coherence_destroy(struct cx_coherence *map)
{
    if (!map)
        return;
    while (map->blocks) {
        struct block *next = map->blocks->next;
        free(map->blocks);
        map->blocks = next;
    }
    free(map);
}

/* Whom to copy a segment from: of the near ones those that hold it by no copy of their own, of a job after
 * `since` none; then the host, then anybody. */
static unsigned source_of(const struct cx_coherence *map, const struct segment *segment, uint64_t near,
                          const uint64_t *since)
{
    const uint64_t *copied = segment->seq + 2 * map->timelines;
    uint64_t holders = segment->valid & near, others = 0;
    for (uint64_t rest = map->sets < 4 ? 0 : holders & ~UINT64_C(1); rest; rest &= rest - 1) {
        const unsigned p = (unsigned)__builtin_ctzll(rest);
        if (since && copied[p - 1] > since[p - 1])
            holders &= ~(UINT64_C(1) << p);
        else if (copied[p - 1])
            others |= UINT64_C(1) << p;
    }
    holders = holders & ~others ? holders & ~others : holders;
    holders = holders ? holders : segment->valid;
    return holders ? (unsigned)__builtin_ctzll(holders) : CX_PLACE_NONE;
}

/* Walks the runs that [lo, hi) lacks at `place`, writing them to `out` unless it is NULL. Gives their number.
 */
static size_t list_missing(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place,
                           uint64_t near, const uint64_t *since, struct cx_move *out)
{
    size_t count = 0;
    struct cx_move run = {0, 0, 0};
    for (const struct segment *segment = find(map, lo); segment && segment->lo < hi;
         segment = segment->next) {
        if (segment->valid >> place & 1)
            continue;
        uint64_t from = segment->lo > lo ? segment->lo : lo, to = segment_end(map, segment);
        unsigned source = source_of(map, segment, near, since);
        if (count == 0 || run.hi != from || run.from != source) {
            run = (struct cx_move){from, from, source};
            count++;
        }
        run.hi = to < hi ? to : hi;
        if (out)
            out[count - 1] = run;
    }
    return count;
}

bool cx_coherence_missing_since(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place,
                                uint64_t near, const uint64_t *since, struct cx_move **moves, size_t *count)
{
    if (!clip(map, lo, &hi))
        return true;
    size_t more = list_missing(map, lo, hi, place, near, since, NULL);
    if (more == 0)
        return true;
    struct cx_move *grown = realloc(*moves, (*count + more) * sizeof(*grown));
    if (!grown)
        return false;
    list_missing(map, lo, hi, place, near, since, grown + *count);
    *moves = grown;
    *count += more;
    return true;
}

bool cx_coherence_missing_near(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place,
                               uint64_t near, struct cx_move **moves, size_t *count)
{
    return cx_coherence_missing_since(map, lo, hi, place, near, NULL, moves, count);
}

bool cx_coherence_missing(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place,
                          struct cx_move **moves, size_t *count)
{
    return cx_coherence_missing_near(map, lo, hi, place, 0, moves, count);
}

void cx_coherence_lacking(const struct cx_coherence *map, uint64_t lo, uint64_t hi, uint64_t *bytes)
{
    if (!clip(map, lo, &hi))
        return;
    for (const struct segment *segment = find(map, lo); segment && segment->lo < hi;
         segment = segment->next) {
        const uint64_t from = segment->lo > lo ? segment->lo : lo, end = segment_end(map, segment);
        const uint64_t length = (end < hi ? end : hi) - from;
        for (uint64_t places = map->all & ~segment->valid; places; places &= places - 1)
            bytes[__builtin_ctzll(places)] += length;
    }
}

uint64_t cx_coherence_lacking_all(const struct cx_coherence *map, uint64_t lo, uint64_t hi, uint64_t places)
{
    uint64_t bytes = 0;
    if (!clip(map, lo, &hi))
        return 0;
    for (const struct segment *segment = find(map, lo); segment && segment->lo < hi;
         segment = segment->next) {
        const uint64_t from = segment->lo > lo ? segment->lo : lo, end = segment_end(map, segment);
        if (!(segment->valid & places))
            bytes += (end < hi ? end : hi) - from;
    }
    return bytes;
}

/* valid = (valid & keep) | add over the range. */
static bool change_holders(struct cx_coherence *map, uint64_t lo, uint64_t hi, uint64_t keep, uint64_t add)
{
    struct span span;
    if (!clip(map, lo, &hi))
        return true;
    if (!span_open(map, lo, hi, &span))
        return false;
    for (struct segment *segment = span.first; segment != span.end; segment = segment->next)
        segment->valid = (segment->valid & keep) | add;
    join(map, span.first, span.end);
    return true;
}

bool cx_coherence_validate(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place)
{
    return change_holders(map, lo, hi, map->all | map->unwritten, UINT64_C(1) << place);
}

/* What is new there came by no copy. */
bool cx_coherence_own(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place)
{
    struct span span;
    map->writes++;
    if (map->sets < 4 || place == CX_PLACE_HOST)
        return change_holders(map, lo, hi, 0, UINT64_C(1) << place);
    if (!clip(map, lo, &hi))
        return true;
    if (!span_open(map, lo, hi, &span))
        return false;
    for (struct segment *segment = span.first; segment != span.end; segment = segment->next) {
        segment->valid = UINT64_C(1) << place;
        segment->seq[2 * map->timelines + place - 1] = 0;
    }
    join(map, span.first, span.end);
    return true;
}

uint64_t cx_coherence_writes(const struct cx_coherence *map)
{
    return map->writes;
}

bool cx_coherence_void(struct cx_coherence *map, uint64_t lo, uint64_t hi)
{
    map->writes++;
    return change_holders(map, lo, hi, 0, 0);
}

bool cx_coherence_owned(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place)
{
    if (!clip(map, lo, &hi))
        return true;
    for (const struct segment *segment = find(map, lo); segment && segment->lo < hi; segment = segment->next)
        if (segment->valid != UINT64_C(1) << place ||
            (map->sets >= 4 && segment->seq[2 * map->timelines + place - 1]))
            return false;
    return true;
}

bool cx_coherence_define(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place)
{
    struct span span;
    if (!clip(map, lo, &hi))
        return true;
    if (!span_open(map, lo, hi, &span))
        return false;
    for (struct segment *segment = span.first; segment != span.end; segment = segment->next)
        if (segment->valid & map->unwritten)
            segment->valid = UINT64_C(1) << place;
    join(map, span.first, span.end);
    return true;
}

void cx_coherence_lose(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place)
{
    if (!clip(map, lo, &hi))
        return;
    struct segment *first = find(map, lo), *segment = first;
    for (; segment && segment->lo < hi; segment = segment->next)
        if (segment->valid & map->all & ~(UINT64_C(1) << place))
            segment->valid &= ~(UINT64_C(1) << place);
    join(map, first, segment);
}

uint64_t cx_coherence_holders(const struct cx_coherence *map, uint64_t lo, uint64_t hi)
{
    uint64_t holders = map->all;
    if (!clip(map, lo, &hi))
        return holders;
    for (const struct segment *segment = find(map, lo); segment && segment->lo < hi && holders;
         segment = segment->next)
        holders &= segment->valid;
    return holders;
}

bool cx_coherence_valid(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place)
{
    if (!clip(map, lo, &hi))
        return true;
    for (const struct segment *segment = find(map, lo); segment && segment->lo < hi; segment = segment->next)
        if (!(segment->valid >> place & 1))
            return false;
    return true;
}

bool cx_coherence_holds_most(const struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned place,
                             uint64_t most)
{
    const uint64_t others = map->all & ~(UINT64_C(1) << place);
    uint64_t shared = 0;
    if (!clip(map, lo, &hi))
        return true;
    for (const struct segment *segment = find(map, lo); segment && segment->lo < hi;
         segment = segment->next) {
        const uint64_t from = segment->lo > lo ? segment->lo : lo, end = segment_end(map, segment);
        if (segment->valid & others)
            shared += (end < hi ? end : hi) - from;
        if (!(segment->valid >> place & 1) || shared > most)
            return false;
    }
    return true;
}

bool cx_coherence_lost(const struct cx_coherence *map, uint64_t lo, uint64_t hi)
{
    if (!clip(map, lo, &hi))
        return false;
    for (const struct segment *segment = find(map, lo); segment && segment->lo < hi; segment = segment->next)
        if (!segment->valid)
            return true;
    return false;
}

bool cx_coherence_alone(const struct cx_coherence *map, unsigned place)
{
    const uint64_t others = map->all & ~(UINT64_C(1) << place | UINT64_C(1) << CX_PLACE_HOST);
    for (const struct segment *segment = map->first; segment; segment = segment->next)
        if (segment->valid & others && !(segment->valid & map->unwritten))
            return false;
    return true;
}

static void raise_dep(uint64_t *deps, unsigned timeline, uint64_t seq)
{
    if (deps[timeline] < seq)
        deps[timeline] = seq;
}

/* Jobs of one timeline run in order, so a job never waits for its own. */
static void segment_deps(const struct cx_coherence *map, const struct segment *segment, bool write,
                         unsigned timeline, uint64_t *deps)
{
    for (unsigned t = 0; t < map->timelines; t++) {
        if (t == timeline)
            continue;
        raise_dep(deps, t, segment->seq[map->timelines + t]);
        if (write)
            raise_dep(deps, t, segment->seq[t]);
    }
}

void cx_coherence_host_deps(const struct cx_coherence *map, uint64_t lo, uint64_t hi, bool write,
                            unsigned timeline, uint64_t *deps)
{
    if (!clip(map, lo, &hi))
        return;
    for (const struct segment *segment = find(map, lo); segment && segment->lo < hi; segment = segment->next)
        segment_deps(map, segment, write, timeline, deps);
}

static bool host_access(struct cx_coherence *map, uint64_t lo, uint64_t hi, bool write, unsigned timeline,
                        uint64_t seq, uint64_t *deps)
{
    struct span span;
    if (!clip(map, lo, &hi))
        return true;
    if (!span_open(map, lo, hi, &span))
        return false;
    for (struct segment *segment = span.first; segment != span.end; segment = segment->next) {
        segment_deps(map, segment, write, timeline, deps);
        if (write) {
            memset(segment->seq, 0, 2 * map->timelines * sizeof(segment->seq[0]));
            segment->seq[map->timelines + timeline] = seq;
        } else {
            raise_dep(segment->seq, timeline, seq);
        }
    }
    join(map, span.first, span.end);
    return true;
}

bool cx_coherence_host_read(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned timeline,
                            uint64_t seq, uint64_t *deps)
{
    return host_access(map, lo, hi, false, timeline, seq, deps);
}

bool cx_coherence_host_write(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned timeline,
                             uint64_t seq, uint64_t *deps)
{
    return host_access(map, lo, hi, true, timeline, seq, deps);
}

bool cx_coherence_host_share(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned timeline,
                             uint64_t seq)
{
    struct span span;
    if (!clip(map, lo, &hi))
        return true;
    if (!span_open(map, lo, hi, &span))
        return false;
    for (struct segment *segment = span.first; segment != span.end; segment = segment->next)
        raise_dep(segment->seq + map->timelines, timeline, seq);
    join(map, span.first, span.end);
    return true;
}

bool cx_coherence_peer_copy(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned from, unsigned to,
                            uint64_t seq, uint64_t *deps)
{
    struct span span;
    if (map->sets < 4)
        return false;
    if (!clip(map, lo, &hi))
        return true;
    if (!span_open(map, lo, hi, &span))
        return false;
    for (struct segment *segment = span.first; segment != span.end; segment = segment->next) {
        uint64_t *copied = segment->seq + 2 * map->timelines, *source = copied + map->timelines;
        raise_dep(deps, from, copied[from]);
        for (unsigned t = 0; t < map->timelines; t++)
            if (t != to && source[t] && ((source[t] & SOURCES) == to || (source[t] & SOURCES) == SOURCES))
                raise_dep(deps, t, source[t] >> SOURCE_BITS);
        const bool same = !source[to] || (source[to] & SOURCES) == from;
        copied[to] = seq;
        source[to] = seq << SOURCE_BITS | (same ? from : SOURCES);
    }
    join(map, span.first, span.end);
    return true;
}

bool cx_coherence_brought(struct cx_coherence *map, uint64_t lo, uint64_t hi, unsigned timeline, uint64_t seq)
{
    struct span span;
    if (map->sets < 4 || !clip(map, lo, &hi))
        return true;
    if (!span_open(map, lo, hi, &span))
        return false;
    for (struct segment *segment = span.first; segment != span.end; segment = segment->next)
        segment->seq[2 * map->timelines + timeline] = seq;
    join(map, span.first, span.end);
    return true;
}

void cx_coherence_retract(struct cx_coherence *map, unsigned timeline, uint64_t seq)
{
    bool any = false;
    for (struct segment *segment = map->first; segment; segment = segment->next) {
        for (unsigned t = timeline; t < 2 * map->timelines; t += map->timelines)
            if (segment->seq[t] == seq) {
                segment->seq[t] = seq - 1;
                any = true;
            }
    }
    if (any)
        join(map, map->first, NULL);
}

void cx_coherence_tidy(struct cx_coherence *map, const uint64_t *completed)
{
    const size_t before = map->count;
    for (struct segment *segment = map->first; segment; segment = segment->next) {
        for (unsigned t = 0; t < 2 * map->timelines; t++)
            if (segment->seq[t] <= completed[t % map->timelines])
                segment->seq[t] = 0;
        for (unsigned t = 2 * map->timelines; t < map->sets * map->timelines; t++)
            if (segment->seq[t] >> (t / map->timelines == 3 ? SOURCE_BITS : 0) <=
                completed[t % map->timelines])
                segment->seq[t] = 0;
    }
    join(map, map->first, NULL);
    map->patience = map->count < before - before / 8 ? PATIENCE : 2 * map->patience;
    if (map->patience > MOST_PATIENCE)
        map->patience = MOST_PATIENCE;
    map->made = map->asked = 0;
}

bool cx_coherence_is_cluttered(struct cx_coherence *map)
{
    return map->count >= CLUTTER && (map->made >= map->count / 2 || ++map->asked >= map->patience);
}

size_t cx_coherence_segments(const struct cx_coherence *map)
{
    return map->count;
}
