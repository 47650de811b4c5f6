/* SPDX-License-Identifier: MIT */
/*
 * Typed handles: reference counts, and the functions that answer info queries.
 */
#include "layer/object/object.h"
#include "layer/base/log.h"

#include <stdlib.h>
#include <string.h>

const cl_icd_dispatch *cx_object_dispatch;

static atomic_uint_fast64_t next_id = 1;

void *cx_object_refused(void)
{
    static bool reported;
    if (!reported)
        cx_warn(CX_TOPIC_API, "the process used OpenCL before it forked: in the child, every call fails");
    reported = true;
    return NULL;
}

/* The empty statement keeps the compiler from making calloc of it again. */
void *cx_zeroed(size_t size)
{
    void *memory = malloc(size);
    __asm__("" : "+r"(memory));
    return memory ? memset(memory, 0, size) : NULL;
}

void cx_object_init(struct cx_object *object, enum cx_tag tag, void (*destroy)(struct cx_object *object))
{
    object->dispatch = cx_object_dispatch;
    object->tag = tag;
    atomic_init(&object->app_refs, 1);
    atomic_init(&object->refs, 1);
    object->id = atomic_fetch_add_explicit(&next_id, 1, memory_order_relaxed);
    object->destroy = destroy;
}

void cx_object_retain_app(struct cx_object *object)
{
    cx_object_ref(object);
    if (atomic_fetch_add_explicit(&object->app_refs, 1, memory_order_relaxed))
        cx_object_unref(object);
}

bool cx_object_release_app(struct cx_object *object)
{
    unsigned held = atomic_load_explicit(&object->app_refs, memory_order_relaxed);
    while (held && !atomic_compare_exchange_weak_explicit(&object->app_refs, &held, held - 1,
                                                          memory_order_acq_rel, memory_order_relaxed))
        ;
    if (held == 1)
        cx_object_unref(object);
    return held;
}

cl_uint cx_object_app_refs(const struct cx_object *object)
{
    return atomic_load_explicit(&object->app_refs, memory_order_relaxed);
}

void cx_object_ref(struct cx_object *object)
{
    atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);
}

void cx_object_unref(struct cx_object *object)
{
    if (atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) != 1)
        return;
    void (*destroy)(struct cx_object *) = object->destroy;
    object->tag = CX_TAG_DEAD;
    destroy(object);
}

cl_int cx_object_info_bytes(const void *data, size_t size, size_t room, void *value, size_t *size_ret)
{
    if (value) {
        if (room < size)
            return CL_INVALID_VALUE;
        if (size)
            memcpy(value, data, size);
    }
    if (size_ret)
        *size_ret = size;
    return CL_SUCCESS;
}

cl_int cx_object_info_string(const char *text, size_t room, void *value, size_t *size_ret)
{
    return cx_object_info_bytes(text, strlen(text) + 1, room, value, size_ret);
}
