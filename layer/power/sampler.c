/* SPDX-License-Identifier: MIT */
/*
 * The thread that samples power. See sampler.h.
 *
 * Only the thread uses the meter, and it reads without the lock. exit() has it read once more: the libraries
 * that it calls must not be torn down meanwhile, so the handler is registered after they were opened, and
 * waits.
 */
#include "layer/power/sampler.h"
#include "layer/base/clock.h"
#include "layer/base/deadline.h"
#include "layer/base/exit_guard.h"
#include "layer/base/forked.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/thread.h"
#include "layer/power/record.h"
#include "layer/report/trace.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PERIOD_MS = 45, LOCK_PATIENCE_MS = 50, EXIT_PATIENCE_MS = 1000 };
static const double window_seconds = 2;

struct known_device {
    bool there, is_cpu, has_uuid;
    char pci[16];
    uint8_t uuid[16];
    const atomic_bool *opened;
};

/* What is known of a device's powers; kept when later windows do not tell them apart any more. */
struct cx_power_known {
    bool known, learned /* in this process */, asked /* whether former ones knew */;
    struct cx_power_pair powers;
    float of_kernel[CX_POWER_KERNELS]; /* dynamic watts; only where it was learned in this process */
};

atomic_bool cx_power_sampling;
static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_POWER);
static pthread_cond_t changed;
static bool started CX_GUARDED_BY(lock), ending CX_GUARDED_BY(lock), over CX_GUARDED_BY(lock);
static struct known_device known[CX_POWER_DEVICES] CX_GUARDED_BY(lock);
static struct cx_power_windows *windows CX_GUARDED_BY(lock); /* NULL: no source was found yet */
static struct cx_power_known powers[CX_POWER_DEVICES] CX_GUARDED_BY(lock);
static struct cx_power_result *result CX_GUARDED_BY(lock); /* once it is over */

/* The thread's own. */
static struct cx_power_meter *meter;
static struct cx_power_mark first, begin, end;
static double first_at, begin_at;

static double seconds_now(void)
{
    return (double)cx_clock_ns() * 1e-9;
}

/* ---- what others tell ---- */

static void place_device(unsigned index) CX_HOLDS(lock)
{
    const struct known_device *device = &known[index];
    const struct cx_power_source *source =
        cx_power_source_of(&meter->sources, device->pci, device->has_uuid ? device->uuid : NULL);
    cx_power_windows_device(windows, index, device->is_cpu,
                            source ? (unsigned)(source - meter->sources.source) : CX_POWER_SOURCES);
    if (atomic_load(device->opened))
        (void)cx_power_windows_opened(windows, index, 0);
}

/* Devices may be opened long after the context was made. Gives whether one was: a window ends then, as it
 * does not count for the device, and may be most of a short process. */
static bool note_opened(double now) CX_HOLDS(lock)
{
    bool any = false;
    for (unsigned d = 0; d < CX_POWER_DEVICES; d++)
        if (known[d].there && atomic_load(known[d].opened))
            any |= cx_power_windows_opened(windows, d, now);
    return any;
}

void cx_power_sampler_device(unsigned index, bool is_cpu, const char *pci, const uint8_t *uuid,
                             const atomic_bool *opened)
{
    if (index >= CX_POWER_DEVICES)
        return;
    cx_lock(&lock);
    struct known_device *device = &known[index];
    if (!device->there) {
        *device = (struct known_device){
            .there = true, .is_cpu = is_cpu, .has_uuid = uuid != NULL, .opened = opened};
        snprintf(device->pci, sizeof device->pci, "%s", pci);
        if (uuid)
            memcpy(device->uuid, uuid, sizeof device->uuid);
        if (windows)
            place_device(index);
    }
    cx_unlock(&lock);
}

void cx_power_sampler_computed(unsigned device, const void *kernel, uint64_t start_ns, uint64_t end_ns)
{
    cx_lock(&lock);
    if (windows)
        cx_power_windows_busy(windows, device, kernel, (double)start_ns * 1e-9, (double)end_ns * 1e-9);
    cx_unlock(&lock);
}

bool cx_power_sampler_watts(unsigned device, const void *kernel, double *static_watts, double *dynamic_watts)
{
    if (device >= CX_POWER_DEVICES)
        return false;
    cx_lock(&lock);
    const struct cx_power_known *of = &powers[device];
    const bool is_known = of->known;
    *static_watts = of->powers.fixed;
    *dynamic_watts = of->learned ? (double)of->of_kernel[cx_power_kernel_number(windows->kernel, kernel)]
                                 : of->powers.dynamic;
    cx_unlock(&lock);
    return is_known;
}

