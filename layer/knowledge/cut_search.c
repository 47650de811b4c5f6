/* SPDX-License-Identifier: MIT */
/*
 * This process' part of the search. See cut_search.h.
 */
#include "layer/knowledge/cut_search.h"
#include "layer/base/deadline.h"
#include "layer/base/disk_cache.h"
#include "layer/base/file_name.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/base/sha256.h"
#include "layer/knowledge/cut_record.h"
#include "layer/knowledge/folder.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Kernels, ranges and arguments of one process, and launches, that are measured at most. */
enum { MOST_KERNELS = 256, MOST_LAUNCHES = 20000 };
/* A kernel's first launch may have been compiled in it. */
enum { LEAST_LAUNCHES = 2 };
enum { LOCK_PATIENCE_MS = 20 };

static struct cx_lock lock = CX_LOCK_INIT(CX_RANK_KNOWLEDGE);
static struct cx_cut_kernel *measured CX_GUARDED_BY(lock); /* MOST_KERNELS of them */
static unsigned nmeasured CX_GUARDED_BY(lock), nlaunches CX_GUARDED_BY(lock);

/* Set before `active`. */
static struct {
    char *folder;
    char name[96]; /* of the file */
    char program[CX_CUT_NAME];
    unsigned char salt[CX_KNOWLEDGE_SALT];
    unsigned level;
    pid_t process;
    atomic_bool active;
} search;

/* ---- the file ---- */

/* The first argument where that is a file, as a script is; else "". */
static void read_script(char *script, size_t size)
{
    char line[1024];
    struct stat info;
    const int descriptor = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t length = descriptor < 0 ? 0 : read(descriptor, line, sizeof line - 1);
    if (descriptor >= 0)
        close(descriptor);
    line[length > 0 ? length : 0] = '\0';
    const char *argument = line + strlen(line) + 1;
    const bool is_file =
        argument < line + length && *argument != '-' && stat(argument, &info) == 0 && S_ISREG(info.st_mode);
    snprintf(script, size, "%s", is_file ? argument : "");
}

static void hash_texts(const char *const *texts, unsigned n, unsigned char digest[32])
{
    struct cx_sha256 sha;
    cx_sha256_init(&sha);
    cx_sha256_add(&sha, search.salt, sizeof search.salt);
    for (unsigned i = 0; i < n; i++)
        cx_sha256_add(&sha, texts[i], strlen(texts[i]) + 1);
    cx_sha256_end(&sha, digest);
}

static void name_file(const char *machine)
{
    static char path[PATH_MAX]; /* once, and the thread may have a small stack */
    char script[512];
    unsigned char digest[32];
    const char *program = cx_file_name_executable(path);
    read_script(script, sizeof script);
    const char *name = strrchr(script, '/') ? strrchr(script, '/') + 1 : script;
    snprintf(search.program, sizeof search.program, "%.30s%s%.30s", program, *name ? " " : "", name);
    hash_texts((const char *const[]){path, program, script, machine}, 4, digest);
    size_t at = (size_t)snprintf(search.name, sizeof search.name, CX_CUT_SEARCH_FILES);
    for (unsigned i = 0; i < 16; i++, at += 2)
        snprintf(search.name + at, 3, "%02x", digest[i]);
}

static void load(struct cx_cut_record *record)
{
    size_t size;
    char *text = cx_disk_cache_load(search.folder, search.name, &size);
    memset(record, 0, sizeof *record);
    if (text)
        (void)cx_cut_parse(text, size, record);
    snprintf(record->name, sizeof record->name, "%s", search.program);
    free(text);
}

static void store(const struct cx_cut_record *record)
{
    size_t size;
    char *text = cx_cut_print(record, &size);
    if (text && !cx_disk_cache_store(search.folder, search.name, text, size))
        cx_log_once(CX_LEVEL_INFO, CX_TOPIC_PLAN, "what is learned cannot be kept in %s", search.folder);
    free(text);
}

/* ---- at the beginning ---- */

static void begin_measuring(void) CX_UNCHECKED
{
    measured = calloc(MOST_KERNELS, sizeof *measured);
    search.process = getpid();
    atomic_store_explicit(&search.active, measured != NULL, memory_order_release);
}

unsigned cx_cut_search_begin(const char *machine, const unsigned *order, unsigned n, double *ratios,
                             bool *tries)
{
    const struct cx_options *options = cx_options_get(); /* runs beside a launch change its times */
    const bool may_write = options->knowledge == CX_OPTION_KNOWLEDGE_AUTO && !options->verify;
    struct cx_cut_record *record = calloc(1, sizeof *record);
    memset(ratios, 0, n * sizeof *ratios);
    *tries = false;
    search.folder = record ? cx_knowledge_folder_wanted() : NULL;
    if (!search.folder || !cx_knowledge_salt(search.folder, may_write, search.salt)) {
        free(record);
        return order[0];
    }
    name_file(machine);
    load(record);
    search.level = cx_cut_choose(record, order, n, may_write && options->budget > 0);
    *tries = search.level != cx_cut_choose(record, order, n, false);
    for (unsigned i = 0; i < n; i++)
        if (!cx_cut_ratio(record, order[i], order[0], &ratios[i]))
            ratios[i] = 0;
    record->level[search.level].tries += *tries;
    if (*tries)
        store(record);
    if (may_write)
        begin_measuring();
    free(record);
    return search.level;
}

/* ---- while it runs ---- */

bool cx_cut_search_measures(void)
{
    return atomic_load_explicit(&search.active, memory_order_acquire);
}

void cx_cut_search_add(uint64_t key, uint64_t ns)
{
    unsigned i = 0;
    if (!cx_cut_search_measures() || ns == 0)
        return;
    cx_lock(&lock);
    while (i < nmeasured && measured[i].key != key)
        i++;
    if (i == nmeasured && nmeasured < MOST_KERNELS)
        measured[nmeasured++] = (struct cx_cut_kernel){.key = key, .ns = ns};
    if (i < nmeasured) {
        measured[i].launches++;
        measured[i].ns = ns < measured[i].ns ? ns : measured[i].ns;
    }
    if (++nlaunches == MOST_LAUNCHES)
        atomic_store(&search.active, false);
    cx_unlock(&lock);
}

/* ---- at the end ---- */

/* Leaves those that were launched often enough, under salted keys. */
static void settle(void) CX_HOLDS(lock)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < nmeasured; i++) {
        unsigned char digest[32];
        char number[24];
        if (measured[i].launches < LEAST_LAUNCHES)
            continue;
        measured[kept] = measured[i];
        snprintf(number, sizeof number, "%llu", (unsigned long long)measured[i].key);
        hash_texts((const char *const[]){number}, 1, digest);
        memcpy(&measured[kept].key, digest, sizeof measured[kept].key);
        measured[kept++].key |= 1;
    }
    nmeasured = kept;
}

/* As knowledge.c does: a child made by fork() is not the process, and may find the lock taken for ever. */
__attribute__((destructor)) static void write_at_exit(void)
{
    const struct timespec most = cx_deadline_on(CLOCK_REALTIME, LOCK_PATIENCE_MS);
    if (search.process == 0 || search.process != getpid() || !cx_lock_before(&lock, &most))
        return;
    atomic_store(&search.active, false);
    settle();
    struct cx_cut_record *record = nmeasured ? calloc(1, sizeof *record) : NULL;
    if (record) {
        load(record);
        cx_cut_enter(record, search.level, measured, nmeasured);
        store(record);
    }
    free(record);
    cx_unlock(&lock);
}
