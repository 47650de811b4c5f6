/* SPDX-License-Identifier: MIT */
/*
 * Recipes of splitcheck: how a test kernel is launched, read from the comments at the head of its file.
 *
 *   // expect: split                 or: whole (reason), any (either is right)
 *   // kernel: name                  every name is used once in the folder
 *   // dims: 2
 *   // local: 8,4                    a fixed local size; without: one of a few by the kernel's number
 *   // size: 64,32                   always this range and no offset; without: a random one
 *   // offset: no                    never an offset; without: sometimes
 *   // uneven: yes                   may have an uneven last group where the device can
 *   // options: -cl-std=CL1.2
 *   // alone: yes                    in a program of its own; without: together with other files
 *   // llvm: 16                      ways and regions are stated of this version; others leave other forms
 *   // run: no                       for the analyser alone, see test_recipes.c
 *   // compare: no 0                 argument 0 may end as anything; sorted 0: its elements in any order
 *   // arg: buffer float X*Y+2       elements; random bytes (floats: from -2 to 2)
 *   // arg: buffer int X below W     whole numbers from 0 to below the second expression
 *   // arg: buffer int X order       a random order of 0, 1, ..., X-1
 *   // arg: buffer int X+1 rising W  from 0 to W in random steps, none of them down
 *   // arg: buffer int X zero        zeros
 *   // arg: same 0                   the buffer of argument 0 again
 *   // arg: window 0 X*32 X          a sub-buffer of argument 0's: from that element on, so many elements
 *   // arg: null                     a NULL buffer
 *   // arg: image2d uchar4 X Y 3      an image: 1d, 1d_buffer, 1d_array, 2d, 2d_array or 3d, and its sizes
 * (layers last); texels are char to uint or float (one channel or 4), or unorm4, four channels of 8 bits from
 * 0 to 1
 *   // arg: local float L*2          local memory
 *   // arg: int X-1                  a scalar (char to ulong, float, double)
 *   // arg: ints X Y 3               up to four ints by value: a vector or a struct
 *
 * Expressions are sums and differences of products and quotients of numbers and: X Y Z ends of the range
 * (offset + size), W H D its sizes, I items, G groups, L items of a group, A B C the local size. They are
 * those of the first launch. The lines way, before, reads, writes, on, part, cut, note and reason say what
 * the analysis should find: see test_recipes.c.
 */
#ifndef CX_TESTS_LAYER_RECIPE_H
#define CX_TESTS_LAYER_RECIPE_H

#include <stdbool.h>
#include <stddef.h>

enum { RECIPE_ARGS = 14, RECIPE_TEXT = 80, RECIPE_INTS = 4 };

enum recipe_kind {
    RECIPE_BUFFER,
    RECIPE_SAME,
    RECIPE_WINDOW,
    RECIPE_NULL,
    RECIPE_LOCAL,
    RECIPE_IMAGE,
    RECIPE_SCALAR,
    RECIPE_VECTOR
};
enum recipe_fill { RECIPE_NOISE, RECIPE_BELOW, RECIPE_ORDER, RECIPE_RISING, RECIPE_ZERO };
enum recipe_image_kind {
    RECIPE_IMAGE1D,
    RECIPE_IMAGE1D_BUFFER,
    RECIPE_IMAGE1D_ARRAY,
    RECIPE_IMAGE2D,
    RECIPE_IMAGE2D_ARRAY,
    RECIPE_IMAGE3D
};
enum recipe_compare { RECIPE_BYTES, RECIPE_SORTED, RECIPE_IGNORED };

struct recipe_arg {
    enum recipe_kind kind;
    enum recipe_fill fill;
    char type[16];
    enum recipe_compare compare;
    size_t element;         /* bytes */
    char size[RECIPE_TEXT]; /* elements; a scalar's value */
    char below[RECIPE_TEXT];
    unsigned of;                         /* SAME, WINDOW: the argument meant */
    char from[RECIPE_TEXT];              /* WINDOW: first element */
    char ints[RECIPE_INTS][RECIPE_TEXT]; /* VECTOR: values; IMAGE: sizes; "" where there are fewer */
    enum recipe_image_kind image;
};

struct recipe {
    char name[64], options[RECIPE_TEXT];
    unsigned dims;
    size_t local[3], size[3]; /* zeros: not fixed */
    bool offset, uneven, alone, run;
    unsigned nargs;
    struct recipe_arg arg[RECIPE_ARGS];
};

/* An image for one launch: what it has not is 1. */
struct recipe_image {
    size_t width, height, depth, layers;
    unsigned order, type; /* CL_RGBA, CL_FLOAT, ... */
};

/* The first launch of a case, which expressions speak of. */
struct recipe_range {
    size_t offset[3], global[3], local[3];
};

/* Reads the head of a file's text. False with a message on stderr when it makes no sense. */
bool recipe_read(struct recipe *recipe, const char *path, const char *text);
/* The value of an expression; negative ones count as 0. */
size_t recipe_value(const char *expression, const struct recipe_range *range);
/* The bytes of a scalar or vector argument; returns how many. */
size_t recipe_scalar(const struct recipe_arg *arg, const struct recipe_range *range, unsigned char bytes[16]);

/* The sizes and the format of an image argument. */
struct recipe_image recipe_image(const struct recipe_arg *arg, const struct recipe_range *range);

#endif
