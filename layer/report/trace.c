/* SPDX-License-Identifier: MIT */
/*
 * The trace file: one event a line, written as it happens. Each room tells its own (trace_*.c).
 *
 * Each write puts the array's end behind the event, which the next one makes a comma, so that the file is
 * whole JSON at any time. Who reads it in pieces meanwhile may see an end where the comma came: events have
 * lines of their own, so nothing else is wrong then. What cannot be written so (a pipe) gets an array without
 * its end.
 */
#include "layer/report/trace.h"
#include "layer/base/file_name.h"
#include "layer/base/forked.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/base/own_file.h"
#include "layer/base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LANES = 24, EDGES = 256 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool is_open; /* or is not asked for */
static struct cx_own_file file = {.descriptor = -1};
static pid_t owner;  /* a child that the program forks off would write over its parent's events */
static bool appends; /* the file cannot be written but at its end */

static struct cx_lock lock =
    CX_LOCK_INIT(CX_RANK_TRACE_FILE); /* guards what follows, and the order of lines */
static off_t end;                     /* of the file, without the array's */
static bool has_events;
static struct {
    char name[160];
    bool named;
    unsigned lanes;
    uint64_t end[LANES]; /* of the last block */
} rows[CX_TRACE_LANE];
static unsigned nrows;
static uint64_t moved, moved_ns; /* the counter of bytes: its number, and the last time it was written */
static struct edge {
    uint64_t ns;
    unsigned row;
    bool begins;
} edges[EDGES]; /* of busy devices, in the order of time; not written yet */
static unsigned nedges;
static unsigned blocks_of[CX_TRACE_LANE]; /* that run on a row at the time of the last edge written */
static unsigned busy, busy_written;       /* rows with any; the number that the file has */
static uint64_t busy_ns;                  /* that time */
static int failure;                       /* why the trace is not complete; 0: it is */
static bool reported;                     /* so */

static const char array_end[] = "]\n";

static struct iovec piece(const char *text)
{
    return (struct iovec){(void *)(uintptr_t)text, strlen(text)};
}

/* The file, emptied, if no other process writes its trace there now: the lock on it ends with its writer.
 * Otherwise one with our number behind the name, which *path gets. */
