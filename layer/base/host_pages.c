/* SPDX-License-Identifier: MIT */
/*
 * Pages for host copies. See host_pages.h.
 */
#include "layer/base/host_pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LARGE = 2 << 20,   /* a large page of x86 and of most Arm systems; a wrong guess costs nothing but them */
    BEFORE = 64 << 10, /* margins, see host_pages.h */
    LEAST_BEHIND = 16 << 10
};

static unsigned char *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

size_t cx_host_pages_margin(size_t bytes)
{
    const size_t least = bytes > LEAST_BEHIND ? bytes : LEAST_BEHIND;
    return least < LARGE ? least : LARGE;
}

void *cx_host_pages_take(size_t bytes)
{
    const size_t margins = BEFORE + cx_host_pages_margin(bytes);
    void *memory = NULL;
    if (bytes < LARGE) /* a map of its own for each of thousands of short ones would be too many */
        return posix_memalign(&memory, (size_t)sysconf(_SC_PAGESIZE), bytes + cx_host_pages_margin(bytes)) ==
                       0
                   ? memory
                   : NULL;
    unsigned char *whole = bytes <= SIZE_MAX - LARGE - margins ? map(bytes + LARGE + margins) : NULL;
    if (!whole)
        return NULL;
    const size_t unused = (LARGE - (uintptr_t)(whole + BEFORE) % LARGE) % LARGE;
    if (unused)
        munmap(whole, unused);
    munmap(whole + unused + bytes + margins, LARGE - unused);
    return whole + unused + BEFORE;
}

void cx_host_pages_wish_large(void *memory, size_t bytes)
{
    if (bytes >= LARGE)
        madvise(memory, bytes, MADV_HUGEPAGE);
}

void cx_host_pages_give(void *memory, size_t bytes)
{
    if (memory && bytes >= LARGE)
        munmap((unsigned char *)memory - BEFORE, BEFORE + bytes + cx_host_pages_margin(bytes));
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
