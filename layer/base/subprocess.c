/* SPDX-License-Identifier: MIT */
/*
 * Helper processes: spawn, collect the first error line, wait, kill at the limit.
 */
#include "layer/base/subprocess.h"
#include "layer/base/options.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Nothing of the program's: preloaded libraries, sanitizer options and the like stay out, and where its own
 * libraries are, too, unless a helper's are found nowhere else. */
static char commands[] = "PATH=/usr/local/bin:/usr/bin:/bin", locale[] = "LC_ALL=C";
/* A helper could not be started without. */
static atomic_bool wants_libraries;
/* What the dynamic linker says then. */
static const char lacks[] = "error while loading shared libraries";

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool spawn(pid_t *pid, char *const argv[], int errors, bool outlasts, char *libraries)
{
    char *const environment[] = {commands, locale, libraries, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;

    if (posix_spawn_file_actions_init(&files))
        return false;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&files);
        return false;
    }
    sigemptyset(&none);
    if (outlasts) /* it may come before there is a handler for it */
        sigaddset(&none, SIGUSR1);
    sigfillset(&all);
    /* standard error first: the pipe may itself have a number below 3 */
    bool ok = !posix_spawn_file_actions_adddup2(&files, errors, 2) &&
              !posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0) &&
              !posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0) &&
              !posix_spawn_file_actions_addclosefrom_np(&files, 3) &&
              !posix_spawnattr_setpgroup(&attributes, 0) && !posix_spawnattr_setsigmask(&attributes, &none) &&
              !posix_spawnattr_setsigdefault(&attributes, &all) &&
              !posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                         POSIX_SPAWN_SETSIGDEF);
    ok = ok && !posix_spawn(pid, argv[0], &files, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return ok;
}

enum collected { CLOSED, TIME_UP, WOKEN };

/* One that is about to end when our process ends may do so. */
enum { LAST_CHANCE_MS = 3 };

/* Collects the start of what comes through the pipe until all of the group have closed it. wake: none or a
 * socket that ends the waiting. */
static enum collected collect(const struct cx_own_file *pipe, const struct cx_own_file *wake,
                              int64_t deadline, char *message, size_t room)
{
    bool woken = false;
    size_t used = 0;
    char waste[512];

    for (;;) {
        int64_t left = deadline - now_ms();
        struct pollfd wait[] = {
            {.fd = pipe->descriptor, .events = POLLIN},
            {.fd = !woken && cx_own_file_is(wake) ? wake->descriptor : -1, .events = POLLIN}};
        if (left <= 0)
            return woken ? WOKEN : TIME_UP;
        int ready = poll(wait, 2, left > 1000 ? 1000 : (int)left);
        if ((ready < 0 && errno != EINTR) || !cx_own_file_is(pipe))
            return CLOSED;
        if (ready > 0 && wait[1].revents && cx_own_file_is(wake)) {
            woken = true;
            deadline = now_ms() + LAST_CHANCE_MS;
        }
        if (ready <= 0 || !wait[0].revents)
            continue;
        bool keep = used + 1 < room;
        ssize_t got =
            read(pipe->descriptor, keep ? message + used : waste, keep ? room - 1 - used : sizeof(waste));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return CLOSED;
        if (keep)
            used += (size_t)got;
        message[used] = 0;
    }
}

/* The end of the process itself; entered as a running one until just before it is reaped, so that its number
 * cannot stand for another one when it is killed. */