static int open_own(char **path)
{
    char *other = NULL;
    int opened = open(*path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (opened >= 0 && flock(opened, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK &&
        asprintf(&other, "%s.%d", *path, (int)getpid()) >= 0) {
        cx_warn(CX_TOPIC_OPTIONS,
                "another process writes its trace to %s, this one to %s; %%p in COEXEC_TRACE is the "
                "process' number",
                *path, other);
        close(opened);
        free(*path);
        *path = other;
        opened = open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    }
    if (opened >= 0 && ftruncate(opened, 0) != 0 && errno != EINVAL) { /* EINVAL: a pipe or a device */
        close(opened);
        return -1;
    }
    return opened;
}

static void open_path(void)
{
    const char *wanted = cx_options_get()->trace;
    const struct iovec empty[] = {piece("[\n"), piece(array_end)};
    char *path = *wanted ? cx_file_name(wanted) : NULL;
    if (!path)
        return;
    int opened = open_own(&path);
    appends = opened >= 0 && lseek(opened, 0, SEEK_CUR) < 0;
    if (opened < 0 || (appends ? write(opened, "[\n", 2) : pwritev(opened, empty, 2, 0)) < 0) {
        cx_error(CX_TOPIC_OPTIONS, "COEXEC_TRACE=%s: cannot be written: %s; no trace", path, strerror(errno));
        if (opened >= 0)
            close(opened);
        free(path);
        return;
    }
    free(path);
    end = 2;
    owner = getpid();
    file = cx_own_file_keep(opened);
}

/* One event; under lock. */
static void write_event(const char *event)
{
    const struct iovec last[] = {piece(event), piece(",\n")};
    const struct iovec next[] = {piece(has_events ? ",\n" : ""), piece(event), piece("\n"), piece(array_end)};
    const ssize_t whole = (ssize_t)(next[0].iov_len + next[1].iov_len + next[2].iov_len);
    if (getpid() != owner || !cx_own_file_is(&file))
        return;
    const ssize_t put = appends ? writev(file.descriptor, last, 2) : pwritev(file.descriptor, next, 4, end);
    const int error = put < 0 ? errno : ENOSPC;
    if (appends ? put >= (ssize_t)(last[0].iov_len + last[1].iov_len)
                : put == whole + (ssize_t)next[3].iov_len) {
        end += whole;
        has_events = true;
        return;
    }
    if (!appends && pwrite(file.descriptor, array_end, strlen(array_end), end) > 0 &&
        ftruncate(file.descriptor, end + (off_t)strlen(array_end)) != 0)
        appends = true; /* what stands behind is no JSON */
    failure = error;
}

/* Ends what began by taking the lock, and tells once where the file is not complete. */
static void unlock(void) CX_RELEASES(lock)
{
    const int error = reported ? 0 : failure;
    reported |= error != 0;
    cx_unlock(&lock);
    if (error)
        cx_error(CX_TOPIC_OPTIONS, "COEXEC_TRACE=%s: %s; the trace is not complete", cx_options_get()->trace,
                 strerror(error));
}

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

/* Viewers show it above the rows. */
static void write_process(void)
{
    char name[160], event[320];
    escape(name, sizeof(name), program_invocation_short_name);
    snprintf(event, sizeof(event),
             "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"args\":{\"name\":\"%s\"}}",
             (int)owner, name);
    write_event(event);
}

static void open_file(void)
{
    open_path();
    if (file.descriptor >= 0) {
        cx_lock(&lock);
        write_process();
        unlock();
    }
    atomic_store_explicit(&is_open, true, memory_order_release);
}

bool cx_trace_on(void)
{
    if (!atomic_load_explicit(&is_open, memory_order_acquire))
        pthread_once(&once, open_file);
    return file.descriptor >= 0;
}

/* ---- arguments ---- */

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
    cx_lock(&lock);
    const unsigned most = count < CX_TRACE_LANE ? CX_TRACE_LANE - count : 0;
    const unsigned first = nrows < most ? nrows : most;
    nrows = first + count;
    unlock();
    return first;
}

static void write_name(unsigned row, unsigned lane)
{
    char event[320], number[16] = "";
    const unsigned tid = row + CX_TRACE_LANE * lane;
    if (lane)
        snprintf(number, sizeof(number), " (%u)", lane + 1);
    snprintf(event, sizeof(event),
             "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"args\":{\"name\":\"%s%s\"}}",
             (int)owner, tid, rows[row].name, number);
    write_event(event);
    snprintf(
        event, sizeof(event),
        "{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"args\":{\"sort_index\":%u}}",
        (int)owner, tid, row * LANES + lane);
    write_event(event);
}

void cx_trace_name(unsigned row, const char *name)
{
    if (!cx_trace_on() || row >= CX_TRACE_LANE)
        return;
    cx_lock(&lock);
    if (!rows[row].named) {
        escape(rows[row].name, sizeof(rows[row].name), name);
        rows[row].named = true;
        rows[row].lanes = 1;
        write_name(row, 0);
    }
    unlock();
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
    static char safe[256], event[2048]; /* under the lock: programs' threads may have small stacks */
    if (!cx_trace_on() || row >= CX_TRACE_LANE)
        return;
    end_ns = end_ns > start_ns ? end_ns : start_ns;
    cx_lock(&lock);
    escape(safe, sizeof(safe), name);
    const unsigned lane = choose_lane(row, start_ns, end_ns);
    snprintf(event, sizeof(event),
             "{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,"
             "\"args\":{%s}}",
             safe, category, (int)owner, row + CX_TRACE_LANE * lane, (double)start_ns / 1e3,
             (double)(end_ns - start_ns) / 1e3, args ? args->text : "");
    write_event(event);
    unlock();
}

/* ---- counters ---- */

/* Under lock. */
static void write_counter(const char *name, uint64_t at_ns, const struct cx_trace_args *args)
{
    static char event[2048];
    snprintf(
        event, sizeof(event),
        "{\"name\":\"%s\",\"cat\":\"counter\",\"ph\":\"C\",\"pid\":%d,\"tid\":0,\"ts\":%.3f,\"args\":{%s}}",
        name, (int)owner, (double)at_ns / 1e3, args->text);
    write_event(event);
}

void cx_trace_counter(const char *name, uint64_t at_ns, const struct cx_trace_args *args)
{
    if (!cx_trace_on())
        return;
    cx_lock(&lock);
    write_counter(name, at_ns, args);
    unlock();
}

void cx_trace_moved(uint64_t bytes, uint64_t at_ns)
{
    if (!cx_trace_on())
        return;
    struct cx_trace_args args = {.used = 0};
    cx_lock(&lock);
    moved += bytes;
    moved_ns = at_ns > moved_ns ? at_ns : moved_ns; /* threads may tell in another order */
    cx_trace_number(&args, "MB", (double)moved / 1e6);
    write_counter("moved", moved_ns, &args);
    unlock();
}

/* Writes the oldest edges until `count` are left; those of one time as one number. Under lock. */
static void write_edges(unsigned count)
{
    unsigned done = 0;
    while (nedges - done > count) {
        const struct edge *edge = &edges[done++];
        if (edge->begins)
            busy += blocks_of[edge->row]++ == 0;
        else
            busy -= --blocks_of[edge->row] == 0;
        busy_ns = edge->ns;
        if (busy == busy_written || (nedges - done > count && edges[done].ns == busy_ns))
            continue;
        struct cx_trace_args args = {.used = 0};
        cx_trace_count(&args, "busy", busy);
        write_counter("devices", busy_ns, &args);
        busy_written = busy;
    }
    memmove(edges, edges + done, (nedges - done) * sizeof(*edges));
    nedges -= done;
}

/* Under lock. */
static void add_edge(uint64_t ns, unsigned row, bool begins)
{
    unsigned at = nedges;
    ns = ns > busy_ns ? ns : busy_ns;
    for (; at > 0 && edges[at - 1].ns > ns; at--)
        edges[at] = edges[at - 1];
    edges[at] = (struct edge){ns, row, begins};
    nedges++;
}

void cx_trace_busy(unsigned row, uint64_t start_ns, uint64_t end_ns)
{
    if (!cx_trace_on() || row >= CX_TRACE_LANE || end_ns <= start_ns)
        return;
    cx_lock(&lock);
    if (nedges + 2 > EDGES)
        write_edges(EDGES / 2);
    add_edge(start_ns, row, true);
    add_edge(end_ns, row, false);
    unlock();
}

__attribute__((destructor)) static void write_last_edges(void)
{
    if (file.descriptor < 0 || cx_forked)
        return;
    cx_lock(&lock);
    write_edges(0);
    unlock();
}
