/* SPDX-License-Identifier: MIT */
/*
 * Separate compilation: clCompileProgram and clLinkProgram, each done by every member's own compiler and
 * linker.
 *
 * What is linked has the objects' texts, with their embedded headers put in, where one text can mean the same
 * (join.h): it is analysed and split. Else its kernels run whole.
 * Previous stage: program.c. Next: build.c runs the steps.
 */
#include "layer/source/embedded_headers.h"
#include "layer/base/entry.h"
#include "layer/source/join.h"
#include "layer/base/log.h"
#include "layer/program/program.h"
#include "layer/program/build.h"
#include "layer/program/program_il.h"
#include "layer/program/program_unit.h"
#include "layer/source/vendor_options.h"
#include "layer/timeline/worker.h"

#include <stdlib.h>
#include <string.h>

/* Attaches to a unit that can be linked, so that nobody builds it anew meanwhile. */
static bool attach(struct cx_program *input)
{
    cx_lock(&input->lock);
    bool ready =
        !input->build.running && (input->build.binary_type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                                  input->build.binary_type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
    if (ready)
        input->build.nattached++;
    cx_unlock(&input->lock);
    return ready;
}

/* References the headers. */
static bool take_headers(struct cx_build *build, cl_uint count, const cl_program *programs,
                         const char **names)
{
    if (count == 0)
        return true;
    build->inputs = calloc(count, sizeof(*build->inputs));
    build->names = calloc(count, sizeof(*build->names));
    if (!build->inputs || !build->names)
        return false;
    for (cl_uint i = 0; i < count; i++) {
        if (!(build->names[i] = strdup(names[i])))
            return false;
        build->inputs[build->ninputs++] = cx_program_ref(cx_program_from(programs[i]));
    }
    return true;
}

/* The text that is compiled, with the headers put in. */
static void keep_text(struct cx_build *build)
{
    const struct cx_program *program = build->program;
    const char **source = calloc(build->ninputs + 1, sizeof(*source));
    for (unsigned i = 0; source && i < build->ninputs; i++)
        source[i] = build->inputs[i]->origin.source;
    const struct cx_embedded_headers headers = {build->ninputs, (const char *const *)build->names, source};
    if (source && program->origin.source)
        build->text = cx_embedded_headers_insert(program->origin.source, &headers);
    if (build->text)
        build->text_options = strdup(build->options);
    free(source);
    if (!build->text_options) {
        free(build->text);
        build->text = NULL;
    }
}

/* The texts that the inputs were made of, all with the same options; NULL: that is not so. */
static const char **input_texts(const struct cx_build *build, enum cx_join_reason *why)
{
    const char **text = calloc(build->ninputs, sizeof(*text));
    *why = text ? CX_JOIN_JOINED : CX_JOIN_NO_MEMORY;
    for (unsigned i = 0; !*why && i < build->ninputs; i++) {
        const struct cx_program *input = build->inputs[i];
        text[i] = input->build.text;
        if (!input->build.text || input->origin.stored)
            *why = CX_JOIN_NO_TEXT;
        else if (strcmp(input->build.text_options, build->inputs[0]->build.text_options) != 0)
            *why = CX_JOIN_OPTIONS;
    }
    if (!*why)
        return text;
    free(text);
    return NULL;
}

/* The text of what is linked, where there is one. */
static void take_text(struct cx_build *build)
{
    const bool library = build->binary_type == CL_PROGRAM_BINARY_TYPE_LIBRARY;
    enum cx_join_reason why = CX_JOIN_JOINED;
    const char **text = NULL;

    if (library && strcmp(build->options, "-create-library") != 0)
        why = CX_JOIN_LIBRARY;
    else
        text = input_texts(build, &why);
    if (text)
        build->text = build->ninputs == 1 ? strdup(text[0]) : cx_join(build->ninputs, text, &why);
    free(text);
    if (build->text && asprintf(&build->text_options, "%s%s%s", build->inputs[0]->build.text_options,
                                library ? "" : " ", library ? "" : build->options) < 0) {
        free(build->text);
        build->text = build->text_options = NULL;
    }
    if (!build->text && why)
        cx_info(CX_TOPIC_PROGRAM, "linked program %llu runs whole: %s",
                (unsigned long long)build->program->base.id, cx_join_reason_text(why));
    build->analyse = build->text && !library;
}

/* Real programs of the headers in member m's context. false: one could not be made, *error tells why. */
static bool make_headers(const struct cx_build *build, unsigned member, cl_program *headers, cl_int *error)
{
    for (unsigned i = 0; i < build->ninputs; i++) {
        const char *text = build->inputs[i]->origin.source;
        headers[i] = cx_build_source(build->program, member, 1, &text, error);
        if (!headers[i])
            return false;
    }
    return true;
}

static cl_int compile_step(struct cx_build *build, unsigned member, cl_program *real)
{
    const struct cx_program *program = build->program;
    const struct cx_real_device *device = program->context->workers[member].device;
    const char *text = program->origin.source;
    unsigned count = build->ninputs; /* none where the program is no source */
    cl_int error = CL_SUCCESS;

    if (!device->cl->clCompileProgram)
        return CL_COMPILER_NOT_AVAILABLE;
    cl_program *headers = calloc(count + 1, sizeof(cl_program));
    char *options = cx_program_driver_options(program, member, program->build.options);
    if (!headers || !options) {
        free(headers);
        free(options);
        return CL_OUT_OF_HOST_MEMORY;
    }
    *real = program->origin.il ? cx_program_il_program(build->program, member, &error)
                               : cx_build_source(program, member, 1, &text, &error);
    if (*real && make_headers(build, member, headers, &error))
        error = device->cl->clCompileProgram(*real, 1, &device->id, options, count, count ? headers : NULL,
                                             count ? (const char **)build->names : NULL, NULL, NULL);
    for (unsigned i = 0; i < count; i++)
        if (headers[i])
            device->cl->clReleaseProgram(headers[i]);
    free(headers);
    free(options);
    return error;
}

static cl_int check_headers(cl_uint count, const cl_program *headers, const char **names, const char **reason)
{
    if ((count == 0) != !headers || (count == 0) != !names) {
        *reason = "headers, their names and their number do not fit each other";
        return CL_INVALID_VALUE;
    }
    for (cl_uint i = 0; i < count; i++) {
        const struct cx_program *header = cx_program_from(headers[i]);
        if (!header || !header->origin.source || !names[i]) {
            *reason = "a header is no program with source, or has no name";
            return header && !names[i] ? CL_INVALID_VALUE : CL_INVALID_PROGRAM;
        }
    }
    return CL_SUCCESS;
}

cl_int cx_clCompileProgram(cl_program handle, cl_uint num_devices, const cl_device_id *device_list,
                           const char *options, cl_uint num_input_headers, const cl_program *input_headers,
                           const char **header_include_names, cx_program_notify pfn_notify, void *user_data)
{
    struct cx_program *program = cx_program_from(handle);
    const char *reason = NULL;

    if (!program)
        return CX_FAIL(CL_INVALID_PROGRAM, "not a program");
    cl_int error =
        cx_build_check(program->context, program, num_devices, device_list, pfn_notify, user_data, &reason);
    if (error == CL_SUCCESS)
        error = check_headers(num_input_headers, input_headers, header_include_names, &reason);
    if (error != CL_SUCCESS)
        return CX_FAIL(error, reason);
    if ((!program->origin.source && !program->origin.il) || program->origin.stored)
        return CX_FAIL(CL_INVALID_OPERATION, "the program was not made from source");
    struct cx_builds *builds = cx_builds_new(program, pfn_notify, user_data);
    if (!builds)
        return CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the build");
    error = cx_builds_add(builds, num_devices, device_list, options);
    for (unsigned i = 0; i < builds->count && error == CL_SUCCESS; i++) {
        struct cx_build *build = builds->build[i];
        build->binary_type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
        build->failure = CL_COMPILE_PROGRAM_FAILURE;
        build->step = compile_step;
        if (take_headers(build, num_input_headers, input_headers, header_include_names))
            keep_text(build); /* without it, what is linked of it runs whole */
        else
            error = CL_OUT_OF_HOST_MEMORY;
    }
    if (error == CL_SUCCESS)
        error = cx_builds_run(&builds);
    cx_builds_destroy(&builds);
    return error == CL_SUCCESS ? error : CX_FAIL(error, "compilation failed, or one runs, or kernels exist");
}

static cl_int link_step(struct cx_build *build, unsigned member, cl_program *real)
{
    const struct cx_worker *worker = &build->program->context->workers[member];
    const struct cx_real_device *device = worker->device;
    cl_int error = CL_SUCCESS;

    if (!device->cl->clLinkProgram)
        return CL_LINKER_NOT_AVAILABLE;
    cl_program *inputs = calloc(build->ninputs, sizeof(cl_program));
    char *options =
        cx_vendor_options(&build->program->context->members, member, build->program->build.options);
    if (!inputs || !options)
        error = CL_OUT_OF_HOST_MEMORY;
    for (unsigned i = 0; i < build->ninputs && error == CL_SUCCESS; i++) {
        if (cx_program_runs_on(build->inputs[i], member))
            inputs[i] = build->inputs[i]->members[member].real[CX_VARIANT_PLAIN];
        else
            error = CL_LINK_PROGRAM_FAILURE; /* this member could not compile that one */
    }
    if (error == CL_SUCCESS)
        *real = device->cl->clLinkProgram(worker->real_context, 1, &device->id, options, build->ninputs,
                                          inputs, NULL, NULL, &error);
    free(options);
    free(inputs);
    return error;
}

/* Whether the options ask for a library: a word that begins with -create-library. */
static bool makes_library(const char *options)
{
    return options && strstr(options, "-create-library");
}

/* What a device's link takes: the inputs' units. NULL entries: the program has none for the device. */
struct inputs {
    unsigned count, ready; /* how many there are; and are attached to */
    struct cx_program **unit;
};

static void drop_inputs(struct inputs *inputs)
{
    for (unsigned i = 0; inputs->unit && i < inputs->count; i++) {
        if (inputs->unit[i]) {
            cx_lock(&inputs->unit[i]->lock);
            inputs->unit[i]->build.nattached--;
            cx_unlock(&inputs->unit[i]->lock);
        }
        cx_program_unref(&inputs->unit[i]);
    }
    free(inputs->unit);
    inputs->unit = NULL;
}

/* Attaches to the units that the device's link takes. false: no memory. */
static bool attach_inputs(struct inputs *inputs, const cl_program *programs, const struct cx_device *device)
{
    inputs->unit = calloc(inputs->count, sizeof(cl_program));
    inputs->ready = 0;
    for (unsigned i = 0; inputs->unit && i < inputs->count; i++) {
        struct cx_program *input = cx_program_from(programs[i]);
        const unsigned d = cx_program_device(input, device);
        if (d == input->division.ndevices)
            continue;
        cx_lock(&input->division.lock); /* no unit comes or goes */
        if (attach(input->division.units[d])) {
            inputs->unit[i] = cx_program_ref(input->division.units[d]);
            inputs->ready++;
        }
        cx_unlock(&input->division.lock);
    }
    return inputs->unit;
}

static bool same_inputs(const struct inputs *a, const struct inputs *b)
{
    return a->unit && b->unit && !memcmp(a->unit, b->unit, a->count * sizeof(cl_program));
}

static cl_int check_inputs(const struct cx_context *context, cl_uint count, const cl_program *programs,
                           const char **reason)
{
    *reason = "no input programs";
    if (count == 0 || !programs)
        return CL_INVALID_VALUE;
    *reason = "an input is no program of the context";
    for (cl_uint i = 0; i < count; i++) {
        const struct cx_program *input = cx_program_from(programs[i]);
        if (!input || input->context != context)
            return CL_INVALID_PROGRAM;
    }
    return CL_SUCCESS;
}

/* Attaches to what each device's link takes. A device for which there is nothing is not linked for. */
static cl_int take_inputs(const struct cx_program *program, const cl_program *programs, struct inputs *inputs,
                          const char **reason)
{
    bool any = false;

    *reason = "an input is neither compiled nor a library";
    for (unsigned d = 0; d < program->division.ndevices; d++) {
        if (!attach_inputs(&inputs[d], programs, program->division.devices[d]))
            return CL_OUT_OF_HOST_MEMORY;
        any |= inputs[d].ready > 0;
        if (inputs[d].ready && inputs[d].ready < inputs[d].count)
            return CL_INVALID_OPERATION;
        if (!inputs[d].ready)
            drop_inputs(&inputs[d]);
    }
    return any ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* Adds the build for the d-th device and those that take the same inputs. */
static cl_int add_build(struct cx_builds *builds, struct inputs *inputs, unsigned d, const char *options)
{
    const struct cx_program *program = builds->program;
    cl_device_id *devices = calloc(program->division.ndevices, sizeof(cl_device_id));
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    unsigned count = 0;

    for (unsigned e = d; devices && e < program->division.ndevices; e++)
        if (same_inputs(&inputs[d], &inputs[e]))
            devices[count++] = (cl_device_id)program->division.devices[e];
    if (devices)
        error = cx_builds_add(builds, count, devices, options);
    free(devices);
    if (error != CL_SUCCESS)
        return error;
    for (unsigned e = d + 1; e < program->division.ndevices; e++)
        if (same_inputs(&inputs[d], &inputs[e]))
            drop_inputs(&inputs[e]);
    struct cx_build *build = builds->build[builds->count - 1];
    build->binary_type =
        makes_library(options) ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    build->failure = CL_LINK_PROGRAM_FAILURE;
    build->step = link_step;
    build->inputs = inputs[d].unit;
    build->ninputs = inputs[d].count;
    inputs[d].unit = NULL;
    take_text(build);
    return CL_SUCCESS;
}

/* The builds that link the program, one for each set of inputs. */
static cl_int add_builds(struct cx_builds *builds, const char *options, cl_uint count,
                         const cl_program *programs, const char **reason)
{
    const unsigned ndevices = builds->program->division.ndevices;
    struct inputs *inputs = calloc(ndevices, sizeof(*inputs));
    cl_int error = CL_OUT_OF_HOST_MEMORY;

    for (unsigned d = 0; inputs && d < ndevices; d++)
        inputs[d].count = count;
    if (inputs)
        error = take_inputs(builds->program, programs, inputs, reason);
    for (unsigned d = 0; d < ndevices && error == CL_SUCCESS; d++)
        if (inputs[d].unit)
            error = add_build(builds, inputs, d, options);
    for (unsigned d = 0; inputs && d < ndevices; d++)
        drop_inputs(&inputs[d]);
    free(inputs);
    return error;
}

/* A link that fails gives a program, too: its log can be asked for. One that could not begin does not. */
cl_program cx_clLinkProgram(cl_context handle, cl_uint num_devices, const cl_device_id *device_list,
                            const char *options, cl_uint num_input_programs, const cl_program *input_programs,
                            cx_program_notify pfn_notify, void *user_data, cl_int *errcode_ret)
{
    struct cx_context *context = cx_context_from(handle);
    struct cx_program *program = NULL;
    const char *reason = "not a context";
    cl_int error =
        context ? cx_build_check(context, NULL, num_devices, device_list, pfn_notify, user_data, &reason)
                : CL_INVALID_CONTEXT;

    if (error == CL_SUCCESS)
        error = check_inputs(context, num_input_programs, input_programs, &reason);
    if (error == CL_SUCCESS) {
        program = cx_program_new(context, num_devices, device_list, NULL);
        struct cx_builds *builds = program ? cx_builds_new(program, pfn_notify, user_data) : NULL;
        reason = "no memory for the link";
        error = builds ? add_builds(builds, options, num_input_programs, input_programs, &reason)
                       : CL_OUT_OF_HOST_MEMORY;
        if (error == CL_SUCCESS) {
            reason = "linking failed";
            error = cx_builds_run(&builds);
        }
        cx_builds_destroy(&builds);
        if (error != CL_SUCCESS && error != CL_LINK_PROGRAM_FAILURE)
            cx_program_unref(&program);
    }
    if (errcode_ret)
        *errcode_ret = error;
    if (error != CL_SUCCESS)
        CX_FAIL(error, reason);
    return (cl_program)program;
}