static enum cx_subprocess_end reap(struct cx_subprocess *helper, pid_t pid)
{
    siginfo_t info;
    int status = 0;
    pid_t got;

    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    cx_exit_guard_subprocess_leave(helper);
    while ((got = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
        ;
    if (got != pid) /* the program reaps all children, or ignores their end */
        return CX_SUBPROCESS_OK;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? CX_SUBPROCESS_OK : CX_SUBPROCESS_FAILED;
}

/* Whether the process is still the program that was started and no interpreter of it. */
static bool is_program(pid_t pid, const char *path)
{
    char link[40];
    snprintf(link, sizeof(link), "/proc/%ld/exe", (long)pid);
    char *running = realpath(link, NULL), *real = realpath(path, NULL);
    const bool same = running && real && !strcmp(running, real);
    free(running);
    free(real);
    return same;
}

/* The helper as it was started: to its end, or to ours. */
static enum cx_subprocess_end follow(struct cx_subprocess *helper, pid_t pid, const struct cx_own_file *pipe,
                                     const struct cx_own_file *wake, unsigned limit_ms, char *message,
                                     size_t room)
{
    const bool outlasts = helper->outlasts;
    if (outlasts)
        cx_exit_guard_files(false);
    const enum collected how = collect(pipe, wake, now_ms() + limit_ms, message, room);
    if (how == WOKEN && helper->outlasts) { /* nobody reaps it but init */
        kill(-pid, SIGUSR1);
        cx_exit_guard_subprocess_leave(helper);
        return CX_SUBPROCESS_LEFT;
    }
    if (outlasts)
        cx_exit_guard_files(true);
    if (how != CLOSED)
        kill(-pid, SIGKILL);
    const enum cx_subprocess_end end = reap(helper, pid);
    if (how == TIME_UP)
        return CX_SUBPROCESS_TIMEOUT;
    return end == CX_SUBPROCESS_FAILED && (helper->stop || cx_exit_guard_ending()) ? CX_SUBPROCESS_STOPPED
                                                                                   : end;
}

/* libraries: LD_LIBRARY_PATH for it, NULL for none. */
static enum cx_subprocess_end run(struct cx_subprocess *helper, char *const argv[], unsigned limit_ms,
                                  char *message, size_t room, char *libraries)
{
    pid_t pid = 0;
    int ends[2], wakes[2];
    struct cx_own_file pipe, woken = CX_OWN_FILE_NONE;

    *message = 0;
    if ((helper->stop && !helper->outlasts) || pipe2(ends, O_CLOEXEC))
        return helper->stop ? CX_SUBPROCESS_STOPPED : CX_SUBPROCESS_ABSENT;
    pipe = cx_own_file_keep(ends[0]);
    bool started = pipe.descriptor >= 0 && spawn(&pid, argv, ends[1], helper->outlasts, libraries);
    close(ends[1]);
    if (!started) {
        cx_own_file_close(&pipe);
        return CX_SUBPROCESS_ABSENT;
    }
    helper->wake = CX_OWN_FILE_NONE;
    if (helper->outlasts && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wakes) == 0) {
        woken = cx_own_file_keep(wakes[0]);
        helper->wake = cx_own_file_keep(wakes[1]);
    }
    helper->outlasts = woken.descriptor >= 0 && helper->wake.descriptor >= 0 && is_program(pid, argv[0]);
    cx_exit_guard_subprocess_enter(helper, pid);
    enum cx_subprocess_end end = follow(helper, pid, &pipe, &woken, limit_ms, message, room);
    cx_own_file_close(&pipe);
    cx_own_file_close(&woken);
    cx_own_file_close(&helper->wake);
    message[strcspn(message, "\r\n")] = 0;
    return end;
}

enum cx_subprocess_end cx_subprocess_run(struct cx_subprocess *helper, char *const argv[], unsigned limit_ms,
                                         char *message, size_t room)
{
    char *libraries = NULL;
    const char *given = cx_options_linker_path();
    const bool outlasts = helper->outlasts, wanted = atomic_load(&wants_libraries);
    if (*given && asprintf(&libraries, "LD_LIBRARY_PATH=%s", given) < 0)
        libraries = NULL;
    enum cx_subprocess_end end = run(helper, argv, limit_ms, message, room, wanted ? libraries : NULL);
    if (end == CX_SUBPROCESS_FAILED && libraries && !wanted && strstr(message, lacks)) {
        helper->outlasts = outlasts;
        end = run(helper, argv, limit_ms, message, room, libraries);
        if (end != CX_SUBPROCESS_FAILED)
            atomic_store(&wants_libraries, true);
    }
    free(libraries);
    return end;
}
