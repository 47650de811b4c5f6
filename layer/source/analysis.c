/* SPDX-License-Identifier: MIT */
/*
 * The analysis of one build: one run of the helper for each set of predefined macros that the text can tell
 * apart, usually one for all members.
 *
 * Where the helper finds that the text depends on macros that nobody knows, each of the run's members is
 * asked for them; members with the same answers stay together, others get a run of their own, and the helper
 * runs again with the answers. So a member may change its run while that is PENDING, never later. A run's
 * result is written once, before its state leaves PENDING. Results found on disk are there when
 * cx_analysis_start returns; others come from a background thread that holds a reference.
 */
#include "layer/source/analysis.h"
#include "layer/source/analyser.h"
#include "layer/source/compiler_macros.h"
#include "layer/base/exit_guard.h"
#include "layer/base/clock.h"
#include "layer/base/deadline.h"
#include "layer/source/include_hash.h"
#include "layer/source/binary_summaries.h"
#include "layer/base/task_queue.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/base/sha256.h"
#include "layer/report/trace.h"
#include "layer/source/trace_analysis.h"
#include "layer/source/vendor_options.h"
#include "layer/base/lock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct run {
    struct cx_analysis *analysis;
    struct cx_macro_identity identity;
    char *replies; /* the members' answers; NULL: not asked */
    struct cx_subprocess helper;
    atomic_uint state;  /* enum cx_analysis_state */
    atomic_bool urgent; /* somebody waits for it */
    bool cached;        /* the result was found on disk */
    struct cx_analyser_result result;
};

struct cx_analysis {
    atomic_uint refs; /* the program's, and one for each thread under way */
    atomic_bool released;
    struct cx_lock lock;
    pthread_cond_t changed; /* a run ended */
    char *source, *options;
    const char *analyser;
    uint64_t since_ns;  /* when it began; 0: no trace */
    unsigned trace_row; /* of the context's */
    unsigned nmembers;
    unsigned nruns;      /* grows under lock */
    atomic_uint *run_of; /* member to run */
    struct run *runs;    /* room for one a member */
    const struct cx_real_device **device;
    bool includes;                           /* the text includes files */
    bool included;                           /* which are known to have been these: */
    unsigned char sum[CX_INCLUDE_HASH_SIZE]; /* by include_hash.h */
    bool keeps;                              /* under lock: a member's result is to be kept */
    struct keep {
        char key[CX_DISK_CACHE_KEY_SIZE]; /* "": no */
    } *keep;                              /* under lock: one a member */
};

