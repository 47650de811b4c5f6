/* SPDX-License-Identifier: MIT */
/*
 * What wrappers around a real driver share: finding it and replacing calls in its own table, to which all its
 * objects point. A wrapper gives its name, the variable that names the driver below (default libpocl.so.2)
 * and what it replaces; wrap.c has the calls that a loader looks for.
 */
#ifndef CX_TESTS_DRIVER_WRAP_H
#define CX_TESTS_DRIVER_WRAP_H

#include <CL/cl.h>
#include <CL/cl_icd.h>

enum { WRAP_MAX_DEVICES = 16 };

struct wrapped {
    cl_icd_dispatch real;                   /* the table as it was */
    cl_device_id devices[WRAP_MAX_DEVICES]; /* of the first platform */
    cl_uint ndevices;
};
extern struct wrapped driver;

/* The wrapper's: */
extern const char *const wrap_name, *const wrap_variable;
void wrap_replace(cl_icd_dispatch *table);

#endif
