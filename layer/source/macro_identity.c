/* SPDX-License-Identifier: MIT */
/*
 * Macro identity. What compilers predefine are reserved names (a leading underscore), extension names
 * (cl_...), CL_... constants, FP_FAST_FMA and its kin, and a vendor's prefix. A text without any of these in
 * it, and without headers we do not see, is the same token sequence for every device.
 */
#include "layer/source/macro_identity.h"
#include "layer/base/text.h"

#include <ctype.h>
#include <string.h>

static void add_define(struct cx_macro_identity *identity, const char *name, unsigned value)
{
    if (identity->ndefines < CX_MACRO_IDENTITY_DEFINES)
        snprintf(identity->define[identity->ndefines++], sizeof(identity->define[0]), "%s=%u", name, value);
}

void cx_macro_identity_make(const struct cx_real_device *device, struct cx_macro_identity *identity)
{
    cl_bool images = CL_FALSE;

    *identity = (struct cx_macro_identity){.extensions = device->extensions ? device->extensions : ""};
    add_define(identity, "__OPENCL_VERSION__", device->version_number);
    if (device->little_endian)
        add_define(identity, "__ENDIAN_LITTLE__", 1);
    if (!device->cl->clGetDeviceInfo(device->id, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL) &&
        images)
        add_define(identity, "__IMAGE_SUPPORT__", 1);
}

bool cx_macro_identity_same(const struct cx_macro_identity *a, const struct cx_macro_identity *b)
{
    if (strcmp(a->extensions, b->extensions) != 0 || a->ndefines != b->ndefines)
        return false;
    for (unsigned i = 0; i < a->ndefines; i++)
        if (strcmp(a->define[i], b->define[i]) != 0)
            return false;
    return true;
}

/* Reserved names that are the same everywhere. */
static bool is_common(const char *word, size_t length)
{
    static const char *const common[] = {
        "__kernel",    "__global",     "__local",      "__constant",   "__private",   "__attribute__",
        "__attribute", "__read_only",  "__write_only", "__read_write", "__generic",   "__const",
        "__inline",    "__inline__",   "__restrict",   "__restrict__", "__volatile",  "__volatile__",
        "__LINE__",    "__FILE__",     "__func__",     "__packed__",   "__aligned__", "__always_inline__",
        "__unused__",  "__noinline__",
    };

    for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
        if (strlen(common[i]) == length && !memcmp(common[i], word, length))
            return true;
    return false;
}

static bool is_telling(const char *word, size_t length)
{
    static const char *const prefixes[] = {"cl_", "CL_",    "FP_FAST_", "POCL_",
                                           "NV_", "NVIDIA", "AMD_",     "INTEL_"};

    if (*word == '_')
        return !is_common(word, length);
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        size_t n = strlen(prefixes[i]);
        if (length >= n && !memcmp(prefixes[i], word, n))
            return true;
    }
    return false;
}

/* If `at` is the # of an extension pragma, which is not subject to macros: the end of the line, else `at`. */
static const char *skip_pragma(const char *at)
{
    const char *word = at + 1;

    while (*word == ' ' || *word == '\t')
        word++;
    return *at == '#' && !strncmp(word, "pragma", 6) ? cx_text_line_end(at) : at;
}

static bool text_matters(const char *at)
{
    while (*at) {
        const char *next = cx_text_skip(at);
        if (next == at)
            next = skip_pragma(at);
        if (next == at && (isalpha((unsigned char)*at) || *at == '_')) {
            while (isalnum((unsigned char)*next) || *next == '_')
                next++;
            if (is_telling(at, (size_t)(next - at)))
                return true;
        } else if (next == at && isdigit((unsigned char)*at)) {
            while (isalnum((unsigned char)*next) || *next == '_' || *next == '.')
                next++; /* a number, with its suffix */
        }
        at = next == at ? at + 1 : next;
    }
    return false;
}

bool cx_macro_identity_includes(const char *source, const char *options)
{
    return cx_text_includes(source) || strstr(options, "-i");
}

bool cx_macro_identity_matters(const char *source, const char *options)
{
    /* -D values may name macros; the options themselves begin with - and have none of the telling prefixes */
    for (const char *define = options; (define = strstr(define, "-D"));) {
        define += 2;
        size_t length = strcspn(define, "=");
        if (define[length] && text_matters(define + length + 1))
            return true;
    }
    /* trigraphs and escaped line ends inside names could hide a name from the search */
    return text_matters(source) || cx_macro_identity_includes(source, options) || strstr(source, "?\?");
}
