/* SPDX-License-Identifier: MIT */
/*
 * The set of live handles. See live.h.
 */
#include "layer/live.h"

#include <pthread.h>
#include <stdlib.h>
/* Its own answer to a lack of memory is exit(). */
#define HASH_NONFATAL_OOM            1
#define uthash_nonfatal_oom(element) ((element)->left_out = true)
#include <uthash.h>

struct live {
    const void *handle;
    bool left_out; /* no memory to enter it */
    UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct live *set;

bool cx_live_add(const void *handle)
{
    struct live *entry = malloc(sizeof(*entry));
    if (!entry)
        return false;
    *entry = (struct live){.handle = handle};
    pthread_mutex_lock(&lock);
    HASH_ADD_PTR(set, handle, entry);
    pthread_mutex_unlock(&lock);
    if (!entry->left_out)
        return true;
    free(entry);
    return false;
}

void cx_live_remove(const void *handle)
{
    struct live *entry = NULL;
    pthread_mutex_lock(&lock);
    HASH_FIND_PTR(set, &handle, entry);
    if (entry)
        HASH_DEL(set, entry);
    pthread_mutex_unlock(&lock);
    free(entry);
}

bool cx_live_has(const void *handle)
{
    struct live *entry = NULL;
    pthread_mutex_lock(&lock);
    HASH_FIND_PTR(set, &handle, entry);
    pthread_mutex_unlock(&lock);
    return entry != NULL;
}
