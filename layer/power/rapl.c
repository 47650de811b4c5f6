/* SPDX-License-Identifier: MIT */
/*
 * CPU packages, by the counters that Intel calls RAPL and AMD has, too: intel-rapl:N below
 * /sys/class/powercap. Only packages are taken: cores and graphics are parts of theirs, "psys" contains them,
 * and intel-rapl-mmio has the same ones once more. The counter moves every millisecond, and begins anew at
 * max_energy_range_uj. Since Linux 5.10 only root reads it, lest programs spy on each other by it. See
 * source.h.
 */
#include "layer/power/source.h"
#include "layer/base/options.h"
#include "layer/base/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const double micro = 1e-6, step_seconds = 1e-3;

static bool count(const struct cx_power_source *source, double *joules)
{
    if (!cx_sysfs_number(source->place, "energy_uj", joules))
        return false;
    *joules *= micro;
    return true;
}

static void take(const char *folder, const char *name, void *data)
{
    struct cx_power_sources *all = data;
    char domain[sizeof all->source[0].name];
    double joules, range;
    if (strchr(name, ':') != strrchr(name, ':') || strlen(folder) >= CX_POWER_TEXT ||
        !cx_sysfs_text(folder, "name", domain, sizeof domain) || strncmp(domain, "package", 7) != 0)
        return;
    if (!cx_sysfs_number(folder, "energy_uj", &joules)) {
        const int why = errno;
        cx_power_note(all, "the CPU's energy cannot be read (%s/energy_uj: %s)%s", cx_options_get()->powercap,
                      strerror(why),
                      why == EACCES || why == EPERM ? "; as root: chmod a+r /sys/class/powercap/*/energy_uj"
                                                    : "");
        return;
    }
    struct cx_power_source *source = cx_power_source_add(all, &cx_power_rapl);
    if (!source)
        return;
    snprintf(source->name, sizeof source->name, "%s", domain);
    snprintf(source->place, sizeof source->place, "%s", folder);
    source->part = CX_POWER_PACKAGE;
    source->counts = true;
    source->step_seconds = step_seconds;
    source->wrap_joules = cx_sysfs_number(folder, "max_energy_range_uj", &range) ? range * micro : 0;
}

static void find(struct cx_power_sources *all)
{
    cx_sysfs_each(cx_options_get()->powercap, "intel-rapl:", take, all);
}

const struct cx_power_kind cx_power_rapl = {.name = "RAPL", .find = find, .count = count};
