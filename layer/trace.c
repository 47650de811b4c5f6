/* SPDX-License-Identifier: MIT */
/*
 * The trace file: one event a line, written as it happens. trace_event.h says what is told.
 */
#include "layer/trace.h"
#include "layer/log.h"
#include "layer/options.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LANES = 24 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool is_open; /* or is not asked for */
static FILE *file;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows, and the order of lines */
static struct {
    char name[160];
    bool named;
    unsigned lanes;
    uint64_t end[LANES]; /* of the last block */
} rows[CX_TRACE_LANE];
static unsigned nrows;
static bool incomplete; /* told so */

static void open_path(void)
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

static void open_file(void)
{
    open_path();
    atomic_store_explicit(&is_open, true, memory_order_release);
}

bool cx_trace_on(void)
{
    if (!atomic_load_explicit(&is_open, memory_order_acquire))
        pthread_once(&once, open_file);
    return file != NULL;
}

/* ---- arguments ---- */

/* Bytes of the UTF-8 character there; 0: it is none. */
static unsigned character(const unsigned char *at)
{
    const unsigned n = at[0] < 0x80                    ? 1
                       : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                       : (at[0] & 0xf0) == 0xe0        ? 3
                       : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                       : 0;
    for (unsigned i = 1; i < n; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    const bool bad = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
                     (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f);
    return bad ? 0 : n;
}

/* Names and options are anybody's: what is no UTF-8 becomes a question mark. */
static void escape(char *out, size_t room, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t n = 0;
    while (*at && n + 7 < room) {
        const unsigned length = character(at);
        if (*at == '"' || *at == '\\')
            out[n++] = '\\';
        if (*at < 0x20)
            n += (size_t)snprintf(out + n, room - n, "\\u%04x", *at);
        else if (length)
            memcpy(out + n, at, length);
        else
            out[n] = '?';
        n += *at < 0x20 ? 0 : length ? length : 1;
        at += length ? length : 1;
    }
    out[n] = 0;
}

static void add(struct cx_trace_args *args, const char *name, const char *value)
{
    const size_t room = sizeof(args->text) - args->used;
    const int n = snprintf(args->text + args->used, room, "%s\"%s\":%s", args->used ? "," : "", name, value);
    if (n < 0 || (size_t)n >= room)
        args->text[args->used] = 0;
    else
        args->used += (unsigned)n;
}

void cx_trace_text(struct cx_trace_args *args, const char *name, const char *value)
{
    char safe[400] = "\"";
    escape(safe + 1, sizeof(safe) - 2, value);
    strcat(safe, "\"");
    add(args, name, safe);
}

void cx_trace_number(struct cx_trace_args *args, const char *name, double value)
{
    char text[32];
    snprintf(text, sizeof(text), "%.6g", isfinite(value) ? value : 0.0);
    add(args, name, text);
}

void cx_trace_count(struct cx_trace_args *args, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    add(args, name, text);
}

void cx_trace_flag(struct cx_trace_args *args, const char *name, bool value)
{
    add(args, name, value ? "true" : "false");
}

void cx_trace_numbers(struct cx_trace_args *args, const char *name, const double *value, unsigned count)
{
    char text[512] = "[";
    size_t n = 1;
    for (unsigned i = 0; i < count && n + 32 < sizeof(text); i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.6g", i ? "," : "",
                              isfinite(value[i]) ? value[i] : 0.0);
    strcat(text, "]");
    add(args, name, text);
}

/* ---- rows ---- */

unsigned cx_trace_rows(unsigned count)
{
    if (!cx_trace_on())
        return 0;
    pthread_mutex_lock(&lock);
    const unsigned most = count < CX_TRACE_LANE ? CX_TRACE_LANE - count : 0;
    const unsigned first = nrows < most ? nrows : most;
    nrows = first + count;
    pthread_mutex_unlock(&lock);
    return first;
}

static void write_name(unsigned row, unsigned lane)
{
    char number[16] = "";
    if (lane)
        snprintf(number, sizeof(number), " (%u)", lane + 1);
    fprintf(file,
            "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"args\":{\"name\":\"%s%s\"}},\n",
            (int)getpid(), row + CX_TRACE_LANE * lane, rows[row].name, number);
    fprintf(
        file,
        "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"args\":{\"sort_index\":%u}},"
        "\n",
        (int)getpid(), row + CX_TRACE_LANE * lane, row * LANES + lane);
}

void cx_trace_name(unsigned row, const char *name)
{
    if (!cx_trace_on() || row >= CX_TRACE_LANE)
        return;
    pthread_mutex_lock(&lock);
    if (!rows[row].named) {
        escape(rows[row].name, sizeof(rows[row].name), name);
        rows[row].named = true;
        rows[row].lanes = 1;
        write_name(row, 0);
    }
    pthread_mutex_unlock(&lock);
}

/* The first lane whose last block is over by then; moments lie within any block. Under lock. */
static unsigned choose_lane(unsigned row, uint64_t start_ns, uint64_t end_ns)
{
    unsigned lane = 0;
    if (end_ns == start_ns)
        return 0;
    while (lane + 1 < LANES && rows[row].end[lane] > start_ns)
        lane++;
    rows[row].end[lane] = end_ns;
    if (lane >= rows[row].lanes) {
        rows[row].lanes = lane + 1;
        write_name(row, lane);
    }
    return lane;
}

void cx_trace_span(const char *name, const char *category, unsigned row, uint64_t start_ns, uint64_t end_ns,
                   const struct cx_trace_args *args)
{
    char safe[256];
    if (!cx_trace_on() || row >= CX_TRACE_LANE)
        return;
    escape(safe, sizeof(safe), name);
    end_ns = end_ns > start_ns ? end_ns : start_ns;
    pthread_mutex_lock(&lock);
    const unsigned lane = choose_lane(row, start_ns, end_ns);
    const int written =
        fprintf(file,
                "{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,"
                "\"args\":{%s}},\n",
                safe, category, (int)getpid(), row + CX_TRACE_LANE * lane, (double)start_ns / 1e3,
                (double)(end_ns - start_ns) / 1e3, args ? args->text : "");
    const int error = errno;
    const bool tell = written < 0 && !incomplete;
    incomplete |= tell;
    pthread_mutex_unlock(&lock);
    if (tell)
        cx_error(CX_TOPIC_OPTIONS, "COEXEC_TRACE=%s: %s; the trace is not complete", cx_options_get()->trace,
                 strerror(error));
}
