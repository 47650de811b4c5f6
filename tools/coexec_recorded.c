/* SPDX-License-Identifier: MIT */
/*
 * Reads recordings. Whatever the files hold, a line that is not as layer/report/recording.c writes them is
 * counted and left out.
 */
#include "tools/coexec_recorded.h"
#include "tools/coexec_json.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One file being read: which program its numbers stand for. */
struct reader {
    struct cx_recording *recording;
    size_t nnumbers;
    struct number {
        uint64_t number;
        struct cx_recorded_program *program;
    } *number;
};

static void *grown(void *items, size_t count, size_t size)
{
    void *more = reallocarray(items, count + 1, size);
    if (!more) {
        fputs("coexec explain: out of memory\n", stderr);
        exit(1);
    }
    memset((char *)more + count * size, 0, size);
    return more;
}

/* ---- JSON ---- */

/* Bytes above 127 were written as code points of one byte each. The caller frees. */
static char *text_of(struct json_object *value)
{
    const char *from = value ? json_object_get_string(value) : "";
    char *text = malloc(strlen(from) + 1), *to = text;
    for (; text && *from; from++) {
        unsigned char c = (unsigned char)*from;
        if ((c == 0xc2 || c == 0xc3) && from[1])
            *to++ = (char)((c & 3) << 6 | (*++from & 63));
        else
            *to++ = (char)c;
    }
    if (text)
        *to = 0;
    return text;
}

static int is_number_list(struct json_object *list, size_t count)
{
    if (!list || json_object_array_length(list) != count)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (!json_object_is_type(json_object_array_get_idx(list, i), json_type_int))
            return 0;
    return 1;
}

static int is_hex(const char *text)
{
    return strlen(text) % 2 == 0 && text[strspn(text, "0123456789abcdef")] == 0;
}

static int is_image(struct json_object *image)
{
    return json_object_is_type(image, json_type_object) &&
           is_number_list(cx_json_typed(image, "size", json_type_array), 3) &&
           is_number_list(cx_json_typed(image, "pitch", json_type_array), 2) &&
           cx_json_typed(image, "layers", json_type_int) && cx_json_typed(image, "texel", json_type_int);
}

static int is_arg(struct json_object *arg)
{
    struct json_object *value;
    if (!json_object_is_type(arg, json_type_object))
        return 0;
    if (json_object_object_get_ex(arg, "value", &value))
        return json_object_is_type(value, json_type_string) && is_hex(json_object_get_string(value));
    if (json_object_object_get_ex(arg, "object", &value))
        return json_object_is_type(value, json_type_int) && cx_json_typed(arg, "offset", json_type_int) &&
               cx_json_typed(arg, "bytes", json_type_int) &&
               (!json_object_object_get_ex(arg, "image", &value) || is_image(value));
    return 1;
}

static int is_launch(struct json_object *line)
{
    struct json_object *dims = cx_json_typed(line, "dims", json_type_int),
                       *args = cx_json_typed(line, "args", json_type_array);
    int64_t n = dims ? json_object_get_int64(dims) : 0;
    if (n < 1 || n > 3 || !args || !cx_json_typed(line, "kernel", json_type_string) ||
        !is_number_list(cx_json_typed(line, "offset", json_type_array), (size_t)n) ||
        !is_number_list(cx_json_typed(line, "global", json_type_array), (size_t)n) ||
        !is_number_list(cx_json_typed(line, "local", json_type_array), (size_t)n))
        return 0;
    for (size_t i = 0; i < json_object_array_length(args); i++)
        if (!is_arg(json_object_array_get_idx(args, i)))
            return 0;
    return 1;
}

/* ---- programs ---- */

static int same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int same_program(const struct cx_recorded_program *a, const struct cx_recorded_program *b)
{
    if (!same(a->source, b->source) || !same(a->options, b->options) || !same(a->extensions, b->extensions) ||
        a->ndefines != b->ndefines)
        return 0;
    for (size_t i = 0; i < a->ndefines; i++)
        if (!same(a->define[i], b->define[i]))
            return 0;
    return 1;
}

static void free_program(struct cx_recorded_program *program)
{
    for (size_t k = 0; k < program->nkernels; k++) {
        for (size_t i = 0; i < program->kernel[k].nlaunches; i++)
            json_object_put(program->kernel[k].launch[i]);
        free(program->kernel[k].launch);
        free(program->kernel[k].hash);
        free(program->kernel[k].name);
    }
    for (size_t i = 0; i < program->ndefines; i++)
        free(program->define[i]);
    free(program->define);
    free(program->kernel);
    free(program->source);
    free(program->options);
    free(program->extensions);
    free(program->replies);
    free(program);
}

static struct number *find_number(struct reader *reader, struct json_object *line)
{
    struct json_object *number = cx_json_typed(line, "program", json_type_int);
    for (size_t i = reader->nnumbers; number && i-- > 0;)
        if (reader->number[i].number == json_object_get_uint64(number))
            return &reader->number[i];
    return NULL;
}

