/* SPDX-License-Identifier: MIT */
/*
 * Opening a real driver's library. See open.h.
 */
#include "layer/driver/open.h"
#include "layer/base/disk_cache.h"
#include "layer/base/exit_guard.h"
#include "layer/base/options.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file's size and times, as text; "" where there is none. */
static void describe_file(const char *path, char *text, size_t room)
{
    struct stat info;
    *text = '\0';
    if (!stat(path, &info))
        snprintf(text, room, "%jd %jd.%09ld %jd.%09ld", (intmax_t)info.st_size, (intmax_t)info.st_mtim.tv_sec,
                 info.st_mtim.tv_nsec, (intmax_t)info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
}

/* What decides on which libraries the name leads to: all that is installed changes the linker's cache. */
static void key_of(const char *name, char key[CX_DISK_CACHE_KEY_SIZE])
{
    char library[128], system[128];
    *library = '\0';
    if (strchr(name, '/'))
        describe_file(name, library, sizeof library);
    describe_file("/etc/ld.so.cache", system, sizeof system);
    cx_disk_cache_key(key, 6,
                      (const char *const[]){"driver", name, library, system, cx_options_linker_path(),
                                            cx_options_linker_preload()});
}

void *cx_driver_open(const char *name)
{
    const char *folder = cx_options_cache_dir();
    char key[CX_DISK_CACHE_KEY_SIZE];
    size_t size;
    void *whole = NULL;
    if (folder) {
        key_of(name, key);
        whole = cx_disk_cache_load(folder, key, &size);
    }
    void *library = dlopen(name, (whole ? RTLD_LAZY : RTLD_NOW) | RTLD_LOCAL);
    if (library)
        cx_exit_guard_loaded();
    if (library && folder && !whole)
        (void)cx_disk_cache_store(folder, key, "", 1); /* else the next process finds out anew */
    free(whole);
    return library;
}
