/* SPDX-License-Identifier: MIT */
/*
 * Runs test kernels (recipe.h) on random data and ranges and prints a hash of every buffer, so that runs
 * under different settings can be compared: splitcheck.py does that. It knows nothing of coexec.
 *
 * usage: splitcheck [--seed N] [--cases N] [--locals 1|2] [--together N] [--dump FOLDER] FILE.cl...
 *
 * A case makes fresh buffers, launches the kernel over a random range, overwrites a part of one buffer,
 * launches it over a part of the range, and reads all back. A line a case: kernel, number, range, hashes.
 */
#include "file.h"
#include "recipe.h"
#include "splitcheck_image.h"
#include <CL/cl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static const char *dump_folder;
static unsigned locals_each = 2; /* local sizes that each kernel is tried with */

static void need(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "splitcheck: %s: error %d\n", what, code);
    exit(3);
}

static uint64_t state;

static unsigned roll(unsigned below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

static uint64_t hash_of(const void *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* One buffer or image of a case. */
struct room {
    cl_mem mem;
    cl_mem behind; /* the buffer that a 1-D image is made of; else NULL */
    size_t size;
    unsigned char *bytes;
};

static void put(unsigned char *at, const struct recipe_arg *arg, size_t value)
{
    float single = (float)value;
    double wide = (double)value;
    if (strncmp(arg->type, "float", 5) == 0)
        memcpy(at, &single, sizeof(single));
    else if (strncmp(arg->type, "double", 6) == 0)
        memcpy(at, &wide, sizeof(wide));
    else
        memcpy(at, &value, arg->element < 8 ? arg->element : 8);
}

static void fill_noise(const struct recipe_arg *arg, unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)roll(256);
    for (size_t i = 0; strncmp(arg->type, "float", 5) == 0 && i < size / 4; i++)
        ((float *)(void *)bytes)[i] = (float)roll(4096) / 1024.0f - 2.0f;
    for (size_t i = 0; strncmp(arg->type, "double", 6) == 0 && i < size / 8; i++)
        ((double *)(void *)bytes)[i] = (double)roll(4096) / 1024.0 - 2.0;
}

static void fill(const struct recipe_arg *arg, unsigned char *bytes, size_t count, size_t below)
{
    int32_t *ints = (int32_t *)(void *)bytes;
    size_t reached = 0;
    if (arg->fill == RECIPE_NOISE)
        fill_noise(arg, bytes, count * arg->element);
    for (size_t i = 0; arg->fill == RECIPE_BELOW && i < count; i++)
        put(bytes + i * arg->element, arg, roll((unsigned)below));
    for (size_t i = 0; arg->fill == RECIPE_ORDER && i < count; i++) { /* inside-out shuffle */
        size_t at = roll((unsigned)i + 1);
        ints[i] = ints[at];
        ints[at] = (int32_t)i;
    }
    for (size_t i = 0; arg->fill == RECIPE_RISING && i < count; i++) {
        put(bytes + i * arg->element, arg, i + 1 == count ? below : reached);
        reached += roll((unsigned)(2 * below / count + 2));
        reached = reached < below ? reached : below;
    }
}

static struct room room_new(const struct recipe_arg *arg, const struct recipe_range *range)
{
    bool image = arg->kind == RECIPE_IMAGE;
    size_t count = image ? splitcheck_image_bytes(arg, range) / arg->element : recipe_value(arg->size, range);
    struct room room = {.size = count * arg->element};
    cl_int code;
    /* every kind of buffer in turn */
    static const cl_mem_flags kinds[] = {CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR,
                                         CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR};
    room.bytes = calloc(1, room.size + 64);
    if (!room.bytes || room.size == 0)
        need(CL_OUT_OF_HOST_MEMORY, arg->size);
    fill(arg, room.bytes, count, recipe_value(arg->below, range));
    if (image) {
        code = splitcheck_image_new(context, arg, range, kinds[roll(3)], room.bytes, &room.mem, &room.behind);
        need(code, "clCreateImage");
        return room;
    }
    room.mem = clCreateBuffer(context, CL_MEM_READ_WRITE | kinds[roll(3)], room.size, room.bytes, &code);
    need(code, "clCreateBuffer");
    return room;
}

static cl_mem window_new(const struct recipe *recipe, const struct recipe_arg *arg,
                         const struct recipe_range *range, const struct room *rooms)
{
    size_t unit = recipe->arg[arg->of].element;
    cl_buffer_region region = {recipe_value(arg->from, range) * unit, recipe_value(arg->size, range) * unit};
    cl_uint align = 0; /* bits */
    cl_int code = clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(align), &align, NULL);
    need(code, "clGetDeviceInfo");
    if (align >=
        8) /* as recipes are written for any device, where its rules ask for more the window begins before */
        region.origin -= region.origin % (align / 8);
    cl_mem window = clCreateSubBuffer(rooms[arg->of].mem, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                      &region, &code);
    need(code, "clCreateSubBuffer");
    return window;
}

