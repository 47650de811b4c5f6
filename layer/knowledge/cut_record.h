/* SPDX-License-Identifier: MIT */
/*
 * What processes of one program measured with CPU devices whole, and cut along what processors share
 * (COEXEC_FISSION=auto), and which level the next one is to run with.
 *
 * The search of "Marrow" (Algorithm 1, lines 3 to 25: levels in order, until one is worse), from process to
 * process, as devices cannot be cut anew within one. It begins with whole devices and goes on to more and
 * more parts, so that the first trial that loses, which ends it, loses least. Pure functions; reentrant.
 * Next: cut_search.h.
 */
#ifndef CX_LAYER_KNOWLEDGE_CUT_RECORD_H
#define CX_LAYER_KNOWLEDGE_CUT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Levels: 0 is none, then as driver/topology.h has them. */
enum { CX_CUT_LEVELS = 5, CX_CUT_KERNELS = 32, CX_CUT_NAME = 64 };

/* Launches of one kernel, range and arguments. */
struct cx_cut_kernel {
    uint64_t key;      /* a salted hash; not 0 */
    uint64_t launches; /* of the newest process */
    uint64_t ns;       /* the shortest of them; not 0 */
};

/* Zeroed: nothing is known. */
struct cx_cut_figures {
    uint64_t tries; /* processes that were to try it */
    unsigned n;
    struct cx_cut_kernel kernel[CX_CUT_KERNELS];
};

struct cx_cut_record {
    char name[CX_CUT_NAME]; /* of the program, for people */
    struct cx_cut_figures level[CX_CUT_LEVELS];
};

/* What people call the level: "whole", or the word of COEXEC_FISSION. Called by driver/fission.c and
 * tools/knowledge_files.c. */
const char *cx_cut_level_name(unsigned level);
/* What launches take at level `level`, of what they take at `other`: those that both have figures of. False:
 * these are less than half of what `other` has. Called by cut_search.c. */
bool cx_cut_ratio(const struct cx_cut_record *record, unsigned level, unsigned other, double *ratio);
/* The level to run with, of order[0 .. n-1], which begins with 0 and has ever more parts. may_try: if the
 * best one's neighbour has no figures, that one. Called by cut_search.c. */
unsigned cx_cut_choose(const struct cx_cut_record *record, const unsigned *order, unsigned n, bool may_try);
/* Enters what a process measured at that level in place of what earlier ones did. Called by cut_search.c. */
void cx_cut_enter(struct cx_cut_record *record, unsigned level, const struct cx_cut_kernel *kernel,
                  unsigned n);

/* Writes the record as text, which the caller frees; NULL: no memory. Called by cut_search.c. */
char *cx_cut_print(const struct cx_cut_record *record, size_t *size);
/* Reads one. False, and the record is zeroed: it makes no sense. Called by cut_search.c. */
bool cx_cut_parse(const char *text, size_t size, struct cx_cut_record *record);

#endif
