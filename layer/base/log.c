/* SPDX-License-Identifier: MIT */
/*
 * Log lines: levels by topic as COEXEC_LOG says, one write a line, and the names of OpenCL's codes.
 */
#include "layer/base/log.h"
#include "layer/base/file_name.h"
#include "layer/base/options.h"
#include "layer/base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const level_names[] = {"error", "warn", "info", "debug"};
static const char *const topic_names[CX_TOPIC_COUNT] = {
    [CX_TOPIC_OPTIONS] = "options", [CX_TOPIC_DRIVER] = "driver",     [CX_TOPIC_API] = "api",
    [CX_TOPIC_PROGRAM] = "program", [CX_TOPIC_ANALYSIS] = "analysis", [CX_TOPIC_PLAN] = "plan",
    [CX_TOPIC_DATA] = "data",       [CX_TOPIC_WORKER] = "worker",
};
enum { LEVELS = sizeof level_names / sizeof *level_names };

static enum cx_level levels[CX_TOPIC_COUNT]; /* the highest level written, by topic */
atomic_int cx_log_most = CX_LEVEL_DEBUG;
static bool to_file; /* else to standard error */
static struct cx_own_file log_file;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The index of the word [text, text + length) among the names, or -1. */
static int find_name(const char *const *names, int count, const char *text, size_t length)
{
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0)
            return i;
    return -1;
}

static void set_levels(enum cx_level level)
{
    for (int topic = 0; topic < CX_TOPIC_COUNT; topic++)
        levels[topic] = level;
}

const char cx_log_accepted[] =
    "error, warn, info, debug, or topic:level with the topics options, driver, api, "
    "program, analysis, plan, data, worker, separated by ,";

/* Applies "level" or "topic:level", separated by commas, to[] NULL: only looks. Returns false at the first
 * that is neither. */
static bool apply_levels(const char *text, enum cx_level *to)
{
    while (*text) {
        size_t length = strcspn(text, ","), colon = strcspn(text, ":");
        bool has_topic = colon < length;
        const char *word = has_topic ? text + colon + 1 : text;
        int level = find_name(level_names, LEVELS, word, length - (size_t)(word - text));
        int topic = has_topic ? find_name(topic_names, CX_TOPIC_COUNT, text, colon) : -1;
        if (level < 0 || (has_topic && topic < 0))
            return false;
        for (int t = 0; to && t < CX_TOPIC_COUNT; t++)
            if (!has_topic || t == topic)
                to[t] = (enum cx_level)level;
        text += length + (text[length] == ',');
    }
    return true;
}

static void write_line(enum cx_level level, enum cx_topic topic, const char *text)
{
    char *line = NULL;
    const int length = asprintf(&line, "coexec: %s: %s: %s\n", level_names[level], topic_names[topic], text);
    if (length < 0)
        return;
    if (!to_file || cx_own_file_is(&log_file)) {
        ssize_t written = write(to_file ? log_file.descriptor : STDERR_FILENO, line, (size_t)length);
        (void)written; /* a full disk or a closed stderr must not disturb the program */
    }
    free(line);
}

static void tell_old_names(void)
{
    char *text = NULL;
    if (!*cx_options_old_names() || levels[CX_TOPIC_OPTIONS] < CX_LEVEL_WARN ||
        asprintf(&text, "old names, which the next release ignores: %s", cx_options_old_names()) < 0)
        return;
    write_line(CX_LEVEL_WARN, CX_TOPIC_OPTIONS, text);
    free(text);
}

