/* SPDX-License-Identifier: MIT */
/*
 * The terminal of `coexec top` and `coexec run --live`, which is left as it was found. One thread.
 */
#ifndef CX_TOOLS_COEXEC_TERMINAL_H
#define CX_TOOLS_COEXEC_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether it is a terminal that moves its cursor (TERM). */
bool cx_terminal_is(int file);
/* Whether texts may be bold and so on: NO_COLOR. */
bool cx_terminal_bold(void);
/* Its rows and columns, or 24 and 80. */
void cx_terminal_size(int file, unsigned *rows, unsigned *columns);
void cx_terminal_write(int file, const char *text, size_t size);

/* The whole screen: another one, without cursor; keys come at once, and are not shown. */
void cx_terminal_enter(void);
void cx_terminal_leave(void);
/* Writes a text on it, as many lines and columns as there is room for. */
void cx_terminal_show(const char *text);

/* The last line: the program's output scrolls above it. Also after the size has changed. */
void cx_terminal_keep_line(int file);
void cx_terminal_give_line(int file);
void cx_terminal_show_line(int file, const char *text);

#endif
