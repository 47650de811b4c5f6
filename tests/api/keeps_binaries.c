/* SPDX-License-Identifier: MIT */
/*
 * A program that keeps its device's binaries in a folder, as many do:
 *   keeps_binaries FOLDER name|version
 * under the device's name, and with `version` its driver's too. It prints "built" or "loaded", and a line for
 * each kernel's result.
 */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 4096 };

static const char text[] =
    "__kernel void squares(__global int *a) { size_t i = get_global_id(0); a[i] = (int)(i * i % 1000); }\n"
    "__kernel void twice(__global int *a) { a[get_global_id(0)] *= 2; }\n";

static void check(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, code);
    exit(1);
}

/* The file for the device, of letters and digits. */
static void name_file(cl_device_id device, const char *folder, const char *key, char path[1024])
{
    char name[256] = "", version[256] = "";
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "name");
    if (strcmp(key, "version") == 0)
        check(clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL), "version");
    int length = snprintf(path, 1024, "%s/", folder);
    snprintf(path + length, 1024 - (size_t)length, "%s%s", name, version);
    for (char *at = path + length; *at; at++)
        if (strchr(" /()@", *at))
            *at = '_';
}

static cl_program load(cl_context context, cl_device_id device, const char *path)
{
    FILE *file = fopen(path, "rb");
    static unsigned char bytes[1 << 22];
    const unsigned char *binary = bytes;
    cl_int code;
    if (!file)
        return NULL;
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &binary, NULL, &code);
    return code == CL_SUCCESS ? program : NULL;
}

static void save(cl_program program, const char *path)
{
    size_t size = 0;
    check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), "sizes");
    unsigned char *bytes = malloc(size);
    check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), "binaries");
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
        exit(1);
    free(bytes);
}

static void run(cl_context context, cl_device_id device, cl_program program)
{
    static cl_int a[ITEMS];
    static const char *const names[] = {"squares", "twice"};
    cl_int code;
    const size_t items = ITEMS;
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    check(code, "queue");
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof a, NULL, &code);
    check(code, "buffer");
    for (int k = 0; k < 2; k++) {
        long sum = 0;
        cl_kernel kernel = clCreateKernel(program, names[k], &code);
        check(code, "kernel");
        check(clSetKernelArg(kernel, 0, sizeof mem, &mem), "argument");
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "launch");
        check(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof a, a, 0, NULL, NULL), "read");
        for (int i = 0; i < ITEMS; i++)
            sum += a[i];
        printf("%s %ld\n", names[k], sum);
        clReleaseKernel(kernel);
    }
    clReleaseMemObject(mem);
    clReleaseCommandQueue(queue);
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    char path[1024];
    if (argc != 3)
        return 2;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "context");
    name_file(device, argv[1], argv[2], path);
    cl_program program = load(context, device, path);
    const int loaded = program != NULL;
    if (!loaded) {
        const char *source = text;
        program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
        check(code, "program");
    }
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    puts(loaded ? "loaded" : "built");
    save(program, path);
    run(context, device, program);
    clReleaseProgram(program);
    clReleaseContext(context);
    return 0;
}
