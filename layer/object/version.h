/* SPDX-License-Identifier: MIT */
/*
 * The version of the binaries that programs store. It is part of the driver's version text, since programs
 * use that as the key of their caches.
 */
#ifndef CX_LAYER_OBJECT_VERSION_H
#define CX_LAYER_OBJECT_VERSION_H

/* The version of the layout of program binaries (container.h), increased whenever that changes. A
 * container of another version is refused. */
#define CX_CONTAINER_VERSION 3

#endif
