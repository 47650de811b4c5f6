/* SPDX-License-Identifier: MIT */
/*
 * The estimate of the gain. See gain.h.
 */
#include "layer/report/gain.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* Programs themselves keep about one thread a core at work. */
static const double busy_load = 2; /* for each core */

static double speed_of(uint64_t groups, uint64_t ns)
{
    return ns ? (double)groups / (double)ns : 0;
}

double cx_gain_alone_ns(const struct cx_gain_device *devices, unsigned count, uint64_t span_ns,
                        uint64_t split_span_ns)
{
    uint64_t groups = 0;
    unsigned cpus = 0;
    double best = 0;
    for (unsigned d = 0; d < count; d++) {
        groups += devices[d].split_groups;
        cpus += devices[d].split_groups && devices[d].cpu_units;
    }
    for (unsigned d = 0; d < count; d++) {
        const double beside = speed_of(devices[d].split_groups, devices[d].split_ns);
        const double alone =
            cpus > 1 && devices[d].cpu_units ? speed_of(devices[d].whole_groups, devices[d].whole_ns) : 0;
        best = beside > best ? beside : best;
        best = alone > best ? alone : best;
    }
    return (double)(span_ns - split_span_ns) + (best > 0 ? (double)groups / best : (double)split_span_ns);
}

void cx_gain_doubts(char *text, size_t room, unsigned cpu_units, unsigned cores, double load)
{
    const bool shared = cpu_units > cores, busy = load > busy_load * (double)cores;
    snprintf(text, room, "%s%s", shared ? "; devices share cores" : "", busy ? "; the machine is busy" : "");
}

unsigned cx_gain_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (unsigned)cores : 1;
}
