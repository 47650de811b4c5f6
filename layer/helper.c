/* SPDX-License-Identifier: MIT */
/*
 * Helper processes: spawn, collect the first error line, wait, kill at the limit.
 */
#include "layer/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Nothing of the program's: preloaded libraries, sanitizer options and the like stay out. */
static char *const environment[] = {(char[]){"PATH=/usr/local/bin:/usr/bin:/bin"}, (char[]){"LC_ALL=C"},
                                    NULL};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool spawn(pid_t *pid, char *const argv[], int errors)
{
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

/* Collects the start of what comes through the pipe until all of the group have closed it. false: time is up.
 */
static bool collect(int pipe, int64_t deadline, char *message, size_t room)
{
    size_t used = 0;
    char waste[512];

    for (;;) {
        int64_t left = deadline - now_ms();
        struct pollfd wait = {.fd = pipe, .events = POLLIN};
        if (left <= 0)
            return false;
        int ready = poll(&wait, 1, left > 1000 ? 1000 : (int)left);
        if (ready < 0 && errno != EINTR)
            return true;
        if (ready <= 0)
            continue;
        bool keep = used + 1 < room;
        ssize_t got = read(pipe, keep ? message + used : waste, keep ? room - 1 - used : sizeof(waste));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return true;
        if (keep)
            used += (size_t)got;
        message[used] = 0;
    }
}

/* The end of the process itself; entered as a running one until just before it is reaped, so that its number
 * cannot stand for another one when it is killed. */
static enum cx_helper_end reap(struct cx_helper *helper, pid_t pid)
{
    siginfo_t info;
    int status = 0;
    pid_t got;

    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    cx_helper_leave(helper);
    while ((got = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
        ;
    if (got != pid) /* the program reaps all children, or ignores their end */
        return CX_HELPER_OK;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? CX_HELPER_OK : CX_HELPER_FAILED;
}

enum cx_helper_end cx_helper_run(struct cx_helper *helper, char *const argv[], unsigned limit_ms,
                                 char *message, size_t room)
{
    pid_t pid = 0;
    int ends[2];

    *message = 0;
    if (helper->stop || pipe2(ends, O_CLOEXEC))
        return helper->stop ? CX_HELPER_STOPPED : CX_HELPER_ABSENT;
    bool started = spawn(&pid, argv, ends[1]);
    close(ends[1]);
    if (!started) {
        close(ends[0]);
        return CX_HELPER_ABSENT;
    }
    cx_helper_enter(helper, pid);
    bool in_time = collect(ends[0], now_ms() + limit_ms, message, room);
    close(ends[0]);
    if (!in_time)
        kill(-pid, SIGKILL);
    enum cx_helper_end end = reap(helper, pid);
    message[strcspn(message, "\r\n")] = 0;
    if (!in_time)
        return CX_HELPER_TIMEOUT;
    return end == CX_HELPER_FAILED && (helper->stop || cx_background_ending()) ? CX_HELPER_STOPPED : end;
}
