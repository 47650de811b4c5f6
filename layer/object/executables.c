/* SPDX-License-Identifier: MIT */
/*
 * The entries for this process: those of the user's file first, then the built-in ones that fit its
 * executable.
 */
#include "layer/object/executables.h"
#include "layer/base/file_name.h"
#include "layer/base/log.h"
#include "layer/base/options.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENTRIES_MOST = 64, NUMBERS_FROM = 0x4000 };

struct entry {
    uint32_t query;
    struct cx_answer answer;
};

static struct entry entries[ENTRIES_MOST]; /* that fit this process */
static unsigned nentries;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- reading a line ---- */

/* Queries that may be changed: not those that give handles. */
static bool find_query(const char *word, uint32_t *query)
{
    static const struct {
        const char *name;
        uint32_t query;
    } names[] = {
        {"CL_PLATFORM_NAME", CL_PLATFORM_NAME},
        {"CL_PLATFORM_VENDOR", CL_PLATFORM_VENDOR},
        {"CL_PLATFORM_VERSION", CL_PLATFORM_VERSION},
        {"CL_PLATFORM_ICD_SUFFIX_KHR", CL_PLATFORM_ICD_SUFFIX_KHR},
        {"CL_DEVICE_TYPE", CL_DEVICE_TYPE},
        {"CL_DEVICE_NAME", CL_DEVICE_NAME},
        {"CL_DEVICE_VENDOR", CL_DEVICE_VENDOR},
        {"CL_DEVICE_VENDOR_ID", CL_DEVICE_VENDOR_ID},
        {"CL_DEVICE_VERSION", CL_DEVICE_VERSION},
        {"CL_DEVICE_OPENCL_C_VERSION", CL_DEVICE_OPENCL_C_VERSION},
        {"CL_DRIVER_VERSION", CL_DRIVER_VERSION},
        {"CL_DEVICE_MAX_COMPUTE_UNITS", CL_DEVICE_MAX_COMPUTE_UNITS},
        {"CL_DEVICE_MAX_CLOCK_FREQUENCY", CL_DEVICE_MAX_CLOCK_FREQUENCY},
        {"CL_DEVICE_GLOBAL_MEM_SIZE", CL_DEVICE_GLOBAL_MEM_SIZE},
        {"CL_DEVICE_HOST_UNIFIED_MEMORY", CL_DEVICE_HOST_UNIFIED_MEMORY},
        {"CL_DEVICE_PCI_BUS_INFO_KHR", 0x410F},
        {"CL_DEVICE_UUID_KHR", 0x106A},
        {"CL_DRIVER_UUID_KHR", 0x106B},
        {"CL_DEVICE_PCI_BUS_ID_NV", 0x4008},
        {"CL_DEVICE_PCI_SLOT_ID_NV", 0x4009},
        {"CL_DEVICE_PCI_DOMAIN_ID_NV", 0x400A},
        {"CL_DEVICE_TOPOLOGY_AMD", 0x4037},
        {"CL_DEVICE_BOARD_NAME_AMD", 0x4038},
    };
    char *end;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, word) == 0) {
            *query = names[i].query;
            return true;
        }
    if (!isdigit((unsigned char)*word))
        return false;
    unsigned long number = strtoul(word, &end, 0);
    *query = (uint32_t)number;
    return !*end && number >= NUMBERS_FROM && number <= UINT32_MAX;
}

/* The next word, ended by a 0, or NULL; moves *at behind it. */
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " \t\r\n");
    if (!*word || *word == '#')
        return NULL;
    *at = word + strcspn(word, " \t\r\n");
    if (**at)
        *(*at)++ = '\0';
    return word;
}

static bool read_word(const char *word, struct cx_answer *answer)
{
    static const struct {
        const char *word;
        enum cx_answer_kind kind;
    } words[] = {{"default", CX_ANSWER_DEFAULT},
                 {"real", CX_ANSWER_REAL},
                 {"coexec", CX_ANSWER_OWN},
                 {"none", CX_ANSWER_NONE}};
    char *end;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0) {
            answer->kind = words[i].kind;
            return true;
        }
    if (!isdigit((unsigned char)*word))
        return false;
    errno = 0;
    answer->kind = CX_ANSWER_NUMBER;
    answer->number = strtoull(word, &end, 0);
    return !*end && !errno;
}

