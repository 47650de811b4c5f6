/* SPDX-License-Identifier: MIT */
/*
 * coexec knowledge: has coexec-knowledge do it (knowledge_main.c), so that SQLite is needed for nothing else.
 */
#include "tools/coexec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef CX_INSTALLED_KNOWLEDGE
#define CX_INSTALLED_KNOWLEDGE NULL /* of a build without it */
#endif

static int knowledge(int argc, char **argv)
{
    (void)argc; /* the list ends with NULL */
    char *program = cx_find_own("coexec-knowledge", CX_INSTALLED_KNOWLEDGE);
    if (!program || access(program, X_OK) != 0) {
        free(program);
        return cx_tool_error("knowledge", "coexec-knowledge is not there: this build has no knowledge base");
    }
    execv(program, argv);
    const int why = errno;
    free(program);
    return cx_tool_error("knowledge", "coexec-knowledge cannot be run: %s", strerror(why));
}

const struct cx_subcommand cx_knowledge_subcommand = {
    .name = "knowledge",
    .run = knowledge,
    .summary = "show, copy or drop what was learned of kernels and devices",
    .help =
        "usage: coexec knowledge list [--kernel PATTERN] [--json]\n"
        "       coexec knowledge predict --size N[xM[xK]] [--kernel PATTERN]\n"
        "       coexec knowledge export [--kernel PATTERN] [FILE]\n"
        "       coexec knowledge import FILE\n"
        "       coexec knowledge forget --all | --kernel PATTERN | --older DAYS\n"
        "       coexec knowledge check\n"
        "       coexec knowledge where\n\n"
        "What processes learned of their kernels on this machine's devices, which later processes begin "
        "with\n"
        "(COEXEC_KNOWLEDGE). Kernels and devices are known by salted hashes; names are kept for this "
        "list.\n\n"
        "  list     each kernel and size: a whole launch's time, a split's beside it, what splits saved the\n"
        "           newest process, and the part of a launch that each device does best; the devices'\n"
        "           powers, and how programs ran with CPU devices cut (COEXEC_FISSION=auto)\n"
        "  predict  the same for another size, derived from those that ran\n"
        "  export   write all as text; import: add such a text, of this machine (hashes differ elsewhere)\n"
        "  forget   drop all, those of some kernels, or those not seen for so many days\n"
        "  check    check the file, and set it aside if it is damaged\n"
        "  where    print the folder\n",
};
