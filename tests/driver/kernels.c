/* SPDX-License-Identifier: MIT */
/*
 * Stub driver: the kernels it knows, in C. Their OpenCL C text, which the driver only searches for names, is
 * in stub_kernels.cl; it must say what the functions here do, because coexec's analyser reads it.
 */
#include "stub.h"
#include <stdio.h>
#include <string.h>

enum { MAX_MODELS = 8 };

/* One work-item; an access outside a buffer sets fault. */
struct item {
    const struct stub_launch *launch;
    size_t global[3];
    bool fault;
};

struct stub_function {
    const char *name;
    const char *args; /* b: buffer of ints, l: local memory, i: int, u: ulong */
    void (*run)(struct item *item);
    double (*extra)(const struct stub_launch *launch); /* cost in groups beyond one for each group */
};

static cl_int *at(struct item *item, unsigned arg, size_t index)
{
    static _Thread_local cl_int nowhere;
    struct stub_mem *mem = item->launch->args[arg].mem;
    if (!mem || index >= mem->size / sizeof(cl_int)) {
        item->fault = true;
        return &nowhere;
    }
    return (cl_int *)(void *)mem->data + index;
}

static cl_int scalar(const struct item *item, unsigned arg)
{
    cl_int value;
    memcpy(&value, item->launch->args[arg].value, sizeof(value));
    return value;
}

/* OpenCL's integers wrap around. */
static cl_int wrap(cl_uint value)
{
    cl_int wrapped;
    memcpy(&wrapped, &value, sizeof(wrapped));
    return wrapped;
}

static void run_fill_gid(struct item *item)
{
    *at(item, 0, item->global[0]) = (cl_int)item->global[0];
}

static void run_add(struct item *item)
{
    size_t i = item->global[0];
    *at(item, 2, i) = wrap((cl_uint)*at(item, 0, i) + (cl_uint)*at(item, 1, i));
}

static void run_copy(struct item *item)
{
    *at(item, 1, item->global[0]) = *at(item, 0, item->global[0]);
}

static void run_inc(struct item *item)
{
    cl_int *x = at(item, 0, item->global[0]);
    *x = wrap((cl_uint)*x + 1);
}

static void run_scale(struct item *item)
{
    *at(item, 1, item->global[0]) = wrap((cl_uint)*at(item, 0, item->global[0]) * (cl_uint)scalar(item, 2));
}

static void run_fill_2d(struct item *item)
{
    size_t i = item->global[1] * (size_t)scalar(item, 1) + item->global[0];
    *at(item, 0, i) = (cl_int)i;
}

static void run_reverse(struct item *item)
{
    *at(item, 1, (size_t)scalar(item, 2) - 1 - item->global[0]) = *at(item, 0, item->global[0]);
}

static void run_gather(struct item *item)
{
    *at(item, 2, item->global[0]) = *at(item, 0, (size_t)*at(item, 1, item->global[0]));
}

static void run_scatter(struct item *item)
{
    *at(item, 2, (size_t)*at(item, 1, item->global[0])) = *at(item, 0, item->global[0]);
}

static void run_count(struct item *item)
{
    __atomic_fetch_add(at(item, 1, (size_t)*at(item, 0, item->global[0])), 1, __ATOMIC_RELAXED);
}

static void run_search(struct item *item)
{
    const size_t i = item->global[0];
    *at(item, 1, i) = wrap((cl_uint)*at(item, 1, i) + (cl_uint)*at(item, 0, i));
    if (*at(item, 0, i) == -1)
        *at(item, 2, 1 + (__atomic_fetch_add(at(item, 2, 0), 1, __ATOMIC_RELAXED) & 7)) = (cl_int)i;
}

static void run_append(struct item *item)
{
    const cl_uint place = (cl_uint)__atomic_fetch_add(at(item, 2, 0), 1, __ATOMIC_RELAXED);
    *at(item, 1, place % item->launch->global[0]) = wrap((cl_uint)*at(item, 0, item->global[0]) + 1u);
}

static void run_append_ordered(struct item *item)
{
    __atomic_store_n(at(item, 2, 1), scalar(item, 3), __ATOMIC_RELAXED);
    run_append(item);
}

static cl_ulong wide(const struct item *item, unsigned arg)
{
    cl_ulong value;
    memcpy(&value, item->launch->args[arg].value, sizeof(value));
    return value;
}

/* coexec's own, for devices other than GPUs: a work-item compares eight blocks of 1 KiB. */
static void run_diff_blocks(struct item *item)
{
    const struct stub_mem *now = item->launch->args[0].mem, *before = item->launch->args[2].mem;
    struct stub_mem *flags = item->launch->args[5].mem;
    const size_t first = (size_t)wide(item, 1) * 64, from = item->global[0] * 8192;
    const size_t total = (size_t)wide(item, 3) * 64 + (size_t)scalar(item, 4);
    unsigned changed = 0;
    if (from >= total)
        return;
    if (first + total > now->size || total > before->size || item->global[0] >= flags->size) {
        item->fault = true;
        return;
    }
    for (size_t b = 0, at = from; b < 8 && at < total; b++, at += 1024) {
        size_t bytes = total - at < 1024 ? total - at : 1024;
        changed |= (unsigned)(memcmp(now->data + first + at, before->data + at, bytes) != 0) << b;
    }
    flags->data[item->global[0]] = (unsigned char)changed;
}

