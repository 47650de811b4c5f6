/* SPDX-License-Identifier: MIT */
/*
 * What an attack works on: contexts with their queues, memory, programs, kernels and events, the random
 * numbers that choose, and the log that two runs of one seed are compared by.
 *
 * What is done depends on the seed alone, never on an answer. Each memory chain (a root with all windows on
 * it) remembers its last command, and every command waits for those of the chains it touches: contents follow
 * from the order of the steps. Commands that wait for a user event that will fail are *tainted*: they must
 * fail, too, and touch nothing. A driver that cannot do that (PoCL 3.1) is spared them (`spare`): the log
 * then says what the specification demands.
 */
#ifndef CX_TESTS_ATTACK_WORLD_H
#define CX_TESTS_ATTACK_WORLD_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CONTEXTS = 3,
    QUEUES = 4, /* of a context; the first is out of order and lives to the end */
    MEMS = 14,  /* of all contexts */
    ROOTS = 400,
    PROGRAMS = 4,
    KERNELS = 10,
    GATES = 6,
    EVENTS = 600, /* between two meetings */
    WAITS = 16,
    SIDE = 32, /* texels of an image */
    MOST_INTS = 1024,
    IMAGE_BYTES = SIDE * SIDE * 4
};

/* Memory that several objects may be windows on. */
struct root {
    unsigned users; /* objects that live */
    void *host;     /* the program's own memory, to the end */
    cl_event last;  /* not owned; NULL: none, or one that never was (tainted) */
    bool tainted, mapped;
};

enum mem_kind { MEM_NONE, MEM_BUFFER, MEM_WINDOW, MEM_IMAGE, MEM_LINE, MEM_SHARED };
struct mem {
    enum mem_kind kind;
    cl_mem handle; /* NULL: shared virtual memory */
    void *shared;
    struct root *root;
    unsigned context, retained;
    size_t bytes;
    void *mapped; /* a mapping that is open */
    cl_map_flags map_flags;
};

struct queue {
    cl_command_queue handle; /* NULL: none */
    bool in_order;
};

struct context {
    cl_context handle;
    bool closed; /* its handle was released */
    struct queue queue[QUEUES];
    bool tainted; /* a command failed or will since the last meeting */
};

struct program {
    cl_program handle;
    unsigned context;
    bool built, failed, linked;
    unsigned kernels;
};

struct kernel {
    cl_kernel handle;
    unsigned context, what; /* index into the table of kernels */
};

struct gate {
    cl_event handle;
    unsigned context;
    bool fails;
};

/* A command of which the event is held; NULL where it was spared. */
struct happening {
    cl_event event;
    bool tainted;
};

/* Where a read goes; looked at when all met. */
struct area {
    void *bytes;
    size_t size;
    bool tainted;
};

struct world {
    cl_platform_id platform;
    cl_device_id device;
    bool spare;
    size_t align; /* of windows, in bytes */
    uint64_t state;
    unsigned step, callbacks_wanted, destroyed_wanted;
    struct context context[CONTEXTS];
    struct root root[ROOTS];
    unsigned nroots, nevents, nareas, ngates;
    struct mem mem[MEMS];
    struct program program[PROGRAMS];
    struct kernel kernel[KERNELS];
    struct gate gate[GATES];
    struct happening happening[EVENTS];
    struct area area[EVENTS];
};
extern struct world w;

/* ---- random numbers and the log ---- */

unsigned roll(unsigned below);
void noise(void *room, size_t size);
uint64_t hash_of(const void *bytes, size_t size);
/* One line of the log: step, what, code. */
void tell(cl_int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Something that no sequence may lead to: says so and ends the process with 3. */
void wrong(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- one command ---- */

/* What the next command is enqueued with. */
struct how {
    unsigned context;
    struct queue *queue;
    cl_uint nwait;
    cl_event wait[WAITS];
    bool tainted, blocking;
    struct root *touched[4];
    unsigned ntouched, first_area;
    cl_event event; /* of commands that do not block */
};
extern struct how how;

/* Begins a command of that context. A blocking one opens all gates first. */
void begin(unsigned context, bool blocking);
/* It touches the root: waits for its last command. */
void touch(struct root *root);
/* After all touches: chooses a queue. false: the driver is spared the call, `done` tells what it must say. */
bool ready(void);
/* Takes the code and, where it is CL_SUCCESS, the event of how.event. */
void done(cl_int code, const char *name);
const cl_event *waits(void);
cl_event *event(void);
/* A place for `size` bytes that are logged when all met. */
void *area(size_t size, bool filled);

/* ---- meetings ---- */

void open_gate(unsigned g);
void open_gates(void);
/* Waits for everything, logs all contents and outcomes, and forgets the events. */
void meet(void);

/* ---- objects (objects.c) ---- */

void open_world(void);
void close_world(void); /* releases all, in random order, and waits for callbacks */
/* A random live object, or NULL. usable: not mapped. */
struct mem *pick_mem(int context, enum mem_kind kind, bool usable);
unsigned pick_open_context(void); /* CONTEXTS: none */
void make_mem(unsigned context, enum mem_kind kind);
void step_object(void);
void release_mem(struct mem *mem);
void unmap(struct mem *mem);
/* Asks to be told of the event's end; NULL: of one that was spared. */
void event_callback(cl_event event);

/* ---- programs.c ---- */

struct kernel *pick_kernel(void);
struct program *pick_program(void);
void release_kernel(struct kernel *kernel);
void release_program(struct program *program);
void step_program(unsigned context); /* CONTEXTS: there is none to make some in */

/* ---- shared.c: shared virtual memory ---- */

bool make_shared(unsigned context, struct mem *mem);
void release_shared(struct mem *mem);
void look_at_shared(const struct mem *mem, void *bytes);
void step_shared(void);

/* ---- commands.c, launches.c, wrong.c: one random step each ---- */

void step_command(void);
void step_launch(void);
void step_wrong(void);

/* What the kernels of the program are. */
enum argument { NOTHING, BUFFER, IMAGE, LINE, INT, LOCAL, PAIR };
struct kernel_kind {
    const char *name;
    enum argument argument[4];
    bool two_dims, group_sized; /* group_sized: what it does depends on the local size */
};
enum { KERNEL_KINDS = 9 };
extern const struct kernel_kind kernel_kinds[KERNEL_KINDS];
extern const char attack_source[], broken_source[];

#endif
