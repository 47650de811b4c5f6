/* SPDX-License-Identifier: MIT */
/*
 * What a process may do to an OpenCL driver besides calling it well: fork, end with work in flight, close the
 * library, call from many threads and from callbacks, take signals. One case a process, named on the command
 * line; check_process.py runs them all. A case ends with status 0 when every answer was right; a hang is for
 * the caller to notice. Plain OpenCL through the loader, opened with dlopen so that it can be closed again.
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 4096, GROUP = 64, LONG = 30000 };

static const char source[] =
    "#ifndef THREAD\n#define THREAD 0\n#endif\nconstant int thread_number = THREAD;\n"
    "kernel void work(global uint *out, int rounds)\n"
    "{ uint x = out[get_global_id(0)];\n"
    "  for (int i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u;\n"
    "  out[get_global_id(0)] = x; }\n";

#define CALLS(X)                                                                                             \
    X(clGetPlatformIDs)                                                                                      \
    X(clGetDeviceIDs)                                                                                        \
    X(clGetDeviceInfo)                                                                                       \
    X(clCreateContext)                                                                                       \
    X(clReleaseContext)                                                                                      \
    X(clCreateCommandQueue)                                                                                  \
    X(clReleaseCommandQueue)                                                                                 \
    X(clCreateBuffer)                                                                                        \
    X(clReleaseMemObject)                                                                                    \
    X(clCreateProgramWithSource)                                                                             \
    X(clBuildProgram)                                                                                        \
    X(clReleaseProgram)                                                                                      \
    X(clCreateKernel)                                                                                        \
    X(clReleaseKernel)                                                                                       \
    X(clSetKernelArg)                                                                                        \
    X(clEnqueueNDRangeKernel)                                                                                \
    X(clEnqueueReadBuffer)                                                                                   \
    X(clEnqueueWriteBuffer)                                                                                  \
    X(clFlush)                                                                                               \
    X(clFinish)                                                                                              \
    X(clWaitForEvents)                                                                                       \
    X(clReleaseEvent)                                                                                        \
    X(clSetEventCallback)                                                                                    \
    X(clCreateUserEvent)                                                                                     \
    X(clSetUserEventStatus)
#define DECLARE(name) __typeof__(name) *name;
static struct {
    void *library;
    CALLS(DECLARE)
} cl;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                  \
            _exit(1);                                                                                        \
        }                                                                                                    \
    } while (0)
#define OK(call) CHECK((call) == CL_SUCCESS)

static void load(void)
{
    cl.library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    CHECK(cl.library != NULL);
#define FIND(name) *(void **)&cl.name = dlsym(cl.library, #name);
    CALLS(FIND)
}

/* ---- one use of OpenCL ---- */

struct use {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem mem;
};