/* Later groups cost more: one more group for each 4096 items before. */
static double ramp_extra(const struct stub_launch *launch)
{
    double first = (double)launch->offset[0], last = first + (double)launch->global[0];
    return (double)launch->global[0] / (double)launch->local[0] * (first + last) / 2 / 4096;
}

/* Groups from the item SURGE on cost 100. */
enum { SURGE = 12288 };
static double surge_extra(const struct stub_launch *launch)
{
    const double first = (double)launch->offset[0], last = first + (double)launch->global[0];
    const double begin = first > SURGE ? first : SURGE;
    return last > begin ? 99 * (last - begin) / (double)launch->local[0] : 0;
}

static void run_smooth(struct item *item)
{
    const size_t i = item->global[0], last = (size_t)scalar(item, 2) - 1;
    const cl_uint left = (cl_uint)*at(item, 0, i > 0 ? i - 1 : 0);
    const cl_uint right = (cl_uint)*at(item, 0, i < last ? i + 1 : last);
    *at(item, 1, i) = wrap(left + 2u * (cl_uint)*at(item, 0, i) + right);
}

static void run_settle(struct item *item)
{
    *at(item, 1, item->global[0]) = wrap((cl_uint)*at(item, 0, item->global[0]) + 1u);
}

static void run_settle_own(struct item *item)
{
    int *own = at(item, 1, item->global[0]);
    *own = wrap((cl_uint)*own + (cl_uint)*at(item, 0, item->global[0]) + 1u);
}

/* coexec's own: a work-item copies 16 bytes. */
static void run_device_copy(struct item *item)
{
    const struct stub_mem *from = item->launch->args[0].mem;
    struct stub_mem *to = item->launch->args[2].mem;
    const size_t i = item->global[0], first = ((size_t)wide(item, 1) + i) * 16,
                 at = ((size_t)wide(item, 3) + i) * 16;
    if (i >= wide(item, 4))
        return;
    if (first + 16 > from->size || at + 16 > to->size)
        item->fault = true;
    else
        memcpy(to->data + at, from->data + first, 16);
}

static const struct stub_function functions[] = {
    {"stub_fill_gid", "b", run_fill_gid, NULL},
    {"stub_add", "bbb", run_add, NULL},
    {"stub_copy", "bb", run_copy, NULL},
    {"stub_inc", "b", run_inc, NULL},
    {"stub_scale", "bbi", run_scale, NULL},
    {"stub_smooth", "bbi", run_smooth, NULL},
    {"stub_settle", "bbi", run_settle, NULL},
    {"stub_steps", "bbi", run_settle, NULL},
    {"stub_copy_plus", "bbi", run_settle, NULL},
    {"stub_settle_own", "bbi", run_settle_own, NULL},
    {"stub_surge", "bbi", run_settle, surge_extra},
    {"stub_fill_2d", "bi", run_fill_2d, NULL},
    {"stub_reverse", "bbi", run_reverse, NULL},
    {"stub_gather", "bbb", run_gather, NULL},
    {"stub_scatter", "bbb", run_scatter, NULL},
    {"stub_count", "bb", run_count, NULL},
    {"stub_search", "bbb", run_search, NULL},
    {"stub_append", "bbbi", run_append, NULL},
    {"stub_append_ordered", "bbbi", run_append_ordered, NULL},
    {"stub_ramp", "b", run_fill_gid, ramp_extra},
    {"stub_local", "bl", run_fill_gid, NULL},
    {"coexec_diff_blocks", "bubuib", run_diff_blocks, NULL},
    {"coexec_copy", "bubuu", run_device_copy, NULL},
};

/* Kernels of STUB_MODEL, which do nothing. */
static struct stub_function models[MAX_MODELS];
static unsigned nmodels;

static void read_models(void)
{
    static char text[1024];
    const char *given = stub_config_text("STUB_MODEL", "");
    snprintf(text, sizeof(text), "%s", given);
    for (char *state, *item = strtok_r(text, ",", &state); item && nmodels < MAX_MODELS;
         item = strtok_r(NULL, ",", &state)) {
        char *args = strchr(item, ':');
        if (args)
            *args++ = '\0';
        models[nmodels++] = (struct stub_function){item, args ? args : "", NULL, NULL};
    }
}

const struct stub_function *stub_function_find(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_models);
    for (unsigned i = 0; i < nmodels; i++)
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    }
    return NULL;
}

const char *stub_function_name(const struct stub_function *function)
{
    return function->name;
}

unsigned stub_function_nargs(const struct stub_function *function)
{
    return (unsigned)strlen(function->args);
}

char stub_function_arg(const struct stub_function *function, unsigned index)
{
    return function->args[index];
}

cl_int stub_function_run(const struct stub_launch *launch)
{
    struct item item = {.launch = launch};
    if (stub_config_models())
        return CL_SUCCESS;
    for (size_t z = 0; z < launch->global[2]; z++) {
        item.global[2] = launch->offset[2] + z;
        for (size_t y = 0; y < launch->global[1]; y++) {
            item.global[1] = launch->offset[1] + y;
            for (size_t x = 0; x < launch->global[0]; x++) {
                item.global[0] = launch->offset[0] + x;
                launch->function->run(&item);
            }
        }
    }
    return item.fault ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

double stub_function_cost(const struct stub_launch *launch)
{
    double groups = 1;
    for (unsigned d = 0; d < 3; d++)
        groups *= (double)launch->global[d] / (double)launch->local[d];
    return groups + (launch->function->extra ? launch->function->extra(launch) : 0);
}
