/* SPDX-License-Identifier: MIT */
/*
 * The environment, read once: the only place of the layer that does so. options.def is the table.
 * A bad value costs one line on stderr that names variable, value and what is accepted; the default is used.
 * Thread-safety: cx_options_get from any thread; the struct never changes afterwards.
 */
#ifndef CX_LAYER_OPTIONS_H
#define CX_LAYER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CX_OPTION_TYPE_BOOL bool
#define CX_OPTION_TYPE_UINT uint64_t
#define CX_OPTION_TYPE_REAL double
#define CX_OPTION_TYPE_WORD const char *
#define CX_OPTION_TYPE_TEXT const char *
#define CX_OPTION_TYPE_PATH const char *

struct cx_options {
#define CX_OPTION(type, field, name, fallback, accepted, help) CX_OPTION_TYPE_##type field;
#include "layer/options.def"
#undef CX_OPTION
};

/* For `coexec info` and the tests: the table itself and where each value came from. */
struct cx_option_row {
    const char *name, *type, *fallback, *accepted, *help;
    const char *value;  /* as text, as it is in force */
    const char *origin; /* "default", "environment", "default (bad value in the environment)" */
};

const struct cx_options *cx_options_get(void);
size_t cx_options_rows(const struct cx_option_row **rows);

#endif
