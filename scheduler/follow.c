/* SPDX-License-Identifier: MIT */
/*
 * Whether a launch follows its data. See follow.h.
 */
#include "scheduler/follow.h"

#include <math.h>

/* How many times as much has to be paid for the next try after one in vain: the time there is still more than
 * this part of what it was. */
static const double backoff = 4, as_long = 0.8;

/* It stays, as that seems to take less. */
static void stay(struct cx_follow_record *record, double loses)
{
    *record = (struct cx_follow_record){.lost = record->lost + fmax(loses, 0)};
}

/* How many times what it would lose it has to have paid before it tries. */
static double patience(const struct cx_follow_record *record, const struct cx_follow_launch *launch)
{
    const bool in_vain = record->tried > 0 && launch->here > as_long * record->tried;
    return in_vain ? backoff * fmax(record->patience, 1) : 1;
}

/* It stays for once, to see. */
static void try_once(struct cx_follow_record *record, const struct cx_follow_launch *launch)
{
    *record = (struct cx_follow_record){.tried = launch->here, .patience = patience(record, launch)};
}

bool cx_follow_stays(struct cx_follow_record *record, const struct cx_follow_launch *launch)
{
    const double stays = launch->here + launch->bring_here,
                 goes = launch->there + launch->bring_there + launch->back;
    const double more = stays + launch->once + record->lost - goes;
    if (more <= 0) {
        stay(record, stays - launch->there);
        return true;
    }
    if (record->paid >= more * patience(record, launch)) {
        try_once(record, launch);
        return true;
    }
    record->paid += launch->bring_there + launch->back;
    record->lost = 0;
    return false;
}
