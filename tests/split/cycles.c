/* SPDX-License-Identifier: MIT */
/*
 * Creates, runs and releases over and over, and looks whether memory grows: of the host, mapped (pinned
 * memory is), and of NVIDIA's devices where there are any. TAP; by hand, on GPUs too: cycles [CYCLES
 * [MEGABYTES]].
 */
#include <CL/cl.h>

#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A context serves so many cycles. What there is after a fifth of all cycles is compared with the end. */
enum { CYCLES = 1000, PER_CONTEXT = 50, WARM = 5, LOCAL = 64 };

static const char source[] =
    "kernel void add(global const uint *a, global uint *b, uint n) { b[get_global_id(0)] = "
    "a[get_global_id(0)] + n; }\n"
    "kernel void scatter(global uint *b, global const uint *to) { b[to[get_global_id(0)]] += 1; }\n";

static void ok(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    printf("Bail out! %s: %d\n", what, error);
    exit(1);
}

/* ---- what is measured ---- */

enum { RESIDENT, MAPPED, DEVICE, HANDLES, KINDS };
static const char *const kinds[KINDS] = {"resident host memory, MB", "mapped memory, MB",
                                         "memory used on NVIDIA's devices, MB", "threads and descriptors"};
static const double allowed[KINDS] = {24, 300, 64, 4}; /* allocators keep some; a leak a cycle is more */

