/* SPDX-License-Identifier: MIT */
/*
 * Finding and opening the real drivers: see drivers.h.
 */
#include "layer/driver/drivers.h"
#include "layer/driver/open.h"
#include "layer/base/entry.h"
#include "layer/base/log.h"
#include "layer/base/options.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char system_folder[] = "/etc/OpenCL/vendors";

/* cl_khr_icd 2.0, which Debian's headers do not know yet: both slots of a table hold the tag ("OPENCL31"),
 * the word behind the dispatch pointer belongs to the loader. */
#if UINTPTR_MAX > 0xFFFFFFFFu
#define ICD2_TAG ((uintptr_t)0x4F50454E434C3331u)
#else
#define ICD2_TAG ((uintptr_t)0x434C3331u)
#endif
typedef void *(CL_API_CALL *function_address_fn)(cl_platform_id platform, const char *name);
typedef cl_int(CL_API_CALL *set_dispatch_data_fn)(cl_platform_id platform, void *data);
struct platform_head {
    const cl_icd_dispatch *dispatch;
    void *loader_data; /* only where dispatch has the tag */
};

typedef void *(CL_API_CALL *extension_address_fn)(const char *name);

/* A library that was opened, so that each is taken once. */
struct library {
    struct library *next;
    void *handle;
    clIcdGetPlatformIDsKHR_fn
        get_platforms; /* the same function means the same driver behind another wrapper */
    extension_address_fn address;
    char *name;
};

/* One search: what it fills, and the libraries taken so far (kept for the life of the process, as they are
 * open). */
struct search {
    struct cx_drivers *found;
    struct library *libraries;
};

void cx_drivers_note(struct cx_drivers *drivers, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    cx_info(CX_TOPIC_DRIVER, "%s", text);
    char **notes = realloc(drivers->notes, (drivers->nnotes + 1) * sizeof *notes);
    if (notes) {
        drivers->notes = notes;
        notes[drivers->nnotes++] = text;
    } else {
        free(text);
    }
}

static void add_searched(struct cx_drivers *drivers, const char *place)
{
    char *joined = NULL;
    if (asprintf(&joined, "%s%s%s", drivers->searched ? drivers->searched : "", drivers->searched ? ", " : "",
                 place) < 0)
        return;
    free(drivers->searched);
    drivers->searched = joined;
}

bool cx_drivers_is_pocl(const char *name)
{
    return name && strcmp(name, "Portable Computing Language") == 0;
}

unsigned cx_drivers_version_number(const char *version)
{
    unsigned major, minor;
    if (version && sscanf(version, "OpenCL %u.%u", &major, &minor) == 2 && major < 100 && minor < 10)
        return 100 * major + 10 * minor;
    return 100;
}

/* A string that a platform or device query gives, trimmed, or "" where it fails. The caller frees; NULL: no
 * memory. */
