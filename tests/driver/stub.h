/* SPDX-License-Identifier: MIT */
/*
 * A stub OpenCL driver for tests: devices of given number, speed and limits, native kernels known by name, a
 * call log, and faults at the k-th call of anything. It is no OpenCL implementation for programs: it checks
 * what a driver must check, runs commands strictly in order and knows only the kernels of kernels.c.
 *
 * Environment (lists: one value a device, the last one repeats):
 *   STUB_DEVICES=2            number of devices, 0 to 16
 *   STUB_TYPE=cpu,gpu         types (cpu, gpu, accelerator, custom); default cpu
 *   STUB_SPEED=1,0.5          work-groups a microsecond (a kernel sleeps that long); 0: no sleep
 *   STUB_SLOW=d:from:to:f     device d takes f times as long from these ms to those after the first launch,
 *                             also for what runs then; list with ,
 *   STUB_BUSY=file            how long each device has computed, as nvml.h has it
 *   STUB_LOAD=file            while this file exists devices take as many times as long as it says: "1,4"
 *   STUB_UNITS=4,1            compute units (nominal speed)
 *   STUB_NUMA=2,0             NUMA domains that a device can be cut into; default none
 *   STUB_DOMAIN=l3,numa       what they are in place of NUMA domains: the parts of an L1, L2 or L3 cache
 *   STUB_CUTS=counts,equally  what else a device can be cut by (both: counts+equally); default none
 *   STUB_MEM=bytes            global memory; buffers beyond it fail
 *   STUB_ALLOC=bytes          largest buffer
 *   STUB_BEYOND=1             gives larger ones all the same
 *   STUB_ALIGN=bits           what sub-buffers must begin at multiples of; default 1024
 *   STUB_GROUP=n              largest work-group
 *   STUB_KERNEL_GROUP=n       the same of every kernel, as CL_KERNEL_WORK_GROUP_SIZE says (STUB_GROUP)
 *   STUB_TAKES=n              largest work-group that launches may have, whatever is said (STUB_GROUP)
 *   STUB_LACKS=n              work-items of a group from which on launches are out of resources (none)
 *   STUB_SPLIT_GROUP=n        STUB_KERNEL_GROUP of kernels of coexec's split variants (STUB_KERNEL_GROUP)
 *   STUB_SPLIT_LACKS=n        STUB_LACKS of launches of theirs (none)
 *   STUB_MULTIPLE=n, STUB_PRIVATE=n, STUB_LOCAL=n  what kernels say of preferred sizes and of memory they use
 *   STUB_IN_PLACE=1,0         whether CL_MEM_USE_HOST_PTR memory is used in place; default 1
 *   STUB_NAMES=a,b            the devices' names; default "stub 0", "stub 1", ...
 *   STUB_NAME_END=text        follows each device's name
 *   STUB_VENDOR=A,B           the devices' vendors, each vendor a platform of its own; default "coexec tests"
 *   STUB_VENDOR_ID=0x10de     the devices' vendor ids; default 0x5354
 *   STUB_NVIDIA=9.0.65536     compute capability and registers, of devices with cl_nv_device_attribute_query
 *   STUB_DRIVER=535.1         the devices' driver versions; default 1
 *   STUB_EXTENSIONS=text,text device extensions; with those of vendors' queries come answers
 *   STUB_REFUSES=-cl-nv,-g    a build option that the device refuses, by its beginning; default none
 *   STUB_VERSION=3.0          OpenCL version of platform and devices
 *   STUB_IL=SPIR-V_1.2,none   intermediate languages; its programs are the magic number and then source
 *   STUB_BUILTINS=add;inc,add built-in kernels; default none
 *   STUB_ARG_INFO=0           clGetKernelArgInfo tells nothing
 *   STUB_SUB_GROUP=8          sub-group size; default 0: none
 *   STUB_ASYNC=1              commands run in a thread of the queue; 0: in the thread that calls (default)
 *   STUB_WITHIN=1000,0        likewise of copies between buffers
 *   STUB_MODEL=name:bbi,...   knows these kernels, too, by name and arguments (kernels.c); memory has no
 *                             contents then: kernels and copies only take their time
 *   STUB_LINK=1000,0          megabytes a second between host and device memory (a transfer sleeps that
 * long); default 0: no sleep STUB_TIMELINE=file        one line a command once it is over: start and end in
 * ns, device, queue, what it was (write, read, kernel, other), its first byte or work-item, how many
 *   STUB_LOG=file             one line a call; objects by number: d0 c1 q1 b1 p1 k1 e1
 *   STUB_FAIL=call:k:code     the k-th call gives code; call:k:code:event lets the command fail instead; list
 *                             with ,
 *   STUB_HANG=call:k:ms       the k-th call (for an enqueue that does not fail: its command) takes ms longer,
 *                             -1: for ever; list with ,
 *   STUB_LATE=d:k:ms          the k-th launch on device d takes ms longer; list with ,
 *   STUB_GATE=file            launches do not begin while this file exists
 *   STUB_AHEAD=ns             launches say that they ended so much later, as by a clock that is ahead
 *   STUB_UNTIMED=1            events say 0, 1, 2 and 3 ns in place of their times, as Mesa 22.3 does
 *   STUB_HOME=d:k:e           the k-th launch on device d does not end before a read from device e has ended
 *                             since it was enqueued, or 20 s went by; list with ,
 *   STUB_COMPILE=0,300        ms that the first launch of a kernel in a local size takes longer
 *   STUB_COPY_CALL=us         the call of clEnqueueCopyBuffer takes so long
 *   STUB_STAGED=bytes         writes of up to so many bytes that block return once the program's memory has
 * been copied, before the device has them, as NVIDIA's driver does STUB_DIES=d:k:code        the k-th launch
 * on device d and all after it end with code; list with ,
 */
