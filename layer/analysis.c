/* SPDX-License-Identifier: MIT */
/*
 * The analysis of one build: one run of the helper for each set of predefined macros that the text can tell
 * apart, usually one for all members.
 *
 * A run's result is written once, before its state leaves PENDING. Results found on disk are there when
 * cx_analysis_start returns; others come from a background thread that holds a reference.
 */
#include "layer/analysis.h"
#include "layer/analyse_run.h"
#include "layer/background.h"
#include "layer/log.h"
#include "layer/options.h"
#include "layer/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct run {
    struct cx_analysis *analysis;
    struct cx_identity identity;
    struct cx_helper helper;
    atomic_uint state; /* enum cx_analysis_state */
    struct cx_analyse_result result;
};

struct cx_analysis {
    atomic_uint refs; /* the program's, and one for each run under way */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a run ended */
    char *source, *options;
    const char *analyser;
    unsigned nmembers, nruns;
    unsigned *run_of; /* member to run */
    struct run *runs;
};

static void unref(struct cx_analysis *analysis)
{
    if (atomic_fetch_sub_explicit(&analysis->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (unsigned r = 0; r < analysis->nruns; r++)
        cx_analyse_result_finish(&analysis->runs[r].result);
    pthread_cond_destroy(&analysis->changed);
    pthread_mutex_destroy(&analysis->lock);
    free(analysis->runs);
    free(analysis->run_of);
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
    for (unsigned r = 0; r < old->nruns; r++)
        if (atomic_load_explicit(&old->runs[r].state, memory_order_acquire) == CX_ANALYSIS_PENDING)
            cx_helper_stop(&old->runs[r].helper);
    unref(old);
}

static struct cx_analyse_task task_of(const struct run *run)
{
    const struct cx_analysis *analysis = run->analysis;
    return (struct cx_analyse_task){.analyser = analysis->analyser,
                                    .source = analysis->source,
                                    .options = analysis->options,
                                    .identity = &run->identity};
}

static void settle(struct run *run)
{
    struct cx_analysis *analysis = run->analysis;
    bool ok = run->result.summary;

    if (!ok)
        cx_info(CX_TOPIC_ANALYSIS, "%s", run->result.why);
    pthread_mutex_lock(&analysis->lock);
    atomic_store_explicit(&run->state, ok ? CX_ANALYSIS_READY : CX_ANALYSIS_FAILED, memory_order_release);
    pthread_cond_broadcast(&analysis->changed);
    pthread_mutex_unlock(&analysis->lock);
}

static void run_task(void *data)
{
    struct run *run = data;
    struct cx_analyse_task task = task_of(run);

    cx_analyse_run(&task, &run->helper, &run->result);
    settle(run);
    unref(run->analysis);
}

static void start_run(struct run *run)
{
    struct cx_analyse_task task = task_of(run);

    if (!cx_analyse_cached(&task, &run->result)) {
        atomic_fetch_add_explicit(&run->analysis->refs, 1, memory_order_relaxed);
        if (cx_background_run(run_task, run))
            return;
        atomic_fetch_sub_explicit(&run->analysis->refs, 1, memory_order_relaxed);
        snprintf(run->result.why, sizeof(run->result.why), "no thread for the analysis");
    }
    settle(run);
}

/* Gives each member its run: one for all, or one for each identity. */
static void assign_runs(struct cx_analysis *analysis, const struct cx_context *context)
{
    bool matters = cx_identity_matters(analysis->source, analysis->options);

    for (unsigned k = 0; k < context->nmembers; k++) {
        /* the fastest first, so that it is the one that speaks for all */
        unsigned m = k == 0 ? context->fastest : k <= context->fastest ? k - 1 : k;
        struct cx_identity identity;
        cx_identity_make(context->workers[m].device, &identity);
        unsigned r = 0;
        while (r < analysis->nruns && matters && !cx_identity_same(&analysis->runs[r].identity, &identity))
            r++;
        if (r == analysis->nruns) {
            analysis->runs[r].analysis = analysis;
            analysis->runs[r].identity = identity;
            analysis->nruns++;
        }
        analysis->run_of[m] = r;
    }
}

static struct cx_analysis *analysis_new(const struct cx_context *context, const char *source,
                                        const char *options)
{
    struct cx_analysis *analysis = calloc(1, sizeof(*analysis));
    pthread_condattr_t monotonic;

    if (!analysis)
        return NULL;
    atomic_init(&analysis->refs, 1);
    pthread_mutex_init(&analysis->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&analysis->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    analysis->nmembers = context->nmembers;
    analysis->source = strdup(source);
    analysis->options = strdup(options);
    analysis->runs = calloc(context->nmembers, sizeof(*analysis->runs));
    analysis->run_of = calloc(context->nmembers, sizeof(*analysis->run_of));
    if (!analysis->source || !analysis->options || !analysis->runs || !analysis->run_of) {
        unref(analysis);
        return NULL;
    }
    return analysis;
}

struct cx_analysis *cx_analysis_start(const struct cx_context *context, const char *source,
                                      const char *options, const char **why)
{
    if (!cx_options_get()->analysis) {
        *why = "analysis is switched off (COEXEC_ANALYSIS=0)";
        return NULL;
    }
    const char *analyser = cx_analyse_program();
    if (!analyser) {
        *why = "there is no analyser (coexec-analyse)";
        return NULL;
    }
    struct cx_analysis *analysis = analysis_new(context, source, options);
    if (!analysis) {
        *why = "no memory for the analysis";
        return NULL;
    }
    analysis->analyser = analyser;
    assign_runs(analysis, context);
    for (unsigned r = 0; r < analysis->nruns; r++)
        start_run(&analysis->runs[r]);
    return analysis;
}

static const struct run *run_of(const struct cx_analysis *analysis, unsigned member)
{
    return &analysis->runs[analysis->run_of[member]];
}

static enum cx_analysis_state state_of(const struct run *run)
{
    return (enum cx_analysis_state)atomic_load_explicit(&run->state, memory_order_acquire);
}

enum cx_analysis_state cx_analysis_state(const struct cx_analysis *analysis, unsigned member)
{
    return state_of(run_of(analysis, member));
}

const struct cx_summary *cx_analysis_summary(const struct cx_analysis *analysis, unsigned member,
                                             const char **why)
{
    const struct run *run = run_of(analysis, member);
    enum cx_analysis_state state = state_of(run);

    if (state == CX_ANALYSIS_READY)
        return run->result.summary;
    if (why)
        *why = state == CX_ANALYSIS_PENDING ? "analysis still running" : run->result.why;
    return NULL;
}

bool cx_analysis_same(const struct cx_analysis *analysis, unsigned a, unsigned b)
{
    const struct run *first = run_of(analysis, a), *second = run_of(analysis, b);

    if (first == second)
        return true;
    return state_of(first) == CX_ANALYSIS_READY && state_of(second) == CX_ANALYSIS_READY &&
           first->result.size == second->result.size &&
           !memcmp(first->result.blob, second->result.blob, first->result.size);
}

static bool any_pending(const struct cx_analysis *analysis)
{
    for (unsigned r = 0; r < analysis->nruns; r++)
        if (state_of(&analysis->runs[r]) == CX_ANALYSIS_PENDING)
            return true;
    return false;
}

bool cx_analysis_wait(struct cx_analysis *analysis, unsigned ms)
{
    struct timespec until;
    bool pending;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&analysis->lock);
    while ((pending = any_pending(analysis)))
        if (pthread_cond_timedwait(&analysis->changed, &analysis->lock, &until) == ETIMEDOUT)
            break;
    pthread_mutex_unlock(&analysis->lock);
    return !pending;
}
