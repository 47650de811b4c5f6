/* SPDX-License-Identifier: MIT */
#include "layer/analyser/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_OUTPUT ((size_t)256 << 20)

static long long now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* Sanitizers reserve terabytes of addresses, so a limit on those would end such a build at once. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LIMITS_ADDRESSES = 0 };
#else
enum { LIMITS_ADDRESSES = 1 };
#endif

#if defined(__SANITIZE_ADDRESS__)
/* The analyser lives for one program and leaves its memory to the system; the layer passes no environment on.
 */
const char *__asan_default_options(void);
__attribute__((visibility("default"), used)) const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

static void limit(int resource, rlim_t value)
{
    struct rlimit old;

    if (getrlimit(resource, &old) == 0) {
        rlim_t most = old.rlim_max == RLIM_INFINITY || value < old.rlim_max ? value : old.rlim_max;
        setrlimit(resource, &(struct rlimit){most, old.rlim_max});
    }
}

static _Noreturn void run_child(int (*body)(void *), void *context, unsigned limit_ms, unsigned memory_mb,
                                int out, int err)
{
    int status;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, limit_ms / 1000 + 2);
    if (LIMITS_ADDRESSES)
        limit(RLIMIT_AS, (rlim_t)memory_mb << 20);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    status = body(context);
    fflush(NULL);
    _exit(status);
}

/* Reads what there is; false at the end of the stream. Past the cap the rest is thrown away. */
static bool drain(int fd, struct cx_buffer *buffer)
{
    char chunk[65536];
    ssize_t n = read(fd, chunk, sizeof(chunk));
    char *grown;

    if (n < 0) {
        return errno == EINTR || errno == EAGAIN;
    }
    if (n == 0 || buffer->size + (size_t)n > MAX_OUTPUT) {
        return n > 0;
    }
    grown = realloc(buffer->data, buffer->size + (size_t)n + 1);
    if (!grown) {
        return false;
    }
    for (ssize_t i = 0; i < n; i++) {
        grown[buffer->size + (size_t)i] = chunk[i];
    }
    buffer->data = grown;
    buffer->size += (size_t)n;
    buffer->data[buffer->size] = 0; /* for text */
    return true;
}

/* Until both streams end or time is up; true where it was up. */
static bool collect(int out_fd, int err_fd, long long deadline, struct cx_buffer *out, struct cx_buffer *err)
{
    struct pollfd fds[2] = {{.fd = out_fd, .events = POLLIN}, {.fd = err_fd, .events = POLLIN}};

    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        long long left = deadline - now_ms();
        if (left <= 0) {
            return true;
        }
        if (poll(fds, 2, left > 1000 ? 1000 : (int)left) < 0) {
            if (errno != EINTR) {
                return true;
            }
            continue;
        }
        if (fds[0].revents && !drain(out_fd, out)) {
            fds[0].fd = -1;
        }
        if (fds[1].revents && !drain(err_fd, err)) {
            fds[1].fd = -1;
        }
    }
    return false;
}

/* Whether the child ends by then. A kernel without such descriptors (before 5.3) says yes: a child that has
 * closed its streams has little left to do, and its processor time is limited. */
static bool ends_by(pid_t child, long long deadline)
{
    int descriptor = (int)syscall(SYS_pidfd_open, child, 0);
    struct pollfd end = {.fd = descriptor, .events = POLLIN};
    bool ended = descriptor < 0;
    long long left;

    while (!ended && (left = deadline - now_ms()) > 0) {
        ended = poll(&end, 1, left < INT_MAX ? (int)left : INT_MAX) > 0;
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    return ended;
}

/* The streams are closed, but the child may go on: it too has until the deadline. */
static enum cx_process_status reap(pid_t child, long long deadline, bool late)
{
    int status = 0;

    if (late || !ends_by(child, deadline)) {
        late = true;
        kill(-child, SIGKILL);
        kill(child, SIGKILL);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        continue;
    }
    if (late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)) {
        return CX_PROCESS_TIMEOUT;
    }
    if (WIFSIGNALED(status)) {
        return CX_PROCESS_CRASHED;
    }
    return WEXITSTATUS(status) == 0 ? CX_PROCESS_OK : CX_PROCESS_FAILED;
}

unsigned cx_process_patience(void)
{
    return sched_getscheduler(0) == SCHED_IDLE ? 60 : 1;
}

enum cx_process_status cx_process_run(int (*body)(void *), void *context, unsigned limit_ms,
                                      unsigned memory_mb, struct cx_buffer *out, struct cx_buffer *err)
{
    long long deadline = now_ms() + (long long)limit_ms * cx_process_patience();
    int out_pipe[2], err_pipe[2];
    bool late;
    pid_t child;

    *out = *err = (struct cx_buffer){0};
    if (pipe2(out_pipe, O_CLOEXEC)) {
        return CX_PROCESS_NO_START;
    }
    if (pipe2(err_pipe, O_CLOEXEC)) {
        close(out_pipe[0]);
        close(out_pipe[1]);
        return CX_PROCESS_NO_START;
    }
    fflush(NULL);
    child = fork();
    if (child == 0) {
        run_child(body, context, limit_ms, memory_mb, out_pipe[1], err_pipe[1]);
    }
    close(out_pipe[1]);
    close(err_pipe[1]);
    late = child > 0 && collect(out_pipe[0], err_pipe[0], deadline, out, err);
    close(out_pipe[0]);
    close(err_pipe[0]);
    return child > 0 ? reap(child, deadline, late) : CX_PROCESS_NO_START;
}