#ifndef CX_TESTS_DRIVER_STUB_H
#define CX_TESTS_DRIVER_STUB_H

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STUB_MAX_DEVICES = 16, STUB_MAX_ARGS = 8 };

enum stub_kind {
    STUB_PLATFORM = 0x53540001,
    STUB_DEVICE,
    STUB_CONTEXT,
    STUB_QUEUE,
    STUB_MEM,
    STUB_PROGRAM,
    STUB_KERNEL,
    STUB_EVENT
};

struct stub_object {
    const cl_icd_dispatch *dispatch; /* the loader reads it: first */
    uint32_t kind;
    atomic_uint refs;
    unsigned id; /* for the log, counted per kind */
    void (*destroy)(struct stub_object *object);
};

struct stub_platform {
    struct stub_object base;
    char vendor[64];
};

struct stub_device {
    struct stub_object base;
    unsigned index;
    cl_device_type type;
    double speed; /* groups a microsecond, 0: no limit */
    cl_uint units;
    cl_ulong memory, max_alloc;
    size_t max_group, kernel_group, takes, lacks; /* lacks: 0: never */
    size_t split_group, split_lacks;              /* of split variants */
    bool in_place, is_part;
    cl_uint domains;
    cl_device_affinity_domain domain; /* what they are */
    bool cuts_counts, cuts_equally;
    struct stub_platform *platform;
    char name[32];
    atomic_uint launches, reads; /* reads that are over */
    atomic_uint_fast64_t allocated;
};

struct stub_context {
    struct stub_object base;
    unsigned ndevices;
    struct stub_device *devices[STUB_MAX_DEVICES];
    cl_context_properties properties[16];
    unsigned nproperties;
};

struct stub_command;

struct stub_queue {
    struct stub_object base;
    struct stub_context *context;
    struct stub_device *device;
    cl_command_queue_properties properties;
    struct stub_command *head, *tail; /* the global lock guards these */
    bool running, stop, threaded;
    struct stub_queue *next; /* of all queues */
    pthread_t thread;
    pthread_cond_t moved; /* for the thread: its head may be ready */
};