static cl_uint after(int rounds)
{
    cl_uint x = 1;
    for (int i = 0; i < rounds; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}

static void find(struct use *use)
{
    OK(cl.clGetPlatformIDs(1, &use->platform, NULL));
    OK(cl.clGetDeviceIDs(use->platform, CL_DEVICE_TYPE_ALL, 1, &use->device, NULL));
}

static void fill(const struct use *use, cl_command_queue queue, cl_mem mem)
{
    cl_uint ones[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        ones[i] = 1;
    OK(cl.clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, sizeof ones, ones, 0, NULL, NULL));
    (void)use;
}

static void open_built(struct use *use, const char *options)
{
    const char *text = source;
    cl_int error;
    find(use);
    use->context = cl.clCreateContext(NULL, 1, &use->device, NULL, NULL, &error);
    OK(error);
    use->queue = cl.clCreateCommandQueue(use->context, use->device, 0, &error);
    OK(error);
    use->program = cl.clCreateProgramWithSource(use->context, 1, &text, NULL, &error);
    OK(error);
    OK(cl.clBuildProgram(use->program, 1, &use->device, options, NULL, NULL));
    use->kernel = cl.clCreateKernel(use->program, "work", &error);
    OK(error);
    use->mem = cl.clCreateBuffer(use->context, 0, ITEMS * sizeof(cl_uint), NULL, &error);
    OK(error);
    fill(use, use->queue, use->mem);
}

static void open_device(struct use *use)
{
    open_built(use, "");
}

static void launch(const struct use *use, int rounds, const cl_event *wait, cl_event *event)
{
    const size_t items = ITEMS, group = GROUP;
    OK(cl.clSetKernelArg(use->kernel, 0, sizeof use->mem, &use->mem));
    OK(cl.clSetKernelArg(use->kernel, 1, sizeof rounds, &rounds));
    OK(cl.clEnqueueNDRangeKernel(use->queue, use->kernel, 1, NULL, &items, &group, wait ? 1 : 0, wait,
                                 event));
}

static void expect(const struct use *use, cl_uint want)
{
    cl_uint got[ITEMS];
    OK(cl.clEnqueueReadBuffer(use->queue, use->mem, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        CHECK(got[i] == want);
}

static void close_device(struct use *use)
{
    OK(cl.clReleaseMemObject(use->mem));
    OK(cl.clReleaseKernel(use->kernel));
    OK(cl.clReleaseProgram(use->program));
    OK(cl.clReleaseCommandQueue(use->queue));
    OK(cl.clReleaseContext(use->context));
}

static void use_once(void)
{
    struct use use;
    open_device(&use);
    launch(&use, 100, NULL, NULL);
    expect(&use, after(100));
    close_device(&use);
}

/* Work that is still under way when this returns. */
static void in_flight(struct use *use)
{
    open_device(use);
    launch(use, 1, NULL, NULL);
    OK(cl.clFinish(use->queue));
    for (int i = 0; i < 4; i++)
        launch(use, LONG, NULL, NULL);
    OK(cl.clFlush(use->queue));
}

static void wait_child(pid_t child)
{
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- fork ---- */

static int fork_before(void)
{
    pid_t child = fork();
    CHECK(child >= 0);
    use_once();
    if (child)
        wait_child(child);
    return 0;
}

static int fork_child_only(void)
{
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            use_once();
            exit(0);
        }
        wait_child(child);
    }
    return 0;
}

/* The parent only looked; what the child's work comes to is the driver's matter, but it ends. */
static int fork_after_query(void)
{
    struct use use;
    find(&use);
    pid_t child = fork();
    if (child == 0) {
        cl_int error = CL_SUCCESS;
        cl_context context = cl.clCreateContext(NULL, 1, &use.device, NULL, NULL, &error);
        if (context)
            cl.clReleaseContext(context);
        exit(0);
    }
    wait_child(child);
    use_once();
    return 0;
}

/* The child of a process that used OpenCL gets errors or right answers, ends, and spoils nothing. */
static int fork_after_use(void)
{
    struct use use;
    cl_event gate;
    cl_int error;
    in_flight(&use);
    gate = cl.clCreateUserEvent(use.context, &error);
    OK(error);
    for (int way = 0; way < 3; way++) {
        pid_t child = fork();
        if (child == 0) {
            char name[64];
            cl_platform_id platform = NULL;
            cl_device_id device = NULL;
            if (way == 0)
                _exit(0);
            if (way == 2) {
                cl_uint one = 0;
                cl_int waited = cl.clFinish(use.queue);
                cl_int read =
                    cl.clEnqueueReadBuffer(use.queue, use.mem, CL_TRUE, 0, sizeof one, &one, 0, NULL, NULL);
                cl.clEnqueueWriteBuffer(use.queue, use.mem, CL_FALSE, 0, sizeof one, &one, 0, NULL, NULL);
                CHECK(waited != CL_SUCCESS || read != CL_SUCCESS || one == after(1 + 4 * LONG));
                if (cl.clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS)
                    cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
                cl.clGetDeviceInfo(use.device, CL_DEVICE_NAME, sizeof name, name, NULL);
                cl_context context = cl.clCreateContext(NULL, 1, &use.device, NULL, NULL, &error);
                if (context)
                    cl.clReleaseContext(context);
                cl.clSetUserEventStatus(gate, CL_COMPLETE);
                cl.clWaitForEvents(1, &gate);
                cl.clReleaseEvent(gate);
                cl.clReleaseMemObject(use.mem);
                cl.clReleaseKernel(use.kernel);
                cl.clReleaseProgram(use.program);
                cl.clReleaseCommandQueue(use.queue);
                cl.clReleaseContext(use.context);
            }
            exit(0);
        }
        wait_child(child);
    }
    OK(cl.clSetUserEventStatus(gate, CL_COMPLETE));
    OK(cl.clReleaseEvent(gate));
    expect(&use, after(1 + 4 * LONG));
    close_device(&use);
    return 0;
}

static int fork_and_exec(void)
{
    struct use use;
    in_flight(&use);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "cases", "fork_before", (char *)NULL);
        _exit(2);
    }
    wait_child(child);
    CHECK(system("exit 0") == 0);
    expect(&use, after(1 + 4 * LONG));
    close_device(&use);
    return 0;
}