static void start(void)
{
    const struct cx_options *options = cx_options_get();
    set_levels(CX_LEVEL_WARN);
    if (!apply_levels(options->log, levels)) {
        set_levels(CX_LEVEL_WARN);
        apply_levels(cx_options_reject("COEXEC_LOG", "not known", cx_log_accepted), levels);
    }
    int most = 0;
    for (int topic = 0; topic < CX_TOPIC_COUNT; topic++)
        most = (int)levels[topic] > most ? (int)levels[topic] : most;
    atomic_store(&cx_log_most, most);
    if (*options->log_file) {
        char *name = cx_file_name(options->log_file);
        log_file = cx_own_file_keep(
            open(name ? name : options->log_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
        to_file = log_file.descriptor >= 0;
        if (!to_file)
            cx_options_reject("COEXEC_LOG_FILE", strerror(errno), "a file that can be written");
        free(name);
    }
    tell_old_names();
}

bool cx_log_takes(const char *text)
{
    return apply_levels(text, NULL);
}

bool cx_log_on(enum cx_level level, enum cx_topic topic)
{
    pthread_once(&once, start);
    return level <= levels[topic];
}

void cx_log_write(enum cx_level level, enum cx_topic topic, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    pthread_once(&once, start);
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    while (length > 0 && text[length - 1] == '\n')
        text[--length] = '\0';
    write_line(level, topic, text);
    free(text);
}

struct code_name {
    cl_int code;
    const char *name;
};

#define CODE(name)                                                                                           \
    {                                                                                                        \
        name, #name                                                                                          \
    }
static const struct code_name code_names[] = {
    CODE(CL_SUCCESS),
    CODE(CL_DEVICE_NOT_FOUND),
    CODE(CL_DEVICE_NOT_AVAILABLE),
    CODE(CL_COMPILER_NOT_AVAILABLE),
    CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    CODE(CL_OUT_OF_RESOURCES),
    CODE(CL_OUT_OF_HOST_MEMORY),
    CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
    CODE(CL_MEM_COPY_OVERLAP),
    CODE(CL_IMAGE_FORMAT_MISMATCH),
    CODE(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    CODE(CL_BUILD_PROGRAM_FAILURE),
    CODE(CL_MAP_FAILURE),
    CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    CODE(CL_COMPILE_PROGRAM_FAILURE),
    CODE(CL_LINKER_NOT_AVAILABLE),
    CODE(CL_LINK_PROGRAM_FAILURE),
    CODE(CL_DEVICE_PARTITION_FAILED),
    CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    CODE(CL_INVALID_VALUE),
    CODE(CL_INVALID_DEVICE_TYPE),
    CODE(CL_INVALID_PLATFORM),
    CODE(CL_INVALID_DEVICE),
    CODE(CL_INVALID_CONTEXT),
    CODE(CL_INVALID_QUEUE_PROPERTIES),
    CODE(CL_INVALID_COMMAND_QUEUE),
    CODE(CL_INVALID_HOST_PTR),
    CODE(CL_INVALID_MEM_OBJECT),
    CODE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    CODE(CL_INVALID_IMAGE_SIZE),
    CODE(CL_INVALID_SAMPLER),
    CODE(CL_INVALID_BINARY),
    CODE(CL_INVALID_BUILD_OPTIONS),
    CODE(CL_INVALID_PROGRAM),
    CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    CODE(CL_INVALID_KERNEL_NAME),
    CODE(CL_INVALID_KERNEL_DEFINITION),
    CODE(CL_INVALID_KERNEL),
    CODE(CL_INVALID_ARG_INDEX),
    CODE(CL_INVALID_ARG_VALUE),
    CODE(CL_INVALID_ARG_SIZE),
    CODE(CL_INVALID_KERNEL_ARGS),
    CODE(CL_INVALID_WORK_DIMENSION),
    CODE(CL_INVALID_WORK_GROUP_SIZE),
    CODE(CL_INVALID_WORK_ITEM_SIZE),
    CODE(CL_INVALID_GLOBAL_OFFSET),
    CODE(CL_INVALID_EVENT_WAIT_LIST),
    CODE(CL_INVALID_EVENT),
    CODE(CL_INVALID_OPERATION),
    CODE(CL_INVALID_GL_OBJECT),
    CODE(CL_INVALID_BUFFER_SIZE),
    CODE(CL_INVALID_MIP_LEVEL),
    CODE(CL_INVALID_GLOBAL_WORK_SIZE),
    CODE(CL_INVALID_PROPERTY),
    CODE(CL_INVALID_IMAGE_DESCRIPTOR),
    CODE(CL_INVALID_COMPILER_OPTIONS),
    CODE(CL_INVALID_LINKER_OPTIONS),
    CODE(CL_INVALID_DEVICE_PARTITION_COUNT),
    CODE(CL_INVALID_PIPE_SIZE),
    CODE(CL_INVALID_DEVICE_QUEUE),
    CODE(CL_INVALID_SPEC_ID),
    CODE(CL_MAX_SIZE_RESTRICTION_EXCEEDED),
    {-1000, "CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

const char *cx_cl_name(cl_int code)
{
    for (size_t i = 0; i < sizeof code_names / sizeof *code_names; i++)
        if (code_names[i].code == code)
            return code_names[i].name;
    return "unknown error";
}

cl_int cx_fail(const char *function, cl_int code, const char *reason)
{
    cx_debug(CX_TOPIC_API, "%s: %s: %s", function, cx_cl_name(code), reason);
    return code;
}
