/* SPDX-License-Identifier: MIT */
/*
 * Pools of pinned host memory. See pinned_pool.h.
 *
 * A thread of the process, made with the first free pages, gives back those that lie idle. It stays, asleep
 * while there are none.
 */
#include "layer/memory/pinned_pool.h"
#include "layer/timeline/command.h"
#include "layer/base/host_pages.h"
#include "layer/base/log.h"
#include "layer/base/callback_thread.h"
#include "layer/base/options.h"
#include "layer/base/lock.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define IDLE_NS UINT64_C(2000000000)

static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_PINNED_POOL); /* guards all that follows, and pools */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;       /* a pool's `busy` fell */
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER;         /* there are free pages */
static struct cx_pinned_pool *pools CX_GUARDED_BY(lock);        /* with free pages */
static struct cx_pinned_numbers numbers CX_GUARDED_BY(lock);
static bool keeping CX_GUARDED_BY(lock); /* the thread runs */

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* ---- pinning ---- */

static bool register_pages(struct cx_pages *pages, cl_context context)
{
    const cl_icd_dispatch *cl = pages->device->cl;
    cl_int error;
    pages->registered = cl->clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, pages->bytes,
                                           pages->memory, &error);
    if (error != CL_SUCCESS) {
        pages->registered = NULL;
        return false;
    }
    pages->queue = cl->clCreateCommandQueue(context, pages->device->id, 0, &error);
    if (error != CL_SUCCESS) {
        pages->queue = NULL;
        return false;
    }
    /* invalidating: the registered buffer has no contents of its own that could overwrite the pages */
    pages->mapped =
        cl->clEnqueueMapBuffer(pages->queue, pages->registered, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                               pages->bytes, 0, NULL, NULL, &error);
    if (error != CL_SUCCESS)
        pages->mapped = NULL;
    return pages->mapped != NULL;
}

static void unregister_pages(struct cx_pages *pages)
{
    const cl_icd_dispatch *cl = pages->device ? pages->device->cl : NULL;
    if (pages->mapped) {
        cl->clEnqueueUnmapMemObject(pages->queue, pages->registered, pages->mapped, 0, NULL, NULL);
        cl->clFinish(pages->queue);
    }
    if (pages->queue)
        cl->clReleaseCommandQueue(pages->queue);
    if (pages->registered)
        cl->clReleaseMemObject(pages->registered);
    pages->mapped = NULL;
    pages->queue = NULL;
    pages->registered = NULL;
}

static void pages_free(struct cx_pages *pages)
{
    const bool pinned = atomic_load(&pages->pinned);
    unregister_pages(pages);
    if (pinned)
        cx_pinned_release(pages->bytes);
    cx_host_pages_give(pages->memory, pages->bytes);
    free(pages);
}

/* ---- free pages ---- */

/* lock held */
static void list_pool(struct cx_pinned_pool *pool) CX_HOLDS(lock)
{
    if (pool->listed)
        return;
    pool->listed = true;
    pool->next = pools;
    pools = pool;
}

/* lock held: a pool with nothing free leaves the list. */
static void unlist_pool(struct cx_pinned_pool *pool)
{
    if (!pool->listed || pool->free)
        return;
    struct cx_pinned_pool **link = &pools;
    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    pool->listed = false;
}

/* Takes out the pages that have been free longest of all, and since `before` at least. lock held. */
static struct cx_pages *take_oldest(uint64_t before, struct cx_pinned_pool **of) CX_HOLDS(lock)
{
    struct cx_pages **oldest = NULL;
    for (struct cx_pinned_pool *pool = pools; pool; pool = pool->next) {
        struct cx_pages **last = &pool->free;
        while ((*last)->next)
            last = &(*last)->next;
        if ((*last)->free_since_ns <= before &&
            (!oldest || (*last)->free_since_ns < (*oldest)->free_since_ns)) {
            oldest = last;
            *of = pool;
        }
    }
    if (!oldest)
        return NULL;
    struct cx_pages *pages = *oldest;
    *oldest = NULL;
    (*of)->busy++;
    unlist_pool(*of);
    return pages;
}

/* lock held, and free for a while: gives pages back to their driver and to the system. */
static void drop(struct cx_pages *pages, struct cx_pinned_pool *pool) CX_HOLDS(lock)
{
    cx_unlock(&lock);
    pages_free(pages);
    cx_lock(&lock);
    pool->busy--;
    pthread_cond_broadcast(&changed);
}

/* When the pages free longest have lain idle. lock held; there are some. */
static uint64_t next_due(void) CX_HOLDS(lock)
{
    uint64_t oldest = UINT64_MAX;
    for (const struct cx_pinned_pool *pool = pools; pool; pool = pool->next) {
        const struct cx_pages *last = pool->free;
        while (last->next)
            last = last->next;
        oldest = last->free_since_ns < oldest ? last->free_since_ns : oldest;
    }
    return oldest + IDLE_NS;
}

static void keep(void *unused)
{
    (void)unused;
    cx_lock(&lock);
    for (;;) {
        struct cx_pinned_pool *pool = NULL;
        struct timespec until;
        if (!pools) {
            cx_lock_wait(&freed, &lock);
            continue;
        }
        uint64_t now = cx_clock_ns(), due = next_due();
        struct cx_pages *pages = now >= due ? take_oldest(now - IDLE_NS, &pool) : NULL;
        if (pages) {
            numbers.idle++;
            drop(pages, pool);
            continue;
        }
        const uint64_t pause = due > now ? due - now : 1;
        clock_gettime(CLOCK_REALTIME, &until);
        uint64_t at = (uint64_t)until.tv_nsec + pause;
        until.tv_sec += (time_t)(at / 1000000000u);
        until.tv_nsec = (long)(at % 1000000000u);
        cx_lock_wait_until(&freed, &lock, &until);
    }
}

