/* SPDX-License-Identifier: MIT */
/*
 * Programs saved as binaries and made of them.
 *
 * A binary of the virtual device (container.h) holds the real drivers' binaries, one for each kind of
 * device, and the program's text where it has one, with the files that it includes where these can be told
 * (include_hash.h). A text that needs no files is all there is to a program: it is analysed and split like
 * any other after loading, and stands in wherever a device has no binary or refuses it. For any other program
 * the access summaries are in the container too, and it loads only where one of the devices is among those it
 * was built for. A binary that is no container is offered to the drivers, as it may have been made by one
 * without coexec: it loads where one takes it, and runs on its devices alone. Previous stage: program.c,
 * program_info.c. Next: build.c.
 */
#include "layer/source/analysis.h"
#include "layer/program/container.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/source/macro_identity.h"
#include "layer/source/binary_summaries.h"
#include "layer/base/log.h"
#include "layer/base/split_policy.h"
#include "layer/program/program.h"
#include "layer/program/build.h"
#include "layer/program/build_deferred.h"
#include "layer/program/program_binary.h"
#include "layer/program/program_unit.h"
#include "layer/base/sha256.h"
#include "layer/timeline/worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct cx_stored {
    atomic_uint refs;    /* units made of it */
    unsigned char *data; /* the container's bytes; the rest points into them */
    size_t size;
    struct cx_container container;
    char *options; /* NULL: none of its own */
    bool has_text;
    char *kind[CX_CONTAINER_PARTS]; /* a driver's own binary: which kinds of devices take it */
};

static const struct cx_real_device *device_of(const struct cx_program *program, unsigned member)
{
    return program->context->workers[member].device;
}

/* Names the kind of device that a driver's binary is for; free() it. NULL: no memory. */
static char *name_device(const struct cx_real_device *device)
{
    const struct cx_real_platform *platform = device->platform;
    char driver[256] = "", *text = NULL;

    if (device->cl->clGetDeviceInfo(device->id, CL_DRIVER_VERSION, sizeof(driver) - 1, driver, NULL))
        *driver = 0;
    if (asprintf(&text, "%s\n%s\n%s\n%s\n%u\n", platform->name, platform->version, device->name, driver,
                 device->limits.address_bits) < 0)
        return NULL;
    return text;
}

static struct cx_container_bytes bytes_of(const char *text)
{
    return (struct cx_container_bytes){(const unsigned char *)text, text ? strlen(text) : 0};
}

static bool same_bytes(struct cx_container_bytes bytes, const char *text)
{
    return text && bytes.data && bytes.size == strlen(text) && !memcmp(bytes.data, text, bytes.size);
}

/* ---- saving ---- */

/* What is collected for one container; the strings and binaries are its own. */
struct save {
    struct cx_container container;
    char *device[CX_CONTAINER_PARTS];
    unsigned char *binary[CX_CONTAINER_PARTS];
    unsigned char whole_text[32]; /* stands for the text where all devices see one */
};

/* The driver's binary of member m's program, free() it; NULL: it gives none. */
static unsigned char *fetch(const struct cx_program *program, unsigned member, size_t *size)
{
    const cl_icd_dispatch *cl = device_of(program, member)->cl;
    cl_program real = program->members[member].real[CX_VARIANT_PLAIN];

    *size = 0;
    if (cl->clGetProgramInfo(real, CL_PROGRAM_BINARY_SIZES, sizeof(*size), size, NULL) || !*size)
        return NULL;
    unsigned char *binary = malloc(*size);
    if (binary && cl->clGetProgramInfo(real, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL)) {
        free(binary);
        binary = NULL;
    }
    return binary;
}

static bool is_saved(const struct save *save, const char *device)
{
    for (unsigned i = 0; i < save->container.nparts; i++)
        if (same_bytes(save->container.part[i].device, device))
            return true;
    return false;
}

/* Whether the text alone makes the program. */
static bool text_is_whole(const char *source, const char *options)
{
    return source && !cx_macro_identity_includes(source, options);
}

