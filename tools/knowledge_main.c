/* SPDX-License-Identifier: MIT */
/*
 * coexec-knowledge FOLDER: takes what processes learned into the knowledge base. Started by the driver in the
 * background, now and then (layer/knowledge/knowledge.c); it takes little of a core that others want, goes on
 * where the process that started it ends, and leaves the work to another one that is at it already.
 */
#include "tools/knowledge_store.h"

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *why;
    if (argc != 2) {
        fprintf(stderr, "usage: coexec-knowledge FOLDER; started by coexec; see coexec help knowledge\n");
        return 2;
    }
    if (nice(10) < 0)
        fprintf(stderr, "no lower priority\n");
    struct cx_store *store = cx_store_open(argv[1], false, &why);
    if (!store) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    const bool ok = cx_store_take_in(store);
    cx_store_close(store);
    return ok ? 0 : 1;
}
