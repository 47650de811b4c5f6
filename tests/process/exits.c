/* SPDX-License-Identifier: MIT */
/* Cases: exit() and signals at any moment, and what handlers of exit() still do with OpenCL. */
#include "cases.h"
#include "use.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

/* ---- work that is queued is not begun any more ---- */

enum { QUEUED = 6 };

/* The child's launches work on memory that we see, too. */
static void queue_and_exit(cl_uint *numbers)
{
    static struct use use;
    cl_int error;
    open_device(&use);
    for (int i = 0; i < ITEMS; i++)
        numbers[i] = 1;
    OK(cl.clReleaseMemObject(use.mem));
    use.mem = cl.clCreateBuffer(use.context, CL_MEM_USE_HOST_PTR, ITEMS * sizeof(cl_uint), numbers, &error);
    OK(error);
    launch(&use, LONG, NULL, NULL);
    OK(cl.clFinish(use.queue));
    for (int i = 0; i < QUEUED; i++)
        launch(&use, LONG, NULL, NULL);
    OK(cl.clFlush(use.queue));
    exit(0);
}

int case_exit_begins_nothing(void)
{
    cl_uint *numbers =
        mmap(NULL, ITEMS * sizeof(cl_uint), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(numbers != MAP_FAILED);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        queue_and_exit(numbers);
    wait_child(child);
    CHECK(numbers[0] != after((QUEUED + 1) * LONG)); /* not all of them ran */
    return 0;
}

/* ---- handlers ---- */

static struct use in_handler;

/* No driver has compiled its launches in a process before. */
static void open_fresh(struct use *use)
{
    char options[64];
    snprintf(options, sizeof options, "-DFRESH_EXIT=%d", (int)getpid());
    open_built(use, options);
}

static void use_it(void)
{
    launch(&in_handler, 100, NULL, NULL);
    expect(&in_handler, after(200));
}

static void use_and_close(void)
{
    use_it();
    close_device(&in_handler);
}

/* The program's handler comes after those of the layer and of the drivers. */
int case_exit_handler_finishes(void)
{
    CHECK(atexit(use_and_close) == 0);
    open_device(&in_handler);
    launch(&in_handler, 100, NULL, NULL);
    OK(cl.clFlush(in_handler.queue));
    exit(0);
}

/* It comes first. */
int case_exit_handler_first(void)
{
    open_device(&in_handler);
    launch(&in_handler, 100, NULL, NULL);
    CHECK(atexit(use_and_close) == 0);
    exit(0);
}

/* Likewise, but nothing has a driver begin the launch before exit(), nor has one compiled it in a process
 * before. */
int case_exit_handler_unflushed(void)
{
    CHECK(atexit(use_and_close) == 0);
    open_fresh(&in_handler);
    launch(&in_handler, 100, NULL, NULL);
    exit(0);
}

/* The worker's thread has it by the time that the handler waits. */
static void begin_using(void)
{
    launch(&in_handler, 100, NULL, NULL);
    OK(cl.clFlush(in_handler.queue));
    usleep(100000);
    expect(&in_handler, after(100));
    close_device(&in_handler);
}

/* It comes first, and launches what never ran. */
int case_exit_handler_begins(void)
{
    open_fresh(&in_handler);
    CHECK(atexit(begin_using) == 0);
    exit(0);
}

static void release_all(void)
{
    close_device(&in_handler);
}

static void finish_launches(void)
{
    OK(cl.clFinish(in_handler.queue));
}

/* As the destructor of an object that the program never gives up. */
int case_exit_handler_releases(void)
{
    CHECK(atexit(release_all) == 0);
    CHECK(atexit(finish_launches) == 0);
    in_flight(&in_handler);
    exit(0);
}

static void linger(void)
{
    usleep(400000);
}

/* The libraries of compilers have ended by then: nothing may be in them any more. */
int case_exit_handler_lingers(void)
{
    CHECK(atexit(linger) == 0);
    return case_exit_while_compiling();
}

static pthread_t other;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool told;

static void CL_CALLBACK tell(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    pthread_mutex_lock(&lock);
    told = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void await_reported(void)
{
    pthread_mutex_lock(&lock);
    while (!told)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static _Noreturn void call_back_and_exit(void)
{
    cl_event event;
    launch(&in_handler, LONG, NULL, &event);
    OK(cl.clSetEventCallback(event, CL_COMPLETE, tell, NULL));
    OK(cl.clFlush(in_handler.queue));
    exit(0);
}

/* The handler waits for what a callback says, and calls nothing itself. */
int case_exit_handler_called_back(void)
{
    CHECK(atexit(await_reported) == 0);
    in_flight(&in_handler);
    call_back_and_exit();
}

/* The same, and of the kinds of launches that the pieces of one are, the driver has compiled the first alone:
 * a process before did that. */
int case_exit_handler_compiles(void)
{
    char options[64];
    snprintf(options, sizeof options, "-DFRESH_EXIT=%d", (int)getpid());
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child)
        wait_child(child);
    if (child)
        CHECK(atexit(await_reported) == 0);
    open_built(&in_handler, options);
    launch(&in_handler, 1, NULL, NULL);
    OK(cl.clFinish(in_handler.queue));
    if (child == 0)
        exit(0);
    for (int i = 0; i < 4; i++)
        launch(&in_handler, LONG, NULL, NULL);
    call_back_and_exit();
}

/* One of a kind that its driver has not compiled, with a callback, queued behind so much, and the end. */
static _Noreturn void call_back_new_and_exit(int rounds)
{
    const size_t items = ITEMS, group = GROUP / 2;
    cl_event event;
    CHECK(atexit(await_reported) == 0);
    open_fresh(&in_handler);
    launch(&in_handler, 1, NULL, NULL);
    OK(cl.clFinish(in_handler.queue));
    launch(&in_handler, rounds, NULL, NULL);
    OK(cl.clEnqueueNDRangeKernel(in_handler.queue, in_handler.kernel, 1, NULL, &items, &group, 0, NULL,
                                 &event));
    OK(cl.clSetEventCallback(event, CL_COMPLETE, tell, NULL));
    OK(cl.clFlush(in_handler.queue));
    exit(0);
}

int case_exit_handler_awaits_new(void)
{
    call_back_new_and_exit(LONG);
}

/* It would be begun when exit() has run the handlers of compilers' libraries, which waits a second for such:
 * rather it fails. */
int case_exit_handler_awaits_late(void)
{
    call_back_new_and_exit(15 * LONG);
}

/* A launch of a new kind is held until the one before it tells its length, and exit() begins. */
int case_exit_handler_held(void)
{
    const size_t items = ITEMS, group = GROUP / 2;
    CHECK(atexit(finish_launches) == 0);
    open_fresh(&in_handler);
    launch(&in_handler, LONG, NULL, NULL);
    OK(cl.clSetKernelArg(in_handler.kernel, 1, sizeof(int), &(int){100}));
    OK(cl.clEnqueueNDRangeKernel(in_handler.queue, in_handler.kernel, 1, NULL, &items, &group, 0, NULL,
                                 NULL));
    OK(cl.clFlush(in_handler.queue));
    exit(0);
}

static void *finish_there(void *data)
{
    (void)data;
    OK(cl.clFinish(in_handler.queue));
    return NULL;
}

static void join_other(void)
{
    pthread_join(other, NULL);
}

/* It waits for a thread that waits for launches. */
int case_exit_handler_joins(void)
{
    CHECK(atexit(join_other) == 0);
    in_flight(&in_handler);
    CHECK(pthread_create(&other, NULL, finish_there, NULL) == 0);
    exit(0);
}

static void CL_CALLBACK end_here(cl_program program, void *data)
{
    (void)program, (void)data;
    exit(0);
}

int case_exit_from_build(void)
{
    const char *text = source;
    cl_int error;
    open_device(&in_handler);
    cl_program program = cl.clCreateProgramWithSource(in_handler.context, 1, &text, NULL, &error);
    OK(error);
    OK(cl.clBuildProgram(program, 1, &in_handler.device, "-DNUMBER=1", end_here, NULL));
    for (;;)
        pause();
}

/* ---- at any moment ---- */

enum { MOMENTS = 12, LONGEST_US = 400000 };

/* Drivers cannot be left in the middle of their first steps, nor while a thread of the program compiles: we
 * are told when those are over. */
static int ready[2];

static void work(struct use *use)
{
    fill(use, use->queue, use->mem);
    for (int i = 0; i < 4; i++)
        launch(use, 250, NULL, NULL);
    expect(use, after(1000));
}

static void work_for_ever(struct use *use)
{
    for (;;)
        work(use);
}

static void say_ready(struct use *use)
{
    open_device(use);
    launch(use, 250, NULL, NULL);
    OK(cl.clFinish(use->queue));
    CHECK(write(ready[1], "", 1) == 1);
}

static void await_ready(void)
{
    char byte;
    CHECK(read(ready[0], &byte, 1) == 1);
}

static void nap(unsigned us)
{
    const struct timespec pause = {.tv_nsec = (long)us * 1000};
    nanosleep(&pause, NULL);
}

static void *exit_later(void *data)
{
    nap(*(const unsigned *)data);
    exit(0);
}

static unsigned moment(int i)
{
    return (unsigned)(((long)i * 2654435761u >> 7) % LONGEST_US);
}

/* Another thread ends the process, whatever this one does. */
int case_exit_at_any_moment(void)
{
    CHECK(pipe(ready) == 0);
    for (int i = 0; i < MOMENTS; i++) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            pthread_t thread;
            struct use use;
            unsigned us = moment(i);
            say_ready(&use);
            CHECK(pthread_create(&thread, NULL, exit_later, &us) == 0);
            work_for_ever(&use);
        }
        wait_child(child);
    }
    return 0;
}

