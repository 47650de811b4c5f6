/* SPDX-License-Identifier: MIT */
/* Fuzz target: program binaries. What is read is written again to the same bytes. */
#include "layer/program/container.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Touches every byte, for the sanitizer. */
static unsigned sum(struct cx_container_bytes bytes)
{
    unsigned total = 0;
    for (size_t i = 0; i < bytes.size; i++)
        total += bytes.data[i];
    return total;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static volatile unsigned total;
    struct cx_container container;
    size_t again_size = 0;
    unsigned char *copy = malloc(size + 1);

    if (!copy)
        return 0;
    memcpy(copy, data, size);
    cx_container_read(copy, size, &container); /* as it is: the checksum is wrong nearly always */
    cx_container_seal(copy, size);
    if (cx_container_read(copy, size, &container)) {
        total += sum(container.source) + sum(container.options);
        for (unsigned i = 0; i < container.nparts; i++)
            total += sum(container.part[i].device) + sum(container.part[i].binary) +
                     sum(container.part[i].summary) + sum(container.part[i].text);
        unsigned char *again = cx_container_write(&container, &again_size);
        if (again && (again_size != size || memcmp(again, copy, size) != 0))
            abort();
        free(again);
    }
    free(copy);
    return 0;
}
