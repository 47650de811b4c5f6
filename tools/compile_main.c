/* SPDX-License-Identifier: MIT */
/*
 * coexec-compile FILE...: has a CPU's driver build a program and compile a kernel of it, as the request in
 * each file says (source/compile_request.h), and ends before the kernel runs. What the driver compiled stays
 * in its cache on disk; that it did, and how long it took, is recorded there for coexec
 * (program/compile_record.h). Each request has a process of its own, one after the other, up to the first
 * that fails.
 *
 * PoCL compiles a kernel for a local size in the first launch of it. A process of its own can launch it
 * without anything of the program's being touched: its buffers are empty ones. The launch waits for a user
 * event; a driver that compiles in the enqueueing call has done so by then, others do once the event lets it
 * go, before they report that it runs. If the kernel does begin on the empty buffers, and does not survive
 * that, it is this process that ends.
 *
 * Runs at idle priority, removes the files, and goes on when the program that started it ends
 * (base/subprocess.h). Exit status 0: all is compiled and recorded.
 */
#include "layer/base/clock.h"
#include "layer/base/disk_cache.h"
#include "layer/base/plain_file.h"
#include "layer/driver/device.h"
#include "layer/source/compile_request.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DONE = 0, FAILED = 1, USAGE = 2 };
/* Seconds: of processor time and by the clock, which runs on where the processor is busy. */
enum { MOST_SECONDS = 60, MOST_WALL = 600 };

static char **files;    /* set once they are known to be requests, which we remove; ends with NULL */
static unsigned nfiles; /* of which this process is to remove so many */
static struct cx_compile_request request;
static uint64_t began_ns;

/* Makes only calls that a signal's handler may make. */
static void remove_requests(void)
{
    for (unsigned i = 0; i < nfiles; i++)
        unlink(files[i]);
}

static void give_up(int signal)
{
    remove_requests();
    _exit(128 + signal);
}

/* Without the handlers of the driver, whose threads may be at work. */
static _Noreturn void leave(int status, const char *why)
{
    if (status != DONE)
        fprintf(stderr, "coexec-compile: %s\n", why);
    remove_requests();
    _exit(status);
}

static void record(const char *key)
{
    if (!cx_disk_cache_keep_seconds(request.folder, key, (double)(cx_clock_ns() - began_ns) * 1e-9))
        leave(FAILED, "the record cannot be written");
}

static _Noreturn void end(void)
{
    record(request.compiled);
    leave(DONE, "");
}

static void CL_CALLBACK note_running(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)data;
    if (status < 0)
        leave(FAILED, "the driver cannot run the kernel");
    end();
}

static void limit_ourselves(void)
{
    static const int ends[] = {SIGALRM, SIGXCPU, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT};
    const struct rlimit none = {0, 0}, time = {MOST_SECONDS, MOST_SECONDS + 1};
    sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_CPU, &time);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGUSR1, SIG_IGN); /* the program has ended: we go on, and soon end */
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
        signal(ends[i], give_up);
}

static bool read_request(const char *path)
{
    size_t size = 0;
    void *data = cx_plain_file_read(path, &size); /* which the request points into */
    if (data && cx_compile_request_parse(data, size, &request))
        return true;
    free(data);
    return false;
}

/* The driver's devices are counted as the program's process counted them, cut alike (COEXEC_FISSION). */
static const struct cx_real_device *find_device(void)
{
    for (unsigned i = 0; i < request.nvariables; i++)
        putenv((char *)request.variable[i]);
    setenv("COEXEC_VENDORS", request.driver, 1);
    unsetenv("OCL_ICD_FILENAMES");
    const struct cx_machine *machine = cx_machine_get();
    unsigned place = 0;
    for (unsigned i = 0; i < machine->ndevices; i++) {
        const struct cx_real_device *device = &machine->devices[i];
        if (!strcmp(device->platform->driver, request.driver) && place++ == request.place)
            return !strcmp(device->name, request.device) ? device : NULL;
    }
    return NULL;
}

