/* SPDX-License-Identifier: MIT */
/*
 * Pools of pinned pages on a made-up driver that counts: reuse, the bound, giving back, several threads.
 * Every test runs in a process of its own and ends with nothing registered.
 */
#include "capture.h"
#include "layer/base/host_pages.h"
#include "layer/base/options.h"
#include "layer/memory/pinned_pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MB ((size_t)1 << 20)

/* ---- a driver ---- */

static atomic_int live_buffers, live_queues, live_maps, made;
static atomic_bool refuses;

/* Its objects are the addresses they were made with. */
static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                        cl_int *error)
{
    (void)context;
    ck_assert_uint_eq(flags, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR);
    ck_assert_uint_eq((uintptr_t)host % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
    ck_assert_uint_eq(size % (size_t)sysconf(_SC_PAGESIZE), 0);
    *error = atomic_load(&refuses) ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS;
    if (*error)
        return NULL;
    atomic_fetch_add(&live_buffers, 1);
    atomic_fetch_add(&made, 1);
    return host;
}

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                                 cl_command_queue_properties properties, cl_int *error)
{
    (void)context, (void)device, (void)properties;
    *error = CL_SUCCESS;
    atomic_fetch_add(&live_queues, 1);
    return (cl_command_queue)(void *)&live_queues;
}

static void *CL_API_CALL map(cl_command_queue queue, cl_mem mem, cl_bool blocking, cl_map_flags flags,
                             size_t offset, size_t size, cl_uint nwait, const cl_event *list, cl_event *event,
                             cl_int *error)
{
    (void)queue, (void)offset, (void)size, (void)nwait, (void)list, (void)event;
    ck_assert(blocking);
    ck_assert_uint_eq(flags, CL_MAP_WRITE_INVALIDATE_REGION);
    *error = CL_SUCCESS;
    atomic_fetch_add(&live_maps, 1);
    return mem;
}

static cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem mem, void *pointer, cl_uint nwait,
                                const cl_event *list, cl_event *event)
{
    (void)queue, (void)nwait, (void)list, (void)event;
    ck_assert_ptr_eq((void *)mem, pointer);
    atomic_fetch_sub(&live_maps, 1);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    (void)queue;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_buffer(cl_mem mem)
{
    (void)mem;
    atomic_fetch_sub(&live_buffers, 1);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_queue(cl_command_queue queue)
{
    (void)queue;
    atomic_fetch_sub(&live_queues, 1);
    return CL_SUCCESS;
}

static cl_icd_dispatch calls = {
    .clCreateBuffer = create_buffer,
    .clCreateCommandQueue = create_queue,
    .clEnqueueMapBuffer = map,
    .clEnqueueUnmapMemObject = unmap,
    .clFinish = finish,
    .clReleaseMemObject = release_buffer,
    .clReleaseCommandQueue = release_queue,
};
static const struct cx_real_device device = {
    .cl = &calls, .name = (char[]){"made up"}, .type = CL_DEVICE_TYPE_GPU, .limits.max_alloc = 64 << 20};

/* ---- tests ---- */

static struct cx_pages *take(struct cx_pinned_pool *pool, size_t bytes)
{
    struct cx_pages *pages = cx_pinned_pool_take(pool, bytes, true);
    ck_assert_ptr_nonnull(pages);
    ck_assert_uint_ge(pages->bytes, bytes);
    memset(pages->memory, 0x3c, bytes);
    return pages;
}

static bool pin(struct cx_pages *pages)
{
    bool again;
    return cx_pinned_pool_pin(pages, NULL, &device, &again);
}

static struct cx_pinned_numbers numbers(void)
{
    struct cx_pinned_numbers now;
    cx_pinned_get(&now);
    return now;
}

static void nothing_is_left(void)
{
    ck_assert_int_eq(atomic_load(&live_buffers), 0);
    ck_assert_int_eq(atomic_load(&live_queues), 0);
    ck_assert_int_eq(atomic_load(&live_maps), 0);
    ck_assert_uint_eq(numbers().now, 0);
}

START_TEST(reuse)
{
    struct cx_pinned_pool pool = {0};
    struct cx_pages *a = take(&pool, 8 * MB - 5), *b = take(&pool, 2 * MB), *c;
    unsigned char *memory = a->memory;
    set_environment("COEXEC_PINNED_MAX", "1G", NULL);
    ck_assert(pin(a));
    ck_assert(pin(b));
    cx_pinned_pool_give(&pool, &a);
    ck_assert_ptr_null(a);
    c = take(&pool, 4 * MB); /* the free ones are too large to be wasted on it */
    ck_assert(!atomic_load(&c->pinned));
    a = take(&pool, 7 * MB);
    ck_assert(atomic_load(&a->pinned));
    ck_assert_ptr_eq(a->memory, memory);
    ck_assert_int_eq(atomic_load(&made), 2);
    ck_assert_uint_eq(numbers().reused, 1);
    ck_assert_uint_eq(numbers().now, 10 * MB);
    cx_pinned_pool_give(&pool, &c); /* never pinned: freed */
    cx_pinned_pool_give(&pool, &a);
    cx_pinned_pool_give(&pool, &b);
    cx_pinned_pool_give(&pool, &b);
    cx_pinned_pool_finish(&pool);
    nothing_is_left();
}
END_TEST

START_TEST(best_fit)
{
    static const size_t sizes[] = {20, 18, 17, 19, 16};
    struct cx_pinned_pool pool = {0};
    struct cx_pages *pages[5];
    set_environment("COEXEC_PINNED_MAX", "1G", NULL);
    for (unsigned i = 0; i < 5; i++) {
        pages[i] = take(&pool, sizes[i] * MB);
        ck_assert(pin(pages[i]));
    }
    for (unsigned i = 0; i < 5; i++)
        cx_pinned_pool_give(&pool, &pages[i]);
    for (unsigned i = 0; i < 5; i++) {
        pages[i] = take(&pool, 16 * MB);
        ck_assert_uint_eq(pages[i]->bytes, (16 + i) * MB);
    }
    for (unsigned i = 0; i < 5; i++)
        cx_pinned_pool_give(&pool, &pages[i]);
    cx_pinned_pool_finish(&pool);
    nothing_is_left();
}
END_TEST

START_TEST(bound)
{
    struct cx_pinned_pool pool = {0}, other = {0};
    struct cx_pages *a = take(&pool, 6 * MB), *b = take(&pool, 5 * MB), *c = take(&other, 4 * MB);
    bool again = false;
    set_environment("COEXEC_PINNED_MAX", "10M", NULL);
    ck_assert(pin(a));
    ck_assert(!cx_pinned_pool_pin(b, NULL, &device, &again));
    ck_assert(again);
    ck_assert_uint_eq(numbers().refused, 1);
    ck_assert_uint_eq(numbers().refused_bytes, 5 * MB);
    ck_assert(pin(c));
    ck_assert(!cx_pinned_reserve(1));
    cx_pinned_pool_give(&pool, &a); /* free pages make room, also in another context's pool */
    ck_assert(cx_pinned_reserve(5 * MB));
    ck_assert_int_eq(atomic_load(&live_buffers), 1);
    cx_pinned_release(5 * MB);
    ck_assert(pin(b));
    ck_assert_uint_eq(numbers().now, 9 * MB);
    ck_assert_uint_eq(numbers().most, 10 * MB);
    cx_pinned_pool_give(&pool, &b);
    cx_pinned_pool_give(&other, &c);
    struct cx_pages *d = take(&other, 10 * MB); /* all free pages go for it, the oldest first */
    ck_assert(pin(d));
    ck_assert_int_eq(atomic_load(&live_buffers), 1);
    cx_pinned_pool_give(&other, &d);
    cx_pinned_pool_finish(&pool);
    cx_pinned_pool_finish(&other);
    nothing_is_left();
}
END_TEST

START_TEST(none)
{
    struct cx_pinned_pool pool = {0};
    struct cx_pages *a = take(&pool, 6 * MB);
    bool again = true;
    set_environment("COEXEC_PINNED_MAX", "0", NULL);
    ck_assert(!cx_pinned_pool_pin(a, NULL, &device, &again));
    ck_assert(!again);
    ck_assert_int_eq(atomic_load(&made), 0);
    ck_assert_uint_eq(numbers().refused, 0);
    cx_pinned_pool_give(&pool, &a);
    cx_pinned_pool_finish(&pool);
    nothing_is_left();
}
END_TEST

START_TEST(driver_refuses)
{
    struct cx_pinned_pool pool = {0};
    struct cx_pages *a = take(&pool, 2 * MB), *large = take(&pool, 65 * MB);
    bool again = true;
    set_environment("COEXEC_PINNED_MAX", "1G", NULL);
    atomic_store(&refuses, true);
    ck_assert(!cx_pinned_pool_pin(a, NULL, &device, &again));
    ck_assert(!again);
    ck_assert(!atomic_load(&a->pinned));
    atomic_store(&refuses, false);
    ck_assert(!pin(large)); /* over the device's largest buffer */
    nothing_is_left();
    cx_pinned_pool_give(&pool, &a);
    cx_pinned_pool_give(&pool, &large);
    cx_pinned_pool_finish(&pool);
}
END_TEST

START_TEST(idle)
{
    struct cx_pinned_pool pool = {0};
    set_environment("COEXEC_PINNED_MAX", "1G", NULL);
    for (unsigned round = 0; round < 2; round++) { /* the thread is there for the second one */
        struct cx_pages *a = take(&pool, 2 * MB), *b = take(&pool, 3 * MB);
        ck_assert(pin(a) && pin(b));
        cx_pinned_pool_give(&pool, &a);
        cx_pinned_pool_give(&pool, &b);
        ck_assert_int_eq(atomic_load(&live_buffers), 2);
        while (numbers().now) /* the test's time limit ends it */
            usleep(20000);
        nothing_is_left();
        ck_assert_uint_eq(numbers().idle, 2 * (round + 1));
    }
    cx_pinned_pool_finish(&pool);
}
END_TEST

/* Threads take, pin and give pages of two pools, with a bound that refuses some and evicts often. */
static struct cx_pinned_pool shared[2];

static void *churn(void *data)
{
    unsigned x = *(const unsigned *)data;
    struct cx_pages *held[4] = {0};
    for (unsigned i = 0; i < 3000; i++) {
        x = x * 1664525u + 1013904223u;
        const unsigned slot = x >> 30, which = slot & 1;
        if (held[slot]) {
            for (size_t at = 0; at < held[slot]->bytes; at += 65536)
                if (held[slot]->memory[at] != (unsigned char)slot)
                    return (void *)(uintptr_t) "pages that are taken twice";
            cx_pinned_pool_give(&shared[which], &held[slot]);
            continue;
        }
        held[slot] = cx_pinned_pool_take(&shared[which], ((x >> 20 & 7) + 1) * 65536, true);
        if (!held[slot])
            return (void *)(uintptr_t) "no memory";
        for (size_t at = 0; at < held[slot]->bytes; at += 65536)
            held[slot]->memory[at] = (unsigned char)slot;
        bool again;
        if (!atomic_load(&held[slot]->pinned) && (x >> 16 & 3))
            cx_pinned_pool_pin(held[slot], NULL, &device, &again);
        if (numbers().now > 2 * MB)
            return (void *)(uintptr_t) "more is pinned than may be";
    }
    for (unsigned slot = 0; slot < 4; slot++)
        cx_pinned_pool_give(&shared[slot & 1], &held[slot]);
    return NULL;
}

START_TEST(threads)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    unsigned seed[THREADS];
    set_environment("COEXEC_PINNED_MAX", "2M", NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        seed[i] = 77 + 1000 * i;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, churn, &seed[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *problem;
        ck_assert_int_eq(pthread_join(thread[i], &problem), 0);
        ck_assert_msg(!problem, "%s", (const char *)problem);
    }
    ck_assert_uint_gt(numbers().reused, 0);
    ck_assert_uint_gt(numbers().refused, 0);
    cx_pinned_pool_finish(&shared[0]);
    cx_pinned_pool_finish(&shared[1]);
    nothing_is_left();
}
END_TEST

/* Pages of this process, as the system counts them. */
static unsigned long mapped_pages(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    return pages;
}

/*
 * Short ones and long ones, about the size of a large page, are ours from end to end and go as they came.
 * Short ones come from the allocator, which keeps what is freed (AddressSanitizer's 256 MB of it) and which
 * LeakSanitizer looks after: they are had in the first round alone, after which the process does not grow.
 */
START_TEST(host_pages)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE),
                 sizes[] = {page, 2 * MB - page, 2 * MB, 2 * MB + page, 7 * MB + 3 * page, 32 * MB};
    unsigned long before = 0;
    for (unsigned round = 0; round < 50; round++) {
        unsigned char *pages[6] = {NULL};
        for (unsigned i = round ? 2 : 0; i < 6; i++) {
            pages[i] = cx_host_pages_take(sizes[i]);
            ck_assert_ptr_nonnull(pages[i]);
            ck_assert_uint_eq((uintptr_t)pages[i] % page, 0);
            if (round % 10 == 0)
                memset(pages[i], (int)i + 1, sizes[i] + cx_host_pages_margin(sizes[i]));
        }
        for (unsigned i = round ? 2 : 0; i < 6 && round % 10 == 0; i++)
            for (size_t at = 0; at < sizes[i]; at += page)
                ck_assert(pages[i][at] == i + 1 && pages[i][at + page - 1] == i + 1);
        cx_host_pages_touch(pages[4], sizes[4]);
        for (unsigned i = 0; i < 6; i++)
            cx_host_pages_give(pages[i], sizes[i]);
        if (round == 0)
            before = mapped_pages();
    }
    ck_assert_uint_le(mapped_pages(), before + 8 * MB / page); /* one round has 45 MB */
    ck_assert_ptr_null(cx_host_pages_take(SIZE_MAX / page * page));
    cx_host_pages_give(NULL, page);
}
END_TEST

