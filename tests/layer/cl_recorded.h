/* SPDX-License-Identifier: MIT */
/*
 * The functions of cl_khr_command_buffer, by name from the platform: `recorded.create` and so on. They are
 * called as 0.9.8 has them, with a list of properties, where that is what the platform shows, else as 0.9.1;
 * `today` and `older` are the same for tests that mean one of both. What headers declare of it differs.
 */
#ifndef CX_TESTS_LAYER_CL_RECORDED_H
#define CX_TESTS_LAYER_CL_RECORDED_H

#include "cl_fixture.h"
#include "../../layer/object/command_buffer_api.h"

struct cl_recorded_older {
    cl_int(CL_API_CALL *barrier)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_uint nwait,
                                 const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                 cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *copy)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to,
                              size_t from_offset, size_t to_offset, size_t size, cl_uint nwait,
                              const cl_sync_point_khr *list, cl_sync_point_khr *point,
                              cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *copy_rect)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from,
                                   cl_mem to, const size_t *there, const size_t *here, const size_t *region,
                                   size_t from_row, size_t from_slice, size_t to_row, size_t to_slice,
                                   cl_uint nwait, const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                   cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *to_image)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from,
                                  cl_mem to, size_t offset, const size_t *origin, const size_t *region,
                                  cl_uint nwait, const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                  cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *copy_image)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from,
                                    cl_mem to, const size_t *there, const size_t *here, const size_t *region,
                                    cl_uint nwait, const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                    cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *from_image)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from,
                                    cl_mem to, const size_t *origin, const size_t *region, size_t offset,
                                    cl_uint nwait, const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                    cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *fill)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem mem,
                              const void *pattern, size_t pattern_size, size_t offset, size_t size,
                              cl_uint nwait, const cl_sync_point_khr *list, cl_sync_point_khr *point,
                              cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *fill_image)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem image,
                                    const void *colour, const size_t *origin, const size_t *region,
                                    cl_uint nwait, const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                    cl_mutable_command_khr *handle);
};

struct cl_recorded_today {
    cl_int(CL_API_CALL *barrier)(cl_command_buffer_khr buffer, cl_command_queue queue,
                                 const cl_command_properties_khr *properties, cl_uint nwait,
                                 const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                 cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *copy)(cl_command_buffer_khr buffer, cl_command_queue queue,
                              const cl_command_properties_khr *properties, cl_mem from, cl_mem to,
                              size_t from_offset, size_t to_offset, size_t size, cl_uint nwait,
                              const cl_sync_point_khr *list, cl_sync_point_khr *point,
                              cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *copy_rect)(cl_command_buffer_khr buffer, cl_command_queue queue,
                                   const cl_command_properties_khr *properties, cl_mem from, cl_mem to,
                                   const size_t *there, const size_t *here, const size_t *region,
                                   size_t from_row, size_t from_slice, size_t to_row, size_t to_slice,
                                   cl_uint nwait, const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                   cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *to_image)(cl_command_buffer_khr buffer, cl_command_queue queue,
                                  const cl_command_properties_khr *properties, cl_mem from, cl_mem to,
                                  size_t offset, const size_t *origin, const size_t *region, cl_uint nwait,
                                  const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                  cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *copy_image)(cl_command_buffer_khr buffer, cl_command_queue queue,
                                    const cl_command_properties_khr *properties, cl_mem from, cl_mem to,
                                    const size_t *there, const size_t *here, const size_t *region,
                                    cl_uint nwait, const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                    cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *from_image)(cl_command_buffer_khr buffer, cl_command_queue queue,
                                    const cl_command_properties_khr *properties, cl_mem from, cl_mem to,
                                    const size_t *origin, const size_t *region, size_t offset, cl_uint nwait,
                                    const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                    cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *fill)(cl_command_buffer_khr buffer, cl_command_queue queue,
                              const cl_command_properties_khr *properties, cl_mem mem, const void *pattern,
                              size_t pattern_size, size_t offset, size_t size, cl_uint nwait,
                              const cl_sync_point_khr *list, cl_sync_point_khr *point,
                              cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *fill_image)(cl_command_buffer_khr buffer, cl_command_queue queue,
                                    const cl_command_properties_khr *properties, cl_mem image,
                                    const void *colour, const size_t *origin, const size_t *region,
                                    cl_uint nwait, const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                    cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *svm_copy)(cl_command_buffer_khr buffer, cl_command_queue queue,
                                  const cl_command_properties_khr *properties, void *to, const void *from,
                                  size_t size, cl_uint nwait, const cl_sync_point_khr *list,
                                  cl_sync_point_khr *point, cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *svm_fill)(cl_command_buffer_khr buffer, cl_command_queue queue,
                                  const cl_command_properties_khr *properties, void *to, const void *pattern,
                                  size_t pattern_size, size_t size, cl_uint nwait,
                                  const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                  cl_mutable_command_khr *handle);
};

