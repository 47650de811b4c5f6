/* SPDX-License-Identifier: MIT */
/*
 * What `coexec tune` tries. See coexec_tune.h.
 */
#include "tools/coexec_tune.h"
#include "scheduler/algo.h"
#include "tools/coexec.h"

#include <math.h>
#include <string.h>

static const char me[] = "tune";

/* The balancers as a user gets them; and those sweeps that the papers compare with: "BestHG" is the best k.
 */
static const char *const defaults[] = {
    "auto",
    "single",
    "static",
    "dynamic",
    "hguided",
    "adaptive",
    "sigmoid",
    "logfit",
    "concord",
    "hdss",
    "marrow",
    "hguided:k=1",
    "hguided:k=3",
    "hguided:k=1.5",
    "hguided:k=4",
    "dynamic:packages=32",
    "dynamic:packages=512",
};
/* Faster by less than that is not told apart from noise. */
#define FASTER 0.98

static bool add(struct cx_tune_setting *settings, unsigned *n, const char *algo, const char *powers)
{
    if (*n == CX_TUNE_SETTINGS || strlen(algo) >= sizeof settings->algo)
        return false;
    settings[*n] = (struct cx_tune_setting){.runs = 0};
    snprintf(settings[*n].algo, sizeof settings->algo, "%s", algo);
    snprintf(settings[*n].powers, sizeof settings->powers, "%s", powers);
    ++*n;
    return true;
}

static bool add_from_list(struct cx_tune_setting *settings, unsigned *n, const char *text)
{
    struct cx_algo_problem problem;
    struct cx_algos *algos = cx_algos_create(text, NULL, &problem);
    if (!algos) {
        (void)cx_usage_error(me, "--algos %s: %s; accepted: %s", text, problem.wrong, problem.accepted);
        return false;
    }
    cx_algos_destroy(algos);
    if (!add(settings, n, text, "")) {
        (void)cx_usage_error(me, "--algos: more than %d balancers, or one of more than %d characters",
                             CX_TUNE_SETTINGS, CX_BENCH_ALGO - 1);
        return false;
    }
    return true;
}

static unsigned from_list(struct cx_tune_setting *settings, const char *list)
{
    unsigned n = 0;
    bool ok = add(settings, &n, "auto", "");
    for (const char *at = list; *at && ok; at += *at == ',') {
        const size_t length = cx_algo_length(at);
        char *text = strndup(at, length);
        ok = text && (length == 0 || strcmp(text, "auto") == 0 || add_from_list(settings, &n, text));
        free(text);
        at += length;
    }
    return ok ? n : 0;
}

unsigned cx_tune_settings(struct cx_tune_setting *settings, const char *balancers, unsigned devices)
{
    unsigned n = 0;
    if (balancers)
        return from_list(settings, balancers);
    for (unsigned i = 0; i < sizeof defaults / sizeof *defaults; i++)
        (void)add(settings, &n, defaults[i], "");
    for (unsigned share = CX_BENCH_SHARE_FIRST; share <= CX_BENCH_SHARE_LAST && devices == 2;
         share += CX_BENCH_SHARE_STEP) {
        char powers[32];
        snprintf(powers, sizeof powers, "%u:%u", share, 100 - share);
        (void)add(settings, &n, "static", powers);
    }
    return n;
}

double cx_tune_median(const struct cx_tune_setting *setting)
{
    double seconds[CX_TUNE_RUNS];
    memcpy(seconds, setting->seconds, sizeof seconds);
    return cx_median(seconds, setting->runs);
}

static double slowest(const struct cx_tune_setting *setting)
{
    double seconds = 0;
    for (unsigned i = 0; i < setting->runs; i++)
        seconds = fmax(seconds, setting->seconds[i]);
    return seconds;
}

static double quickest(const struct cx_tune_setting *setting)
{
    double seconds = INFINITY;
    for (unsigned i = 0; i < setting->runs; i++)
        seconds = fmin(seconds, setting->seconds[i]);
    return seconds;
}

bool cx_tune_is_faster(const struct cx_tune_setting *one, const struct cx_tune_setting *other)
{
    return one->runs && other->runs && slowest(one) < quickest(other) &&
           cx_tune_median(one) < FASTER * cx_tune_median(other);
}
