/* SPDX-License-Identifier: MIT */
/*
 * Counters that `coexec top` shows of a running process: one small page of memory, which the first context
 * publishes as a memory file of that name. It lies in no folder; the tool finds it among the open files of
 * the process, and the kernel removes it with the process, however that ends. If there is no memory for it,
 * nothing is shown. Counting is an atomic addition or two; texts are written before the number that tells of
 * them. All times in ns on the host's clock. Thread-safe. The tool reads the page of any release: it checks
 * the head.
 */
#ifndef CX_LAYER_REPORT_LIVE_H
#define CX_LAYER_REPORT_LIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CX_LIVE_FILE  "coexec-live"
#define CX_LIVE_MAGIC "CXLIVE\r\n" /* with the closing 0 cut off */
enum { CX_LIVE_VERSION = 1, CX_LIVE_DEVICES = 64, CX_LIVE_KERNELS = 64, CX_LIVE_TEXT = 64 };

enum cx_live_move { CX_LIVE_TO_DEVICES, CX_LIVE_FROM_DEVICES, CX_LIVE_BETWEEN, CX_LIVE_MOVES };

struct cx_live_device {
    char name[CX_LIVE_TEXT]; /* "": no context has it */
    _Atomic uint64_t items;  /* work-items that it has computed */
    _Atomic uint64_t busy_ns;
};

struct cx_live_kernel {
    char name[CX_LIVE_TEXT];
    _Atomic uint64_t begun, over, split; /* launches: enqueued, over, and over on several devices */
    _Atomic uint64_t span_ns;            /* of those that are over, from first start to last end, summed */
    /* by how much longer the split ones would have taken on the device that was fastest at each; wraps */
    _Atomic uint64_t gained_ns;
};

struct cx_live_page {
    char magic[8];
    uint32_t version, size; /* CX_LIVE_VERSION, sizeof(struct cx_live_page) */
    int32_t pid;            /* as the process itself sees it; children made by fork() have another */
    uint32_t unused;
    uint64_t since_ns; /* when it was published */
    char balancer[CX_LIVE_TEXT];
    _Atomic uint32_t ndevices; /* those behind it have no name */
    _Atomic uint32_t nkernels; /* that have a name; the first one stands for all that found no room */
    _Atomic uint32_t current;  /* the kernel that was given to a device last */
    uint32_t unused_too;
    _Atomic uint64_t moved[CX_LIVE_MOVES]; /* bytes */
    struct cx_live_device device[CX_LIVE_DEVICES];
    struct cx_live_kernel kernel[CX_LIVE_KERNELS];
};

/* Never NULL: until it is published, and where it cannot be, memory of our own. */
extern struct cx_live_page *cx_live;

/* Publishes the page, once, before anything is counted. Called by api/context.c. */
void cx_live_publish(void);
/* Names a device, given by its index. Called by api/context.c. */
void cx_live_name_device(unsigned index, const char *name);
/* The number of the kernel of that name. Called by program/function.c. */
unsigned cx_live_name_kernel(const char *name);

static inline void cx_live_add(_Atomic uint64_t *counter, uint64_t more)
{
    if (more)
        atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}
/* A launch was enqueued (begun), given to a device (runs), and is over. Called by api/enqueue_kernel.c,
 * launch/ and plan/launch_stats.c. */
static inline void cx_live_begun(unsigned kernel)
{
    cx_live_add(&cx_live->kernel[kernel].begun, 1);
}
static inline void cx_live_runs(unsigned kernel)
{
    atomic_store_explicit(&cx_live->current, kernel, memory_order_relaxed);
}
static inline void cx_live_over(unsigned kernel, uint64_t span_ns)
{
    struct cx_live_kernel *k = &cx_live->kernel[kernel];
    cx_live_add(&k->over, 1);
    cx_live_add(&k->span_ns, span_ns);
}
/* ... and was split, with so many work-groups: what it would have taken alone is estimated as the summary
 * does it (gain.h), by what cx_live_measured was told. Called by plan/launch_stats.c. */
void cx_live_split(unsigned kernel, uint64_t groups, uint64_t span_ns);
/* How long a device took for work-groups of the kernel, in a split launch or a whole one. cpu_units: as in
 * gain.h. Called by plan/launch_stats.c and launch/whole.c. */
void cx_live_measured(unsigned kernel, unsigned device, unsigned cpu_units, uint64_t groups, uint64_t ns,
                      bool split);
/* A device, given by its index, has computed so much. Called by launch/. */
static inline void cx_live_worked(unsigned device, uint64_t items, uint64_t busy_ns)
{
    if (device >= CX_LIVE_DEVICES)
        return;
    cx_live_add(&cx_live->device[device].items, items);
    cx_live_add(&cx_live->device[device].busy_ns, busy_ns);
}

#endif