/* The answer at *at, a text in quotes or a word. NULL: it is good, else what is wrong. */
static const char *read_answer(char **at, struct cx_answer *answer)
{
    char *text = *at + strspn(*at, " \t");
    if (*text == '"') {
        char *end = strchr(text + 1, '"');
        if (!end)
            return "a text without a closing quote";
        answer->kind = CX_ANSWER_TEXT;
        answer->text = strndup(text + 1, (size_t)(end - text - 1));
        *at = end + 1;
        return answer->text ? NULL : "no memory";
    }
    const char *word = next_word(at);
    return word && read_word(word, answer)
               ? NULL
               : "the answer is none of real, coexec, none, default, a \"text\", a number";
}

/* Reads one line. 1: an entry, for executables that *pattern (free() it, and answer->text) fits; 0: nothing
 * on it; -1: it cannot be read, *problem says why. */
static int parse_line(const char *line, char **pattern, uint32_t *query, struct cx_answer *answer,
                      const char **problem)
{
    char *copy = strdup(line), *at = copy;
    *answer = (struct cx_answer){CX_ANSWER_DEFAULT, NULL, 0};
    *pattern = NULL;
    *problem = "no memory";
    if (!copy)
        return -1;
    const char *name = next_word(&at);
    if (!name) {
        free(copy);
        return 0;
    }
    const char *word = next_word(&at);
    if (!word || !find_query(word, query)) {
        *problem = "no such query, or not one that can be changed";
        goto fail;
    }
    if ((*problem = read_answer(&at, answer)))
        goto fail;
    if (next_word(&at)) {
        *problem = "more than executable, query and answer";
        goto fail;
    }
    if (!(*pattern = strdup(name))) {
        *problem = "no memory";
        goto fail;
    }
    free(copy);
    return 1;
fail:
    free(answer->text);
    answer->text = NULL;
    free(copy);
    return -1;
}

/* ---- collecting ---- */

/* Takes the answer's text over. */
static void add_entry(const char *executable, const char *pattern, uint32_t query, struct cx_answer answer)
{
    bool known = fnmatch(pattern, executable, 0) != 0 || nentries == ENTRIES_MOST;
    for (unsigned i = 0; i < nentries && !known; i++)
        known = entries[i].query == query;
    if (known) {
        free(answer.text);
        return;
    }
    entries[nentries++] = (struct entry){query, answer};
    cx_info(CX_TOPIC_OPTIONS, "%s gets an answer of its own to query 0x%x", executable, query);
}

static void read_file(const char *path, const char *executable)
{
    FILE *file = fopen(path, "re");
    char *line = NULL, *pattern;
    size_t room = 0;
    if (!file) {
        cx_warn(CX_TOPIC_OPTIONS, "COEXEC_PROGRAMS: %s cannot be read: %s", path, strerror(errno));
        return;
    }
    for (unsigned number = 1; getline(&line, &room, file) >= 0; number++) {
        struct cx_answer answer;
        const char *problem;
        uint32_t query;
        int found = parse_line(line, &pattern, &query, &answer, &problem);
        if (found > 0)
            add_entry(executable, pattern, query, answer);
        else if (found < 0)
            cx_warn(CX_TOPIC_OPTIONS, "COEXEC_PROGRAMS: %s, line %u is passed over: %s", path, number,
                    problem);
        free(pattern);
    }
    free(line);
    fclose(file);
}

static void collect(void)
{
    static const struct {
        const char *executable, *query, *answer;
    } table[] = {
#define CX_EXECUTABLE(executable, query, answer, why) {executable, query, answer},
#include "layer/object/executables.def"
#undef CX_EXECUTABLE
    };
    static char path[PATH_MAX], line[256]; /* once, and the thread may have a small stack */
    char *pattern;
    const char *executable = cx_file_name_executable(path);
    if (*cx_options_get()->programs)
        read_file(cx_options_get()->programs, executable);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct cx_answer answer;
        const char *problem;
        uint32_t query;
        snprintf(line, sizeof line, "%s %s %s", table[i].executable, table[i].query, table[i].answer);
        if (parse_line(line, &pattern, &query, &answer, &problem) > 0)
            add_entry(executable, pattern, query, answer);
        free(pattern);
    }
}

const struct cx_answer *cx_executables_answer(uint32_t query)
{
    static const struct cx_answer nothing = {CX_ANSWER_DEFAULT, NULL, 0};
    pthread_once(&once, collect);
    for (unsigned i = 0; i < nentries; i++)
        if (entries[i].query == query)
            return &entries[i].answer;
    return &nothing;
}
