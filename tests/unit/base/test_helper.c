/* SPDX-License-Identifier: MIT */
/* subprocess.c and exit_guard.c: what a helper process sees, how it ends, and what happens when we end first.
 */
#include "capture.h"
#include "layer/base/subprocess.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char message[128];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static enum cx_subprocess_end shell_in(struct cx_subprocess *helper, const char *script, unsigned limit_ms)
{
    char *argv[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, strdup(script), NULL};
    ck_assert_ptr_nonnull(argv[2]);
    enum cx_subprocess_end end = cx_subprocess_run(helper, argv, limit_ms, message, sizeof(message));
    free(argv[2]);
    return end;
}

static enum cx_subprocess_end shell(const char *script, unsigned limit_ms)
{
    struct cx_subprocess helper = {0};
    return shell_in(&helper, script, limit_ms);
}

START_TEST(ends)
{
    ck_assert_int_eq(shell("exit 0", 5000), CX_SUBPROCESS_OK);
    ck_assert_str_eq(message, "");
    ck_assert_int_eq(shell("echo first line >&2; echo second >&2; exit 3", 5000), CX_SUBPROCESS_FAILED);
    ck_assert_str_eq(message, "first line");
    ck_assert_int_eq(shell("kill -9 $$", 5000), CX_SUBPROCESS_FAILED);
    ck_assert_int_eq(shell("head -c 100000 /dev/zero | tr '\\0' x >&2; exit 1", 5000), CX_SUBPROCESS_FAILED);
    ck_assert_uint_eq(strlen(message), sizeof(message) - 1);

    struct cx_subprocess helper = {0};
    char *argv[] = {(char[]){"/no/such/program"}, NULL};
    ck_assert_int_eq(cx_subprocess_run(&helper, argv, 1000, message, sizeof(message)), CX_SUBPROCESS_ABSENT);
}
END_TEST

/* Open files, environment, signals and the process group are its own. */
START_TEST(surroundings)
{
    int open_file = open("/dev/null", O_RDONLY);
    sigset_t all;

    ck_assert_int_ge(open_file, 3);
    ck_assert_int_eq(fcntl(open_file, F_SETFD, 0), 0);
    setenv("LD_PRELOAD_TEST", "1", 1);
    signal(SIGPIPE, SIG_IGN);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);

    ck_assert_int_eq(
        shell("for f in 3 4 5 6 7 8 9 10 11 12; do [ ! -e /proc/$$/fd/$f ] || exit 1; done", 5000),
        CX_SUBPROCESS_OK);
    ck_assert_int_eq(shell("[ -z \"$LD_PRELOAD_TEST\" ] && [ -z \"$HOME\" ]", 5000), CX_SUBPROCESS_OK);
    ck_assert_int_eq(shell("read x; [ -z \"$x\" ]; echo out", 5000), CX_SUBPROCESS_OK);
    ck_assert_int_eq(shell("grep -q '^SigIgn:.*0000000$' /proc/self/status", 5000), CX_SUBPROCESS_OK);
    ck_assert_int_eq(shell("grep -q '^SigBlk:.*0000000000000000' /proc/self/status", 5000), CX_SUBPROCESS_OK);
    ck_assert_int_eq(shell("[ $(cut -d' ' -f5 /proc/$$/stat) = $$ ]", 5000), CX_SUBPROCESS_OK);
}
END_TEST