static double entries(const char *folder)
{
    DIR *dir = opendir(folder);
    double n = 0;
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

struct nvml_memory {
    unsigned long long total, free, used;
};

/* Of all devices together; 0 where there is no such driver. */
static double device_megabytes(void)
{
    static void *library;
    static bool tried;
    unsigned count = 0;
    double sum = 0;
    if (!tried)
        library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    int (*init)(void) = library ? (int (*)(void))dlsym(library, "nvmlInit_v2") : NULL;
    int (*get_count)(unsigned *) =
        library ? (int (*)(unsigned *))dlsym(library, "nvmlDeviceGetCount_v2") : NULL;
    int (*get)(unsigned, void **) =
        library ? (int (*)(unsigned, void **))dlsym(library, "nvmlDeviceGetHandleByIndex_v2") : NULL;
    int (*memory)(void *, struct nvml_memory *) =
        library ? (int (*)(void *, struct nvml_memory *))dlsym(library, "nvmlDeviceGetMemoryInfo") : NULL;
    if (!init || !get_count || !get || !memory || (!tried && init() != 0) || get_count(&count) != 0)
        count = 0;
    tried = true;
    for (unsigned i = 0; i < count; i++) {
        struct nvml_memory info = {0};
        void *device;
        if (get(i, &device) == 0 && memory(device, &info) == 0)
            sum += (double)info.used / 1e6;
    }
    return sum;
}

static void measure(double now[KINDS])
{
    unsigned long mapped = 0, resident = 0;
    malloc_trim(0);
    FILE *statm = fopen("/proc/self/statm", "re");
    if (!statm || fscanf(statm, "%lu %lu", &mapped, &resident) != 2)
        ok(-1, "/proc/self/statm");
    fclose(statm);
    const double page = (double)sysconf(_SC_PAGESIZE) / 1e6;
    now[RESIDENT] = (double)resident * page;
    now[MAPPED] = (double)mapped * page;
    now[DEVICE] = device_megabytes();
    now[HANDLES] = entries("/proc/self/task") + entries("/proc/self/fd");
}

/* ---- what is done ---- */

struct world {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_uint *numbers, *places, *got;
    size_t items, bytes;
};

static void open_context(struct world *w)
{
    const char *text = source;
    cl_int error;
    w->context = clCreateContext(NULL, 1, &w->device, NULL, NULL, &error);
    ok(error, "clCreateContext");
    w->queue = clCreateCommandQueue(w->context, w->device, 0, &error);
    ok(error, "clCreateCommandQueue");
    w->program = clCreateProgramWithSource(w->context, 1, &text, NULL, &error);
    ok(error, "clCreateProgramWithSource");
    ok(clBuildProgram(w->program, 1, &w->device, "", NULL, NULL), "clBuildProgram");
}

static void close_context(struct world *w)
{
    ok(clReleaseProgram(w->program), "clReleaseProgram");
    ok(clReleaseCommandQueue(w->queue), "clReleaseCommandQueue");
    ok(clReleaseContext(w->context), "clReleaseContext");
}

static cl_mem buffer(struct world *w, cl_mem_flags flags, void *host)
{
    cl_int error;
    cl_mem mem = clCreateBuffer(w->context, flags, w->bytes, host, &error);
    ok(error, "clCreateBuffer");
    return mem;
}

static cl_kernel kernel(struct world *w, const char *name, cl_mem first, cl_mem second)
{
    cl_int error;
    cl_kernel made = clCreateKernel(w->program, name, &error);
    ok(error, "clCreateKernel");
    ok(clSetKernelArg(made, 0, sizeof first, &first), "clSetKernelArg");
    ok(clSetKernelArg(made, 1, sizeof second, &second), "clSetKernelArg");
    return made;
}

static void launch(struct world *w, cl_kernel kernel, cl_event *done)
{
    const size_t local = LOCAL;
    ok(clEnqueueNDRangeKernel(w->queue, kernel, 1, NULL, &w->items, &local, 0, NULL, done), "launch");
}

/* A copied input, a plain output, pinned places that are mapped and written, a launch whose writes are known
 * and one whose are not, an event, a window of the output. */
static void cycle(struct world *w, cl_uint n)
{
    cl_int error;
    cl_mem in = buffer(w, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, w->numbers),
           out = buffer(w, CL_MEM_READ_WRITE, NULL), to = buffer(w, CL_MEM_ALLOC_HOST_PTR, NULL);
    void *at = clEnqueueMapBuffer(w->queue, to, CL_TRUE, CL_MAP_WRITE, 0, w->bytes, 0, NULL, NULL, &error);
    ok(error, "clEnqueueMapBuffer");
    memcpy(at, w->places, w->bytes);
    ok(clEnqueueUnmapMemObject(w->queue, to, at, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    cl_kernel add = kernel(w, "add", in, out), scatter = kernel(w, "scatter", out, to);
    cl_event done;
    ok(clSetKernelArg(add, 2, sizeof n, &n), "clSetKernelArg");
    launch(w, add, NULL);
    launch(w, scatter, &done);
    const cl_buffer_region half = {w->bytes / 2, w->bytes / 2};
    cl_mem window = clCreateSubBuffer(out, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, &error);
    ok(error, "clCreateSubBuffer");
    ok(clEnqueueReadBuffer(w->queue, out, CL_FALSE, 0, w->bytes / 2, w->got, 1, &done, NULL), "read");
    ok(clEnqueueReadBuffer(w->queue, window, CL_TRUE, 0, w->bytes / 2, w->got + w->items / 2, 0, NULL, NULL),
       "read");
    for (size_t i = 0; i < w->items; i++)
        if (w->got[i] != w->numbers[i] + n + 1)
            ok(-1, "wrong result");
    ok(clReleaseEvent(done), "clReleaseEvent");
    ok(clReleaseKernel(add), "clReleaseKernel");
    ok(clReleaseKernel(scatter), "clReleaseKernel");
    const cl_mem all[] = {in, out, to, window};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        ok(clReleaseMemObject(all[i]), "clReleaseMemObject");
}

int main(int argc, char **argv)
{
    const unsigned cycles = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : CYCLES;
    const size_t megabytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    struct world w = {.bytes = megabytes << 20, .items = (megabytes << 20) / sizeof(cl_uint)};
    double before[KINDS] = {0}, after[KINDS];
    cl_platform_id platform;
    unsigned failed = 0;
    w.numbers = malloc(w.bytes);
    w.places = malloc(w.bytes);
    w.got = malloc(w.bytes);
    if (!w.numbers || !w.places || !w.got || cycles < WARM || !megabytes)
        ok(-1, "usage: cycles [CYCLES [MEGABYTES]]");
    for (size_t i = 0; i < w.items; i++) {
        w.numbers[i] = (cl_uint)i * 2654435761u;
        w.places[i] = (cl_uint)(w.items - 1 - i);
    }
    ok(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &w.device, NULL), "clGetDeviceIDs");
    for (unsigned n = 0; n < cycles; n++) {
        if (n % PER_CONTEXT == 0)
            open_context(&w);
        cycle(&w, n);
        if ((n + 1) % PER_CONTEXT == 0 || n + 1 == cycles)
            close_context(&w);
        if (n + 1 == (cycles / WARM + PER_CONTEXT - 1) / PER_CONTEXT * PER_CONTEXT)
            measure(before);
    }
    measure(after);
    for (unsigned i = 0; i < 50 && after[HANDLES] > before[HANDLES] + allowed[HANDLES]; i++) {
        usleep(100000); /* threads of the last context may still be on their way out */
        measure(after);
    }
    printf("1..%d\n", KINDS);
    for (unsigned k = 0; k < KINDS; k++) {
        const bool grown = after[k] - before[k] > allowed[k];
        failed += grown;
        printf("%sok %u - %s: %.0f after a fifth of %u cycles, %.0f after all\n", grown ? "not " : "", k + 1,
               kinds[k], before[k], cycles, after[k]);
    }
    free(w.numbers);
    free(w.places);
    free(w.got);
    return failed != 0;
}
