/* SPDX-License-Identifier: MIT */
/* Fuzz target: inline assembly rewritten, which keeps the text's lines, and conditions read without a
 * compiler. */
#include "layer/analyser/assembly.h"
#include "layer/analyser/condition.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static unsigned lines_in(const char *text)
{
    unsigned lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static enum cx_condition_name look_up(const void *data, const char *name, const char **text)
{
    (void)data;
    *text = name + 1;
    return (enum cx_condition_name)(*name % (CX_NAME_TEXT + 1));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *text = strndup((const char *)data, size), *result = text ? cx_assembly_rewrite(text) : NULL;
    if (result && lines_in(result) != lines_in(text))
        abort();
    if (text)
        cx_condition_read(text, look_up, NULL);
    free(result);
    free(text);
    return 0;
}
