/* SPDX-License-Identifier: MIT */
/*
 * Requests to compile, as bytes: fields one after the other, each its length, its bytes and a 0. See
 * compile_request.h.
 */
#include "layer/source/compile_request.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "coexec-compile " CX_VERSION;

static void put(FILE *file, const void *bytes, size_t size)
{
    const uint64_t length = size;
    fwrite(&length, sizeof(length), 1, file);
    fwrite(bytes, 1, size, file);
    fputc(0, file);
}

static void put_text(FILE *file, const char *text)
{
    put(file, text ? text : "", text ? strlen(text) : 0);
}

static void put_number(FILE *file, uint64_t number)
{
    put(file, &number, sizeof(number));
}

void *cx_compile_request_pack(const struct cx_compile_request *request, size_t *size)
{
    char *data = NULL;
    FILE *file = open_memstream(&data, size);
    if (!file)
        return NULL;
    put_text(file, mark);
    put_text(file, request->driver);
    put_number(file, request->place);
    put_text(file, request->device);
    put_text(file, request->options);
    put_text(file, request->kernel);
    put_text(file, request->folder);
    put_text(file, request->built);
    put_text(file, request->compiled);
    put_number(file, request->ntexts);
    for (unsigned i = 0; i < request->ntexts; i++)
        put_text(file, request->text[i]);
    put_number(file, request->nargs);
    for (unsigned i = 0; i < request->nargs; i++) {
        const struct cx_compile_arg *arg = &request->arg[i];
        put_number(file, arg->kind);
        put_number(file, arg->size);
        put(file, arg->kind == CX_COMPILE_VALUE ? arg->value : "",
            arg->kind == CX_COMPILE_VALUE ? arg->size : 0);
    }
    put_number(file, request->nvariables);
    for (unsigned i = 0; i < request->nvariables; i++)
        put_text(file, request->variable[i]);
    put(file, &request->launch, sizeof(request->launch));
    const bool failed = ferror(file);
    if (fclose(file) || failed) {
        free(data);
        return NULL;
    }
    return data;
}

/* What is left of the bytes; at == NULL: they are no request. */
struct rest {
    const char *at;
    size_t size;
};

static const char *take(struct rest *rest, size_t *size)
{
    uint64_t length = 0;
    const char *bytes = NULL;
    if (rest->at && rest->size > sizeof(length)) {
        memcpy(&length, rest->at, sizeof(length));
        if (length < rest->size - sizeof(length))
            bytes = rest->at + sizeof(length);
    }
    if (!bytes || bytes[length]) {
        *rest = (struct rest){NULL, 0};
        *size = 0;
        return "";
    }
    rest->at = bytes + length + 1;
    rest->size -= sizeof(length) + length + 1;
    *size = length;
    return bytes;
}

static const char *take_text(struct rest *rest)
{
    size_t size;
    return take(rest, &size);
}

/* most: a larger one is none. */
static uint64_t take_number(struct rest *rest, uint64_t most)
{
    size_t size;
    uint64_t number = 0;
    const char *bytes = take(rest, &size);
    if (size == sizeof(number))
        memcpy(&number, bytes, size);
    if (size == sizeof(number) && number <= most)
        return number;
    *rest = (struct rest){NULL, 0};
    return 0;
}

bool cx_compile_request_parse(const void *data, size_t size, struct cx_compile_request *request)
{
    struct rest rest = {data, size};
    *request = (struct cx_compile_request){0};
    if (strcmp(take_text(&rest), mark) != 0)
        return false;
    request->driver = take_text(&rest);
    request->place = (unsigned)take_number(&rest, UINT32_MAX);
    request->device = take_text(&rest);
    request->options = take_text(&rest);
    request->kernel = take_text(&rest);
    request->folder = take_text(&rest);
    request->built = take_text(&rest);
    request->compiled = take_text(&rest);
    request->ntexts = (unsigned)take_number(&rest, CX_COMPILE_TEXTS);
    for (unsigned i = 0; i < request->ntexts; i++)
        request->text[i] = take_text(&rest);
    request->nargs = (unsigned)take_number(&rest, CX_COMPILE_ARGS);
    for (unsigned i = 0; i < request->nargs; i++) {
        struct cx_compile_arg *arg = &request->arg[i];
        size_t bytes;
        arg->kind = (enum cx_compile_kind)take_number(&rest, CX_COMPILE_NO_BUFFER);
        arg->size = take_number(&rest, SIZE_MAX);
        arg->value = take(&rest, &bytes);
        if (bytes != (arg->kind == CX_COMPILE_VALUE ? arg->size : 0))
            return false;
    }
    request->nvariables = (unsigned)take_number(&rest, CX_COMPILE_VARIABLES);
    for (unsigned i = 0; i < request->nvariables; i++)
        request->variable[i] = take_text(&rest);
    const char *launch = take(&rest, &size);
    if (size != sizeof(request->launch))
        return false;
    memcpy(&request->launch, launch, size);
    return rest.at && request->launch.dims >= 1 && request->launch.dims <= 3;
}
