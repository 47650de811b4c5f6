/* SPDX-License-Identifier: MIT */
/*
 * coexec explain: has the analyser read a source file and say, kernel by kernel, what splits and what does
 * not.
 */
#include "tools/coexec.h"
#include "tools/coexec_recorded.h"
#include "layer/source/compiler_macros.h"
#include "layer/source/macro_identity.h"
#include "layer/base/options.h"
#include "layer/driver/device.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

/* What is asked of the analyser, and the files that it shares with us. */
struct question {
    const char *analyser;
    char *file;
    int noptions;
    char **options;
    const struct cx_real_device *device; /* the fastest that programs would use; NULL: there is none */
    struct cx_macro_identity identity;
    char folder[32], asked[48], replies[48]; /* files: what to ask the device, and its answers */
    bool is_told;
};

/* coexec-analyse [--clang P] [what the device is] ... FILE -- OPTIONS; returns only where it cannot be run.
 */
static int become_analyser(const struct question *q, bool asks)
{
    const char *clang = cx_options_get()->clang;
    const char **word = calloc((size_t)q->noptions + 24 + 2 * (size_t)q->identity.ndefines, sizeof *word);
    int n = 0;
    if (!word)
        return cx_tool_error(me, "out of memory");
    word[n++] = q->analyser;
    if (*clang) {
        word[n++] = "--clang";
        word[n++] = clang;
    }
    if (q->device) {
        word[n++] = "--bits";
        word[n++] = sizeof(void *) == 8 ? "64" : "32";
        word[n++] = "--extensions";
        word[n++] = q->identity.extensions;
    }
    for (unsigned d = 0; d < q->identity.ndefines; d++) {
        word[n++] = "--define";
        word[n++] = q->identity.define[d];
    }
    if (q->is_told) {
        word[n++] = "--told";
        word[n++] = q->replies;
    }
    word[n++] = asks ? "--ask" : "--explain";
    if (asks) {
        word[n++] = "-o";
        word[n++] = q->asked;
    }
    word[n++] = q->file;
    word[n++] = "--";
    for (int i = 0; i < q->noptions; i++)
        word[n++] = q->options[i];
    execvp(q->analyser, (char *const *)(uintptr_t)word);
    int code = errno;
    free(word);
    if (code == ENOENT)
        return cx_tool_error(me,
                             "the kernel analyser, %s, is not there: coexec was built without LLVM, or "
                             "COEXEC_ANALYSER names another place",
                             q->analyser);
    return cx_tool_error(me, "%s: %s", q->analyser, strerror(code));
}

/* Runs the analyser; its exit status. Asking it says nothing. */
static int run_analyser(const struct question *q, bool asks)
{
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (asks && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
            _exit(1);
        const int failed = become_analyser(q, asks);
        fflush(NULL);
        _exit(failed);
    }
    if (child < 0)
        return cx_tool_error(me, "%s", strerror(errno));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Has the device answer what its compiler alone knows, as a run would. */
static void ask_device(struct question *q)
{
    static const char mark[] = CX_MACRO_QUESTION "\n";
    enum { MOST_BYTES = 1 << 20, LIMIT_MS = 60000 };
    char *text = calloc(1, MOST_BYTES), why[160] = "";
    char *replies = NULL;
    FILE *file = text && run_analyser(q, true) == 0 ? fopen(q->asked, "r") : NULL;
    if (file && fread(text, 1, MOST_BYTES - 1, file) && !strncmp(text, mark, strlen(mark)))
        replies = cx_compiler_macros_ask(q->device, text, LIMIT_MS, why, sizeof(why));
    if (file)
        fclose(file);
    file = replies ? fopen(q->replies, "w") : NULL;
    q->is_told = file && fputs(replies, file) >= 0;
    if (file)
        q->is_told &= fclose(file) == 0;
    free(replies);
    free(text);
}

/* As a run of programs on this machine sees the file: for the fastest device, which speaks for those like it.
 */
static int explain_file(struct question *q)
{
    strcpy(q->folder, "/tmp/coexec-XXXXXX");
    q->device = cx_machine_get()->fastest;
    if (!q->device || !mkdtemp(q->folder))
        return become_analyser(q, false);
    snprintf(q->asked, sizeof(q->asked), "%s/asked", q->folder);
    snprintf(q->replies, sizeof(q->replies), "%s/told.h", q->folder);
    cx_macro_identity_make(q->device, &q->identity);
    ask_device(q);
    const int status = run_analyser(q, false);
    unlink(q->asked);
    unlink(q->replies);
    rmdir(q->folder);
    return status;
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
    struct question question = {
        .analyser = analyser, .file = argv[1], .noptions = argc > 3 ? argc - 3 : 0, .options = argv + 3};
    int status = analyser ? explain_file(&question) : cx_tool_error(me, "out of memory");
    free(analyser);
    return status;
}

const struct cx_subcommand cx_explain_subcommand = {
    .name = "explain",
    .run = explain,
    .summary = "say how the kernels of a source file can be split",
    .help =
        "usage: coexec explain FILE.cl [-- COMPILER OPTIONS]\n"
        "       coexec explain --recorded FOLDER [--list]\n\n"
        "Says for each kernel whether its launches can be split over devices, or why not and in which "
        "line, and\n"
        "for each argument which bytes a work-group reads and writes, as a run on this machine's fastest\n"
        "device would; without devices, as clang sees the file. COMPILER OPTIONS are those of\n"
        "clBuildProgram, such as -DN=4 -cl-std=CL3.0. The exit status is 0 when the file could be "
        "analysed.\n\n"
        "With --recorded judges the launches that programs wrote down with COEXEC_RECORD=FOLDER, with "
        "their real sizes\n"
        "and arguments: a table of kernels, and how many of them split. --list adds a line for each "
        "launch.\n",
};
