/* SPDX-License-Identifier: MIT */
/*
 * A what-if program that has split its launches. See migration.h.
 */
#include "scheduler/migration.h"

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
static double least_ahead(const struct cx_migration *migration)
{
    const unsigned failed = migration->failed < FAILED_MOST ? migration->failed : FAILED_MOST;
    return (pow(dearer, failed) - 1) * migration->once;
}

void cx_migration_begin(struct cx_migration *migration)
{
    if (!migration->active)
        migration->run++;
    migration->active = true;
}

void cx_migration_end(struct cx_migration *migration)
{
    if (migration->moved)
        migration->failed = migration->owed > 0 ? migration->failed + 1 : 0;
    *migration = (struct cx_migration){.run = migration->run, .failed = migration->failed};
}

bool cx_migration_met(const struct cx_migration *migration, const struct cx_migration_buffer *buffer)
{
    return buffer->run == migration->run;
}

void cx_migration_meet(const struct cx_migration *migration, struct cx_migration_buffer *buffer,
                       uint8_t valid)
{
    *buffer = (struct cx_migration_buffer){.run = migration->run, .valid = valid};
}

void cx_migration_reads(struct cx_migration *migration, struct cx_migration_buffer *buffer, uint8_t needs,
                        double seconds)
{
    if (buffer->valid & (needs | CX_VALID_ALL))
        return;
    migration->ahead -= clean(seconds);
    if (!buffer->paid)
        migration->once += clean(seconds);
    buffer->paid = true;
    buffer->valid |= needs;
}

void cx_migration_writes(const struct cx_migration *migration, struct cx_migration_buffer *buffer,
                         uint8_t valid)
{
    if (!cx_migration_met(migration, buffer))
        cx_migration_meet(migration, buffer, valid);
    buffer->valid = valid;
}

bool cx_migration_launch(struct cx_migration *migration, double gain)
{
    const double least = least_ahead(migration);
    migration->ahead = fmin(migration->ahead + clean(gain), least + migration->once);
    if (migration->moved ? migration->ahead < 0 : migration->ahead < -hopeless * migration->once)
        cx_migration_end(migration);
    else
        migration->moved |= migration->once > 0 && migration->ahead >= least;
    return migration->moved;
}

void cx_migration_split(struct cx_migration *migration, double gain, double moves)
{
    if (migration->moved)
        migration->owed = fmax(migration->owed + clean(moves) - clean(gain), 0);
}
