/* SPDX-License-Identifier: MIT */
/*
 * Does clang see the program that a device's compiler sees? Preprocessors differ in what they define
 * themselves. A text that lets such a macro choose its code may be another program there, and what was proved
 * of ours says nothing of theirs. So the text is searched for names that may be such macros; the layer asks
 * the device what they are (compiler_macros.h), and comes back with the answers (cx_compile_request's told).
 *
 * Previous stage: main.c (the request). Next stage: compile.c.
 */
#ifndef CX_LAYER_ANALYSER_MACROS_H
#define CX_LAYER_ANALYSER_MACROS_H

#include "layer/analyser/compile.h"

struct cx_macros {
    char *doubt;   /* a line that tells the first macro that may be another one there; NULL: there is none */
    bool askable;  /* the device may know more */
    bool assembly; /* the text may have inline assembly */
    struct cx_strings names;   /* what to ask it: each once, sorted */
    struct cx_strings options; /* the build options that may change the answers, in their order */
};

/* Reads the request's text. Errs on the side of doubt. Called by main.c. */
void cx_macros_read(const struct cx_compile_request *request, struct cx_macros *macros);
void cx_macros_finish(struct cx_macros *macros);

#endif
