/* SPDX-License-Identifier: MIT */
/*
 * The argument of layer/launch/speculation.h on a model: little programs of few work-groups, whose steps are
 * atomic. All interleavings of each participant's groups on a copy of F, for all ways to give groups to
 * participants; wherever cx_speculation_judge() lets a launch stand, what it leaves must be what some
 * interleaving of all groups on one F leaves. Programs as people write them, then random ones.
 */
#include "layer/launch/speculation.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

enum { GROUPS = 4, STEPS = 6, CELLS = 6, PARTS = 3, MOST = 1 << 15 };

/* Cells 0 to 2 are one object of F, 3 to 5 the other. */
enum op { END, LOAD, STORE, STORE_VALUE, ADD, EXCHANGE, COMPARE, APPEND, END_IF, END_UNLESS, KEEP };

/* r: the group's register. STORE the operand, STORE_VALUE r; EXCHANGE: r = cell, cell = operand; COMPARE: the
 * same where the cell is `test`; APPEND: the cell at `cell` + r % 3 = group; END_IF r is the operand; KEEP r
 * in the group's own place of R. */
struct step {
    enum op op;
    unsigned char cell, operand, test;
};

struct program {
    const char *name;
    struct step step[GROUPS][STEPS];
    unsigned char before[CELLS];
};

struct state {
    unsigned char at[GROUPS], r[GROUPS], own[GROUPS], cell[CELLS];
};

struct set {
    struct state *state;
    unsigned count;
    unsigned *slot; /* 1 + index, 0: none */
};

static void set_init(struct set *set)
{
    set->state = malloc(MOST * sizeof(*set->state));
    set->slot = calloc(2 * MOST, sizeof(*set->slot));
    set->count = 0;
    ck_assert(set->state && set->slot);
}

static void set_finish(struct set *set)
{
    free(set->state);
    free(set->slot);
}

/* The slot of the state, or the free one where it belongs. */
static unsigned *set_slot(const struct set *set, const struct state *state)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < sizeof(*state); i++)
        hash = (hash ^ ((const unsigned char *)state)[i]) * 0x100000001b3u;
    unsigned at = (unsigned)(hash >> 20) % (2 * MOST);
    while (set->slot[at] && memcmp(&set->state[set->slot[at] - 1], state, sizeof(*state)) != 0)
        at = (at + 1) % (2 * MOST);
    return &set->slot[at];
}

static void set_add(struct set *set, const struct state *state)
{
    unsigned *slot = set_slot(set, state);
    if (*slot)
        return;
    ck_assert_uint_lt(set->count, MOST);
    set->state[set->count++] = *state;
    *slot = set->count;
}

static void run_step(const struct step *s, unsigned g, struct state *state)
{
    unsigned char *cell = &state->cell[s->cell], *r = &state->r[g], old = *cell;
    state->at[g]++;
    switch (s->op) {
    case END:
        state->at[g] = STEPS;
        break;
    case LOAD:
        *r = old;
        break;
    case STORE:
        *cell = s->operand;
        break;
    case STORE_VALUE:
        *cell = *r;
        break;
    case ADD:
        *r = old;
        *cell = (unsigned char)(old + s->operand);
        break;
    case EXCHANGE:
        *r = old;
        *cell = s->operand;
        break;
    case COMPARE:
        *r = old;
        *cell = old == s->test ? s->operand : old;
        break;
    case APPEND:
        state->cell[s->cell + *r % 3] = (unsigned char)(g + 1);
        break;
    case END_IF:
        state->at[g] = *r == s->operand ? STEPS : state->at[g];
        break;
    case END_UNLESS:
        state->at[g] = *r != s->operand ? STEPS : state->at[g];
        break;
    case KEEP:
        state->own[g] = (unsigned char)(*r + 1);
    }
}

