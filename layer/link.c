/* SPDX-License-Identifier: MIT */
/*
 * Separate compilation: clCompileProgram and clLinkProgram, each done by every member's own compiler and
 * linker.
 *
 * What is linked has the objects' texts, with their embedded headers put in, where one text can mean the same
 * (join.h): it is analysed and split. Else its kernels run whole.
 * Previous stage: program.c. Next: build.c runs the steps.
 */
#include "layer/embed.h"
#include "layer/entry.h"
#include "layer/join.h"
#include "layer/log.h"
#include "layer/program.h"
#include "layer/worker.h"

#include <stdlib.h>
#include <string.h>

/* Attaches to a program that can be linked, so that nobody builds it anew meanwhile. */
static bool attach(struct cx_program *input)
{
    pthread_mutex_lock(&input->lock);
    bool ready = !input->building && (input->binary_type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                                      input->binary_type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
    if (ready)
        input->nattached++;
    pthread_mutex_unlock(&input->lock);
    return ready;
}

static void detach(cl_uint count, const cl_program *programs)
{
    for (cl_uint i = 0; i < count; i++) {
        struct cx_program *input = cx_program_from(programs[i]);
        pthread_mutex_lock(&input->lock);
        input->nattached--;
        pthread_mutex_unlock(&input->lock);
    }
}

/* Takes references on the input programs. Headers (with names) are only read; programs to link are attached
 * already. Without names it fails before it took any. */
static bool take_inputs(struct cx_build *build, cl_uint count, const cl_program *programs, const char **names)
{
    build->inputs = calloc(count + 1, sizeof(*build->inputs));
    build->names = names ? calloc(count + 1, sizeof(*build->names)) : NULL;
    if (!build->inputs || (names && !build->names))
        return false;
    for (cl_uint i = 0; i < count; i++) {
        if (names && !(build->names[i] = strdup(names[i])))
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
        source[i] = build->inputs[i]->source;
    const struct cx_embed headers = {build->ninputs, (const char *const *)build->names, source};
    if (source && program->source)
        build->text = cx_embed(program->source, &headers);
    if (build->text)
        build->text_options = strdup(build->options);
    free(source);
    if (!build->text_options) {
        free(build->text);
        build->text = NULL;
    }
}

/* The texts that the inputs were made of, all with the same options; NULL: that is not so. */
static const char **input_texts(const struct cx_build *build, const char **why)
{
    const char **text = calloc(build->ninputs, sizeof(*text));
    *why = text ? NULL : "there is no memory";
    for (unsigned i = 0; !*why && i < build->ninputs; i++) {
        const struct cx_program *input = build->inputs[i];
        text[i] = input->text;
        if (!input->text || input->stored)
            *why = "the text of an object is not known";
        else if (strcmp(input->text_options, build->inputs[0]->text_options) != 0)
            *why = "the objects were compiled with different options";
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
    const char *why = NULL, **text = NULL;

    if (library && strcmp(build->options, "-create-library") != 0)
        why = "the library has options of its own";
    else
        text = input_texts(build, &why);
    if (text)
        build->text = build->ninputs == 1 ? strdup(text[0]) : cx_join(build->ninputs, text, &why);
    free(text);
    if (build->text && asprintf(&build->text_options, "%s%s%s", build->inputs[0]->text_options,
                                library ? "" : " ", library ? "" : build->options) < 0) {
        free(build->text);
        build->text = build->text_options = NULL;
    }
    if (!build->text && why)
        cx_info(CX_TOPIC_PROGRAM, "linked program %llu runs whole: %s",
                (unsigned long long)build->program->base.id, why);
    build->analyse = build->text && !library;
}

/* Real programs of the headers in member m's context. false: one could not be made, *error tells why. */
static bool make_headers(const struct cx_build *build, unsigned member, cl_program *headers, cl_int *error)
{
    for (unsigned i = 0; i < build->ninputs; i++) {
        const char *text = build->inputs[i]->source;
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
    const char *text = program->source;
    unsigned count = build->ninputs; /* none where the program is no source */
    cl_int error = CL_SUCCESS;

    if (!device->cl->clCompileProgram)
        return CL_COMPILER_NOT_AVAILABLE;
    cl_program *headers = calloc(count + 1, sizeof(cl_program));
    char *options = cx_program_driver_options(program, program->options);
    if (!headers || !options) {
        free(headers);
        free(options);
        return CL_OUT_OF_HOST_MEMORY;
    }
    *real = program->il ? cx_il_program(build->program, member, &error)
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
        if (!header || !header->source || !names[i]) {
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
    cl_int error = cx_build_check(program->context, num_devices, device_list, pfn_notify, user_data, &reason);
    if (error == CL_SUCCESS)
        error = check_headers(num_input_headers, input_headers, header_include_names, &reason);
    if (error != CL_SUCCESS)
        return CX_FAIL(error, reason);
    if ((!program->source && !program->il) || program->stored)
        return CX_FAIL(CL_INVALID_OPERATION, "the program was not made from source");
    struct cx_build *build = cx_build_new(program, options);
    if (!build ||
        (num_input_headers && !take_inputs(build, num_input_headers, input_headers, header_include_names))) {
        cx_build_destroy(&build);
        return CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for the build");
    }
    build->binary_type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    build->failure = CL_COMPILE_PROGRAM_FAILURE;
    keep_text(build); /* without it, what is linked of it runs whole */
    build->step = compile_step;
    build->notify = pfn_notify;
    build->notify_data = user_data;
    error = cx_build_run(&build);
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
    if (!inputs)
        return CL_OUT_OF_HOST_MEMORY;
    for (unsigned i = 0; i < build->ninputs && error == CL_SUCCESS; i++) {
        if (cx_program_runs_on(build->inputs[i], member))
            inputs[i] = build->inputs[i]->members[member].real[CX_VARIANT_PLAIN];
        else
            error = CL_LINK_PROGRAM_FAILURE; /* this member could not compile that one */
    }
    if (error == CL_SUCCESS)
        *real = device->cl->clLinkProgram(worker->real_context, 1, &device->id, build->program->options,
                                          build->ninputs, inputs, NULL, NULL, &error);
    free(inputs);
    return error;
}

/* Checks the inputs and attaches to them. */
static cl_int check_inputs(const struct cx_context *context, cl_uint count, const cl_program *programs,
                           const char **reason)
{
    if (count == 0 || !programs) {
        *reason = "no input programs";
        return CL_INVALID_VALUE;
    }
    for (cl_uint i = 0; i < count; i++) {
        struct cx_program *input = cx_program_from(programs[i]);
        const bool ours = input && input->context == context;
        if (ours && attach(input))
            continue;
        detach(i, programs);
        *reason =
            ours ? "an input is neither compiled nor a library" : "an input is no program of the context";
        return ours ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
    }
    return CL_SUCCESS;
}

/* Whether the options ask for a library: a word that begins with -create-library. */
static bool makes_library(const char *options)
{
    return options && strstr(options, "-create-library");
}

/* Takes the attachments over. */
static struct cx_build *link_new(struct cx_program *program, const char *options, cl_uint count,
                                 const cl_program *programs)
{
    struct cx_build *build = program ? cx_build_new(program, options) : NULL;

    if (!build || !take_inputs(build, count, programs, NULL)) {
        detach(count, programs);
        cx_build_destroy(&build);
        return NULL;
    }
    build->binary_type =
        makes_library(options) ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    build->failure = CL_LINK_PROGRAM_FAILURE;
    build->step = link_step;
    take_text(build);
    return build;
}

/* A link that fails gives a program, too: its log can be asked for. One that could not begin does not. */
cl_program cx_clLinkProgram(cl_context handle, cl_uint num_devices, const cl_device_id *device_list,
                            const char *options, cl_uint num_input_programs, const cl_program *input_programs,
                            cx_program_notify pfn_notify, void *user_data, cl_int *errcode_ret)
{
    struct cx_context *context = cx_context_from(handle);
    struct cx_program *program = NULL;
    const char *reason = "not a context";
    cl_int error = context ? cx_build_check(context, num_devices, device_list, pfn_notify, user_data, &reason)
                           : CL_INVALID_CONTEXT;

    if (error == CL_SUCCESS)
        error = check_inputs(context, num_input_programs, input_programs, &reason);
    if (error == CL_SUCCESS) {
        program = cx_program_new(context, NULL);
        struct cx_build *build = link_new(program, options, num_input_programs, input_programs);
        if (build) {
            build->notify = pfn_notify;
            build->notify_data = user_data;
            error = cx_build_run(&build);
            reason = "linking failed";
            if (error != CL_SUCCESS && error != CL_LINK_PROGRAM_FAILURE)
                cx_program_unref(&program);
        } else {
            cx_program_unref(&program);
            error = CL_OUT_OF_HOST_MEMORY;
            reason = "no memory for the link";
        }
    }
    if (errcode_ret)
        *errcode_ret = error;
    if (error != CL_SUCCESS)
        CX_FAIL(error, reason);
    return (cl_program)program;
}
