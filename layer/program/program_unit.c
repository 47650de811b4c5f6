/* SPDX-License-Identifier: MIT */
/*
 * Units of a program: the devices that are built together, and apart from the others.
 *
 * A context may have several virtual devices, sub-devices, and a program is built for any of them, each time
 * with other options. What one build gives is that of a unit: a program with functions, analysis and real
 * programs of its own. All devices are one unit, the program itself, until a build names some of them only:
 * those get a new unit then, which nobody but the layer sees. A build for devices of several units makes
 * them one again, unless they have binaries of their own. A program is always its own unit for one of its
 * devices at least. Launches of one queue see its device's unit alone, so units never share a launch.
 * Previous stage: program.c. Next: build.c, kernel.c.
 */
#include "layer/object/device.h"
#include "layer/program/program.h"
#include "layer/program/build_deferred.h"
#include "layer/program/program_binary.h"
#include "layer/program/program_il.h"
#include "layer/program/program_unit.h"
#include "layer/timeline/worker.h"

#include <stdlib.h>
#include <string.h>

/* Makes a unit the device's, with a reference of the list. */
static void place(struct cx_program *program, unsigned d, struct cx_program *unit)
{
    struct cx_program *old = program->division.units[d];

    program->division.units[d] = unit == program ? unit : cx_program_ref(unit);
    if (old && old != program)
        cx_program_unref(&old);
}

void cx_program_units_finish(struct cx_program *program)
{
    for (unsigned d = 0; program->division.units && d < program->division.ndevices; d++)
        place(program, d, program);
    free(program->division.units);
    free(program->division.devices);
    free(program->unit.device_members);
}

unsigned cx_program_device_of(const struct cx_program *program, const struct cx_device *device)
{
    unsigned d = program->division.ndevices;
    for (; device && d == program->division.ndevices; device = device->parent)
        d = cx_program_device(program, device);
    return d;
}

/* Notes which devices a unit is for. It is also built for what their sub-devices in the context have of their
 * own, where the program does not know these. */
static void count_device_members(const struct cx_program *program, struct cx_program *unit)
{
    unit->unit.ndevices = 0;
    unit->unit.reach = 0;
    for (unsigned d = 0; d < program->division.ndevices; d++)
        if (program->division.units[d] == unit) {
            const uint64_t members = cx_context_members(program->context, program->division.devices[d]);
            unit->unit.device_members[unit->unit.ndevices++] = members;
            unit->unit.reach |= members;
        }
    for (unsigned c = 0; c < program->context->ndevices; c++) {
        const struct cx_device *device = program->context->devices[c];
        const unsigned of = cx_program_device_of(program, device);
        if (of < program->division.ndevices && program->division.devices[of] != device &&
            program->division.units[of] == unit)
            unit->unit.reach |= cx_context_members(program->context, device);
    }
}

/* Associates the program with devices, each once. */
static bool associate(struct cx_program *program, unsigned count, struct cx_device *const *devices)
{
    program->division.devices = calloc(count, sizeof(*program->division.devices));
    program->division.units = calloc(count, sizeof(cl_program));
    program->unit.device_members = calloc(count, sizeof(*program->unit.device_members));
    if (!program->division.devices || !program->division.units || !program->unit.device_members)
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (cx_program_device(program, devices[i]) < program->division.ndevices)
            continue;
        program->division.devices[program->division.ndevices] = devices[i];
        program->division.units[program->division.ndevices++] = program;
    }
    count_device_members(program, program);
    return true;
}

struct cx_program *cx_program_new(struct cx_context *context, cl_uint ndevices, const cl_device_id *devices,
                                  char *source)
{
    struct cx_program *program = cx_program_blank(context, source);
    struct cx_device *const *of = ndevices ? (struct cx_device *const *)devices : context->devices;

    if (program && !associate(program, ndevices ? ndevices : context->ndevices, of))
        cx_program_unref(&program);
    return program;
}

/* A unit for devices of the program, of this source, which it takes over, also on failure. NULL: no memory.
 */
