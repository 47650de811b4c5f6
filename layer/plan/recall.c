/* SPDX-License-Identifier: MIT */
/*
 * What former processes learned, and what later ones are told. See recall.h.
 */
#include "layer/plan/recall.h"
#include "layer/base/own_code.h"
#include "layer/base/checksum.h"
#include "layer/base/log.h"
#include "layer/driver/account.h"
#include "layer/knowledge/knowledge.h"
#include "layer/plan/plan_open.h"
#include "layer/plan/planner.h"
#include "layer/program/build_deferred.h"
#include "layer/program/compile_record.h"
#include "layer/program/program.h"
#include "layer/timeline/worker.h"
#include "scheduler/derive.h"
#include "scheduler/memory.h"
#include "scheduler/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shorter launches gain nothing that is worth keeping, seconds. */
#define LEAST_KEPT 200e-6
/* A speed of a former process counts as launches of so many work-groups, of those of this launch. */
#define TRUST 0.25
/* ... and as so many launches: fewer than what is enough to take launches for too short. */
enum { SAMPLES = 3 };
/* How far the lengths of packages are taken to be from what a former process's cost curve says, at least. */
#define LEAST_DEVIATION 0.1
/* A split's time of former processes counts as so many splits. */
enum { SPLITS = 2 };
/* What splits saved has to be so many times what opening and building others costs, for that to be done
 * before there is any launch: those may be others this time. */
#define WORTH_AT_ONCE 2.5
/* Sizes that derived speeds are made of at most. */
enum { MOST_ALIKE = 64 };

/* ---- keys ---- */

static uint64_t mixed(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * 0x100000001b3u;
}

uint64_t cx_recall_arguments(const struct cx_launch *launch)
{
    const struct cx_args *args = launch->request.args;
    uint64_t hash = 0xcbf29ce484222325u;
    for (unsigned i = 0; i < args->count; i++) {
        const struct cx_arg *arg = &args->arg[i];
        const unsigned char *byte = arg->kind == CX_ARGS_VALUE ? arg->value : NULL;
        hash = mixed(hash, arg->kind);
        hash = mixed(hash, arg->mem ? arg->mem->size : arg->size);
        for (size_t k = 0; byte && k < arg->size; k++)
            hash = mixed(hash, byte[k]);
    }
    return hash;
}

/* The context's devices, the order in which they are its members, and where it begins; and their names, for
 * people. The caller frees both; NULL: no memory. */
static char *text_of_set(const struct cx_context *context, bool names)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (unsigned m = 0; m < context->nmembers && out; m++) {
        const struct cx_real_device *device = context->workers[m].device;
        if (names)
            fprintf(out, "%s%s", m ? " + " : "", device->name);
        else
            fprintf(out, "%s|%s|%s|%u|%u|%d\n", device->platform->driver, device->platform->version,
                    device->name, device->compute_units, device->clock_mhz, m == context->fastest);
    }
    if (out)
        fclose(out);
    return text;
}

static void tell_set(const struct cx_context *context, const double *opening) CX_HOLDS(cx_context_locked)
{
    char *names = text_of_set(context, true);
    if (names)
        cx_knowledge_tell_set(context->planner->set, names, opening);
    free(names);
}

/* Whether the context's devices have a name in the base. */
static bool has_set(struct cx_context *context) CX_HOLDS(cx_context_locked)
{
    if (context->planner->has_set)
        return true;
    const bool any = cx_knowledge_ready() && context->nmembers > 1 && context->nmembers <= CX_PROFILE_DEVICES;
    char *text = any ? text_of_set(context, false) : NULL;
    if (!text)
        return false;
    cx_knowledge_hash((const char *const[]){text}, 1, context->planner->set);
    free(text);
    context->planner->has_set = true;
    tell_set(context, NULL);
    return true;
}

/* What opening each member took, once all are open. */
static void tell_openings(struct cx_context *context) CX_HOLDS(cx_context_locked)
{
    double opening[CX_PROFILE_DEVICES] = {0};
    bool all = !context->planner->told_openings;
    for (unsigned m = 0; m < context->nmembers && all; m++) {
        opening[m] = cx_account_opening(context->account, context->workers[m].device);
        all &= m == context->fastest || opening[m] > 0;
    }
    if (all)
        tell_set(context, opening);
    context->planner->told_openings |= all;
}

