/* SPDX-License-Identifier: MIT */
/* Chunks copied by several threads, against what one thread alone does: each once, none before it is allowed,
 * all that are awaited; by none to seven threads that take any time, by several callers at once, ended early.
 */
#include "layer/base/copy_chunks.h"
#include "tap.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 300 };

struct job {
    unsigned seed;
    atomic_size_t allowed;
    atomic_uint times[MOST];
    unsigned
        plain[MOST]; /* written by whoever copies, read by the caller afterwards: ThreadSanitizer looks */
    atomic_bool over, wrong;
};

static unsigned random_of(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void copy(void *data, size_t index)
{
    struct job *job = data;
    unsigned state = job->seed + (unsigned)index;
    const unsigned chance = random_of(&state) % 8;
    if (index >= atomic_load(&job->allowed) || atomic_load(&job->over))
        atomic_store(&job->wrong, true);
    if (chance == 0)
        nanosleep(&(struct timespec){0, 200000}, NULL);
    else if (chance < 4)
        sched_yield();
    job->plain[index] = (unsigned)index + job->seed;
    atomic_fetch_add(&job->times[index], 1);
}

/* One transfer, as a ring would do it: so many chunks are allowed beyond the one that is awaited. */
static const char *transfer(unsigned seed, unsigned threads, size_t total, size_t ahead, size_t until)
{
    struct job *job = calloc(1, sizeof(*job));
    struct cx_copy_chunks chunks;
    const char *problem = NULL;
    if (!job)
        return "no memory";
    job->seed = seed;
    cx_copy_chunks_begin(&chunks, threads, total, copy, job);
    for (size_t k = 0; k < until && !problem; k++) {
        const size_t end = k + ahead < total ? k + ahead : total;
        atomic_store(&job->allowed, end);
        cx_copy_chunks_allow(&chunks, end);
        cx_copy_chunks_await(&chunks, k);
        if (job->plain[k] != k + seed || atomic_load(&job->times[k]) != 1)
            problem = "a chunk is not as it should be when it was awaited";
    }
    cx_copy_chunks_end(&chunks);
    atomic_store(&job->over, true);
    for (size_t k = 0; k < total && !problem; k++)
        if (atomic_load(&job->times[k]) > 1 || (k < until && atomic_load(&job->times[k]) != 1))
            problem = "a chunk was copied twice, or not at all";
    if (atomic_load(&job->wrong))
        problem = "a chunk was copied before it was allowed, or after the end";
    free(job);
    return problem;
}

static void *transfers(void *data)
{
    unsigned state = *(const unsigned *)data;
    const char *problem = NULL;
    for (unsigned i = 0; i < 60 && !problem; i++) {
        const size_t total = 1 + random_of(&state) % (i % 3 ? 40 : MOST);
        const size_t ahead = 1 + random_of(&state) % (i % 2 ? 8 : CX_COPY_CHUNKS_AHEAD);
        const size_t until = random_of(&state) % 4 ? total : random_of(&state) % (total + 1);
        problem = transfer(random_of(&state), random_of(&state) % 9, total, ahead, until);
    }
    return (void *)(uintptr_t)problem;
}

START_TEST(one_caller)
{
    unsigned seed = (unsigned)_i + 1;
    const char *problem = transfers(&seed);
    ck_assert_msg(!problem, "%s", problem);
}
END_TEST

/* More than there are threads for: those without do it themselves. */
START_TEST(several_callers)
{
    enum { CALLERS = 6 };
    pthread_t thread[CALLERS];
    unsigned seed[CALLERS];
    for (unsigned i = 0; i < CALLERS; i++) {
        seed[i] = 100 + i;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, transfers, &seed[i]), 0);
    }
    for (unsigned i = 0; i < CALLERS; i++) {
        void *problem;
        ck_assert_int_eq(pthread_join(thread[i], &problem), 0);
        ck_assert_msg(!problem, "%s", (const char *)problem);
    }
}
END_TEST

static void nothing(void *job, size_t index)
{
    (void)index;
    ck_assert_ptr_null(job); /* never */
}

START_TEST(none)
{
    struct cx_copy_chunks chunks;
    int any;
    cx_copy_chunks_begin(&chunks, 7, 0, nothing, &any);
    cx_copy_chunks_end(&chunks);
    cx_copy_chunks_begin(&chunks, 7, 20, nothing, &any);
    cx_copy_chunks_end(&chunks);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("chunks");
    TCase *tcase = tcase_create("chunks");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, one_caller, 0, 4);
    tcase_add_test(tcase, several_callers);
    tcase_add_test(tcase, none);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
