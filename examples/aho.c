/* SPDX-License-Identifier: MIT */
/*
 * aho: many patterns looked for in one text, from every place of it at once; irregular, bound by memory.
 */
#include "common.h"

#include <string.h>

#include "aho.cl.h"

enum { LOCAL_SIZE = 64, LETTERS = 32, ALPHABET = 20, LONGEST = 256, EXTRA_PATTERNS = 0 };
/* The check looks at most at about this many places of the text. */
static const size_t check_budget = 1 << 24;
enum { STRETCH = 4096, DENSE_EVERY = 7 }; /* one stretch of the text in so many is made of patterns */

struct aho {
    cl_kernel kernel;
    cl_mem text_buffer, next_buffer, pattern_buffer, match_buffer;
    cl_uchar *text, *patterns; /* a pattern takes LONGEST letters, of which lengths[] count */
    cl_uint *next, *pattern_at, *matches, *lengths;
    cl_uint length, pattern_count, states;
};

/* Every eighth pattern is a repeat of two letters, as deep as the trie goes; the others are short and random.
 */
static void make_patterns(struct aho *a, struct random *random)
{
    for (cl_uint p = 0; p < a->pattern_count; p++) {
        cl_uchar *pattern = a->patterns + (size_t)p * LONGEST;
        bool repeat = p % 8 == 0;
        a->lengths[p] =
            repeat ? LONGEST / 2 + random_u32(random) % (LONGEST / 2) : 3 + random_u32(random) % 14;
        for (cl_uint i = 0; i < a->lengths[p]; i++)
            pattern[i] = (cl_uchar)(repeat && i >= 2 ? pattern[i - 2] : random_u32(random) % ALPHABET);
    }
}

/* Random letters; dense stretches are patterns one after the other. */
static void make_text(struct aho *a, struct random *random)
{
    size_t at = 0;
    while (at < a->length) {
        if (at / STRETCH % DENSE_EVERY != 0) {
            a->text[at++] = (cl_uchar)(random_u32(random) % ALPHABET);
            continue;
        }
        cl_uint p = random_u32(random) % a->pattern_count;
        size_t count = a->lengths[p] < a->length - at ? a->lengths[p] : a->length - at;
        memcpy(a->text + at, a->patterns + (size_t)p * LONGEST, count);
        at += count;
    }
}

static void make_trie(struct aho *a, size_t most_states)
{
    memset(a->next, 0, most_states * LETTERS * sizeof(cl_uint));
    memset(a->pattern_at, 0, most_states * sizeof(cl_uint));
    a->states = 2; /* 0: no way on; 1: the start */
    for (cl_uint p = 0; p < a->pattern_count; p++) {
        cl_uint state = 1;
        for (cl_uint i = 0; i < a->lengths[p]; i++) {
            cl_uint *next = &a->next[(size_t)state * LETTERS + a->patterns[(size_t)p * LONGEST + i]];
            if (*next == 0)
                *next = a->states++;
            state = *next;
        }
        a->pattern_at[state] = p + 1;
    }
}

static void aho_setup(struct run *run, void *state)
{
    struct aho *a = state;
    struct random random = random_seeded(19);
    a->length = (cl_uint)run_size(run);
    a->pattern_count = (cl_uint)run_extra(run, EXTRA_PATTERNS);
    a->patterns = run_array(run, (size_t)a->pattern_count * LONGEST);
    a->lengths = run_array(run, a->pattern_count * sizeof(cl_uint));
    make_patterns(a, &random);
    size_t states = 2;
    for (cl_uint p = 0; p < a->pattern_count; p++)
        states += a->lengths[p];
    size_t next_bytes = states * LETTERS * sizeof(cl_uint), pattern_bytes = states * sizeof(cl_uint);
    size_t match_bytes = a->length * sizeof(cl_uint);
    a->text_buffer = run_buffer(run, CL_MEM_READ_ONLY, a->length);
    a->next_buffer = run_buffer(run, CL_MEM_READ_ONLY, next_bytes);
    a->pattern_buffer = run_buffer(run, CL_MEM_READ_ONLY, pattern_bytes);
    a->match_buffer = run_buffer(run, CL_MEM_WRITE_ONLY, match_bytes);
    a->text = run_input(run, a->text_buffer, a->length);
    a->next = run_input(run, a->next_buffer, next_bytes);
    a->pattern_at = run_input(run, a->pattern_buffer, pattern_bytes);
    a->matches = run_output(run, a->match_buffer, match_bytes);
    make_trie(a, states);
    make_text(a, &random);
    a->kernel = run_kernel(run, "aho");
    SET_ARGS(a->kernel, ARG(a->text_buffer), ARG(a->length), ARG(a->next_buffer), ARG(a->pattern_buffer),
             ARG(a->match_buffer));
}

static void aho_enqueue(struct run *run, void *state)
{
    struct aho *a = state;
    size_t global = round_up(a->length, LOCAL_SIZE), local = LOCAL_SIZE;
    for (size_t i = 0; i < run_iterations(run); i++)
        run_launch(run, a->kernel, 1, &global, &local);
}

static bool aho_check(struct run *run, void *state)
{
    const struct aho *a = state;
    struct tally tally = {.name = run->example->name};
    size_t stride = sample_stride(a->length, check_budget, STRETCH);
    for (size_t start = 0; start < a->length; start += stride) {
        cl_uint match = 0, at = 1;
        for (size_t i = start; i < a->length && (at = a->next[at * LETTERS + a->text[i]]) != 0; i++) {
            if (a->pattern_at[at])
                match = a->pattern_at[at];
        }
        tally_value(&tally, start, a->matches[start], match, 0);
    }
    return tally_pass(&tally, 0);
}

static const struct example aho = {
    .name = "aho",
    .summary = "Looks for many patterns at every place of a text of size letters.",
    .iterations = "launches of the kernel, all with the same result",
    .check_note = "the match at every place must be equal; a sample of places where they exceed 16 million.",
    .source = kernel_source,
    .size = 1536000,
    .size_max = (size_t)1 << 31,
    .default_iterations = 1,
    .presets = {[PRESET_TINY] = {.size = 384000},
                [PRESET_SMALL] = {.size = 6144000, .iterations = 3},
                [PRESET_LARGE] = {.size = 1 << 27},
                [PRESET_PAPER] = {.size = 1536000}},
    .extra = {{"patterns", "number of patterns", NULL, 1, 1 << 16, 1024}},
    .state_size = sizeof(struct aho),
    .setup = aho_setup,
    .enqueue = aho_enqueue,
    .check = aho_check,
};

int main(int argc, char **argv)
{
    return example_main(&aho, argc, argv);
}
