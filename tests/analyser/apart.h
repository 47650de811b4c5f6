/* SPDX-License-Identifier: MIT */
/* What access.h promises of packages together: none owns, or reads without need, what another one owns. */
#ifndef CX_TESTS_ANALYSER_APART_H
#define CX_TESTS_ANALYSER_APART_H

#include "layer/access/access.h"
#include "oracle.h"

/*
 * Cuts a launch that splits at random borders, some times, and looks at the regions of the arguments that are
 * OWN; also whether the regions were those that the judgement was made by. False with the reason in `why`
 * where a promise is broken.
 */
bool apart_check(struct cx_access *access, uint32_t narg, const struct cx_access_arg *args,
                 const struct cx_access_verdict *verdict, struct cx_random *r, char *why, size_t size);

#endif
