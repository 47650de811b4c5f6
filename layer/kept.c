/* SPDX-License-Identifier: MIT */
/* Results for binaries saved before: a file is the blob with the hash of its text behind it. */
#include "layer/kept.h"
#include "layer/analyse_run.h"
#include "layer/options.h"
#include "layer/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 32 };

void cx_kept_key(char key[CX_CACHE_KEY_SIZE], const char *device, const void *binary, size_t size)
{
    unsigned char digest[TEXT_SIZE];
    char hash[2 * TEXT_SIZE + 1], tool[CX_ANALYSE_TOOL_SIZE];
    struct cx_sha256 state;

    cx_sha256_init(&state);
    cx_sha256_add(&state, binary, size);
    cx_sha256_end(&state, digest);
    for (unsigned i = 0; i < TEXT_SIZE; i++)
        snprintf(hash + 2 * i, 3, "%02x", digest[i]);
    cx_analyse_tool(tool);
    cx_cache_key(key, 4, (const char *const[]){"binary", tool, device, hash});
}

void cx_kept_store(const char *key, const struct cx_analysis_blob *blob)
{
    const char *folder = cx_options_cache_dir();
    char *data = folder && blob->data && blob->text ? malloc(blob->size + TEXT_SIZE) : NULL;

    if (!data)
        return;
    memcpy(data, blob->data, blob->size);
    memcpy(data + blob->size, blob->text, TEXT_SIZE);
    cx_cache_store(folder, key, data, blob->size + TEXT_SIZE);
    free(data);
}

struct cx_analysis_blob cx_kept_load(const char *key)
{
    const char *folder = cx_options_cache_dir();
    size_t size = 0;
    unsigned char *data = folder ? cx_cache_load(folder, key, &size) : NULL;

    if (data && size > TEXT_SIZE)
        return (struct cx_analysis_blob){data, size - TEXT_SIZE, data + size - TEXT_SIZE};
    free(data);
    return (struct cx_analysis_blob){NULL};
}
