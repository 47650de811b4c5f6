/* SPDX-License-Identifier: MIT */
/* Stub driver: handles, references, numbers for the log, and answers to queries. */
#include "stub.h"
#include <string.h>

void stub_object_init(struct stub_object *object, enum stub_kind kind, unsigned id,
                      void (*destroy)(struct stub_object *object))
{
    object->dispatch = &stub_dispatch;
    object->kind = kind;
    object->id = id;
    object->destroy = destroy;
    atomic_store(&object->refs, 1);
}

void *stub_object_of(const void *handle, enum stub_kind kind)
{
    const struct stub_object *object = handle;
    return object && object->kind == (uint32_t)kind ? (void *)(uintptr_t)handle : NULL;
}

void stub_object_ref(struct stub_object *object)
{
    atomic_fetch_add_explicit(&object->refs, 1, memory_order_relaxed);
}

void stub_object_unref(struct stub_object *object)
{
    if (object && atomic_fetch_sub_explicit(&object->refs, 1, memory_order_acq_rel) == 1) {
        object->kind = 0;
        object->destroy(object);
    }
}

unsigned stub_id(const void *handle)
{
    return handle ? ((const struct stub_object *)handle)->id : 0;
}

unsigned stub_new_id(enum stub_kind kind)
{
    static atomic_uint counts[STUB_EVENT - STUB_PLATFORM + 1];
    return atomic_fetch_add(&counts[kind - STUB_PLATFORM], 1) + 1;
}

cl_int stub_info(const void *data, size_t size, size_t room, void *value, size_t *size_ret)
{
    if (value && room < size)
        return CL_INVALID_VALUE;
    if (value && size)
        memcpy(value, data, size);
    if (size_ret)
        *size_ret = size;
    return CL_SUCCESS;
}
