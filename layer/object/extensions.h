/* SPDX-License-Identifier: MIT */
/*
 * Which extensions the virtual device lists, and which device queries come with them.
 *
 * Listed are the layer's own, and of the members' those that need nothing of a runtime: they are of the
 * kernel language, of build options, or only queries. One that adds functions, or meanings to enqueued
 * commands, is listed where the layer has these. Previous stage: device.h. Next stage: device.h, shown.h.
 * Thread-safety: no state.
 */
#ifndef CX_LAYER_OBJECT_EXTENSIONS_H
#define CX_LAYER_OBJECT_EXTENSIONS_H

#include "layer/object/device.h"

/* The list as CL_DEVICE_EXTENSIONS gives it, free() it; NULL: no memory. Called by device.c. */
char *cx_extensions_join(const struct cx_device *device);

enum cx_extension_query {
    CX_EXTENSION_QUERY_NONE,  /* no query of an extension that the fastest member has */
    CX_EXTENSION_QUERY_PLAIN, /* says what the device is like */
    CX_EXTENSION_QUERY_PLACE, /* says which device of the machine it is: bus, UUID */
};

/* What kind of query of an extension that is, for the device's fastest member. Called by shown.c. */
enum cx_extension_query cx_extension_query_kind(const struct cx_device *device, cl_device_info query);

#endif
