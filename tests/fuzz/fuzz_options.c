/* SPDX-License-Identifier: MIT */
/* Fuzz target: the values of all options. The first byte chooses the option, the rest is its value. */
#include "layer/base/options.c"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    double numbers[8];

    if (size < 1)
        return 0;
    size_t index = data[0] % ROWS;
    char *text = strndup((const char *)data + 1, size - 1);
    if (!text)
        return 0;
    const char *problem = store(index, text);
    char *accepted = accepted_list(index);
    if (!problem && places[index].kind == KIND_NUMS && *text) {
        size_t count = cx_options_numbers(text, numbers, 8);
        if (count == 0) /* a good list has numbers */
            abort();
    }
    store(index, rows[index].fallback); /* the text goes */
    free(accepted);
    free(text);
    return 0;
}
