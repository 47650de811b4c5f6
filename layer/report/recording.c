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
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/base/own_file.h"
#include "layer/base/plain_file.h"
#include "layer/base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LAUNCHES = 10000, SLOTS = 32768 };

static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_RECORDING);
static enum { UNOPENED, OPEN, CLOSED } state;
static struct cx_own_file file CX_GUARDED_BY(lock) = {.descriptor = -1};
static uint64_t seen[SLOTS]; /* hashes of launches, open addressing; 0: free */
static unsigned nseen CX_GUARDED_BY(lock);

/* ---- files ---- */

static void give_up(const char *what)
{
    state = CLOSED;
    cx_error(CX_TOPIC_OPTIONS, "COEXEC_RECORD=%s: %s: %s; nothing more is recorded", cx_options_get()->record,
             what, strerror(errno));
}

/* lock held */
static void append(const char *line, size_t size) CX_HOLDS(lock)
{
    if (state == OPEN && cx_own_file_is(&file) && !cx_plain_file_put(file.descriptor, line, size))
        give_up("cannot be written");
}

/* lock held. Opens the file of this process at the first call. */
static bool is_open(void) CX_HOLDS(lock)
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
        file = cx_own_file_keep(open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    free(path);
    if (file.descriptor < 0) {
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
        ok = fd >= 0 && cx_plain_file_put(fd, source, strlen(source));
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
void cx_recording_text(FILE *out, const char *text)
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

void cx_recording_numbers(FILE *out, const char *name, const uint64_t number[3], unsigned count)
{
    fprintf(out, ",\"%s\":[", name);
    for (unsigned d = 0; d < count; d++)
        fprintf(out, "%s%" PRIu64, d ? "," : "", number[d]);
    fputc(']', out);
}

/* ---- what is recorded ---- */

void cx_recording_source(const char *name, const char *source, const char *line, size_t size)
{
    cx_lock(&lock);
    if (is_open()) {
        keep_source(name, source);
        append(line, size);
    }
    cx_unlock(&lock);
}

/* Whether these bytes come for the first time. lock held. */
static bool is_new(const char *line, size_t size) CX_HOLDS(lock)
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

void cx_recording_once(void (*write_line)(FILE *out, const void *of), const void *of)
{
    static const char full[] = "{\"type\":\"full\"}\n";
    char *line = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return;
    write_line(out, of);
    bool ok = fclose(out) == 0 && size > 0;
    cx_lock(&lock);
    if (ok && is_open() && nseen <= MAX_LAUNCHES && is_new(line, size)) {
        if (nseen++ < MAX_LAUNCHES) {
            append(line, size);
        } else {
            append(full, sizeof(full) - 1);
            cx_error(CX_TOPIC_OPTIONS, "COEXEC_RECORD: %d different launches are recorded, and no more",
                     MAX_LAUNCHES);
        }
    }
    cx_unlock(&lock);
    free(line);
}
