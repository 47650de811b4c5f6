/* SPDX-License-Identifier: MIT */
/*
 * Whether --devices names devices that are there. The drivers are opened in a process of its own, which ends
 * before the program begins: nothing of theirs is left in the program, and if one crashes the program still
 * runs.
 */
#include "tools/coexec.h"
#include "tools/coexec_guess.h"
#include "tools/coexec_info.h"
#include "tools/coexec_run.h"
#include "layer/driver/select.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The item that the problem is about stands in quotes there. */
static void guess_item(struct cx_guess *guess, const struct cx_machine *machine, const char *problem,
                       char *item)
{
    const char *quoted = strchr(problem, '\'');
    snprintf(item, CX_GUESS_WORD, "%.*s", quoted ? (int)strcspn(quoted + 1, "'*?") : 0,
             quoted ? quoted + 1 : "");
    cx_guess_init(guess, item);
    cx_guess_offer_words(guess, "cpu gpu accelerator all");
    for (unsigned d = 0; d < machine->ndevices; d++) {
        cx_guess_offer_words(guess, machine->devices[d].name);
        cx_guess_offer_words(guess, machine->devices[d].vendor);
        cx_guess_offer_words(guess, machine->devices[d].platform->name);
    }
}

static int judge(const char *me, const struct cx_machine *machine, const char *list)
{
    char problem[CX_SELECT_PROBLEM], item[CX_GUESS_WORD];
    struct cx_guess guess;
    unsigned *order = calloc(machine->ndevices + 1u, sizeof *order);
    if (machine->ndevices == 0)
        return cx_tell_no_device(me, machine);
    const unsigned count = order ? cx_select(machine->devices, machine->ndevices, list, order, problem) : 1;
    free(order);
    if (count > 0)
        return CX_EXIT_OK;
    guess_item(&guess, machine, problem, item);
    char *accepted = cx_select_accepted(machine->devices, machine->ndevices);
    cx_usage_error(me, "--devices %s: %s%s; accepted: %s", list, problem, cx_guess_text(&guess),
                   accepted ? accepted : "");
    free(accepted);
    return CX_EXIT_USAGE;
}

/* What the environment says of other things is told when the program starts, not twice. */
static const struct cx_machine *find_quietly(void)
{
    const int before = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (before >= 0 && nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    unsetenv("COEXEC_DEVICES");
    const struct cx_machine *machine = cx_machine_get();
    if (before >= 0)
        dup2(before, STDERR_FILENO);
    return machine;
}

int cx_run_check_devices(const char *me, const char *list)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0)
        _exit(judge(me, find_quietly(), list)); /* without the handlers that drivers left for exit() */
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : CX_EXIT_OK;
}