/* The margins are there to read and write. */
START_TEST(margins)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE),
                 sizes[] = {page, 8 * page, MB, 2 * MB, 5 * MB, 64 * MB};
    ck_assert_uint_eq(cx_host_pages_margin(page), 16 << 10);
    ck_assert_uint_eq(cx_host_pages_margin(MB), MB);
    ck_assert_uint_eq(cx_host_pages_margin(64 * MB), 2 * MB);
    for (unsigned i = 0; i < 6; i++) {
        const size_t margin = cx_host_pages_margin(sizes[i]);
        unsigned char *memory = cx_host_pages_take(sizes[i]);
        ck_assert_ptr_nonnull(memory);
        for (volatile unsigned char *at = memory + sizes[i]; at < memory + sizes[i] + margin; at += page)
            *at = (unsigned char)(*at + 1);
        if (sizes[i] >= 2 * MB) {
            volatile unsigned char *at = memory - (64 << 10);
            *at = (unsigned char)(*at + 1);
        }
        cx_host_pages_give(memory, sizes[i]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pool");
    TCase *tcase = tcase_create("pool");
    tcase_add_checked_fixture(tcase, clean_environment, NULL);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, reuse);
    tcase_add_test(tcase, best_fit);
    tcase_add_test(tcase, bound);
    tcase_add_test(tcase, none);
    tcase_add_test(tcase, driver_refuses);
    tcase_add_test(tcase, idle);
    tcase_add_test(tcase, threads);
    tcase_add_test(tcase, host_pages);
    tcase_add_test(tcase, margins);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
