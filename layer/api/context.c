/* SPDX-License-Identifier: MIT */
/*
 * Contexts of the program: makes one from the parts that each room has of it, destroys it in order, and
 * answers its queries. See timeline/context.h.
 */
#include "layer/timeline/context.h"
#include "layer/memory/transfer_state.h"
#include "layer/driver/account.h"
#include "layer/api/power.h"
#include "layer/timeline/command.h"
#include "layer/object/device.h"
#include "layer/base/entry.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/callback_thread.h"
#include "layer/knowledge/knowledge.h"
#include "layer/launch/diff.h"
#include "layer/launch/prefix.h"
#include "layer/memory/peer.h"
#include "layer/memory/pinned_pool.h"
#include "layer/plan/deferral.h"
#include "layer/plan/plan_open.h"
#include "layer/report/kernel_table.h"
#include "layer/report/live.h"
#include "layer/report/transfer_counts.h"
#include "layer/memory/svm.h"
#include "layer/memory/transport.h"
#include "layer/timeline/trace_command.h"
#include "layer/plan/planner.h"
#include "layer/plan/recall.h"

#include <stdlib.h>
#include <string.h>

struct cx_context_destructor {
    struct cx_context_destructor *next;
    void(CL_CALLBACK *call)(cl_context, void *);
    void *data;
};

static void close_member(struct cx_worker *worker)
{
    cx_worker_end(worker);
    cx_diff_release(worker);
    cx_transfer_state_end(worker);
    cx_worker_finish(worker);
}

/* Those that were opened beside the first one cost the program what closing them takes. */
static void close_members(struct cx_context *context)
{
    uint64_t beside = 0;
    for (unsigned w = 0; context->workers && w <= context->nmembers; w++) {
        const uint64_t since = cx_clock_ns();
        const bool others = w != context->fastest && cx_worker_is_open(&context->workers[w]);
        close_member(&context->workers[w]);
        beside += others ? cx_clock_ns() - since : 0;
    }
    cx_account_delayed(context->account, (double)beside * 1e-9);
}

/* Nobody has the context any more, so its lock is not taken. */
static void context_free(void *data) CX_UNCHECKED
{
    struct cx_context *context = data;
    for (struct cx_context_destructor *d = context->destructors; d;) {
        struct cx_context_destructor *next = d->next;
        cx_lock_none_held("clSetContextDestructorCallback");
        d->call((cl_context)context, d->data);
        free(d);
        d = next;
    }
    cx_pinned_pool_delete(context->memory.pool);
    for (unsigned w = 0; context->workers && w <= context->nmembers; w++)
        cx_worker_end(&context->workers[w]);
    close_members(context);
    cx_jobs_free(context->spare_jobs);
    cx_transports_finish(context);
    cx_peers_finish(context->memory.peers);
    free(context->workers);
    cx_planner_free(context->planner);
    for (unsigned d = 0; d < context->ndevices; d++)
        cx_device_unref(&context->devices[d]);
    free(context->devices);
    free(context->properties);
    free(context->memory.svm.list);
    pthread_cond_destroy(&context->settled);
    pthread_cond_destroy(&context->callbacks.called);
    cx_lock_finish(&context->lock);
    free(context);
}

/* The last reference may be dropped by a worker's own thread, which cannot wait for its own end. */
static void context_destroy(struct cx_object *object)
{
    struct cx_context *context = (struct cx_context *)object;
    for (unsigned w = 0; context->workers && w <= context->nmembers; w++) {
        struct cx_worker *worker = &context->workers[w];
        if (cx_worker_is_this_thread(worker)) {
            cx_callback_thread_post_end(context_free, context);
            return;
        }
    }
    context_free(context);
}

static bool is_member(const struct cx_context *context, const struct cx_real_device *device)
{
    for (unsigned m = 0; m < context->nmembers; m++)
        if (context->workers[m].device == device)
            return true;
    return false;
}

static bool is_alike(const struct cx_real_device *a, const struct cx_real_device *b)
{
    return a->platform == b->platform && strcmp(a->name, b->name) == 0 &&
           a->compute_units == b->compute_units && a->clock_mhz == b->clock_mhz &&
           a->limits.global_mem == b->limits.global_mem;
}