/* ---- ends ---- */

static int return_in_flight(void)
{
    static struct use use;
    in_flight(&use);
    return 0;
}

static int exit_in_flight(void)
{
    static struct use use;
    in_flight(&use);
    exit(0);
}

static int exit_at_once(void)
{
    static struct use use;
    in_flight(&use);
    _exit(0);
}

static int quick_exit_in_flight(void)
{
    static struct use use;
    in_flight(&use);
    quick_exit(0);
}

/* Some of it waits for an event that nobody will ever set. */
static int exit_behind_event(void)
{
    static struct use use;
    cl_int error;
    in_flight(&use);
    cl_event gate = cl.clCreateUserEvent(use.context, &error);
    launch(&use, LONG, &gate, NULL);
    launch(&use, LONG, NULL, NULL);
    OK(cl.clFlush(use.queue));
    return 0;
}

/* Everything is released with work in flight, then the end. */
static int exit_released(void)
{
    struct use use;
    in_flight(&use);
    close_device(&use);
    return 0;
}

static void CL_CALLBACK built(cl_program program, void *data)
{
    (void)program, (void)data;
}

static int exit_while_building(void)
{
    static struct use use;
    const char *text = source;
    cl_int error;
    char options[64];
    open_device(&use);
    snprintf(options, sizeof options, "-DFRESH=%d", (int)getpid()); /* nothing cached of it */
    cl_program program = cl.clCreateProgramWithSource(use.context, 1, &text, NULL, &error);
    OK(error);
    OK(cl.clBuildProgram(program, 1, &use.device, options, built, NULL));
    return 0;
}

