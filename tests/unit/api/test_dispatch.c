/* SPDX-License-Identifier: MIT */
/*
 * The table that loaders call: no core slot is empty, the slots left empty are those of extensions that the
 * layer does not report, and what is refused is refused with the spec's code.
 */
#include "capture.h"
#include "layer/api/icd.h"
#include "layer/base/entry.h"
#include "layer/object/object.h"

#include <string.h>

static const struct {
    size_t offset;
    const char *name;
} core[] = {
#define CX_ENTRY(version, name) {offsetof(cl_icd_dispatch, name), #name},
#include "layer/base/entry.def"
#undef CX_ENTRY
};
enum { CORE = sizeof core / sizeof *core, SLOTS = sizeof(cl_icd_dispatch) / sizeof(void *) };

static void *slot(size_t offset)
{
    void *address;
    memcpy(&address, (const char *)&cx_dispatch + offset, sizeof address);
    return address;
}

START_TEST(core_slots_are_filled)
{
    for (size_t i = 0; i < CORE; i++)
        ck_assert_msg(slot(core[i].offset) != NULL, "%s has no entry", core[i].name);
}
END_TEST

/* entry.def itself might miss a function: of all slots of the header only these extensions' may be outside
 * it. */
START_TEST(others_are_extensions)
{
    static const size_t extension_slots[] = {
#define SLOT(name) offsetof(cl_icd_dispatch, name)
        SLOT(clCreateFromGLBuffer),
        SLOT(clCreateFromGLTexture2D),
        SLOT(clCreateFromGLTexture3D),
        SLOT(clCreateFromGLRenderbuffer),
        SLOT(clGetGLObjectInfo),
        SLOT(clGetGLTextureInfo),
        SLOT(clEnqueueAcquireGLObjects),
        SLOT(clEnqueueReleaseGLObjects),
        SLOT(clGetGLContextInfoKHR),
        SLOT(clGetDeviceIDsFromD3D10KHR),
        SLOT(clCreateFromD3D10BufferKHR),
        SLOT(clCreateFromD3D10Texture2DKHR),
        SLOT(clCreateFromD3D10Texture3DKHR),
        SLOT(clEnqueueAcquireD3D10ObjectsKHR),
        SLOT(clEnqueueReleaseD3D10ObjectsKHR),
        SLOT(clCreateSubDevicesEXT),
        SLOT(clRetainDeviceEXT),
        SLOT(clReleaseDeviceEXT),
        SLOT(clCreateEventFromGLsyncKHR),
        SLOT(clCreateFromGLTexture),
        SLOT(clGetDeviceIDsFromD3D11KHR),
        SLOT(clCreateFromD3D11BufferKHR),
        SLOT(clCreateFromD3D11Texture2DKHR),
        SLOT(clCreateFromD3D11Texture3DKHR),
        SLOT(clCreateFromDX9MediaSurfaceKHR),
        SLOT(clEnqueueAcquireD3D11ObjectsKHR),
        SLOT(clEnqueueReleaseD3D11ObjectsKHR),
        SLOT(clGetDeviceIDsFromDX9MediaAdapterKHR),
        SLOT(clEnqueueAcquireDX9MediaSurfacesKHR),
        SLOT(clEnqueueReleaseDX9MediaSurfacesKHR),
        SLOT(clCreateFromEGLImageKHR),
        SLOT(clEnqueueAcquireEGLObjectsKHR),
        SLOT(clEnqueueReleaseEGLObjectsKHR),
        SLOT(clCreateEventFromEGLSyncKHR),
        SLOT(clGetKernelSubGroupInfoKHR),
#undef SLOT
    };
    const size_t extensions = sizeof extension_slots / sizeof *extension_slots;
    unsigned char seen[SLOTS] = {0};
    for (size_t i = 0; i < CORE; i++)
        seen[core[i].offset / sizeof(void *)]++;
    for (size_t i = 0; i < extensions; i++)
        seen[extension_slots[i] / sizeof(void *)]++;
    for (size_t i = 0; i < SLOTS; i++)
        ck_assert_msg(seen[i] == 1, "slot %zu is %s", i,
                      seen[i] ? "listed twice" : "neither core nor extension");
}
END_TEST

