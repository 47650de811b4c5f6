/* SPDX-License-Identifier: MIT */
/*
 * The environment, read once: the only place of the layer that does so. options.def is the table.
 * A bad value costs one line on stderr that names variable, value and what is accepted; the default is used.
 * Thread-safety: cx_options_get from any thread; the struct never changes afterwards.
 */
#ifndef CX_LAYER_BASE_OPTIONS_H
#define CX_LAYER_BASE_OPTIONS_H

#include "layer/base/option_numbers.h"
#include "layer/base/option_words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CX_OPTION_TYPE_BOOL(field) bool
#define CX_OPTION_TYPE_UINT(field) uint64_t
#define CX_OPTION_TYPE_SIZE(field) uint64_t
#define CX_OPTION_TYPE_REAL(field) double
#define CX_OPTION_TYPE_WORD(field) enum cx_option_##field
#define CX_OPTION_TYPE_ALGO(field) const struct cx_algos *
#define CX_OPTION_TYPE_CUT(field)  struct cx_option_cut
#define CX_OPTION_TYPE_TEXT(field) const char *
#define CX_OPTION_TYPE_NUMS(field) const char *
#define CX_OPTION_TYPE_PATH(field) const char *

struct cx_algo;
struct cx_algos;

/* Text fields are never NULL: an empty default is "". */
struct cx_options {
#define CX_OPTION(class, type, field, name, fallback, accepted, help) CX_OPTION_TYPE_##type(field) field;
#include "layer/base/options.def"
#undef CX_OPTION
};

/* For `coexec info` and the tests: the table itself and where each value came from. */
struct cx_option_row {
    const char *name, *class, *type, *fallback, *accepted, *help;
    const char *value;  /* as text, as it is in force */
    const char *origin; /* "default", "environment", "configuration file", "default (bad value in the
                           environment)", ... */
};

const struct cx_options *cx_options_get(void);
size_t cx_options_rows(const struct cx_option_row **rows);
/* The debug name staging in bytes, at most 2^50, of which small multiples are numbers yet. */
uint64_t cx_options_staging(void);

/* The balancer of all kernels of that name, with its parameters (scheduler/algo.h). Lives as long as the
 * process. */
const struct cx_algo *cx_options_algo(const char *kernel);
/* COEXEC_ALGO as it is in force. */
const char *cx_options_algo_text(void);

/* Which variables are set that have other names now, and these, as one text; "" where there are none. */
const char *cx_options_old_names(void);

/* The numbers of a NUMS value: fills at most `room` and returns how many there are (0 for ""). */
size_t cx_options_numbers(const char *list, double *numbers, size_t room);

/* For options whose value only their user can judge (COEXEC_DEVICES needs the devices, COEXEC_LOG the
 * topics): prints the one line, notes in the option's row that its default is in force, and returns that
 * default. accepted NULL: what the table says. Not thread-safe for one option; each has one user, which asks
 * once. */
const char *cx_options_reject(const char *name, const char *problem, const char *accepted);

/* What is wrong with a value of that option, which is one of the table; NULL: nothing that can be told
 * without knowing more. *accepted gets what would be right, which the caller frees. Changes nothing, reads no
 * variable. Of one thread. Called by tools/coexec_run.c. */
const char *cx_options_problem(const char *name, const char *value, char **accepted);

/* Whether a process of our tests ends where the order of locks is violated (lock.h): LOCK_ABORT. */
bool cx_options_lock_abort(void);

/* The configuration file, whether it is read or not; "" where none is looked for. *state says what came of
 * it, in words. Called by tools/. */
const char *cx_options_config(const char **state);

/* Where the cache lives: COEXEC_CACHE_DIR, else coexec below $XDG_CACHE_HOME or ~/.cache. NULL: no
 * cache. */
const char *cx_options_cache_dir(void);

/* What the loaders read: OCL_ICD_FILENAMES (libraries) and OCL_ICD_VENDORS (a folder or file); "" when not
 * set. */
const char *cx_options_loader_filenames(void);
const char *cx_options_loader_vendors(void);
/* What the system's own linker reads: LD_LIBRARY_PATH and LD_PRELOAD; "" when not set. */
const char *cx_options_linker_path(void);
const char *cx_options_linker_preload(void);
/* Where PoCL keeps what it compiles: POCL_CACHE_DIR, "" when not set. NULL: it keeps nothing
 * (POCL_KERNEL_CACHE=0). */
const char *cx_options_driver_cache(void);
/* Fills in the variables, NAME=VALUE, by which a driver of CPUs finds its cache, its compiler and its
 * settings in another process, and returns how many. They are borrowed. Called by plan/compile_ahead.c. */
unsigned cx_options_driver_variables(const char **variable, unsigned most);

#endif