/* The driver compiles the kernel, of which nothing is cached, in the launch. */
static int exit_while_compiling(void)
{
    static struct use use;
    const char *text = source;
    cl_int error;
    char options[64];
    open_device(&use);
    snprintf(options, sizeof options, "-DFRESH_LAUNCH=%d", (int)getpid());
    cl_program program = cl.clCreateProgramWithSource(use.context, 1, &text, NULL, &error);
    OK(error);
    OK(cl.clBuildProgram(program, 1, &use.device, options, NULL, NULL));
    use.kernel = cl.clCreateKernel(program, "work", &error);
    OK(error);
    const int rounds = 1;
    OK(cl.clSetKernelArg(use.kernel, 0, sizeof use.mem, &use.mem));
    OK(cl.clSetKernelArg(use.kernel, 1, sizeof rounds, &rounds));
    for (size_t items = ITEMS, group = 1; group <= GROUP; group *= 2) /* once for each size of a work-group */
        OK(cl.clEnqueueNDRangeKernel(use.queue, use.kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    OK(cl.clFlush(use.queue));
    return 0;
}

static void *keep_launching(void *data)
{
    for (;;) {
        launch(data, 1000, NULL, NULL);
        OK(cl.clFinish(((struct use *)data)->queue));
    }
    return NULL;
}

static int exit_beside_thread(void)
{
    static struct use use;
    pthread_t thread;
    open_device(&use);
    CHECK(pthread_create(&thread, NULL, keep_launching, &use) == 0);
    usleep(20000);
    exit(0);
}

static void CL_CALLBACK end_it(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    exit(0);
}

static int exit_from_callback(void)
{
    static struct use use;
    cl_event event;
    open_device(&use);
    launch(&use, 1000, NULL, &event);
    OK(cl.clSetEventCallback(event, CL_COMPLETE, end_it, NULL));
    OK(cl.clFlush(use.queue));
    for (;;)
        pause();
}

static void *exit_there(void *data)
{
    (void)data;
    exit(0);
}

static int exit_from_thread(void)
{
    static struct use use;
    pthread_t thread;
    in_flight(&use);
    CHECK(pthread_create(&thread, NULL, exit_there, NULL) == 0);
    pthread_join(thread, NULL);
    return 1;
}

/* ---- the library goes and comes ---- */

static int reload(void)
{
    for (int i = 0; i < 8; i++) {
        if (i)
            load();
        use_once();
        CHECK(dlclose(cl.library) == 0);
    }
    return 0;
}

static int close_in_flight(void)
{
    static struct use use;
    in_flight(&use);
    CHECK(dlclose(cl.library) == 0);
    return 0;
}

/* ---- threads ---- */

static void *many_launches(void *data)
{
    const struct use *shared = data;
    struct use own = *shared;
    cl_int error;
    own.queue = cl.clCreateCommandQueue(own.context, own.device, 0, &error);
    OK(error);
    own.kernel = cl.clCreateKernel(own.program, "work", &error);
    OK(error);
    own.mem = cl.clCreateBuffer(own.context, 0, ITEMS * sizeof(cl_uint), NULL, &error);
    OK(error);
    for (int i = 0; i < 20; i++) {
        fill(&own, own.queue, own.mem);
        launch(&own, i, NULL, NULL);
        launch(&own, i, NULL, NULL);
        expect(&own, after(2 * i));
    }
    OK(cl.clReleaseMemObject(own.mem));
    OK(cl.clReleaseKernel(own.kernel));
    OK(cl.clReleaseCommandQueue(own.queue));
    return data;
}

static int many_threads(void)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    struct use use;
    open_device(&use);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, many_launches, &use) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    close_device(&use);
    return 0;
}

/* Each a program of its own: PoCL 3.1 aborts where several contexts run one compiled kernel at a time. */
static void *use_alone(void *data)
{
    char options[32];
    struct use use;
    snprintf(options, sizeof options, "-DTHREAD=%d", *(const int *)data);
    open_built(&use, options);
    launch(&use, 100, NULL, NULL);
    expect(&use, after(100));
    close_device(&use);
    return NULL;
}

