/* SPDX-License-Identifier: MIT */
/*
 * Declarations of cl_khr_command_buffer 0.9.8, independent of the installed headers: Debian 12's have 0.9.0,
 * and later ones declare nothing of it without CL_ENABLE_BETA_EXTENSIONS. C allows repeated equal typedefs.
 */
#ifndef CX_LAYER_OBJECT_COMMAND_BUFFER_API_H
#define CX_LAYER_OBJECT_COMMAND_BUFFER_API_H

#include <CL/cl_ext.h>

typedef struct _cl_command_buffer_khr *cl_command_buffer_khr;
typedef struct _cl_mutable_command_khr *cl_mutable_command_khr;
typedef cl_uint cl_sync_point_khr;
typedef cl_uint cl_command_buffer_info_khr;
typedef cl_uint cl_command_buffer_state_khr;
typedef cl_properties cl_command_buffer_properties_khr;
typedef cl_properties cl_command_properties_khr;
typedef cl_bitfield cl_command_buffer_flags_khr;

#ifndef CL_COMMAND_BUFFER_FLAGS_KHR
#define CL_COMMAND_BUFFER_FLAGS_KHR                            0x1293
#define CL_COMMAND_BUFFER_QUEUES_KHR                           0x1294
#define CL_COMMAND_BUFFER_NUM_QUEUES_KHR                       0x1295
#define CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR                  0x1296
#define CL_COMMAND_BUFFER_STATE_KHR                            0x1297
#define CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR                 0x1298
#define CL_COMMAND_BUFFER_STATE_RECORDING_KHR                  0
#define CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR                 1
#define CL_COMMAND_COMMAND_BUFFER_KHR                          0x12A8
#define CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR              0x12A9
#define CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR 0x12AA
#define CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR         (1 << 0)
#define CL_INVALID_COMMAND_BUFFER_KHR                          -1138
#define CL_INVALID_SYNC_POINT_WAIT_LIST_KHR                    -1139
#define CL_INCOMPATIBLE_COMMAND_QUEUE_KHR                      -1140
#endif
#ifndef CL_COMMAND_BUFFER_CONTEXT_KHR
#define CL_COMMAND_BUFFER_CONTEXT_KHR 0x1299
#endif
#ifndef CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR
#define CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR 0x129A
#endif
/* of other extensions by now */
#ifndef CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR
#define CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR (1 << 0)
#endif
#ifndef CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR
#define CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR (1 << 2)
#endif
#ifndef CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR /* until 0.9.5 */
#define CL_COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR (1 << 3)
#endif

#endif
