/* SPDX-License-Identifier: MIT */
/*
 * Running coexec-analyse. It reads the source from a file and writes its blob to another, both in a folder
 * made for this run and removed afterwards.
 *
 * A result is kept on disk under the hash of all that it depends on, what included files say among it. If
 * these have changed while the helper ran, nobody knows which it read, and the result is not kept.
 */
#include "layer/source/analyser.h"
#include "layer/source/compiler_macros.h"
#include "layer/base/disk_cache.h"
#include "layer/source/include_hash.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/base/own_program.h"
#include "layer/base/plain_file.h"
#include "layer/base/sha256.h"

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
#ifndef CX_ANALYSER_BESIDE
#define CX_ANALYSER_BESIDE "." /* seen from the installed library's folder */
#endif
#ifndef CX_ANALYSER_INSTALLED
#define CX_ANALYSER_INSTALLED ""
#endif
enum {
    MOST_WORDS = 40,
    PATIENCE = 60,   /* one that waits for an idle core may take so many times its limit */
    HELPER_SHARE = 6 /* the helper gives its compiler five times its own limit, and both may be used up */
};

static char analyser_path[PATH_MAX];

static void find_analyser(void)
{
    const char *option = cx_options_get()->analyser;
    static const struct cx_own_program places = {"analyser/coexec-analyse", CX_ANALYSER_BESIDE,
                                                 CX_ANALYSER_INSTALLED, CX_ANALYSER_BUILT};

    if (*option) {
        if (strlen(option) < sizeof(analyser_path) && !access(option, X_OK))
            strcpy(analyser_path, option);
        else
            cx_warn(CX_TOPIC_ANALYSIS, "%s (COEXEC_ANALYSER) cannot be run: every launch runs whole", option);
        return;
    }
    if (!cx_own_program_find(&places, analyser_path)) {
        *analyser_path = '\0';
        cx_warn(CX_TOPIC_ANALYSIS,
                "coexec-analyse is not found: every launch runs whole. Install coexec whole (a build "
                "needs the package llvm-dev for it), or name it by COEXEC_ANALYSER");
    }
}

const char *cx_analyser_program(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_analyser);
    return *analyser_path ? analyser_path : NULL;
}

void cx_analyser_result_finish(struct cx_analyser_result *result)
{
    cx_summary_destroy(&result->summary);
    free(result->blob);
    free(result->question);
    result->blob = NULL;
    result->question = NULL;
}

/* If the data is a question or a refusal: the result then. */
static bool take_doubt(struct cx_analyser_result *result, const char *data, size_t size)
{
    static const char question[] = CX_MACRO_QUESTION "\n", refusal[] = CX_MACRO_REFUSAL "\n";

    if (size > strlen(question) && !memcmp(data, question, strlen(question))) {
        result->question = strndup(data, size);
        return result->question;
    }
    if (size > strlen(refusal) && !memcmp(data, refusal, strlen(refusal))) {
        const char *line = data + strlen(refusal);
        size_t most = size - strlen(refusal);
        const char *end = memchr(line, '\n', most);
        snprintf(result->why, sizeof(result->why), "%.*s", (int)(end ? (size_t)(end - line) : most), line);
        return true;
    }
    return false;
}

/* Takes the blob over. false: it is none. */
static bool take_blob(struct cx_analyser_result *result, void *blob, size_t size)
{
    if (!blob || cx_summary_parse(blob, size, &result->summary) != CX_SUMMARY_OK) {
        free(blob);
        return false;
    }
    result->blob = blob;
    result->size = size;
    return true;
}

