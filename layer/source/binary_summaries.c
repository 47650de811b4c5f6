/* SPDX-License-Identifier: MIT */
/* Results for binaries saved before: a file is the blob with the hash of its text behind it. */
#include "layer/source/binary_summaries.h"
#include "layer/source/analyser.h"
#include "layer/base/options.h"
#include "layer/base/checksum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cx_binary_summaries_key(char key[CX_DISK_CACHE_KEY_SIZE], const char *device, const void *binary,
                             size_t size)
{
    unsigned char sum[CX_CHECKSUM_SIZE];
    char hash[2 * CX_CHECKSUM_SIZE + 1], tool[CX_ANALYSER_TOOL_SIZE];

    cx_checksum(binary, size, sum);
    for (unsigned i = 0; i < CX_CHECKSUM_SIZE; i++)
        snprintf(hash + 2 * i, 3, "%02x", sum[i]);
    cx_analyser_tool(tool);
    cx_disk_cache_key(key, 4, (const char *const[]){"binary", tool, device, hash});
}

void cx_binary_summaries_store(const char *key, const struct cx_analysis_blob *blob)
{
    const char *folder = cx_options_cache_dir();

    if (folder && blob->data && blob->text)
        cx_disk_cache_store_result(folder, key, blob->data, blob->size, blob->text);
}

struct cx_analysis_blob cx_binary_summaries_load(const char *key)
{
    const char *folder = cx_options_cache_dir();
    size_t size = 0;
    unsigned char *data = folder ? cx_disk_cache_load(folder, key, &size) : NULL;

    if (data && size > CX_DISK_CACHE_TEXT_SIZE)
        return (struct cx_analysis_blob){data, size - CX_DISK_CACHE_TEXT_SIZE,
                                         data + size - CX_DISK_CACHE_TEXT_SIZE};
    free(data);
    return (struct cx_analysis_blob){NULL};
}
