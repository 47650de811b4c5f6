/* SPDX-License-Identifier: MIT */
/*
 * Recipes of splitcheck: how a test kernel is launched, read from the comments at the head of its file.
 *
 *   // expect: split                 or: whole (reason), any (either is right)
 *   // kernel: name
 *   // dims: 2
 *   // local: 8,4                    a fixed local size; without: one of a few by the kernel's number
 *   // offset: no                    never an offset; without: sometimes
 *   // uneven: yes                   may have an uneven last group where the device can
 *   // options: -cl-std=CL1.2
 *   // arg: buffer float X*Y+2       elements; random bytes (floats: from -2 to 2)
 *   // arg: buffer int X below W     whole numbers from 0 to below the second expression
 *   // arg: buffer int X order       a random order of 0, 1, ..., X-1
 *   // arg: buffer int X zero        zeros
 *   // arg: same 0                   the buffer of argument 0 again
 *   // arg: null                     a NULL buffer
 *   // arg: local float L*2          local memory
 *   // arg: int X-1                  a scalar (int, uint, long, ulong, float)
 *
 * Expressions are sums and differences of products of numbers and: X Y Z ends of the range (offset + size), W
 * H D its sizes, I items, G groups, L items of a group, A B C the local size. They are those of the first
 * launch.
 */
#ifndef CX_TESTS_LAYER_RECIPE_H
#define CX_TESTS_LAYER_RECIPE_H

#include <stdbool.h>
#include <stddef.h>

enum { RECIPE_ARGS = 10, RECIPE_TEXT = 80 };

enum recipe_kind { RECIPE_BUFFER, RECIPE_SAME, RECIPE_NULL, RECIPE_LOCAL, RECIPE_SCALAR };
enum recipe_fill { RECIPE_NOISE, RECIPE_BELOW, RECIPE_ORDER, RECIPE_ZERO };

struct recipe_arg {
    enum recipe_kind kind;
    enum recipe_fill fill;
    char type[16];
    size_t element; /* bytes */
    char size[RECIPE_TEXT], below[RECIPE_TEXT];
};

struct recipe {
    char name[64], options[RECIPE_TEXT];
    unsigned dims;
    size_t local[3]; /* zeros: not fixed */
    bool offset, uneven;
    unsigned nargs;
    struct recipe_arg arg[RECIPE_ARGS];
};

/* The first launch of a case, which expressions speak of. */
struct recipe_range {
    size_t offset[3], global[3], local[3];
};

/* Reads the head of a file's text. False with a message on stderr when it makes no sense. */
bool recipe_read(struct recipe *recipe, const char *path, const char *text);
/* The value of an expression; negative ones count as 0. */
size_t recipe_value(const char *expression, const struct recipe_range *range);

#endif
