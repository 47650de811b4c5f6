/* SPDX-License-Identifier: MIT */
#include "layer/analyser/macro_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool starts(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

bool cx_strings_hold(const struct cx_strings *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++) {
        size_t length = strcspn(list->item[i], "=");
        if (strlen(word) == length && memcmp(list->item[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

bool cx_is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0) {
        list++;
    }
    return *list;
}

static bool has_prefix(const char *word, const char *const *list)
{
    while (*list && !starts(word, *list)) {
        list++;
    }
    return *list;
}

/* Extensions that belong to the language: compilers define the names if and only if the device lists them.
 * That is not so of those for the host (NVIDIA's defines few of them), nor of those in clang's own header,
 * which defines them for every device. */
static bool is_language_extension(const char *word)
{
    static const char *const names[] = {"cl_khr_fp64",
                                        "cl_khr_fp16",
                                        "cl_khr_global_int32_base_atomics",
                                        "cl_khr_global_int32_extended_atomics",
                                        "cl_khr_local_int32_base_atomics",
                                        "cl_khr_local_int32_extended_atomics",
                                        "cl_khr_int64_base_atomics",
                                        "cl_khr_int64_extended_atomics",
                                        "cl_khr_byte_addressable_store",
                                        "cl_khr_3d_image_writes",
                                        NULL};
    return cx_is_one_of(word, names);
}

/* What the caller says of the device. Not the version: NVIDIA's compiler defines the language's in its place.
 */
static bool is_given(const struct cx_macro_sources *sources, const char *word)
{
    return cx_strings_hold(&sources->request->defines, word) && strcmp(word, "__OPENCL_VERSION__") != 0;
}

/* Names that clang and the devices' compilers agree on. */
bool cx_macro_is_agreed(const struct cx_macro_sources *sources, const char *word)
{
    static const char *const always[] = {"__FAST_RELAXED_MATH__",
                                         "__LINE__",
                                         "__FILE__",
                                         "__CLANG_REWRITTEN_INCLUDES", /* clang 18 asks for them itself */
                                         "__CLANG_REWRITTEN_SYSTEM_INCLUDES",
                                         "__func__",
                                         "__VA_ARGS__",
                                         "CL_VERSION_1_0",
                                         "CL_VERSION_1_1",
                                         "CL_VERSION_1_2",
                                         "__kernel_exec",
                                         "kernel_exec",
                                         NULL};
    if (strcmp(word, "__OPENCL_C_VERSION__") == 0 && sources->has_standard) {
        return true;
    }
    return cx_is_one_of(word, always) || is_language_extension(word) || is_given(sources, word) ||
           cx_strings_hold(&sources->given, word) || cx_strings_hold(&sources->settled, word) ||
           cx_strings_hold(&sources->replies, word);
}

/* Reserved names that programs do not take for themselves. */
bool cx_macro_is_own(const char *word)
{
    static const char *const own[] = {"__OPENCL", "__opencl_", "__clang",         "__GNUC",   "__STDC",
                                      "__SPIR",   "__NV",      "__CUDA",          "__AMD",    "__INTEL",
                                      "__CL_",    "__GPU",     "__CPU",           "__ENDIAN", "__IMAGE",
                                      "__has_",   "_CL_",      "__is_identifier", NULL};
    return has_prefix(word, own);
}

bool cx_macro_is_vendors(const char *word)
{
    static const char *const vendors[] = {"CL_",  "FP_FAST_", "POCL_",   "NV_", "NVIDIA",
                                          "AMD_", "INTEL_",   "ATOMIC_", NULL};
    return has_prefix(word, vendors);
}

bool cx_macro_is_operator(const char *word)
{
    return starts(word, "__has_") || strcmp(word, "__is_identifier") == 0;
}

/* Whether a condition on the name may turn out differently elsewhere. Names in lower case alone may be
 * built-in functions, which some compilers make macros. */
bool cx_macro_is_doubtful_test(const struct cx_macro_sources *sources, const char *word)
{
    if (strcmp(word, "defined") == 0 || cx_macro_is_agreed(sources, word)) {
        return false;
    }
    if (word[0] == '_') {
        if (starts(word, "__builtin_")) { /* functions of compilers */
            return false;
        }
        return cx_macro_is_own(word) || !cx_strings_hold(&sources->defined, word);
    }
    return cx_macro_is_vendors(word) || !word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

bool cx_macro_is_nobodys(const struct cx_macro_sources *sources, const char *word)
{
    static const char *const language[] = {"CLK_",   "FLT_",     "DBL_",  "HALF_",  "HUGE_",    "CHAR_",
                                           "SCHAR_", "UCHAR_",   "SHRT_", "USHRT_", "INT_",     "UINT_",
                                           "LONG_",  "ULONG_",   "M_",    "FP_",    "MAX_WORK", "MAXFLOAT",
                                           "NAN",    "INFINITY", "NULL",  NULL};
    return !cx_macro_is_agreed(sources, word) && !cx_macro_is_doubtful_test(sources, word) &&
           !cx_strings_hold(&sources->defined, word) && !has_prefix(word, language) && word[0] != '_';
}

/* Whether the name in the code itself may be a macro with another value elsewhere. */
bool cx_macro_is_doubtful_use(const struct cx_macro_sources *sources, const char *word)
{
    static const char *const words[] = {"__attribute__",
                                        "__asm__",
                                        "__inline__",
                                        "__volatile__",
                                        "__restrict__",
                                        "__const__",
                                        "__signed__",
                                        "__typeof__",
                                        "__alignof__",
                                        "__extension__",
                                        "__packed__",
                                        "__aligned__",
                                        "__unused__",
                                        "__noinline__",
                                        "__always_inline__",
                                        "__FUNCTION__",
                                        "__pure__",
                                        "__overloadable__",
                                        "__reqd_work_group_size__",
                                        "__work_group_size_hint__",
                                        "__vec_type_hint__",
                                        NULL};
    size_t length = strlen(word);

    if (cx_macro_is_own(word)) {
        return !cx_macro_is_agreed(sources, word);
    }
    if (length < 5 || !starts(word, "__") || strcmp(word + length - 2, "__") != 0) {
        return starts(word, "CL_VERSION_") && !cx_macro_is_agreed(sources, word);
    }
    return !cx_is_one_of(word, words) && !cx_macro_is_agreed(sources, word) &&
           !cx_strings_hold(&sources->defined, word);
}

/* Whether the operator's argument can be handed on and answered with yes or no. Attributes of C and C++ have
 * dates for answers. */
static bool is_askable_operator(const char *word)
{
    const char *argument = strchr(word, '(');
    const size_t length = argument ? strlen(++argument) : 0;

    if (starts(word, "__has_c_") || starts(word, "__has_cpp_") || starts(word, "__has_embed")) {
        return !length;
    }
    if (length && (*argument == '<' || *argument == '"')) {
        return starts(word, "__has_include(") && !argument[strcspn(argument, "\\\n")];
    }
    return !length ||
           strspn(argument, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == length - 1;
}

/* Whether a device's answer would be worth something: not for names whose meaning changes from place to
 * place, operators, what is no name at all, and the functions that split variants define (subrange.h). */
bool cx_macro_is_askable(const char *word)
{
    if (cx_macro_is_operator(word)) {
        return is_askable_operator(word);
    }
    static const char *const never[] = {"defined",
                                        "__COUNTER__",
                                        "__DATE__",
                                        "__TIME__",
                                        "__TIMESTAMP__",
                                        "__INCLUDE_LEVEL__",
                                        "__BASE_FILE__",
                                        "__FILE_NAME__",
                                        "__LINE__",
                                        "__FILE__",
                                        "__VA_ARGS__",
                                        "__VA_OPT__",
                                        "_Pragma",
                                        "__pragma",
                                        "get_global_id",
                                        "get_work_dim",
                                        "get_global_offset",
                                        "get_global_size",
                                        "get_group_id",
                                        "get_num_groups",
                                        "get_global_linear_id",
                                        NULL};
    return (isalpha((unsigned char)word[0]) || word[0] == '_') && !starts(word, "COEXEC_") &&
           !starts(word, "coexec_") && !cx_is_one_of(word, never);
}

void cx_macro_sources_finish(struct cx_macro_sources *sources)
{
    cx_strings_finish(&sources->given);
    cx_strings_finish(&sources->defined);
    cx_strings_finish(&sources->undone);
    cx_strings_finish(&sources->settled);
    cx_strings_finish(&sources->replies);
    cx_strings_finish(&sources->missing);
}