static bool one_text(const struct cx_program *program)
{
    unsigned first = 0;

    while (first < program->context->nmembers && !cx_program_runs_on(program, first))
        first++;
    for (unsigned m = first + 1; program->analysed.analysis && m < program->context->nmembers; m++)
        if (cx_program_runs_on(program, m) && !cx_analysis_same(program->analysed.analysis, first, m, NULL))
            return false;
    return program->analysed.analysis;
}

/* Nobody waits for an analysis: its result goes to disk when it is there. */
static void keep_summary(const struct cx_program *program, unsigned member,
                         const struct cx_container_part *part)
{
    char key[CX_DISK_CACHE_KEY_SIZE];

    if (!program->analysed.analysis ||
        cx_analysis_state(program->analysed.analysis, member) == CX_ANALYSIS_FAILED)
        return;
    cx_binary_summaries_key(key, (const char *)part->device.data, part->binary.data, part->binary.size);
    cx_analysis_keep(program->analysed.analysis, member, key);
}

static void save_summary(const struct cx_program *program, unsigned member, struct save *save,
                         struct cx_container_part *part)
{
    struct cx_analysis_blob blob = {0};
    struct cx_sha256 hash;

    if (program->analysed.analysis)
        blob = cx_analysis_blob(program->analysed.analysis, member);
    if (!blob.data) {
        keep_summary(program, member, part);
        return;
    }
    part->summary = (struct cx_container_bytes){blob.data, blob.size};
    if (!blob.text && one_text(program)) {
        cx_sha256_init(&hash);
        cx_sha256_add(&hash, blob.data, blob.size);
        cx_sha256_end(&hash, save->whole_text);
        blob.text = save->whole_text;
    }
    if (blob.text)
        part->text = (struct cx_container_bytes){blob.text, 32};
}

/* false: no memory. Devices that give no binary are left out. */
static bool save_members(const struct cx_program *program, bool whole, struct save *save)
{
    for (unsigned m = 0; m < program->context->nmembers; m++) {
        unsigned n = save->container.nparts;
        struct cx_container_part *part = &save->container.part[n];
        size_t size;
        if (!cx_program_runs_on(program, m) || n == CX_CONTAINER_PARTS)
            continue;
        char *device = name_device(device_of(program, m));
        if (!device)
            return false;
        if (is_saved(save, device) || !(save->binary[n] = fetch(program, m, &size))) {
            free(device);
            continue;
        }
        save->device[n] = device;
        part->device = bytes_of(device);
        part->binary = (struct cx_container_bytes){save->binary[n], size};
        if (!whole)
            save_summary(program, m, save, part);
        save->container.nparts++;
    }
    return true;
}

/* A text that makes the program, with options: its own, or, of what is linked, that of its objects (link.c),
 * by which it is analysed and built for split launches. NULL: there is none. */
struct text {
    const char *source, *options;
};
static struct text text_of(const struct cx_program *program)
{
    return program->origin.source || !program->build.text
               ? (struct text){program->origin.source, program->build.options}
               : (struct text){program->build.text, program->build.text_options};
}

/* The text with the files that it includes, where that makes the program alone; else NULL. So devices that
 * had not built it can, whatever becomes of the files. */
static char *resolve(const struct cx_program *program, struct text of)
{
    char *text =
        of.source && program->analysed.analysis ? cx_analysis_resolve(program->analysed.analysis) : NULL;
    if (text && !text_is_whole(text, of.options)) {
        free(text);
        text = NULL;
    }
    return text;
}