/* What these groups, as bits, may leave from there. */
static void explore(const struct program *p, unsigned groups, struct set *ends)
{
    struct set seen;
    struct state start = {.at = {0}};
    memcpy(start.cell, p->before, CELLS);
    set_init(&seen);
    set_add(&seen, &start);
    for (unsigned i = 0; i < seen.count; i++) {
        struct state end = seen.state[i];
        bool over = true;
        for (unsigned g = 0; g < GROUPS; g++) {
            struct state next = seen.state[i];
            if (!(groups >> g & 1) || next.at[g] >= STEPS)
                continue;
            over = false;
            run_step(&p->step[g][next.at[g]], g, &next);
            set_add(&seen, &next);
        }
        memset(end.at, 0, sizeof(end.at));
        memset(end.r, 0, sizeof(end.r));
        if (over)
            set_add(ends, &end);
    }
    set_finish(&seen);
}

static struct {
    unsigned stood, undone,
        unlike; /* outcomes; unlike: of those that stood, with a participant that saw less */
} tally;

/* One outcome a participant. */
static void judge(const struct program *p, const struct set *all, const struct state *const *end,
                  const unsigned *groups)
{
    unsigned char *after[2][PARTS];
    struct state both = {.at = {0}};
    struct cx_speculation_copies copies[2];
    unsigned char *before = (unsigned char *)(uintptr_t)p->before;
    unsigned changed;
    for (unsigned i = 0; i < PARTS; i++) {
        after[0][i] = (unsigned char *)(uintptr_t)end[i]->cell;
        after[1][i] = after[0][i] + 3;
        for (unsigned g = 0; g < GROUPS; g++)
            if (groups[i] >> g & 1)
                both.own[g] = end[i]->own[g];
    }
    copies[0] = (struct cx_speculation_copies){3, before, after[0]};
    copies[1] = (struct cx_speculation_copies){3, before + 3, after[1]};
    if (!cx_speculation_judge(copies, 2, PARTS, &changed)) {
        tally.undone++;
        return;
    }
    tally.stood++;
    memcpy(both.cell, changed < PARTS ? end[changed]->cell : p->before, CELLS);
    if (*set_slot(all, &both))
        return;
    ck_abort_msg("%s: groups %x, %x, %x leave what no order leaves: %d %d %d  %d %d %d", p->name, groups[0],
                 groups[1], groups[2], both.cell[0], both.cell[1], both.cell[2], both.cell[3], both.cell[4],
                 both.cell[5]);
}

/* All outcomes of all participants together. */
static void combine(const struct program *p, const struct set *all, const struct set *part,
                    const unsigned *groups)
{
    for (unsigned a = 0; a < part[0].count; a++)
        for (unsigned b = 0; b < part[1].count; b++)
            for (unsigned c = 0; c < part[2].count; c++) {
                const struct state *end[PARTS] = {&part[0].state[a], &part[1].state[b], &part[2].state[c]};
                judge(p, all, end, groups);
            }
}

static void check_program(const struct program *p)
{
    struct set all, subset[1 << GROUPS];
    set_init(&all);
    explore(p, (1 << GROUPS) - 1, &all);
    for (unsigned s = 0; s < 1 << GROUPS; s++) {
        set_init(&subset[s]);
        explore(p, s, &subset[s]);
    }
    for (unsigned a = 0; a < 1 << GROUPS; a++)
        for (unsigned b = 0; b < 1 << GROUPS; b++) {
            const unsigned groups[PARTS] = {a, b, ((1 << GROUPS) - 1) & ~(a | b)};
            if (a & b)
                continue;
            const struct set part[PARTS] = {subset[a], subset[b], subset[groups[2]]};
            combine(p, &all, part, groups);
        }
    set_finish(&all);
    for (unsigned s = 0; s < 1 << GROUPS; s++)
        set_finish(&subset[s]);
}

