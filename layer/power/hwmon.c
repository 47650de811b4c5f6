/* SPDX-License-Identifier: MIT */
/*
 * GPUs of AMD and Intel, by what their kernel drivers (amdgpu, i915, xe) tell below /sys/class/hwmon: a
 * counter of energy (i915 and xe), or a power (amdgpu: an average that its firmware keeps, or the last
 * sample). See source.h.
 */
#include "layer/power/source.h"
#include "layer/base/options.h"
#include "layer/base/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double micro = 1e-6;

/* The files that may tell, the first of each that is there; xe: energy1 is the card's, energy2 the package's.
 */
static const char *const counters[] = {"energy1_input", "energy2_input", NULL};
static const char *const gauges[] = {"power1_input", "power1_average", NULL};

/* By driver, how old what it tells may be: i915 and xe read a counter that moves every millisecond; amdgpu's
 * firmware averages over up to a second. */
static const struct {
    const char *driver;
    double step_seconds;
} drivers[] = {{"amdgpu", 1}, {"i915", 1e-3}, {"xe", 1e-3}};

static bool read_first(const char *const *files, const char *folder, double *value)
{
    for (; *files; files++)
        if (cx_sysfs_number(folder, *files, value)) {
            *value *= micro;
            return true;
        }
    return false;
}

static bool count(const struct cx_power_source *source, double *joules)
{
    return read_first(counters, source->place, joules);
}

static bool watts(const struct cx_power_source *source, double *now)
{
    return read_first(gauges, source->place, now);
}

/* The device's place on the PCI bus is the name of the folder that `device` leads to. */
static void find_place(const char *folder, char *pci, size_t size)
{
    char link[CX_SYSFS_PATH];
    unsigned domain, bus, device, function;
    snprintf(link, sizeof link, "%s/device", folder);
    char *real = realpath(link, NULL);
    if (real && sscanf(strrchr(real, '/') + 1, "%x:%x:%x.%x", &domain, &bus, &device, &function) == 4)
        snprintf(pci, size, "%04x:%02x:%02x.%x", domain & 0xffff, bus & 0xff, device & 0xff, function & 0xf);
    free(real);
}

static void take(const char *folder, const char *name, void *data)
{
    struct cx_power_sources *all = data;
    char driver[32];
    double value, step = 0;
    (void)name;
    if (strlen(folder) >= CX_POWER_TEXT || !cx_sysfs_text(folder, "name", driver, sizeof driver))
        return;
    for (unsigned i = 0; i < sizeof drivers / sizeof *drivers; i++)
        step = strcmp(driver, drivers[i].driver) == 0 ? drivers[i].step_seconds : step;
    const bool counts = step > 0 && read_first(counters, folder, &value),
               tells = step > 0 && read_first(gauges, folder, &value);
    if (!counts && !tells) {
        if (step > 0 && (errno == EACCES || errno == EPERM))
            cx_power_note(all, "the energy of a GPU of %s cannot be read (%s: %s)", driver, folder,
                          strerror(errno));
        return;
    }
    struct cx_power_source *source = cx_power_source_add(all, &cx_power_hwmon);
    if (!source)
        return;
    source->part = CX_POWER_DEVICE;
    source->counts = counts;
    source->gauges = tells && !counts; /* the counter is cheap, and better */
    source->step_seconds = step;
    snprintf(source->place, sizeof source->place, "%s", folder);
    find_place(folder, source->pci, sizeof source->pci);
    snprintf(source->name, sizeof source->name, "%s %s", driver, source->pci);
}

static void find(struct cx_power_sources *all)
{
    cx_sysfs_each(cx_options_get()->hwmon, "hwmon", take, all);
}

const struct cx_power_kind cx_power_hwmon = {.name = "hwmon", .find = find, .count = count, .watts = watts};
