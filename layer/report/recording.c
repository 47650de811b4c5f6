/* SPDX-License-Identifier: MIT */
/*
 * The recording: lines of JSON, each written by one write() to a file of this process opened for appending.
 *
 * {"type":"process", ...}   the file's head; numbers of programs count from here
 * {"type":"program", "program":N, "source":"HASH.cl", "options":..., "extensions":..., "defines":[...]}
 * {"type":"told", "program":N, "told":...}   what the device's compiler said of its macros
 * (compiler_macros.h)
 * {"type":"launch", "program":N, "kernel":..., "dims", "offset", "global", "local", "local_given",
 * "args":[...], "ran":"split" or "whole", "reason":..., "line":N, "file":...} An argument is {"value":HEX},
 * {"local":BYTES}, {"object":K,"offset":N,"bytes":N} with K the same for one buffer of the launch, or {} for
 * a NULL buffer. The file is there where the line is not in the program's own text. A local size of 0 was
 * left to the driver.
 */
#include "layer/report/recording.h"
#include "layer/source/analysis.h"
#include "layer/source/macro_identity.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/plan/plan_size.h"
#include "layer/program/program.h"
#include "layer/base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LAUNCHES = 10000, SLOTS = 32768 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* innermost */
static enum { UNOPENED, OPEN, CLOSED } state;
static int file = -1;
static uint64_t seen[SLOTS]; /* hashes of launches, open addressing; 0: free */
static unsigned nseen;

/* ---- files ---- */

static void give_up(const char *what)
{
    state = CLOSED;
    cx_error(CX_TOPIC_OPTIONS, "COEXEC_RECORD=%s: %s: %s; nothing more is recorded", cx_options_get()->record,
             what, strerror(errno));
}

static bool write_all(int fd, const char *data, size_t size)
{
    while (size) {
        ssize_t put = write(fd, data, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        data += put;
        size -= (size_t)put;
    }
    return true;
}

/* lock held */
static void append(const char *line, size_t size)
{
    if (state == OPEN && !write_all(file, line, size))
        give_up("cannot be written");
}

/* lock held. Opens the file of this process at the first call. */
static bool is_open(void)
{
    const char *folder = cx_options_get()->record;
    char *path = NULL, head[96];
    if (state != UNOPENED)
        return state == OPEN;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        give_up("cannot be made");
        return false;
    }
    if (asprintf(&path, "%s/launches-%ld.jsonl", folder, (long)getpid()) >= 0)
        file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    free(path);
    if (file < 0) {
        give_up("no file can be made in it");
        return false;
    }
    state = OPEN;
    int n = snprintf(head, sizeof(head), "{\"type\":\"process\",\"pid\":%ld,\"coexec\":\"%s\"}\n",
                     (long)getpid(), CX_VERSION);
    append(head, (size_t)n);
    return state == OPEN;
}

/* Keeps the source in a file of its own; other processes may do the same at this moment. lock held. */
static void keep_source(const char *name, const char *source)
{
    char *path = NULL, *temporary = NULL;
    bool ok = asprintf(&path, "%s/%s", cx_options_get()->record, name) >= 0;
    ok = asprintf(&temporary, "%s/.%s.%ld", cx_options_get()->record, name, (long)getpid()) >= 0 && ok;
    if (ok && access(path, F_OK) != 0) {
        int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        ok = fd >= 0 && write_all(fd, source, strlen(source));
        if (fd >= 0)
            ok = close(fd) == 0 && ok;
        if (!ok || rename(temporary, path) != 0)
            give_up("a source cannot be written");
    }
    free(path);
    free(temporary);
}

/* ---- JSON ---- */

/* Bytes that are no UTF-8 of their own are written as the code points U+0080 to U+00FF. */
static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void put_numbers(FILE *out, const char *name, const uint64_t number[3], unsigned count)
{
    fprintf(out, ",\"%s\":[", name);
    for (unsigned d = 0; d < count; d++)
        fprintf(out, "%s%" PRIu64, d ? "," : "", number[d]);
    fputc(']', out);
}