#define FOUR(...)                                                                                            \
    {                                                                                                        \
        {__VA_ARGS__}, {__VA_ARGS__}, {__VA_ARGS__},                                                         \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

static const struct program programs[] = {
    {"a lock that is tried",
     FOUR({EXCHANGE, 0, 1, 0}, {END_IF, 0, 1, 0}, {ADD, 3, 1, 0}, {ADD, 4, 2, 0}, {STORE, 0, 0, 0},
          {KEEP, 0, 0, 0}),
     {0}},
    {"a lock that is tried and guards nothing",
     FOUR({EXCHANGE, 0, 1, 0}, {KEEP, 0, 0, 0}, {END_IF, 0, 1, 0}, {STORE, 0, 0, 0}),
     {0}},
    {"two flags in two buffers",
     {{{LOAD, 3, 0, 0}, {END_UNLESS, 0, 0, 0}, {STORE, 0, 1, 0}, {KEEP, 0, 0, 0}},
      {{LOAD, 0, 0, 0}, {END_UNLESS, 0, 0, 0}, {STORE, 3, 1, 0}, {KEEP, 0, 0, 0}},
      {{LOAD, 0, 0, 0}, {KEEP, 0, 0, 0}, {LOAD, 3, 0, 0}, {END_IF, 0, 1, 0}, {KEEP, 0, 0, 0}},
      {{LOAD, 3, 0, 0}, {KEEP, 0, 0, 0}, {LOAD, 0, 0, 0}, {END_IF, 0, 0, 0}, {KEEP, 0, 0, 0}}},
     {0}},
    {"a list that all append to", FOUR({ADD, 0, 1, 0}, {APPEND, 3, 0, 0}, {KEEP, 0, 0, 0}), {0}},
    {"a list that two append to",
     {{{ADD, 0, 1, 0}, {APPEND, 3, 0, 0}},
      {{LOAD, 0, 0, 0}, {KEEP, 0, 0, 0}},
      {{ADD, 0, 1, 0}, {APPEND, 3, 0, 0}},
      {{LOAD, 3, 0, 0}, {KEEP, 0, 0, 0}}},
     {0}},
    {"the same value stored",
     FOUR({LOAD, 0, 0, 0}, {END_UNLESS, 0, 7, 0}, {STORE, 0, 7, 0}, {STORE, 3, 9, 0}, {LOAD, 3, 0, 0},
          {KEEP, 0, 0, 0}),
     {7, 0, 0, 9, 0, 0}},
    {"a value put back",
     {{{ADD, 0, 1, 0}, {ADD, 0, 255, 0}, {KEEP, 0, 0, 0}},
      {{LOAD, 0, 0, 0}, {KEEP, 0, 0, 0}, {END_IF, 0, 0, 0}, {STORE, 3, 5, 0}},
      {{COMPARE, 0, 3, 0}, {COMPARE, 0, 0, 3}, {KEEP, 0, 0, 0}},
      {{LOAD, 3, 0, 0}, {KEEP, 0, 0, 0}}},
     {0}},
    {"the first one wins",
     FOUR({COMPARE, 0, 1, 0}, {END_UNLESS, 0, 0, 0}, {LOAD, 3, 0, 0}, {KEEP, 0, 0, 0}, {STORE, 3, 4, 0}),
     {0}},
};

START_TEST(written_programs)
{
    memset(&tally, 0, sizeof(tally));
    check_program(&programs[_i]);
    ck_assert_uint_gt(tally.stood, 0);
    ck_assert_msg(tally.undone > 0 || _i == 1 || _i == 5 || _i == 6, "nothing is undone");
}
END_TEST

static unsigned roll(uint64_t *seed, unsigned below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33) % below;
}

enum { RANDOM = 20, EACH = 20 };

START_TEST(random_programs)
{
    uint64_t seed = 77 + (uint64_t)_i;
    memset(&tally, 0, sizeof(tally));
    for (unsigned n = 0; n < EACH; n++) {
        struct program p = {.name = "random"};
        for (unsigned g = 0; g < GROUPS; g++)
            for (unsigned s = 0; s < 3; s++)
                p.step[g][s] = (struct step){(enum op)(roll(&seed, 11)), (unsigned char)(3 * roll(&seed, 2)),
                                             (unsigned char)roll(&seed, 3), (unsigned char)roll(&seed, 2)};
        check_program(&p);
    }
    ck_assert_uint_gt(tally.stood, 0);
    ck_assert_uint_gt(tally.undone, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("speculation_model");
    TCase *cases = tcase_create("model");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, written_programs, 0, (int)(sizeof(programs) / sizeof(programs[0])));
    tcase_add_loop_test(cases, random_programs, 0, RANDOM);
    suite_add_tcase(suite, cases);
    return tap_run(suite);
}
