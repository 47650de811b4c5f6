/* SPDX-License-Identifier: MIT */
/* Fuzz target: the text of profiles, as coexec knowledge imports it. What is read can be written, and is the
 * same when it is read again. */
#include "layer/knowledge/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static char *text_of(const struct cx_profile_table *table, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    cx_profile_table_write(table, out, (char[CX_PROFILE_LINE]){0});
    fclose(out);
    return text;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct cx_profile_table table = {.count = 0}, again = {.count = 0};
    static const char first[] = "coexec-knowledge 1\n";
    char *input = malloc(sizeof first + size);
    size_t length, other;
    memcpy(input, first, sizeof first - 1);
    memcpy(input + sizeof first - 1, data, size);
    (void)cx_profile_table_read(&again, (const char *)data, size);
    cx_profile_table_free(&again);
    memset(&again, 0, sizeof again);
    (void)cx_profile_table_read(&table, input, sizeof first - 1 + size);
    for (unsigned i = 0; i < table.count; i++) {
        const struct cx_profile *profile = &table.profile[i];
        if (!isfinite(profile->length) || !(profile->ratio >= 0) || profile->ndevices < 1 ||
            profile->ndevices > CX_PROFILE_DEVICES)
            abort();
    }
    char *text = text_of(&table, &length);
    (void)cx_profile_table_read(&again, text, length);
    char *second = text_of(&again, &other);
    for (size_t i = 0; i < length; i++)
        if (text[i] != '\n' && (text[i] < ' ' || text[i] > '~'))
            abort();
    free(second);
    free(text);
    free(input);
    cx_profile_table_free(&table);
    cx_profile_table_free(&again);
    return 0;
}