/* ---- the end ---- */

/* Another thread may have been interrupted with the lock held, by a signal whose handler calls exit(). */
static void at_exit(void) CX_UNCHECKED
{
    const struct timespec patience = cx_deadline_on(CLOCK_REALTIME, LOCK_PATIENCE_MS),
                          until = cx_deadline(EXIT_PATIENCE_MS);
    if (cx_forked || !cx_lock_before(&lock, &patience))
        return;
    atomic_store(&cx_power_sampling, false);
    ending = true;
    pthread_cond_broadcast(&changed);
    while (!over && cx_lock_wait_until(&changed, &lock, &until))
        continue;
    cx_unlock(&lock);
}

static struct cx_power_result *make_result(void) CX_HOLDS(lock)
{
    struct cx_power_result *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->sources = &meter->sources;
    made->seconds = seconds_now() - first_at;
    for (unsigned i = 0; i < meter->sources.n; i++)
        made->figure[i] = cx_power_meter_between(meter, &first, &end, i);
    for (unsigned d = 0; d < CX_POWER_DEVICES; d++)
        made->group[d] = windows->there[d] ? windows->group[d] : CX_POWER_GROUP_CPU + 1u;
    memcpy(made->kernel, windows->kernel, sizeof made->kernel);
    cx_power_windows_solve(windows, true, &made->model);
    return made;
}

const struct cx_power_result *cx_power_sampler_result(void)
{
    cx_lock(&lock);
    const struct cx_power_result *made = result;
    cx_unlock(&lock);
    return made;
}

/* ---- the thread ---- */

static void trace_sample(void)
{
    struct cx_trace_args args = {.used = 0};
    if (!cx_trace_on())
        return;
    for (unsigned i = 0; i < meter->sources.n; i++) {
        char name[128]; /* two GPUs have one name */
        snprintf(name, sizeof name, "%u %s", i, meter->sources.source[i].name);
        if (meter->track[i].watts >= 0)
            cx_trace_number(&args, name, meter->track[i].watts);
    }
    cx_trace_counter("watts", cx_clock_ns(), &args);
}

static unsigned count_cpus(void) CX_HOLDS(lock)
{
    unsigned cpus = 0;
    for (unsigned d = 0; d < CX_POWER_DEVICES; d++)
        cpus += windows->there[d] && windows->group[d] == CX_POWER_GROUP_CPU;
    return cpus;
}

/* Of the device's group; of CPUs the first package. NULL: it has none. */
static const struct cx_power_source *source_of(unsigned device) CX_HOLDS(lock)
{
    const unsigned group = windows->there[device] ? windows->group[device] : CX_POWER_GROUP_CPU + 1u;
    unsigned i = 0;
    while (group == CX_POWER_GROUP_CPU && i < meter->sources.n && !windows->package[i])
        i++;
    i = group == CX_POWER_GROUP_CPU ? i : group;
    return i < meter->sources.n ? &meter->sources.source[i] : NULL;
}

/* What former processes knew of devices that came since. Files are read without the lock. */
static void recall_powers(void)
{
    for (unsigned d = 0; d < CX_POWER_DEVICES; d++) {
        struct cx_power_pair pair;
        cx_lock(&lock);
        const struct cx_power_source *source = powers[d].asked ? NULL : source_of(d);
        const unsigned cpus = source && windows->group[d] == CX_POWER_GROUP_CPU ? count_cpus() : 0;
        cx_unlock(&lock);
        if (!source)
            continue;
        const bool is_known = cx_power_record_load(source, d, cpus, &pair);
        cx_lock(&lock);
        powers[d].asked = true;
        if (is_known && !powers[d].known) {
            powers[d].powers = pair;
            powers[d].known = true;
            const unsigned shared = cpus ? cpus : 1;
            cx_power_windows_guess(windows, windows->group[d], pair.fixed * shared, pair.error * shared);
        }
        cx_unlock(&lock);
    }
}

static void keep_powers(void)
{
    for (unsigned d = 0; d < CX_POWER_DEVICES; d++) {
        cx_lock(&lock);
        const struct cx_power_known of = powers[d];
        const struct cx_power_source *source = of.learned ? source_of(d) : NULL;
        const unsigned cpus = source && windows->group[d] == CX_POWER_GROUP_CPU ? count_cpus() : 0;
        cx_unlock(&lock);
        if (source)
            (void)cx_power_record_store(source, d, cpus, &of.powers); /* else the next process learns anew */
    }
}

