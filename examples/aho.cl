/* SPDX-License-Identifier: MIT */
/*
 * String matching by a failureless Aho-Corasick automaton (PFAC): each work-item starts at its own place of a
 * text and follows the trie of all patterns until no pattern goes on. From the Sigmoid paper. Irregular: most
 * work-items end after a letter or two, those in a text like the patterns go hundreds of letters deep; such
 * places come in clusters, and the trie is read wherever the text leads.
 */
#define LETTERS 32

/* next[state * LETTERS + letter] is the next state, 0 where there is none; pattern_at[state] is the pattern
 * that ends there, 0 for none. The longest match of each place is told. */
__kernel void aho(__global const uchar *text, uint length, __global const uint *next,
                  __global const uint *pattern_at, __global uint *matches)
{
    uint start = get_global_id(0);
    if (start >= length)
        return;

    uint state = 1, match = 0;
    for (uint i = start; i < length; i++) {
        state = next[state * LETTERS + text[i]];
        if (state == 0)
            break;
        uint pattern = pattern_at[state];
        match = pattern ? pattern : match;
    }
    matches[start] = match;
}
