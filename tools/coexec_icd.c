/* SPDX-License-Identifier: MIT */
/*
 * Finds the folder for OpenCL loaders. See coexec_icd.h.
 */
#include "coexec_icd.h"
#include "coexec.h"
#include "layer/base/disk_cache.h"
#include "layer/base/options.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first line of coexec.icd; "": none. */
static void read_named(const char *icd, char named[PATH_MAX])
{
    FILE *file = fopen(icd, "re");
    *named = '\0';
    if (!file)
        return;
    if (fgets(named, PATH_MAX, file))
        named[strcspn(named, "\n")] = '\0';
    fclose(file);
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* false: errno says why. */
static bool write_named(const char *icd, const char *library)
{
    char *made = NULL;
    FILE *file = asprintf(&made, "%s.%ld", icd, (long)getpid()) >= 0 ? fopen(made, "we") : NULL;
    bool written = file && fprintf(file, "%s\n", library) > 0;
    written = file && fclose(file) == 0 && written && rename(made, icd) == 0;
    if (file && !written) {
        const int why = errno;
        unlink(made);
        errno = why;
    }
    free(made);
    return written;
}

/* The file in the cache that names the library. NULL: it cannot be made; errno says why. */
static char *icd_in_cache(const char *library)
{
    char key[CX_DISK_CACHE_KEY_SIZE], named[PATH_MAX], *folder = NULL, *icd = NULL;
    const char *cache = cx_options_cache_dir();
    errno = ENOENT;
    if (!cache)
        return NULL;
    cx_disk_cache_key(key, 1, &library);
    if (asprintf(&folder, "%s/icd/%.16s", cache, key) < 0)
        return NULL;
    const bool made = cx_disk_cache_make_folder(folder) && asprintf(&icd, "%s/coexec.icd", folder) >= 0;
    free(folder);
    if (!made)
        return NULL;
    read_named(icd, named);
    if (strcmp(named, library) == 0 || write_named(icd, library))
        return icd;
    free(icd);
    return NULL;
}

/* The file to use in place of `icd`, which has to name the library. */
static char *icd_that_names(const char *subcommand, char *icd, const char *library, bool may_write)
{
    char named[PATH_MAX];
    read_named(icd, named);
    if (is_same_file(named, library) || (may_write && write_named(icd, library)))
        return icd;
    char *kept = icd_in_cache(library);
    if (!kept)
        cx_tool_error(
            subcommand, "%s names %s, not %s beside this program, and another one cannot be kept in %s: %s",
            icd, *named ? named : "nothing", library,
            cx_options_cache_dir() ? cx_options_cache_dir() : "a cache (COEXEC_CACHE_DIR)", strerror(errno));
    free(icd);
    return kept;
}

int cx_icd_folder(const char *subcommand, char **folder)
{
    char *library = cx_find_own("../layer/libcoexec.so", NULL), *built = cx_find_own("../icd", NULL);
    char *icd = NULL;
    const bool in_build = library && built;
    if (!in_build) {
        free(library);
        library = cx_find_own(CX_INSTALLED_LIBRARY, NULL);
        icd = cx_find_own(CX_INSTALLED_ICD, NULL);
    } else if (asprintf(&icd, "%s/coexec.icd", built) < 0) {
        icd = NULL;
    }
    free(built);
    *folder = icd && library ? icd_that_names(subcommand, icd, library, in_build) : NULL;
    if (!icd || !library) {
        free(icd);
        cx_tool_error(subcommand,
                      "coexec.icd or libcoexec.so is neither in the build folder nor in " CX_INSTALLED_ICD
                      " and " CX_INSTALLED_LIBRARY
                      ", seen from this program: is coexec built or installed completely?");
    }
    free(library);
    /* With the slash at its end: Khronos' loader, as CUDA 13 has it, puts folder and file name together
     * without one. */
    if (*folder)
        *(strrchr(*folder, '/') + 1) = '\0';
    return *folder ? CX_EXIT_OK : CX_EXIT_FAILED;
}
