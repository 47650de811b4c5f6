/* SPDX-License-Identifier: MIT */
/*
 * The table of the kinds of power sources. See source.h. Next stage: meter.c.
 */
#include "layer/power/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Packages first. */
static const struct cx_power_kind *const kinds[] = {&cx_power_rapl, &cx_power_nvml, &cx_power_hwmon};

void cx_power_sources_find(struct cx_power_sources *all)
{
    memset(all, 0, sizeof *all);
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        kinds[i]->find(all);
}

const struct cx_power_source *cx_power_source_of(const struct cx_power_sources *all, const char *pci,
                                                 const uint8_t *uuid)
{
    for (unsigned i = 0; i < all->n; i++) {
        const struct cx_power_source *source = &all->source[i];
        if (source->part != CX_POWER_DEVICE)
            continue;
        if ((uuid && source->has_uuid && memcmp(uuid, source->uuid, sizeof source->uuid) == 0) ||
            (pci && *pci && strcasecmp(pci, source->pci) == 0))
            return source;
    }
    return NULL;
}

struct cx_power_source *cx_power_source_add(struct cx_power_sources *all, const struct cx_power_kind *kind)
{
    if (all->n == CX_POWER_SOURCES)
        return NULL;
    struct cx_power_source *source = &all->source[all->n++];
    memset(source, 0, sizeof *source);
    source->kind = kind;
    return source;
}

void cx_power_note(struct cx_power_sources *all, const char *format, ...)
{
    char text[sizeof all->note[0]];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (unsigned i = 0; i < all->nnotes; i++)
        if (strcmp(all->note[i], text) == 0)
            return;
    if (all->nnotes < CX_POWER_NOTES)
        memcpy(all->note[all->nnotes++], text, sizeof text);
}
