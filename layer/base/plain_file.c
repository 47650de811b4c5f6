/* SPDX-License-Identifier: MIT */
/*
 * Files read and written whole. See plain_file.h.
 */
#include "layer/base/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

bool cx_plain_file_put(int descriptor, const void *data, size_t size)
{
    const char *from = data;
    while (size) {
        const ssize_t put = write(descriptor, from, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        from += put;
        size -= (size_t)put;
    }
    return true;
}

bool cx_plain_file_get(int descriptor, void *data, size_t size)
{
    char *to = data;
    while (size) {
        const ssize_t got = read(descriptor, to, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        size -= (size_t)got;
    }
    return true;
}

bool cx_plain_file_may_write(size_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

bool cx_plain_file_make(const char *path, const void *data, size_t size)
{
    const int descriptor =
        cx_plain_file_may_write(size) ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (descriptor < 0)
        return false;
    const bool put = cx_plain_file_put(descriptor, data, size);
    return close(descriptor) == 0 && put;
}

void *cx_plain_file_read(const char *path, size_t *size)
{
    struct stat info;
    void *data = NULL;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    if (!fstat(descriptor, &info) && S_ISREG(info.st_mode) && info.st_size > 0)
        data = malloc((size_t)info.st_size);
    if (data && !cx_plain_file_get(descriptor, data, (size_t)info.st_size)) {
        free(data);
        data = NULL;
    }
    close(descriptor);
    if (data)
        *size = (size_t)info.st_size;
    return data;
}
