/* SPDX-License-Identifier: MIT */
/*
 * Pages for host copies. See host_pages.h.
 */
#include "layer/host_pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LARGE = 2 << 20
}; /* a large page of x86 and of most Arm systems; a wrong guess costs nothing but them */

static unsigned char *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void *cx_host_pages_take(size_t bytes)
{
    void *memory = NULL;
    if (bytes < LARGE) /* a map of its own for each of thousands of short ones would be too many */
        return posix_memalign(&memory, (size_t)sysconf(_SC_PAGESIZE), bytes) == 0 ? memory : NULL;
    unsigned char *whole = bytes <= SIZE_MAX - LARGE ? map(bytes + LARGE) : NULL;
    if (!whole)
        return NULL;
    const size_t before = (LARGE - (uintptr_t)whole % LARGE) % LARGE;
    if (before)
        munmap(whole, before);
    munmap(whole + before + bytes, LARGE - before);
    madvise(whole + before, bytes, MADV_HUGEPAGE); /* a wish */
    return whole + before;
}

void cx_host_pages_give(void *memory, size_t bytes)
{
    if (memory && bytes >= LARGE)
        munmap(memory, bytes);
    else
        free(memory);
}

void cx_host_pages_touch(void *memory, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile unsigned char *at = memory;
    for (size_t i = 0; i < bytes; i += page)
        at[i] = 0;
}