struct stub_destructor {
    struct stub_destructor *next;
    void(CL_CALLBACK *notify)(cl_mem, void *);
    void *data;
};

struct stub_map {
    struct stub_map *next;
    unsigned char *pointer, *staging; /* staging: ours to free, or NULL */
    size_t offset, size;
    cl_map_flags flags;
};

struct stub_mem {
    struct stub_object base;
    struct stub_context *context;
    struct stub_mem *parent; /* of a sub-buffer */
    size_t origin, size;
    cl_mem_flags flags;
    void *host_ptr;
    unsigned char *data;   /* the "device memory" */
    unsigned char *owned;  /* to be freed, or NULL when in place or a window */
    struct stub_map *maps; /* the global lock guards it */
    struct stub_destructor *destructors;
};

struct stub_function; /* kernels.c */
struct stub_program;

/* program.c: a program of this source, which it takes over. NULL: *error tells why. */
struct stub_program *stub_program_new(struct stub_context *context, char *source, cl_int *error);
cl_int stub_program_compile(struct stub_program *program);
/* What a device has by one of the lists in the environment: "" for nothing. */
const char *stub_offer(const char *name, const struct stub_device *device, char *room, size_t size);

struct stub_program {
    struct stub_object base;
    struct stub_context *context;
    bool made_ready; /* of built-in kernels */
    bool splits;     /* its text begins with coexec's prelude */
    char *source, *options, *log;
    cl_build_status status;
    unsigned nfunctions;
    const struct stub_function *functions[32];
};

struct stub_arg {
    bool set;
    size_t size;
    struct stub_mem *mem;
    unsigned char value[64];
};

struct stub_kernel {
    struct stub_object base;
    struct stub_program *program;
    const struct stub_function *function;
    struct stub_arg args[STUB_MAX_ARGS];
};

struct stub_callback {
    struct stub_callback *next;
    cl_int status;
    void(CL_CALLBACK *notify)(cl_event, cl_int, void *);
    void *data;
};

struct stub_event {
    struct stub_object base;
    struct stub_context *context;
    struct stub_queue *queue; /* NULL: a user event; not a reference once complete */
    cl_command_type type;
    cl_int status;
    cl_ulong times[4]; /* queued, submitted, started, ended; ns */
    struct stub_callback *callbacks;
};

struct stub_launch {
    const struct stub_function *function;
    cl_uint dim;
    size_t offset[3], global[3], local[3];
    struct stub_arg args[STUB_MAX_ARGS];
};

/* One end of a copy: a buffer or host memory, with origin and pitches in bytes. */
struct stub_end {
    struct stub_mem *mem;
    unsigned char *host;
    size_t origin; /* of the first byte */
    size_t row, slice;
};

struct stub_command {
    struct stub_command *next;
    struct stub_queue *queue;
    struct stub_event *event;
    cl_int (*run)(struct stub_command *command);
    struct stub_end from, to;
    size_t region[3];
    unsigned char pattern[128];
    size_t pattern_size;
    void *staged; /* ours: what `from` points at, or NULL */
    struct stub_map *map;
    struct stub_launch *launch;
    cl_int event_code; /* injected failure of the command */
    long hang_ms;
    unsigned home;  /* 1 + the device from which a read is awaited, 0: none is */
    unsigned reads; /* that were over there */
    cl_uint nwaits;
    struct stub_event *waits[];
};

/* What the environment asks this call to do. */
struct stub_fault {
    cl_int code;       /* return this */
    cl_int event_code; /* let the command end with this */
    long hang_ms;      /* let the command take longer */
    unsigned home;     /* 1 + the device from which it awaits a read */
};

/* Objects (object.c). */
void stub_object_init(struct stub_object *object, enum stub_kind kind, unsigned id,
                      void (*destroy)(struct stub_object *object));