/* all: nothing computes any more. */
static void learn_powers(bool all) CX_HOLDS(lock)
{
    static struct cx_power_model model;
    const unsigned cpus = count_cpus();
    cx_power_windows_solve(windows, all, &model);
    for (unsigned d = 0; d < CX_POWER_DEVICES; d++) {
        const unsigned group = windows->group[d];
        if (!windows->there[d] || group > CX_POWER_GROUP_CPU || !cx_power_model_tells(&model, group, d))
            continue;
        const struct cx_power_fitted *fixed = &model.fixed[group];
        const unsigned shared = group == CX_POWER_GROUP_CPU ? cpus : 1;
        powers[d] = (struct cx_power_known){
            .known = true,
            .learned = true,
            .asked = true,
            .powers = {fixed->watts / shared, model.dynamic[d].watts, fixed->error / shared}};
        for (unsigned k = 0; k < CX_POWER_KERNELS; k++)
            powers[d].of_kernel[k] = (float)model.of_kernel[d][k].watts;
    }
}

static void close_window(double now)
{
    cx_power_meter_mark(meter, &end);
    cx_lock(&lock);
    cx_power_windows_close(windows, meter, now, &begin, &end);
    learn_powers(false);
    cx_power_windows_open(windows, now);
    cx_unlock(&lock);
    recall_powers();
    begin = end;
    begin_at = now;
}

/* False: the process is ending. */
static bool wait_until(const struct timespec *until)
{
    cx_lock(&lock);
    while (!ending && cx_lock_wait_until(&changed, &lock, until))
        continue;
    const bool goes_on = !ending;
    cx_unlock(&lock);
    return goes_on;
}

static void sample(void)
{
    bool goes_on = true;
    while (goes_on) {
        const struct timespec next = cx_deadline(PERIOD_MS);
        goes_on = wait_until(&next);
        cx_power_meter_sample(meter);
        cx_lock(&lock);
        const bool opened = note_opened(seconds_now());
        cx_power_windows_sample(windows, meter, seconds_now());
        cx_unlock(&lock);
        trace_sample();
        if (!goes_on || opened || seconds_now() - begin_at >= window_seconds)
            close_window(seconds_now());
    }
    cx_lock(&lock);
    result = make_result();
    learn_powers(true);
    cx_unlock(&lock);
    keep_powers();
}

static bool find_sources(void)
{
    if (!cx_exit_guard_enter())
        return false;
    meter = cx_power_meter_create(NULL);
    cx_exit_guard_leave();
    for (unsigned i = 0; meter && i < meter->sources.nnotes; i++)
        cx_warn(CX_TOPIC_DRIVER, "%s", meter->sources.note[i]);
    if (meter && !meter->sources.n)
        cx_warn(CX_TOPIC_DRIVER, "nothing on this machine tells its power: energy is not measured");
    return meter && meter->sources.n;
}

static bool begin_windows(void)
{
    struct cx_power_windows *made = calloc(1, sizeof *made);
    if (!made)
        return false;
    cx_power_windows_init(made, &meter->sources);
    cx_power_meter_mark(meter, &first);
    begin = first;
    first_at = begin_at = seconds_now();
    cx_lock(&lock);
    windows = made;
    cx_power_windows_open(windows, begin_at);
    for (unsigned d = 0; d < CX_POWER_DEVICES; d++)
        if (known[d].there)
            place_device(d);
    cx_unlock(&lock);
    return true;
}

static void *sampler_main(void *unused)
{
    (void)unused;
    if (!find_sources())
        return NULL;
    cx_exit_guard_call(at_exit);
    if (begin_windows()) {
        recall_powers();
        atomic_store(&cx_power_sampling, true);
        sample();
    }
    cx_lock(&lock);
    over = true;
    pthread_cond_broadcast(&changed);
    cx_unlock(&lock);
    return NULL;
}

void cx_power_sampler_start(void)
{
    cx_lock(&lock);
    if (!started) {
        pthread_condattr_t monotonic;
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        pthread_cond_init(&changed, &monotonic);
        pthread_condattr_destroy(&monotonic);
        started = true;
        over = !cx_thread_start(NULL, sampler_main, NULL);
    }
    cx_unlock(&lock);
}
