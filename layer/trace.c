/* SPDX-License-Identifier: MIT */
/*
 * The trace file: one event a line, written as it happens.
 */
#include "layer/trace.h"
#include "layer/log.h"
#include "layer/options.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static FILE *file;

static void open_file(void)
{
    const char *path = cx_options_get()->trace;
    if (!path || !*path)
        return;
    file = fopen(path, "we");
    if (!file) {
        cx_error(CX_TOPIC_OPTIONS, "COEXEC_TRACE=%s: cannot be written; no trace", path);
        return;
    }
    setvbuf(file, NULL, _IOLBF, 1 << 16);
    fprintf(file, "[\n");
}

bool cx_trace_on(void)
{
    pthread_once(&once, open_file);
    return file != NULL;
}

/* Kernel and device names go into JSON strings. */
static void escape(char *out, size_t room, const char *text)
{
    size_t n = 0;
    for (; *text && n + 7 < room; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            out[n++] = '\\';
        if (c < 0x20)
            n += (size_t)snprintf(out + n, room - n, "\\u%04x", c);
        else
            out[n++] = (char)c;
    }
    out[n] = 0;
}

void cx_trace_span(const char *name, const char *category, unsigned row, uint64_t start_ns, uint64_t end_ns,
                   const char *details)
{
    char safe[256];
    if (!cx_trace_on())
        return;
    escape(safe, sizeof(safe), name);
    fprintf(file,
            "{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,"
            "\"args\":{%s}},\n",
            safe, category, (int)getpid(), row, (double)start_ns / 1e3,
            end_ns > start_ns ? (double)(end_ns - start_ns) / 1e3 : 0.0, details ? details : "");
}

void cx_trace_row(unsigned row, const char *name)
{
    char safe[256];
    if (!cx_trace_on())
        return;
    escape(safe, sizeof(safe), name);
    fprintf(file,
            "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"args\":{\"name\":\"%s\"}},\n",
            (int)getpid(), row, safe);
}
