/* SPDX-License-Identifier: MIT */
/*
 * A dumb oracle for the evaluation of access summaries: runs every work-item of a launch and notes every
 * byte, on small launches. Values that the summary leaves open (opaque ones, either-or) are drawn at random,
 * so each run shows some of what may happen.
 */
#ifndef CX_TESTS_ANALYSER_ORACLE_H
#define CX_TESTS_ANALYSER_ORACLE_H

#include "layer/access/bits.h"

struct cx_random {
    uint64_t state;
};
uint64_t cx_random_next(struct cx_random *r);
/* In [0, below). */
uint64_t cx_random_below(struct cx_random *r, uint64_t below);
bool cx_random_chance(struct cx_random *r, unsigned percent);

/* Bytes touched, by argument and work-group along the dimension. */
struct cx_oracle {
    uint64_t groups;
    uint32_t narg;
    size_t bytes;        /* of each argument that are watched */
    unsigned char *read; /* [arg][group][byte] */
    unsigned char *write;
    bool executed[16];      /* by access: some work-item did it, be it for no byte */
    bool complete;          /* nothing was left out: no open values, no loop cut short */
    uint64_t known, unlike; /* bits that cx_bits_find() knew of values, and how many of those were others */
};

void cx_oracle_run(struct cx_oracle *o, const struct cx_summary_kernel *kernel,
                   const struct cx_access_geometry *geometry, const struct cx_access_arg *args, unsigned dim,
                   size_t bytes, struct cx_random *random);
void cx_oracle_finish(struct cx_oracle *o);
/* Whether any group in [g0, g1) touches the byte. */
bool cx_oracle_reads(const struct cx_oracle *o, uint32_t arg, uint64_t g0, uint64_t g1, size_t byte);
bool cx_oracle_writes(const struct cx_oracle *o, uint32_t arg, uint64_t g0, uint64_t g1, size_t byte);

#endif