/* The container of a built program that nobody builds anew meanwhile. */
static unsigned char *make_binary(const struct cx_program *program, size_t *size)
{
    struct save *save = calloc(1, sizeof(*save));
    unsigned char *data = NULL;

    *size = 0;
    if (!save)
        return NULL;
    const bool executable = program->build.binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    struct text text = text_of(program);
    char *resolved = executable ? resolve(program, text) : NULL;
    if (resolved)
        text.source = resolved;
    const bool whole = executable && text_is_whole(text.source, text.options);
    if (!whole)
        text = (struct text){program->origin.source, program->build.options};
    save->container.type = program->build.binary_type;
    save->container.source = bytes_of(text.source);
    save->container.options = bytes_of(text.options);
    if (save_members(program, whole, save) && (whole || save->container.nparts))
        data = cx_container_write(&save->container, size);
    for (unsigned i = 0; i < save->container.nparts; i++) {
        free(save->device[i]);
        free(save->binary[i]);
    }
    free(save);
    free(resolved);
    return data;
}

/* Members that have left the build for later, and not begun, are left out of the binary where its text alone
 * makes the program: they build that, then. Else they are waited for, but not where that would open a device
 * which nothing may ever run on. */
static bool lacks_members(struct cx_program *program)
{
    bool begun = false;

    if (!cx_build_deferred_any(program))
        return false;
    cx_lock(&program->lock);
    for (unsigned m = 0; m < program->context->nmembers; m++)
        begun |= atomic_load(&program->members[m].state[CX_VARIANT_PLAIN]) == CX_BUILD_RUNNING;
    const bool lacks = !cx_split_policy_bounded() &&
                       (begun || !text_is_whole(program->origin.source, program->build.options));
    cx_unlock(&program->lock);
    return lacks;
}

/* Makes it where that is to be done. */
static void have_binary(struct cx_program *program)
{
    size_t size = 0;

    if (lacks_members(program))
        cx_build_deferred_wait(program, ~0u);
    cx_lock(&program->lock);
    bool make = !program->build.running && program->build.status == CL_BUILD_SUCCESS &&
                !program->build.binary && !program->origin.builtins;
    if (make)
        program->build.saving++;
    cx_unlock(&program->lock);
    unsigned char *made = make ? make_binary(program, &size) : NULL;
    cx_lock(&program->lock);
    if (make && --program->build.saving == 0)
        pthread_cond_broadcast(&program->changed);
    if (made && !program->build.binary) {
        program->build.binary = made;
        program->build.binary_size = size;
        made = NULL;
    }
    cx_unlock(&program->lock);
    free(made);
}

size_t cx_program_binary_give(struct cx_program *program,
                              void (*give)(void *data, const void *binary, size_t size), void *data)
{
    const struct cx_stored *stored = program->origin.stored;

    if (!stored)
        have_binary(program);
    cx_lock(&program->lock);
    const bool built = !program->build.running && program->build.status == CL_BUILD_SUCCESS;
    const unsigned char *binary = stored ? stored->data : built ? program->build.binary : NULL;
    const size_t size = stored ? stored->size : binary ? program->build.binary_size : 0;
    if (binary && give)
        give(data, binary, size);
    cx_unlock(&program->lock);
    return size;
}

/* ---- loading ---- */

struct cx_stored *cx_program_binary_ref(struct cx_stored *stored)
{
    atomic_fetch_add_explicit(&stored->refs, 1, memory_order_relaxed);
    return stored;
}