/* The text by a checksum, which is quick. False: the program has none. */
static bool make_kernel(const struct cx_kernel *kernel, unsigned char hash[CX_PROFILE_HASH])
{
    const struct cx_program *program = kernel->program;
    const char *text = program->build.text ? program->build.text : program->origin.source;
    const char *options = program->build.options;
    unsigned char sum[CX_CHECKSUM_SIZE];
    char hex[2 * CX_CHECKSUM_SIZE + 1];
    if (!text)
        return false;
    cx_checksum(text, strlen(text), sum);
    for (unsigned i = 0; i < CX_CHECKSUM_SIZE; i++)
        snprintf(hex + 2 * i, 3, "%02x", sum[i]);
    cx_knowledge_hash((const char *const[]){hex, options ? options : "", kernel->function->name}, 3, hash);
    return true;
}

/* The same, made once. */
static bool name_kernel(const struct cx_kernel *kernel, struct cx_kernel_history *history)
    CX_HOLDS(cx_context_locked)
{
    if (!history->recall.has_name)
        history->recall.has_name = make_kernel(kernel, history->recall.name);
    return history->recall.has_name;
}

/* False: nothing is kept of such launches. */
static bool key_of(const struct cx_launch *launch, struct cx_kernel_history *history,
                   struct cx_profile_key *key) CX_HOLDS(cx_context_locked)
{
    struct cx_context *context = launch->base.context;
    const struct cx_access_geometry *geometry = &launch->request.geometry;
    if (!has_set(context) || !name_kernel(launch->request.kernel, history))
        return false;
    memset(key, 0, sizeof(*key));
    memcpy(key->kernel, history->recall.name, sizeof(key->kernel));
    memcpy(key->set, context->planner->set, sizeof(key->set));
    key->dims = geometry->work_dim;
    for (unsigned d = 0; d < geometry->work_dim; d++) {
        key->global[d] = geometry->global[d];
        key->local[d] = launch->request.local_given ? geometry->local[d] : 0;
    }
    return true;
}

/* ---- what was known ---- */

static void enter_speed(struct cx_speed_record *record, double speed, double groups)
{
    if (record->samples > 0 || !(speed > 0) || !(groups > 0))
        return;
    record->groups = TRUST * groups;
    record->seconds = record->groups / speed;
    record->slowest = speed;
    record->samples = SAMPLES;
}

/* What a former process measured of the member; of one that is like the fastest, what it measured of that:
 * the two differ by what disturbed them then. */
static double known_speed(const struct cx_context *context, const struct cx_profile *profile, unsigned m)
{
    const unsigned of = cx_context_alike(context, m, context->fastest) ? context->fastest : m;
    return cx_profile_speed(profile, of, context->fastest);
}

/* The cost along the range, with devices' speeds at it. */
static void enter_curve(const struct cx_context *context, struct cx_kernel_history *history,
                        const struct cx_profile *profile) CX_HOLDS(cx_context_locked)
{
    struct cx_memory **free_one = NULL;
    if (!profile->has_curve || !profile->groups || cx_kernel_history_memory(history, profile->groups))
        return;
    for (unsigned i = 0; i < CX_KERNEL_MEMORIES && !free_one; i++)
        free_one = history->shapes.memories[i] ? NULL : &history->shapes.memories[i];
    struct cx_memory *memory = free_one ? malloc(sizeof(*memory)) : NULL;
    if (!memory)
        return;
    cx_memory_init(memory);
    memory->cost_model.groups = profile->groups;
    memory->cost_model.launches = SPLITS;
    memory->cost_model.deviation = LEAST_DEVIATION;
    for (unsigned i = 0; i <= CX_MEMORY_PIECES; i++) {
        const double at = (double)i * CX_PROFILE_CURVE / CX_MEMORY_PIECES, piece = floor(at);
        const unsigned p = (unsigned)piece;
        const double before = p ? profile->curve[p - 1] : 0;
        const double behind = p < CX_PROFILE_CURVE ? profile->curve[p] : before;
        memory->cost_model.before[i] = (before + (at - piece) * (behind - before)) / UINT16_MAX;
    }
    for (unsigned m = 0; m < profile->ndevices; m++)
        memory->cost_model.device[m].speed = known_speed(context, profile, m);
    *free_one = memory;
}