/* Once a helper's libraries were not found without it, they get the program's path for libraries. */
START_TEST(libraries)
{
    static const char needs[] =
        "[ -n \"$LD_LIBRARY_PATH\" ] || { echo \"x: error while loading shared libraries: "
        "libx.so: cannot open\" >&2; exit 127; }; echo there >&2; exit $((5 - 5 * %d))";
    char script[256];
    const bool given = _i & 1, works = _i & 2;
    snprintf(script, sizeof(script), needs, works);
    if (given)
        setenv("LD_LIBRARY_PATH", "/nowhere", 1);
    else
        unsetenv("LD_LIBRARY_PATH");
    ck_assert_int_eq(shell("[ -z \"$LD_LIBRARY_PATH\" ]", 5000), CX_SUBPROCESS_OK);
    ck_assert_int_eq(shell(script, 5000), given && works ? CX_SUBPROCESS_OK : CX_SUBPROCESS_FAILED);
    ck_assert_int_eq(strcmp(message, "there") == 0, given);
    ck_assert_int_eq(shell("[ -z \"$LD_LIBRARY_PATH\" ]", 5000),
                     given && works ? CX_SUBPROCESS_FAILED : CX_SUBPROCESS_OK);
}
END_TEST

/* The whole group dies at the limit, so the pipe closes at once. */
START_TEST(time_limit)
{
    double start = now();
    ck_assert_int_eq(shell("sleep 100 & sleep 100", 200), CX_SUBPROCESS_TIMEOUT);
    ck_assert_double_lt(now() - start, 5);
}
END_TEST

static void *stop_soon(void *helper)
{
    usleep(100000);
    cx_exit_guard_subprocess_stop(helper);
    return NULL;
}

START_TEST(stopped)
{
    struct cx_subprocess helper = {0};
    pthread_t thread;
    double start = now();

    ck_assert_int_eq(pthread_create(&thread, NULL, stop_soon, &helper), 0);
    ck_assert_int_eq(shell_in(&helper, "sleep 100 & sleep 100", 60000), CX_SUBPROCESS_STOPPED);
    ck_assert_double_lt(now() - start, 5);
    pthread_join(thread, NULL);
    /* stopped before it started */
    ck_assert_int_eq(shell_in(&helper, "sleep 100", 60000), CX_SUBPROCESS_STOPPED);
    ck_assert_double_lt(now() - start, 5);
}
END_TEST

/* A program that ignores the end of children, or reaps all of them, does not confuse us. */
START_TEST(program_reaps)
{
    signal(SIGCHLD, SIG_IGN);
    ck_assert_int_eq(shell("exit 0", 5000), CX_SUBPROCESS_OK);
    ck_assert_int_eq(shell("sleep 100", 200), CX_SUBPROCESS_TIMEOUT);
    signal(SIGCHLD, SIG_DFL);
}
END_TEST

START_TEST(standard_files_closed)
{
    int saved[3];
    for (int fd = 0; fd < 3; fd++) {
        saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 10);
        close(fd);
    }
    enum cx_subprocess_end good = shell("echo out; exit 0", 5000);
    enum cx_subprocess_end bad = shell("echo cause >&2; exit 1", 5000);
    for (int fd = 0; fd < 3; fd++) {
        dup2(saved[fd], fd);
        close(saved[fd]);
    }
    ck_assert_int_eq(good, CX_SUBPROCESS_OK);
    ck_assert_int_eq(bad, CX_SUBPROCESS_FAILED);
    ck_assert_str_eq(message, "cause");
}
END_TEST

static void long_helper(void *helper)
{
    shell_in(helper, "sleep 100", 60000);
}

static atomic_bool entered;

static void busy(void *milliseconds)
{
    if (!cx_exit_guard_enter()) /* as if within a compiler, which exit() waits for */
        return;
    atomic_store(&entered, true);
    usleep(1000 * *(unsigned *)milliseconds);
    fputs("finished", stderr);
    cx_exit_guard_leave();
}

static atomic_bool naps, awake;

static void nap(void *unused)
{
    (void)unused;
    atomic_store(&naps, true);
    while (!atomic_load(&awake))
        usleep(1000);
}

/* exit() while a helper and a thread of ours run: the one is killed, the other waited for. */
START_TEST(process_ends)
{
    static struct cx_subprocess helper;
    static unsigned milliseconds = 500;
    double start = now();
    int status = 0;

    capture_start();
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        bool ok = cx_exit_guard_run(long_helper, &helper) && cx_exit_guard_run(busy, &milliseconds);
        for (int i = 0; i < 10000 && !atomic_load(&entered); i++)
            usleep(1000);
        usleep(100000); /* the helper's process has begun, too */
        exit(ok ? 7 : 8);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_str_eq(capture_end(), "finished");
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 7);
    ck_assert_double_lt(now() - start, 5);
}
END_TEST

