/* SPDX-License-Identifier: MIT */
/*
 * A folder of its own for a test that reads what the layer and made-up drivers wrote.
 */
#ifndef CX_TESTS_LAYER_CL_FOLDER_H
#define CX_TESTS_LAYER_CL_FOLDER_H

#include <stdbool.h>

/* Makes it: "/tmp/coexec-WHAT-...". */
void cl_folder_make(const char *what);
/* A file in it, until the fourth call after this one. */
const char *cl_folder_path(const char *name);
/* With all that is in it. */
void cl_folder_remove(void);
/* Lines of a file that contain a word; 0 where there is no such file. */
unsigned cl_lines_with(const char *path, const char *word);
/* Whether nothing of that name is mapped, or soon: a context may end in another thread, a moment after the
 * program's last reference. */
bool cl_unmapped(const char *name);

#endif
