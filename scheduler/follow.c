/* SPDX-License-Identifier: MIT */
/*
 * Whether a launch follows its data. See follow.h.
 */
#include "scheduler/follow.h"

#include <math.h>

bool cx_follow_stays(struct cx_follow_record *record, const struct cx_follow_launch *launch)
{
    const double stays = launch->here + launch->bring_here, goes = launch->there + launch->bring_there;
    const double once = fmax(launch->once - record->paid, 0);
    if (stays + once + record->lost <= goes + launch->back) {
        record->lost += fmax(stays - launch->there, 0);
        record->paid = 0;
        return true;
    }
    record->paid = launch->once > 0 ? record->paid + fmax(goes + launch->back - stays, 0) : 0;
    record->lost = 0;
    return false;
}