/* All that a launch of the same arguments tells. */
static void enter(const struct cx_launch *launch, struct cx_kernel_history *history,
                  const struct cx_profile *profile, bool first) CX_HOLDS(cx_context_locked)
{
    const double groups = (double)profile->groups, saves = cx_profile_saves(profile);
    for (unsigned m = 0; m < profile->ndevices; m++)
        enter_speed(&history->records[m], known_speed(launch->base.context, profile, m), groups);
    /* one late split among many that saved something tells nothing: this process tries anew */
    const bool tells = profile->splits > 0 && (profile->ratio < 1 || !(saves > 0));
    if (history->risk.splits == 0 && tells) {
        history->risk.splits = SPLITS;
        history->risk.ratio = profile->ratio;
        if (profile->ratio < 1 && profile->splits >= CX_BUDGET_SEEN)
            history->risk.gains = CX_BUDGET_SEEN;
    }
    enter_curve(launch->base.context, history, profile);
    history->recall.known = true;
    history->recall.saved |= saves > 0;
    if (first) /* once a process, whatever program objects there are */
        launch->base.context->planner->lacked += saves;
    cx_debug(CX_TOPIC_PLAN, "%s is known: whole %.3f ms, split %.2f of that; splits saved a process %.3f ms",
             launch->request.kernel->function->name, profile->length * 1e3, profile->ratio, saves * 1e3);
    for (unsigned m = 0; m < profile->ndevices; m++)
        cx_debug(CX_TOPIC_PLAN, "%s is known: member %u does %.6g work-groups a second",
                 launch->request.kernel->function->name, m, known_speed(launch->base.context, profile, m));
}

double cx_recall_length(const struct cx_launch *launch, struct cx_kernel_history *history, uint64_t shape)
{
    struct cx_profile_key key;
    struct cx_profile profile;
    bool first;
    if (!cx_knowledge_ready())
        return 0;
    for (unsigned i = 0; i < CX_KERNEL_RECALLS; i++)
        if (history->recall.shapes[i] == shape)
            return 0;
    history->recall.shapes[history->recall.n++ % CX_KERNEL_RECALLS] = shape;
    if (!key_of(launch, history, &key) || !cx_knowledge_find(&key, &profile, &first) ||
        profile.ndevices != launch->base.context->nmembers ||
        !cx_profile_tells_length(&profile, cx_recall_arguments(launch)))
        return 0;
    enter(launch, history, &profile, first);
    return profile.length;
}

/* ---- openings ---- */

double cx_recall_opening(const struct cx_context *context, unsigned member)
{
    return context->planner->has_set ? cx_knowledge_opening(context->planner->set, member) : 0;
}

/* Of opening what is closed and of builds that are left for later, all of which the program is taken to feel.
 */
static double price_of_all(const struct cx_kernel *kernel) CX_HOLDS(cx_context_locked)
{
    const struct cx_context *context = kernel->program->context;
    double price = 0;
    for (unsigned m = 0; m < context->nmembers; m++) {
        if (atomic_load(&context->workers[m].state) == CX_WORKER_CLOSED)
            price += cx_plan_opening_price(context, m);
        if (cx_build_deferred_on(kernel->program, m))
            price += cx_compile_record_expected(kernel->program, m, CX_VARIANT_PLAIN);
    }
    return price;
}

/* The key of all launches of the kernel together. */
static void key_of_kernel(const struct cx_context *context, const unsigned char *kernel,
                          struct cx_profile_key *key) CX_HOLDS(cx_context_locked)
{
    memset(key, 0, sizeof(*key));
    memcpy(key->kernel, kernel, sizeof(key->kernel));
    memcpy(key->set, context->planner->set, sizeof(key->set));
    key->dims = 1;
}

static void keep_tuning(const struct cx_kernel_history *history, struct cx_profile *event)
    CX_HOLDS(cx_context_locked)
{
    const struct cx_tuning *tuning = history->tuning;
    if (!tuning)
        return;
    event->tuning.launches = tuning->launches;
    event->tuning.irregular = fmin(fmax(tuning->irregular, 0), 1);
    for (unsigned m = 0; m < event->ndevices; m++) {
        struct cx_profile_samples *samples = &event->tuning.device[m];
        samples->unit = (float)tuning->device[m].unit;
        for (unsigned s = 0; s < CX_PROFILE_SAMPLES; s++) {
            samples->groups[s] = (float)tuning->device[m].sample[s].groups;
            samples->speed[s] = (float)tuning->device[m].sample[s].speed;
        }
    }
}

/* Keeps that a process has the kernel, and what a split of it saved. */
static void keep_saved(const struct cx_context *context, const struct cx_kernel_history *history,
                       const struct cx_profile_key *key, const char *name, double saved)
    CX_HOLDS(cx_context_locked)
{
    struct cx_profile event = {.key = *key, .ndevices = context->nmembers, .saved = saved};
    snprintf(event.name, sizeof(event.name), "%s", name);
    keep_tuning(history, &event);
    cx_knowledge_add(&event);
}

