/* SPDX-License-Identifier: MIT */
/*
 * Summaries of programs that a signal ends, such as Ctrl-C, or that end without their libraries' handlers:
 * the layer keeps each process' summary so far in a file, and a watcher prints what is left of them when the
 * program is over. The program is not its parent and not its child: it waits for nobody that it did not
 * start.
 */
#include "tools/coexec_run.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char kept_name[] = "summary";

/* Copies a file to standard error, or behind what COEXEC_SUMMARY_FILE has. */
static void print_file(const char *path)
{
    const char *to = getenv("COEXEC_SUMMARY_FILE");
    FILE *in = fopen(path, "re"), *out = to && *to && !strchr(to, '%') ? fopen(to, "ae") : stderr;
    char text[4096];
    size_t got = in && out ? fread(text, 1, sizeof text, in) : 0;
    if (got)
        fputs("coexec run: ended before it could tell; as of its last launches:\n", out);
    for (; got; got = fread(text, 1, sizeof text, in))
        fwrite(text, 1, got, out);
    if (in)
        fclose(in);
    if (out && out != stderr)
        fclose(out);
}

/* Also of one that its parent has not asked for yet. */
static bool is_over(pid_t pid)
{
    char path[64], state = 'X';
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'R'; /* an odd name */
    if (file)
        fclose(file);
    return state == 'X' || state == 'Z';
}

/* Prints what processes that are over have left in the folder, and removes it. */
static void print_left(const char *folder)
{
    DIR *all = opendir(folder);
    for (struct dirent *entry; all && (entry = readdir(all));) {
        char path[PATH_MAX];
        const char *number = strrchr(entry->d_name, '.');
        const pid_t pid = number && entry->d_name[0] != '.' ? (pid_t)strtol(number + 1, NULL, 10) : 0;
        if (pid <= 0 || snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
            continue;
        if (is_over(pid))
            print_file(path);
        unlink(path);
    }
    if (all)
        closedir(all);
    rmdir(folder);
}

static _Noreturn void watch(int program, const char *folder)
{
    struct pollfd over = {.fd = 3, .events = POLLIN};
    setsid(); /* a Ctrl-C is the program's */
    dup2(program, 3);
    closefrom(4);
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    while (poll(&over, 1, -1) < 0 && errno == EINTR)
        continue;
    print_left(folder);
    _exit(0);
}

void cx_run_watch(void)
{
    const char *base = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
    char folder[PATH_MAX], kept[PATH_MAX + sizeof kept_name];
    base = base && *base == '/' && access(base, W_OK) == 0 ? base
           : temporary && *temporary                       ? temporary
                                                           : "/tmp";
    const int program = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (program < 0 || snprintf(folder, sizeof folder, "%s/coexec-XXXXXX", base) >= (int)sizeof folder ||
        !mkdtemp(folder)) {
        if (program >= 0)
            close(program);
        return; /* then it is as without: nothing is told of a program that is killed */
    }
    snprintf(kept, sizeof kept, "%s/%s", folder, kept_name);
    const pid_t between = fork();
    if (between == 0) {
        const pid_t watcher = fork();
        if (watcher == 0)
            watch(program, folder);
        _exit(watcher > 0 ? 0 : 1);
    }
    int status = 1;
    while (between > 0 && waitpid(between, &status, 0) < 0 && errno == EINTR)
        continue;
    close(program);
    if (between > 0 && status == 0)
        setenv("COEXEC_SUMMARY_KEPT", kept, 1);
    else
        rmdir(folder);
}
