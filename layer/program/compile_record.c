/* SPDX-License-Identifier: MIT */
/*
 * Records on disk how long compilers took. See compile_record.h.
 */
#include "layer/program/compile_record.h"
#include "layer/base/disk_cache.h"
#include "layer/base/options.h"
#include "layer/program/program.h"
#include "layer/timeline/worker.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

/* Builds that take less come from a driver's cache. */
#define LEAST_BUILD 10e-3
/* One for a CPU may take so long at least, where it is not known to come from there. */
#define CPU_BUILD 50e-3

static atomic_uint changes; /* records that another process has written for this one */

/* False: nothing is kept of it. */
static bool key_of(const struct cx_program *program, const char *options, unsigned member,
                   enum cx_variant variant, const char *kernel, uint64_t form,
                   char key[CX_DISK_CACHE_KEY_SIZE])
{
    const struct cx_real_device *device = program->context->workers[member].device;
    const char *text = program->build.text ? program->build.text : program->origin.source;
    const char *folder = cx_options_driver_cache();
    char number[24];
    if (!cx_context_shares(program->context) || !cx_options_cache_dir() || !text || !folder)
        return false;
    snprintf(number, sizeof(number), "%" PRIx64, form);
    cx_disk_cache_key(key, 10,
                      (const char *const[]){kernel ? "compiled" : "built", device->platform->driver,
                                            device->platform->version, device->name, folder, text,
                                            options ? options : "", variant ? cx_subrange_text(variant) : "",
                                            kernel ? kernel : "", number});
    return true;
}

bool cx_compile_record_find(const struct cx_program *program, unsigned member, enum cx_variant variant,
                            const char *kernel, uint64_t form, double *seconds)
{
    char key[CX_DISK_CACHE_KEY_SIZE];
    *seconds = 0;
    return key_of(program, program->build.options, member, variant, kernel, form, key) &&
           cx_disk_cache_load_seconds(cx_options_cache_dir(), key, seconds);
}

static void keep(const struct cx_program *program, const char *options, unsigned member,
                 enum cx_variant variant, const char *kernel, uint64_t form, double seconds)
{
    char key[CX_DISK_CACHE_KEY_SIZE];
    if (key_of(program, options, member, variant, kernel, form, key))
        (void)cx_disk_cache_keep_seconds(cx_options_cache_dir(), key, seconds); /* else: unknown */
}

void cx_compile_record_keep(const struct cx_program *program, unsigned member, enum cx_variant variant,
                            const char *kernel, uint64_t form, double seconds)
{
    keep(program, program->build.options, member, variant, kernel, form, seconds);
}

bool cx_compile_record_key(const struct cx_program *program, unsigned member, enum cx_variant variant,
                           const char *kernel, uint64_t form, char key[CX_DISK_CACHE_KEY_SIZE])
{
    return key_of(program, program->build.options, member, variant, kernel, form, key);
}

void cx_compile_record_changed(void)
{
    atomic_fetch_add(&changes, 1);
}

unsigned cx_compile_record_changes(void)
{
    return atomic_load_explicit(&changes, memory_order_relaxed);
}

void cx_compile_record_built(const struct cx_program *program, const char *options, unsigned member,
                             enum cx_variant variant, uint64_t ns)
{
    const double seconds = (double)ns * 1e-9;
    const bool in_call = variant == CX_VARIANT_PLAIN && member == program->context->fastest;
    if (seconds >= LEAST_BUILD || !in_call)
        keep(program, options, member, variant, NULL, 0, seconds);
}

/* The longest that members' builds of the program's own text took. */
static double longest_build(const struct cx_program *program)
{
    double longest = 0, seconds;
    for (unsigned m = 0; m < program->context->nmembers; m++)
        if (cx_program_runs_on(program, m) &&
            cx_compile_record_find(program, m, CX_VARIANT_PLAIN, NULL, 0, &seconds))
            longest = fmax(longest, seconds);
    return longest;
}

double cx_compile_record_expected(const struct cx_program *program, unsigned member, enum cx_variant variant)
{
    struct cx_program_member *state = &program->members[member];
    const bool cpu = program->context->workers[member].device->type & CL_DEVICE_TYPE_CPU;
    const double now = (double)program->build.took_ns * 1e-9;
    double kept, expected = (double)atomic_load(&state->expected_ns[variant]) * 1e-9;
    const unsigned at = cx_compile_record_changes();
    if (expected > 0 && atomic_load(&state->expected_at[variant]) == at)
        return expected;
    expected = cx_compile_record_find(program, member, variant, NULL, 0, &kept)
                   ? now
                   : fmax(fmax(now, cpu ? CPU_BUILD : 0), longest_build(program));
    atomic_store(&state->expected_ns[variant], 1 + (uint64_t)(expected * 1e9));
    atomic_store(&state->expected_at[variant], at);
    return expected;
}