static void unref(struct cx_analysis *analysis)
{
    if (atomic_fetch_sub_explicit(&analysis->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (unsigned r = 0; r < analysis->nruns; r++) {
        cx_analyser_result_finish(&analysis->runs[r].result);
        free(analysis->runs[r].replies);
    }
    pthread_cond_destroy(&analysis->changed);
    cx_lock_finish(&analysis->lock);
    free(analysis->runs);
    free(analysis->run_of);
    free(analysis->device);
    free(analysis->keep);
    free(analysis->source);
    free(analysis->options);
    free(analysis);
}

void cx_analysis_release(struct cx_analysis **analysis)
{
    struct cx_analysis *old = *analysis;

    *analysis = NULL;
    if (!old)
        return;
    cx_lock(&old->lock);
    atomic_store(&old->released, !old->keeps);
    for (unsigned r = 0; r < old->nruns && !old->keeps; r++)
        if (atomic_load_explicit(&old->runs[r].state, memory_order_acquire) == CX_ANALYSIS_PENDING)
            cx_exit_guard_subprocess_stop(&old->runs[r].helper);
    cx_unlock(&old->lock);
    unref(old);
}

/* What the analyser is asked for the run. Takes analysis->lock. Runs are compared by their texts where there
 * are several; a program loaded from a binary is, by what files
 * say then, where it includes some (variant.c). */
static struct cx_analyser_task task_of(const struct run *run)
{
    struct cx_analysis *analysis = run->analysis;

    cx_lock(&analysis->lock);
    bool several = analysis->nruns > 1;
    cx_unlock(&analysis->lock);
    return (struct cx_analyser_task){.analyser = analysis->analyser,
                                     .source = analysis->source,
                                     .options = analysis->options,
                                     .files = analysis->included ? analysis->sum : NULL,
                                     .identity = &run->identity,
                                     .replies = run->replies,
                                     .patient = cx_task_queue_is_patient() && !atomic_load(&run->urgent),
                                     .text = several || analysis->includes};
}

/* Tells the trace of a run that has ended. settle() does, in whichever thread ended it, with no lock held;
 * the run's result is written, its state not yet. */
static void trace_run(const struct run *run)
{
    const struct cx_analysis *analysis = run->analysis;
    unsigned own = (unsigned)(run - analysis->runs), member = 0;

    while (member + 1 < analysis->nmembers && atomic_load(&analysis->run_of[member]) != own)
        member++;
    cx_trace_analysis(analysis->trace_row, analysis->device[member]->name, analysis->options, run->cached,
                      run->result.summary ? "done" : run->result.why, analysis->since_ns);
}

/* ---- results for binaries saved before ---- */

/* The run's members whose results are to be kept, one after the other. false: there is none left. */
static bool take_cached(struct run *run, char key[CX_DISK_CACHE_KEY_SIZE])
{
    struct cx_analysis *analysis = run->analysis;
    unsigned own = (unsigned)(run - analysis->runs), m = 0;

    cx_lock(&analysis->lock);
    while (m < analysis->nmembers && !(atomic_load(&analysis->run_of[m]) == own && *analysis->keep[m].key))
        m++;
    const bool found = m < analysis->nmembers;
    if (found) {
        strcpy(key, analysis->keep[m].key);
        *analysis->keep[m].key = 0;
    }
    cx_unlock(&analysis->lock);
    return found;
}

/* A run that is READY or FAILED. Where it is the only one all members see its text: any name of it will do.
 */
static void store_cached(struct run *run)
{
    struct cx_analyser_result *result = &run->result;
    struct cx_analysis_blob blob = {result->blob, result->size, result->has_text ? result->text : NULL};
    unsigned char only[sizeof(result->text)];
    char key[CX_DISK_CACHE_KEY_SIZE];
    struct cx_sha256 hash;

    while (take_cached(run, key)) {
        if (!result->summary || !blob.data)
            continue;
        if (!blob.text && run->analysis->nruns == 1) {
            cx_sha256_init(&hash);
            cx_sha256_add(&hash, blob.data, blob.size);
            cx_sha256_end(&hash, only);
            blob.text = only;
        }
        cx_binary_summaries_store(key, &blob);
    }
}

const char *cx_analysis_moved_text(enum cx_files_moved moved)
{
    static const char *const texts[CX_FILES_MOVED] = {
        [CX_FILES_SAME] = "",
        [CX_FILES_UNKNOWN] = "it cannot be told which files the program includes",
        [CX_FILES_CHANGED] = "a file that the program includes is not as it was when it was built",
        [CX_FILES_UNANALYSED] =
            "without analysis it cannot be told whether files that the program includes have changed",
    };
    return (unsigned)moved < CX_FILES_MOVED ? texts[moved] : "?";
}

enum cx_files_moved cx_analysis_files_moved(const struct cx_analysis *analysis)
{
    if (!analysis->includes)
        return CX_FILES_SAME;
    if (!analysis->included)
        return CX_FILES_UNKNOWN;
    return cx_include_hash_are(analysis->source, analysis->options, analysis->sum) ? CX_FILES_SAME
                                                                                   : CX_FILES_CHANGED;
}

char *cx_analysis_resolve(const struct cx_analysis *analysis)
{
    return analysis->includes && analysis->included
               ? cx_include_hash_resolve(analysis->source, analysis->options, analysis->sum)
               : NULL;
}

static void settle(struct run *run)
{
    struct cx_analysis *analysis = run->analysis;
    /* a result from disk is of files that said the same */
    const enum cx_files_moved moved =
        run->result.summary && !run->cached ? cx_analysis_files_moved(analysis) : CX_FILES_SAME;
    if (moved != CX_FILES_SAME) {
        cx_analyser_result_finish(&run->result);
        run->result = (struct cx_analyser_result){0};
        snprintf(run->result.why, sizeof(run->result.why), "%s", cx_analysis_moved_text(moved));
    }
    bool ok = run->result.summary;

    if (!ok)
        cx_info(CX_TOPIC_ANALYSIS, "%s", run->result.why);
    trace_run(run);
    cx_lock(&analysis->lock);
    atomic_store_explicit(&run->state, ok ? CX_ANALYSIS_READY : CX_ANALYSIS_FAILED, memory_order_release);
    pthread_cond_broadcast(&analysis->changed);
    cx_unlock(&analysis->lock);
    store_cached(run);
}

/* ---- asking the members ---- */

/* A new run beside this one; the caller moves members there. */
static struct run *run_beside(const struct run *run)
{
    struct cx_analysis *analysis = run->analysis;

    cx_lock(&analysis->lock);
    struct run *other = &analysis->runs[analysis->nruns++];
    other->analysis = analysis;
    other->identity = run->identity;
    cx_unlock(&analysis->lock);
    return other;
}

static bool same_replies(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* Shares the run's members out by what they told (which it takes over; NULL: nothing); the runs to do, this
 * one first, to group. Their number. */
static unsigned share_out(struct run *run, char **replies, struct run **group)
{
    struct cx_analysis *analysis = run->analysis;
    unsigned own = (unsigned)(run - analysis->runs), count = 0;

    for (unsigned m = 0; m < analysis->nmembers; m++) {
        if (atomic_load_explicit(&analysis->run_of[m], memory_order_acquire) != own)
            continue;
        unsigned g = 0;
        while (g < count && !same_replies(group[g]->replies, replies[m]))
            g++;
        if (g == count) {
            group[count] = count ? run_beside(run) : run;
            group[count++]->replies = replies[m];
        } else {
            free(replies[m]);
        }
        atomic_store_explicit(&analysis->run_of[m], (unsigned)(group[g] - analysis->runs),
                              memory_order_release);
    }
    return count;
}

/* A device that is asked compiles, on a machine that may be busy; nobody waits for it but this thread, and a
 * program that gave up would run whole for good. A driver that hangs is left alone in the end. */
enum { MOST_MS = 3600000, PATIENCE = 10 };

static int64_t now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000;
}

/* What each of the run's members tells; at once: only what is known already. false: somebody tells nothing.
 */
static bool hear_members(struct run *run, bool at_once, char **replies)
{
    struct cx_analysis *analysis = run->analysis;
    uint64_t limit = cx_options_get()->analysis_limit;
    int64_t end = now_ms() + (int64_t)(limit < MOST_MS ? limit : MOST_MS) * PATIENCE;
    unsigned own = (unsigned)(run - analysis->runs);
    bool all = true;

    for (unsigned m = 0; m < analysis->nmembers; m++) {
        char why[sizeof(run->result.why) / 2] = "";
        int64_t left = end - now_ms();
        if (atomic_load_explicit(&analysis->run_of[m], memory_order_acquire) != own)
            continue;
        if (at_once)
            replies[m] = cx_compiler_macros_cached(analysis->device[m], run->result.question);
        else if (!atomic_load(&analysis->released))
            replies[m] = cx_compiler_macros_ask(analysis->device[m], run->result.question,
                                                left > 0 ? (unsigned)left : 0, why, sizeof(why));
        if (!replies[m])
            all = false;
        if (!replies[m] && *why)
            snprintf(run->result.why, sizeof(run->result.why), "%s", why);
    }
    return all;
}

/* The doubt (the question's second line), and why nobody told. */
static void explain_doubt(const char *question, const char *why, struct cx_analyser_result *result)
{
    const char *line = strchr(question, '\n');
    int length = line ? (int)strcspn(line + 1, "\n") : 0;

    snprintf(result->why, sizeof(result->why), "%.*s; %.100s", length, line ? line + 1 : "",
             *why ? why : "the analysis was stopped");
}

/* Runs the helper with what the members told; those that told nothing are through. */
static void finish_group(struct run *run, const char *question, const char *why)
{
    struct cx_analyser_task task = task_of(run);

    if (!run->replies || atomic_load(&run->analysis->released))
        explain_doubt(question, why, &run->result);
    else if (!(run->cached = cx_analyser_cached(&task, &run->result)))
        cx_analyser_run(&task, &run->helper, &run->result);
    settle(run);
}

static void ask_members(struct run *run)
{
    struct cx_analysis *analysis = run->analysis;
    char *question = run->result.question, why[sizeof(run->result.why)];
    char **replies = calloc(analysis->nmembers, sizeof(*replies));
    struct run **group = calloc(analysis->nmembers, sizeof(*group));

    if (replies && group) {
        hear_members(run, false, replies);
        unsigned count = share_out(run, replies, group);
        snprintf(why, sizeof(why), "%s", run->result.why);
        run->result = (struct cx_analyser_result){0};
        for (unsigned g = 0; g < count; g++)
            finish_group(group[g], question, why);
        free(question);
    } else {
        snprintf(run->result.why, sizeof(run->result.why), "no memory for the analysis");
        settle(run);
    }
    free(replies);
    free(group);
}

/* ---- runs ---- */

static void run_task(void *data)
{
    struct run *run = data;
    struct cx_analysis *analysis = run->analysis;
    struct cx_analyser_task task = task_of(run);

    if (cx_exit_guard_ending()) /* while it waited for its turn */
        snprintf(run->result.why, sizeof(run->result.why), "the analysis was stopped");
    else if (!run->result.question)
        cx_analyser_run(&task, &run->helper, &run->result);
    if (run->result.question)
        ask_members(run);
    else
        settle(run);
    unref(analysis);
}

static void start_item(struct run *run);

/* Where every member's answers are known already. */
static bool start_asked(struct run *run)
{
    struct cx_analysis *analysis = run->analysis;
    char **replies = calloc(analysis->nmembers, sizeof(*replies));
    struct run **group = calloc(analysis->nmembers, sizeof(*group));
    bool known = replies && group && hear_members(run, true, replies);

    if (known) {
        unsigned count = share_out(run, replies, group);
        cx_analyser_result_finish(&run->result);
        for (unsigned g = 0; g < count; g++)
            start_item(group[g]);
    } else {
        for (unsigned m = 0; replies && m < analysis->nmembers; m++)
            free(replies[m]);
    }
    free(replies);
    free(group);
    return known;
}

static void start_item(struct run *run)
{
    struct cx_analyser_task task = task_of(run);

    if (run->analysis->includes && !run->analysis->included) { /* whatever came of it would be dropped */
        snprintf(run->result.why, sizeof(run->result.why), "%s", cx_analysis_moved_text(CX_FILES_UNKNOWN));
        settle(run);
        return;
    }
    run->cached = cx_analyser_cached(&task, &run->result);
    if (run->result.question && start_asked(run))
        return;
    if (!run->cached || run->result.question) {
        atomic_fetch_add_explicit(&run->analysis->refs, 1, memory_order_relaxed);
        if (cx_task_queue_run(CX_TASKS_ANALYSES, run_task, run, run))
            return;
        atomic_fetch_sub_explicit(&run->analysis->refs, 1, memory_order_relaxed);
        snprintf(run->result.why, sizeof(run->result.why), "no thread for the analysis");
    }
    settle(run);
}

/* The device that an analysis looks at: it may outlive the program's sub-devices, but not the machine's
 * devices, and what is cut from one has its compiler. */
static const struct cx_real_device *lasting_device(const struct cx_real_device *device)
{
    return device->whole ? device->whole : device;
}

/* Gives each member its run: one for all, or one for each identity. */
static void assign_runs(struct cx_analysis *analysis, const struct cx_device_list *members, unsigned first)
{
    bool matters = cx_macro_identity_matters(analysis->source, analysis->options);

    for (unsigned k = 0; k < members->n; k++) {
        unsigned m = k == 0 ? first : k <= first ? k - 1 : k;
        struct cx_macro_identity identity;
        cx_macro_identity_make(lasting_device(members->device[m]), &identity);
        unsigned r = 0;
        while (r < analysis->nruns && matters &&
               !cx_macro_identity_same(&analysis->runs[r].identity, &identity))
            r++;
        if (r == analysis->nruns) {
            analysis->runs[r].analysis = analysis;
            analysis->runs[r].identity = identity;
            analysis->nruns++;
        }
        atomic_init(&analysis->run_of[m], r);
        analysis->device[m] = lasting_device(members->device[m]);
    }
}

static struct cx_analysis *analysis_new(unsigned nmembers, const char *source, const char *options)
{
    struct cx_analysis *analysis = calloc(1, sizeof(*analysis));
    pthread_condattr_t monotonic;

    if (!analysis)
        return NULL;
    atomic_init(&analysis->refs, 1);
    cx_lock_init(&analysis->lock, CX_RANK_ANALYSIS);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&analysis->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    analysis->nmembers = nmembers;
    analysis->includes = cx_macro_identity_includes(source, options);
    analysis->included = analysis->includes && cx_include_hash_sum(source, options, analysis->sum);
    analysis->source = strdup(source);
    analysis->options = cx_vendor_options_none(options);
    analysis->runs = calloc(nmembers, sizeof(*analysis->runs));
    analysis->run_of = calloc(nmembers, sizeof(*analysis->run_of));
    analysis->device = calloc(nmembers, sizeof(*analysis->device));
    analysis->keep = calloc(nmembers, sizeof(*analysis->keep));
    if (!analysis->source || !analysis->options || !analysis->runs || !analysis->run_of ||
        !analysis->device || !analysis->keep) {
        unref(analysis);
        return NULL;
    }
    return analysis;
}

struct cx_analysis *cx_analysis_start(const struct cx_device_list *members, unsigned first,
                                      const char *source, const char *options, unsigned trace_row,
                                      struct cx_no_summary *why)
{
    if (!cx_options_get()->analysis) {
        *why = (struct cx_no_summary){.reason = CX_NO_SUMMARY_OFF};
        return NULL;
    }
    const char *analyser = cx_analyser_program();
    if (!analyser) {
        *why = (struct cx_no_summary){.reason = CX_NO_SUMMARY_NO_ANALYSER};
        return NULL;
    }
    struct cx_analysis *analysis = analysis_new(members->n, source, options);
    if (!analysis) {
        *why = (struct cx_no_summary){.reason = CX_NO_SUMMARY_NO_MEMORY};
        return NULL;
    }
    analysis->analyser = analyser;
    analysis->since_ns = cx_trace_on() ? cx_clock_ns() : 0;
    analysis->trace_row = trace_row;
    assign_runs(analysis, members, first);
    unsigned count = analysis->nruns; /* answers may add some */
    for (unsigned r = 0; r < count; r++)
        start_item(&analysis->runs[r]);
    return analysis;
}

/* One run a member, whose result is there. */
static void restore_run(struct run *run, const struct cx_analysis_blob *blob)
{
    struct cx_analyser_result *result = &run->result;

    snprintf(result->why, sizeof(result->why), "%s", cx_no_summary_reason_text(CX_NO_SUMMARY_BINARY));
    if (blob->data && cx_summary_parse(blob->data, blob->size, &result->summary) == CX_SUMMARY_OK) {
        result->blob = malloc(blob->size);
        if (result->blob) {
            memcpy(result->blob, blob->data, blob->size);
            result->size = blob->size;
        }
        result->has_text = result->blob && blob->text;
        if (result->has_text)
            memcpy(result->text, blob->text, sizeof(result->text));
    }
    atomic_init(&run->state, result->summary ? CX_ANALYSIS_READY : CX_ANALYSIS_FAILED);
}

struct cx_analysis *cx_analysis_restore(const struct cx_device_list *members,
                                        const struct cx_analysis_blob *blobs, struct cx_no_summary *why)
{
    struct cx_analysis *analysis = analysis_new(members->n, "", "");
    bool any = false;

    *why = (struct cx_no_summary){.reason = CX_NO_SUMMARY_NO_MEMORY};
    if (!analysis)
        return NULL;
    analysis->nruns = members->n;
    for (unsigned m = 0; m < members->n; m++) {
        analysis->runs[m].analysis = analysis;
        atomic_init(&analysis->run_of[m], m);
        analysis->device[m] = lasting_device(members->device[m]);
        restore_run(&analysis->runs[m], &blobs[m]);
        any |= analysis->runs[m].result.summary != NULL;
    }
    if (any)
        return analysis;
    *why = (struct cx_no_summary){.reason = CX_NO_SUMMARY_BINARY};
    unref(analysis);
    return NULL;
}

static const struct run *run_of(const struct cx_analysis *analysis, unsigned member)
{
    return &analysis->runs[atomic_load_explicit(&analysis->run_of[member], memory_order_acquire)];
}

static enum cx_analysis_state state_of(const struct run *run)
{
    return (enum cx_analysis_state)atomic_load_explicit(&run->state, memory_order_acquire);
}

enum cx_analysis_state cx_analysis_state(const struct cx_analysis *analysis, unsigned member)
{
    return state_of(run_of(analysis, member));
}

static struct cx_no_summary reported(const struct run *run)
{
    return (struct cx_no_summary){.reason = CX_NO_SUMMARY_REPORTED, .report = run->result.why};
}

const struct cx_summary *cx_analysis_summary(const struct cx_analysis *analysis, unsigned member,
                                             struct cx_no_summary *why)
{
    const struct run *run = run_of(analysis, member);
    enum cx_analysis_state state = state_of(run);

    if (state == CX_ANALYSIS_READY)
        return run->result.summary;
    if (why)
        *why = state == CX_ANALYSIS_PENDING ? (struct cx_no_summary){.reason = CX_NO_SUMMARY_RUNNING}
                                            : reported(run);
    return NULL;
}

const char *cx_analysis_replies(const struct cx_analysis *analysis, unsigned member)
{
    const struct run *run = run_of(analysis, member);
    return state_of(run) == CX_ANALYSIS_READY ? run->replies : NULL;
}

/* Members of one run see one text, whatever its hash: the blob's own bytes then stand for it. */
struct cx_analysis_blob cx_analysis_blob(const struct cx_analysis *analysis, unsigned member)
{
    const struct run *run = run_of(analysis, member);
    struct cx_analysis_blob blob = {0};

    if (state_of(run) != CX_ANALYSIS_READY || !run->result.blob)
        return blob;
    blob = (struct cx_analysis_blob){.data = run->result.blob, .size = run->result.size};
    if (run->result.has_text)
        blob.text = run->result.text;
    return blob;
}

void cx_analysis_keep(struct cx_analysis *analysis, unsigned member, const char *key)
{
    cx_lock(&analysis->lock);
    struct run *run = &analysis->runs[atomic_load(&analysis->run_of[member])];
    const bool pending = state_of(run) == CX_ANALYSIS_PENDING;
    snprintf(analysis->keep[member].key, sizeof(analysis->keep[member].key), "%s", key);
    analysis->keeps |= pending;
    cx_unlock(&analysis->lock);
    if (!pending)
        store_cached(run);
}

/* Whether both are ready and of one text; else *why is set. */
static bool are_same(const struct run *first, const struct run *second, struct cx_no_summary *why)
{
    const struct run *runs[] = {first, second};

    if (first == second)
        return true;
    for (unsigned i = 0; i < 2; i++) {
        enum cx_analysis_state state = state_of(runs[i]);
        if (state == CX_ANALYSIS_READY)
            continue;
        *why = state == CX_ANALYSIS_FAILED ? reported(runs[i])
                                           : (struct cx_no_summary){.reason = CX_NO_SUMMARY_OTHER_RUNNING};
        return false;
    }
    if (first->result.has_text && second->result.has_text &&
        !memcmp(first->result.text, second->result.text, sizeof(first->result.text)) &&
        first->result.size == second->result.size &&
        !memcmp(first->result.blob, second->result.blob, first->result.size))
        return true;
    *why = (struct cx_no_summary){.reason = CX_NO_SUMMARY_MACROS_DIFFER};
    return false;
}

bool cx_analysis_same(const struct cx_analysis *analysis, unsigned a, unsigned b, struct cx_no_summary *why)
{
    struct cx_no_summary unwanted;
    return are_same(run_of(analysis, a), run_of(analysis, b), why ? why : &unwanted);
}

static bool any_pending(const struct cx_analysis *analysis)
{
    for (unsigned r = 0; r < analysis->nruns; r++)
        if (state_of(&analysis->runs[r]) == CX_ANALYSIS_PENDING)
            return true;
    return false;
}

/* What has not begun is begun at once, and takes the priority that the program has. */
static void hurry(struct cx_analysis *analysis)
{
    cx_lock(&analysis->lock);
    const unsigned count = analysis->nruns;
    cx_unlock(&analysis->lock);
    for (unsigned r = 0; r < count; r++) {
        atomic_store(&analysis->runs[r].urgent, true);
        cx_task_queue_hurry(&analysis->runs[r]);
    }
}

bool cx_analysis_wait(struct cx_analysis *analysis, unsigned ms)
{
    const struct timespec until = cx_deadline(ms);
    bool pending;

    if (ms)
        hurry(analysis);
    cx_lock(&analysis->lock);
    while ((pending = any_pending(analysis)))
        if (!ms || !cx_lock_wait_until(&analysis->changed, &analysis->lock, &until))
            break;
    cx_unlock(&analysis->lock);
    return !pending;
}
