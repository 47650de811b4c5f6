/* SPDX-License-Identifier: MIT */
/*
 * The folder of a test. See cl_folder.h.
 */
#include "cl_folder.h"

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

void cl_folder_make(const char *what)
{
    snprintf(folder, sizeof(folder), "/tmp/coexec-%s-XXXXXX", what);
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

const char *cl_folder_path(const char *name)
{
    static char path[4][sizeof(folder) + 256];
    static unsigned next;
    char *to = path[next++ % 4];
    snprintf(to, sizeof(path[0]), "%s/%s", folder, name);
    return to;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    remove(path);
    return 0;
}

void cl_folder_remove(void)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

unsigned cl_lines_with(const char *path, const char *word)
{
    char line[512];
    unsigned count = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file))
        count += strstr(line, word) != NULL;
    if (file)
        fclose(file);
    return count;
}

bool cl_unmapped(const char *name)
{
    for (unsigned i = 0; i < 10000 && cl_lines_with("/proc/self/maps", name); i++)
        usleep(1000);
    return cl_lines_with("/proc/self/maps", name) == 0;
}
