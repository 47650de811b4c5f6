/* SPDX-License-Identifier: MIT */
/* The inside of struct cx_access, for access.c and access_package.c. */
#ifndef CX_LAYER_ACCESS_OBJECT_H
#define CX_LAYER_ACCESS_OBJECT_H

#include "layer/access_eval.h"
#include "layer/access_proof.h"

struct cx_access {
    struct cx_access_verdict verdict;
    struct cx_access_geometry geometry;
    struct cx_launch launch;
    struct cx_eval eval;
    struct cx_bound *bound;        /* by access */
    struct cx_access_arg *args;    /* copies; object 0 where there is no memory */
    struct cx_span *list;          /* writes, then reads, by argument and unit; NULL: not needed */
    struct cx_access_means *means; /* by argument */
    void *eval_memory;
    bool unreliable; /* the records do not tell all: everything may be read and written */
    bool loose;      /* some bound is loose */
    _Alignas(16) unsigned char memory[];
};

/*
 * Evaluates each unit by itself, if there are few, and proves by that. On success the access keeps the list,
 * and packages are sums of its units.
 */
bool cx_access_list_units(struct cx_access *access);

#endif
