/* SPDX-License-Identifier: MIT */
/*
 * coexec top: what the processes that use coexec do, now and until it is ended; on the whole screen of a
 * terminal, else as text or JSON. Before: coexec_live.h.
 */
#include "tools/coexec.h"
#include "tools/coexec_guess.h"
#include "tools/coexec_live.h"
#include "tools/coexec_json.h"
#include "tools/coexec_terminal.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const char me[] = "top";

struct top {
    pid_t pid;       /* 0: all processes */
    double interval; /* seconds; 0: as usual */
    bool once, json, screen;
    int signals; /* a file that tells of them */
    int ended_by;
    unsigned rounds;
    struct cx_live_process *one;
    struct cx_live_processes all;
};

/* ---- the command line ---- */

static int read_interval(struct top *top, const char *value)
{
    char *end;
    if (!value)
        return cx_usage_error(me, "--interval needs a value");
    top->interval = strtod(value, &end);
    if (end == value || *end || !(top->interval >= 0.05 && top->interval <= 3600))
        return cx_usage_error(me, "--interval %s: not a number of seconds from 0.05 to 3600", value);
    return CX_EXIT_OK;
}

static int read_pid(struct top *top, const char *value)
{
    char *end;
    const long pid = strtol(value, &end, 10);
    if (end == value || *end || pid <= 0 || pid > INT32_MAX)
        return cx_usage_error(me, "%s: not the number of a process; without one all are shown", value);
    if (top->pid)
        return cx_usage_error(me, "%s: one process can be shown, or all", value);
    top->pid = (pid_t)pid;
    return CX_EXIT_OK;
}

static int read_argument(struct top *top, int argc, char **argv, int *i)
{
    const char *argument = argv[(*i)++];
    struct cx_guess guess;
    if (strcmp(argument, "--once") == 0)
        top->once = true;
    else if (strcmp(argument, "--json") == 0)
        top->json = true;
    else if (strncmp(argument, "--interval=", 11) == 0)
        return read_interval(top, argument + 11);
    else if (strcmp(argument, "--interval") == 0)
        return read_interval(top, *i < argc ? argv[(*i)++] : NULL);
    else if (*argument != '-')
        return read_pid(top, argument);
    else {
        cx_guess_init(&guess, argument);
        cx_guess_offer_words(&guess, "--once --json --interval --help");
        return cx_usage_error(me, "unknown option %s%s", argument, cx_guess_text(&guess));
    }
    return CX_EXIT_OK;
}

/* ---- what is shown ---- */

/* Takes a sample of each process. False: the one that is shown is over. */
static bool look(struct top *top)
{
    if (top->pid) {
        if (!cx_live_runs_yet(top->one))
            return false;
        cx_live_take_sample(top->one);
        return true;
    }
    cx_live_search(&top->all);
    for (unsigned i = 0; i < top->all.n; i++)
        cx_live_take_sample(top->all.of[i]);
    return true;
}

