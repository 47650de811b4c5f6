/* SPDX-License-Identifier: MIT */
/* Recorded commands. See cl_recorded.h. */
#include "cl_recorded.h"

struct cl_recorded recorded;

static cl_int barrier(cl_command_buffer_khr buffer, cl_command_queue queue, cl_uint nwait,
                      const cl_sync_point_khr *list, cl_sync_point_khr *point, cl_mutable_command_khr *handle)
{
    return recorded.has_properties ? recorded.today.barrier(buffer, queue, NULL, nwait, list, point, handle)
                                   : recorded.older.barrier(buffer, queue, nwait, list, point, handle);
}

static cl_int copy(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to,
                   size_t from_offset, size_t to_offset, size_t size, cl_uint nwait,
                   const cl_sync_point_khr *list, cl_sync_point_khr *point, cl_mutable_command_khr *handle)
{
    return recorded.has_properties ? recorded.today.copy(buffer, queue, NULL, from, to, from_offset,
                                                         to_offset, size, nwait, list, point, handle)
                                   : recorded.older.copy(buffer, queue, from, to, from_offset, to_offset,
                                                         size, nwait, list, point, handle);
}

static cl_int copy_rect(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to,
                        const size_t *there, const size_t *here, const size_t *region, size_t from_row,
                        size_t from_slice, size_t to_row, size_t to_slice, cl_uint nwait,
                        const cl_sync_point_khr *list, cl_sync_point_khr *point,
                        cl_mutable_command_khr *handle)
{
    return recorded.has_properties
               ? recorded.today.copy_rect(buffer, queue, NULL, from, to, there, here, region, from_row,
                                          from_slice, to_row, to_slice, nwait, list, point, handle)
               : recorded.older.copy_rect(buffer, queue, from, to, there, here, region, from_row, from_slice,
                                          to_row, to_slice, nwait, list, point, handle);
}

static cl_int to_image(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to,
                       size_t offset, const size_t *origin, const size_t *region, cl_uint nwait,
                       const cl_sync_point_khr *list, cl_sync_point_khr *point,
                       cl_mutable_command_khr *handle)
{
    return recorded.has_properties ? recorded.today.to_image(buffer, queue, NULL, from, to, offset, origin,
                                                             region, nwait, list, point, handle)
                                   : recorded.older.to_image(buffer, queue, from, to, offset, origin, region,
                                                             nwait, list, point, handle);
}

static cl_int copy_image(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to,
                         const size_t *there, const size_t *here, const size_t *region, cl_uint nwait,
                         const cl_sync_point_khr *list, cl_sync_point_khr *point,
                         cl_mutable_command_khr *handle)
{
    return recorded.has_properties ? recorded.today.copy_image(buffer, queue, NULL, from, to, there, here,
                                                               region, nwait, list, point, handle)
                                   : recorded.older.copy_image(buffer, queue, from, to, there, here, region,
                                                               nwait, list, point, handle);
}

static cl_int from_image(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem from, cl_mem to,
                         const size_t *origin, const size_t *region, size_t offset, cl_uint nwait,
                         const cl_sync_point_khr *list, cl_sync_point_khr *point,
                         cl_mutable_command_khr *handle)
{
    return recorded.has_properties ? recorded.today.from_image(buffer, queue, NULL, from, to, origin, region,
                                                               offset, nwait, list, point, handle)
                                   : recorded.older.from_image(buffer, queue, from, to, origin, region,
                                                               offset, nwait, list, point, handle);
}

static cl_int fill(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem mem, const void *pattern,
                   size_t pattern_size, size_t offset, size_t size, cl_uint nwait,
                   const cl_sync_point_khr *list, cl_sync_point_khr *point, cl_mutable_command_khr *handle)
{
    return recorded.has_properties ? recorded.today.fill(buffer, queue, NULL, mem, pattern, pattern_size,
                                                         offset, size, nwait, list, point, handle)
                                   : recorded.older.fill(buffer, queue, mem, pattern, pattern_size, offset,
                                                         size, nwait, list, point, handle);
}

