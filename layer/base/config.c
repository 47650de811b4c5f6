/* SPDX-License-Identifier: MIT */
/*
 * The configuration file, line by line: see config.h. It may name programs that are run, so it is read only
 * where the user or root owns it, and others cannot write it.
 */
#include "layer/base/config.h"
#include "layer/base/file_name.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char blanks[] = " \t\r\n\f\v";
enum { MOST_BYTES = 1 << 20, LONGEST_LINE = 4096 };
static const char byte_order_mark[] = "\xef\xbb\xbf"; /* that some editors begin a text with */

static const char *pretended;

void cx_config_pretend(const char *program)
{
    pretended = program;
}

/* Cuts blanks off both ends, in place. */
static char *trim(char *text)
{
    text += strspn(text, blanks);
    char *end = text + strlen(text);
    while (end > text && strchr(blanks, end[-1]))
        end--;
    *end = '\0';
    return text;
}

/* Whether one of the patterns fits a name that the program has: its executable's, or the one that it was
 * called by. */
static bool fits(char *patterns, const char *program)
{
    char *rest, *pattern = strtok_r(patterns, blanks, &rest);
    for (; pattern; pattern = strtok_r(NULL, blanks, &rest))
        if (fnmatch(pattern, program, 0) == 0 ||
            (!pretended && fnmatch(pattern, program_invocation_short_name, 0) == 0))
            return true;
    return false;
}

/* What makes a line no text of ours, or NULL. */
static const char *is_odd(const char *line, size_t length)
{
    if (*line == '#' || *line == ';')
        return NULL;
    if (length > LONGEST_LINE)
        return "a line that is too long";
    for (size_t i = 0; i < length; i++)
        if (!line[i] || ((unsigned char)line[i] < ' ' && !strchr(blanks, line[i])) || line[i] == '\177')
            return "unprintable characters";
    return NULL;
}

/* One line. *applies: whether those that follow do. */
static void read_line(char *text, unsigned number, const char *program, bool *applies,
                      void (*take)(unsigned line, const char *name, const char *value))
{
    char *line = trim(text), *equals = strchr(line, '=');
    const size_t length = strlen(line);
    if (!*line || *line == '#' || *line == ';')
        return;
    if (*line == '[') {
        const bool whole = line[length - 1] == ']';
        line[length - 1] = '\0';
        *applies = whole && fits(line + 1, program);
        if (!whole)
            take(number, NULL, "a section without ]");
        return;
    }
    if (!*applies)
        return;
    if (equals)
        *equals = '\0';
    const char *name = trim(line);
    if (equals && *name)
        take(number, name, trim(equals + 1));
    else
        take(number, NULL, "neither [PROGRAM] nor OPTION = VALUE");
}

static const char *why_not(const struct stat *info)
{
    if (!S_ISREG(info->st_mode))
        return "it is no file";
    if (info->st_uid != geteuid() && info->st_uid != 0)
        return "it is another user's";
    if (info->st_mode & S_IWOTH)
        return "everybody may write it";
    return info->st_size > MOST_BYTES ? "it is too large" : NULL;
}

/* In another's folder it is not there, as far as can be told. */
static bool is_missing(const char *path, int error)
{
    struct stat info;
    return error == ENOENT || error == ENOTDIR || (error == EACCES && stat(path, &info) != 0);
}

const char *cx_config_read(const char *path, bool *missing,
                           void (*take)(unsigned line, const char *name, const char *value))
{
    static char own[PATH_MAX]; /* once, and the thread may have a small stack */
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY), error = errno;
    const char *program = pretended ? pretended : cx_file_name_executable(own);
    struct stat info;
    char *line = NULL;
    size_t room = 0;
    bool applies = true;
    *missing = descriptor < 0 && is_missing(path, error);
    if (descriptor < 0)
        return strerror(error);
    const char *problem = fstat(descriptor, &info) == 0 ? why_not(&info) : strerror(errno);
    FILE *file = problem ? NULL : fdopen(descriptor, "r");
    if (!file) {
        close(descriptor);
        return problem ? problem : strerror(errno);
    }
    ssize_t length;
    for (unsigned number = 1; (length = getline(&line, &room, file)) >= 0; number++) {
        const size_t mark = sizeof byte_order_mark - 1,
                     from = number == 1 && strncmp(line, byte_order_mark, mark) == 0 ? mark : 0;
        const char *odd = is_odd(line + from, (size_t)length - from);
        if (odd)
            take(number, NULL, odd);
        else
            read_line(line + from, number, program, &applies, take);
    }
    free(line);
    fclose(file);
    return NULL;
}
