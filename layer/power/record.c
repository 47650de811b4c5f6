/* SPDX-License-Identifier: MIT */
/*
 * Powers in the cache folder. See record.h.
 */
#include "layer/power/record.h"
#include "layer/base/disk_cache.h"
#include "layer/base/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void make_key(char *key, const struct cx_power_source *source, unsigned index, unsigned cpus)
{
    char place[64];
    if (cpus)
        snprintf(place, sizeof place, "%u of %u", index, cpus);
    else
        snprintf(place, sizeof place, "%s", source->pci);
    cx_disk_cache_key(key, 4,
                      (const char *const[]){"powers of a device 2", source->kind->name, source->name, place});
}

static bool is_amount(double value)
{
    return value >= 0 && isfinite(value);
}

bool cx_power_record_load(const struct cx_power_source *source, unsigned index, unsigned cpus,
                          struct cx_power_pair *powers)
{
    const char *folder = cx_options_cache_dir();
    char key[CX_DISK_CACHE_KEY_SIZE];
    size_t size;
    if (!folder || cx_options_get()->knowledge == CX_OPTION_KNOWLEDGE_NEVER)
        return false;
    make_key(key, source, index, cpus);
    struct cx_power_pair *stored = cx_disk_cache_load(folder, key, &size);
    const bool is_sound = stored && size == sizeof *stored && is_amount(stored->fixed) &&
                          is_amount(stored->dynamic) && is_amount(stored->error);
    if (is_sound)
        *powers = *stored;
    free(stored);
    return is_sound;
}

bool cx_power_record_store(const struct cx_power_source *source, unsigned index, unsigned cpus,
                           const struct cx_power_pair *powers)
{
    const char *folder = cx_options_cache_dir();
    char key[CX_DISK_CACHE_KEY_SIZE];
    if (!folder || cx_options_get()->knowledge != CX_OPTION_KNOWLEDGE_AUTO || cx_options_get()->reproducible)
        return false;
    make_key(key, source, index, cpus);
    return cx_disk_cache_store(folder, key, powers, sizeof *powers);
}