/* The first use of all, by several threads at once. */
static int threads_at_first(void)
{
    enum { THREADS = 6 };
    pthread_t threads[THREADS];
    int number[THREADS];
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        CHECK(pthread_create(&threads[i], NULL, use_alone, &number[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static void *leave_work(void *data)
{
    const struct use *use = data;
    launch(use, LONG, NULL, NULL);
    OK(cl.clFlush(use->queue));
    return NULL;
}

static int thread_ends(void)
{
    struct use use;
    pthread_t thread;
    open_device(&use);
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_create(&thread, NULL, leave_work, &use) == 0);
        pthread_join(thread, NULL);
    }
    expect(&use, after(3 * LONG));
    close_device(&use);
    return 0;
}

/* ---- callbacks ---- */

static struct {
    struct use use;
    cl_event gate;
    atomic_int done;
} shared;

static void CL_CALLBACK second_step(cl_event event, cl_int status, void *data)
{
    (void)data;
    CHECK(status == CL_COMPLETE);
    OK(cl.clReleaseEvent(event));
    atomic_store(&shared.done, 1);
}

/* Enqueues, asks to be called again, completes a user event and drops what it was called for. */
static void CL_CALLBACK first_step(cl_event event, cl_int status, void *data)
{
    cl_event next;
    (void)data;
    CHECK(status == CL_COMPLETE);
    launch(&shared.use, 10, NULL, &next);
    OK(cl.clSetEventCallback(next, CL_COMPLETE, second_step, NULL));
    OK(cl.clFlush(shared.use.queue));
    OK(cl.clSetUserEventStatus(shared.gate, CL_COMPLETE));
    OK(cl.clReleaseEvent(event));
}

static int from_callbacks(void)
{
    cl_event event;
    cl_int error;
    open_device(&shared.use);
    for (int i = 0; i < 10; i++) {
        fill(&shared.use, shared.use.queue, shared.use.mem);
        atomic_store(&shared.done, 0);
        shared.gate = cl.clCreateUserEvent(shared.use.context, &error);
        OK(error);
        launch(&shared.use, 5, NULL, &event);
        OK(cl.clSetEventCallback(event, CL_COMPLETE, first_step, NULL));
        OK(cl.clFlush(shared.use.queue));
        OK(cl.clWaitForEvents(1, &shared.gate));
        while (!atomic_load(&shared.done))
            usleep(100);
        expect(&shared.use, after(15));
        OK(cl.clReleaseEvent(shared.gate));
    }
    close_device(&shared.use);
    return 0;
}

/* The callback drops the last references to everything. */
static void CL_CALLBACK drop_all(cl_event event, cl_int status, void *data)
{
    (void)data;
    CHECK(status == CL_COMPLETE);
    OK(cl.clReleaseEvent(event));
    close_device(&shared.use);
    atomic_store(&shared.done, 1);
}

static int released_in_callback(void)
{
    cl_event event;
    for (int i = 0; i < 3; i++) {
        atomic_store(&shared.done, 0);
        open_device(&shared.use);
        launch(&shared.use, 1000, NULL, &event);
        OK(cl.clSetEventCallback(event, CL_COMPLETE, drop_all, NULL));
        OK(cl.clFlush(shared.use.queue));
        while (!atomic_load(&shared.done))
            usleep(100);
    }
    use_once();
    return 0;
}

/* ---- signals ---- */

static pthread_t main_thread;
static atomic_int ticks, elsewhere;

static void on_tick(int signal)
{
    (void)signal;
    atomic_fetch_add(&ticks, 1);
    if (!pthread_equal(pthread_self(), main_thread))
        atomic_fetch_add(&elsewhere, 1);
}

/* A timer interrupts the program's own thread in everything it does; nothing fails for it. */
static int signals(void)
{
    struct sigaction action = {.sa_handler = on_tick}; /* no SA_RESTART */
    struct itimerval timer = {{0, 2000}, {0, 2000}};
    struct use use;
    main_thread = pthread_self();
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    open_device(&use);
    for (int i = 0; i < 30; i++) {
        fill(&use, use.queue, use.mem);
        launch(&use, 3000, NULL, NULL);
        expect(&use, after(3000));
    }
    close_device(&use);
    timer = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &timer, NULL);
    CHECK(atomic_load(&ticks) > 0);
    return 0;
}

#define CASE(name)                                                                                           \
    {                                                                                                        \
        #name, name                                                                                          \
    }
static const struct {
    const char *name;
    int (*run)(void);
} cases[] = {
    // clang-format off
    CASE(fork_before), CASE(fork_child_only), CASE(fork_after_query), CASE(fork_after_use),
    CASE(fork_and_exec), CASE(return_in_flight), CASE(exit_in_flight), CASE(exit_at_once),
    CASE(quick_exit_in_flight), CASE(exit_behind_event), CASE(exit_released), CASE(exit_while_building),
    CASE(exit_while_compiling), CASE(exit_beside_thread), CASE(exit_from_callback), CASE(exit_from_thread),
    CASE(reload), CASE(close_in_flight), CASE(many_threads), CASE(threads_at_first),
    CASE(thread_ends), CASE(from_callbacks), CASE(released_in_callback), CASE(signals),
    // clang-format on
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc < 2) {
            puts(cases[i].name);
        } else if (strcmp(argv[1], cases[i].name) == 0) {
            load();
            return cases[i].run();
        }
    }
    return argc < 2 ? 0 : 64;
}
