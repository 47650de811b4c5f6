/* SPDX-License-Identifier: MIT */
/*
 * Reads which policy shares out the launches of which kernel. See algo.h for the form.
 */
#include "scheduler/algo.h"
#include "scheduler/params.h"
#include "scheduler/policy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fail(struct cx_algo_problem *problem, const char *accepted, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail(struct cx_algo_problem *problem, const char *accepted, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->wrong, sizeof problem->wrong, format, arguments);
    va_end(arguments);
    snprintf(problem->accepted, sizeof problem->accepted, "%s", accepted);
    return false;
}

/* Adds a word to a list of words. */
static void append(char *list, size_t size, const char *word)
{
    const size_t length = strlen(list);
    snprintf(list + length, size - length, "%s%s", length ? ", " : "", word);
}

static bool read_policy(struct cx_algo *algo, const char *name, struct cx_algo_problem *problem)
{
    char known[sizeof problem->accepted] = "";
    algo->policy = cx_policy_find(name);
    for (unsigned i = 0; !algo->policy && cx_policy_get(i); i++)
        append(known, sizeof known, cx_policy_get(i)->name);
    return algo->policy || fail(problem, known, "no balancer '%.60s'", name);
}

/* NAME=VALUE of the policy. given: the rows read so far, as bits. */
static bool read_param(struct cx_algo *algo, char *text, uint64_t *given, struct cx_algo_problem *problem)
{
    const char *policy = algo->policy->name;
    const struct cx_param_row *row;
    char known[sizeof problem->accepted] = "", *value = strchr(text, '=');
    if (!value)
        return fail(problem, "NAME=VALUE,...", "'%.60s' behind %s:", text, policy);
    *value++ = '\0';
    for (unsigned i = 0; (row = cx_param_get(i)); i++) {
        if (strcmp(row->policy, policy) != 0)
            continue;
        append(known, sizeof known, row->name);
        if (strcmp(row->name, text) != 0)
            continue;
        if (*given >> i & 1)
            return fail(problem, "each parameter once", "%s:%s twice", policy, text);
        *given |= UINT64_C(1) << i;
        return cx_param_set(&algo->params, row, value) ||
               fail(problem, cx_param_bounds(row), "%s:%s=%.60s", policy, text, value);
    }
    return fail(problem, *known ? known : "none", "%s has no parameter '%.60s'", policy, text);
}

/* POLICY or POLICY:NAME=VALUE,...; writes into the text. */
static bool read_choice(struct cx_algo *algo, char *text, struct cx_algo_problem *problem)
{
    uint64_t given = 0;
    char *list = strchr(text, ':');
    if (list)
        *list++ = '\0';
    if (!read_policy(algo, text, problem))
        return false;
    while (list) {
        char *next = strchr(list, ',');
        if (next)
            *next++ = '\0';
        if (!read_param(algo, list, &given, problem))
            return false;
        list = next;
    }
    return true;
}

/* KERNEL=CHOICE, with `equals` at its =. */
static bool read_kernel(struct cx_algos *algos, char *text, char *equals,
                        const struct cx_balancer_params *params, struct cx_algo_problem *problem)
{
    struct cx_kernel_algo *own = &algos->kernel[algos->nkernels];
    *equals = '\0';
    if (!*text)
        return fail(problem, "KERNEL=BALANCER", "no kernel before '=%.60s'", equals + 1);
    for (unsigned i = 0; i < algos->nkernels; i++)
        if (strcmp(algos->kernel[i].kernel, text) == 0)
            return fail(problem, "each kernel once", "kernel %.60s twice", text);
    own->algo.params = *params;
    own->kernel = strdup(text);
    if (!own->kernel)
        return fail(problem, "more memory", "out of memory");
    algos->nkernels++;
    return read_choice(&own->algo, equals + 1, problem);
}

/* All parts; writes into the text. */
static bool read_parts(struct cx_algos *algos, char *text, const struct cx_balancer_params *params,
                       struct cx_algo_problem *problem)
{
    bool good = true;
    algos->all.params = *params;
    for (char *next; text && good; text = next) {
        next = strchr(text, ';');
        if (next)
            *next++ = '\0';
        char *stop = text + strcspn(text, "=:");
        if (!*text)
            good = fail(problem, "BALANCER;KERNEL=BALANCER;...", "an empty part");
        else if (*stop == '=')
            good = read_kernel(algos, text, stop, params, problem);
        else if (algos->all.policy)
            good = fail(problem, "KERNEL=BALANCER", "'%.60s' is a second balancer for all kernels", text);
        else
            good = read_choice(&algos->all, text, problem);
    }
    if (!algos->all.policy)
        algos->all.policy = &cx_policy_auto;
    return good;
}

struct cx_algos *cx_algos_create(const char *text, const struct cx_balancer_params *params,
                                 struct cx_algo_problem *problem)
{
    size_t parts = 1;
    for (const char *at = text; (at = strchr(at, ';')); at++)
        parts++;
    struct cx_algos *algos = calloc(1, sizeof *algos + parts * sizeof *algos->kernel);
    char *copy = strdup(text);
    bool good = algos && copy && (algos->text = strdup(text));
    if (!good)
        fail(problem, "more memory", "out of memory");
    else
        good = read_parts(algos, copy, params ? params : &cx_balancer_defaults, problem);
    free(copy);
    if (good)
        return algos;
    cx_algos_destroy(algos);
    return NULL;
}

void cx_algos_destroy(struct cx_algos *algos)
{
    for (unsigned i = 0; algos && i < algos->nkernels; i++)
        free(algos->kernel[i].kernel);
    if (algos)
        free(algos->text);
    free(algos);
}

const struct cx_algo *cx_algos_for(const struct cx_algos *algos, const char *kernel)
{
    for (unsigned i = 0; i < algos->nkernels; i++)
        if (strcmp(algos->kernel[i].kernel, kernel) == 0)
            return &algos->kernel[i].algo;
    return &algos->all;
}

size_t cx_algo_length(const char *list)
{
    size_t length = strcspn(list, ",");
    while (list[length] == ',') {
        const char *next = list + length + 1;
        if (next[strcspn(next, ",;:=")] != '=')
            break;
        length += 1 + strcspn(next, ",");
    }
    return length;
}
