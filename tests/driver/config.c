/* SPDX-License-Identifier: MIT */
/* Stub driver: the environment, the call log and the faults asked for. */
#include "stub.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { MAX_RULES = 32 };
/* Sleeping takes longer. */
enum { SHORT_NS = 20000 };

/* "call:k:number[:event]" */
struct rule {
    char call[48];
    unsigned long at;
    long number;
    bool event;
    atomic_ulong seen;
};

/* "device:from:to:factor", in ms since the first launch */
struct slow {
    unsigned device;
    double from, to, factor;
};

static struct {
    pthread_once_t once;
    bool async;
    FILE *log, *timeline;
    pthread_mutex_t log_lock;
    struct rule fail[MAX_RULES], hang[MAX_RULES], late[MAX_RULES], dies[MAX_RULES], home[MAX_RULES];
    unsigned nfail, nhang, ndeferred, ndies, nhome;
    struct slow slow[MAX_RULES];
    unsigned nslow;
    const char *load;
    atomic_uint_fast64_t first_launch; /* ns; 0: not yet */
} config = {.once = PTHREAD_ONCE_INIT, .log_lock = PTHREAD_MUTEX_INITIALIZER};

/* Item `index` of a list in the environment, or its last one. */
const char *stub_config_word(const char *name, unsigned index, const char *fallback, char *room, size_t size)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return fallback;
    while (index-- > 0 && strchr(text, ','))
        text = strchr(text, ',') + 1;
    size_t length = strcspn(text, ",");
    if (length >= size)
        return fallback;
    memcpy(room, text, length);
    room[length] = '\0';
    return room;
}

double stub_config_number(const char *name, unsigned index, double fallback)
{
    char room[64];
    const char *word = stub_config_word(name, index, NULL, room, sizeof(room));
    return word ? strtod(word, NULL) : fallback;
}

const char *stub_config_text(const char *name, const char *fallback)
{
    const char *text = getenv(name);
    return text ? text : fallback;
}

static unsigned read_rules(const char *name, struct rule *rules)
{
    unsigned count = 0;
    char room[128], tail[16];
    const char *text = getenv(name);
    unsigned items = text && *text ? 1 : 0;
    for (const char *comma = text; comma && (comma = strchr(comma, ',')); comma++)
        items++;
    for (unsigned i = 0; i < items && count < MAX_RULES; i++) {
        struct rule *rule = &rules[count];
        const char *word = stub_config_word(name, i, "", room, sizeof(room));
        tail[0] = '\0';
        if (sscanf(word, "%47[^:]:%lu:%ld:%15s", rule->call, &rule->at, &rule->number, tail) < 3) {
            fprintf(stderr, "stub: %s: cannot read '%s'\n", name, word);
            continue;
        }
        rule->event = strcmp(tail, "event") == 0;
        count++;
    }
    return count;
}

static unsigned read_slow(const char *name, struct slow *slow)
{
    unsigned count = 0;
    for (const char *text = getenv(name); text && *text && count < MAX_RULES;) {
        struct slow *rule = &slow[count];
        if (sscanf(text, "%u:%lf:%lf:%lf", &rule->device, &rule->from, &rule->to, &rule->factor) == 4)
            count++;
        else
            fprintf(stderr, "stub: %s: cannot read '%s'\n", name, text);
        text = strchr(text, ',');
        text = text ? text + 1 : NULL;
    }
    return count;
}

static FILE *open_file(const char *name)
{
    const char *path = getenv(name);
    return path && *path ? fopen(path, "we") : NULL;
}

static void config_read(void)
{
    config.log = open_file("STUB_LOG");
    config.timeline = open_file("STUB_TIMELINE");
    config.async = stub_config_number("STUB_ASYNC", 0, 0) != 0;
    config.nfail = read_rules("STUB_FAIL", config.fail);
    config.nhang = read_rules("STUB_HANG", config.hang);
    config.ndeferred = read_rules("STUB_LATE", config.late);
    config.ndies = read_rules("STUB_DIES", config.dies);
    config.nhome = read_rules("STUB_HOME", config.home);
    config.nslow = read_slow("STUB_SLOW", config.slow);
    config.load = stub_config_text("STUB_LOAD", NULL);
}

bool stub_config_async(void)
{
    pthread_once(&config.once, config_read);
    return config.async;
}

bool stub_config_models(void)
{
    return *stub_config_text("STUB_MODEL", "");
}

bool stub_config_slows(void)
{
    return config.nslow || config.load;
}

/* What the file says of the device. */
static double load_of(unsigned device)
{
    char text[64] = "";
    double factor = 1;
    FILE *file = fopen(config.load, "re");
    if (!file)
        return 1;
    const char *word = fgets(text, sizeof(text), file);
    fclose(file);
    for (; word && device > 0; device--)
        word = (word = strchr(word, ',')) ? word + 1 : NULL;
    return word && (factor = strtod(word, NULL)) >= 1 ? factor : 1;
}