struct cx_pages *cx_pinned_pool_take(struct cx_pinned_pool *pool, size_t bytes, bool pins)
{
    const size_t page = page_size(), whole = (bytes + page - 1) / page * page;
    struct cx_pages **best = NULL, *pages;
    cx_lock(&lock);
    for (struct cx_pages **link = &pool->free; *link; link = &(*link)->next)
        if ((*link)->bytes >= whole && (*link)->bytes - whole <= whole / 4 &&
            (!best || (*link)->bytes < (*best)->bytes))
            best = link;
    pages = best ? *best : NULL;
    if (pages) {
        *best = pages->next;
        pages->next = NULL;
        numbers.reused++;
        unlist_pool(pool);
    }
    cx_unlock(&lock);
    if (pages)
        return pages;
    pages = calloc(1, sizeof(*pages));
    void *memory = pages && whole >= bytes ? cx_host_pages_take(whole ? whole : page) : NULL;
    if (!memory) {
        free(pages);
        return NULL;
    }
    if (pins)
        cx_host_pages_wish_large(memory, whole);
    pages->memory = memory;
    pages->bytes = whole;
    return pages;
}

void cx_pinned_pool_give(struct cx_pinned_pool *pool, struct cx_pages **given)
{
    struct cx_pages *pages = *given;
    *given = NULL;
    if (!pages)
        return;
    if (!atomic_load(&pages->pinned)) {
        pages_free(pages);
        return;
    }
    cx_lock(&lock);
    pages->free_since_ns = cx_clock_ns();
    pages->next = pool->free;
    pool->free = pages;
    list_pool(pool);
    bool start = !keeping;
    keeping = true;
    pthread_cond_signal(&freed);
    cx_unlock(&lock);
    if (!start || cx_callback_thread_detach(keep, NULL))
        return;
    cx_lock(&lock); /* without the thread they stay until the context goes or room is needed */
    keeping = false;
    cx_unlock(&lock);
}

void cx_pinned_pool_drop(struct cx_pages **pages)
{
    if (*pages)
        pages_free(*pages);
    *pages = NULL;
}

bool cx_pinned_pool_pin(struct cx_pages *pages, cl_context context, const struct cx_real_device *device,
                        bool *again)
{
    *again = false;
    if (pages->bytes > device->limits.max_alloc)
        return false;
    if (!cx_pinned_reserve(pages->bytes)) {
        *again = cx_options_get()->pinned_max > 0;
        return false;
    }
    pages->device = device;
    if (!register_pages(pages, context)) {
        unregister_pages(pages);
        cx_pinned_release(pages->bytes);
        return false;
    }
    cx_lock(&lock);
    numbers.pinned++;
    cx_unlock(&lock);
    atomic_store(&pages->pinned, true);
    return true;
}

void cx_pinned_pool_finish(struct cx_pinned_pool *pool)
{
    cx_lock(&lock);
    struct cx_pages *pages = pool->free;
    pool->free = NULL;
    unlist_pool(pool);
    while (pool->busy)
        cx_lock_wait(&changed, &lock);
    cx_unlock(&lock);
    while (pages) {
        struct cx_pages *next = pages->next;
        pages_free(pages);
        pages = next;
    }
}

struct cx_pinned_pool *cx_pinned_pool_new(void)
{
    return calloc(1, sizeof(struct cx_pinned_pool));
}

void cx_pinned_pool_delete(struct cx_pinned_pool *pool)
{
    if (pool)
        cx_pinned_pool_finish(pool);
    free(pool);
}

/* ---- the bound ---- */

bool cx_pinned_reserve(uint64_t bytes)
{
    const uint64_t bound = cx_options_get()->pinned_max;
    bool fits = bytes <= bound;
    if (!bound)
        return false;
    cx_lock(&lock);
    while (fits && numbers.now + bytes > bound) {
        struct cx_pinned_pool *pool = NULL;
        struct cx_pages *pages = take_oldest(UINT64_MAX, &pool);
        fits = pages != NULL;
        if (pages)
            drop(pages, pool);
    }
    if (fits) {
        numbers.now += bytes;
        numbers.most = numbers.now > numbers.most ? numbers.now : numbers.most;
    } else {
        numbers.refused++;
        numbers.refused_bytes += bytes;
    }
    cx_unlock(&lock);
    if (!fits)
        cx_log_once(CX_LEVEL_INFO, CX_TOPIC_DATA,
                    "COEXEC_PINNED_MAX is reached: more host memory moves without being pinned\n");
    return fits;
}

void cx_pinned_release(uint64_t bytes)
{
    cx_lock(&lock);
    numbers.now -= bytes;
    cx_unlock(&lock);
}

void cx_pinned_get(struct cx_pinned_numbers *out)
{
    cx_lock(&lock);
    *out = numbers;
    cx_unlock(&lock);
    out->bound = cx_options_get()->pinned_max;
}

void cx_pinned_print(FILE *out)
{
    struct cx_pinned_numbers pinned;
    cx_pinned_get(&pinned);
    if (!pinned.most && !pinned.refused)
        return;
    fprintf(out, "  pinned memory: %.3f MB at most, of %.3f MB; pinned %llu times, reused %llu times",
            (double)pinned.most / 1e6, (double)pinned.bound / 1e6, (unsigned long long)pinned.pinned,
            (unsigned long long)pinned.reused);
    if (pinned.refused)
        fprintf(out, "; COEXEC_PINNED_MAX was in the way %llu times, for %.3f MB",
                (unsigned long long)pinned.refused, (double)pinned.refused_bytes / 1e6);
    fprintf(out, "\n");
}
