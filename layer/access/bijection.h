/* SPDX-License-Identifier: MIT */
/*
 * Places that each item has for itself: accesses whose place follows from the item one to one, however it
 * wraps around, and the proof that packages do not meet there.
 *
 * Previous stage: radix_eval.h. Next stages: protocol.c (which asks for the proof) and package.c (regions).
 */
#ifndef CX_LAYER_ACCESS_BIJECTION_H
#define CX_LAYER_ACCESS_BIJECTION_H

#include "layer/access/access.h"
#include "layer/access/radix.h"

struct cx_access;

/* Bytes [place, place + size) for each item; several accesses of one argument that have the same digits. */
struct cx_places {
    struct cx_radix place;
    struct cx_ids ids; /* of the items */
    int64_t size;
    int64_t lo, hi;   /* all bytes */
    int64_t multiple; /* all places are alike modulo this */
    uint32_t arg;
    bool reads, writes;
    unsigned boxes; /* of a package at most */
    int64_t round;  /* packages are taken to end at multiples of so many items; 0: where they do */
};

/*
 * Proves for the object that packages write disjoint bytes, and with `reads` that none reads what another one
 * writes. True: it is proved, and cx_access_place_boxes() knows the regions of its arguments. Called by
 * protocol.c.
 */
bool cx_access_is_bijective(struct cx_access *access, uint64_t object, bool reads);
/* For an argument whose object is not written: finds the boxes that packages read of it, if possible. Called
 * by protocol.c. */
void cx_access_find_places(struct cx_access *access, uint32_t arg);

/* Frees the memory that is not needed once all objects are judged. Called by protocol.c. */
void cx_access_trim_places(struct cx_access *access);

/*
 * The boxes that the package of units first..last reads, or writes, through the argument, and their hull; the
 * number of boxes is 0 where the hull is all. False where nothing is known here. Called by package.c.
 */
bool cx_access_place_boxes(const struct cx_access *access, uint32_t arg, bool write, int64_t first,
                           int64_t last, struct cx_access_box *box, unsigned *n,
                           struct cx_access_interval *hull);

#endif