extern struct cl_recorded {
    cl_command_buffer_khr(CL_API_CALL *create)(cl_uint count, const cl_command_queue *queues,
                                               const cl_command_buffer_properties_khr *properties,
                                               cl_int *error);
    cl_int(CL_API_CALL *finalize)(cl_command_buffer_khr buffer);
    cl_int(CL_API_CALL *retain)(cl_command_buffer_khr buffer);
    cl_int(CL_API_CALL *release)(cl_command_buffer_khr buffer);
    cl_int(CL_API_CALL *enqueue)(cl_uint count, cl_command_queue *queues, cl_command_buffer_khr buffer,
                                 cl_uint nwait, const cl_event *list, cl_event *event);
    cl_int(CL_API_CALL *kernel)(cl_command_buffer_khr buffer, cl_command_queue queue,
                                const cl_command_properties_khr *properties, cl_kernel kernel, cl_uint dims,
                                const size_t *offset, const size_t *global, const size_t *local,
                                cl_uint nwait, const cl_sync_point_khr *list, cl_sync_point_khr *point,
                                cl_mutable_command_khr *handle);
    cl_int(CL_API_CALL *info)(cl_command_buffer_khr buffer, cl_command_buffer_info_khr name, size_t room,
                              void *value, size_t *size);
    bool has_properties; /* the platform shows 0.9.8 */
    struct cl_recorded_older older;
    struct cl_recorded_today today;
    cl_int (*barrier)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_uint nwait,
                      const cl_sync_point_khr *list, cl_sync_point_khr *point,
                      cl_mutable_command_khr *handle);
    cl_int (*copy)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to,
                   size_t from_offset, size_t to_offset, size_t size, cl_uint nwait,
                   const cl_sync_point_khr *list, cl_sync_point_khr *point, cl_mutable_command_khr *handle);
    cl_int (*copy_rect)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to,
                        const size_t *there, const size_t *here, const size_t *region, size_t from_row,
                        size_t from_slice, size_t to_row, size_t to_slice, cl_uint nwait,
                        const cl_sync_point_khr *list, cl_sync_point_khr *point,
                        cl_mutable_command_khr *handle);
    cl_int (*to_image)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to,
                       size_t offset, const size_t *origin, const size_t *region, cl_uint nwait,
                       const cl_sync_point_khr *list, cl_sync_point_khr *point,
                       cl_mutable_command_khr *handle);
    cl_int (*copy_image)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to,
                         const size_t *there, const size_t *here, const size_t *region, cl_uint nwait,
                         const cl_sync_point_khr *list, cl_sync_point_khr *point,
                         cl_mutable_command_khr *handle);
    cl_int (*from_image)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to,
                         const size_t *origin, const size_t *region, size_t offset, cl_uint nwait,
                         const cl_sync_point_khr *list, cl_sync_point_khr *point,
                         cl_mutable_command_khr *handle);
    cl_int (*fill)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem mem, const void *pattern,
                   size_t pattern_size, size_t offset, size_t size, cl_uint nwait,
                   const cl_sync_point_khr *list, cl_sync_point_khr *point, cl_mutable_command_khr *handle);
    cl_int (*fill_image)(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem image,
                         const void *colour, const size_t *origin, const size_t *region, cl_uint nwait,
                         const cl_sync_point_khr *list, cl_sync_point_khr *point,
                         cl_mutable_command_khr *handle);
} recorded;

/* In a checked fixture, behind cl_open. */
void cl_recorded_find(void);
/* Asserts success. */
cl_command_buffer_khr cl_recorded_create(cl_command_queue queue, cl_command_buffer_flags_khr flags);

#endif