START_TEST(refusals_check_handles)
{
    cl_int code = CL_SUCCESS;
    cl_uint count = 7;
    struct cx_object other = {.dispatch = &cx_dispatch, .tag = CX_TAG_EVENT, .app_refs = 1};
    cl_context wrong = (cl_context)&other;
    ck_assert_ptr_null(cx_clCreateImage(NULL, 0, NULL, NULL, NULL, &code));
    ck_assert_int_eq(code, CL_INVALID_CONTEXT);
    ck_assert_ptr_null(cx_clCreatePipe(wrong, 0, 4, 4, NULL, &code));
    ck_assert_int_eq(code, CL_INVALID_CONTEXT);
    ck_assert_ptr_null(cx_clCreateImage(NULL, 0, NULL, NULL, NULL, NULL));
    ck_assert_int_eq(cx_clGetSupportedImageFormats(NULL, 0, 0, 0, NULL, &count), CL_INVALID_CONTEXT);
    ck_assert_int_eq(
        cx_clEnqueueNativeKernel((cl_command_queue)&other, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL),
        CL_INVALID_COMMAND_QUEUE);
    ck_assert_int_eq(cx_clEnqueueSVMUnmap(NULL, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    ck_assert_int_eq(cx_clRetainSampler(NULL), CL_INVALID_SAMPLER);
    ck_assert_int_eq(cx_clGetImageInfo(NULL, 0, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    ck_assert_int_eq(cx_clCreateSubDevices(NULL, NULL, 0, NULL, NULL), CL_INVALID_DEVICE);
    ck_assert_int_eq(cx_clGetHostTimer(NULL, NULL), CL_INVALID_DEVICE);
    ck_assert_int_eq(cx_clGetGLContextInfoKHR(NULL, 0, 0, NULL, NULL), -1000);
}
END_TEST

START_TEST(refusals_of_good_handles)
{
    cl_int code = CL_SUCCESS;
    struct cx_object context = {.dispatch = &cx_dispatch, .tag = CX_TAG_CONTEXT, .app_refs = 1};
    ck_assert_ptr_null(cx_clCreatePipe((cl_context)&context, 0, 4, 4, NULL, &code));
    ck_assert_int_eq(code, CL_INVALID_OPERATION);
}
END_TEST

START_TEST(functions_by_name)
{
    ck_assert_ptr_eq(cx_clGetExtensionFunctionAddress("clIcdGetPlatformIDsKHR"),
                     (void *)cx_clIcdGetPlatformIDsKHR);
    ck_assert_ptr_eq(cx_clGetExtensionFunctionAddress("clGetPlatformInfo"), (void *)cx_clGetPlatformInfo);
    ck_assert_ptr_nonnull(cx_clGetExtensionFunctionAddress("coexecMarker"));
    ck_assert_ptr_null(cx_clGetExtensionFunctionAddress("clCreateFromGLBuffer"));
    ck_assert_ptr_null(cx_clGetExtensionFunctionAddress(NULL));
    ck_assert_ptr_null(cx_clGetExtensionFunctionAddressForPlatform(NULL, "clGetPlatformInfo"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dispatch");
    TCase *tcase = tcase_create("table");
    tcase_add_checked_fixture(tcase, clean_environment, NULL);
    tcase_add_test(tcase, core_slots_are_filled);
    tcase_add_test(tcase, others_are_extensions);
    tcase_add_test(tcase, refusals_check_handles);
    tcase_add_test(tcase, refusals_of_good_handles);
    tcase_add_test(tcase, functions_by_name);
    suite_add_tcase(suite, tcase);
    return tap_run(suite);
}