static void set_args(cl_kernel kernel, const struct recipe *recipe, const struct recipe_range *range,
                     struct room *rooms)
{
    for (cl_uint i = 0; i < recipe->nargs; i++) {
        const struct recipe_arg *arg = &recipe->arg[i];
        unsigned char bytes[16];
        const void *value = NULL;
        size_t size = sizeof(cl_mem);
        switch (arg->kind) {
        case RECIPE_BUFFER:
        case RECIPE_IMAGE:
            rooms[i] = room_new(arg, range);
            value = &rooms[i].mem;
            break;
        case RECIPE_WINDOW:
            rooms[i].mem = window_new(recipe, arg, range, rooms);
            value = &rooms[i].mem;
            break;
        case RECIPE_SAME:
            value = &rooms[arg->of].mem;
            break;
        case RECIPE_NULL:
            break;
        case RECIPE_LOCAL:
            size = recipe_value(arg->size, range) * arg->element;
            break;
        case RECIPE_SCALAR:
        case RECIPE_VECTOR:
            size = recipe_scalar(arg, range, bytes);
            value = bytes;
            break;
        }
        need(clSetKernelArg(kernel, i, size, value), recipe->name);
    }
}

static cl_bool can_be_uneven(void)
{
    cl_bool can = CL_FALSE;
    if (clGetDeviceInfo(device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof(can), &can, NULL) !=
        CL_SUCCESS)
        return CL_FALSE;
    return can;
}

/* Whether the local size suits the recipe's fixed size, if it has one. */
static bool divides(const struct recipe *recipe, const size_t *local)
{
    for (unsigned d = 0; d < recipe->dims && recipe->size[0]; d++)
        if (recipe->size[d] % local[d])
            return false;
    return true;
}

/* One or two local sizes for each kernel, of four in all: PoCL compiles a kernel for each. */
static struct recipe_range random_range(const struct recipe *recipe, unsigned number, unsigned index)
{
    static const size_t locals[3][4][3] = {{{16, 1, 1}, {64, 1, 1}, {5, 1, 1}, {1, 1, 1}},
                                           {{8, 4, 1}, {16, 1, 1}, {3, 5, 1}, {1, 8, 1}},
                                           {{4, 2, 2}, {8, 1, 1}, {1, 3, 2}, {2, 2, 1}}};
    static const unsigned most[3] = {250, 16, 6};
    struct recipe_range range = {.global = {1, 1, 1}, .local = {1, 1, 1}};
    unsigned pick = number + roll(locals_each);
    for (unsigned tries = 0; tries < 4 && !divides(recipe, locals[recipe->dims - 1][pick % 4]); tries++)
        pick++;
    const size_t *local = recipe->local[0] ? recipe->local : locals[recipe->dims - 1][pick % 4];
    bool offset = recipe->offset && index % 2; /* every other case */
    bool uneven = recipe->uneven && can_be_uneven() && roll(2);
    for (unsigned d = 0; d < recipe->dims; d++) {
        range.local[d] = local[d];
        range.global[d] = local[d] * (1 + roll(most[recipe->dims - 1]));
        if (uneven)
            range.global[d] -= roll((unsigned)local[d]);
        if (recipe->size[0])
            range.global[d] = recipe->size[d];
        range.offset[d] = offset ? roll(100) : 0;
    }
    return range;
}

/* A range within the first one: fewer groups, at the same offset or a group further. */
static struct recipe_range part_of(const struct recipe *recipe, const struct recipe_range *whole)
{
    struct recipe_range part = *whole;
    for (unsigned d = 0; d < recipe->dims && !recipe->size[0]; d++) {
        size_t groups = whole->global[d] / whole->local[d];
        if (groups < 2)
            continue;
        size_t kept = 1 + roll((unsigned)groups);
        part.global[d] = kept * whole->local[d];
        if (recipe->offset && kept < groups)
            part.offset[d] += roll((unsigned)(groups - kept + 1)) * whole->local[d];
    }
    return part;
}

