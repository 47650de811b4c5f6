/* SPDX-License-Identifier: MIT */
/*
 * The machine: asks every platform for its devices and every device for what the layer needs to know, has CPU
 * devices cut where COEXEC_FISSION says so (fission.h), and settles which devices are members of the virtual
 * one. Previous stage: drivers.h. Next: device.h.
 */
#include "layer/driver/drivers.h"
#include "layer/base/log.h"
#include "layer/base/forked.h"
#include "layer/base/options.h"
#include "layer/driver/fission.h"
#include "layer/driver/select.h"
#include "layer/driver/sub_devices.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static struct cx_machine machine;
static struct cx_drivers drivers;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Of NVIDIA's cl_nv_device_attribute_query, in no header of Debian's. */
#define NV_COMPUTE_CAPABILITY_MAJOR 0x4000
#define NV_COMPUTE_CAPABILITY_MINOR 0x4001
#define NV_REGISTERS_PER_BLOCK      0x4002

bool cx_device_has_extension(const char *extensions, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = extensions; at && length && (at = strstr(at, name)); at += length)
        if ((at == extensions || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

bool cx_real_device_moves_images(const struct cx_real_device *device)
{
    return !device->is_sub_device || !cx_drivers_is_pocl(device->platform->name);
}

/* ---- asking a device ---- */

/* A query that fails leaves the field as it is: drivers miss some, and none is worth losing a device for. */
static void ask(const struct cx_real_device *device, cl_device_info query, void *field, size_t size)
{
    unsigned char answer[64];
    size_t given = 0;
    if (device->cl->clGetDeviceInfo(device->id, query, sizeof answer, answer, &given) != CL_SUCCESS)
        cx_debug(CX_TOPIC_DRIVER, "device %u: query 0x%x fails", device->index, query);
    else if (given >= size)
        memcpy(field, answer, size);
}

static char *ask_text(const struct cx_real_device *device, cl_device_info query)
{
    size_t size = 0;
    if (device->cl->clGetDeviceInfo(device->id, query, 0, NULL, &size) != CL_SUCCESS)
        size = 0;
    char *text = calloc(1, size + 1);
    if (!text || !size || device->cl->clGetDeviceInfo(device->id, query, size, text, NULL) != CL_SUCCESS)
        return text;
    size_t start = strspn(text, " ");
    memmove(text, text + start, strlen(text + start) + 1);
    for (size_t end = strlen(text); end && text[end - 1] == ' '; end--)
        text[end - 1] = '\0';
    return text;
}

#define FIELD(query, field)                                                                                  \
    {                                                                                                        \
        query, offsetof(struct cx_real_device, field), sizeof((struct cx_real_device){0}.field)              \
    }
static const struct {
    cl_device_info query;
    size_t offset, size;
} fields[] = {
    FIELD(CL_DEVICE_TYPE, type),
    FIELD(CL_DEVICE_MAX_COMPUTE_UNITS, compute_units),
    FIELD(CL_DEVICE_MAX_CLOCK_FREQUENCY, clock_mhz),
    FIELD(CL_DEVICE_ADDRESS_BITS, limits.address_bits),
    FIELD(CL_DEVICE_MEM_BASE_ADDR_ALIGN, limits.base_align_bits),
    FIELD(CL_DEVICE_GLOBAL_MEM_SIZE, limits.global_mem),
    FIELD(CL_DEVICE_MAX_MEM_ALLOC_SIZE, limits.max_alloc),
    FIELD(CL_DEVICE_LOCAL_MEM_SIZE, limits.local_mem),
    FIELD(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, limits.max_constant),
    FIELD(CL_DEVICE_MAX_WORK_GROUP_SIZE, limits.max_group_size),
    FIELD(CL_DEVICE_MAX_WORK_ITEM_SIZES, limits.max_item_sizes),
    FIELD(CL_DEVICE_ENDIAN_LITTLE, little_endian),
    FIELD(CL_DEVICE_COMPILER_AVAILABLE, compiler),
    FIELD(CL_DEVICE_HOST_UNIFIED_MEMORY, unified_memory),
    FIELD(CL_DEVICE_IMAGE_SUPPORT, images),
};

/* One type where a driver names several (a simulator may): the CPU, which promises least. */
static cl_device_type single_type(cl_device_type types)
{
    static const cl_device_type order[] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU,
                                           CL_DEVICE_TYPE_ACCELERATOR};
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        if (types & order[i])
            return order[i];
    return CL_DEVICE_TYPE_CUSTOM;
}

static bool is_nvidia_gpu(const struct cx_real_device *device)
{
    cl_uint vendor = 0;
    ask(device, CL_DEVICE_VENDOR_ID, &vendor, sizeof vendor);
    return device->type == CL_DEVICE_TYPE_GPU && vendor == 0x10de;
}

static void ask_capability(const struct cx_real_device *device, cl_uint *major, cl_uint *minor)
{
    *major = *minor = 0;
    ask(device, NV_COMPUTE_CAPABILITY_MAJOR, major, sizeof *major);
    ask(device, NV_COMPUTE_CAPABILITY_MINOR, minor, sizeof *minor);
}

/* What one multiprocessor has: by its compute capability, and the registers that its driver tells. */
static void ask_multiprocessor(struct cx_real_device *device)
{
    cl_uint major, minor, registers = 0;
    if (!is_nvidia_gpu(device))
        return;
    ask_capability(device, &major, &minor);
    if (!cx_multiprocessor_find(major, minor, &device->multiprocessor))
        return;
    ask(device, NV_REGISTERS_PER_BLOCK, &registers, sizeof registers);
    if (registers > 0)
        device->multiprocessor.registers = registers;
}

/* Lanes of one NVIDIA multiprocessor: 128 for most, 64 and 192 for some generations. */
static unsigned nvidia_lanes(const struct cx_real_device *device)
{
    cl_uint major, minor;
    ask_capability(device, &major, &minor);
    if (major == 3)
        return 192;
    if (major == 2)
        return 32;
    return major == 7 || ((major == 6 || major == 8) && minor == 0) ? 64 : 128;
}

/* Peak single-precision GFLOP/s as far as the queries tell, for first guesses among devices. */
static double nominal_gflops(const struct cx_real_device *device)
{
    static const struct {
        cl_uint vendor;
        double lanes;
    } gpu_vendors[] = {{0x1002, 64}, {0x8086, 8}}; /* AMD's compute unit, Intel's execution unit */
    bool is_cpu = device->type == CL_DEVICE_TYPE_CPU;
    double lanes = is_cpu ? 8 : 64, units = device->compute_units, clock = device->clock_mhz;
    cl_uint vendor = 0;
    ask(device, CL_DEVICE_VENDOR_ID, &vendor, sizeof vendor);
    if (is_nvidia_gpu(device))
        lanes = nvidia_lanes(device);
    for (unsigned i = 0; !is_cpu && i < sizeof gpu_vendors / sizeof *gpu_vendors; i++)
        if (gpu_vendors[i].vendor == vendor)
            lanes = gpu_vendors[i].lanes;
    if (units < 1)
        units = 1;
    if (clock < 1)
        clock = is_cpu ? 2000 : 1000; /* virtual machines hide it */
    return units * lanes * 2 * clock / 1000;
}

/* Why a device can never be a member, or NULL. */
static const char *unfit(const struct cx_real_device *device)
{
    cl_bool available = CL_TRUE;
    ask(device, CL_DEVICE_AVAILABLE, &available, sizeof available);
    if (!device->name || !device->extensions || !device->opencl_c_version)
        return "out of memory while asking it";
    if (!available)
        return "its driver says that it is not available";
    if (!device->compiler)
        return "it has no compiler";
    if (device->type == CL_DEVICE_TYPE_CUSTOM)
        return "a custom device runs no kernels from source";
    if (device->version_number < 120)
        return "older than OpenCL 1.2";
    return device->limits.max_alloc == 0 || device->limits.max_group_size == 0
               ? "its driver does not tell its limits"
               : NULL;
}

static void describe(struct cx_real_device *device)
{
    device->type = CL_DEVICE_TYPE_CPU;
    device->compiler = CL_TRUE;
    device->little_endian = CL_TRUE;
    device->limits.address_bits = 8 * sizeof(void *);
    device->limits.base_align_bits = 1024; /* the smallest that a full profile may have: sizeof(long16) */
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        ask(device, fields[i].query, (char *)device + fields[i].offset, fields[i].size);
    device->type = single_type(device->type);
    char *version = ask_text(device, CL_DEVICE_VERSION);
    device->version_number = cx_drivers_version_number(version);
    free(version);
    if (device->version_number > device->platform->version_number)
        device->version_number = device->platform->version_number; /* the table ends there */
    device->name = ask_text(device, CL_DEVICE_NAME);
    device->vendor = ask_text(device, CL_DEVICE_VENDOR);
    device->extensions = ask_text(device, CL_DEVICE_EXTENSIONS);
    device->opencl_c_version = ask_text(device, CL_DEVICE_OPENCL_C_VERSION);
    if (device->version_number >= 300)
        ask(device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, &device->non_uniform_groups, sizeof(cl_bool));
    else
        device->non_uniform_groups = device->version_number >= 200;
    device->nominal_gflops = nominal_gflops(device);
    ask_multiprocessor(device);
    const char *why = unfit(device);
    if (why)
        snprintf(device->left_out, sizeof device->left_out, "%s", why);
}

/* ---- finding ---- */

static struct cx_real_device *add_device(const struct cx_real_platform *platform, cl_device_id id,
                                         bool is_sub_device)
{
    struct cx_real_device *grown = realloc(machine.devices, (machine.ndevices + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    machine.devices = grown;
    struct cx_real_device *device = &grown[machine.ndevices];
    *device = (struct cx_real_device){
        .index = machine.ndevices++, .platform = platform, .cl = platform->cl, .id = id};
    device->is_sub_device = is_sub_device;
    describe(device);
    return device;
}

static void forget_texts(struct cx_real_device *device)
{
    free(device->name);
    free(device->vendor);
    free(device->extensions);
    free(device->opencl_c_version);
}

/* How CPU devices are to be cut; `auto` is settled as the first one is found that could be. */
static struct cx_option_cut how_to_cut(const struct cx_real_device *device)
{
    static struct cx_option_cut settled;
    static bool is_settled;
    const struct cx_option_cut asked = cx_options_get()->fission;
    char text[CX_FISSION_TEXT] = "";
    if (asked.by != CX_CUT_AUTO)
        return asked;
    if (!is_settled && device->type == CL_DEVICE_TYPE_CPU && device->compute_units > 1) {
        settled = cx_fission_settle(device, text);
        is_settled = true;
        cx_drivers_note(&drivers, "%s", text);
    }
    return settled;
}

/* Cuts the device added last, if COEXEC_FISSION says so; its parts take its place. */
static void cut_last(const struct cx_driver_threads *threads)
{
    struct cx_real_device parent = machine.devices[machine.ndevices - 1];
    struct cx_fission fission;
    cx_fission_cut(&parent, how_to_cut(&parent), threads, &fission);
    if (fission.n)
        machine.ndevices--;
    for (unsigned i = 0; i < fission.n; i++)
        add_device(parent.platform, fission.part[i], true);
    if (*fission.text)
        cx_drivers_note(&drivers, "%s: %s", parent.name, fission.text);
    if (fission.n)
        forget_texts(&parent);
    cx_fission_free(&fission);
}

static void add_devices(const struct cx_real_platform *platform)
{
    struct cx_driver_threads before = {.n = 0}, threads = {.n = 0};
    const bool by_level = cx_options_get()->fission.by != CX_CUT_CORES;
    cl_uint count = 0;
    if (by_level)
        cx_driver_threads_list(&before);
    cl_int code = platform->cl->clGetDeviceIDs(platform->id, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
    if (by_level)
        cx_driver_threads_list(&threads);
    cx_driver_threads_since(&threads, &before);
    cl_device_id *ids = code == CL_SUCCESS && count ? calloc(count, sizeof *ids) : NULL;
    if (ids)
        code = platform->cl->clGetDeviceIDs(platform->id, CL_DEVICE_TYPE_ALL, count, ids, NULL);
    if (!ids || code != CL_SUCCESS)
        cx_drivers_note(&drivers, "%s: platform %s has no device (%s)", platform->driver, platform->name,
                        cx_cl_name(code));
    for (cl_uint i = 0; ids && code == CL_SUCCESS && i < count; i++)
        if (add_device(platform, ids[i], false))
            cut_last(&threads);
    free(ids);
    cx_driver_threads_free(&before);
    cx_driver_threads_free(&threads);
}

struct cx_real_device *cx_real_device_new_part(const struct cx_real_device *of, cl_device_id id)
{
    struct cx_real_device *part = calloc(1, sizeof *part);
    if (!part)
        return NULL;
    part->index = of->index; /* for messages and statistics it is the device it was cut from */
    part->platform = of->platform;
    part->cl = of->cl;
    part->id = id;
    part->is_sub_device = part->used = true;
    part->whole = of->whole ? of->whole : of;
    describe(part);
    return part;
}

void cx_real_device_free_part(struct cx_real_device *part)
{
    cx_sub_device_give_back(part->platform, part->id);
    forget_texts(part);
    free(part);
}

/* ---- choosing ---- */

__attribute__((format(printf, 2, 3))) static void leave_out(struct cx_real_device *device, const char *format,
                                                            ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(device->left_out, sizeof device->left_out, format, arguments);
    va_end(arguments);
}

static struct cx_real_device *fastest_of(struct cx_real_device **members, unsigned count)
{
    struct cx_real_device *fastest = NULL;
    for (unsigned i = 0; i < count; i++)
        if (!fastest || members[i]->nominal_gflops > fastest->nominal_gflops)
            fastest = members[i];
    return fastest;
}

/* What COEXEC_DEVICES chooses; its default where it cannot be obeyed. */
static unsigned choose(unsigned *order)
{
    char problem[CX_SELECT_PROBLEM];
    const char *list = cx_options_get()->devices;
    unsigned count = cx_select(machine.devices, machine.ndevices, list, order, problem);
    if (!*problem || machine.ndevices == 0)
        return count;
    char *accepted = cx_select_accepted(machine.devices, machine.ndevices);
    list = cx_options_reject("COEXEC_DEVICES", problem, accepted);
    free(accepted);
    return cx_select(machine.devices, machine.ndevices, list, order, problem);
}

/* Takes the chosen ones that are fit, then leaves out those that cannot share memory contents with the
 * fastest. */
static void settle_members(const unsigned *order, unsigned count)
{
    unsigned fit = 0, kept = 0;
    for (unsigned i = 0; i < count; i++) {
        struct cx_real_device *device = &machine.devices[order[i]];
        if (!*device->left_out && fit == CX_MEMBERS_MAX)
            leave_out(device, "more than %d devices", CX_MEMBERS_MAX);
        if (!*device->left_out)
            machine.used[fit++] = device;
    }
    machine.fastest = fastest_of(machine.used, fit);
    for (unsigned i = 0; i < fit; i++) {
        struct cx_real_device *device = machine.used[i], *fastest = machine.fastest;
        if (device->little_endian != fastest->little_endian)
            leave_out(device, "byte order differs from that of the fastest device, %.80s", fastest->name);
        else if (device->limits.address_bits != fastest->limits.address_bits)
            leave_out(device, "%u-bit pointers; the fastest device, %.80s, has %u-bit ones",
                      device->limits.address_bits, fastest->name, fastest->limits.address_bits);
        else
            machine.used[kept++] = device;
    }
    machine.nused = kept;
}

static void find_machine(void)
{
    cx_forked_refuse();
    cx_drivers_find(&drivers);
    machine.nplatforms = drivers.nplatforms;
    machine.platforms = drivers.platforms;
    machine.searched = drivers.searched;
    for (unsigned i = 0; i < machine.nplatforms; i++)
        add_devices(&machine.platforms[i]);
    machine.nnotes = drivers.nnotes;
    machine.notes = drivers.notes;
    unsigned *order = calloc(machine.ndevices + 1, sizeof *order);
    machine.used = calloc(machine.ndevices + 1, sizeof *machine.used);
    if (!order || !machine.used) {
        free(order);
        return;
    }
    settle_members(order, choose(order));
    free(order);
    for (unsigned i = 0; i < machine.nused; i++)
        machine.used[i]->used = true;
    for (unsigned i = 0; i < machine.ndevices; i++) {
        struct cx_real_device *device = &machine.devices[i];
        if (!device->used && !*device->left_out)
            leave_out(device, "not chosen by COEXEC_DEVICES");
        cx_info(CX_TOPIC_DRIVER, "device %u: %s, %.0f GFLOP/s nominal: %s%s", i, device->name,
                device->nominal_gflops, device->used ? "used" : "left out: ", device->left_out);
    }
    if (machine.nused == 0)
        cx_error(CX_TOPIC_DRIVER, "no real OpenCL %s; searched: %s",
                 machine.ndevices ? "device can be used" : "driver", machine.searched);
}

const struct cx_machine *cx_machine_get(void)
{
    pthread_once(&once, find_machine);
    return &machine;
}
