/* SPDX-License-Identifier: MIT */
/*
 * Loaded before a program (LD_PRELOAD): once lack_begin() was called, the LACK_AT-th request for memory that
 * libcoexec.so itself makes is refused. lack_seen() gives how many there were.
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size), *__libc_calloc(size_t count, size_t size),
    *__libc_realloc(void *old, size_t size), *__libc_memalign(size_t align, size_t size);
void lack_begin(void);
unsigned long lack_seen(void);

static _Atomic uintptr_t first, end; /* the layer's code; 0: not begun */
static atomic_ulong seen;
static unsigned long at;

static int find(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (unsigned i = 0; i < info->dlpi_phnum && strstr(info->dlpi_name, "libcoexec.so"); i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            atomic_store(&end, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz);
            atomic_store(&first, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        }
    return 0;
}

void lack_begin(void)
{
    const char *text = getenv("LACK_AT");
    at = text ? strtoul(text, NULL, 10) : 0;
    dl_iterate_phdr(find, NULL);
}

unsigned long lack_seen(void)
{
    return atomic_load(&seen);
}

static bool refused(const void *caller)
{
    const uintptr_t from = (uintptr_t)caller;
    return atomic_load(&first) && from >= atomic_load(&first) && from < atomic_load(&end) &&
           atomic_fetch_add(&seen, 1) + 1 == at;
}

void *malloc(size_t size)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

int posix_memalign(void **memory, size_t align, size_t size)
{
    *memory = refused(__builtin_return_address(0)) ? NULL : __libc_memalign(align, size);
    return *memory ? 0 : ENOMEM;
}
