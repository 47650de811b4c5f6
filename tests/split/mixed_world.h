/* SPDX-License-Identifier: MIT */
/*
 * What test_mixed.c works on: memory with a plain model of it, seen through many objects at once, and the
 * order of commands. One world a thread; nothing is shared but context and program.
 *
 * Each command waits for those that it conflicts with, by whole roots, so what memory holds follows from the
 * order of enqueue. A command that waits for a user event that fails must fail and touch nothing.
 */
#ifndef CX_TESTS_LAYER_MIXED_WORLD_H
#define CX_TESTS_LAYER_MIXED_WORLD_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MIXED_ROOTS = 6, MIXED_QUEUES = 3, MIXED_STEPS = 400, MIXED_WINDOWS = 3, MIXED_KERNELS = 16 };

enum root_kind { ROOT_BUFFER, ROOT_SHARED, ROOT_PLANE, ROOT_LAYERS };

struct window {
    cl_mem mem;
    size_t origin, bytes;
};

/* One memory. All elements are cl_uint. */
struct root {
    enum root_kind kind;
    size_t bytes;
    unsigned char *model;
    unsigned char *host;          /* the program's own, or shared virtual memory */
    size_t host_row, host_slice;  /* images: pitches of that */
    cl_mem mem;                   /* NULL: shared virtual memory */
    size_t width, height, layers; /* of an image */
    unsigned nwindows;
    struct window window[MIXED_WINDOWS]; /* may overlap */
    cl_mem line, plane;                  /* images on the buffer, or NULL */
    size_t line_width, plane_width, plane_height, plane_row;
    cl_event writer, reader[MIXED_STEPS * 2];
    unsigned nreaders;
    /* a mapping that is open */
    unsigned char *mapped;
    cl_mem mapped_by;
    size_t map_lo, map_hi;
    bool map_writes;
};

/* A root as one object shows it: element (x, y, z) lies at offset + 4 x + row y + slice z. */
struct port {
    struct root *root;
    cl_mem mem; /* NULL: shared virtual memory */
    size_t offset, bytes;
    size_t width, height, layers, row, slice; /* images */
};

/* Where a command reads to or writes from; want: NULL for sources and what failed. */
struct area {
    unsigned char *bytes, *want;
    size_t size;
};

struct outcome {
    cl_event event;
    bool fails;
};

struct world {
    cl_context context;
    cl_kernel kernel[MIXED_KERNELS];
    uint64_t state;
    unsigned step, nqueues, nareas, noutcomes, ngates, ngarbage;
    cl_command_queue queue[MIXED_QUEUES];
    bool silent; /* one queue in order: no wait lists at all */
    struct root root[MIXED_ROOTS];
    struct area area[MIXED_STEPS * 4];
    struct outcome outcome[MIXED_STEPS * 4];
    struct {
        cl_event event;
        bool fails;
    } gate[MIXED_STEPS];
    unsigned char *garbage[MIXED_STEPS * 2]; /* freed when all is over */
    /* the command being made */
    cl_command_queue to;
    cl_uint nwait;
    cl_event wait[MIXED_STEPS * 8], event;
    bool fails;
    unsigned ntouched;
    struct {
        struct root *root;
        bool write;
    } touched[8];
};
extern _Thread_local struct world *w;

/* Says so, with seed and step, and ends the process. */
void must_be(bool right, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define must(call)                                                                                           \
    do {                                                                                                     \
        const cl_int must_code = (call);                                                                     \
        must_be(must_code == CL_SUCCESS, "%s gives %d", #call, must_code);                                   \
    } while (0)
void note(const char *format, ...) __attribute__((format(printf, 1, 2))); /* MIXED_TRACE=1 */

unsigned roll(unsigned below);
void noise(void *room, size_t size);

/* ---- order ---- */

void begin(bool blocking);
void touch(struct root *root, bool write);
const cl_event *waits(void);
/* The command is enqueued: w->event is its event. */
void end(void);
void open_gate(unsigned g);
void open_gates(void);
unsigned char *area_new(size_t size);
/* The last area must hold these bytes at the end. */
void area_wants(const unsigned char *bytes);

/* ---- memory ---- */

void root_new(struct root *root);
void root_renew(struct root *root); /* released while commands use it */
void root_check(struct root *root);
void root_unmap(struct root *root);
/* A root that may be touched so, of that kind; NULL: none. Reads go on beside a mapping for reading. */
struct root *root_pick(int kind, bool write);
bool root_free(const struct root *root, bool write);

struct port port_of_bytes(struct root *root);
struct port port_of_line(struct root *root); /* mem is NULL where there is none */
struct port port_of_plane(struct root *root);
struct port port_of_layers(struct root *root);
cl_uint *port_at(const struct port *port, size_t x, size_t y, size_t z);

void world_open(struct world *world, cl_context context, cl_device_id device, cl_program program,
                const char *const *names, unsigned seed);
void world_close(void);

#endif
