/* SPDX-License-Identifier: MIT */
/*
 * Log lines on standard error or a file (COEXEC_LOG, COEXEC_LOG_FILE), never on standard output.
 *
 * COEXEC_LOG=level or topic:level,... (both may be mixed, later ones win) with the levels of enum cx_level.
 * Silent but for errors and warnings by default. Objects are named by id, never by pointer. Thread-safe: a
 * line is written in one call.
 */
#ifndef CX_LAYER_BASE_LOG_H
#define CX_LAYER_BASE_LOG_H

#include <CL/cl.h>
#include <stdatomic.h>
#include <stdbool.h>

enum cx_level { CX_LEVEL_ERROR, CX_LEVEL_WARN, CX_LEVEL_INFO, CX_LEVEL_DEBUG };

enum cx_topic {
    CX_TOPIC_OPTIONS,
    CX_TOPIC_DRIVER,   /* finding and opening real drivers and devices */
    CX_TOPIC_API,      /* errors returned to the program */
    CX_TOPIC_PROGRAM,  /* builds, variants */
    CX_TOPIC_ANALYSIS, /* the analyser and its cache */
    CX_TOPIC_PLAN,     /* how each launch runs and why */
    CX_TOPIC_DATA,     /* coherence and transfers */
    CX_TOPIC_WORKER,
    CX_TOPIC_COUNT
};

/* Whether lines of this level and topic are written. Called by the macros below, and before costly texts. */
bool cx_log_on(enum cx_level level, enum cx_topic topic);
/* The highest level that is written of any topic; before the options are read, the highest there is. Spares
 * what is not logged a call. Written once. */
extern atomic_int cx_log_most;
/* Whether a text is of the form that COEXEC_LOG has; what that is, in words. Called by tools/coexec_run.c. */
bool cx_log_takes(const char *text);
extern const char cx_log_accepted[];
/* Writes a line, formatted as by printf. Called by the macros below. */
void cx_log_write(enum cx_level level, enum cx_topic topic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define cx_log(level, topic, ...)                                                                            \
    do {                                                                                                     \
        if ((int)(level) <= atomic_load_explicit(&cx_log_most, memory_order_relaxed) &&                      \
            cx_log_on(level, topic))                                                                         \
            cx_log_write(level, topic, __VA_ARGS__);                                                         \
    } while (0)
#define cx_error(topic, ...) cx_log(CX_LEVEL_ERROR, topic, __VA_ARGS__)
#define cx_warn(topic, ...)  cx_log(CX_LEVEL_WARN, topic, __VA_ARGS__)
#define cx_info(topic, ...)  cx_log(CX_LEVEL_INFO, topic, __VA_ARGS__)
#define cx_debug(topic, ...) cx_log(CX_LEVEL_DEBUG, topic, __VA_ARGS__)
/* Logs the first time only: for degradations that would repeat. Called by base/, memory/ and source/. */
#define cx_log_once(level, topic, ...)                                                                       \
    do {                                                                                                     \
        static atomic_flag said = ATOMIC_FLAG_INIT;                                                          \
        if (!atomic_flag_test_and_set(&said))                                                                \
            cx_log(level, topic, __VA_ARGS__);                                                               \
    } while (0)

/* "CL_INVALID_VALUE" for -30 and so on; "unknown error" for others. */
const char *cx_cl_name(cl_int code);

/* Logs (debug, topic api) which function refuses with which code for which reason, and gives the code back:
 * return cx_fail("clCreateBuffer", CL_INVALID_BUFFER_SIZE, "size is 0"); Called by api/, memory/, object/,
 * program/ and timeline/. */
cl_int cx_fail(const char *function, cl_int code, const char *reason);
#define CX_FAIL(code, reason) cx_fail(__func__ + 3, code, reason) /* entry points are named cx_cl... */

#endif