static unsigned kind_of(const struct cx_context *context, const struct cx_real_device *device)
{
    unsigned m = 0, kind = 1;
    for (; m < context->nmembers && !is_alike(context->workers[m].device, device); m++)
        kind = context->workers[m].kind >= kind ? context->workers[m].kind + 1 : kind;
    return m < context->nmembers ? context->workers[m].kind : kind;
}

/* A timeline for a real device that has none yet; closed. */
static void add_member(struct cx_context *context, struct cx_real_device *device)
{
    const unsigned m = context->nmembers;
    if (is_member(context, device) || m == CX_MEMBERS_MAX)
        return;
    cx_worker_init(&context->workers[m], context, m, device);
    context->workers[m].kind = kind_of(context, device);
    context->members.device[m] = device;
    context->members.n = ++context->nmembers;
}

/* A program begins on one device, and others are opened once that is worth it (plan_open.h). All are where
 * somebody wants splits at any price, where several devices of the program's were asked for by name, or where
 * what all have in common counts, of which some can be asked once they are open only. */
static bool opens_all(const struct cx_context *context)
{
    return !cx_split_policy_bounded() || context->ndevices > 1 || context->devices[0]->common;
}

/* Makes the members of all devices, of which sub-devices may share some with each other and with the root,
 * and opens the first of them, or all. */
static cl_int open_members(struct cx_context *context)
{
    unsigned room = 0;

    for (unsigned d = 0; d < context->ndevices; d++)
        room += context->devices[d]->nmembers;
    context->workers = calloc(room + 1, sizeof(*context->workers));
    if (!context->workers)
        return CL_OUT_OF_HOST_MEMORY;
    for (unsigned d = 0; d < context->ndevices; d++)
        for (unsigned m = 0; m < context->devices[d]->nmembers; m++)
            add_member(context, context->devices[d]->members[m]);
    cx_worker_init(&context->workers[context->nmembers], context, context->nmembers, NULL);
    for (unsigned w = 0; w < context->nmembers; w++)
        if (!cx_transfer_state_begin(&context->workers[w]))
            return CL_OUT_OF_HOST_MEMORY;
    if (cx_context_shares(context)) /* read while the first device is opened */
        cx_knowledge_begin();
    context->fastest = cx_context_open_next(context);
    if (context->fastest == context->nmembers) {
        const cl_int error = context->workers[0].open_error;
        return context->nmembers ? error : CL_DEVICE_NOT_AVAILABLE;
    }
    if (cx_split_policy_bounded() && cx_context_shares(context))
        context->account = cx_account_of(context->workers[context->fastest].device);
    while (opens_all(context) && cx_context_open_next(context) < context->nmembers)
        ;
    cx_svm_choose_owner(context);
    cx_worker_open_plain(context);
    cx_peers_look(context);
    return CL_SUCCESS;
}

/* The devices of the program's list, each once. */
static bool take_devices(struct cx_context *context, struct cx_device *const *devices, cl_uint count)
{
    context->devices = calloc(count, sizeof(*context->devices));
    for (cl_uint i = 0; context->devices && i < count; i++)
        if (!cx_context_has_device(context, devices[i]))
            context->devices[context->ndevices++] = cx_device_ref(devices[i]);
    return context->devices != NULL;
}

/* With launches that are held. */
static void go_on(struct cx_context *context)
{
    cx_prefix_check(context);
    cx_deferral_check(context);
}

/* What the summary tells behind its table. */
static void report_more(void)
{
    cx_kernel_table_append(cx_account_print);
    cx_kernel_table_append(cx_transfer_counts_print);
    cx_kernel_table_append(cx_pinned_print);
}

/* What `coexec top` tells of. */
static void show_live(const struct cx_context *context)
{
    for (unsigned m = 0; m < context->nmembers; m++)
        cx_live_name_device(context->workers[m].device->index, context->workers[m].device->name);
}

static void look_for_peers(struct cx_context *context)
{
    cx_peers_use(context, 0);
}