static void print_json(struct top *top, FILE *out)
{
    struct json_object *object = json_object_new_object(), *processes = json_object_new_array();
    if (top->one)
        cx_json_append(processes, cx_live_json(top->one));
    for (unsigned i = 0; i < top->all.n; i++)
        cx_json_append(processes, cx_live_json(top->all.of[i]));
    cx_json_add(object, "processes", processes);
    fprintf(out, "%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
    json_object_put(object);
}

static void print(struct top *top, FILE *out)
{
    const bool bold = top->screen && cx_terminal_bold();
    if (top->json)
        print_json(top, out);
    else if (top->one)
        cx_live_print(out, top->one, bold);
    else
        cx_live_print_table(out, &top->all, bold);
}

/* False: nobody reads it any more. */
static bool show(struct top *top)
{
    char *text = NULL;
    size_t size = 0;
    if (!top->screen) {
        if (top->rounds++ && !top->json)
            putchar('\n');
        print(top, stdout);
        return fflush(stdout) == 0;
    }
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return false;
    print(top, out);
    fputs(top->pid ? "\nq: quit\n" : "\nq: quit; coexec top PID: more of one process\n", out);
    if (fclose(out) == 0)
        cx_terminal_show(text);
    free(text);
    return true;
}

/* ---- waiting ---- */

static void stop_and_go_on(struct top *top)
{
    if (top->screen)
        cx_terminal_leave();
    raise(SIGSTOP);
    if (top->screen)
        cx_terminal_enter();
}

/* Reads a signal. True: it ends the program. */
static bool is_end(struct top *top)
{
    struct signalfd_siginfo info;
    if (read(top->signals, &info, sizeof info) != sizeof info || info.ssi_signo == SIGWINCH)
        return false;
    if (info.ssi_signo == SIGTSTP) {
        stop_and_go_on(top);
        return false;
    }
    top->ended_by = (int)info.ssi_signo;
    return true;
}

/* q and Q end it. What ends the keys (a terminal that is gone) does so, too. */
static bool is_quit(void)
{
    char key;
    const ssize_t got = read(STDIN_FILENO, &key, 1);
    return got == 0 || (got > 0 && (key == 'q' || key == 'Q' || key == 4));
}

/* Waits until it is time to look again. False: it is to end. */
static bool wait_for(struct top *top, double seconds)
{
    struct pollfd waits[] = {
        {.fd = top->signals, .events = POLLIN},
        {.fd = top->screen && isatty(STDIN_FILENO) ? STDIN_FILENO : -1, .events = POLLIN}};
    const int ready = poll(waits, 2, (int)(seconds * 1000));
    if (ready > 0 && waits[0].revents && is_end(top))
        return false;
    if (ready > 0 && waits[1].revents && is_quit())
        return false;
    return true;
}

static void catch_signals(struct top *top)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    if (top->screen) {
        sigaddset(&set, SIGTSTP);
        sigaddset(&set, SIGWINCH);
    }
    sigprocmask(SIG_BLOCK, &set, NULL);
    top->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* As if it had not been caught. */
static void end_by(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Rates need two looks. */
static bool watch(struct top *top)
{
    const double usual = top->screen ? 0.5 : 1, interval = top->interval > 0 ? top->interval : usual;
    bool runs = look(top);
    if (top->screen && runs)
        show(top);
    while (runs && wait_for(top, top->screen && !top->rounds++ ? fmin(interval, 0.2) : interval)) {
        runs = look(top);
        if (!runs || !show(top) || top->once)
            break;
    }
    return runs;
}

static int top(int argc, char **argv)
{
    struct top top = {.pid = 0};
    const char *why;
    int status = CX_EXIT_OK;
    for (int i = 1; i < argc && status == CX_EXIT_OK;)
        status = read_argument(&top, argc, argv, &i);
    if (status != CX_EXIT_OK)
        return status;
    if (top.pid && !(top.one = cx_live_open(top.pid, &why)))
        return cx_tool_error(me, "process %ld %s", (long)top.pid, why);
    top.screen = !top.once && !top.json && cx_terminal_is(STDOUT_FILENO);
    catch_signals(&top);
    if (top.screen)
        cx_terminal_enter();
    const bool runs = watch(&top);
    if (top.screen) {
        cx_terminal_leave();
        top.screen = false;
        if (top.pid && !runs)
            print(&top, stdout);
    }
    if (!runs && !top.json)
        printf("\nprocess %ld has ended\n", (long)top.pid);
    cx_live_close(top.one);
    cx_live_forget(&top.all);
    if (top.ended_by)
        end_by(top.ended_by);
    return fflush(stdout) == 0 && !ferror(stdout) ? CX_EXIT_OK : CX_EXIT_FAILED;
}

const struct cx_subcommand cx_top_subcommand = {
    .name = "top",
    .run = top,
    .summary = "show what running programs do, as top does",
    .help =
        "usage: coexec top [OPTIONS] [PID]\n\n"
        "Shows the programs that use coexec now, a line each, or more of one: the devices and their parts "
        "of the work,\n"
        "launches and bytes a second, the kernel that runs, and by how much it is faster than on the fastest "
        "device alone\n"
        "(an estimate, of launches only). They need not have been started in any special way. On a terminal "
        "it shows them\n"
        "until you press q, else it writes them every second.\n\n"
        "  --once        write it once, after one interval, and end\n"
        "  --json        write JSON, an object a line\n"
        "  --interval S  seconds between two looks (0.5 on a terminal, else 1)\n",
};
