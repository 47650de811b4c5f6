/* SPDX-License-Identifier: MIT */
/*
 * The environment: reads every variable of options.def once, checks it by its type and by the words its row
 * accepts, and remembers where each value came from.
 */
#include "layer/base/options.h"
#include "layer/base/config.h"
#include "scheduler/algo.h"
#include "scheduler/params.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

enum kind {
    KIND_BOOL,
    KIND_UINT,
    KIND_SIZE,
    KIND_REAL,
    KIND_WORD,
    KIND_ALGO,
    KIND_CUT,
    KIND_TEXT,
    KIND_NUMS,
    KIND_PATH
};

enum class { CLASS_user, CLASS_path, CLASS_debug };

struct row_place {
    enum class class;
    enum kind kind;
    size_t offset;            /* of the field in struct cx_options */
    const char *const *words; /* of a WORD, each at its enumerator, NULL behind the last; else NULL */
};

static const char from_default[] = "default";
static const char from_environment[] = "environment";
static const char from_config[] = "configuration file";
static const char from_bad_config[] = "default (bad value in the configuration file)";
static const char from_bad_value[] = "default (bad value in the environment)";

static struct cx_option_row rows[] = {
#define CX_OPTION(class, type, field, name, fallback, accepted, help)                                        \
    {name, #class, #type, fallback, accepted, help, fallback, from_default},
#include "layer/base/options.def"
#undef CX_OPTION
};

#define TEXT_OF(enumerator, word) word,
#define WORDS_BOOL(field)         NULL
#define WORDS_UINT(field)         NULL
#define WORDS_SIZE(field)         NULL
#define WORDS_REAL(field)         NULL
#define WORDS_WORD(field)                                                                                    \
    (const char *const[])                                                                                    \
    {                                                                                                        \
        CX_WORDS_##field(TEXT_OF) NULL                                                                       \
    }
#define WORDS_ALGO(field) NULL
#define WORDS_CUT(field)  NULL
#define WORDS_TEXT(field) NULL
#define WORDS_NUMS(field) NULL
#define WORDS_PATH(field) NULL

static const struct row_place places[] = {
#define CX_OPTION(class, type, field, name, fallback, accepted, help)                                        \
    {CLASS_##class, KIND_##type, offsetof(struct cx_options, field), WORDS_##type(field)},
#include "layer/base/options.def"
#undef CX_OPTION
};

enum { ROWS = sizeof rows / sizeof *rows };

static struct cx_options options;
static char *config_file; /* its name; NULL: none is looked for */
static const char *config_state = "none is looked for";
static unsigned config_line; /* the one that is read; 0: none */
static unsigned wrong_lines; /* of the file; so many are told of */
enum { MOST_WRONG_TOLD = 8 };
static char *cache_dir, *loader_filenames, *loader_vendors, *linker_path, *linker_preload, *driver_cache;
enum { MOST_DRIVER_VARIABLES = 64 };
static char *driver_variables[MOST_DRIVER_VARIABLES];
static unsigned ndriver_variables;
static struct cx_balancer_params algo_params; /* of what COEXEC_ALGO does not give */
static struct cx_algo_problem algo_problem;   /* of the text stored last */
static char *old_names;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool is_read; /* spares each launch nine calls of pthread_once */

/* The enums of the WORD options are alike: enumerators from 0 on, in the order of their words. */
static bool store_word(void *field, const char *const *words, const char *text)
{
    unsigned number = 0;
    static_assert(sizeof(enum cx_option_split) == sizeof number, "an enum has the size of an int");
    while (words[number] && strcmp(words[number], text) != 0)
        number++;
    if (words[number])
        memcpy(field, &number, sizeof number);
    return words[number] != NULL;
}

static bool store_algos(void *field, const char *text)
{
    struct cx_algos *algos = cx_algos_create(text, &algo_params, &algo_problem);
    if (!algos)
        return false;
    cx_algos_destroy(*(struct cx_algos **)field); /* the default, which nobody has seen */
    *(struct cx_algos **)field = algos;
    return true;
}

size_t cx_options_numbers(const char *list, double *numbers, size_t room)
{
    cx_options_get();
    size_t count = 0;
    while (list && *list) {
        double value;
        list = cx_option_number(list, ':', &value);
        if (!list)
            break;
        if (count < room)
            numbers[count] = value;
        count++;
    }
    return count;
}

/* A list that its row calls one of positive numbers takes no 0, one of 0 or 1 nothing else. */
static bool numbers_are_good(const char *accepted, const char *list)
{
    bool positive = strncmp(accepted, "positive", 8) == 0, bits = strncmp(accepted, "0 or 1", 6) == 0;
    do {
        double value;
        list = cx_option_number(list, ':', &value);
        if (!list || value < 0 || (positive && !(value > 0)) || (bits && value != 0 && value != 1))
            return false;
    } while (*list);
    return list[-1] != ':';
}

/* Stores `text`, which must stay, in the row's field. NULL when it fits, else what is wrong with it. */
static const char *store_in(struct cx_options *into, size_t index, const char *text)
{
    void *field = (char *)into + places[index].offset;
    const char *accepted = rows[index].accepted;
    double real;
    switch (places[index].kind) {
    case KIND_BOOL:
        if ((text[0] != '0' && text[0] != '1') || text[1])
            return "neither 0 nor 1";
        *(bool *)field = text[0] == '1';
        return NULL;
    case KIND_UINT:
        return cx_option_uint(text, field) ? NULL : "not a whole number";
    case KIND_SIZE:
        return cx_option_size(text, field) ? NULL : "no such size";
    case KIND_REAL: {
        const char *end = *text ? cx_option_number(text, '\0', &real) : NULL;
        if (!end || !cx_option_in_bounds(accepted, real))
            return end ? "out of range" : "not a number";
        *(double *)field = real;
        return NULL;
    }
    case KIND_WORD:
        return store_word(field, places[index].words, text) ? NULL : "not known";
    case KIND_ALGO:
        return store_algos(field, text) ? NULL : algo_problem.wrong;
    case KIND_CUT:
        return cx_option_cut(text, field) ? NULL : "neither a whole number nor a level";
    case KIND_NUMS:
        if (*text && !numbers_are_good(accepted, text))
            return "not a list of such numbers";
        break;
    case KIND_TEXT:
    case KIND_PATH:
        break;
    }
    *(const char **)field = text;
    return NULL;
}

static const char *store(size_t index, const char *text)
{
    return store_in(&options, index, text);
}

/* "a|b|c" as "a, b, c"; the caller frees. Other texts stay as they are. */
static char *accepted_list(size_t index)
{
    const char *from = rows[index].accepted;
    bool words = places[index].kind == KIND_WORD || places[index].kind == KIND_BOOL;
    char *list = malloc(2 * strlen(from) + 1), *to = list;
    for (; list && *from; from++) {
        if (words && *from == '|') {
            *to++ = ',';
            *to++ = ' ';
        } else {
            *to++ = *from;
        }
    }
    if (list)
        *to = '\0';
    return list;
}

/* The line goes to stderr itself, not through the log, whose own options may be the bad ones. */
static void complain(size_t index, const char *text, const char *problem, const char *accepted)
{
    const struct cx_option_row *row = &rows[index];
    char *list = accepted ? NULL : accepted_list(index), *line = NULL;
    const char *within = places[index].class == CLASS_debug ? "COEXEC_DEBUG=" : "";
    char *place = NULL;
    int length = 0;
    if (config_line && wrong_lines++ >= MOST_WRONG_TOLD) {
        free(list);
        return;
    }
    if (config_line)
        length = asprintf(&place, "%s, line %u: ", config_file, config_line);
    else if (row->origin == from_config)
        length = asprintf(&place, "%s: ", config_file);
    place = length < 0 ? NULL : place;
    length = asprintf(&line, "coexec: %s%s%s=%s: %s; accepted: %s; using %s\n", place ? place : "", within,
                      row->name, text, problem,
                      accepted ? accepted
                      : list   ? list
                               : row->accepted,
                      *row->fallback ? row->fallback : "none");
    if (length > 0) {
        ssize_t written = write(STDERR_FILENO, line, (size_t)length);
        (void)written; /* nowhere left to tell it */
        free(line);
    }
    free(list);
    free(place);
}

/* Gives the row's value, a copy of ours or the fallback, in place of the one it had. */
static void keep_value(size_t index, const char *value, const char *origin)
{
    struct cx_option_row *row = &rows[index];
    const char *before = row->value;
    row->value = value;
    row->origin = origin;
    if (before != row->fallback)
        free((char *)before);
}

static void reset_row(size_t index, const char *origin)
{
    store(index, rows[index].fallback);
    keep_value(index, rows[index].fallback, origin);
}

/* Takes a value that the environment or the configuration file gives, or says that it is not good, and then
 * the default holds. */
static void set_row(size_t index, const char *text, size_t length)
{
    char *copy = strndup(text, length); /* the program may change its environment */
    const char *problem = copy ? store(index, copy) : "out of memory";
    if (!problem) {
        keep_value(index, copy, config_line ? from_config : from_environment);
        return;
    }
    complain(index, copy ? copy : "", problem,
             places[index].kind == KIND_ALGO ? algo_problem.accepted : NULL);
    reset_row(index, config_line ? from_bad_config : from_bad_value);
    free(copy);
}

static void read_row(size_t index)
{
    struct cx_option_row *row = &rows[index];
    store(index, row->fallback);
    if (places[index].class == CLASS_debug)
        return;
    const char *text = places[index].class == CLASS_path ? secure_getenv(row->name) : getenv(row->name);
    if (text && *text)
        set_row(index, text, strlen(text));
}

/* Adds to the variables that are set by their names of earlier releases. */
static void add_old_name(const char *name, const char *now)
{
    char *longer = NULL;
    if (asprintf(&longer, "%s%s%s is now %s", old_names ? old_names : "", old_names ? ", " : "", name, now) <
        0)
        return;
    free(old_names);
    old_names = longer;
}

/* What the policies' parameters were called: sigmoid's p was SIGMOID_P. HDSS had LogFit's threshold. */
static void old_param_name(const struct cx_param_row *row, char *name, size_t size)
{
    const bool shared = strcmp(row->policy, "hdss") == 0 && strcmp(row->name, "threshold") == 0;
    snprintf(name, size, "COEXEC_%s_%s", shared ? "logfit" : row->policy, row->name);
    for (; *name; name++)
        *name = (char)(*name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name);
}

static bool is_old_param(const char *entry, size_t length)
{
    char name[64];
    bool is = false;
    for (unsigned i = 0; cx_param_get(i) && !is; i++) {
        old_param_name(cx_param_get(i), name, sizeof name);
        is = strlen(name) == length && strncmp(name, entry, length) == 0;
    }
    return is;
}

/* What those say stands where COEXEC_ALGO says nothing. */
static void read_old_params(void)
{
    algo_params = cx_balancer_defaults;
    for (unsigned i = 0; cx_param_get(i); i++) {
        const struct cx_param_row *row = cx_param_get(i);
        char name[64], now[160];
        old_param_name(row, name, sizeof name);
        const char *text = getenv(name);
        if (!text || !*text)
            continue;
        snprintf(now, sizeof now, "COEXEC_ALGO=%s:%s=%.60s", row->policy, row->name, text);
        add_old_name(name, now);
        if (!cx_param_set(&algo_params, row, text))
            dprintf(STDERR_FILENO, "coexec: %s=%s: not good; accepted: %s; using %g\n", name, text,
                    cx_param_bounds(row), row->fallback);
    }
}

/* ---- the configuration file ---- */

/* The row that a line of the configuration file names, in any case, with or without COEXEC_, or ROWS. */
static size_t find_named(const char *name)
{
    size_t index = 0;
    name += strncasecmp(name, "COEXEC_", 7) == 0 ? 7 : 0;
    while (index < ROWS &&
           strcasecmp(rows[index].name + (places[index].class == CLASS_debug ? 0 : 7), name) != 0)
        index++;
    return index;
}

static void take_line(unsigned line, const char *name, const char *value)
{
    const size_t index = name ? find_named(name) : ROWS;
    config_line = line;
    if (index == ROWS || strcmp(rows[index].name, "COEXEC_CONFIG") == 0) {
        if (wrong_lines++ < MOST_WRONG_TOLD)
            dprintf(STDERR_FILENO, "coexec: %s, line %u: %s%s; ignored\n", config_file, line,
                    name ? name : "", name ? ": no such option; `coexec info` lists them" : value);
    } else if (rows[index].origin != from_environment && rows[index].origin != from_bad_value)
        set_row(index, value, strlen(value));
    config_line = 0;
}

static char *find_config(void)
{
    const char *base = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
    char *path = NULL;
    int length = -1;
    if (*options.config)
        return strcmp(options.config, "0") == 0 ? NULL : strdup(options.config);
    if (base && *base == '/')
        length = asprintf(&path, "%s/coexec.conf", base);
    else if (home && *home == '/')
        length = asprintf(&path, "%s/.config/coexec.conf", home);
    return length < 0 ? NULL : path;
}

/* Where there is none by the usual name, nothing is said. */
static void read_config(void)
{
    bool missing;
    config_file = find_config();
    config_state = config_file ? cx_config_read(config_file, &missing, take_line) : config_state;
    if (config_state && config_file && (!missing || *options.config))
        dprintf(STDERR_FILENO, "coexec: the configuration file %s is not read: %s\n", config_file,
                config_state);
    if (wrong_lines > MOST_WRONG_TOLD)
        dprintf(STDERR_FILENO, "coexec: %s: %u more lines are wrong\n", config_file,
                wrong_lines - MOST_WRONG_TOLD);
    config_state = config_state ? config_state : "read";
}

const char *cx_options_config(const char **state)
{
    cx_options_get();
    *state = config_state;
    return config_file ? config_file : "";
}

/* ---- COEXEC_DEBUG ---- */

/* The row of a debug name, or ROWS. */
static size_t find_debug(const char *name, size_t length)
{
    size_t index = 0;
    while (index < ROWS && (places[index].class != CLASS_debug || strlen(rows[index].name) != length ||
                            strncmp(rows[index].name, name, length) != 0))
        index++;
    return index;
}

static void complain_of_name(const char *item, size_t length, const char *problem)
{
    char known[512] = "";
    for (size_t i = 0, at = 0; i < ROWS && at < sizeof known; i++)
        if (places[i].class == CLASS_debug)
            at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", at ? ", " : "", rows[i].name);
    dprintf(STDERR_FILENO, "coexec: COEXEC_DEBUG=%.*s: %s; accepted: NAME=VALUE,... with %s; ignored\n",
            (int)length, item, problem, known);
}

/* One NAME=VALUE. */
static void read_debug_item(const char *item, size_t length)
{
    const size_t name = strcspn(item, "=,");
    const size_t index = find_debug(item, name);
    if (name >= length)
        complain_of_name(item, length, length ? "no value" : "an empty part");
    else if (index == ROWS)
        complain_of_name(item, length, "no such name");
    else if (name + 1 < length)
        set_row(index, item + name + 1, length - name - 1);
    else
        reset_row(index, from_environment);
}

static void read_debug(void)
{
    const char *list = *options.debug ? options.debug : NULL;
    while (list) {
        const size_t length = strcspn(list, ",");
        read_debug_item(list, length);
        list = list[length] ? list + length + 1 : NULL;
    }
}

/* Those whose names changed as well. */
static const char *new_debug_name(const char *old)
{
    static const char *const names[][2] = {{"one_home", "remote_access"}, {"rescue", "reexecute"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], old) == 0)
            return names[i][1];
    return old;
}

/* The row of the debug name that was this variable, or ROWS. */
static size_t find_old_debug(const char *variable, size_t length)
{
    char name[64];
    if (length < 8 || length - 7 >= sizeof name)
        return ROWS;
    for (size_t i = 7; i < length; i++)
        name[i - 7] =
            (char)(variable[i] >= 'A' && variable[i] <= 'Z' ? variable[i] - 'A' + 'a' : variable[i]);
    name[length - 7] = '\0';
    const char *now = new_debug_name(name);
    return find_debug(now, strlen(now));
}

/* The variables that debug names were in earlier releases, whose lists had commas. */
static void read_old_debug(void)
{
    for (char **entry = environ; entry && *entry; entry++) {
        const size_t length = strcspn(*entry, "=");
        const size_t index = strncmp(*entry, "COEXEC_", 7) == 0 ? find_old_debug(*entry, length) : ROWS;
        char now[160];
        if (index == ROWS || !(*entry)[length] || !(*entry)[length + 1])
            continue;
        char *value = strdup(*entry + length + 1), *name = strndup(*entry, length);
        for (char *at = value; at && (at = strchr(at, ',')); at++)
            *at = ':';
        if (value && name) {
            set_row(index, value, strlen(value));
            snprintf(now, sizeof now, "COEXEC_DEBUG=%s=%.60s", rows[index].name, value);
            add_old_name(name, now);
        }
        free(value);
        free(name);
    }
}

/* A mistyped name would be ignored in silence otherwise. */
static void tell_unknown_names(void)
{
    for (char **entry = environ; entry && *entry; entry++) {
        size_t length = strcspn(*entry, "="), index = 0;
        if (strncmp(*entry, "COEXEC_", 7) != 0)
            continue;
        while (index < ROWS && (strncmp(rows[index].name, *entry, length) != 0 || rows[index].name[length]))
            index++;
        if (index == ROWS && !is_old_param(*entry, length) && find_old_debug(*entry, length) == ROWS)
            dprintf(STDERR_FILENO, "coexec: %.*s: no such option; `coexec info` lists them; ignored\n",
                    (int)length, *entry);
    }
}

static char *resolve_cache_dir(void)
{
    const char *base = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    char *path = NULL;
    if (strcmp(options.cache_dir, "-") == 0)
        return NULL;
    if (*options.cache_dir)
        return strdup(options.cache_dir);
    int length = -1;
    if (base && *base == '/')
        length = asprintf(&path, "%s/coexec", base);
    else if (home && *home == '/')
        length = asprintf(&path, "%s/.cache/coexec", home);
    return length < 0 ? NULL : path;
}

static char *copy_variable(const char *name)
{
    const char *text = secure_getenv(name);
    return strdup(text ? text : "");
}

static char *copy_driver_cache(void)
{
    const char *keeps = secure_getenv("POCL_KERNEL_CACHE");
    return keeps && strcmp(keeps, "0") == 0 ? NULL : copy_variable("POCL_CACHE_DIR");
}

/* Those by which drivers of CPUs find their caches, compilers and settings. */
static bool is_drivers(const char *variable)
{
    static const char *const starts[] = {"POCL_", "XDG_", "HOME=", "PATH=", "TMPDIR=", "COEXEC_FISSION="};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(variable, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static void copy_driver_variables(void)
{
    for (char **entry = environ; entry && *entry && ndriver_variables < MOST_DRIVER_VARIABLES; entry++)
        if (is_drivers(*entry) && (driver_variables[ndriver_variables] = strdup(*entry)))
            ndriver_variables++;
}

static void read_environment(void)
{
    read_old_params();
    for (size_t i = 0; i < ROWS; i++)
        read_row(i);
    read_config();
    read_old_debug();
    read_debug();
    tell_unknown_names();
    cache_dir = resolve_cache_dir();
    loader_filenames = copy_variable("OCL_ICD_FILENAMES");
    loader_vendors = copy_variable("OCL_ICD_VENDORS");
    linker_path = copy_variable("LD_LIBRARY_PATH");
    linker_preload = copy_variable("LD_PRELOAD");
    driver_cache = copy_driver_cache();
    copy_driver_variables();
    atomic_store_explicit(&is_read, true, memory_order_release);
}

const struct cx_options *cx_options_get(void)
{
    if (!atomic_load_explicit(&is_read, memory_order_acquire))
        pthread_once(&once, read_environment);
    return &options;
}

const struct cx_algo *cx_options_algo(const char *kernel)
{
    return cx_algos_for(cx_options_get()->algo, kernel);
}

const char *cx_options_algo_text(void)
{
    return cx_options_get()->algo->text;
}

const char *cx_options_old_names(void)
{
    cx_options_get();
    return old_names ? old_names : "";
}

const char *cx_options_problem(const char *name, const char *value, char **accepted)
{
    struct cx_options scratch = {0};
    size_t index = 0;
    *accepted = NULL;
    while (index < ROWS && strcmp(rows[index].name, name) != 0)
        index++;
    if (index == ROWS || !*value || places[index].kind == KIND_ALGO)
        return NULL; /* an empty value is the default; cx_algos_create tells of balancers */
    const char *problem = store_in(&scratch, index, value);
    if (problem)
        *accepted = accepted_list(index);
    return problem;
}

bool cx_options_lock_abort(void)
{
    const char *text = secure_getenv("LOCK_ABORT");
    return text && strcmp(text, "1") == 0;
}

uint64_t cx_options_staging(void)
{
    const uint64_t kilobytes = cx_options_get()->staging, most = UINT64_C(1) << 40;
    return (kilobytes < most ? kilobytes : most) * 1024;
}

size_t cx_options_rows(const struct cx_option_row **out)
{
    cx_options_get();
    *out = rows;
    return ROWS;
}

const char *cx_options_reject(const char *name, const char *problem, const char *accepted)
{
    cx_options_get();
    for (size_t i = 0; i < ROWS; i++) {
        struct cx_option_row *row = &rows[i];
        if (strcmp(row->name, name) != 0)
            continue;
        complain(i, row->value, problem, accepted);
        row->value = row->fallback;
        row->origin = row->origin == from_config ? from_bad_config : from_bad_value;
        return row->fallback;
    }
    return "";
}

const char *cx_options_cache_dir(void)
{
    cx_options_get();
    return cache_dir;
}

const char *cx_options_loader_filenames(void)
{
    cx_options_get();
    return loader_filenames ? loader_filenames : "";
}

const char *cx_options_loader_vendors(void)
{
    cx_options_get();
    return loader_vendors ? loader_vendors : "";
}

const char *cx_options_linker_path(void)
{
    cx_options_get();
    return linker_path ? linker_path : "";
}

const char *cx_options_linker_preload(void)
{
    cx_options_get();
    return linker_preload ? linker_preload : "";
}

const char *cx_options_driver_cache(void)
{
    cx_options_get();
    return driver_cache;
}

unsigned cx_options_driver_variables(const char **variable, unsigned most)
{
    cx_options_get();
    const unsigned count = ndriver_variables < most ? ndriver_variables : most;
    for (unsigned i = 0; i < count; i++)
        variable[i] = driver_variables[i];
    return count;
}
