/* SPDX-License-Identifier: MIT */
/*
 * A program imagined to have split its launches. See forgone.h.
 */
#include "scheduler/forgone.h"

#include <math.h>

/* Times as often that moves must be paid for after each one that did not pay, and the most times it grows. */
static const double dearer = 4;
enum { FAILED_MOST = 16 };
/* It begins anew, from where data is by then, once it is behind by as many times what moves but once. */
static const double hopeless = 2;

static double clean(double seconds)
{
    return isfinite(seconds) && seconds > 0 ? seconds : 0;
}

/* How many times `once` it has to be ahead at first, and can be at most. */
static double least_ahead(const struct cx_forgone *forgone)
{
    const unsigned failed = forgone->failed < FAILED_MOST ? forgone->failed : FAILED_MOST;
    return (pow(dearer, failed) - 1) * forgone->once;
}

void cx_forgone_begin(struct cx_forgone *forgone)
{
    if (!forgone->active)
        forgone->run++;
    forgone->active = true;
}

void cx_forgone_end(struct cx_forgone *forgone)
{
    if (forgone->moved)
        forgone->failed = forgone->owed > 0 ? forgone->failed + 1 : 0;
    *forgone = (struct cx_forgone){.run = forgone->run, .failed = forgone->failed};
}

bool cx_forgone_met(const struct cx_forgone *forgone, const struct cx_forgone_buffer *buffer)
{
    return buffer->run == forgone->run;
}

void cx_forgone_meet(const struct cx_forgone *forgone, struct cx_forgone_buffer *buffer, uint8_t valid)
{
    *buffer = (struct cx_forgone_buffer){.run = forgone->run, .valid = valid};
}

void cx_forgone_reads(struct cx_forgone *forgone, struct cx_forgone_buffer *buffer, uint8_t needs,
                      double seconds)
{
    if (buffer->valid & (needs | CX_VALID_ALL))
        return;
    forgone->ahead -= clean(seconds);
    if (!buffer->paid)
        forgone->once += clean(seconds);
    buffer->paid = true;
    buffer->valid |= needs;
}

void cx_forgone_writes(const struct cx_forgone *forgone, struct cx_forgone_buffer *buffer, uint8_t valid)
{
    if (!cx_forgone_met(forgone, buffer))
        cx_forgone_meet(forgone, buffer, valid);
    buffer->valid = valid;
}

bool cx_forgone_launch(struct cx_forgone *forgone, double gain)
{
    const double least = least_ahead(forgone);
    forgone->ahead = fmin(forgone->ahead + clean(gain), least + forgone->once);
    if (forgone->moved ? forgone->ahead < 0 : forgone->ahead < -hopeless * forgone->once)
        cx_forgone_end(forgone);
    else
        forgone->moved |= forgone->once > 0 && forgone->ahead >= least;
    return forgone->moved;
}

void cx_forgone_split(struct cx_forgone *forgone, double gain, double moves)
{
    if (forgone->moved)
        forgone->owed = fmax(forgone->owed + clean(moves) - clean(gain), 0);
}
