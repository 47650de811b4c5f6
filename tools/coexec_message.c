/* SPDX-License-Identifier: MIT */
/*
 * What the programs coexec and coexec-knowledge say of mistakes. See coexec.h.
 */
#include "tools/coexec.h"

#include <stdarg.h>

static void tell(const char *subcommand, const char *format, va_list arguments)
{
    fprintf(stderr, "coexec%s%s: ", *subcommand ? " " : "", subcommand);
    vfprintf(stderr, format, arguments);
}

int cx_usage_error(const char *subcommand, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(subcommand, format, arguments);
    va_end(arguments);
    fprintf(stderr, "; see `coexec help%s%s`\n", *subcommand ? " " : "", subcommand);
    return CX_EXIT_USAGE;
}

int cx_tool_error(const char *subcommand, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(subcommand, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return CX_EXIT_FAILED;
}
