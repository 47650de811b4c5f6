/* SPDX-License-Identifier: MIT */
/*
 * Files of one number below /sys. See sysfs.h.
 */
#include "layer/base/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cx_sysfs_text(const char *folder, const char *file, char *text, size_t size)
{
    char path[CX_SYSFS_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    const ssize_t got = read(descriptor, text, size - 1);
    const int why = errno;
    close(descriptor);
    errno = got < 0 ? why : ENODATA;
    if (got <= 0)
        return false;
    text[got] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return true;
}

bool cx_sysfs_number(const char *folder, const char *file, double *number)
{
    char text[64], *end;
    if (!cx_sysfs_text(folder, file, text, sizeof text))
        return false;
    *number = strtod(text, &end);
    errno = EINVAL;
    return end > text && !*end && *number >= 0 && isfinite(*number);
}

void cx_sysfs_each(const char *root, const char *prefix,
                   void (*visit)(const char *folder, const char *name, void *data), void *data)
{
    struct dirent **entries;
    const int n = scandir(root, &entries, NULL, versionsort);
    for (int i = 0; i < n; i++) {
        char folder[CX_SYSFS_PATH];
        if (strncmp(entries[i]->d_name, prefix, strlen(prefix)) == 0 &&
            snprintf(folder, sizeof folder, "%s/%s", root, entries[i]->d_name) < (int)sizeof folder)
            visit(folder, entries[i]->d_name, data);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}
