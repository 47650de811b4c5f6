/* SPDX-License-Identifier: MIT */
/*
 * Negative tests: rows of a call and the code that the specification gives it. The same rows run through
 * coexec, which must give the specification's code, and on bare PoCL 3.1, whose own answers stand in the rows
 * where they differ; on other bare drivers nothing is called. All rows of a test are tried before it fails.
 */
#ifndef CX_TESTS_LAYER_NEGATIVE_H
#define CX_TESTS_LAYER_NEGATIVE_H

#include "cl_fixture.h"

/* In a row in place of PoCL's code: it crashes, hangs, or never comes back to a sane state. Not called. */
#define CRASHES 99999
/* Likewise: its answers vary. Coexec's never do, whatever drivers are below. */
#define ANY 99998

#define ROW(spec, call) ROW_POCL(spec, spec, call)
#define ROW_POCL(spec, pocl, call)                                                                           \
    do {                                                                                                     \
        if (negative_called(__FILE__, __LINE__, pocl))                                                       \
            negative_check(#call, __FILE__, __LINE__, spec, pocl, call);                                     \
    } while (0)

/* The code of a call that makes an object and gives its code in negative_code: that must come with an object
 * exactly where it is CL_SUCCESS. The object is not released. */
#define MADE(call) (negative_code = 1, negative_made((call) != NULL))
extern cl_int negative_code;
cl_int negative_made(bool object);

/* NEGATIVE_TRACE=1 tells each row before its call. */
bool negative_called(const char *file, int line, cl_int pocl);
void negative_check(const char *call, const char *file, int line, cl_int spec, cl_int pocl, cl_int got);
/* At the end of a test: fails if a row has. */
void negative_end(void);

/* Whether the device takes programs in an intermediate language. */
bool negative_takes_il(void);

/* A wrong handle: memory that begins as handles do, but is none. */
void *negative_handle(void);

#endif
