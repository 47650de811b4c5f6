/* SPDX-License-Identifier: MIT */
/* Fuzz target: the text of what a program's processes measured at each level of cutting (cut_record.h). What
 * is read can be written, is the same when it is read again, and leads to one of the levels asked for. */
#include "layer/knowledge/cut_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void check(const struct cx_cut_record *record)
{
    static const unsigned order[] = {0, 4, 3, 2, 1};
    struct cx_cut_record again;
    size_t length;
    double ratio;
    char *text = cx_cut_print(record, &length);
    if (!text || !cx_cut_parse(text, length, &again) || memcmp(record, &again, sizeof again) != 0)
        abort();
    for (unsigned level = 0; level < CX_CUT_LEVELS; level++)
        if (cx_cut_ratio(record, level, 0, &ratio) && !(ratio > 0 && isfinite(ratio)))
            abort();
    if (cx_cut_choose(record, order, 5, true) >= CX_CUT_LEVELS)
        abort();
    for (unsigned level = 0; level < CX_CUT_LEVELS; level++)
        cx_cut_enter(&again, level, record->level[0].kernel, record->level[0].n);
    free(text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static const char first[] = "coexec cut 1 ";
    struct cx_cut_record record;
    char *input = malloc(sizeof first + size);
    memcpy(input, first, sizeof first - 1);
    memcpy(input + sizeof first - 1, data, size);
    if (cx_cut_parse(input, sizeof first - 1 + size, &record) ||
        cx_cut_parse((const char *)data, size, &record))
        check(&record);
    free(input);
    return 0;
}