/* access: what plan.h makes of the argument */
static void put_mem(FILE *out, unsigned object, const struct cx_access_arg *access)
{
    const struct cx_access_image *i = &access->image;
    fprintf(out, "{\"object\":%u,\"offset\":%" PRIu64 ",\"bytes\":%" PRIu64, object, access->base,
            access->bytes);
    if (access->is_image)
        fprintf(out,
                ",\"image\":{\"size\":[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "],\"layers\":%" PRIu64
                ",\"pitch\":[%" PRIu64 ",%" PRIu64 "],\"texel\":%" PRIu32 ",\"order\":%" PRIu32
                ",\"type\":%" PRIu32 "}",
                i->width, i->height, i->depth, i->array_size, i->row_pitch, i->slice_pitch, i->element_size,
                i->channel_order, i->channel_type);
    fputc('}', out);
}

static void put_arg(FILE *out, const struct cx_launch *launch, const struct cx_access_arg *access, unsigned i)
{
    const struct cx_arg *arg = &launch->args->arg[i];
    const unsigned char *value = arg->value;
    unsigned object = 0;
    switch (arg->kind) {
    case CX_ARGS_VALUE:
        fputs("{\"value\":\"", out);
        for (size_t b = 0; b < arg->size; b++)
            fprintf(out, "%02x", value[b]);
        fputs("\"}", out);
        break;
    case CX_ARGS_LOCAL:
        fprintf(out, "{\"local\":%zu}", arg->size);
        break;
    case CX_ARGS_MEM:
        /* the first argument with the same buffer names it */
        while (arg->mem &&
               (!cx_launch_mem(launch, object) || cx_launch_mem(launch, object)->root != arg->mem->root))
            object++;
        if (arg->mem)
            put_mem(out, object, access);
        else
            fputs("{}", out);
        break;
    case CX_ARGS_UNSET:
    case CX_ARGS_SAMPLER:
    case CX_ARGS_REAL: /* never the program's own */
        fputs("{}", out);
    }
}

/* The one local size that a split would use, or what the program gave; zeros: none suits. */
static void local_size(const struct cx_launch *launch, uint64_t local[3])
{
    struct cx_launch trial = {.base = {.context = launch->base.context},
                              .kernel = launch->kernel,
                              .args = launch->args,
                              .geometry = launch->geometry};
    bool chosen = launch->local_given || launch->geometry.local[0] || cx_plan_local_size(&trial);
    for (unsigned d = 0; d < 3; d++)
        local[d] = chosen ? trial.geometry.local[d] : 0;
}

/* ---- what is recorded ---- */

static void write_program(FILE *out, const struct cx_program *program, const char *name)
{
    const struct cx_context *context = program->context;
    struct cx_identity identity;
    cx_identity_make(context->workers[context->fastest].device, &identity);
    fprintf(out,
            "{\"type\":\"program\",\"program\":%" PRIu64 ",\"source\":\"%s\",\"options\":", program->base.id,
            name);
    put_text(out, program->text ? program->text_options : program->options);
    fputs(",\"extensions\":", out);
    put_text(out, identity.extensions);
    fputs(",\"defines\":[", out);
    for (unsigned i = 0; i < identity.ndefines; i++) {
        fputs(i ? "," : "", out);
        put_text(out, identity.define[i]);
    }
    fputs("]}\n", out);
}

void cx_record_program(const struct cx_program *program)
{
    struct cx_sha256 hash;
    unsigned char digest[32];
    const char *text = program->text ? program->text : program->source;
    char name[72], *line = NULL;
    size_t size = 0;
    if (!*cx_options_get()->record || !text)
        return;
    cx_sha256_init(&hash);
    cx_sha256_add(&hash, text, strlen(text));
    cx_sha256_end(&hash, digest);
    for (unsigned i = 0; i < sizeof(digest); i++)
        snprintf(name + 2 * i, 3, "%02x", digest[i]);
    strcpy(name + 2 * sizeof(digest), ".cl");
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return;
    write_program(out, program, name);
    bool ok = fclose(out) == 0;
    pthread_mutex_lock(&lock);
    if (ok && is_open()) {
        keep_source(name, text);
        append(line, size);
    }
    pthread_mutex_unlock(&lock);
    free(line);
}

