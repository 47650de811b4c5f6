/* SPDX-License-Identifier: MIT */
/*
 * What `coexec tune` tries. See coexec_tune.h.
 */
#include "tools/coexec_tune.h"
#include "scheduler/algo.h"
#include "tools/coexec.h"

#include <stdlib.h>
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

static int by_value(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static void sort(const struct cx_tune_setting *setting, double sorted[CX_TUNE_RUNS])
{
    memcpy(sorted, setting->seconds, sizeof setting->seconds);
    qsort(sorted, setting->runs, sizeof *sorted, by_value);
}

double cx_tune_median(const struct cx_tune_setting *setting)
{
    double sorted[CX_TUNE_RUNS];
    if (!setting->runs)
        return 0;
    sort(setting, sorted);
    const unsigned half = setting->runs / 2;
    return setting->runs % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

bool cx_tune_is_faster(const struct cx_tune_setting *one, const struct cx_tune_setting *other)
{
    double own[CX_TUNE_RUNS], others[CX_TUNE_RUNS];
    if (!one->runs || !other->runs)
        return false;
    sort(one, own);
    sort(other, others);
    return own[one->runs - 1] < others[0] && cx_tune_median(one) < FASTER * cx_tune_median(other);
}
