/* SPDX-License-Identifier: MIT */
/*
 * Sub-devices that drivers make of their devices, for those that the program asks for.
 *
 * PoCL's are never released: its queues keep no reference to their device (PoCL 3.1), and its thread releases
 * an event, whose queue's device it reads then, some time after it has told of the event's end. So nobody can
 * know when the device is no longer in use. They are kept, and serve the next partition of that device that
 * is asked for in the same words once the former one's are all given back: as many stay as were in use at a
 * time. Previous stage: device.h. Next: object/sub_device.c. Thread-safe.
 */
#ifndef CX_LAYER_DRIVER_SUB_DEVICES_H
#define CX_LAYER_DRIVER_SUB_DEVICES_H

#include "layer/driver/device.h"

/* As clCreateSubDevices of the driver, of a list for which it tells the number of parts; room: of `part`, for
 * all of them. Each is the caller's, to be given back. Errors: the driver's. Called by object/sub_device.c.
 */
cl_int cx_sub_devices_make(const struct cx_real_device *device, const cl_device_partition_property *list,
                           cl_uint room, cl_device_id *part, cl_uint *made);
/* Gives a part back. platform: of its device. Called by device.c and object/sub_device.c. */
void cx_sub_device_give_back(const struct cx_real_platform *platform, cl_device_id part);

#endif
