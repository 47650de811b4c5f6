/* SPDX-License-Identifier: MIT */
/*
 * coexec info: the real devices and which of them are used, the virtual device, and every option with its
 * origin.
 */
#include "tools/coexec_info.h"
#include "tools/coexec.h"
#include "tools/coexec_guess.h"
#include "tools/coexec_links.h"
#include "layer/base/entry.h"
#include "layer/base/config.h"
#include "layer/base/options.h"

#include <dlfcn.h>
#include <string.h>

static const char me[] = "info";

const char *cx_device_standing(const struct cx_real_device *device)
{
    return device->used ? "used" : device->left_out;
}

const char *cx_type_name(cl_device_type type)
{
    return type == CL_DEVICE_TYPE_GPU           ? "GPU"
           : type == CL_DEVICE_TYPE_ACCELERATOR ? "accelerator"
           : type == CL_DEVICE_TYPE_CPU         ? "CPU"
                                                : "custom";
}

/* What the layer would find out when a program makes a context: needs one of the driver's own. */
static void probe(struct cx_real_device *device)
{
    cl_int code;
    cl_context context = device->cl->clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        return;
    cl_command_queue queue = device->cl->clCreateCommandQueue(context, device->id, 0, &code);
    if (code == CL_SUCCESS) {
        cx_probe_device(device, context, queue);
        device->cl->clReleaseCommandQueue(queue);
    }
    device->cl->clReleaseContext(context);
}

/* Bytes in the largest unit that leaves at least 1. */
static void print_bytes(cl_ulong bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    unsigned unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    printf(unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void print_device(const struct cx_machine *machine, const struct cx_real_device *device)
{
    printf("  %u  %s: %s%s\n", device->index, device->name,
           device->used ? "used" : "left out: ", device->left_out);
    printf("     %s%s, %u compute unit%s at %u MHz, %.0f GFLOP/s nominal%s\n", cx_type_name(device->type),
           device->is_sub_device ? " (part of one)" : "", device->compute_units,
           device->compute_units == 1 ? "" : "s", device->clock_mhz, device->nominal_gflops,
           device == machine->fastest ? " (the fastest)" : "");
    printf("     OpenCL %u.%u, %s\n", device->version_number / 100, device->version_number / 10 % 10,
           device->opencl_c_version);
    fputs("     memory ", stdout);
    print_bytes(device->limits.global_mem);
    fputs(", a buffer up to ", stdout);
    print_bytes(device->limits.max_alloc);
    fputs(", local ", stdout);
    print_bytes(device->limits.local_mem);
    printf("; work-groups up to %zu (%zu x %zu x %zu)\n", device->limits.max_group_size,
           device->limits.max_item_sizes[0], device->limits.max_item_sizes[1],
           device->limits.max_item_sizes[2]);
    printf("     %s, %s\n", device->platform->name, device->platform->driver);
    if (device->probe.done)
        printf("     %s; %s\n",
               device->probe.synchronous ? "runs commands in the calling thread" : "enqueues at once",
               device->probe.in_place ? "uses host memory in place" : "keeps copies of its own");
}

static void print_machine(const struct cx_machine *machine)
{
    printf("Real devices (%u, %u used)\n", machine->ndevices, machine->nused);
    for (unsigned i = 0; i < machine->ndevices; i++)
        print_device(machine, &machine->devices[i]);
    printf("Drivers were searched in: %s\n", machine->searched ? machine->searched : "nothing");
    for (unsigned i = 0; i < machine->nnotes; i++)
        printf("  %s\n", machine->notes[i]);
}

static void print_virtual(const struct cx_device *device)
{
    if (!device) {
        puts("\nThe virtual device: none, as no real device is used");
        return;
    }
    char vendor[128] = "", name[256] = "", driver[128] = "";
    cl_device_id id = (cl_device_id)(uintptr_t)device;
    cx_clGetDeviceInfo(id, CL_DEVICE_VENDOR, sizeof vendor, vendor, NULL);
    cx_clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof name, name, NULL);
    cx_clGetDeviceInfo(id, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    printf("\nThe virtual device\n  %s\n  shown to programs as %s, vendor %s, driver %s\n  %s, memory ",
           device->name, name, vendor, driver, cx_type_name(device->type));
    print_bytes(device->global_mem);
    fputs(", a buffer up to ", stdout);
    print_bytes(device->max_alloc);
    printf(", work-groups up to %zu\n  %s\n", device->max_group_size, device->extensions);
}

int cx_tell_no_device(const char *subcommand, const struct cx_machine *machine)
{
    static const char nvidia[] = "libnvidia-opencl.so.1";
    cx_tool_error(subcommand, "there is no OpenCL device; drivers were searched in: %s",
                  machine->searched ? machine->searched : "nothing");
    for (unsigned i = 0; i < machine->nnotes; i++)
        fprintf(stderr, "  %s\n", machine->notes[i]);
    if (dlopen(nvidia, RTLD_NOW | RTLD_LOCAL))
        fprintf(
            stderr,
            "  NVIDIA's driver is here, but no file in /etc/OpenCL/vendors names it, as in many containers:\n"
            "    set COEXEC_VENDORS=%s, or: echo %s > /etc/OpenCL/vendors/nvidia.icd\n",
            nvidia, nvidia);
    fputs(
        "  CPU: install a driver, such as the package pocl-opencl-icd\n"
        "  GPU: install its vendor's OpenCL driver, such as the package nvidia-opencl-icd\n"
        "  in a container: drivers must be in the container, too; COEXEC_VENDORS names libraries or folders\n"
        "  (docs/containers.md)\n",
        stderr);
    return CX_EXIT_FAILED;
}

static const char *heading_of(const char *class)
{
    return strcmp(class, "user") == 0   ? "\nOptions"
           : strcmp(class, "path") == 0 ? "\nPaths"
                                        : "\nNames of COEXEC_DEBUG, for tests and measurements";
}

/* A build without SQLite keeps nothing. */
static bool has_knowledge(void)
{
#ifdef CX_INSTALLED_KNOWLEDGE
    char *program = cx_find_own("coexec-knowledge", CX_INSTALLED_KNOWLEDGE);
    const bool found = program != NULL;
    free(program);
    return found;
#else
    return false;
#endif
}

const char *cx_info_knowledge(void)
{
    const struct cx_options *options = cx_options_get();
    if (!has_knowledge() || options->knowledge == CX_OPTION_KNOWLEDGE_NEVER || options->reproducible ||
        !cx_options_cache_dir())
        return NULL;
    return options->knowledge == CX_OPTION_KNOWLEDGE_READ ? "/knowledge, read only"
                                                          : "/knowledge (coexec knowledge list)";
}

static void print_options(void)
{
    const struct cx_option_row *rows;
    size_t count = cx_options_rows(&rows);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(rows[i].class, rows[i - 1].class) != 0)
            puts(heading_of(rows[i].class));
        printf("  %s=%s  (%s)\n      %s; accepted: %s\n", rows[i].name, rows[i].value, rows[i].origin,
               rows[i].help, rows[i].accepted);
    }
    const char *state, *config = cx_options_config(&state), *cache = cx_options_cache_dir();
    printf("  configuration file: %s%s%s\n", config, *config ? ": " : "", state);
    printf("  analysis cache: %s\n", cache ? cache : "none");
    const char *known = cx_info_knowledge();
    printf("  knowledge of former processes: %s%s\n", known ? cache : "none", known ? known : "");
}