static bool set_args(const cl_icd_dispatch *cl, cl_context context, cl_kernel kernel)
{
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < request.nargs && error == CL_SUCCESS; i++) {
        const struct cx_compile_arg *arg = &request.arg[i];
        cl_mem buffer = NULL;
        if (arg->kind == CX_COMPILE_BUFFER)
            buffer = cl->clCreateBuffer(context, CL_MEM_READ_WRITE, arg->size, NULL, &error);
        if (error == CL_SUCCESS && arg->kind >= CX_COMPILE_BUFFER)
            error = cl->clSetKernelArg(kernel, i, sizeof(buffer), &buffer);
        else if (error == CL_SUCCESS)
            error =
                cl->clSetKernelArg(kernel, i, arg->size, arg->kind == CX_COMPILE_VALUE ? arg->value : NULL);
    }
    return error == CL_SUCCESS;
}

static _Noreturn void compile(struct cx_real_device *device)
{
    const cl_icd_dispatch *cl = device->cl;
    const struct cx_subrange_launch *launch = &request.launch;
    cl_int error;
    cl_event gate, event;
    cl_context context = cl->clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
    cl_command_queue queue = context ? cl->clCreateCommandQueue(context, device->id, 0, &error) : NULL;
    if (!queue)
        leave(FAILED, "the device cannot be opened");
    cx_probe_device(device, context, queue);
    cl_program program =
        cl->clCreateProgramWithSource(context, request.ntexts, (const char **)request.text, NULL, &error);
    began_ns = cx_clock_ns();
    if (!program || cl->clBuildProgram(program, 1, &device->id, request.options, NULL, NULL))
        leave(FAILED, "the program does not build");
    record(request.built);
    if (!*request.kernel)
        leave(DONE, "");
    cl_kernel kernel = cl->clCreateKernel(program, request.kernel, &error);
    if (!kernel || !set_args(cl, context, kernel))
        leave(FAILED, "the kernel does not take its arguments");
    gate = cl->clCreateUserEvent(context, &error);
    began_ns = cx_clock_ns();
    if (!gate || cl->clEnqueueNDRangeKernel(queue, kernel, launch->dims, launch->offset, launch->global,
                                            launch->local[0] ? launch->local : NULL, 1, &gate, &event))
        leave(FAILED, "the driver does not take the launch");
    if (device->probe.synchronous)
        end();
    if (cl->clSetEventCallback(event, CL_RUNNING, note_running, NULL) ||
        cl->clSetUserEventStatus(gate, CL_COMPLETE) || cl->clFlush(queue))
        leave(FAILED, "the launch does not begin");
    for (;;) /* note_running or a signal ends us */
        pause();
}

/* In a process of its own, which ends with this one. */
static _Noreturn void compile_file(char *file)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    alarm(MOST_WALL);
    files[0] = file;
    nfiles = 1;
    if (!read_request(file))
        leave(USAGE, "the file is no request of this version");
    const struct cx_real_device *device = find_device();
    if (!device)
        leave(FAILED, "the driver has no such device");
    compile((struct cx_real_device *)device);
}

static bool are_requests(char **paths)
{
    bool all = true;
    for (; *paths && all; paths++) {
        all = read_request(*paths);
        request = (struct cx_compile_request){0};
    }
    return all;
}

/* True: it is compiled and recorded. */
static bool run(char *file)
{
    const pid_t child = fork();
    int status = FAILED;
    if (child == 0)
        compile_file(file);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("coexec-compile " CX_VERSION);
        return DONE;
    }
    if (argc < 2) {
        fputs("usage: coexec-compile FILE...\n(coexec's library runs it)\n", stderr);
        return USAGE;
    }
    limit_ourselves();
    if (!are_requests(argv + 1))
        leave(USAGE, "the file is no request of this version");
    files = argv + 1;
    nfiles = (unsigned)argc - 1;
    unsigned done = 0;
    while (done < nfiles && run(argv[1 + done]))
        done++;
    remove_requests();
    return done == nfiles ? DONE : FAILED;
}
