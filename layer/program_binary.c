/* SPDX-License-Identifier: MIT */
/*
 * Programs that are not made from source: binaries, built-in kernels and intermediate languages. The virtual
 * device offers none of them (it says so in its info), so these are the refusals the spec has for such
 * devices.
 */
#include "layer/device.h"
#include "layer/entry.h"
#include "layer/log.h"
#include "layer/program.h"

static cl_int check_devices(cl_context context, cl_uint count, const cl_device_id *devices)
{
    if (!cx_context_from(context))
        return CL_INVALID_CONTEXT;
    if (count == 0 || !devices)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!cx_device_from(devices[i]))
            return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

cl_program cx_clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                        const cl_device_id *device_list, const size_t *lengths,
                                        const unsigned char **binaries, cl_int *binary_status,
                                        cl_int *errcode_ret)
{
    cl_int error = check_devices(context, num_devices, device_list);
    bool missing = !lengths || !binaries;

    for (cl_uint i = 0; error == CL_SUCCESS && !missing && i < num_devices; i++) {
        bool absent = lengths[i] == 0 || !binaries[i];
        if (binary_status)
            binary_status[i] = absent ? CL_INVALID_VALUE : CL_INVALID_BINARY;
        missing = absent;
    }
    if (error == CL_SUCCESS)
        error = missing ? CL_INVALID_VALUE : CL_INVALID_BINARY;
    CX_FAIL(error, "binaries cannot be loaded, the layer gives none either");
    if (errcode_ret)
        *errcode_ret = error;
    return NULL;
}

cl_program cx_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                                const cl_device_id *device_list, const char *kernel_names,
                                                cl_int *errcode_ret)
{
    cl_int error = check_devices(context, num_devices, device_list);
    if (error == CL_SUCCESS)
        error = CL_INVALID_VALUE;
    CX_FAIL(error, "the device has no built-in kernels");
    if (errcode_ret)
        *errcode_ret = error;
    return NULL;
}

cl_program cx_clCreateProgramWithIL(cl_context context, const void *il, size_t length, cl_int *errcode_ret)
{
    cl_int error = CL_INVALID_OPERATION;
    if (!cx_context_from(context))
        error = CL_INVALID_CONTEXT;
    CX_FAIL(error, "the device takes no intermediate language");
    if (errcode_ret)
        *errcode_ret = error;
    return NULL;
}

cl_int cx_clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size,
                                             const void *spec_value)
{
    if (!cx_program_from(program))
        return CX_FAIL(CL_INVALID_PROGRAM, "not a program");
    return CX_FAIL(CL_INVALID_OPERATION, "the device takes no intermediate language");
}

cl_int cx_clSetProgramReleaseCallback(cl_program program, cx_program_notify pfn_notify, void *user_data)
{
    if (!cx_program_from(program))
        return CX_FAIL(CL_INVALID_PROGRAM, "not a program");
    return CX_FAIL(CL_INVALID_OPERATION, "programs of the device have no global destructors");
}
