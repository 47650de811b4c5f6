/* SPDX-License-Identifier: MIT */
/*
 * Finds coexec-knowledge. See store_program.h.
 */
#include "layer/knowledge/store_program.h"
#include "layer/base/own_program.h"

#include <pthread.h>

/* Where the build and the installation put it; meson says. A build without SQLite has none. */
#ifdef CX_KNOWLEDGE_BUILT
static const struct cx_own_program places = {"../tools/coexec-knowledge", CX_KNOWLEDGE_BESIDE,
                                             CX_KNOWLEDGE_INSTALLED, CX_KNOWLEDGE_BUILT};
#else
static const struct cx_own_program places = {"", "", "", ""};
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char path[PATH_MAX];

static void find(void)
{
    if (!cx_own_program_find(&places, path))
        *path = '\0';
}

const char *cx_knowledge_store_program(void)
{
    pthread_once(&once, find);
    return *path ? path : NULL;
}
