/* SPDX-License-Identifier: MIT */
/* Fuzz target: the page of another process, as `coexec top` shows it. No byte of it may command a terminal.
 */
#include "tools/coexec_live.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct cx_live_page *page = calloc(1, sizeof *page);
    struct cx_live_process *process = calloc(1, sizeof *process);
    struct cx_live_processes all = {1, &process};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (page && process && out) {
        process->page = page;
        cx_live_take_sample(process);
        memcpy(page, data, size < sizeof *page ? size : sizeof *page);
        cx_live_take_sample(process);
        cx_live_print(out, process, false);
        cx_live_print_table(out, &all, false);
        cx_live_print_line(out, process);
        struct json_object *object = cx_live_json(process);
        fputs(json_object_to_json_string(object), out);
        json_object_put(object);
        fclose(out);
        for (size_t i = 0; i < length; i++)
            if (text[i] != '\n' && (text[i] < ' ' || text[i] > '~'))
                abort();
    }
    free(text);
    free(process);
    free(page);
    return 0;
}