static struct cx_program *unit_new(const struct cx_program *program, char *source)
{
    struct cx_program *unit = cx_program_blank(program->context, source);

    if (unit &&
        !(unit->unit.device_members = calloc(program->division.ndevices, sizeof(*unit->unit.device_members))))
        cx_program_unref(&unit);
    return unit;
}

/* A unit made of the same as this one, not built. NULL: no memory. */
static struct cx_program *unit_like(const struct cx_program *program, const struct cx_program *like)
{
    char *source = like->origin.source ? strdup(like->origin.source) : NULL;
    char *builtins = like->origin.builtins ? strdup(like->origin.builtins) : NULL;
    const bool copied = (source || !like->origin.source) && (builtins || !like->origin.builtins);
    struct cx_program *unit = copied ? unit_new(program, source) : NULL;

    if (!unit) {
        if (!copied)
            free(source);
        free(builtins);
        return NULL;
    }
    unit->origin.builtins = builtins;
    unit->origin.stored = like->origin.stored ? cx_program_binary_ref(like->origin.stored) : NULL;
    unit->origin.il = like->origin.il ? cx_program_il_ref(like->origin.il) : NULL;
    return unit;
}

unsigned cx_program_device(const struct cx_program *program, const struct cx_device *device)
{
    unsigned d = 0;
    while (d < program->division.ndevices && program->division.devices[d] != device)
        d++;
    return d;
}

bool cx_program_first(const struct cx_program *program, unsigned d)
{
    for (unsigned e = 0; e < d; e++)
        if (program->division.units[e] == program->division.units[d])
            return false;
    return true;
}

struct cx_program *cx_program_unit(struct cx_program *program, unsigned d)
{
    cx_lock(&program->division.lock);
    struct cx_program *unit = cx_program_ref(program->division.units[d]);
    cx_unlock(&program->division.lock);
    return unit;
}

bool cx_program_serves(const struct cx_program *unit, const struct cx_device *device)
{
    const uint64_t members = cx_context_members(unit->context, device);
    bool serves = false;

    for (unsigned m = 0; m < unit->context->nmembers && !serves; m++)
        serves = members >> m & 1 && (cx_program_runs_on(unit, m) || cx_build_deferred_on(unit, m));
    return serves;
}

/* ---- claims ---- */

/* How many of the unit's devices are wanted (or are not). */
static unsigned count_wanted(const struct cx_program *program, const bool *wanted,
                             const struct cx_program *unit, bool which)
{
    unsigned count = 0;
    for (unsigned d = 0; d < program->division.ndevices; d++)
        count += program->division.units[d] == unit && wanted[d] == which;
    return count;
}

/* Whether a build for one of the devices runs, or anything is attached to the program. */
static bool is_busy(const struct cx_program *program, const bool *wanted)
{
    bool busy = false;

    for (unsigned d = 0; d < program->division.ndevices; d++) {
        struct cx_program *unit = program->division.units[d];
        if (!cx_program_first(program, d))
            continue;
        cx_lock(&unit->lock);
        while (unit->build.saving)
            cx_lock_wait(&unit->changed, &unit->lock);
        busy |= unit->build.nattached || (unit->build.running && count_wanted(program, wanted, unit, true));
        cx_unlock(&unit->lock);
    }
    return busy;
}

/* Splits units that hold other devices, too: wanted ones leave them. false: no memory. */
static bool split_units(struct cx_program *program, const bool *wanted)
{
    for (unsigned d = 0; d < program->division.ndevices; d++) {
        struct cx_program *unit = program->division.units[d], *fresh;
        if (!wanted[d] || !count_wanted(program, wanted, unit, false))
            continue;
        if (!(fresh = unit_like(program, unit)))
            return false;
        for (unsigned e = d; e < program->division.ndevices; e++)
            if (wanted[e] && program->division.units[e] == unit)
                place(program, e, fresh);
        count_device_members(program, unit);
        cx_program_unref(&fresh);
    }
    return true;
}

/* The unit that is to hold a wanted device: the program, or the first wanted one, made of the same. */
static struct cx_program *goal_of(struct cx_program *program, const bool *wanted, unsigned d)
{
    struct cx_program *first = NULL;

