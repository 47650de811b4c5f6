/* SPDX-License-Identifier: MIT */
/*
 * The folder that OpenCL loaders are pointed at, so that programs see coexec alone: that of the build or the
 * installation which this program belongs to. One thread.
 */
#ifndef CX_TOOLS_COEXEC_ICD_H
#define CX_TOOLS_COEXEC_ICD_H

/*
 * Gives the folder, with a slash at its end, which the caller frees, and an exit status of 0; NULL and a
 * message with another: there is none. Its coexec.icd names the library of the same build or installation:
 * where that was moved, a build's file is written anew; where it may not be, and for an installation, whose
 * files may be on their way into a package, a folder in the cache is made and given.
 */
int cx_icd_folder(const char *subcommand, char **folder);

#endif
