/* SPDX-License-Identifier: MIT */
/*
 * The registry of live handles. See handle_set.h.
 */
#include "layer/object/handle_set.h"
#include "layer/base/lock.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
/* Its own answer to a lack of memory is exit(). */
#define HASH_NONFATAL_OOM            1
#define uthash_nonfatal_oom(element) ((element)->left_out = true)
#include <uthash.h>

struct handle_entry {
    const void *handle;
    bool left_out; /* no memory to enter it */
    UT_hash_handle hh;
};

static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_HANDLE_SET);
static struct handle_entry *set;

/* Handles asked about last, for a look without the lock: each launch asks about each of its buffers. Only
 * what is in the set is here; written under the lock. */
enum { RECENT = 256 };
static _Atomic(const void *) recent[RECENT];

static _Atomic(const void *) *recent_of(const void *handle)
{
    const uintptr_t at = (uintptr_t)handle / 16; /* malloc's alignment */
    return &recent[(at ^ at / RECENT) % RECENT];
}

bool cx_handle_set_add(const void *handle)
{
    struct handle_entry *entry = malloc(sizeof(*entry));
    if (!entry)
        return false;
    *entry = (struct handle_entry){.handle = handle};
    cx_lock(&lock);
    HASH_ADD_PTR(set, handle, entry);
    cx_unlock(&lock);
    if (!entry->left_out)
        return true;
    free(entry);
    return false;
}

void cx_handle_set_remove(const void *handle)
{
    struct handle_entry *entry = NULL;
    cx_lock(&lock);
    HASH_FIND_PTR(set, &handle, entry);
    if (entry)
        HASH_DEL(set, entry);
    if (atomic_load_explicit(recent_of(handle), memory_order_relaxed) == handle)
        atomic_store_explicit(recent_of(handle), NULL, memory_order_relaxed);
    cx_unlock(&lock);
    free(entry);
}

bool cx_handle_set_has(const void *handle)
{
    struct handle_entry *entry = NULL;
    if (handle && atomic_load_explicit(recent_of(handle), memory_order_relaxed) == handle)
        return true;
    cx_lock(&lock);
    HASH_FIND_PTR(set, &handle, entry);
    if (entry)
        atomic_store_explicit(recent_of(handle), handle, memory_order_relaxed);
    cx_unlock(&lock);
    return entry != NULL;
}