double stub_config_slower(unsigned device, cl_ulong now)
{
    uint_fast64_t first = 0;
    double factor = config.load ? load_of(device) : 1;
    if (atomic_compare_exchange_strong(&config.first_launch, &first, now))
        first = now;
    const double ms = now > first ? (double)(now - first) * 1e-6 : 0;
    for (unsigned i = 0; i < config.nslow; i++)
        if (config.slow[i].device == device && config.slow[i].from <= ms && ms < config.slow[i].to)
            factor *= config.slow[i].factor;
    return factor;
}

/* The rule that this call meets, if any. */
static const struct rule *rule_met(struct rule *rules, unsigned count, const char *call)
{
    const struct rule *met = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(rules[i].call, call) == 0 && atomic_fetch_add(&rules[i].seen, 1) + 1 == rules[i].at)
            met = &rules[i];
    }
    return met;
}

void stub_launch_fault(unsigned device, unsigned long k, struct stub_fault *fault)
{
    for (unsigned i = 0; i < config.ndeferred; i++)
        if (strtoul(config.late[i].call, NULL, 10) == device && config.late[i].at == k)
            fault->hang_ms = config.late[i].number;
    for (unsigned i = 0; i < config.ndies; i++)
        if (strtoul(config.dies[i].call, NULL, 10) == device && config.dies[i].at <= k)
            fault->event_code = (cl_int)config.dies[i].number;
    for (unsigned i = 0; i < config.nhome; i++)
        if (strtoul(config.home[i].call, NULL, 10) == device && config.home[i].at == k)
            fault->home = 1 + (unsigned)config.home[i].number;
}

cl_ulong stub_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (cl_ulong)now.tv_sec * 1000000000u + (cl_ulong)now.tv_nsec;
}

void stub_sleep(cl_ulong nanoseconds)
{
    static _Thread_local bool on_time;
    if (!on_time) {
        prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0); /* 50 us, else */
        on_time = true;
    }
    cl_ulong end = stub_now() + nanoseconds;
    struct timespec until = {.tv_sec = (time_t)(end / 1000000000u), .tv_nsec = (long)(end % 1000000000u)};
    while (nanoseconds >= SHORT_NS && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
        continue;
    while (stub_now() < end)
        continue;
}

static void write_line(const char *call, const char *format, va_list arguments, cl_int code)
{
    char line[512];
    int length = snprintf(line, sizeof(line), "%s ", call);
    vsnprintf(line + length, sizeof(line) - (size_t)length, format, arguments);
    pthread_mutex_lock(&config.log_lock);
    if (code)
        fprintf(config.log, "%s FAIL %d\n", line, code);
    else
        fprintf(config.log, "%s\n", line);
    fflush(config.log);
    pthread_mutex_unlock(&config.log_lock);
}

void stub_timeline(const struct stub_command *command, cl_ulong start, cl_ulong end)
{
    const struct stub_launch *launch = command->launch;
    const cl_command_type type = command->event->type;
    const bool in = type == CL_COMMAND_WRITE_BUFFER || type == CL_COMMAND_WRITE_BUFFER_RECT;
    const bool out = type == CL_COMMAND_READ_BUFFER || type == CL_COMMAND_READ_BUFFER_RECT;
    pthread_once(&config.once, config_read);
    if (!config.timeline)
        return;
    pthread_mutex_lock(&config.log_lock);
    fprintf(config.timeline, "%lu %lu d%u q%u %s %zu %zu\n", (unsigned long)start, (unsigned long)end,
            command->queue->device->index, stub_id(command->queue),
            in       ? "write"
            : out    ? "read"
            : launch ? "kernel"
                     : "other",
            launch ? launch->offset[0]
            : in   ? command->to.origin
                   : command->from.origin,
            launch ? launch->global[0] : command->region[0] * (command->region[1] ? command->region[1] : 1));
    fflush(config.timeline);
    pthread_mutex_unlock(&config.log_lock);
}

struct stub_fault stub_call(const char *call, const char *format, ...)
{
    struct stub_fault fault = {0};
    pthread_once(&config.once, config_read);
    const struct rule *fail = rule_met(config.fail, config.nfail, call);
    const struct rule *hang = rule_met(config.hang, config.nhang, call);
    if (fail && fail->event)
        fault.event_code = (cl_int)fail->number;
    else if (fail)
        fault.code = (cl_int)fail->number;
    if (config.log) {
        va_list arguments;
        va_start(arguments, format);
        write_line(call, format, arguments, fault.code);
        va_end(arguments);
    }
    if (hang && strncmp(call, "clEnqueue", 9) == 0 && fault.code == CL_SUCCESS)
        fault.hang_ms = hang->number;
    else if (hang)
        stub_sleep((cl_ulong)(hang->number < 0 ? 1000000000L : hang->number) * 1000000u);
    return fault;
}
