/* SPDX-License-Identifier: MIT */
/*
 * coexec explain: has the analyser read a source file and say, kernel by kernel, what splits and what does
 * not.
 */
#include "tools/coexec.h"
#include "tools/coexec_recorded.h"
#include "layer/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char me[] = "explain";

char *cx_find_analyser(void)
{
    const char *chosen = cx_options_get()->analyser;
    if (*chosen)
        return strdup(chosen);
    char *own = cx_find_own("../layer/analyser/coexec-analyse", CX_INSTALLED_ANALYSER);
    return own ? own : strdup("coexec-analyse");
}

/* coexec-analyse [--clang P] --explain FILE -- OPTIONS; returns only where it cannot be run. */
static int become_analyser(const char *analyser, char *file, int count, char **options)
{
    const char *clang = cx_options_get()->clang;
    char **arguments = calloc((size_t)count + 7, sizeof *arguments);
    int n = 0;
    if (!arguments)
        return cx_tool_error(me, "out of memory");
    arguments[n++] = (char *)(uintptr_t)analyser;
    if (*clang) {
        arguments[n++] = (char *)(uintptr_t) "--clang";
        arguments[n++] = (char *)(uintptr_t)clang;
    }
    arguments[n++] = (char *)(uintptr_t) "--explain";
    arguments[n++] = file;
    arguments[n++] = (char *)(uintptr_t) "--";
    for (int i = 0; i < count; i++)
        arguments[n++] = options[i];
    execvp(analyser, arguments);
    int code = errno;
    free(arguments);
    if (code == ENOENT)
        return cx_tool_error(me,
                             "the kernel analyser, %s, is not there: coexec was built without LLVM, or "
                             "COEXEC_ANALYSER names another place",
                             analyser);
    return cx_tool_error(me, "%s: %s", analyser, strerror(code));
}

static int explain(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--recorded") == 0) {
        int list = argc > 3 && strcmp(argv[3], "--list") == 0;
        if (argc < 3)
            return cx_usage_error(me, "--recorded needs a folder");
        if (argc > 3 + list)
            return cx_usage_error(me, "unknown argument %s", argv[3 + list]);
        return cx_explain_recorded(argv[2], list);
    }
    if (argc < 2)
        return cx_usage_error(me, "no file to explain");
    if (argv[1][0] == '-' && argv[1][1])
        return cx_usage_error(me, "unknown option %s; compiler options go behind FILE.cl --", argv[1]);
    if (argc > 2 && strcmp(argv[2], "--") != 0)
        return cx_usage_error(me, "%s: compiler options go behind --", argv[2]);
    if (access(argv[1], R_OK) != 0)
        return cx_tool_error(me, "%s: %s", argv[1], strerror(errno));
    char *analyser = cx_find_analyser();
    int status = analyser ? become_analyser(analyser, argv[1], argc > 3 ? argc - 3 : 0, argv + 3)
                          : cx_tool_error(me, "out of memory");
    free(analyser);
    return status;
}

const struct cx_subcommand cx_explain_subcommand = {
    .name = "explain",
    .run = explain,
    .summary = "say how the kernels of a source file can be split",
    .help = "usage: coexec explain FILE.cl [-- COMPILER OPTIONS]\n"
            "       coexec explain --recorded FOLDER [--list]\n\n"
            "Says for each kernel whether its launches can be split over devices, or why not and in which "
            "line, and\n"
            "for each argument which bytes a work-group reads and writes. COMPILER OPTIONS are those of\n"
            "clBuildProgram, such as -DN=4 -cl-std=CL3.0. The exit status is 0 when the file could be "
            "analysed.\n\n"
            "With --recorded judges the launches that programs wrote down with COEXEC_RECORD=FOLDER, with "
            "their real sizes\n"
            "and arguments: a table of kernels, and how many of them split. --list adds a line for each "
            "launch.\n",
};
