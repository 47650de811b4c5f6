/* SPDX-License-Identifier: MIT */
/* What access.h promises of packages together: none owns, or reads without need, what another one owns. */
#ifndef CX_TESTS_ANALYSER_APART_H
#define CX_TESTS_ANALYSER_APART_H

#include "layer/access/access.h"
#include "oracle.h"

/* Whether groups [g0, g1) change the byte, counted from the object's beginning. */
typedef bool apart_changes(void *context, uint64_t object, uint64_t byte, uint64_t g0, uint64_t g1);

/*
 * Cuts a launch that splits at random borders, some times, and looks at the regions of the arguments that are
 * OWN: none may overlap those of other packages, nor, with `changes`, hold what others change to be read
 * without `before`. (What others own and do not change they may hold: it stays as it is.) Nor may others own
 * anything between the boxes of a region that says so (cx_access_interval.apart). Also looks whether
 * the regions were those that the judgement was made by. False with the reason in `why` where one is broken.
 */
bool apart_check(struct cx_access *access, uint32_t narg, const struct cx_access_arg *args,
                 const struct cx_access_verdict *verdict, struct cx_random *r, apart_changes *changes,
                 void *context, char *why, size_t size);

#endif
