/* SPDX-License-Identifier: MIT */
/*
 * Programs that are not made from source: binaries, built-in kernels and intermediate languages.
 *
 * A binary of the virtual device is its program's text and build options in an envelope: the drivers keep
 * caches of what they compile, so loading one costs little, it fits whatever devices are there when it is
 * loaded, and its kernels can be analysed and split like any others. Files that the text includes are not in
 * it. Compiled and linked programs have no single text: no binary can be had of them. The virtual device
 * offers neither built-in kernels nor intermediate languages (it says so in its info), so those are the
 * refusals the spec has for such devices.
 * Previous stage: program.c, program_info.c. Next: build.c.
 */
#include "layer/device.h"
#include "layer/entry.h"
#include "layer/log.h"
#include "layer/program.h"
#include "layer/sha256.h"

#include <stdlib.h>
#include <string.h>

/* ---- the envelope ---- */

#define MAGIC "coexec program 1" /* the number changes with the envelope */

struct envelope {
    char magic[16];
    unsigned char digest[32]; /* of all that follows */
    uint64_t options, source; /* bytes of each; the texts stand behind, without an end */
};

enum { DIGESTED = offsetof(struct envelope, options) };

/* The options that belong to the text, NULL while no binary can be had. The caller holds the lock. */
static const char *options_of(const struct cx_program *program)
{
    if (program->loaded_options)
        return program->loaded_options;
    bool whole = program->source && !program->building && program->status == CL_BUILD_SUCCESS &&
                 program->binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    return whole ? program->options : NULL;
}

static void digest_of(const unsigned char *binary, size_t size, unsigned char digest[32])
{
    struct cx_sha256 hash;
    cx_sha256_init(&hash);
    cx_sha256_add(&hash, binary + DIGESTED, size - DIGESTED);
    cx_sha256_end(&hash, digest);
}

size_t cx_program_binary(struct cx_program *program, unsigned char *binary)
{
    size_t size = 0;

    pthread_mutex_lock(&program->lock);
    const char *options = options_of(program);
    if (options) {
        struct envelope envelope = {.options = strlen(options), .source = strlen(program->source)};
        size = sizeof(envelope) + envelope.options + envelope.source;
        if (binary) {
            memcpy(envelope.magic, MAGIC, sizeof(envelope.magic));
            memcpy(binary, &envelope, sizeof(envelope));
            memcpy(binary + sizeof(envelope), options, envelope.options);
            memcpy(binary + sizeof(envelope) + envelope.options, program->source, envelope.source);
            digest_of(binary, size, binary + offsetof(struct envelope, digest));
        }
    }
    pthread_mutex_unlock(&program->lock);
    return size;
}

/* A program of a binary's text. NULL: *error is CL_INVALID_BINARY, or there is no memory. */
static struct cx_program *open_binary(struct cx_context *context, const unsigned char *binary, size_t size,
                                      cl_int *error)
{
    struct envelope envelope;
    unsigned char digest[32];

    *error = CL_INVALID_BINARY;
    if (size < sizeof(envelope))
        return NULL;
    memcpy(&envelope, binary, sizeof(envelope));
    size -= sizeof(envelope);
    if (memcmp(envelope.magic, MAGIC, sizeof(envelope.magic)) != 0 || envelope.options > size ||
        envelope.source != size - envelope.options)
        return NULL;
    digest_of(binary, sizeof(envelope) + size, digest);
    if (memcmp(digest, envelope.digest, sizeof(digest)) != 0)
        return NULL;
    const char *text = (const char *)binary + sizeof(envelope);
    char *options = strndup(text, envelope.options);
    char *source = strndup(text + envelope.options, envelope.source);
    struct cx_program *program = options && source ? cx_program_new(context, source) : NULL;
    if (program) {
        program->loaded_options = options;
        *error = CL_SUCCESS;
        return program;
    }
    if (!options) /* else cx_program_new has taken the source */
        free(source);
    free(options);
    *error = CL_OUT_OF_HOST_MEMORY;
    return NULL;
}

/* ---- entry points ---- */

static cl_int check_devices(cl_context context, cl_uint count, const cl_device_id *devices)
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

cl_program cx_clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                        const cl_device_id *device_list, const size_t *lengths,
                                        const unsigned char **binaries, cl_int *binary_status,
                                        cl_int *errcode_ret)
{
    cl_int error = check_devices(context, num_devices, device_list);
    struct cx_program *program = NULL;

    if (error == CL_SUCCESS && (!lengths || !binaries))
        error = CL_INVALID_VALUE;
    /* every entry of the list is the one device: its first binary counts, the others must be sound too */
    for (cl_uint i = 0; error == CL_SUCCESS && i < num_devices; i++) {
        struct cx_program *opened = NULL;
        if (lengths[i] == 0 || !binaries[i])
            error = CL_INVALID_VALUE;
        else
            opened = open_binary(cx_context_from(context), binaries[i], lengths[i], &error);
        if (binary_status)
            binary_status[i] = error;
        if (!program)
            program = opened;
        else
            cx_program_unref(&opened);
    }
    if (error != CL_SUCCESS) {
        CX_FAIL(error, "not a binary that this driver gave, or wrong arguments");
        if (program)
            cx_program_unref(&program);
    }
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_program)program;
}

cl_program cx_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                                const cl_device_id *device_list, const char *kernel_names,
                                                cl_int *errcode_ret)
{
    cl_int error = check_devices(context, num_devices, device_list);
    if (error == CL_SUCCESS)
        error = CL_INVALID_VALUE;
    CX_FAIL(error, "the device has no built-in kernels");
    if (errcode_ret)
        *errcode_ret = error;
    return NULL;
}

cl_program cx_clCreateProgramWithIL(cl_context context, const void *il, size_t length, cl_int *errcode_ret)
{
    cl_int error = CL_INVALID_OPERATION;
    if (!cx_context_from(context))
        error = CL_INVALID_CONTEXT;
    CX_FAIL(error, "the device takes no intermediate language");
    if (errcode_ret)
        *errcode_ret = error;
    return NULL;
}

cl_int cx_clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size,
                                             const void *spec_value)
{
    if (!cx_program_from(program))
        return CX_FAIL(CL_INVALID_PROGRAM, "not a program");
    return CX_FAIL(CL_INVALID_OPERATION, "the device takes no intermediate language");
}

cl_int cx_clSetProgramReleaseCallback(cl_program program, cx_program_notify pfn_notify, void *user_data)
{
    if (!cx_program_from(program))
        return CX_FAIL(CL_INVALID_PROGRAM, "not a program");
    return CX_FAIL(CL_INVALID_OPERATION, "programs of the device have no global destructors");
}
