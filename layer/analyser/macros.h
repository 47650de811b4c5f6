/* SPDX-License-Identifier: MIT */
/*
 * Does clang see the program that the devices' compilers see? Preprocessors differ in what they define
 * themselves. A text that lets such a macro choose its code may be another program there, and what was proved
 * of ours says nothing of theirs.
 *
 * Previous stage: main.c (the request). Next stage: compile.c.
 */
#ifndef CX_LAYER_ANALYSER_MACROS_H
#define CX_LAYER_ANALYSER_MACROS_H

#include "layer/analyser/compile.h"

/* A line that tells the first such macro, or NULL where the text depends on none; free() it. Errs on the side
 * of telling one. */
char *cx_macros_doubt(const struct cx_compile_request *request);

#endif
