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
#include "layer/timeline/worker.h"

#include <stdlib.h>
#include <string.h>

/* Makes a unit the device's, with a reference of the list. */
static void place(struct cx_program *program, unsigned d, struct cx_program *unit)
{
    struct cx_program *old = program->units[d];

    program->units[d] = unit == program ? unit : cx_program_ref(unit);
    if (old && old != program)
        cx_program_unref(&old);
}

void cx_program_units_finish(struct cx_program *program)
{
    for (unsigned d = 0; program->units && d < program->ndevices; d++)
        place(program, d, program);
    free(program->units);
    free(program->devices);
    free(program->device_members);
}

unsigned cx_program_device_of(const struct cx_program *program, const struct cx_device *device)
{
    unsigned d = program->ndevices;
    for (; device && d == program->ndevices; device = device->parent)
        d = cx_program_device(program, device);
    return d;
}

/* Notes which devices a unit is for. It is also built for what their sub-devices in the context have of their
 * own, where the program does not know these. */
static void count_device_members(const struct cx_program *program, struct cx_program *unit)
{
    unit->ndevice_members = 0;
    unit->reach = 0;
    for (unsigned d = 0; d < program->ndevices; d++)
        if (program->units[d] == unit) {
            const uint64_t members = cx_context_members(program->context, program->devices[d]);
            unit->device_members[unit->ndevice_members++] = members;
            unit->reach |= members;
        }
    for (unsigned c = 0; c < program->context->ndevices; c++) {
        const struct cx_device *device = program->context->devices[c];
        const unsigned of = cx_program_device_of(program, device);
        if (of < program->ndevices && program->devices[of] != device && program->units[of] == unit)
            unit->reach |= cx_context_members(program->context, device);
    }
}

/* Associates the program with devices, each once. */
static bool associate(struct cx_program *program, unsigned count, struct cx_device *const *devices)
{
    program->devices = calloc(count, sizeof(*program->devices));
    program->units = calloc(count, sizeof(cl_program));
    program->device_members = calloc(count, sizeof(*program->device_members));
    if (!program->devices || !program->units || !program->device_members)
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (cx_program_device(program, devices[i]) < program->ndevices)
            continue;
        program->devices[program->ndevices] = devices[i];
        program->units[program->ndevices++] = program;
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

    if (unit && !(unit->device_members = calloc(program->ndevices, sizeof(*unit->device_members))))
        cx_program_unref(&unit);
    return unit;
}

/* A unit made of the same as this one, not built. NULL: no memory. */
static struct cx_program *unit_like(const struct cx_program *program, const struct cx_program *like)
{
    char *source = like->source ? strdup(like->source) : NULL;
    char *builtins = like->builtins ? strdup(like->builtins) : NULL;
    const bool copied = (source || !like->source) && (builtins || !like->builtins);
    struct cx_program *unit = copied ? unit_new(program, source) : NULL;

    if (!unit) {
        if (!copied)
            free(source);
        free(builtins);
        return NULL;
    }
    unit->builtins = builtins;
    unit->stored = like->stored ? cx_stored_ref(like->stored) : NULL;
    unit->il = like->il ? cx_il_ref(like->il) : NULL;
    return unit;
}

unsigned cx_program_device(const struct cx_program *program, const struct cx_device *device)
{
    unsigned d = 0;
    while (d < program->ndevices && program->devices[d] != device)
        d++;
    return d;
}

bool cx_program_first(const struct cx_program *program, unsigned d)
{
    for (unsigned e = 0; e < d; e++)
        if (program->units[e] == program->units[d])
            return false;
    return true;
}

struct cx_program *cx_program_unit(struct cx_program *program, unsigned d)
{
    cx_lock(&program->apart);
    struct cx_program *unit = cx_program_ref(program->units[d]);
    cx_unlock(&program->apart);
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
    for (unsigned d = 0; d < program->ndevices; d++)
        count += program->units[d] == unit && wanted[d] == which;
    return count;
}

/* Whether a build for one of the devices runs, or anything is attached to the program. */
static bool is_busy(const struct cx_program *program, const bool *wanted)
{
    bool busy = false;

    for (unsigned d = 0; d < program->ndevices; d++) {
        struct cx_program *unit = program->units[d];
        if (!cx_program_first(program, d))
            continue;
        cx_lock(&unit->lock);
        while (unit->saving)
            cx_lock_wait(&unit->changed, &unit->lock);
        busy |= unit->nattached || (unit->building && count_wanted(program, wanted, unit, true));
        cx_unlock(&unit->lock);
    }
    return busy;
}

