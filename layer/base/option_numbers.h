/* SPDX-License-Identifier: MIT */
/*
 * Reads the numbers that values of options hold, with a point whatever the program's locale. Called by
 * options.c. Thread-safe.
 */
#ifndef CX_LAYER_BASE_OPTION_NUMBERS_H
#define CX_LAYER_BASE_OPTION_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number. Leaves *value alone unless it returns true. */
bool cx_option_uint(const char *text, uint64_t *value);
/* How CPU devices are cut: into parts of so many cores, or along what processors share. */
enum cx_option_cut_by { CX_CUT_CORES, CX_CUT_L1, CX_CUT_L2, CX_CUT_L3, CX_CUT_NUMA, CX_CUT_AUTO };
struct cx_option_cut {
    enum cx_option_cut_by by;
    uint64_t cores; /* of CX_CUT_CORES; 0: they are not cut */
};
/* The word for it; NULL: it is a number. Called by driver/fission.c and
 * knowledge/cut_record.c. */
const char *cx_option_cut_name(enum cx_option_cut_by by);
/* Such a number, or a level's name. Leaves *cut alone unless it returns true. */
bool cx_option_cut(const char *text, struct cx_option_cut *cut);
/* Reads one number that ends at `stop` (or at the end of the text) and gives the place behind it, or NULL. */
const char *cx_option_number(const char *text, char stop, double *value);
/* A number of bytes with or without K, M, G or T behind it, or a part of the machine's memory: "25%", "0.25".
 */
bool cx_option_size(const char *text, uint64_t *bytes);
/* The bounds of a REAL stand in words in its row: "number above 0", "number from 0 to 1". */
bool cx_option_in_bounds(const char *accepted, double value);

#endif