static void be_busy(void *data)
{
    (void)data;
    usleep(300000); /* meanwhile the handler is registered again and again */
}

/* exit() may run the handler hundreds of times; a helper that nobody hears is told once, and nothing blocks.
 */
START_TEST(helper_is_told_once)
{
    static struct cx_subprocess helper;
    int sockets[2], status = 0;
    char bytes[16];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
    pid_t child = fork();
    ck_assert(child >= 0);
    if (child == 0) {
        alarm(15);
        helper.outlasts = true;
        helper.wake = cx_own_file_keep(sockets[1]);
        cx_exit_guard_subprocess_enter(&helper, getpid()); /* if it were killed, so would we */
        exit(cx_exit_guard_run(be_busy, NULL) ? (usleep(200000), 0) : 1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", status);
    ck_assert_int_eq(read(sockets[0], bytes, sizeof(bytes)), 1);
    close(sockets[0]);
    close(sockets[1]);
}
END_TEST

/* A child made by fork() has none of our threads: it must not wait for them, which it would for 20 s. The
 * thread runs by then: one that is being made may hold locks of the sanitizers' that the child needs. */
START_TEST(forked_child_ends)
{
    double start = now();
    int status = 0;

    ck_assert(cx_exit_guard_run(nap, NULL));
    while (!atomic_load(&naps))
        usleep(1000);
    pid_t child = fork();
    if (child == 0)
        exit(7);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    atomic_store(&awake, true);
    ck_assert_double_lt(now() - start, 15);
    ck_assert_int_eq(WEXITSTATUS(status), 7);
}
END_TEST

static pthread_barrier_t barrier;
static atomic_uint arrived;

static void arrive(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&barrier);
    atomic_fetch_add(&arrived, 1);
}

static void note_thread(void *data)
{
    *(pthread_t *)data = pthread_self();
    atomic_fetch_add(&arrived, 1);
}

/* Threads that are done wait for more, but no job waits for a thread: however many there are, they run at the
 * same time. */
START_TEST(threads_for_all)
{
    enum { JOBS = 8, ROUNDS = 20, ALONE = 50 };
    static pthread_t thread[ALONE];
    unsigned threads = 0;
    pthread_barrier_init(&barrier, NULL, JOBS);
    cx_exit_guard_prepare();
    cx_exit_guard_prepare();
    for (unsigned round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < JOBS; i++)
            ck_assert(cx_exit_guard_run(arrive, NULL));
        while (atomic_load(&arrived) < round * JOBS)
            usleep(100);
    }
    pthread_barrier_destroy(&barrier);
    for (unsigned i = 0; i < ALONE; i++) {
        bool seen = false;
        ck_assert(cx_exit_guard_run(note_thread, &thread[i]));
        while (atomic_load(&arrived) <= ROUNDS * JOBS + i)
            usleep(100);
        usleep(1000);
        for (unsigned k = 0; k < i; k++)
            seen |= pthread_equal(thread[k], thread[i]) != 0;
        threads += !seen;
    }
    ck_assert_uint_lt(threads, ALONE / 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("helper");
    TCase *tests = tcase_create("helper");

    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, ends);
    tcase_add_test(tests, surroundings);
    tcase_add_loop_test(tests, libraries, 0, 4);
    tcase_add_test(tests, time_limit);
    tcase_add_test(tests, stopped);
    tcase_add_test(tests, program_reaps);
    tcase_add_test(tests, standard_files_closed);
    tcase_add_test(tests, process_ends);
    tcase_add_test(tests, forked_child_ends);
    tcase_add_test(tests, helper_is_told_once);
    tcase_add_test(tests, threads_for_all);
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}
