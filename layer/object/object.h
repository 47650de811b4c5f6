/* SPDX-License-Identifier: MIT */
/*
 * Typed handles: the common head of every OpenCL object of the layer.
 *
 * The loader reads the dispatch pointer, the first word of every handle. A tag follows that says which kind
 * of object it is, checked in every build, and two counts: the program's references (clRetain*, clRelease*,
 * CL_*_REFERENCE_COUNT) and the layer's own. All program references together hold one internal reference; the
 * object dies with its last internal one.
 *
 * Thread-safety: counts are atomic; everything else of an object is guarded as its own header says.
 */
#ifndef CX_LAYER_OBJECT_OBJECT_H
#define CX_LAYER_OBJECT_OBJECT_H

#include "layer/base/forked.h"

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cx_tag {
    CX_TAG_DEAD = 0,
    CX_TAG_PLATFORM = 0x43580001,
    CX_TAG_DEVICE,
    CX_TAG_CONTEXT,
    CX_TAG_QUEUE,
    CX_TAG_MEM,
    CX_TAG_PROGRAM,
    CX_TAG_KERNEL,
    CX_TAG_EVENT,
    CX_TAG_SAMPLER,
    CX_TAG_COMMAND_BUFFER,
};

struct cx_object {
    const cl_icd_dispatch *dispatch; /* must stay first: the loader reads it */
    uint32_t tag;                    /* enum cx_tag */
    atomic_uint app_refs;            /* the program's references */
    atomic_uint refs;                /* internal references, one of them for all of app_refs */
    uint64_t id;                     /* unique in the process, for logs and traces */
    void (*destroy)(struct cx_object *object);
};

/* The dispatch table that every handle points to. api/icd.c, which has the entry points, sets it when the
 * library is loaded. */
extern const cl_icd_dispatch *cx_object_dispatch;

/* Zeroed memory, to be freed with free(). glibc's calloc, unlike malloc, does not reuse blocks that the
 * thread has freed before, and takes twice the instructions. NULL: no memory. Called by timeline/command.c
 * and timeline/worker.c. */
void *cx_zeroed(size_t size);

/* Initialises an object with one program reference, which holds one internal reference. destroy frees it.
 * Called by object/, api/, memory/, program/ and timeline/. */
void cx_object_init(struct cx_object *object, enum cx_tag tag, void (*destroy)(struct cx_object *object));

/* Take and drop a program reference. All program references together hold one internal reference. A program
 * may retain again after its last release, an object that a query or a callback gave it. release returns
 * false if there is no program reference. Called by object/, api/, memory/, program/ and timeline/. */
void cx_object_retain_app(struct cx_object *object);
bool cx_object_release_app(struct cx_object *object);
cl_uint cx_object_app_refs(const struct cx_object *object);

/* Take and drop an internal reference; the object is destroyed with the last one. Called in all rooms, mostly
 * by the cx_NOUN_ref and cx_NOUN_unref that CX_OBJECT_CASTS makes. */
void cx_object_ref(struct cx_object *object);
void cx_object_unref(struct cx_object *object);

/* Logs once that the process is a child made by fork(), in which nothing works (forked.h). Returns NULL.
 * Called by api/icd.c. */
void *cx_object_refused(void);

/* The object behind a handle, or NULL if the handle is not of that kind. An object without program references
 * counts as well: queries and callbacks give handles of objects that only other objects still refer to.
 * Called by the cx_NOUN_from that CX_OBJECT_CASTS makes, and by api/refused.c. */
static inline void *cx_object_cast(const void *handle, enum cx_tag tag)
{
    const struct cx_object *object = handle;
    if (__builtin_expect(cx_forked, false))
        return cx_object_refused();
    if (!object || object->tag != (uint32_t)tag)
        return NULL;
    return (void *)(uintptr_t)handle;
}

/* CX_OBJECT_CASTS(context, cl_context, CX_TAG_CONTEXT) makes
 *   struct cx_context *cx_context_from(cl_context)      checked cast, NULL for anything else
 *   struct cx_context *cx_context_ref(struct cx_context *)
 *   void cx_context_unref(struct cx_context **)         drops and nulls
 * for a struct whose first member is `struct cx_object base`. */
#define CX_OBJECT_CASTS(noun, handle_type, tag_value)                                                        \
    static inline struct cx_##noun *cx_##noun##_from(handle_type handle)                                     \
    {                                                                                                        \
        return cx_object_cast((const void *)handle, tag_value);                                              \
    }                                                                                                        \
    static inline struct cx_##noun *cx_##noun##_ref(struct cx_##noun *noun)                                  \
    {                                                                                                        \
        cx_object_ref(&noun->base);                                                                          \
        return noun;                                                                                         \
    }                                                                                                        \
    static inline void cx_##noun##_unref(struct cx_##noun **noun)                                            \
    {                                                                                                        \
        if (*noun)                                                                                           \
            cx_object_unref(&(*noun)->base);                                                                 \
        *noun = NULL;                                                                                        \
    }

/* Answer a clGet*Info query: copies `size` bytes of `data` to the program as the specification says. Errors:
 * CL_INVALID_VALUE when the program's room is too small. Called by object/, api/, memory/, program/ and
 * timeline/. */
cl_int cx_object_info_bytes(const void *data, size_t size, size_t room, void *value, size_t *size_ret);
cl_int cx_object_info_string(const char *text, size_t room, void *value, size_t *size_ret);
#define CX_INFO(type, expression, room, value, size_ret)                                                     \
    cx_object_info_bytes(&(type){expression}, sizeof(type), room, value, size_ret)

#endif