static void launch(cl_kernel kernel, const struct recipe *recipe, const struct recipe_range *range)
{
    bool offset = range->offset[0] || range->offset[1] || range->offset[2];
    need(clEnqueueNDRangeKernel(queue, kernel, recipe->dims, offset ? range->offset : NULL, range->global,
                                range->local, 0, NULL, NULL),
         recipe->name);
}

/* Overwrites some bytes of the first buffer with its own old contents, through the queue. */
static void disturb(const struct recipe *recipe, struct room *rooms)
{
    for (unsigned i = 0; i < recipe->nargs; i++) {
        if (recipe->arg[i].kind != RECIPE_BUFFER || recipe->arg[i].fill != RECIPE_NOISE)
            continue;
        size_t unit = recipe->arg[i].element, count = rooms[i].size / unit;
        size_t at = roll((unsigned)count), length = 1 + roll((unsigned)(count - at));
        unsigned char *copy = malloc(length * unit);
        need(clEnqueueReadBuffer(queue, rooms[i].mem, CL_TRUE, at * unit, length * unit, copy, 0, NULL, NULL),
             "read");
        memset(copy, 0, unit);
        need(
            clEnqueueWriteBuffer(queue, rooms[i].mem, CL_TRUE, at * unit, length * unit, copy, 0, NULL, NULL),
            "write");
        free(copy);
        return;
    }
}

static void dump(const char *name, unsigned number, unsigned arg, const struct room *room, const void *bytes)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s.%u.%u", dump_folder, name, number, arg);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, room->size, file) != room->size)
        perror(path);
    if (file)
        fclose(file);
}

static size_t sorted_element;

static int order(const void *a, const void *b)
{
    return memcmp(a, b, sorted_element);
}

static void sort(void *bytes, size_t size, size_t element)
{
    sorted_element = element;
    qsort(bytes, size / element, element, order);
}

static void print_rooms(const struct recipe *recipe, const struct recipe_range *range, unsigned number,
                        struct room *rooms)
{
    for (unsigned i = 0; i < recipe->nargs; i++) {
        if (recipe->arg[i].kind == RECIPE_WINDOW)
            need(clReleaseMemObject(rooms[i].mem), "release");
    }
    for (unsigned i = 0; i < recipe->nargs; i++) {
        bool image = recipe->arg[i].kind == RECIPE_IMAGE;
        if (recipe->arg[i].kind != RECIPE_BUFFER && !image)
            continue;
        unsigned char *got = malloc(rooms[i].size);
        need(image ? splitcheck_image_read(queue, &recipe->arg[i], range, rooms[i].mem, rooms[i].behind, got)
                   : clEnqueueReadBuffer(queue, rooms[i].mem, CL_TRUE, 0, rooms[i].size, got, 0, NULL, NULL),
             "read");
        if (recipe->arg[i].compare == RECIPE_SORTED)
            sort(got, rooms[i].size, recipe->arg[i].element);
        if (recipe->arg[i].compare != RECIPE_IGNORED)
            printf(" %u=%016" PRIx64, i, hash_of(got, rooms[i].size));
        if (dump_folder)
            dump(recipe->name, number, i, &rooms[i], got);
        free(got);
        need(clReleaseMemObject(rooms[i].mem), "release");
        if (rooms[i].behind)
            need(clReleaseMemObject(rooms[i].behind), "release");
        need(clFinish(queue), "finish");
        free(rooms[i].bytes);
    }
    printf("\n");
    fflush(stdout);
}

static void run_case(cl_kernel kernel, const struct recipe *recipe, unsigned kernel_number, unsigned number)
{
    struct room rooms[RECIPE_ARGS] = {{0}};
    struct recipe_range range = random_range(recipe, kernel_number, number), part = part_of(recipe, &range);
    set_args(kernel, recipe, &range, rooms);
    launch(kernel, recipe, &range);
    disturb(recipe, rooms);
    launch(kernel, recipe, &part);
    printf("%s %u %zu+%zu/%zu,%zu+%zu/%zu,%zu+%zu/%zu", recipe->name, number, range.offset[0],
           range.global[0], range.local[0], range.offset[1], range.global[1], range.local[1], range.offset[2],
           range.global[2], range.local[2]);
    print_rooms(recipe, &range, number, rooms);
}

