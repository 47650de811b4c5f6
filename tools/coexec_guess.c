/* SPDX-License-Identifier: MIT */
/*
 * Likeness is the number of letters to be changed, inserted, left out or swapped with their neighbour
 * (optimal string alignment), whatever their case. At most a third of the word may differ.
 */
#include "tools/coexec_guess.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void cx_guess_init(struct cx_guess *guess, const char *word)
{
    const size_t length = strlen(word);
    *guess = (struct cx_guess){.word = word, .distance = (unsigned)(length < 3 ? 2 : length / 3 + 1)};
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned distance_of(const char *a, const char *b)
{
    unsigned cost[3][CX_GUESS_WORD + 1]; /* of the beginnings of a and b: row i % 3 */
    const size_t n = strlen(a), m = strlen(b);
    for (size_t j = 0; j <= m; j++)
        cost[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *row = cost[i % 3], *above = cost[(i + 2) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            row[j] = least(above[j - 1] + !same(a[i - 1], b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], cost[(i + 1) % 3][j - 2] + 1);
        }
    }
    return cost[n % 3][m];
}

void cx_guess_offer(struct cx_guess *guess, const char *known)
{
    if (strlen(guess->word) >= CX_GUESS_WORD || strlen(known) >= CX_GUESS_WORD || strlen(known) < 2)
        return;
    const unsigned distance = distance_of(guess->word, known);
    if (distance >= guess->distance)
        return;
    guess->distance = distance;
    strcpy(guess->best, known);
}

void cx_guess_offer_words(struct cx_guess *guess, const char *text)
{
    while (*text) {
        char word[CX_GUESS_WORD];
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == '-')
            length++;
        if (length > 0 && length < sizeof word) {
            snprintf(word, sizeof word, "%.*s", (int)length, text);
            cx_guess_offer(guess, word);
        }
        text += length ? length : 1;
    }
}

const char *cx_guess_text(struct cx_guess *guess)
{
    if (*guess->best)
        snprintf(guess->text, sizeof guess->text, ", did you mean %s?", guess->best);
    return guess->text;
}
