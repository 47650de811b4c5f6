/* SPDX-License-Identifier: MIT */
/*
 * "Did you mean": of the words that are known, the one most like a word that is not. Nothing is kept between
 * guesses.
 */
#ifndef CX_TOOLS_COEXEC_GUESS_H
#define CX_TOOLS_COEXEC_GUESS_H

#include <stddef.h>

enum { CX_GUESS_WORD = 64 };

struct cx_guess {
    const char *word;         /* what was given */
    unsigned distance;        /* letters by which the best one differs */
    char best[CX_GUESS_WORD]; /* "": none is like it */
    char text[CX_GUESS_WORD + 24];
};

void cx_guess_init(struct cx_guess *guess, const char *word);
/* One word that is known. */
void cx_guess_offer(struct cx_guess *guess, const char *known);
/* All words of a text, as runs of letters, digits, _ and -. */
void cx_guess_offer_words(struct cx_guess *guess, const char *text);
/* ", did you mean BEST?" or "". */
const char *cx_guess_text(struct cx_guess *guess);

#endif