/* A file and its recipe. */
struct file {
    const char *path;
    char *text;
    struct recipe recipe;
};

static void read_file(struct file *into, const char *path)
{
    into->path = path;
    into->text = file_read(path, NULL);
    if (!into->text || !*into->text) {
        perror(path);
        exit(2);
    }
    if (!recipe_read(&into->recipe, path, into->text))
        exit(2);
}

enum { MOST_TOGETHER = 64 };

static void run_kernel(cl_program program, const struct file *file, unsigned kernel_number, uint64_t seed,
                       unsigned cases)
{
    const char *name = file->recipe.name;
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    need(code, name);
    for (unsigned i = 0; i < cases; i++) {
        state = hash_of(name, strlen(name)) ^ (seed * 1000003 + i);
        roll(2);
        run_case(kernel, &file->recipe, kernel_number, i);
    }
    need(clReleaseKernel(kernel), "release");
}

/* Builds files of equal options as one program, which saves most of the time, and runs their kernels. */
static void run_together(const struct file *const *files, unsigned n, uint64_t seed, unsigned cases)
{
    const char *texts[2 * MOST_TOGETHER];
    cl_int code;
    for (unsigned i = 0; i < n; i++) {
        texts[2 * i] = "#line 1\n";
        texts[2 * i + 1] = files[i]->text;
    }
    cl_program program = clCreateProgramWithSource(context, 2 * n, texts, NULL, &code);
    need(code, files[0]->path);
    code = clBuildProgram(program, 1, &device, files[0]->recipe.options, NULL, NULL);
    if (code != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    need(code, files[0]->path);
    for (unsigned i = 0; i < n; i++)
        run_kernel(program, files[i],
                   (unsigned)(hash_of(files[i]->recipe.name, strlen(files[i]->recipe.name)) >> 8), seed,
                   cases);
    need(clReleaseProgram(program), "release");
}

static bool belong_together(const struct recipe *a, const struct recipe *b)
{
    return !a->alone && !b->alone && strcmp(a->options, b->options) == 0;
}

static void run_files(char **paths, unsigned npaths, unsigned together, uint64_t seed, unsigned cases)
{
    struct file *files = calloc(npaths, sizeof(*files));
    bool *done = calloc(npaths, sizeof(*done));
    for (unsigned i = 0; i < npaths; i++)
        read_file(&files[i], paths[i]);
    for (unsigned i = 0; i < npaths; i++) {
        const struct file *batch[MOST_TOGETHER] = {&files[i]};
        unsigned n = 1;
        if (done[i] || !files[i].recipe.run)
            continue;
        for (unsigned j = i + 1; j < npaths && n < together; j++) {
            if (!done[j] && files[j].recipe.run && belong_together(&files[i].recipe, &files[j].recipe)) {
                batch[n++] = &files[j];
                done[j] = true;
            }
        }
        run_together(batch, n, seed, cases);
    }
    for (unsigned i = 0; i < npaths; i++)
        free(files[i].text);
    free(files);
    free(done);
}

static void open_device(void)
{
    cl_platform_id platform;
    cl_int code;
    need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    need(code, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &code);
    need(code, "clCreateCommandQueue");
}

int main(int argc, char **argv)
{
    uint64_t seed = 1;
    unsigned cases = 3, together = 12;
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        unsigned long number = strtoul(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--seed") == 0)
            seed = number;
        else if (strcmp(argv[i], "--cases") == 0)
            cases = (unsigned)number;
        else if (strcmp(argv[i], "--locals") == 0)
            locals_each = number > 1 ? 2 : 1;
        else if (strcmp(argv[i], "--together") == 0)
            together = number < 1 ? 1 : number > MOST_TOGETHER ? MOST_TOGETHER : (unsigned)number;
        else if (strcmp(argv[i], "--dump") == 0)
            dump_folder = argv[i + 1];
        else
            break;
    }
    if (i >= argc || strncmp(argv[i], "--", 2) == 0) {
        fprintf(stderr, "usage: splitcheck [--seed N] [--cases N] [--locals 1|2] [--together N] "
                        "[--dump FOLDER] FILE.cl...\n");
        return 2;
    }
    open_device();
    run_files(argv + i, (unsigned)(argc - i), together, seed, cases);
    need(clReleaseCommandQueue(queue), "release");
    need(clReleaseContext(context), "release");
    return 0;
}
