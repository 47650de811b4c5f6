/* SPDX-License-Identifier: MIT */
/*
 * Equal devices of PoCL's that must not be seen to run one program.
 *
 * PoCL loads a kernel's machine code once for all devices of one kind, again for a range wider than before or
 * the first with an offset, and gives back whichever it finds first: two threads that run unlike ranges of
 * one kernel on two such devices end the process (3.1, whose `basic` device runs kernels in the calling
 * thread). It tells programs apart by text and options. So each device but the first gets an option of its
 * own, a macro that nobody reads. Previous stage: drivers.c.
 */
#include "layer/driver/drivers.h"
#include "layer/driver/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_icd_dispatch theirs; /* of the one driver this is for; written once */

/* How many devices like this one come before it; 0 where there may be as many as one likes. */
static unsigned twins_before(cl_device_id id)
{
    const struct cx_machine *machine = cx_machine_get();
    const struct cx_real_device *own = NULL;
    unsigned before = 0;
    for (unsigned i = 0; i < machine->ndevices && !own; i++)
        if (machine->devices[i].id == id)
            own = &machine->devices[i];
    if (!own || !own->probe.synchronous)
        return 0;
    for (const struct cx_real_device *device = machine->devices; device < own; device++)
        before += device->platform == own->platform && strcmp(device->name, own->name) == 0;
    return before;
}

/* The options with the device's own; NULL: they stay as they are. free() them. */
static char *own_options(cl_uint ndevices, const cl_device_id *devices, const char *options)
{
    const unsigned before = ndevices == 1 && devices ? twins_before(*devices) : 0;
    char *text = NULL;
    if (!before || asprintf(&text, "%s -DCOEXEC_TWIN=%u", options ? options : "", before) < 0)
        return NULL;
    return text;
}

static cl_int CL_API_CALL build_apart(cl_program program, cl_uint ndevices, const cl_device_id *devices,
                                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                      void *data)
{
    char *own = own_options(ndevices, devices, options);
    const cl_int error = theirs.clBuildProgram(program, ndevices, devices, own ? own : options, notify, data);
    free(own);
    return error;
}

static cl_int CL_API_CALL compile_apart(cl_program program, cl_uint ndevices, const cl_device_id *devices,
                                        const char *options, cl_uint count, const cl_program *headers,
                                        const char **names, void(CL_CALLBACK *notify)(cl_program, void *),
                                        void *data)
{
    char *own = own_options(ndevices, devices, options);
    const cl_int error = theirs.clCompileProgram(program, ndevices, devices, own ? own : options, count,
                                                 headers, names, notify, data);
    free(own);
    return error;
}

void cx_twins_tell_apart(const char *platform, cl_icd_dispatch *table)
{
    if (!cx_drivers_is_pocl(platform) || theirs.clBuildProgram)
        return;
    theirs = *table;
    if (table->clBuildProgram)
        table->clBuildProgram = build_apart;
    if (table->clCompileProgram)
        table->clCompileProgram = compile_apart;
}
