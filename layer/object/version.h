/* SPDX-License-Identifier: MIT */
/*
 * The version of what programs keep of ours: part of the driver's version, since their caches go by that.
 */
#ifndef CX_LAYER_OBJECT_VERSION_H
#define CX_LAYER_OBJECT_VERSION_H

/* Of the layout of program binaries (binary_format.h). Increased whenever that changes: a container of
 * another version is none. */
#define CX_CONTAINER_VERSION 3

#endif