void cx_analyser_tool(char tool[CX_ANALYSER_TOOL_SIZE])
{
    const char *path = cx_analyser_program();
    struct stat info;

    *tool = 0;
    if (path && !stat(path, &info))
        snprintf(tool, CX_ANALYSER_TOOL_SIZE, "summary %d helper %lld %lld.%09ld", CX_SUMMARY_VERSION,
                 (long long)info.st_size, (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

static void key_of(const struct cx_analyser_task *task, char key[CX_DISK_CACHE_KEY_SIZE])
{
    const struct cx_macro_identity *identity = task->identity;
    const char *texts[8 + CX_MACRO_IDENTITY_DEFINES];
    char tool[CX_ANALYSER_TOOL_SIZE], files[CX_INCLUDE_HASH_TEXT_SIZE] = "";
    unsigned count = 0;

    cx_analyser_tool(tool);
    if (task->files)
        cx_include_hash_text(task->files, files);
    texts[count++] = tool;
    texts[count++] = cx_options_get()->clang;
    texts[count++] = task->options;
    texts[count++] = task->text ? "with text" : "";
    texts[count++] = task->replies ? task->replies : "";
    texts[count++] = files;
    texts[count++] = identity->extensions;
    for (unsigned i = 0; i < identity->ndefines; i++)
        texts[count++] = identity->define[i];
    texts[count++] = task->source;
    cx_disk_cache_key(key, count, texts);
}

/* The cache's folder where this text's result may be kept, else NULL. */
static const char *cache_for(const struct cx_analyser_task *task)
{
    const bool unknown = !task->files && cx_macro_identity_includes(task->source, task->options);
    return unknown ? NULL : cx_options_cache_dir();
}

bool cx_analyser_cached(const struct cx_analyser_task *task, struct cx_analyser_result *result)
{
    const char *folder = cache_for(task);
    char key[CX_DISK_CACHE_KEY_SIZE];
    size_t size = 0;

    if (!folder)
        return false;
    key_of(task, key);
    char *data = cx_disk_cache_load(folder, key, &size);
    if (data && take_doubt(result, data, size)) {
        free(data);
        return true;
    }
    if (!data || size < sizeof(result->text)) {
        free(data);
        return false;
    }
    size -= sizeof(result->text);
    memcpy(result->text, data + size, sizeof(result->text));
    bool ok = take_blob(result, data, size);
    result->has_text = ok && task->text;
    return ok;
}

void cx_analyser_cannot_keep(const char *folder)
{
    cx_log_once(
        CX_LEVEL_WARN, CX_TOPIC_ANALYSIS,
        "cannot keep analysis results in %s: each run analyses its kernels anew. Set COEXEC_CACHE_DIR to a "
        "folder that can be written, or to - for no cache",
        folder);
}

/* Keeps a blob with the text's hash behind it, or a doubt as it is. */
static void keep(const struct cx_analyser_task *task, const struct cx_analyser_result *result,
                 const void *doubt, size_t size)
{
    const char *folder = cache_for(task);
    char key[CX_DISK_CACHE_KEY_SIZE];
    if (!folder || (task->text && result->blob && !result->has_text))
        return;
    if (task->files && !cx_include_hash_are(task->source, task->options, task->files))
        return;
    key_of(task, key);
    if (result->blob ? !cx_disk_cache_store_result(folder, key, result->blob, result->size, result->text)
                     : !cx_disk_cache_store(folder, key, doubt, size))
        cx_analyser_cannot_keep(folder);
}

/* The files of one run. */
struct files {
    char folder[24], source[48], blob[48], replies[48], text[48];
    char process[24]; /* our number */
    char included[CX_INCLUDE_HASH_TEXT_SIZE];
    char *cache_path; /* where the result goes on disk, or NULL */
};

/* coexec-analyse [options] -o BLOB SOURCE -- build options */
static void command_line(const struct cx_analyser_task *task, const char *limit, const struct files *files,
                         char *argv[MOST_WORDS])
{
    const struct cx_macro_identity *identity = task->identity;
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
    words[n++] = "--ask";
    if (task->patient)
        words[n++] = "--idle";
    if (files->cache_path) {
        words[n++] = "--keep";
        words[n++] = files->cache_path;
        words[n++] = "--for";
        words[n++] = files->process;
        if (task->files) {
            words[n++] = "--included";
            words[n++] = files->included;
        }
    }
    if (task->replies) {
        words[n++] = "--told";
        words[n++] = files->replies;
    }
    if (task->text) {
        words[n++] = "--text";
        words[n++] = files->text;
    }
    words[n++] = "-o";
    words[n++] = files->blob;
    words[n++] = files->source;
    words[n++] = "--";
    words[n++] = task->options;
    words[n] = NULL;
    memcpy(argv, words, (n + 1) * sizeof(*argv));
}

/* Clang is a package of its own, which a system with the analyser may lack. Package systems name it by its
 * version, as clang's own path tells it: /usr/lib/llvm-16/bin/clang. */
static void tell_missing_clang(const char *clang)
{
    const char *version = strstr(clang, "llvm-");
    char package[32] = "clang";
    if (version)
        snprintf(package, sizeof(package), "clang-%.*s", (int)strspn(version + 5, "0123456789"), version + 5);
    if (*cx_options_get()->clang)
        cx_log_once(CX_LEVEL_WARN, CX_TOPIC_ANALYSIS,
                    "%s (COEXEC_CLANG) cannot be run: every launch runs whole", clang);
    else
        cx_log_once(CX_LEVEL_WARN, CX_TOPIC_ANALYSIS,
                    "%s cannot be run: every launch runs whole. Install the package %s, or name a clang by "
                    "COEXEC_CLANG",
                    clang, package);
}

/* The helper's message as what it says of the program: where clang found an error in the run's files, its
 * line in the program's text, or no place at all, in place of a name that nobody knows. */
static void explain_failure(const struct files *files, const char *message, struct cx_analyser_result *result)
{
    static const char name[] = "coexec-analyse: ", mark[] = "error: ", missing[] = "error: cannot run ";
    const size_t length = strlen(files->source);
    const char *what = message, *line = NULL;

    if (!strncmp(what, name, strlen(name)))
        what += strlen(name);
    if (strncmp(what, missing, strlen(missing)) == 0) {
        tell_missing_clang(what + strlen(missing));
        snprintf(result->why, sizeof(result->why), "clang is missing");
        return;
    }
    const char *error = strstr(what, mark);
    if (error && !strncmp(what, files->folder, strlen(files->folder))) {
        if (!strncmp(what, files->source, length) && what[length] == ':')
            line = what + length + 1;
        what = error + strlen(mark);
    }
    if (line)
        snprintf(result->why, sizeof(result->why), "%.*s (line %ld)", (int)sizeof(result->why) - 32, what,
                 strtol(line, NULL, 10));
    else
        snprintf(result->why, sizeof(result->why), "%s", what);
}

static void explain_end(enum cx_subprocess_end end, const char *message, const struct files *files,
                        struct cx_analyser_result *result)
{
    static const char *const texts[] = {
        [CX_SUBPROCESS_OK] = "the analyser's result cannot be read",
        [CX_SUBPROCESS_FAILED] = "the analyser failed",
        [CX_SUBPROCESS_TIMEOUT] = "the analyser ran into its time limit (COEXEC_DEBUG=analysis_limit)",
        [CX_SUBPROCESS_STOPPED] = "the analysis was stopped",
        [CX_SUBPROCESS_ABSENT] = "the analyser cannot be started",
        [CX_SUBPROCESS_LEFT] = "the program ends before the analysis",
    };
    if (end == CX_SUBPROCESS_FAILED && *message)
        explain_failure(files, message, result);
    else
        snprintf(result->why, sizeof(result->why), "%s", texts[end]);
}

static bool files_make(const struct cx_analyser_task *task, struct files *files)
{
    const char *folder = cache_for(task);
    char key[CX_DISK_CACHE_KEY_SIZE];

    files->cache_path = NULL;
    snprintf(files->process, sizeof(files->process), "%ld", (long)getpid());
    strcpy(files->folder, "/tmp/coexec-XXXXXX");
    if (!mkdtemp(files->folder))
        return false;
    snprintf(files->source, sizeof(files->source), "%s/program.cl", files->folder);
    snprintf(files->blob, sizeof(files->blob), "%s/summary", files->folder);
    snprintf(files->replies, sizeof(files->replies), "%s/told.h", files->folder);
    snprintf(files->text, sizeof(files->text), "%s/text", files->folder);
    if (task->files)
        cx_include_hash_text(task->files, files->included);
    if (folder) {
        key_of(task, key);
        if (asprintf(&files->cache_path, "%s/%s", folder, key) < 0)
            files->cache_path = NULL;
    }
    return true;
}

static void files_remove(const struct files *files)
{
    unlink(files->source);
    unlink(files->blob);
    unlink(files->replies);
    unlink(files->text);
    rmdir(files->folder);
}

static void take_text(const struct files *files, struct cx_analyser_result *result)
{
    struct cx_sha256 hash;
    size_t size = 0;
    void *text = cx_plain_file_read(files->text, &size);

    if (!text)
        return;
    cx_sha256_init(&hash);
    cx_sha256_add(&hash, text, size);
    cx_sha256_end(&hash, result->text);
    result->has_text = true;
    free(text);
}

/* What the helper left. */
static bool take_product(const struct cx_analyser_task *task, const struct files *files,
                         struct cx_analyser_result *result)
{
    size_t size = 0;
    char *data = cx_plain_file_read(files->blob, &size);

    if (!data)
        return false;
    if (take_doubt(result, data, size)) {
        keep(task, result, data, size);
        free(data);
        return true;
    }
    if (!take_blob(result, data, size))
        return false;
    take_text(files, result);
    keep(task, result, NULL, 0);
    return true;
}

void cx_analyser_run(const struct cx_analyser_task *task, struct cx_subprocess *helper,
                     struct cx_analyser_result *result)
{
    char limit[24], message[sizeof(result->why)] = "";
    char *argv[MOST_WORDS];
    struct files files;
    uint64_t limit_ms = cx_options_get()->analysis_limit;
    bool left = false;

    cx_exit_guard_files(true);
    if (!files_make(task, &files)) {
        cx_exit_guard_files(false);
        snprintf(result->why, sizeof(result->why), "no temporary folder for the analysis");
        return;
    }
    snprintf(limit, sizeof(limit), "%llu", (unsigned long long)(limit_ms / HELPER_SHARE + 1));
    command_line(task, limit, &files, argv);
    helper->outlasts = files.cache_path;

    if (cx_plain_file_make(files.source, task->source, strlen(task->source)) &&
        (!task->replies || cx_plain_file_make(files.replies, task->replies, strlen(task->replies)))) {
        const uint64_t wall_ms = limit_ms < INT_MAX && task->patient ? limit_ms * PATIENCE : limit_ms;
        unsigned most = wall_ms < INT_MAX ? (unsigned)wall_ms : INT_MAX;
        enum cx_subprocess_end end = cx_subprocess_run(helper, argv, most, message, sizeof(message));
        if (end != CX_SUBPROCESS_OK || !take_product(task, &files, result))
            explain_end(end, message, &files, result);
        left = end == CX_SUBPROCESS_LEFT;
    } else {
        snprintf(result->why, sizeof(result->why), "no room for the analysis's files in /tmp");
    }
    if (!left) { /* else the analyser does */
        files_remove(&files);
        cx_exit_guard_files(false);
    }
    free(files.cache_path);
}
