/* SPDX-License-Identifier: MIT */
/*
 * What is known of a macro's name: whether a compiler may define it, and whether clang and the devices'
 * compilers agree on it. See macros.h, whose part this is. Errs on the side of doubt.
 */
#ifndef CX_LAYER_ANALYSER_MACRO_NAMES_H
#define CX_LAYER_ANALYSER_MACRO_NAMES_H

#include "layer/analyser/compile.h"

/* Where names are known from, up to the line that is read. Called by macros.c. */
struct cx_macro_sources {
    const struct cx_compile_request *request;
    bool has_standard;         /* the options name the OpenCL C version */
    struct cx_strings given;   /* by the build options: NAME=VALUE, or NAME where it is none or a function */
    struct cx_strings defined; /* anywhere in the text */
    struct cx_strings undone;  /* anywhere in the text, by #undef */
    struct cx_strings settled; /* outside all conditions, up to here */
    struct cx_strings replies; /* by the device */
    struct cx_strings missing; /* of these, what it does not define */
};
void cx_macro_sources_finish(struct cx_macro_sources *sources);

bool cx_strings_hold(const struct cx_strings *list, const char *word);
/* The list ends with NULL. Called by macros.c. */
bool cx_is_one_of(const char *word, const char *const *list);

/* Reserved names that programs do not take for themselves; a vendor's. Called by macros.c. */
bool cx_macro_is_own(const char *word);
bool cx_macro_is_vendors(const char *word);
/* Operators such as __has_builtin: what they say of their argument is the compiler's, too. Called by
 * macros.c. */
bool cx_macro_is_operator(const char *word);
/* Names that clang and the devices' compilers agree on. */
bool cx_macro_is_agreed(const struct cx_macro_sources *sources, const char *word);
/* Whether a condition on the name may turn out differently elsewhere, and whether the name in the code may be
 * another macro there. Called by macros.c. */
bool cx_macro_is_doubtful_test(const struct cx_macro_sources *sources, const char *word);
bool cx_macro_is_doubtful_use(const struct cx_macro_sources *sources, const char *word);
/* Whether no compiler defines the name, nor the language, nor the program. Called by macros.c. */
bool cx_macro_is_nobodys(const struct cx_macro_sources *sources, const char *word);
/* Whether a device's answer would be worth something. Called by macros.c. */
bool cx_macro_is_askable(const char *word);

#endif