    for (unsigned e = 0; e < program->division.ndevices; e++) {
        struct cx_program *unit = program->division.units[e];
        if (!wanted[e] || unit->origin.stored != program->division.units[d]->origin.stored)
            continue;
        if (unit == program)
            return unit;
        if (!first)
            first = unit;
    }
    return first;
}

static unsigned take_units(struct cx_program *program, const bool *wanted, struct cx_program **units)
{
    unsigned count = 0;

    for (unsigned d = 0; d < program->division.ndevices; d++)
        if (wanted[d])
            place(program, d, goal_of(program, wanted, d));
    for (unsigned d = 0; d < program->division.ndevices; d++) {
        struct cx_program *unit = program->division.units[d];
        if (!wanted[d] || !cx_program_first(program, d))
            continue;
        count_device_members(program, unit);
        cx_lock(&unit->lock);
        unit->build.running = true;
        while (unit->build.saving) /* somebody began to make the binary since it was found not to be busy */
            cx_lock_wait(&unit->changed, &unit->lock);
        cx_unlock(&unit->lock);
        units[count++] = cx_program_ref(unit);
    }
    return count;
}

/* A build for a device is one for its sub-devices, which run what it runs, save those that have a build of
 * their own. program->division.lock held. */
static void want_parts(const struct cx_program *program, bool *wanted)
{
    for (unsigned d = 0; d < program->division.ndevices; d++) {
        struct cx_program *unit = program->division.units[d];
        const struct cx_device *parent = program->division.devices[d]->parent;
        const unsigned of = parent ? cx_program_device_of(program, parent) : program->division.ndevices;
        if (wanted[d] || of == program->division.ndevices || !wanted[of])
            continue;
        cx_lock(&unit->lock);
        wanted[d] = unit == program->division.units[of] ||
                    (unit->build.status == CL_BUILD_NONE && !unit->build.running);
        cx_unlock(&unit->lock);
    }
}

cl_int cx_program_claim(struct cx_program *program, cl_uint ndevices, const cl_device_id *devices,
                        struct cx_program **units, unsigned *count)
{
    bool *wanted = calloc(program->division.ndevices, sizeof(*wanted));
    cl_int error = CL_SUCCESS;

    *count = 0;
    if (!wanted)
        return CL_OUT_OF_HOST_MEMORY;
    for (unsigned d = 0; d < program->division.ndevices; d++) {
        wanted[d] = ndevices == 0;
        for (cl_uint i = 0; i < ndevices; i++)
            wanted[d] |= cx_device_from(devices[i]) == program->division.devices[d];
    }
    cx_lock(&program->division.lock);
    want_parts(program, wanted);
    if (is_busy(program, wanted))
        error = CL_INVALID_OPERATION;
    else if (!split_units(program, wanted))
        error = CL_OUT_OF_HOST_MEMORY;
    else
        *count = take_units(program, wanted, units);
    cx_unlock(&program->division.lock);
    free(wanted);
    return error;
}

void cx_program_unclaim(struct cx_program *unit)
{
    cx_lock(&unit->lock);
    unit->build.running = false;
    cx_unlock(&unit->lock);
}

bool cx_program_take_binary(struct cx_program *program, unsigned d, struct cx_stored *stored, char *source)
{
    struct cx_program *unit = NULL;

    for (unsigned e = 0; e < d && !unit; e++)
        if (cx_program_binary_same(program->division.units[e]->origin.stored, stored))
            unit = program->division.units[e];
    if (unit) {
        place(program, d, unit);
        cx_program_binary_unref(&stored);
        free(source);
    } else if (d == 0) {
        program->origin.stored = stored;
        program->origin.source = source;
    } else {
        unit = unit_new(program, source);
        if (unit) {
            unit->origin.stored = stored;
            place(program, d, unit);
            cx_program_unref(&unit);
        } else {
            cx_program_binary_unref(&stored);
            return false;
        }
    }
    for (unsigned e = 0; e < program->division.ndevices; e++)
        count_device_members(program, program->division.units[e]);
    return true;
}
