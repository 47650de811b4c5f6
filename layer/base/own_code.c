/* SPDX-License-Identifier: MIT */
/*
 * Reads the library's code. See own_code.h.
 */
#include "layer/base/own_code.h"

#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { LINE = 64 };

/* Of the object that this function is in. */
static int load_ours(struct dl_phdr_info *object, size_t size, void *unused)
{
    const uintptr_t here = (uintptr_t)&load_ours;
    bool ours = false;
    (void)size;
    (void)unused;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const uintptr_t from = object->dlpi_addr + segment->p_vaddr;
        ours |= segment->p_type == PT_LOAD && from <= here && here - from < segment->p_memsz;
    }
    for (unsigned i = 0; ours && i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const uintptr_t from = object->dlpi_addr + segment->p_vaddr, to = from + segment->p_filesz;
        const bool reads = segment->p_type == PT_LOAD && segment->p_flags & PF_R && segment->p_flags & PF_X;
        for (uintptr_t at = from; reads && at < to; at += LINE)
            (void)*(const volatile char *)at;
    }
    return ours;
}

static void load(void)
{
    (void)dl_iterate_phdr(load_ours, NULL);
}

void cx_own_code_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
}