/* Splits units that hold other devices, too: wanted ones leave them. false: no memory. */
static bool split_units(struct cx_program *program, const bool *wanted)
{
    for (unsigned d = 0; d < program->ndevices; d++) {
        struct cx_program *unit = program->units[d], *fresh;
        if (!wanted[d] || !count_wanted(program, wanted, unit, false))
            continue;
        if (!(fresh = unit_like(program, unit)))
            return false;
        for (unsigned e = d; e < program->ndevices; e++)
            if (wanted[e] && program->units[e] == unit)
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

    for (unsigned e = 0; e < program->ndevices; e++) {
        struct cx_program *unit = program->units[e];
        if (!wanted[e] || unit->stored != program->units[d]->stored)
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

    for (unsigned d = 0; d < program->ndevices; d++)
        if (wanted[d])
            place(program, d, goal_of(program, wanted, d));
    for (unsigned d = 0; d < program->ndevices; d++) {
        struct cx_program *unit = program->units[d];
        if (!wanted[d] || !cx_program_first(program, d))
            continue;
        count_device_members(program, unit);
        cx_lock(&unit->lock);
        unit->building = true;
        while (unit->saving) /* somebody began to make the binary since it was found not to be busy */
            cx_lock_wait(&unit->changed, &unit->lock);
        cx_unlock(&unit->lock);
        units[count++] = cx_program_ref(unit);
    }
    return count;
}

/* A build for a device is one for its sub-devices, which run what it runs, save those that have a build of
 * their own. program->apart held. */
static void want_parts(const struct cx_program *program, bool *wanted)
{
    for (unsigned d = 0; d < program->ndevices; d++) {
        struct cx_program *unit = program->units[d];
        const struct cx_device *parent = program->devices[d]->parent;
        const unsigned of = parent ? cx_program_device_of(program, parent) : program->ndevices;
        if (wanted[d] || of == program->ndevices || !wanted[of])
            continue;
        cx_lock(&unit->lock);
        wanted[d] = unit == program->units[of] || (unit->status == CL_BUILD_NONE && !unit->building);
        cx_unlock(&unit->lock);
    }
}

cl_int cx_program_claim(struct cx_program *program, cl_uint ndevices, const cl_device_id *devices,
                        struct cx_program **units, unsigned *count)
{
    bool *wanted = calloc(program->ndevices, sizeof(*wanted));
    cl_int error = CL_SUCCESS;

    *count = 0;
    if (!wanted)
        return CL_OUT_OF_HOST_MEMORY;
    for (unsigned d = 0; d < program->ndevices; d++) {
        wanted[d] = ndevices == 0;
        for (cl_uint i = 0; i < ndevices; i++)
            wanted[d] |= cx_device_from(devices[i]) == program->devices[d];
    }
    cx_lock(&program->apart);
    want_parts(program, wanted);
    if (is_busy(program, wanted))
        error = CL_INVALID_OPERATION;
    else if (!split_units(program, wanted))
        error = CL_OUT_OF_HOST_MEMORY;
    else
        *count = take_units(program, wanted, units);
    cx_unlock(&program->apart);
    free(wanted);
    return error;
}

void cx_program_unclaim(struct cx_program *unit)
{
    cx_lock(&unit->lock);
    unit->building = false;
    cx_unlock(&unit->lock);
}

bool cx_program_take_binary(struct cx_program *program, unsigned d, struct cx_stored *stored, char *source)
{
    struct cx_program *unit = NULL;

    for (unsigned e = 0; e < d && !unit; e++)
        if (cx_stored_same(program->units[e]->stored, stored))
            unit = program->units[e];
    if (unit) {
        place(program, d, unit);
        cx_stored_unref(&stored);
        free(source);
    } else if (d == 0) {
        program->stored = stored;
        program->source = source;
    } else {
        unit = unit_new(program, source);
        if (unit) {
            unit->stored = stored;
            place(program, d, unit);
            cx_program_unref(&unit);
        } else {
            cx_stored_unref(&stored);
            return false;
        }
    }
    for (unsigned e = 0; e < program->ndevices; e++)
        count_device_members(program, program->units[e]);
    return true;
}
