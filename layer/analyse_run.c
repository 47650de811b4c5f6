/* SPDX-License-Identifier: MIT */
/*
 * Running coexec-analyse. It reads the source from a file and writes its blob to another, both in a folder
 * made for this run and removed afterwards.
 *
 * A result is kept on disk under the hash of all that it depends on. Headers are files that may change, and
 * the options only say where to look for them, so texts that include some are always analysed anew.
 */
#include "layer/analyse_run.h"
#include "layer/cache.h"
#include "layer/log.h"
#include "layer/options.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the build and the installation put the helper; meson says. */
#ifndef CX_ANALYSER_BUILT
#define CX_ANALYSER_BUILT ""
#endif
#ifndef CX_ANALYSER_INSTALLED
#define CX_ANALYSER_INSTALLED ""
#endif
enum {
    MOST_WORDS = 32,
    HELPER_SHARE = 6 /* the helper gives its compiler five times its own limit, and both may be used up */
};

static char analyser_path[PATH_MAX];

static bool try_analyser(const char *path)
{
    return *path && strlen(path) < sizeof(analyser_path) && !access(path, X_OK) &&
           strcpy(analyser_path, path);
}

/* The library's folder knows best: a built library beside its built helper, also when the tree was moved. */
static void find_analyser(void)
{
    const char *option = cx_options_get()->analyser;
    char real[PATH_MAX], beside[PATH_MAX + 32];
    Dl_info info;

    if (*option) {
        if (!try_analyser(option))
            cx_warn(CX_TOPIC_ANALYSIS, "%s (COEXEC_ANALYSER) cannot be run: every launch runs whole", option);
        return;
    }
    if (dladdr(&analyser_path, &info) && info.dli_fname && realpath(info.dli_fname, real)) {
        *strrchr(real, '/') = 0;
        snprintf(beside, sizeof(beside), "%s/analyser/coexec-analyse", real);
        if (try_analyser(beside))
            return;
    }
    if (!try_analyser(CX_ANALYSER_INSTALLED) && !try_analyser(CX_ANALYSER_BUILT))
        cx_warn(CX_TOPIC_ANALYSIS, "coexec-analyse is not found: every launch runs whole");
}

const char *cx_analyse_program(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_analyser);
    return *analyser_path ? analyser_path : NULL;
}

void cx_analyse_result_finish(struct cx_analyse_result *result)
{
    cx_summary_destroy(&result->summary);
    free(result->blob);
    result->blob = NULL;
}

/* Takes the blob over. false: it is none. */
static bool take_blob(struct cx_analyse_result *result, void *blob, size_t size)
{
    if (!blob || cx_summary_parse(blob, size, &result->summary) != CX_SUMMARY_OK) {
        free(blob);
        return false;
    }
    result->blob = blob;
    result->size = size;
    return true;
}

static void key_of(const struct cx_analyse_task *task, char key[CX_CACHE_KEY_SIZE])
{
    const struct cx_identity *identity = task->identity;
    const char *texts[6 + CX_IDENTITY_DEFINES];
    char tool[160] = "";
    struct stat info;
    unsigned count = 0;

    /* another helper, also of the same version, may judge otherwise */
    if (!stat(task->analyser, &info))
        snprintf(tool, sizeof(tool), "summary %d helper %lld %lld.%09ld", CX_SUMMARY_VERSION,
                 (long long)info.st_size, (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    texts[count++] = tool;
    texts[count++] = cx_options_get()->clang;
    texts[count++] = task->options;
    texts[count++] = identity->extensions;
    for (unsigned i = 0; i < identity->ndefines; i++)
        texts[count++] = identity->define[i];
    texts[count++] = task->source;
    cx_cache_key(key, count, texts);
}

/* The cache's folder where this text's result may be kept, else NULL. */
static const char *cache_for(const struct cx_analyse_task *task)
{
    return cx_identity_includes(task->source, task->options) ? NULL : cx_options_cache_dir();
}

bool cx_analyse_cached(const struct cx_analyse_task *task, struct cx_analyse_result *result)
{
    const char *folder = cache_for(task);
    char key[CX_CACHE_KEY_SIZE];
    size_t size = 0;

    if (!folder)
        return false;
    key_of(task, key);
    void *blob = cx_cache_load(folder, key, &size);
    return take_blob(result, blob, size);
}

static bool write_file(const char *path, const char *text)
{
    size_t left = strlen(text);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0)
        return false;
    while (left) {
        ssize_t put = write(fd, text, left);
        if (put < 0 && errno != EINTR)
            break;
        if (put > 0) {
            text += put;
            left -= (size_t)put;
        }
    }
    return close(fd) == 0 && !left;
}

static void *read_file(const char *path, size_t *size)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *data = NULL;

    if (fd < 0)
        return NULL;
    if (!fstat(fd, &info) && S_ISREG(info.st_mode) && info.st_size > 0 &&
        (data = malloc((size_t)info.st_size))) {
        size_t used = 0;
        ssize_t got;
        while (
            used < (size_t)info.st_size &&
            ((got = read(fd, data + used, (size_t)info.st_size - used)) > 0 || (got < 0 && errno == EINTR)))
            used += got > 0 ? (size_t)got : 0;
        *size = used;
    }
    close(fd);
    return data;
}

