/* SPDX-License-Identifier: MIT */
/* Copies by several threads against memcpy: lengths about the limits, overlaps, several callers at once. */
#include "layer/base/copy.h"
#include "tap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 13 << 20 };

static unsigned char *noise(unsigned seed)
{
    unsigned char *bytes = malloc(ROOM);
    uint32_t x = seed * 2654435761u + 1;
    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < ROOM; i++) {
        x = x * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(x >> 24);
    }
    return bytes;
}

/* Copies parts of one block into another and looks at what lies around them, too. */
static void *copy_parts(void *data)
{
    const unsigned seed = *(const unsigned *)data;
    static const size_t lengths[] = {0, 1, 4095, 1 << 20, (2 << 20) - 1, 2 << 20, (5 << 20) + 4097, ROOM - 9};
    unsigned char *from = noise(seed), *to = noise(seed + 1), *want = noise(seed + 1);
    for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
        for (unsigned threads = 1; threads <= 9; threads += 2) {
            size_t at = (seed + i * threads) % 9;
            cx_copy_by(threads, to + at, from + 9 - at, lengths[i]);
            memcpy(want + at, from + 9 - at, lengths[i]);
            if (memcmp(to, want, ROOM) != 0)
                return (void *)(uintptr_t) "wrong bytes";
        }
    free(from);
    free(to);
    free(want);
    return NULL;
}

START_TEST(one_caller)
{
    unsigned seed = 7;
    ck_assert_ptr_null(copy_parts(&seed));
}
END_TEST

START_TEST(several_callers)
{
    enum { CALLERS = 3 };
    pthread_t thread[CALLERS];
    unsigned seed[CALLERS];
    for (unsigned i = 0; i < CALLERS; i++) {
        seed[i] = 100 + i;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, copy_parts, &seed[i]), 0);
    }
    for (unsigned i = 0; i < CALLERS; i++) {
        void *problem;
        ck_assert_int_eq(pthread_join(thread[i], &problem), 0);
        ck_assert_ptr_null(problem);
    }
}
END_TEST

START_TEST(overlapping)
{
    static unsigned char bytes[ROOM], want[ROOM];
    unsigned char *some = noise(3);
    memcpy(bytes, some, ROOM);
    memcpy(want, some, ROOM);
    free(some);
    cx_copy_by(4, bytes + 5, bytes, ROOM - 5);
    memmove(want + 5, want, ROOM - 5);
    ck_assert_int_eq(memcmp(bytes, want, ROOM), 0);
    cx_copy_by(4, bytes, bytes + 4096, ROOM - 4096);
    memmove(want, want + 4096, ROOM - 4096);
    ck_assert_int_eq(memcmp(bytes, want, ROOM), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bytes");
    TCase *tcase = tcase_create("bytes");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, one_caller);
    tcase_add_test(tcase, several_callers);
    tcase_add_test(tcase, overlapping);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
