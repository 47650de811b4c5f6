/* SPDX-License-Identifier: MIT */
/* Stub driver: kernel launches, tasks, markers and barriers. */
#include "calls.h"
#include "nvml.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DEFAULT_LOCAL = 64 };

/* How often a launch looks whether its device has become slower or fast again. */
enum { SLICE_NS = 500000 };

/* Until that is done which takes so long at full speed. */
static void work(const struct stub_device *device, cl_ulong begin, double cost)
{
    if (!stub_config_slows()) {
        const double spent = (double)(stub_now() - begin);
        if (cost > spent)
            stub_sleep((cl_ulong)(cost - spent));
        return;
    }
    for (cl_ulong last = begin; cost > 0;) {
        const double times = stub_config_slower(device->index, last);
        stub_sleep((cl_ulong)(cost * times < SLICE_NS ? cost * times : SLICE_NS));
        const cl_ulong now = stub_now();
        cost -= (double)(now - last) / times;
        last = now;
    }
}

static struct fake_busy *busy; /* by device; NULL: nobody asks */

static void open_busy(void)
{
    const char *file = stub_config_text("STUB_BUSY", "");
    const int descriptor = *file ? open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    const size_t size = FAKE_BUSY_DEVICES * sizeof *busy;
    if (descriptor < 0 || ftruncate(descriptor, (off_t)size) != 0)
        return;
    void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    busy = mapped == MAP_FAILED ? NULL : mapped;
    close(descriptor);
}

/* The device begins, or ends, to compute; one launch at a time. */
static void tell_busy(const struct stub_device *device, cl_ulong since, cl_ulong until)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_busy);
    if (!busy || device->index >= FAKE_BUSY_DEVICES)
        return;
    atomic_store(&busy[device->index].since, until ? 0 : since);
    if (until)
        atomic_fetch_add(&busy[device->index].ns, until - since);
}

static cl_int run_launch(struct stub_command *command)
{
    const struct stub_device *device = command->queue->device;
    cl_ulong begin = stub_now();
    tell_busy(device, begin, 0);
    cl_int code = stub_function_run(command->launch);
    if (device->speed > 0)
        work(device, begin, stub_function_cost(command->launch) / device->speed * 1000.0);
    tell_busy(device, begin, stub_now());
    return code;
}

/* The first launch of a kernel in a local size on a device takes longer where STUB_COMPILE says so. */
static void compile(const struct stub_launch *launch, const struct stub_device *device,
                    struct stub_fault *fault)
{
    static struct form {
        const struct stub_function *function;
        size_t local[3];
        unsigned device;
    } known[256];
    static unsigned count;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const long ms = (long)stub_config_number("STUB_COMPILE", device->index, 0);
    struct form form;
    unsigned i = 0;

    if (ms <= 0)
        return;
    memset(&form, 0, sizeof(form));
    form.function = launch->function;
    form.device = device->index;
    memcpy(form.local, launch->local, sizeof(form.local));
    pthread_mutex_lock(&lock);
    while (i < count && memcmp(&known[i], &form, sizeof(form)) != 0)
        i++;
    if (i == count && count < sizeof(known) / sizeof(*known)) {
        known[count++] = form;
        fault->hang_ms = ms;
    }
    pthread_mutex_unlock(&lock);
}

static size_t largest_divisor(size_t of, size_t limit)
{
    size_t best = 1;
    for (size_t i = 1; i <= limit && i <= of; i++)
        best = of % i ? best : i;
    return best;
}

/* Fills in the range; the local size must divide the global one. splits: the kernel is of a split variant. */
static cl_int take_range(struct stub_launch *launch, const struct stub_device *device, bool splits,
                         cl_uint dim, const size_t *offset, const size_t *global, const size_t *local)
{
    size_t items = 1, limit = device->max_group < DEFAULT_LOCAL ? device->max_group : DEFAULT_LOCAL;
    if (dim < 1 || dim > 3)
        return CL_INVALID_WORK_DIMENSION;
    if (!global)
        return CL_INVALID_GLOBAL_WORK_SIZE;
    launch->dim = dim;
    for (cl_uint d = 0; d < 3; d++) {
        bool used = d < dim;
        launch->offset[d] = used && offset ? offset[d] : 0;
        launch->global[d] = used ? global[d] : 1;
        launch->local[d] = used && local ? local[d] : 1;
        if (launch->global[d] == 0)
            return CL_INVALID_GLOBAL_WORK_SIZE;
        if (used && !local && d == 0)
            launch->local[0] = largest_divisor(global[0], limit);
        if (launch->local[d] == 0 || launch->global[d] % launch->local[d])
            return CL_INVALID_WORK_GROUP_SIZE;
        items *= launch->local[d];
    }
    if ((device->lacks && items >= device->lacks) ||
        (splits && device->split_lacks && items >= device->split_lacks))
        return CL_OUT_OF_RESOURCES;
    return items > device->takes ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
}