void cx_recall_kernel(struct cx_kernel *kernel)
{
    struct cx_context *context = kernel->program->context;
    struct cx_profile_key key;
    struct cx_profile profile = {.saved = 0};
    bool first = false, pays = false;
    if (context->workers[context->fastest].device->type & CL_DEVICE_TYPE_GPU)
        cx_own_code_load();
    const bool recalls = cx_knowledge_ready() && context->account;
    cx_context_lock(context);
    struct cx_kernel_history *history = cx_kernel_history_of(kernel->function, context->nmembers);
    if (recalls && history && has_set(context) && name_kernel(kernel, history)) {
        key_of_kernel(context, history->recall.name, &key);
        pays = cx_knowledge_find(&key, &profile, &first) && first &&
               cx_profile_saves(&profile) > WORTH_AT_ONCE * price_of_all(kernel);
        if (first)
            keep_saved(context, history, &key, kernel->function->name, 0);
    }
    cx_context_unlock(context);
    if (pays && cx_build_deferred_any(kernel->program)) {
        cx_debug(CX_TOPIC_PLAN, "splits of %s saved former processes %.3f ms: others are opened at once",
                 kernel->function->name, cx_profile_saves(&profile) * 1e3);
        cx_build_deferred_want(kernel->program);
    }
}

/* ---- what policies start from ---- */

static void enter_samples(struct cx_tuning_device *device, const struct cx_profile_samples *samples)
{
    if (device->unit > 0 || !(samples->unit > 0))
        return;
    device->unit = samples->unit;
    for (unsigned s = 0; s < CX_TUNING_SAMPLES; s++) {
        device->sample[s].groups = samples->groups[s];
        device->sample[s].speed = samples->speed[s];
    }
}

void cx_recall_tuning(const struct cx_launch *launch, struct cx_kernel_history *history)
{
    const struct cx_context *context = launch->base.context;
    struct cx_tuning *tuning = history->tuning;
    struct cx_profile_key key;
    struct cx_profile profile;
    unsigned devices = 0;
    if (!tuning || history->recall.tuned || !cx_knowledge_ready())
        return;
    history->recall.tuned = true;
    if (!has_set(launch->base.context) || !name_kernel(launch->request.kernel, history))
        return;
    key_of_kernel(context, history->recall.name, &key);
    if (!cx_knowledge_find(&key, &profile, NULL) || profile.ndevices != context->nmembers)
        return;
    if (tuning->launches == 0) {
        tuning->launches = (unsigned)fmin((double)profile.tuning.launches, 1000);
        tuning->irregular = profile.tuning.irregular;
    }
    for (unsigned m = 0; m < context->nmembers; m++) {
        enter_samples(&tuning->device[m], &profile.tuning.device[m]);
        devices += tuning->device[m].unit > 0;
    }
    cx_debug(CX_TOPIC_PLAN,
             "policies start from %u launches of %s, %.2f of them irregular, and throughputs of %u devices",
             tuning->launches, launch->request.kernel->function->name, tuning->irregular, devices);
}

/* ---- relations of speeds ---- */

/* ln of member m's speed beside the fastest member's, by the profiles of other sizes. */
static bool derive_relation(const struct cx_launch *launch, const struct cx_profile *profile, unsigned n,
                            unsigned m, double *relation)
{
    const struct cx_access_geometry *geometry = &launch->request.geometry;
    const unsigned fastest = launch->base.context->fastest;
    struct cx_derive_point *point = calloc(n + 1u, sizeof(*point));
    double at[CX_DERIVE_DIMS] = {0};
    unsigned known = 0;
    for (unsigned i = 0; i < n && point; i++) {
        const double own = profile[i].device[m].speed, other = profile[i].device[fastest].speed;
        if (profile[i].ndevices != launch->base.context->nmembers || !(own > 0) || !(other > 0))
            continue;
        for (unsigned d = 0; d < geometry->work_dim; d++)
            point[known].at[d] = log((double)profile[i].key.global[d]);
        point[known++].value = log(own / other);
    }
    for (unsigned d = 0; d < geometry->work_dim; d++)
        at[d] = log((double)geometry->global[d]);
    const bool derived = point && cx_derive(point, known, geometry->work_dim, at, relation);
    free(point);
    return derived;
}

