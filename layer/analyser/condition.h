/* SPDX-License-Identifier: MIT */
/*
 * What an #if chooses, as far as that can be told without any compiler: `#ifdef NAME` with a name that nobody
 * defines, `#if 0`, `#if N > 3` with -DN=4.
 *
 * Called by macros.c, which then need not ask what stands in branches that are never compiled.
 */
#ifndef CX_LAYER_ANALYSER_CONDITION_H
#define CX_LAYER_ANALYSER_CONDITION_H

enum cx_condition { CX_CONDITION_OPEN = 0, CX_CONDITION_FALSE, CX_CONDITION_TRUE };

/* What a name stands for: anything; no macro; a macro that may be anything; its text. */
enum cx_condition_name { CX_NAME_OPEN = 0, CX_NAME_NONE, CX_NAME_MACRO, CX_NAME_TEXT };

/* look: what the name is, with *text set (it lasts as long as the call) where that is CX_NAME_TEXT. Called
 * through a pointer set in condition.c. */
typedef enum cx_condition_name cx_condition_look(const void *data, const char *name, const char **text);

/* The expression behind #if or #elif, without comments. Called by macros.c. */
enum cx_condition cx_condition_read(const char *expression, cx_condition_look *look, const void *data);

#endif
