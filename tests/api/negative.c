/* SPDX-License-Identifier: MIT */
/* Negative tests: see negative.h. */
#include "negative.h"
#include <stdio.h>

cl_int negative_code;
static unsigned differing;

cl_int negative_made(bool object)
{
    if (object && negative_code == CL_LINK_PROGRAM_FAILURE) /* its log can be asked for */
        return negative_code;
    return object == (negative_code == CL_SUCCESS) ? negative_code : 77777;
}

/* Only of this version the answers are in the rows; others crash elsewhere. */
static bool is_known_pocl(void)
{
    char version[256] = "";
    cl_ok(clGetPlatformInfo(cl.platform, CL_PLATFORM_VERSION, sizeof(version), version, NULL));
    return strstr(version, "PoCL 3.1") || strstr(version, "pocl 3.1");
}

bool negative_called(const char *file, int line, cl_int pocl)
{
    bool called = cl_is_coexec() || (pocl != CRASHES && is_known_pocl());
    if (called && getenv("NEGATIVE_TRACE"))
        fprintf(stderr, "%s:%d: called\n", file, line);
    return called;
}

void negative_check(const char *call, const char *file, int line, cl_int spec, cl_int pocl, cl_int got)
{
    bool ours = cl_is_coexec();
    cl_int want = ours ? spec : pocl;
    if (got == want || (!ours && pocl == ANY))
        return;
    differing++;
    fprintf(stderr, "%s:%d: %s gave %s, ", file, line, call, cl_code_name(got));
    fprintf(stderr, "not %s\n", cl_code_name(want));
}

void negative_end(void)
{
    unsigned count = differing;
    differing = 0;
    ck_assert_msg(count == 0, "%u rows differ", count);
}

bool negative_takes_il(void)
{
    char version[256] = "";
    return clGetDeviceInfo(cl.device, CL_DEVICE_IL_VERSION, sizeof(version), version, NULL) == CL_SUCCESS &&
           *version;
}

void *negative_handle(void)
{
    static void *memory[64];
    memory[0] = *(void **)cl.device; /* the loader looks for a table there */
    return memory;
}