static struct cx_context *context_create(struct cx_device *const *devices, cl_uint ndevices,
                                         const cl_context_properties *properties, size_t nproperties,
                                         cx_context_notify notify, void *data, cl_int *error)
{
    struct cx_context *context = calloc(1, sizeof(*context));
    *error = CL_OUT_OF_HOST_MEMORY;
    if (!context)
        return NULL;
    cx_live_publish();
    cx_object_init(&context->base, CX_TAG_CONTEXT, context_destroy);
    cx_lock_init(&context->lock, CX_RANK_CONTEXT);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&context->settled, &monotonic);
    pthread_cond_init(&context->callbacks.called, &monotonic);
    pthread_condattr_destroy(&monotonic);
    context->notify = notify;
    context->notify_data = data;
    if (nproperties) {
        context->properties = malloc(nproperties * sizeof(*properties));
        if (context->properties)
            memcpy(context->properties, properties, nproperties * sizeof(*properties));
        context->nproperties = nproperties;
    }
    context->listeners.opened = look_for_peers;
    context->listeners.made_kernel = cx_recall_kernel;
    context->listeners.progressed = go_on;
    report_more();
    context->memory.pool = cx_pinned_pool_new();
    context->planner = cx_planner_new();
    if (context->memory.pool && context->planner && take_devices(context, devices, ndevices) &&
        (!nproperties || context->properties))
        *error = open_members(context);
    if (*error != CL_SUCCESS) {
        cx_object_unref(&context->base);
        return NULL;
    }
    cx_trace_context(context);
    show_live(context);
    cx_power_begin(&context->members);
    return context;
}

/* Checks a property list; *count with the closing 0. */
static cl_int check_properties(const char *function, const cl_context_properties *properties, size_t *count)
{
    *count = 0;
    if (!properties)
        return CL_SUCCESS;
    for (; properties[*count]; *count += 2) {
        cl_context_properties value = properties[*count + 1];
        switch (properties[*count]) {
        case CL_CONTEXT_PLATFORM:
            if (value && !cx_platform_from((cl_platform_id)value))
                return cx_fail(function, CL_INVALID_PLATFORM, "not our platform");
            break;
        case CL_CONTEXT_INTEROP_USER_SYNC:
            if (value != CL_TRUE && value != CL_FALSE)
                return cx_fail(function, CL_INVALID_PROPERTY, "CL_CONTEXT_INTEROP_USER_SYNC is no boolean");
            break;
        case CL_PRINTF_CALLBACK_ARM: /* for the members that print so (worker.c) */
        case CL_PRINTF_BUFFERSIZE_ARM:
            if (!cx_device_get() || !cx_device_has_extension(cx_device_get()->extensions, "cl_arm_printf"))
                return cx_fail(function, CL_INVALID_PROPERTY, "the device has no cl_arm_printf");
            break;
        default:
            return cx_fail(function, CL_INVALID_PROPERTY, "unknown context property");
        }
        for (size_t i = 0; i < *count; i += 2)
            if (properties[i] == properties[*count])
                return cx_fail(function, CL_INVALID_PROPERTY, "a context property is given twice");
    }
    ++*count;
    return CL_SUCCESS;
}

static cl_context give_error(cl_int error, cl_int *errcode_ret)
{
    if (errcode_ret)
        *errcode_ret = error;
    return NULL;
}

cl_context CL_API_CALL cx_clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                                          const cl_device_id *devices,
                                          void(CL_CALLBACK *notify)(const char *, const void *, size_t,
                                                                    void *),
                                          void *user_data, cl_int *errcode_ret)
{
    size_t count;
    cl_int error = check_properties("clCreateContext", properties, &count);
    if (error != CL_SUCCESS)
        return give_error(error, errcode_ret);
    if (!devices || num_devices == 0 || (!notify && user_data))
        return give_error(CX_FAIL(CL_INVALID_VALUE, "no devices, or user data without a callback"),
                          errcode_ret);
    for (cl_uint i = 0; i < num_devices; i++)
        if (!cx_device_from(devices[i]))
            return give_error(CX_FAIL(CL_INVALID_DEVICE, "not the device of this platform"), errcode_ret);
    struct cx_context *context = context_create((struct cx_device *const *)devices, num_devices, properties,
                                                count, notify, user_data, &error);
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_context)context;
}

