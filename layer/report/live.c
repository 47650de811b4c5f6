/* SPDX-License-Identifier: MIT */
/*
 * The page of counters that other processes see. See live.h.
 */
#include "layer/report/live.h"
#include "layer/report/gain.h"
#include "layer/base/clock.h"
#include "layer/base/plain_file.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/base/own_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct cx_live_page own = {.nkernels = 1, .kernel[0].name = "(other kernels)"};
struct cx_live_page *cx_live = &own;
static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_LIVE);
static struct cx_gain_device *gains[CX_LIVE_KERNELS] CX_GUARDED_BY(lock); /* each one a device */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Memory that other processes of the user can map by a file of this process, or NULL. It cannot shrink, so
 * that nobody who has mapped it meets its end. */
static struct cx_live_page *map_file(int file)
{
    const off_t size = sizeof(struct cx_live_page);
    if (file < 0 || posix_fallocate(file, 0, size) != 0 || /* or it might be missing when it is written */
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        return NULL;
    void *map = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    (void)fcntl(file, F_ADD_SEALS, F_SEAL_FUTURE_WRITE); /* only by this map; since Linux 5.1 */
    return map == MAP_FAILED ? NULL : map;
}

/* The file stays open: the process shows it by that. */
static void publish(void)
{
    if (!cx_options_get()->live || !cx_plain_file_may_write(sizeof(own)))
        return;
    struct cx_own_file file = cx_own_file_keep(memfd_create(CX_LIVE_FILE, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    struct cx_live_page *page = map_file(file.descriptor);
    if (!page) {
        cx_info(CX_TOPIC_OPTIONS, "no memory for what `coexec top` shows");
        cx_own_file_close(&file);
        return;
    }
    *page = own;
    page->version = CX_LIVE_VERSION;
    page->size = sizeof(*page);
    page->pid = (int32_t)getpid();
    page->since_ns = cx_clock_ns();
    snprintf(page->balancer, sizeof(page->balancer), "%s", cx_options_algo_text());
    atomic_thread_fence(memory_order_release);
    memcpy(page->magic, CX_LIVE_MAGIC, sizeof(page->magic)); /* last: now it is whole */
    cx_live = page;
}

void cx_live_publish(void)
{
    pthread_once(&once, publish);
}

void cx_live_name_device(unsigned index, const char *name)
{
    if (index >= CX_LIVE_DEVICES)
        return;
    cx_lock(&lock);
    struct cx_live_device *device = &cx_live->device[index];
    if (!*device->name)
        snprintf(device->name, sizeof(device->name), "%s", name);
    if (atomic_load_explicit(&cx_live->ndevices, memory_order_relaxed) <= index)
        atomic_store_explicit(&cx_live->ndevices, index + 1, memory_order_release);
    cx_unlock(&lock);
}

unsigned cx_live_name_kernel(const char *name)
{
    cx_lock(&lock);
    const unsigned known = atomic_load_explicit(&cx_live->nkernels, memory_order_relaxed);
    unsigned k = 1;
    while (k < known && strncmp(cx_live->kernel[k].name, name, CX_LIVE_TEXT - 1) != 0)
        k++;
    if (k == known && k < CX_LIVE_KERNELS) {
        snprintf(cx_live->kernel[k].name, CX_LIVE_TEXT, "%s", name);
        atomic_store_explicit(&cx_live->nkernels, k + 1, memory_order_release);
    }
    cx_unlock(&lock);
    return k < CX_LIVE_KERNELS ? k : 0;
}

void cx_live_measured(unsigned kernel, unsigned device, unsigned cpu_units, uint64_t groups, uint64_t ns,
                      bool split)
{
    if (device >= CX_LIVE_DEVICES || !groups || !ns)
        return;
    cx_lock(&lock);
    if (!gains[kernel])
        gains[kernel] = calloc(CX_LIVE_DEVICES, sizeof(**gains));
    struct cx_gain_device *gain = gains[kernel] ? &gains[kernel][device] : NULL;
    if (gain) {
        gain->cpu_units = cpu_units;
        *(split ? &gain->split_groups : &gain->whole_groups) += groups;
        *(split ? &gain->split_ns : &gain->whole_ns) += ns;
    }
    cx_unlock(&lock);
}

/* What so many work-groups would take on the fastest device alone. 0: not known. */
static double alone_ns(unsigned kernel, uint64_t groups) CX_HOLDS(lock)
{
    const unsigned ndevices = atomic_load_explicit(&cx_live->ndevices, memory_order_relaxed);
    uint64_t all = 0;
    for (unsigned d = 0; gains[kernel] && d < ndevices; d++)
        all += gains[kernel][d].split_groups;
    return all ? cx_gain_alone_ns(gains[kernel], ndevices, 0, 0) * (double)groups / (double)all : 0;
}

void cx_live_split(unsigned kernel, uint64_t groups, uint64_t span_ns)
{
    cx_lock(&lock);
    const double alone = span_ns ? alone_ns(kernel, groups) : 0;
    cx_unlock(&lock);
    cx_live_add(&cx_live->kernel[kernel].split, 1);
    if (alone > 0)
        cx_live_add(&cx_live->kernel[kernel].gained_ns, (uint64_t)alone - span_ns);
}