static cl_int fill_image(cl_command_buffer_khr buffer, cl_command_queue queue, cl_mem image,
                         const void *colour, const size_t *origin, const size_t *region, cl_uint nwait,
                         const cl_sync_point_khr *list, cl_sync_point_khr *point,
                         cl_mutable_command_khr *handle)
{
    return recorded.has_properties ? recorded.today.fill_image(buffer, queue, NULL, image, colour, origin,
                                                               region, nwait, list, point, handle)
                                   : recorded.older.fill_image(buffer, queue, image, colour, origin, region,
                                                               nwait, list, point, handle);
}

static bool shows_today(void)
{
    cl_name_version list[64];
    size_t size = 0;
    if (clGetDeviceInfo(cl.device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &size) != CL_SUCCESS)
        return false;
    for (size_t i = 0; i < size / sizeof *list; i++)
        if (strcmp(list[i].name, "cl_khr_command_buffer") == 0)
            return list[i].version >= CL_MAKE_VERSION(0, 9, 8);
    return false;
}

static void *find(const char *name)
{
    return clGetExtensionFunctionAddressForPlatform(cl.platform, name);
}

void cl_recorded_find(void)
{
    const struct {
        void *to, *too;
        const char *name;
    } functions[] = {
        {&recorded.create, NULL, "clCreateCommandBufferKHR"},
        {&recorded.finalize, NULL, "clFinalizeCommandBufferKHR"},
        {&recorded.retain, NULL, "clRetainCommandBufferKHR"},
        {&recorded.release, NULL, "clReleaseCommandBufferKHR"},
        {&recorded.enqueue, NULL, "clEnqueueCommandBufferKHR"},
        {&recorded.kernel, NULL, "clCommandNDRangeKernelKHR"},
        {&recorded.info, NULL, "clGetCommandBufferInfoKHR"},
        {&recorded.older.barrier, &recorded.today.barrier, "clCommandBarrierWithWaitListKHR"},
        {&recorded.older.copy, &recorded.today.copy, "clCommandCopyBufferKHR"},
        {&recorded.older.copy_rect, &recorded.today.copy_rect, "clCommandCopyBufferRectKHR"},
        {&recorded.older.to_image, &recorded.today.to_image, "clCommandCopyBufferToImageKHR"},
        {&recorded.older.copy_image, &recorded.today.copy_image, "clCommandCopyImageKHR"},
        {&recorded.older.from_image, &recorded.today.from_image, "clCommandCopyImageToBufferKHR"},
        {&recorded.older.fill, &recorded.today.fill, "clCommandFillBufferKHR"},
        {&recorded.older.fill_image, &recorded.today.fill_image, "clCommandFillImageKHR"},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = find(functions[i].name);
        ck_assert_msg(found != NULL, "no %s", functions[i].name);
        memcpy(functions[i].to, &found, sizeof found);
        if (functions[i].too)
            memcpy(functions[i].too, &found, sizeof found);
    }
    void *copies = find("clCommandSVMMemcpyKHR"), *fills = find("clCommandSVMMemFillKHR");
    memcpy(&recorded.today.svm_copy, &copies, sizeof copies);
    memcpy(&recorded.today.svm_fill, &fills, sizeof fills);
    recorded.has_properties = shows_today();
    recorded.barrier = barrier;
    recorded.copy = copy;
    recorded.copy_rect = copy_rect;
    recorded.to_image = to_image;
    recorded.copy_image = copy_image;
    recorded.from_image = from_image;
    recorded.fill = fill;
    recorded.fill_image = fill_image;
}

cl_command_buffer_khr cl_recorded_create(cl_command_queue queue, cl_command_buffer_flags_khr flags)
{
    const cl_command_buffer_properties_khr properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    cl_int error;
    cl_command_buffer_khr buffer = recorded.create(1, &queue, flags ? properties : NULL, &error);
    cl_ok(error);
    ck_assert_ptr_nonnull(buffer);
    return buffer;
}
