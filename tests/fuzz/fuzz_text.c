/* SPDX-License-Identifier: MIT */
/* Fuzz target: what looks through a program's text and options: includes, macros that tell, embedded headers,
 * objects' texts that are joined. The first line is the options. */
#include "layer/source/embedded_headers.h"
#include "layer/source/macro_identity.h"
#include "layer/source/join.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static const char *const names[] = {"a.h", "b/c.h", ""};
    static const char *const sources[] = {"int a; /* b */\n", "#include \"a.h\"\n#include <a.h>\n",
                                          "/* open"};
    static const struct cx_embedded_headers headers = {3, names, sources};

    char *text = strndup((const char *)data, size);
    if (!text)
        return 0;
    char *line = strchr(text, '\n'), *source = line ? line + 1 : text + strlen(text);
    if (line)
        *line = 0;
    cx_macro_identity_includes(source, text);
    cx_macro_identity_matters(source, text);
    char *whole = cx_embedded_headers_insert(source, &headers);
    const char *const objects[] = {source, whole ? whole : source, "int a;\n"};
    free(cx_join(3, objects, NULL));
    free(whole);
    free(text);
    return 0;
}