void *stub_object_of(const void *handle, enum stub_kind kind); /* NULL when it is none of these */
void stub_object_ref(struct stub_object *object);
void stub_object_unref(struct stub_object *object);
unsigned stub_id(const void *handle);      /* for the log; 0 for NULL */
unsigned stub_new_id(enum stub_kind kind); /* 1, 2, 3, ... per kind */
/* sub_device.c: CL_INVALID_VALUE for all that has nothing to do with domains. */
cl_int stub_domain_info(const struct stub_device *device, cl_device_info what, size_t room, void *value,
                        size_t *size_ret);
cl_int stub_info(const void *data, size_t size, size_t room, void *value, size_t *size_ret);
#define STUB_INFO(type, expression) stub_info(&(type){expression}, sizeof(type), room, value, size_ret)
#define STUB_TEXT(text)             stub_info(text, strlen(text) + 1, room, value, size_ret)

#define STUB_OF(noun, handle, kind) ((struct stub_##noun *)stub_object_of((const void *)(handle), kind))

/* Environment, log and faults (config.c). */
double stub_config_number(const char *name, unsigned index, double fallback);
const char *stub_config_word(const char *name, unsigned index, const char *fallback, char *room, size_t size);
const char *stub_config_text(const char *name, const char *fallback);
bool stub_config_async(void);
/* Whether memory has no contents (STUB_MODEL). */
bool stub_config_models(void);
/* Whether a device's speed may change, and how many times as long it takes now; the first call is at the
 * first launch. */
bool stub_config_slows(void);
double stub_config_slower(unsigned device, cl_ulong now);
struct stub_fault stub_call(const char *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
void stub_timeline(const struct stub_command *command, cl_ulong start, cl_ulong end);
/* What STUB_LATE, STUB_DIES and STUB_HOME say of the k-th launch on a device. */
void stub_launch_fault(unsigned device, unsigned long k, struct stub_fault *fault);
cl_ulong stub_now(void);
void stub_sleep(cl_ulong nanoseconds);

/* Devices (platform.c). */
struct stub_platform *stub_platform_get(void);
unsigned stub_device_count(void);
struct stub_device *stub_device_get(unsigned index);

/* Events and queues (event.c, queue.c). stub_lock guards event statuses, queues and maps. */
extern pthread_mutex_t stub_lock;
extern pthread_cond_t stub_changed;
struct stub_event *stub_event_new(struct stub_context *context, struct stub_queue *queue,
                                  cl_command_type type);
/* Sets a status and its time, tells waiters and runs callbacks. The caller holds no lock. */
void stub_event_set(struct stub_event *event, cl_int status);
void stub_event_wait(struct stub_event *event);
/* Runs what can run now in the calling thread (queues without thread). */
void stub_queues_pump(void);
/* Wakes the threads of queues whose head may be ready now. The caller holds the lock. */
void stub_queues_wake(void);

/* A command with its event and wait list checked and retained. NULL with *error. */
struct stub_command *stub_command_new(cl_command_queue queue, cl_command_type type, cl_uint nwaits,
                                      const cl_event *waits, const struct stub_fault *fault, cl_int *error);
/* Queues it; waits when blocking; gives the event when wanted. */
cl_int stub_command_submit(struct stub_command *command, cl_bool blocking, cl_event *event);
void stub_command_drop(struct stub_command *command);

/* Kernels (kernels.c). */
const struct stub_function *stub_function_find(const char *name);
const char *stub_function_name(const struct stub_function *function);
unsigned stub_function_nargs(const struct stub_function *function);
/* What argument i is: 'b' a buffer, 'l' local memory, 'i' an int. */
char stub_function_arg(const struct stub_function *function, unsigned index);
/* Runs the launch; CL_OUT_OF_RESOURCES when it left a buffer. */
cl_int stub_function_run(const struct stub_launch *launch);
/* The cost of the launch in groups, for the simulated time. */
double stub_function_cost(const struct stub_launch *launch);

extern const cl_icd_dispatch stub_dispatch;

#endif