/* coexec-analyse [options] -o BLOB SOURCE -- build options */
static void command_line(const struct cx_analyse_task *task, const char *limit, const char *blob,
                         const char *source, char *argv[MOST_WORDS])
{
    const struct cx_identity *identity = task->identity;
    const char *words[MOST_WORDS];
    unsigned n = 0;

    words[n++] = task->analyser;
    if (*cx_options_get()->clang) {
        words[n++] = "--clang";
        words[n++] = cx_options_get()->clang;
    }
    words[n++] = "--time-limit";
    words[n++] = limit;
    words[n++] = "--bits";
    words[n++] = sizeof(void *) == 8 ? "64" : "32";
    words[n++] = "--extensions";
    words[n++] = identity->extensions;
    for (unsigned i = 0; i < identity->ndefines; i++) {
        words[n++] = "--define";
        words[n++] = identity->define[i];
    }
    words[n++] = "-o";
    words[n++] = blob;
    words[n++] = source;
    words[n++] = "--";
    words[n++] = task->options;
    words[n] = NULL;
    memcpy(argv, words, (n + 1) * sizeof(*argv));
}

static void explain_end(enum cx_helper_end end, const char *message, struct cx_analyse_result *result)
{
    static const char *const texts[] = {
        [CX_HELPER_OK] = "the analyser's result cannot be read",
        [CX_HELPER_FAILED] = "the analyser failed",
        [CX_HELPER_TIMEOUT] = "the analyser ran into its time limit (COEXEC_ANALYSIS_LIMIT)",
        [CX_HELPER_STOPPED] = "the analysis was stopped",
        [CX_HELPER_ABSENT] = "the analyser cannot be started",
    };
    bool said = end == CX_HELPER_FAILED && *message;

    snprintf(result->why, sizeof(result->why), "%s", said ? message : texts[end]);
}

void cx_analyse_run(const struct cx_analyse_task *task, struct cx_helper *helper,
                    struct cx_analyse_result *result)
{
    char folder[] = "/tmp/coexec-XXXXXX";
    char source[sizeof(folder) + 16], blob[sizeof(folder) + 16], limit[24];
    char message[sizeof(result->why)] = "", key[CX_CACHE_KEY_SIZE];
    char *argv[MOST_WORDS];
    uint64_t limit_ms = cx_options_get()->analysis_limit;
    size_t size = 0;

    if (!mkdtemp(folder)) {
        snprintf(result->why, sizeof(result->why), "no temporary folder for the analysis");
        return;
    }
    snprintf(source, sizeof(source), "%s/program.cl", folder);
    snprintf(blob, sizeof(blob), "%s/summary", folder);
    snprintf(limit, sizeof(limit), "%llu", (unsigned long long)(limit_ms / HELPER_SHARE + 1));
    command_line(task, limit, blob, source, argv);

    enum cx_helper_end end = CX_HELPER_ABSENT;
    if (write_file(source, task->source)) {
        unsigned most = limit_ms < INT_MAX ? (unsigned)limit_ms : INT_MAX;
        end = cx_helper_run(helper, argv, most, message, sizeof(message));
    }
    void *data = end == CX_HELPER_OK ? read_file(blob, &size) : NULL;
    if (data && take_blob(result, data, size)) {
        const char *cache = cache_for(task);
        if (cache) {
            key_of(task, key);
            cx_cache_store(cache, key, result->blob, result->size);
        }
    } else {
        explain_end(end, message, result);
    }
    unlink(source);
    unlink(blob);
    rmdir(folder);
}
