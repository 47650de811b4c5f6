/* SPDX-License-Identifier: MIT */
/*
 * What is left to do at exit() asks for no large memory, and frees none: glibc then puts together all small
 * pieces that the program has freed, which takes a tenth of a second for some millions of them. This program
 * has the allocator's functions of its own, which tell. Two stub devices; what a process learned is written.
 */
#include "begin_fixture.h"
#include "cl_folder.h"

#include <fcntl.h>
#include <glob.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From which size on glibc's malloc() and free() may go over all small pieces. */
enum { LARGE = 1024, LARGE_FREED = 32768 };

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static volatile int tells = -1; /* a file, once main is over */

static void tell(const char *call, size_t size)
{
    char line[64];
    const int file = tells;
    if (file < 0)
        return;
    const int length = snprintf(line, sizeof(line), "%s %zu\n", call, size);
    if (write(file, line, (size_t)length) != length)
        _exit(3);
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    if (size >= LARGE)
        tell("malloc", size);
    return __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    if (count * size >= LARGE)
        tell("calloc", count * size);
    return __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *memory, size_t size)
{
    if (size >= LARGE)
        tell("realloc", size);
    return __libc_realloc(memory, size);
}

__attribute__((visibility("default"))) void free(void *memory)
{
    if (tells >= 0 && memory && malloc_usable_size(memory) >= LARGE_FREED)
        tell("free", malloc_usable_size(memory));
    __libc_free(memory);
}

static bool releases;

static void learn_and_end(void)
{
    begin_open("0.2"); /* 20 ms each */
    begin_launch_until_shared(N);
    begin_launch_each(3, N);
    if (releases)
        begin_end(N);
    tells = open(cl_folder_path("large"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    void *volatile memory = calloc(1, LARGE); /* which is told */
    free(memory);
}

START_TEST(nothing_large_at_exit)
{
    glob_t found;
    releases = _i;
    begin_keep_analysis();
    begin_in_a_process(learn_and_end);
    ck_assert_int_eq(glob(cl_folder_path("cache/knowledge/new.*"), 0, NULL, &found), 0);
    globfree(&found);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("large"), "calloc 1024"), 1);
    ck_assert_uint_eq(cl_lines_with(cl_folder_path("large"), ""), 1);
    cl_folder_remove();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ending");
    TCase *tcase = tcase_create("ending");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, nothing_large_at_exit, 0, 2);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
