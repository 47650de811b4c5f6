/* SPDX-License-Identifier: MIT */
/*
 * Standard error into a file and back, and a clean environment: see capture.h.
 */
#include "capture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;
static FILE *captured;
static int saved = -1;

void capture_start(void)
{
    captured = tmpfile();
    ck_assert_ptr_nonnull(captured);
    fflush(stderr);
    saved = dup(STDERR_FILENO);
    ck_assert_int_ge(dup2(fileno(captured), STDERR_FILENO), 0);
}

const char *capture_end(void)
{
    static char text[8192];
    fflush(stderr);
    ck_assert_int_ge(dup2(saved, STDERR_FILENO), 0);
    close(saved);
    rewind(captured);
    size_t length = fread(text, 1, sizeof text - 1, captured);
    text[length] = '\0';
    fclose(captured);
    return text;
}

void clean_environment(void)
{
    static const char *const prefixes[] = {"COEXEC_", "STUB_", "ICD2_", "OCL_ICD_"};
    char name[256];
    for (char **entry = environ; entry && *entry;) {
        size_t length = strcspn(*entry, "="), i = 0;
        while (i < 4 && strncmp(*entry, prefixes[i], strlen(prefixes[i])) != 0)
            i++;
        if (i == 4 || length >= sizeof name) {
            entry++;
            continue;
        }
        memcpy(name, *entry, length);
        name[length] = '\0';
        unsetenv(name);
    }
}

void set_environment(const char *name, ...)
{
    va_list rest;
    va_start(rest, name);
    while (name) {
        const char *value = va_arg(rest, const char *);
        set_variable(name, value);
        name = va_arg(rest, const char *);
    }
    va_end(rest);
}