cl_context CL_API_CALL cx_clCreateContextFromType(const cl_context_properties *properties,
                                                  cl_device_type type,
                                                  void(CL_CALLBACK *notify)(const char *, const void *,
                                                                            size_t, void *),
                                                  void *user_data, cl_int *errcode_ret)
{
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    struct cx_device *device = cx_device_get();
    size_t count;
    cl_int error = check_properties("clCreateContextFromType", properties, &count);
    if (error != CL_SUCCESS)
        return give_error(error, errcode_ret);
    if (!notify && user_data)
        return give_error(CX_FAIL(CL_INVALID_VALUE, "user data without a callback"), errcode_ret);
    if (type == 0 || (type != CL_DEVICE_TYPE_ALL && (type & ~known)))
        return give_error(CX_FAIL(CL_INVALID_DEVICE_TYPE, "unknown device type"), errcode_ret);
    if (!device || !cx_device_answers(device, type))
        return give_error(CX_FAIL(CL_DEVICE_NOT_FOUND, "no device of that type"), errcode_ret);
    struct cx_context *context = context_create(&device, 1, properties, count, notify, user_data, &error);
    if (errcode_ret)
        *errcode_ret = error;
    return (cl_context)context;
}

cl_int CL_API_CALL cx_clRetainContext(cl_context handle)
{
    struct cx_context *context = cx_context_from(handle);
    if (!context)
        return CX_FAIL(CL_INVALID_CONTEXT, "no context of ours");
    cx_object_retain_app(&context->base);
    return CL_SUCCESS;
}

cl_int CL_API_CALL cx_clReleaseContext(cl_context handle)
{
    struct cx_context *context = cx_context_from(handle);
    if (!context)
        return CX_FAIL(CL_INVALID_CONTEXT, "no context of ours");
    if (!cx_object_release_app(&context->base))
        return CX_FAIL(CL_INVALID_CONTEXT, "released already");
    cx_callback_thread_help(false); /* buffers may go, and with them the context */
    return CL_SUCCESS;
}

cl_int CL_API_CALL cx_clGetContextInfo(cl_context handle, cl_context_info name, size_t room, void *value,
                                       size_t *size_ret)
{
    const struct cx_context *context = cx_context_from(handle);
    if (!context)
        return CX_FAIL(CL_INVALID_CONTEXT, "no context of ours");
    switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return CX_INFO(cl_uint, cx_object_app_refs(&context->base), room, value, size_ret);
    case CL_CONTEXT_NUM_DEVICES:
        return CX_INFO(cl_uint, context->ndevices, room, value, size_ret);
    case CL_CONTEXT_DEVICES:
        return cx_object_info_bytes(context->devices, context->ndevices * sizeof(*context->devices), room,
                                    value, size_ret);
    case CL_CONTEXT_PROPERTIES:
        return cx_object_info_bytes(context->properties, context->nproperties * sizeof(*context->properties),
                                    room, value, size_ret);
    default:
        return CX_FAIL(CL_INVALID_VALUE, "unknown query");
    }
}

cl_int CL_API_CALL cx_clSetContextDestructorCallback(cl_context handle,
                                                     void(CL_CALLBACK *call)(cl_context, void *), void *data)
{
    struct cx_context *context = cx_context_from(handle);
    if (!context)
        return CX_FAIL(CL_INVALID_CONTEXT, "no context of ours");
    if (!call)
        return CX_FAIL(CL_INVALID_VALUE, "no callback");
    struct cx_context_destructor *destructor = malloc(sizeof(*destructor));
    if (!destructor)
        return CX_FAIL(CL_OUT_OF_HOST_MEMORY, "no memory for a callback");
    cx_context_lock(context);
    *destructor = (struct cx_context_destructor){.next = context->destructors, .call = call, .data = data};
    context->destructors = destructor;
    cx_context_unlock(context);
    return CL_SUCCESS;
}