static cl_int take_args(struct stub_launch *launch, const struct stub_kernel *kernel)
{
    launch->function = kernel->function;
    for (unsigned i = 0; i < stub_function_nargs(kernel->function); i++) {
        if (!kernel->args[i].set)
            return CL_INVALID_KERNEL_ARGS;
        launch->args[i] = kernel->args[i];
    }
    for (unsigned i = 0; i < STUB_MAX_ARGS; i++) {
        if (launch->args[i].mem)
            stub_object_ref(&launch->args[i].mem->base);
    }
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel handle,
                                                            cl_uint dim, const size_t *offset,
                                                            const size_t *global, const size_t *local,
                                                            cl_uint nwaits, const cl_event *waits,
                                                            cl_event *event)
{
    struct stub_fault fault = stub_call(
        "clEnqueueNDRangeKernel",
        "q%u k%u dim=%u offset=%zu,%zu,%zu global=%zu,%zu,%zu local=%zu,%zu,%zu waits=%u", stub_id(queue),
        stub_id(handle), dim, offset ? offset[0] : 0, offset && dim > 1 ? offset[1] : 0,
        offset && dim > 2 ? offset[2] : 0, global ? global[0] : 0, global && dim > 1 ? global[1] : 1,
        global && dim > 2 ? global[2] : 1, local ? local[0] : 0, local && dim > 1 ? local[1] : 0,
        local && dim > 2 ? local[2] : 0, nwaits);
    struct stub_kernel *kernel = STUB_OF(kernel, handle, STUB_KERNEL);
    struct stub_queue *to = STUB_OF(queue, queue, STUB_QUEUE);
    cl_int code = !to ? CL_INVALID_COMMAND_QUEUE : kernel ? CL_SUCCESS : CL_INVALID_KERNEL;
    struct stub_launch *launch = code ? NULL : calloc(1, sizeof(*launch));
    struct stub_command *command = NULL;
    if (!code && !launch)
        code = CL_OUT_OF_HOST_MEMORY;
    if (!code)
        stub_launch_fault(to->device->index, atomic_fetch_add(&to->device->launches, 1) + 1, &fault);
    if (!code)
        code = take_range(launch, to->device, kernel->program->splits, dim, offset, global, local);
    if (!code) {
        launch->function = kernel->function;
        compile(launch, to->device, &fault);
    }
    if (!code)
        command = stub_command_new(queue, CL_COMMAND_NDRANGE_KERNEL, nwaits, waits, &fault, &code);
    if (!code && (code = take_args(launch, kernel))) {
        stub_command_drop(command);
        command = NULL;
    }
    if (code) {
        free(launch);
        return code;
    }
    command->run = run_launch;
    command->launch = launch;
    return stub_command_submit(command, CL_FALSE, event);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint nwaits,
                                                   const cl_event *waits, cl_event *event)
{
    static const size_t one = 1;
    return stub_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, nwaits, waits, event);
}

/* Queues run in order, so a marker or barrier is a command that does nothing. */
static cl_int enqueue_nothing(const char *call, cl_command_queue queue, cl_command_type type, cl_uint nwaits,
                              const cl_event *waits, cl_event *event)
{
    struct stub_fault fault = stub_call(call, "q%u waits=%u", stub_id(queue), nwaits);
    cl_int code;
    struct stub_command *command = stub_command_new(queue, type, nwaits, waits, &fault, &code);
    return command ? stub_command_submit(command, CL_FALSE, event) : code;
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    return enqueue_nothing("clEnqueueMarker", queue, CL_COMMAND_MARKER, 0, NULL, event);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueBarrier(cl_command_queue queue)
{
    return enqueue_nothing("clEnqueueBarrier", queue, CL_COMMAND_BARRIER, 0, NULL, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueWaitForEvents(cl_command_queue queue, cl_uint nwaits,
                                                            const cl_event *waits)
{
    return enqueue_nothing("clEnqueueWaitForEvents", queue, CL_COMMAND_BARRIER, nwaits, waits, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint nwaits,
                                                                 const cl_event *waits, cl_event *event)
{
    return enqueue_nothing("clEnqueueMarkerWithWaitList", queue, CL_COMMAND_MARKER, nwaits, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL stub_clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint nwaits,
                                                                  const cl_event *waits, cl_event *event)
{
    return enqueue_nothing("clEnqueueBarrierWithWaitList", queue, CL_COMMAND_BARRIER, nwaits, waits, event);
}
