/* SPDX-License-Identifier: MIT */
/*
 * The search for the level at which a program's CPU devices are to be cut (COEXEC_FISSION=auto): what former
 * processes of the program measured, in a file `cut.HASH` of the knowledge base's folder, and what this one
 * does. The file is read as the devices are found, in the program's thread, and only for `auto`; it is
 * written there when a level is tried, so that a process that is killed counts, and at the process' end.
 *
 * A program is known by its executable, its script where it is an interpreter, and the devices' and
 * processors' text, all salted. Thread-safe. Previous stage: cut_record.h. Next: driver/fission.h.
 */
#ifndef CX_LAYER_KNOWLEDGE_CUT_SEARCH_H
#define CX_LAYER_KNOWLEDGE_CUT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CX_CUT_SEARCH_FILES "cut." /* how the files' names begin */

/* Which level this process is to run with, of order[0 .. n-1] (cut_record.h), and begins measuring. machine:
 * devices and processors, as text. ratios[i]: what launches take at order[i] of what they take whole; 0: not
 * known. *tries: to see how fast it is. Once. Called by driver/fission.c. */
unsigned cx_cut_search_begin(const char *machine, const unsigned *order, unsigned n, double *ratios,
                             bool *tries);
/* Whether launches' times are wanted. Cheap. Called by launch/whole.c and plan/launch_stats.c. */
bool cx_cut_search_measures(void);
/* A launch took so long. key: of kernel, range and arguments. Called by plan/launch_stats.c. */
void cx_cut_search_add(uint64_t key, uint64_t ns);

#endif