static void *exit_on_signal(void *data)
{
    int got;
    CHECK(sigwait(data, &got) == 0);
    exit(0);
}

/* The program's own thread takes the signals and ends it in good order; or nobody does, and then it may be
 * cut off anywhere. */
static void end_by_signal(int i, int number, bool takes)
{
    const pid_t child = fork();
    int status;
    CHECK(child >= 0);
    if (child == 0) {
        static sigset_t set;
        struct use use;
        pthread_t thread;
        sigemptyset(&set);
        sigaddset(&set, number);
        if (takes)
            CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
        say_ready(&use);
        if (takes)
            CHECK(pthread_create(&thread, NULL, exit_on_signal, &set) == 0);
        work_for_ever(&use);
    }
    if (takes)
        await_ready();
    nap(moment(i));
    CHECK(kill(child, number) == 0);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(takes ? WIFEXITED(status) && WEXITSTATUS(status) == 0 : !WIFEXITED(status) || WEXITSTATUS(status));
}

int case_signal_at_any_moment(void)
{
    CHECK(pipe(ready) == 0);
    for (int i = 0; i < MOMENTS; i++)
        end_by_signal(i, i & 1 ? SIGTERM : SIGINT, i & 2);
    return 0;
}

/* Asks it to stop; it does after what it is at. */
static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

/* The usual handler: the calls that it interrupts go on. */
int case_signal_handled(void)
{
    const struct sigaction action = {.sa_handler = stop};
    CHECK(pipe(ready) == 0);
    for (int i = 0; i < MOMENTS / 2; i++) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            struct use use;
            sigaction(SIGTERM, &action, NULL);
            say_ready(&use);
            while (!stopped)
                work(&use);
            exit(0);
        }
        await_ready();
        nap(moment(i));
        CHECK(kill(child, SIGTERM) == 0);
        wait_child(child);
    }
    return 0;
}
