/* SPDX-License-Identifier: MIT */
/*
 * Running one example for `coexec bench`: its output goes into files that are read when it has ended, so that
 * nothing it prints can block it.
 */
#include "tools/coexec_bench.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void become(const char *const *arguments, const char *const *environment, int out, int err)
{
    for (; *environment; environment++) {
        const char *equals = strchr(*environment, '=');
        if (equals)
            putenv((char *)(uintptr_t)*environment);
        else
            unsetenv(*environment);
    }
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execv(arguments[0], (char *const *)(uintptr_t)arguments);
    dprintf(STDERR_FILENO, "%s: %s\n", arguments[0], strerror(errno));
    _exit(127);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The exit status as waitpid gives it, or -1 when the time was over. */
static int await(pid_t child, unsigned seconds)
{
    const struct timespec step = {0, 500000};
    time_t start = time(NULL);
    int status;
    for (;;) {
        pid_t got = waitpid(child, &status, WNOHANG);
        if (got == child)
            return status;
        if (got < 0 && errno != EINTR)
            return -1;
        if (time(NULL) - start > (time_t)seconds)
            break;
        cx_bench_power_sample();
        nanosleep(&step, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
}

static char *contents(int file)
{
    off_t size = lseek(file, 0, SEEK_END);
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    ssize_t got = text && lseek(file, 0, SEEK_SET) == 0 ? read(file, text, (size_t)size) : -1;
    if (text)
        text[got > 0 ? got : 0] = '\0';
    return text;
}

/* Makes what a program printed fit for tables and JSON. */
static void make_plain(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

/* name=... size=... ms=... checksum=... check=... */
static bool read_last_line(const char *text, struct cx_bench_result *result)
{
    const char *line = NULL;
    for (const char *at = text; (at = strstr(at, "name=")); at++)
        line = at;
    const char *ms = line ? strstr(line, " ms=") : NULL, *sum = line ? strstr(line, " checksum=") : NULL;
    const char *check = line ? strstr(line, " check=") : NULL, *size = line ? strstr(line, " size=") : NULL;
    if (!ms || !sum || !check)
        return false;
    result->ms = strtod(ms + 4, NULL);
    if (!isfinite(result->ms) || result->ms <= 0)
        return false;
    snprintf(result->checksum, sizeof result->checksum, "%.*s", (int)strcspn(sum + 10, " \n"), sum + 10);
    make_plain(result->checksum);
    result->size = size ? strtoull(size + 6, NULL, 10) : 0;
    result->checked = strncmp(check + 7, "pass", 4) == 0;
    return true;
}

/* The table of COEXEC_SUMMARY, as layer/report/kernel_table.c prints it, and the times of the build and of
 * the run that is not counted. */
static void read_summary(char *text, struct cx_bench_result *result)
{
    double balance = 0;
    unsigned long long balanced = 0;
    result->balance = -1;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned long long launches, split, packages;
        const char *at = strstr(line, " launches, "), *build = strstr(line, ": build "),
                   *first = strstr(line, ": first run "), *check = strstr(line, ": check ");
        if (build && strstr(line, " ms"))
            result->build_ms = strtod(build + 8, NULL);
        if (first && strstr(line, " ms"))
            result->first_ms = strtod(first + 12, NULL);
        if (check && strstr(line, " ms")) /* the program alone is meant */
            result->process_ms -= strtod(check + 8, NULL);
        if (strncmp(line, "  kernel ", 9) == 0 && at) {
            while (at > line && at[-1] != ' ')
                at--;
            if (sscanf(at, "%llu launches, %llu split", &launches, &split) != 2)
                continue;
            result->launches += launches;
            result->split += split;
            const char *took = strstr(line, "; time "), *moved = strstr(line, "; moved "),
                       *load = strstr(line, "; load balance ");
            if (took)
                result->launches_ms += strtod(took + 7, NULL);
            if (moved)
                result->moved_mb += strtod(moved + 8, NULL);
            if (load && split) {
                balance += strtod(load + 15, NULL) * (double)split;
                balanced += split;
            }
        } else if (strncmp(line, "    device ", 11) == 0) {
            at = strstr(line, " packages ");
            while (at && at > line && at[-1] != ' ')
                at--;
            if (at && sscanf(at, "%llu packages", &packages) == 1)
                result->packages += packages;
        }
    }
    if (balanced)
        result->balance = balance / (double)balanced;
}

/* The last line that says something, for messages. */
static void note_problem(struct cx_bench_result *result, int status, char *errors)
{
    const char *last = "";
    for (char *line = strtok(errors, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, "  ", 2) != 0 && strncmp(line, "coexec summary", 14) != 0)
            last = line;
    if (status == -1)
        snprintf(result->problem, sizeof result->problem, "took too long and was ended");
    else if (WIFSIGNALED(status))
        snprintf(result->problem, sizeof result->problem, "ended by signal %d (%s) %.150s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)), last);
    else if (WEXITSTATUS(status) == 0)
        snprintf(result->problem, sizeof result->problem, "printed no result %.200s", last);
    else
        snprintf(result->problem, sizeof result->problem, "exit status %d%s%.200s", WEXITSTATUS(status),
                 *last ? ": " : "", last);
    make_plain(result->problem);
}

struct cx_bench_running cx_bench_begin(const char *const *arguments, const char *const *environment)
{
    struct cx_bench_running running = {.out = tmpfile(), .err = tmpfile(), .began_ms = now_ms()};
    running.child = running.out && running.err ? fork() : -1;
    if (running.child == 0)
        become(arguments, environment, fileno(running.out), fileno(running.err));
    running.error = errno;
    return running;
}

void cx_bench_end(struct cx_bench_running *running, unsigned seconds, struct cx_bench_result *result)
{
    FILE *out = running->out, *err = running->err;
    *result = (struct cx_bench_result){.balance = -1};
    if (running->child < 0) {
        snprintf(result->problem, sizeof result->problem, "cannot be started: %s", strerror(running->error));
    } else {
        int status = await(running->child, seconds);
        const double process_ms = now_ms() - running->began_ms;
        char *text = contents(fileno(out)), *errors = contents(fileno(err)), *again = contents(fileno(err));
        result->ended = status == -1;
        result->process_ms = process_ms;
        result->ok = status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && text && errors &&
                     (running->any || read_last_line(text, result));
        if (again)
            read_summary(again, result);
        if (!result->ok && errors)
            note_problem(result, status, errors);
        free(text);
        free(errors);
        free(again);
    }
    if (out)
        fclose(out);
    if (err)
        fclose(err);
}
