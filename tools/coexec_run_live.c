/* SPDX-License-Identifier: MIT */
/*
 * coexec run --live: a line at the foot of the terminal that says what the program does, while its output
 * scrolls above it. The program is a child then, which gets the signals that this process gets, and whose
 * status becomes this one's.
 */
#include "tools/coexec.h"
#include "tools/coexec_live.h"
#include "tools/coexec_run.h"
#include "tools/coexec_terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOKS_EVERY_MS = 300, SEARCHES_EVERY = 4 };

static const int caught[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP, SIGCHLD};

struct live {
    pid_t program;
    int signals;
    bool shown; /* the line is there */
    unsigned rounds;
    struct cx_live_processes all;
    struct cx_live_process *one;
    int status; /* of the program, once it is over */
    bool over;
};

/* The program, or one that it has started: the one whose counters moved last. */
static void find_process(struct live *live)
{
    uint64_t most = 0;
    cx_live_search(&live->all);
    live->one = NULL;
    for (unsigned i = 0; i < live->all.n; i++) {
        struct cx_live_process *process = live->all.of[i];
        if (!cx_live_is_below(process->pid, live->program))
            continue;
        cx_live_take_sample(process);
        if (!live->one || process->sample[process->last].over > most)
            live->one = process;
        most = live->one->sample[live->one->last].over;
    }
}

static void hide(struct live *live)
{
    if (live->shown)
        cx_terminal_give_line(STDERR_FILENO);
    live->shown = false;
}

static void show(struct live *live)
{
    char *text = NULL;
    size_t size = 0;
    if (tcgetpgrp(STDERR_FILENO) != getpgrp()) { /* in the background */
        hide(live);
        return;
    }
    if (!live->one || live->rounds++ % SEARCHES_EVERY == 0)
        find_process(live);
    else
        cx_live_take_sample(live->one);
    FILE *out = live->one && live->one->nsamples > 1 ? open_memstream(&text, &size) : NULL;
    if (!out)
        return;
    cx_live_print_line(out, live->one);
    if (fclose(out) == 0) {
        if (!live->shown)
            cx_terminal_keep_line(STDERR_FILENO);
        live->shown = true;
        cx_terminal_show_line(STDERR_FILENO, text);
    }
    free(text);
}

/* From the terminal they come to the program by themselves: it is of the same group. */
static bool is_from_terminal(const struct signalfd_siginfo *info)
{
    return info->ssi_code == SI_KERNEL;
}

static void take_signal(struct live *live)
{
    struct signalfd_siginfo info;
    if (read(live->signals, &info, sizeof info) != sizeof info)
        return;
    switch (info.ssi_signo) {
    case SIGCHLD:
        live->over = waitpid(live->program, &live->status, WNOHANG) == live->program;
        break;
    case SIGWINCH:
        hide(live); /* it comes back with the next look */
        break;
    case SIGTSTP:
        hide(live);
        if (!is_from_terminal(&info))
            kill(live->program, SIGTSTP);
        raise(SIGSTOP);
        kill(live->program, SIGCONT);
        break;
    default:
        if (!is_from_terminal(&info))
            kill(live->program, (int)info.ssi_signo);
    }
}

static int watch(struct live *live)
{
    struct pollfd wait = {.fd = live->signals, .events = POLLIN};
    while (!live->over)
        if (poll(&wait, 1, LOOKS_EVERY_MS) > 0)
            take_signal(live);
        else
            show(live);
    hide(live);
    cx_live_forget(&live->all);
    if (!WIFSIGNALED(live->status))
        return WEXITSTATUS(live->status);
    /* ended by the same signal, without a second core file */
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, WTERMSIG(live->status));
    prctl(PR_SET_DUMPABLE, 0);
    signal(WTERMSIG(live->status), SIG_DFL);
    raise(WTERMSIG(live->status));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return 128 + WTERMSIG(live->status);
}

bool cx_run_live(int *status)
{
    struct live live = {.program = 0};
    sigset_t set, before;
    if (!cx_terminal_is(STDERR_FILENO)) {
        fputs("coexec run: --live shows nothing, as standard error is no terminal; see `coexec help top`\n",
              stderr);
        return false;
    }
    signal(SIGCHLD, SIG_DFL); /* or nobody tells of its end */
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        sigaddset(&set, caught[i]);
    sigprocmask(SIG_BLOCK, &set, &before);
    live.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    live.program = live.signals >= 0 ? fork() : -1;
    if (live.program <= 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        if (live.program < 0)
            fprintf(stderr, "coexec run: --live shows nothing: %s\n", strerror(errno));
        return false;
    }
    *status = watch(&live);
    return true;
}