void cx_program_binary_unref(struct cx_stored **stored)
{
    struct cx_stored *old = *stored;

    *stored = NULL;
    if (!old || atomic_fetch_sub_explicit(&old->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (unsigned i = 0; i < CX_CONTAINER_PARTS; i++)
        free(old->kind[i]);
    free(old->options);
    free(old->data);
    free(old);
}

bool cx_program_binary_same(const struct cx_stored *a, const struct cx_stored *b)
{
    return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

const char *cx_program_binary_options(const struct cx_stored *stored)
{
    return stored->options;
}

bool cx_program_binary_has_text(const struct cx_stored *stored)
{
    return stored->has_text;
}

/* What the container has for the device, or NULL. */
static const struct cx_container_part *part_for(const struct cx_stored *stored,
                                                const struct cx_real_device *device)
{
    const struct cx_container_part *found = NULL;
    char *name = name_device(device);

    for (unsigned i = 0; name && i < stored->container.nparts && !found; i++)
        if (same_bytes(stored->container.part[i].device, name))
            found = &stored->container.part[i];
    free(name);
    return found;
}

cl_program cx_program_binary_program(const struct cx_program *program, unsigned member, cl_int *error)
{
    const struct cx_worker *worker = &program->context->workers[member];
    const struct cx_real_device *device = worker->device;
    const struct cx_container_part *part = part_for(program->origin.stored, device);

    *error = CL_INVALID_BINARY;
    if (!part || !part->binary.size || !device->cl->clCreateProgramWithBinary)
        return NULL;
    const unsigned char *binary = part->binary.data;
    cl_program real = device->cl->clCreateProgramWithBinary(worker->real_context, 1, &device->id,
                                                            &part->binary.size, &binary, NULL, error);
    if (!real)
        cx_info(CX_TOPIC_PROGRAM, "program %" PRIu64 ": %s does not take its own binary: %s",
                program->base.id, device->name, cx_cl_name(*error));
    return real;
}

static char *copy_text(struct cx_container_bytes text)
{
    return strndup(text.size ? (const char *)text.data : "", text.size);
}

/* The summary that was kept when the container had been written already; data to be freed. */
static struct cx_analysis_blob kept_for(const struct cx_container_part *part)
{
    char key[CX_DISK_CACHE_KEY_SIZE];
    char *device = part && part->binary.data ? copy_text(part->device) : NULL;

    if (!device)
        return (struct cx_analysis_blob){NULL};
    cx_binary_summaries_key(key, device, part->binary.data, part->binary.size);
    free(device);
    return cx_binary_summaries_load(key);
}

struct cx_analysis *cx_program_binary_analysis(const struct cx_program *program, struct cx_no_summary *why)
{
    const struct cx_context *context = program->context;
    struct cx_analysis_blob *blobs = calloc(2 * context->nmembers, sizeof(*blobs));
    struct cx_analysis_blob *kept = blobs ? blobs + context->nmembers : NULL;
    struct cx_analysis *analysis = NULL;

    *why = (struct cx_no_summary){.reason = CX_NO_SUMMARY_NO_MEMORY};
    for (unsigned m = 0; blobs && m < context->nmembers; m++) {
        const struct cx_container_part *part = part_for(program->origin.stored, context->workers[m].device);
        if (part && part->summary.data)
            blobs[m] = (struct cx_analysis_blob){part->summary.data, part->summary.size, part->text.data};
        else
            blobs[m] = kept[m] = kept_for(part);
    }
    if (blobs)
        analysis = cx_analysis_restore(&context->members, blobs, why);
    for (unsigned m = 0; kept && m < context->nmembers; m++)
        free((void *)(uintptr_t)kept[m].data);
    free(blobs);
    return analysis;
}

/* Whether a member of the device can have the program. */
static bool fits_device(const struct cx_stored *stored, const struct cx_context *context,
                        const struct cx_device *device)
{
    const uint64_t members = cx_context_members(context, device);

    if (stored->has_text)
        return true;
    for (unsigned m = 0; m < context->nmembers; m++)
        if (members >> m & 1 && part_for(stored, context->workers[m].device))
            return true;
    return false;
}

/* What a member's driver says the bytes are: an executable, object or library; NONE: it does not take them.
 */
static cl_program_binary_type foreign_type(const struct cx_context *context, unsigned member,
                                           const struct cx_stored *stored)
{
    const struct cx_worker *worker = &context->workers[member];
    const struct cx_real_device *device = worker->device;
    const unsigned char *binary = stored->data;
    cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
    cl_int error, status;

    if (!device->cl->clCreateProgramWithBinary)
        return type;
    cl_program real = device->cl->clCreateProgramWithBinary(worker->real_context, 1, &device->id,
                                                            &stored->size, &binary, &status, &error);
    if (!real)
        return type;
    if (device->cl->clGetProgramBuildInfo(real, device->id, CL_PROGRAM_BINARY_TYPE, sizeof(type), &type,
                                          NULL) != CL_SUCCESS ||
        (type != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT && type != CL_PROGRAM_BINARY_TYPE_LIBRARY))
        type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE; /* drivers may not know before it is built */
    device->cl->clReleaseProgram(real);
    return type;
}

/* Makes a container's contents of a driver's own binary: a part for each kind of device of these members that
 * takes it, all of one type. */
static cl_int take_foreign(const struct cx_context *context, uint64_t members, struct cx_stored *stored)
{
    struct cx_container *container = &stored->container;

    for (unsigned m = 0; m < context->nmembers && container->nparts < CX_CONTAINER_PARTS; m++) {
        if (!(members >> m & 1) || part_for(stored, context->workers[m].device))
            continue;
        const cl_program_binary_type type = foreign_type(context, m, stored);
        if (type == CL_PROGRAM_BINARY_TYPE_NONE || (container->nparts && type != container->type))
            continue;
        char *kind = name_device(context->workers[m].device);
        if (!kind)
            return CL_OUT_OF_HOST_MEMORY;
        container->type = type;
        stored->kind[container->nparts] = kind;
        container->part[container->nparts++] =
            (struct cx_container_part){.device = bytes_of(kind), .binary = {stored->data, stored->size}};
        cx_info(CX_TOPIC_PROGRAM, "a binary that was made without coexec: %s takes it",
                context->workers[m].device->name);
    }
    return container->nparts ? CL_SUCCESS : CL_INVALID_BINARY;
}

/* A copy of a sound container, or of a driver's own binary, that fits the device. */
static struct cx_stored *stored_new(const struct cx_context *context, const struct cx_device *device,
                                    const unsigned char *binary, size_t size, cl_int *error)
{
    struct cx_stored *stored = calloc(1, sizeof(*stored));
    struct cx_container *container = stored ? &stored->container : NULL;

    *error = CL_OUT_OF_HOST_MEMORY;
    if (!stored)
        return NULL;
    atomic_init(&stored->refs, 1);
    if (!(stored->data = malloc(size)))
        goto fail;
    memcpy(stored->data, binary, size);
    stored->size = size;
    if (!cx_container_marked(binary, size)) {
        *error = take_foreign(context, cx_context_members(context, device), stored);
        if (*error == CL_SUCCESS)
            return stored;
        goto fail;
    }
    *error = CL_INVALID_BINARY;
    if (!cx_container_read(stored->data, size, container) ||
        (container->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE &&
         container->type != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT &&
         container->type != CL_PROGRAM_BINARY_TYPE_LIBRARY))
        goto fail;
    stored->options = copy_text(container->options);
    char *source = container->source.data ? copy_text(container->source) : NULL;
    if (!stored->options || (container->source.data && !source)) {
        *error = CL_OUT_OF_HOST_MEMORY;
        goto fail;
    }
    stored->has_text =
        container->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE && text_is_whole(source, stored->options);
    free(source);
    if (fits_device(stored, context, device)) {
        *error = CL_SUCCESS;
        return stored;
    }
fail:
    cx_program_binary_unref(&stored);
    return NULL;
}

/* Objects and libraries are not built any more: their real programs are made at once. */
static cl_int load_step(struct cx_build *build, unsigned member, cl_program *real)
{
    cl_int error = CL_SUCCESS;

    *real = cx_program_binary_program(build->program, member, &error);
    return *real ? CL_SUCCESS : error;
}

static cl_int load_members(struct cx_program *program, unsigned count, const cl_device_id *devices)
{
    struct cx_builds *builds = cx_builds_new(program, NULL, NULL);
    cl_int error = builds ? cx_builds_add(builds, count, devices, NULL) : CL_OUT_OF_HOST_MEMORY;

    for (unsigned i = 0; error == CL_SUCCESS && i < builds->count; i++) {
        struct cx_build *build = builds->build[i];
        build->binary_type = build->program->origin.stored->container.type;
        build->failure = CL_INVALID_BINARY;
        build->step = load_step;
    }
    if (error == CL_SUCCESS)
        error = cx_builds_run(&builds);
    cx_builds_destroy(&builds);
    return error;
}

/* Gives the program its binary for a device; the first one that is named for it counts, another must be
 * sound. */
static cl_int take_binary(struct cx_program *program, unsigned d, bool *taken, const unsigned char *binary,
                          size_t size)
{
    cl_int error;
    struct cx_stored *stored =
        stored_new(program->context, program->division.devices[d], binary, size, &error);
    if (!stored)
        return error;
    if (taken[d]) {
        cx_program_binary_unref(&stored);
        return CL_SUCCESS;
    }
    const struct cx_container_bytes text = stored->container.source;
    char *source = text.data ? copy_text(text) : NULL;
    if (text.data && !source) {
        cx_program_binary_unref(&stored);
        return CL_OUT_OF_HOST_MEMORY;
    }
    taken[d] = true;
    return cx_program_take_binary(program, d, stored, source) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_int cx_program_check_devices(cl_context context, cl_uint count, const cl_device_id *devices)
{
    const struct cx_context *owner = cx_context_from(context);
    if (!owner)
        return CL_INVALID_CONTEXT;
    if (count == 0 || !devices)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        const struct cx_device *device = cx_device_from(devices[i]);
        if (!device || !cx_context_has_device(owner, device))
            return CL_INVALID_DEVICE;
    }
    return CL_SUCCESS;
}

/* A program of binaries, one a device. NULL: *error tells why, status[] (may be NULL) for each. */
static struct cx_program *open_binaries(struct cx_context *context, cl_uint count,
                                        const cl_device_id *devices, const size_t *lengths,
                                        const unsigned char **binaries, cl_int *status, cl_int *error)
{
    struct cx_program *program = cx_program_new(context, count, devices, NULL);
    bool *taken = calloc(count, sizeof(*taken));
    cl_device_id *loads = calloc(count, sizeof(cl_device_id));
    unsigned nloads = 0;

    *error = program && taken && loads ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < count && *error == CL_SUCCESS; i++) {
        if (lengths[i] == 0 || !binaries[i])
            *error = CL_INVALID_VALUE;
        else
            *error = take_binary(program, cx_program_device(program, cx_device_from(devices[i])), taken,
                                 binaries[i], lengths[i]);
        if (status)
            status[i] = *error;
    }
    for (unsigned d = 0; *error == CL_SUCCESS && d < program->division.ndevices; d++)
        if (program->division.units[d]->origin.stored->container.type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
            loads[nloads++] = (cl_device_id)program->division.devices[d];
    if (nloads && (*error = load_members(program, nloads, loads)) != CL_SUCCESS)
        for (cl_uint i = 0; status && i < count; i++)
            status[i] = *error;
    for (unsigned d = 0; *error == CL_SUCCESS && d < program->division.ndevices; d++) {
        struct cx_program *unit = program->division.units[d];
        unit->build.binary_type = unit->origin.stored->container.type;
        unit->build.status = CL_BUILD_NONE; /* as the program has neither built nor compiled it */
        if (unit->build.options)
            *unit->build.options = '\0';
    }
    free(loads);
    free(taken);
    if (*error != CL_SUCCESS)
        cx_program_unref(&program);
    return program;
}

cl_program cx_clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                        const cl_device_id *device_list, const size_t *lengths,
                                        const unsigned char **binaries, cl_int *binary_status,
                                        cl_int *errcode_ret)
{
    cl_int error = cx_program_check_devices(context, num_devices, device_list);
    struct cx_program *program = NULL;

    if (error == CL_SUCCESS && (!lengths || !binaries))
        error = CL_INVALID_VALUE;
    if (error == CL_SUCCESS)
        program = open_binaries(cx_context_from(context), num_devices, device_list, lengths, binaries,
                                binary_status, &error);
    if (error != CL_SUCCESS)
        CX_FAIL(error, "not a binary of coexec or a device's driver for these devices, or wrong arguments");
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_program)program;
}