enum { LINK_BYTES = 64 << 20 };

static int info(int argc, char **argv)
{
    bool json = false, measure = false;
    struct cx_links links = {0};
    for (int i = 1; i < argc; i++) {
        bool is_json = strcmp(argv[i], "--json") == 0, is_links = strcmp(argv[i], "--links") == 0;
        const bool is_for = strcmp(argv[i], "--for") == 0;
        if (is_for && i + 1 == argc)
            return cx_usage_error(me, "--for needs a value");
        if (is_for || strncmp(argv[i], "--for=", 6) == 0) {
            cx_config_pretend(is_for ? argv[++i] : argv[i] + 6);
            continue;
        }
        if (!is_json && !is_links) {
            struct cx_guess guess;
            cx_guess_init(&guess, argv[i]);
            cx_guess_offer_words(&guess, "--json --links --for");
            return cx_usage_error(me, "unknown argument %s%s", argv[i], cx_guess_text(&guess));
        }
        json |= is_json;
        measure |= is_links;
    }
    const struct cx_machine *machine = cx_machine_get();
    const struct cx_device *device = cx_device_get();
    for (unsigned i = 0; i < machine->nused; i++)
        probe(machine->used[i]);
    if (measure && !cx_links_measure(&links, machine, LINK_BYTES)) {
        cx_links_finish(&links);
        return cx_tool_error(me, "there is no memory to measure links with");
    }
    int status = CX_EXIT_OK;
    if (json) {
        status = cx_info_json(machine, device, measure ? &links : NULL);
    } else {
        print_machine(machine);
        if (measure)
            cx_links_print(&links, machine);
        print_virtual(device);
        print_options();
    }
    cx_links_finish(&links);
    if (fflush(stdout) != 0 || ferror(stdout))
        return cx_tool_error(me, "standard output cannot be written");
    return machine->ndevices == 0 ? cx_tell_no_device(me, machine) : status;
}

const struct cx_subcommand cx_info_subcommand = {
    .name = "info",
    .run = info,
    .summary = "print the real devices, which are used, and every option",
    .help = "usage: coexec info [--json] [--links] [--for PROGRAM]\n\n"
            "Prints the real devices with their limits and nominal speeds, which are used and why the others "
            "are\n"
            "not, where drivers were searched, the virtual device, and every option with its value and where "
            "that\n"
            "came from. --json prints the same as one JSON object. --links also measures how fast bytes move "
            "between\n"
            "host memory and the devices and from device to device (a second or more each). --for PROGRAM "
            "shows the options that\n"
            "the configuration file gives that program.\n",
};