static int take_program(struct reader *reader, struct json_object *line)
{
    struct cx_recording *recording = reader->recording;
    struct json_object *number = cx_json_typed(line, "program", json_type_int),
                       *source = cx_json_typed(line, "source", json_type_string),
                       *defines = cx_json_typed(line, "defines", json_type_array);
    const char *name = source ? json_object_get_string(source) : "";
    size_t digits = strspn(name, "0123456789abcdef"), i = 0;
    if (!number || !defines || digits != 64 || strcmp(name + digits, ".cl") != 0)
        return 0;
    struct cx_recorded_program *program = grown(NULL, 0, sizeof(*program));
    program->source = strdup(name);
    program->options = text_of(cx_json_typed(line, "options", json_type_string));
    program->extensions = text_of(cx_json_typed(line, "extensions", json_type_string));
    for (size_t d = 0; d < json_object_array_length(defines); d++) {
        program->define = grown(program->define, program->ndefines, sizeof(char *));
        program->define[program->ndefines++] = text_of(json_object_array_get_idx(defines, d));
    }
    while (i < recording->nprograms && !same_program(recording->program[i], program))
        i++;
    if (i == recording->nprograms) {
        recording->program = grown(recording->program, i, sizeof(*recording->program));
        recording->program[recording->nprograms++] = program;
    } else {
        free_program(program);
    }
    struct number *known = find_number(reader, line);
    if (!known) {
        reader->number = grown(reader->number, reader->nnumbers, sizeof(*reader->number));
        known = &reader->number[reader->nnumbers++];
    }
    *known = (struct number){json_object_get_uint64(number), recording->program[i]};
    return 1;
}

static int take_replies(struct reader *reader, struct json_object *line)
{
    struct number *known = find_number(reader, line);
    struct json_object *replies = cx_json_typed(line, "told", json_type_string);
    if (!replies)
        return 0;
    if (known && !known->program->replies)
        known->program->replies = text_of(replies);
    return 1;
}

/* ---- launches ---- */

static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* Takes the line over where it is new. */
static int take_launch(struct reader *reader, struct json_object *line)
{
    struct number *known = find_number(reader, line);
    size_t k = 0;
    if (!cx_json_typed(line, "program", json_type_int) || !is_launch(line))
        return 0;
    reader->recording->textless += !known;
    if (!known)
        return 1;
    struct cx_recorded_program *program = known->program;
    const char *name = json_object_get_string(cx_json_typed(line, "kernel", json_type_string));
    while (k < program->nkernels && strcmp(program->kernel[k].name, name) != 0)
        k++;
    if (k == program->nkernels) {
        program->kernel = grown(program->kernel, k, sizeof(*program->kernel));
        program->kernel[program->nkernels++].name = strdup(name);
    }
    struct cx_recorded_kernel *kernel = &program->kernel[k];
    json_object_object_del(line, "program"); /* its number here */
    uint64_t hash = hash_of(json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN));
    for (size_t i = kernel->nlaunches; i-- > 0;)
        if (kernel->hash[i] == hash && json_object_equal(kernel->launch[i], line))
            return 1;
    kernel->hash = grown(kernel->hash, kernel->nlaunches, sizeof(*kernel->hash));
    kernel->hash[kernel->nlaunches] = hash;
    kernel->launch = grown(kernel->launch, kernel->nlaunches, sizeof(*kernel->launch));
    kernel->launch[kernel->nlaunches++] = json_object_get(line);
    return 1;
}

static int take_line(struct reader *reader, const char *text)
{
    struct json_object *line = json_tokener_parse(text);
    struct json_object *type = line ? cx_json_typed(line, "type", json_type_string) : NULL;
    const char *name = type ? json_object_get_string(type) : "";
    int ok = 1;
    if (strcmp(name, "program") == 0)
        ok = take_program(reader, line);
    else if (strcmp(name, "told") == 0)
        ok = take_replies(reader, line);
    else if (strcmp(name, "launch") == 0)
        ok = take_launch(reader, line);
    else if (strcmp(name, "full") == 0)
        reader->recording->full++;
    else if (strcmp(name, "process") == 0)
        reader->nnumbers = 0; /* another process of the same number */
    else
        ok = 0;
    json_object_put(line);
    return ok;
}

static void read_file(struct cx_recording *recording, FILE *file)
{
    struct reader reader = {.recording = recording};
    char *text = NULL;
    size_t room = 0;
    while (getline(&text, &room, file) >= 0)
        recording->damaged += !take_line(&reader, text);
    free(text);
    free(reader.number);
}

static int is_recording(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return strncmp(entry->d_name, "launches-", 9) == 0 && length > 15 &&
           strcmp(entry->d_name + length - 6, ".jsonl") == 0;
}

int cx_recording_read(const char *folder, struct cx_recording *recording, const char **problem)
{
    struct dirent **entry = NULL;
    int count = scandir(folder, &entry, is_recording, alphasort);
    *recording = (struct cx_recording){0};
    *problem = count < 0 ? strerror(errno) : "there is no recording in it (launches-*.jsonl)";
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        FILE *file = NULL;
        if (asprintf(&path, "%s/%s", folder, entry[i]->d_name) >= 0 && (file = fopen(path, "re"))) {
            recording->nfiles++;
            read_file(recording, file);
            fclose(file);
        } else {
            *problem = strerror(errno);
        }
        free(path);
        free(entry[i]);
    }
    free(entry);
    return recording->nfiles > 0;
}

void cx_recording_finish(struct cx_recording *recording)
{
    for (size_t p = 0; p < recording->nprograms; p++)
        free_program(recording->program[p]);
    free(recording->program);
}