void cx_recall_speeds(const struct cx_launch *launch, struct cx_kernel_history *history, double seconds)
{
    const struct cx_context *context = launch->base.context;
    struct cx_profile_key key;
    const double groups = launch->request.geometry.local[0] ? (double)cx_launch_groups(launch) : 0;
    bool lacks = false;
    for (unsigned m = 0; m < context->nmembers; m++)
        lacks |= m != context->fastest && history->records[m].samples == 0;
    if (!lacks || history->recall.related || !(groups > 0) || !(seconds >= LEAST_KEPT) ||
        !key_of(launch, history, &key))
        return;
    history->recall.related = true;
    struct cx_profile *profile = malloc(MOST_ALIKE * sizeof(*profile));
    const unsigned n = profile ? cx_knowledge_alike(&key, profile, MOST_ALIKE) : 0;
    for (unsigned m = 0; m < context->nmembers; m++) {
        double relation;
        if (cx_context_alike(context, m, context->fastest) || history->records[m].samples > 0 ||
            !derive_relation(launch, profile, n, m, &relation))
            continue;
        enter_speed(&history->records[m], groups / seconds * exp(relation), groups);
        cx_debug(CX_TOPIC_PLAN, "%s is expected to be %.3f times as fast on member %u as on the first one",
                 launch->request.kernel->function->name, exp(relation), m);
    }
    free(profile);
}

/* ---- what is kept ---- */

/* Begins the measurements of one launch. False: nothing is kept of it. */
static bool begin_event(const struct cx_launch *launch, struct cx_kernel_history *history,
                        struct cx_profile *event) CX_HOLDS(cx_context_locked)
{
    memset(event, 0, sizeof(*event));
    if (!key_of(launch, history, &event->key))
        return false;
    snprintf(event->name, sizeof(event->name), "%s", launch->request.kernel->function->name);
    event->groups = launch->request.geometry.local[0] ? cx_launch_groups(launch) : 0;
    event->arguments = cx_recall_arguments(launch);
    event->ndevices = launch->base.context->nmembers;
    return true;
}

void cx_recall_keep_length(const struct cx_launch *launch, struct cx_kernel_history *history, double seconds)
{
    struct cx_profile event;
    if (seconds < LEAST_KEPT || !begin_event(launch, history, &event))
        return;
    event.lengths = 1;
    event.length = seconds;
    cx_knowledge_add(&event);
}

/* From the balancer's memory, where costs are told apart from speeds; else from what members did. */
static void keep_speeds(const struct cx_launch *launch, const struct cx_kernel_history *history,
                        struct cx_profile *event) CX_HOLDS(cx_context_locked)
{
    const struct cx_memory *memory = cx_kernel_history_memory(history, event->groups);
    const bool tells = memory && memory->cost_model.launches > 0;
    for (unsigned m = 0; m < event->ndevices; m++) {
        const double learned = tells ? memory->cost_model.device[m].speed : 0;
        event->device[m].speed = learned > 0 ? learned : cx_speed_record_speed(&history->records[m]);
        event->device[m].samples = event->device[m].speed > 0;
    }
    event->has_curve = tells && memory->cost_model.launches > SPLITS && memory->settled;
    for (unsigned i = 0; i < CX_PROFILE_CURVE && event->has_curve; i++) {
        const double before =
            memory->cost_model.before[(i + 1) * (CX_MEMORY_PIECES / CX_PROFILE_CURVE)] * UINT16_MAX;
        event->curve[i] = (uint16_t)fmin(fmax(round(before), 0), UINT16_MAX);
    }
}

void cx_recall_keep_probe(const struct cx_launch *launch, struct cx_kernel_history *history, double whole)
{
    struct cx_profile event;
    if (whole < LEAST_KEPT || !begin_event(launch, history, &event))
        return;
    keep_speeds(launch, history, &event);
    cx_knowledge_add(&event);
}

void cx_recall_keep_split(const struct cx_launch *launch, struct cx_kernel_history *history, double whole,
                          double elapsed)
{
    struct cx_profile event;
    if (whole < LEAST_KEPT || !(elapsed > 0) || !begin_event(launch, history, &event))
        return;
    keep_speeds(launch, history, &event);
    event.splits = 1;
    event.ratio = elapsed / whole;
    event.saved = fmax(whole - elapsed, 0);
    cx_knowledge_add(&event);
    struct cx_profile_key key;
    key_of_kernel(launch->base.context, history->recall.name, &key);
    keep_saved(launch->base.context, history, &key, event.name, event.saved);
    tell_openings(launch->base.context);
}