static char *platform_text(const cl_icd_dispatch *cl, cl_platform_id platform, cl_platform_info query)
{
    size_t size = 0;
    if (cl->clGetPlatformInfo(platform, query, 0, NULL, &size) != CL_SUCCESS)
        size = 0;
    char *text = calloc(1, size + 1);
    if (text && size && cl->clGetPlatformInfo(platform, query, size, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    return text;
}

/* ---- tables ---- */

struct slot {
    unsigned version;
    size_t offset; /* in cl_icd_dispatch */
    const char *name;
};

static const struct slot slots[] = {
#define CX_ENTRY(version, name) {version, offsetof(cl_icd_dispatch, name), #name},
#include "layer/base/entry.def"
#undef CX_ENTRY
};
enum { SLOTS = sizeof slots / sizeof *slots };

static void **slot_in(const cl_icd_dispatch *table, const struct slot *slot)
{
    return (void **)((char *)(uintptr_t)table + slot->offset);
}

static bool has_icd2_tag(const cl_icd_dispatch *table)
{
    return (uintptr_t)table->clGetPlatformIDs == ICD2_TAG && (uintptr_t)table->clUnloadCompiler == ICD2_TAG;
}

/* The name of a function that nothing works without and that the table lacks, or NULL. */
static const char *missing_function(const cl_icd_dispatch *table)
{
    static const char *const needed[] = {
        "clGetPlatformInfo",    "clGetDeviceIDs",   "clGetDeviceInfo",
        "clCreateContext",      "clCreateBuffer",   "clBuildProgram",
        "clCreateKernel",       "clSetKernelArg",   "clFinish",
        "clEnqueueReadBuffer",  "clReleaseContext", "clReleaseMemObject",
        "clEnqueueWriteBuffer", "clReleaseEvent",   "clWaitForEvents",
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        for (size_t s = 0; s < SLOTS; s++)
            if (strcmp(slots[s].name, needed[i]) == 0 && !*slot_in(table, &slots[s]))
                return needed[i];
    return NULL;
}

/* A table of our own for an ordinary platform: a driver's may end where its version ends, so nothing behind
 * is read. */
static void copy_table(cl_icd_dispatch *table, const cl_icd_dispatch *theirs)
{
    for (size_t i = 0; i < SLOTS; i++)
        if (slots[i].version <= 100)
            *slot_in(table, &slots[i]) = *slot_in(theirs, &slots[i]);
}

static void copy_newer(cl_icd_dispatch *table, const cl_icd_dispatch *theirs, unsigned version)
{
    for (size_t i = 0; i < SLOTS; i++)
        if (slots[i].version > 100 && slots[i].version <= version)
            *slot_in(table, &slots[i]) = *slot_in(theirs, &slots[i]);
}

/* The same for a 2.0 platform: the functions are asked for by name, and the platform is told the table. A
 * loader in the process that told it one before keeps it: all our calls go through ours anyway. NULL, or what
 * went wrong. */
static const char *ask_for_table(cl_icd_dispatch *table, cl_platform_id platform,
                                 const struct library *library)
{
    function_address_fn address = library->address("clIcdGetFunctionAddressForPlatformKHR");
    set_dispatch_data_fn set_data = library->address("clIcdSetPlatformDispatchDataKHR");
    if (!address || !set_data)
        return "a cl_khr_icd 2.0 platform without that extension's functions";
    for (size_t i = 0; i < SLOTS; i++)
        *slot_in(table, &slots[i]) = address(platform, slots[i].name);
    if (!((const struct platform_head *)platform)->loader_data && set_data(platform, table) != CL_SUCCESS)
        return "clIcdSetPlatformDispatchDataKHR failed";
    return NULL;
}

/* ---- platforms ---- */

static void add_platform(struct search *search, const struct library *library, cl_platform_id id)
{
    struct cx_drivers *found = search->found;
    const cl_icd_dispatch *theirs = id ? ((const struct platform_head *)id)->dispatch : NULL;
    cl_icd_dispatch *table = calloc(1, sizeof *table);
    struct cx_real_platform *grown = realloc(found->platforms, (found->nplatforms + 1) * sizeof *grown);
    bool is_icd2 = theirs && has_icd2_tag(theirs);
    const char *problem = NULL, *missing = NULL;
    if (grown)
        found->platforms = grown;
    if (!table || !grown)
        problem = "out of memory";
    else if (!theirs)
        problem = "a platform without a dispatch table";
    else if (is_icd2)
        problem = ask_for_table(table, id, library);
    else
        copy_table(table, theirs);
    if (!problem)
        missing = missing_function(table);
    if (problem || missing) {
        cx_drivers_note(found, "%s: %s%s", library->name, missing ? "a platform without " : problem,
                        missing ? missing : "");
        free(table);
        return;
    }
    struct cx_real_platform *platform = &grown[found->nplatforms++];
    *platform = (struct cx_real_platform){.id = id, .cl = table, .driver = strdup(library->name)};
    platform->version = platform_text(table, id, CL_PLATFORM_VERSION);
    platform->version_number = cx_drivers_version_number(platform->version);
    if (!is_icd2)
        copy_newer(table, theirs, platform->version_number);
    platform->name = platform_text(table, id, CL_PLATFORM_NAME);
    platform->vendor = platform_text(table, id, CL_PLATFORM_VENDOR);
    cx_serialize(platform->name, table);
    cx_twins_tell_apart(platform->name, table);
    cx_info(CX_TOPIC_DRIVER, "%s: platform %s, %s%s", library->name, platform->name, platform->version,
            is_icd2 ? ", cl_khr_icd 2.0" : "");
}

static void add_platforms(struct search *search, const struct library *library)
{
    cl_uint count = 0;
    cl_int code = library->get_platforms(0, NULL, &count);
    if (code != CL_SUCCESS || count == 0) {
        cx_drivers_note(search->found, "%s: no platform (%s)", library->name, cx_cl_name(code));
        return;
    }
    cl_platform_id *ids = calloc(count, sizeof *ids);
    code = ids ? library->get_platforms(count, ids, &count) : CL_OUT_OF_HOST_MEMORY;
    if (code != CL_SUCCESS)
        cx_drivers_note(search->found, "%s: no platform (%s)", library->name, cx_cl_name(code));
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++)
        add_platform(search, library, ids[i]);
    free(ids);
}

/* ---- libraries ---- */

/* Whether the function lies in an ICD loader. Asking one for a function from within our own start would make
 * it start itself a second time, which hangs. No loader exports clIcdGetPlatformIDsKHR; a driver named
 * libOpenCL.so may. */
static bool is_loader(void *handle, extension_address_fn address)
{
    Dl_info where;
    if (!dladdr((void *)address, &where) || !where.dli_fname)
        return false;
    const char *base = strrchr(where.dli_fname, '/');
    base = base ? base + 1 : where.dli_fname;
    return strncmp(base, "libOpenCL.so", 12) == 0 && !dlsym(handle, "clIcdGetPlatformIDsKHR");
}

/* What stands against using an opened library, or NULL. Fills address and get_platforms. *quiet: no note
 * needed. */
static const char *judge_library(struct search *search, struct library *library, bool *quiet)
{
    library->address = dlsym(library->handle, "clGetExtensionFunctionAddress");
    if (library->address && is_loader(library->handle, library->address))
        return "an OpenCL loader, not a driver";
    *quiet = library->address && library->address("coexecMarker");
    if (*quiet)
        return "coexec itself";
    if (library->address)
        library->get_platforms = library->address("clIcdGetPlatformIDsKHR");
    if (!library->get_platforms)
        library->get_platforms = dlsym(library->handle, "clIcdGetPlatformIDsKHR");
    if (!library->address || !library->get_platforms)
        return "not an OpenCL driver: it has no clGetExtensionFunctionAddress or no clIcdGetPlatformIDsKHR";
    for (const struct library *other = search->libraries; other; other = other->next) {
        *quiet = other->handle == library->handle || other->get_platforms == library->get_platforms;
        if (*quiet)
            return "already opened";
    }
    return NULL;
}

/* Opens a library and takes its platforms; `from` says who named it. Whatever it turns out to be, it stays
 * open: unloading a driver is not safe once its threads or exit handlers may exist. */
static void add_library(struct search *search, const char *name, const char *from)
{
    struct library *library = calloc(1, sizeof *library);
    bool quiet = false;
    if (!library)
        return;
    library->handle = cx_driver_open(name);
    if (!library->handle) {
        const char *why = dlerror();
        cx_drivers_note(search->found, "%s (from %s): cannot be opened: %s", name, from,
                        why ? why : "unknown");
        free(library);
        return;
    }
    const char *problem = judge_library(search, library, &quiet);
    library->name = strdup(name);
    if (problem && !quiet)
        cx_drivers_note(search->found, "%s (from %s): %s", name, from, problem);
    else if (problem)
        cx_debug(CX_TOPIC_DRIVER, "%s (from %s): %s", name, from, problem);
    if (problem || !library->name) {
        free(library->name);
        free(library);
        return;
    }
    library->next = search->libraries;
    search->libraries = library;
    add_platforms(search, library);
}

/* ---- places ---- */

/* An .icd file holds the library's name in its first line that is not empty. */
static void add_icd_file(struct search *search, const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL, *name = NULL;
    size_t room = 0;
    if (!file) {
        cx_drivers_note(search->found, "%s: %s", path, strerror(errno));
        return;
    }
    while ((!name || !*name) && getline(&line, &room, file) >= 0) {
        name = line + strspn(line, " \t\r\n");
        for (size_t end = strlen(name); end && strchr(" \t\r\n", name[end - 1]); end--)
            name[end - 1] = '\0';
    }
    fclose(file);
    if (name && *name)
        add_library(search, name, path);
    else
        cx_drivers_note(search->found, "%s: names no library", path);
    free(line);
}

static int is_icd_name(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".icd") == 0;
}

static void add_folder(struct search *search, const char *path)
{
    struct dirent **names = NULL;
    int count = scandir(path, &names, is_icd_name, alphasort);
    if (count < 0)
        cx_drivers_note(search->found, "%s: %s", path, strerror(errno));
    else if (count == 0)
        cx_drivers_note(search->found, "%s: no .icd file in it", path);
    for (int i = 0; i < count; i++) {
        char *file = NULL;
        if (asprintf(&file, "%s/%s", path, names[i]->d_name) >= 0) {
            add_icd_file(search, file);
            free(file);
        }
        free(names[i]);
    }
    free(names);
}

/* A folder, an .icd file or a library. */
static void add_place(struct search *search, const char *place, const char *from)
{
    struct stat status;
    size_t length = strlen(place);
    if (stat(place, &status) == 0 && S_ISDIR(status.st_mode))
        add_folder(search, place);
    else if (length > 4 && strcmp(place + length - 4, ".icd") == 0)
        add_icd_file(search, place);
    else
        add_library(search, place, from);
}

/* Every item of a list separated by ":". */
static void add_list(struct search *search, const char *list, const char *from,
                     void (*add)(struct search *, const char *, const char *))
{
    char *copy = strdup(list), *rest = copy, *item;
    while (copy && (item = strsep(&rest, ":"))) {
        if (!*item)
            continue;
        add_searched(search->found, item);
        add(search, item, from);
    }
    free(copy);
}

void cx_drivers_find(struct cx_drivers *drivers)
{
    const struct cx_options *options = cx_options_get();
    struct search search = {.found = drivers};
    *drivers = (struct cx_drivers){0};
    if (*options->vendors) {
        add_list(&search, options->vendors, "COEXEC_VENDORS", add_place);
    } else {
        add_list(&search, options->real_icd_filenames, "COEXEC_REAL_ICD_FILENAMES", add_library);
        add_list(&search, cx_options_loader_filenames(), "OCL_ICD_FILENAMES", add_library);
        add_searched(drivers, system_folder);
        add_folder(&search, system_folder);
    }
    while (search.libraries) {
        struct library *next = search.libraries->next;
        free(search.libraries->name);
        free(search.libraries);
        search.libraries = next;
    }
}
