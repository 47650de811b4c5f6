/* SPDX-License-Identifier: MIT */
/* The inside of struct cx_access, for access.c, access_way.c and access_package.c. */
#ifndef CX_LAYER_ACCESS_OBJECT_H
#define CX_LAYER_ACCESS_OBJECT_H

#include "layer/access_eval.h"
#include "layer/access_proof.h"

enum { CX_LISTED_WRITES = 1, CX_LISTED_READS = 2 };

struct cx_access {
    struct cx_access_verdict verdict;
    struct cx_access_geometry geometry;
    struct cx_launch launch;
    struct cx_eval eval;
    struct cx_bound *bound;        /* by access */
    struct cx_access_arg *args;    /* copies; object 0 where there is no memory */
    struct cx_span *list;          /* writes, then reads, by argument and unit; NULL: not needed */
    struct cx_access_means *means; /* by argument */
    uint8_t *listed;               /* by argument: which of its intervals come from the list */
    void *eval_memory;
    bool unreliable; /* the records do not tell all: everything may be read and written */
    bool loose;      /* some bound is loose */
    bool curable;    /* a coarser cut might do better */
    /* bytes that a split may have to merge, or combine from private copies */
    uint64_t merged, private_copies;
    _Alignas(16) unsigned char memory[];
};

/* Sets the means of each argument and what the verdict says about them. */
void cx_access_find_ways(struct cx_access *access);

/* Evaluates each unit by itself into access->list, if there are few; true where the list is there. */
bool cx_access_list_units(struct cx_access *access);
void cx_access_drop_list(struct cx_access *access);

#endif
