/* SPDX-License-Identifier: MIT */
/*
 * Which extensions the virtual device lists, and which device queries come with them.
 *
 * The list has the layer's own extensions, and those of the members' that need no support by the layer:
 * extensions of the kernel language, of build options, or of queries alone. An extension that adds functions,
 * or changes enqueued commands, is listed if the layer implements it. Previous stage: device.h. Next stage:
 * device.h, shown.h. Thread-safety: no state.
 */
#ifndef CX_LAYER_OBJECT_EXTENSIONS_H
#define CX_LAYER_OBJECT_EXTENSIONS_H

#include "layer/object/device.h"

/* The text of CL_DEVICE_EXTENSIONS, which the caller frees. NULL: no memory. Called by device.c. */
char *cx_extensions_join(const struct cx_device *device);

enum cx_extension_query {
    CX_EXTENSION_QUERY_NONE,  /* the query is of no extension that the fastest member has */
    CX_EXTENSION_QUERY_PLAIN, /* describes properties of the device */
    CX_EXTENSION_QUERY_PLACE, /* identifies the device in the machine: bus, UUID */
};

/* The kind of a query, by the extensions of the device's fastest member. Called by shown.c. */
enum cx_extension_query cx_extension_query_kind(const struct cx_device *device, cl_device_info query);

#endif
