/* SPDX-License-Identifier: MIT */
/*
 * COEXEC_POWER=1, and COEXEC_OBJECTIVE where no powers are given: a thread of its own samples the machine's
 * power sources while the program runs, writes counters into the trace, and learns what devices consume idle
 * and computing (windows.h). Finding the sources, which opens NVIDIA's management library, is done by that
 * thread, too: nothing waits for it. Figures begin when it is done, and end when exit() is called, which
 * waits for the last reading (4 ms for each GPU of NVIDIA's); a process that ends otherwise has none.
 *
 * Without either none of this happens; a launch then costs a load and a test more.
 *
 * Thread-safe. Previous stage: windows.h. Next: api/power.c, which tells it the devices and prints for the
 * summary.
 */
#ifndef CX_LAYER_POWER_SAMPLER_H
#define CX_LAYER_POWER_SAMPLER_H

#include "layer/power/windows.h"

#include <stdatomic.h>

extern atomic_bool cx_power_sampling;

/* Starts the thread, the first time. Called by api/power.c. */
void cx_power_sampler_start(void);
/* A real device that a context has; pci and uuid as cx_power_source_of takes them; opened lives as long as
 * the process, and says whether it has a context by now. Called by api/power.c. */
void cx_power_sampler_device(unsigned index, bool is_cpu, const char *pci, const uint8_t *uuid,
                             const atomic_bool *opened);

void cx_power_sampler_computed(unsigned device, const void *kernel, uint64_t start_ns, uint64_t end_ns);
/* A device, given by its index, computed a kernel, known by its record in kernel_table.h, between two times
 * on the host's clock. Called by launch/. */
static inline void cx_power_computed(unsigned device, const void *kernel, uint64_t start_ns, uint64_t end_ns)
{
    if (atomic_load_explicit(&cx_power_sampling, memory_order_relaxed))
        cx_power_sampler_computed(device, kernel, start_ns, end_ns);
}

/* Static and dynamic watts of a device, given by its index, for a kernel, as far as they are known by now;
 * CPU devices have one static power in common, which is divided among them. Called by plan/plan_objective.c.
 */
bool cx_power_sampler_watts(unsigned device, const void *kernel, double *static_watts, double *dynamic_watts);

/* What the machine consumed from the first to the last reading. */
struct cx_power_result {
    const struct cx_power_sources *sources;
    double seconds;
    struct cx_power_figure figure[CX_POWER_SOURCES];
    unsigned group[CX_POWER_DEVICES];         /* windows.h; by device */
    const void *kernel[CX_POWER_KERNELS - 1]; /* by its number in the model */
    struct cx_power_model model;
};
/* Once the process is ending. NULL: there is none. The sampler's. Called by api/power.c. */
const struct cx_power_result *cx_power_sampler_result(void);

#endif