/* Whether these bytes come for the first time. lock held. */
static bool is_new(const char *line, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)line[i]) * UINT64_C(0x100000001b3);
    hash += hash == 0;
    size_t slot = (size_t)(hash >> 17) % SLOTS;
    for (; seen[slot]; slot = (slot + 1) % SLOTS)
        if (seen[slot] == hash)
            return false;
    if (nseen < MAX_LAUNCHES)
        seen[slot] = hash;
    return true;
}

struct decided {
    const struct cx_launch *launch;
    bool split;
};

static void write_launch(FILE *out, const void *of)
{
    const struct cx_launch *launch = ((const struct decided *)of)->launch;
    bool split = ((const struct decided *)of)->split;
    const struct cx_access_geometry *geometry = &launch->geometry;
    uint64_t local[3];
    local_size(launch, local);
    fprintf(out,
            "{\"type\":\"launch\",\"program\":%" PRIu64 ",\"kernel\":", launch->kernel->program->base.id);
    put_text(out, launch->kernel->function->name);
    fprintf(out, ",\"dims\":%" PRIu32, geometry->work_dim);
    put_numbers(out, "offset", geometry->offset, geometry->work_dim);
    put_numbers(out, "global", geometry->global, geometry->work_dim);
    put_numbers(out, "local", local, geometry->work_dim);
    fprintf(out, ",\"local_given\":%s,\"args\":[", launch->local_given ? "true" : "false");
    struct cx_access_arg *access = cx_launch_access_args(launch);
    for (unsigned i = 0; access && i < launch->args->count; i++) {
        fputs(i ? "," : "", out);
        put_arg(out, launch, &access[i], i);
    }
    free(access);
    fprintf(out, "],\"ran\":\"%s\",\"reason\":", split ? "split" : "whole");
    put_text(out, launch->reason ? launch->reason : "");
    fprintf(out, ",\"line\":%" PRIu32, cx_place_line(launch->line));
    if (launch->other_line)
        fprintf(out, ",\"other_line\":%" PRIu32, cx_place_line(launch->other_line));
    const char *included = launch->summary ? cx_place_file(launch->summary, launch->line) : NULL;
    if (included) {
        fputs(",\"file\":", out);
        put_text(out, included);
    }
    fputs("}\n", out);
}

/* What its compiler told of a program may be known long after it was built. */
static void write_told(FILE *out, const void *of)
{
    const struct cx_program *program = ((const struct cx_launch *)of)->kernel->program;
    const char *told =
        program->analysis ? cx_analysis_told(program->analysis, program->context->fastest) : NULL;
    if (!told)
        return;
    fprintf(out, "{\"type\":\"told\",\"program\":%" PRIu64 ",\"told\":", program->base.id);
    put_text(out, told);
    fputs("}\n", out);
}

/* A line that is worth writing only once, and only so often. */
static void record_once(void (*write_line)(FILE *out, const void *of), const void *of)
{
    static const char full[] = "{\"type\":\"full\"}\n";
    char *line = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return;
    write_line(out, of);
    bool ok = fclose(out) == 0 && size > 0;
    pthread_mutex_lock(&lock);
    if (ok && is_open() && nseen <= MAX_LAUNCHES && is_new(line, size)) {
        if (nseen++ < MAX_LAUNCHES) {
            append(line, size);
        } else {
            append(full, sizeof(full) - 1);
            cx_error(CX_TOPIC_OPTIONS, "COEXEC_RECORD: %d different launches are recorded, and no more",
                     MAX_LAUNCHES);
        }
    }
    pthread_mutex_unlock(&lock);
    free(line);
}

void cx_record_launch(const struct cx_launch *launch, bool split)
{
    const struct decided decided = {launch, split};
    if (!*cx_options_get()->record)
        return;
    record_once(write_told, launch);
    record_once(write_launch, &decided);
}
