/* SPDX-License-Identifier: MIT */
/*
 * Makes a summary in an analysis cache lie: whatever a kernel stores is said to be stored where it loads
 * from, so that packages seem to write apart. The file keeps its name, and its checksum is right.
 *
 * usage: damage_summary CACHE_FOLDER KERNEL
 *
 * Prints how many stores it moved; exit status 1 when there is none.
 */
#include "layer/base/disk_cache.h"
#include "layer/access/summary.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every write takes its address and guards from the first read with a known one. */
static unsigned damage(struct cx_summary_kernel *kernel)
{
    const struct cx_access_record *from = NULL;
    unsigned moved = 0;
    for (uint32_t i = 0; i < kernel->naccess && !from; i++)
        if (kernel->access[i].mode == CX_MODE_READ && kernel->access[i].off >= 0)
            from = &kernel->access[i];
    for (uint32_t i = 0; i < kernel->naccess && from; i++) {
        struct cx_access_record *access = &kernel->access[i];
        if (access->mode != CX_MODE_WRITE)
            continue;
        access->off = from->off;
        access->skew = from->skew;
        access->guard = from->guard;
        access->nguard = from->nguard;
        moved++;
    }
    return moved;
}

/* A cache file holds the blob, and perhaps a hash of fixed size behind it. */
static unsigned damage_file(const char *folder, const char *key, const char *name)
{
    struct cx_summary *summary = NULL;
    size_t size = 0, tail = 0, blob_size = 0;
    unsigned char *data = cx_disk_cache_load(folder, key, &size), *whole = NULL;
    void *blob = NULL;
    unsigned moved = 0;
    while (data && tail < size && tail <= 256 &&
           cx_summary_parse(data, size - tail, &summary) != CX_SUMMARY_OK)
        tail++;
    struct cx_summary_kernel *kernel =
        summary ? (struct cx_summary_kernel *)(uintptr_t)cx_summary_find(summary, name) : NULL;
    if (kernel && (moved = damage(kernel)) &&
        cx_summary_serialise(summary, &blob, &blob_size) == CX_SUMMARY_OK &&
        (whole = malloc(blob_size + tail))) {
        memcpy(whole, blob, blob_size);
        memcpy(whole + blob_size, data + size - tail, tail);
    }
    if (!whole || !cx_disk_cache_store(folder, key, whole, blob_size + tail))
        moved = 0;
    free(whole);
    free(blob);
    free(data);
    cx_summary_destroy(&summary);
    return moved;
}

int main(int argc, char **argv)
{
    unsigned moved = 0;
    DIR *folder = argc == 3 ? opendir(argv[1]) : NULL;
    if (!folder)
        return 2;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strlen(entry->d_name) == CX_DISK_CACHE_KEY_SIZE - 1)
            moved += damage_file(argv[1], entry->d_name, argv[2]);
    closedir(folder);
    printf("%u stores moved\n", moved);
    return moved == 0;
}
