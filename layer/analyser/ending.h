/* SPDX-License-Identifier: MIT */
/*
 * What the end of loops may depend on: a slice backwards from the conditions of all ways out, through data
 * and through the branches that decide, to what is read from memory. A launch that works on several copies of
 * a buffer (launch/speculation.h) must have no loop that ends by what it reads there: on one device another
 * work-group might store it, which here has another copy.
 *
 * A loop that retries a compare-exchange is no such loop if it goes on only after the exchange failed, with
 * what the exchange or a load found there: somebody else got on then. Nor is an update (update.h).
 *
 * Previous stage: scan.c, which has seen all accesses. Next stage: kernel.c.
 */
#ifndef CX_LAYER_ANALYSER_ENDING_H
#define CX_LAYER_ANALYSER_ENDING_H

#include "layer/analyser/scan.h"

/* Sets CX_TOUCH_DECIDES of each argument through which such a value may be read; of all where that is not
 * followed. Called by scan.c. */
void cx_ending_find(struct cx_scan *scan);

#endif
