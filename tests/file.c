/* SPDX-License-Identifier: MIT */
#include "file.h"

#include <stdio.h>
#include <stdlib.h>

char *file_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    long length;
    size_t got = 0;
    if (file && fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0) {
        rewind(file);
        data = calloc((size_t)length + 1, 1);
        got = data ? fread(data, 1, (size_t)length, file) : 0;
    }
    if (file)
        fclose(file);
    if (size)
        *size = got;
    return data;
}
