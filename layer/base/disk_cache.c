/* SPDX-License-Identifier: MIT */
/*
 * The disk cache. A file is a mark, the checksum of the bytes, and the bytes.
 *
 * Trust: files are only read when they belong to this user or root and nobody else may write them, for what
 * they say decides how kernels are cut.
 */
#include "layer/base/disk_cache.h"
#include "layer/base/checksum.h"
#include "layer/base/plain_file.h"
#include "layer/base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK "coexec2"
enum { DIGEST = 32, HEAD = sizeof(MARK) + CX_CHECKSUM_SIZE };
static const off_t largest = 256 << 20; /* no summary is this long: a foreign file */

void cx_disk_cache_key(char key[CX_DISK_CACHE_KEY_SIZE], unsigned count, const char *const *texts)
{
    struct cx_sha256 hash;
    unsigned char digest[DIGEST];

    cx_sha256_init(&hash);
    for (unsigned i = 0; i < count; i++) {
        uint64_t length = strlen(texts[i]);
        cx_sha256_add(&hash, &length, sizeof(length));
        cx_sha256_add(&hash, texts[i], length);
    }
    cx_sha256_end(&hash, digest);
    for (unsigned i = 0; i < DIGEST; i++)
        snprintf(key + 2 * i, 3, "%02x", digest[i]);
}

/* The payload of an open cache file, or NULL. */
static void *load_from(int fd, size_t *size)
{
    unsigned char head[HEAD], sum[CX_CHECKSUM_SIZE];
    struct stat info;

    if (fstat(fd, &info) || !S_ISREG(info.st_mode) || info.st_size <= HEAD || info.st_size > largest)
        return NULL;
    if ((info.st_uid != geteuid() && info.st_uid != 0) || info.st_mode & (S_IWGRP | S_IWOTH))
        return NULL;
    size_t length = (size_t)info.st_size - HEAD;
    void *data = malloc(length);
    if (data && cx_plain_file_get(fd, head, HEAD) && !memcmp(head, MARK, sizeof(MARK)) &&
        cx_plain_file_get(fd, data, length)) {
        cx_checksum(data, length, sum);
        if (!memcmp(head + sizeof(MARK), sum, CX_CHECKSUM_SIZE)) {
            *size = length;
            return data;
        }
    }
    free(data);
    return NULL;
}

void *cx_disk_cache_load(const char *folder, const char *key, size_t *size)
{
    char *path = NULL;
    void *data = NULL;

    if (asprintf(&path, "%s/%s", folder, key) < 0)
        return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        data = load_from(fd, size);
        close(fd);
    }
    free(path);
    return data;
}

bool cx_disk_cache_make_folder(const char *folder)
{
    char *path = strdup(folder);
    if (!path)
        return false;
    for (char *cut = path; *cut && (cut = strchr(cut + 1, '/'));) {
        *cut = 0;
        if (mkdir(path, 0700) && errno != EEXIST)
            break; /* the last mkdir tells */
        *cut = '/';
    }
    bool ok = mkdir(folder, 0700) == 0 || errno == EEXIST;
    free(path);
    return ok;
}

static bool store_as(const char *temporary, const char *path, const void *data, size_t size)
{
    unsigned char sum[CX_CHECKSUM_SIZE];

    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    cx_checksum(data, size, sum);
    bool ok = cx_plain_file_put(fd, MARK, sizeof(MARK)) && cx_plain_file_put(fd, sum, CX_CHECKSUM_SIZE) &&
              cx_plain_file_put(fd, data, size);
    ok = close(fd) == 0 && ok;
    ok = ok && rename(temporary, path) == 0;
    if (!ok)
        unlink(temporary);
    return ok;
}

bool cx_disk_cache_store(const char *folder, const char *key, const void *data, size_t size)
{
    static atomic_uint serial;
    char *path = NULL, *temporary = NULL;
    bool ok = cx_plain_file_may_write(HEAD + size) && cx_disk_cache_make_folder(folder);

    /* process and serial number make the name ours alone; a file of that name is left over from a dead
     * process */
    unsigned number = atomic_fetch_add_explicit(&serial, 1, memory_order_relaxed);
    if (ok && asprintf(&path, "%s/%s", folder, key) < 0)
        path = NULL;
    if (ok && asprintf(&temporary, "%s/.%s.%ld.%u", folder, key, (long)getpid(), number) < 0)
        temporary = NULL;
    ok = path && temporary;
    if (ok) {
        unlink(temporary);
        ok = store_as(temporary, path, data, size);
    }
    free(path);
    free(temporary);
    return ok;
}

bool cx_disk_cache_store_result(const char *folder, const char *key, const void *blob, size_t size,
                                const unsigned char text[CX_DISK_CACHE_TEXT_SIZE])
{
    char *data = malloc(size + CX_DISK_CACHE_TEXT_SIZE);
    if (!data)
        return false;
    memcpy(data, blob, size);
    memcpy(data + size, text, CX_DISK_CACHE_TEXT_SIZE);
    bool ok = cx_disk_cache_store(folder, key, data, size + CX_DISK_CACHE_TEXT_SIZE);
    free(data);
    return ok;
}

bool cx_disk_cache_load_seconds(const char *folder, const char *key, double *seconds)
{
    size_t size;
    void *data = cx_disk_cache_load(folder, key, &size);
    const bool found = data && size == sizeof(*seconds);
    if (found)
        memcpy(seconds, data, size);
    free(data);
    return found;
}

bool cx_disk_cache_keep_seconds(const char *folder, const char *key, double seconds)
{
    double before;
    return (cx_disk_cache_load_seconds(folder, key, &before) && before >= seconds) ||
           cx_disk_cache_store(folder, key, &seconds, sizeof(seconds));
}
