/* SPDX-License-Identifier: MIT */
/*
 * Whether a launch that runs whole follows its data to a device that is slower at it. Moving what it reads to
 * the faster one, and what it writes back for the launches that follow there, may take longer than all of it:
 * a short kernel between long ones, each time step.
 *
 * It stays with its data where that ends it sooner. What it loses each time against the faster device, were
 * the data there, is summed up; once that exceeds what moving takes the launch goes there, as the first of
 * those that follow. So a sequence never loses more than twice what moving at once would have lost (ski
 * rental: Karlin et al., "Competitive snoopy caching", Algorithmica 3, 1988). What the device of the data has
 * to do once, such as compiling, is weighed the same way against what moving has cost so far. So is its time
 * there, which may have been measured wrong once and would never be measured again: when moves have cost as
 * much as staying would lose it stays, to see; in vain, four times as much has to be paid for the next try.
 *
 * All times in seconds. Thread-safety: none; the caller serialises calls that share a record.
 * Previous stage: admission.h, for launches that may be split. Next: none.
 */
#ifndef CX_SCHEDULER_FOLLOW_H
#define CX_SCHEDULER_FOLLOW_H

#include <stdbool.h>

/* What is known of one kernel. Zeroed: nothing. */
struct cx_follow_record {
    double lost;            /* by staying with its data, since it went elsewhere */
    double paid;            /* for moves, by going elsewhere, since it stayed */
    double tried, patience; /* how long it took there, when it tried that, and what it had paid for that, in
                               times what it would have lost; 0: it did not try */
};

/* What a launch takes on the device that holds its data, and on the one that is faster at it. */
struct cx_follow_launch {
    double here, there;
    double bring_here, bring_there; /* what it lacks of its inputs */
    double back;                    /* bringing its results back from there */
    double once;                    /* what the device of the data has to do once before it; 0: nothing */
};

/* Whether it stays with its data; counts it. Called by plan/follow_data.c. */
bool cx_follow_stays(struct cx_follow_record *record, const struct cx_follow_launch *launch);

#endif
