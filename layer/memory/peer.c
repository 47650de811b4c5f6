/* SPDX-License-Identifier: MIT */
/*
 * Peers of a context and their memory. See peer.h.
 */
#include "layer/memory/peer.h"
#include "layer/memory/buffer.h"
#include "layer/timeline/command.h"
#include "layer/base/log.h"
#include "layer/base/options.h"
#include "layer/timeline/worker.h"

#include <CL/cl_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NVIDIA's clCreateBufferWithProperties crashes on memory from 512 MB on, however it was made and mapped
 * (580.159.04; 510 MB work). */
#define IMPORT_END ((size_t)512 << 20)

typedef cl_int(CL_API_CALL *hand_over)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *,
                                       cl_event *);

struct peer {
    bool possible; /* by what the OpenCL driver says */
    struct cx_cu_uuid uuid;
    cx_cu_device device;
    cx_cu_context context;
    uint64_t reach; /* members, as bits, whose memory it reaches and that reach its own */
    bool allocates; /* no try has failed, other than for want of memory */
    const cl_icd_dispatch *cl;
    cl_command_queue queue; /* for the next two alone, so that they wait for nothing */
    hand_over acquire, release;
    uint64_t remote_disabled; /* members, as bits, whose memory its kernels do not work on */
    /* whoever pumps its worker */
    cx_cu_stream stream;
    cx_cu_event end;
    atomic_uint_fast64_t broken; /* members, as bits, copies from which failed; any thread */
};

struct cx_peers {
    unsigned n, timelines;
    bool opened;         /* tried to */
    atomic_ullong used;  /* bytes, cx_peers_use */
    atomic_uint opening; /* its number in the library's thread (cuda.h); 0: not begun, or in vain */
    const struct cx_cuda *cuda;
    size_t granularity;
    uint64_t *last_copy; /* [member][timeline]: its last copy from the member's memory */
    struct peer peer[];
};

/* ---- who they are ---- */

/* If copies fail, other threads read from the device, so its driver must not be synchronous. */
static bool ask(const struct cx_worker *worker, struct peer *peer)
{
    const struct cx_real_device *device = worker->device;
    return worker->place != CX_PLACE_HOST && !cx_worker_is_synchronous(worker) &&
           device->cl->clCreateBufferWithProperties && device->cl->clGetExtensionFunctionAddressForPlatform &&
           cx_device_has_extension(device->extensions, "cl_khr_external_memory_opaque_fd") &&
           device->cl->clGetDeviceInfo(device->id, CL_DEVICE_UUID_KHR, sizeof(peer->uuid), &peer->uuid,
                                       NULL) == CL_SUCCESS;
}

void cx_peers_look(struct cx_context *context)
{
    const bool wanted = cx_options_get()->peer == CX_OPTION_PEER_WANTED;
    const unsigned n = context->nmembers;
    unsigned possible = 0, gpus = 0;
    if (cx_options_get()->peer == CX_OPTION_PEER_NEVER || n < 2)
        return;
    struct cx_peers *peers = calloc(1, sizeof(*peers) + n * sizeof(peers->peer[0]));
    if (!peers)
        return;
    peers->n = n;
    peers->timelines = cx_context_timelines(context);
    for (unsigned m = 0; m < n; m++) {
        peers->peer[m].possible = ask(&context->workers[m], &peers->peer[m]);
        possible += peers->peer[m].possible;
        gpus += context->workers[m].device->type & CL_DEVICE_TYPE_GPU ? 1 : 0;
    }
    if (possible >= 2)
        peers->last_copy = calloc((size_t)n * peers->timelines, sizeof(*peers->last_copy));
    if (peers->last_copy) {
        context->memory.peers = peers;
        return;
    }
    if (wanted && gpus >= 2)
        cx_warn(CX_TOPIC_DATA, "no two GPUs whose drivers share memory: bytes go through the host");
    cx_peers_finish(peers);
}

void cx_peers_finish(struct cx_peers *peers)
{
    struct cx_peer_stream unused;
    for (unsigned m = 0; peers && m < peers->n; m++) {
        struct peer *peer = &peers->peer[m];
        if (peer->queue)
            peer->cl->clReleaseCommandQueue(peer->queue);
        if (!peer->stream || cx_peer_enter(peers, m, &unused) != 0)
            continue;
        peers->cuda->event_destroy(peer->end);
        peers->cuda->stream_destroy(peer->stream);
        cx_peer_leave(&unused);
    }
    if (peers)
        free(peers->last_copy);
    free(peers);
}

static void find_reach(struct cx_peers *peers, unsigned a, unsigned b)
{
    struct peer *first = &peers->peer[a], *second = &peers->peer[b];
    if (first->possible && second->possible && cx_cuda_reaches(first->device, second->device)) {
        first->reach |= UINT64_C(1) << b;
        second->reach |= UINT64_C(1) << a;
    }
}

static struct cx_cu_allocation allocation_on(const struct peer *peer)
{
    return (struct cx_cu_allocation){
        .kind = CX_CU_PINNED, .handles = CX_CU_POSIX_FD, .location = {CX_CU_ON_DEVICE, peer->device}};
}

/* By which the device's OpenCL takes memory over and gives it back. */
static cl_int open_hand_over(struct peer *peer, const struct cx_worker *worker)
{
    const cl_platform_id platform = worker->device->platform->id;
    cl_int error;
    peer->cl = worker->device->cl;
    *(void **)&peer->acquire =
        peer->cl->clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueAcquireExternalMemObjectsKHR");
    *(void **)&peer->release =
        peer->cl->clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueReleaseExternalMemObjectsKHR");
    if (!peer->acquire || !peer->release)
        return CL_INVALID_OPERATION;
    peer->queue = peer->cl->clCreateCommandQueue(worker->real_context, worker->device->id, 0, &error);
    if (error != CL_SUCCESS)
        peer->queue = NULL;
    return error;
}

/* A member whose context or granularity cannot be had has no peers. */
static bool open_peer(struct cx_peers *peers, const struct cx_worker *worker)
{
    struct peer *peer = &peers->peer[worker->index];
    const struct cx_cu_allocation allocation = allocation_on(peer);
    size_t granularity = 0;
    cl_int error = CL_SUCCESS;
    cx_cu_result code = cx_cuda_context(peer->device, &peer->context);
    if (code == 0)
        code = peers->cuda->granularity(&granularity, &allocation, 0);
    if (code == 0)
        error = open_hand_over(peer, worker);
    if (code != 0 || !granularity || error != CL_SUCCESS) {
        cx_info(CX_TOPIC_DATA, "%s shares no memory: %s", worker->device->name,
                code           ? cx_cuda_name(code)
                : !granularity ? "its driver cannot say in what units"
                               : cx_cl_name(error));
        return false;
    }
    if (granularity > peers->granularity)
        peers->granularity = granularity;
    peer->allocates = true;
    return true;
}

static void drop_peer(struct cx_peers *peers, unsigned m)
{
    peers->peer[m].reach = 0;
    for (unsigned p = 0; p < peers->n; p++)
        peers->peer[p].reach &= ~(UINT64_C(1) << m);
}

void cx_peers_open(struct cx_context *context)
{
    struct cx_peers *peers = context->memory.peers;
    const bool wanted = cx_options_get()->peer == CX_OPTION_PEER_WANTED;
    const uint64_t since = cx_clock_ns();
    unsigned count = 0;
    peers->opened = true;
    peers->cuda = cx_cuda_get();
    for (unsigned m = 0; m < peers->n; m++)
        context->workers[m].timeline.fence = peers->last_copy + (size_t)m * peers->timelines;
    for (unsigned m = 0; m < peers->n; m++)
        peers->peer[m].possible &= cx_worker_is_open(&context->workers[m]);
    for (unsigned m = 0; m < peers->n && peers->cuda; m++) {
        if (peers->peer[m].possible)
            peers->peer[m].possible = cx_cuda_find(&peers->peer[m].uuid, &peers->peer[m].device);
        for (unsigned p = 0; p < m; p++)
            find_reach(peers, p, m);
    }
    for (unsigned m = 0; m < peers->n; m++)
        if (peers->peer[m].reach && !open_peer(peers, &context->workers[m]))
            drop_peer(peers, m);
    for (unsigned m = 0; m < peers->n; m++)
        count += peers->peer[m].reach != 0;
    if (count)
        cx_info(CX_TOPIC_DATA,
                "%u devices exchange bytes directly, from %zu bytes a buffer on; that took %.1f ms", count,
                peers->granularity, (double)(cx_clock_ns() - since) * 1e-6);
    else if (wanted)
        cx_warn(CX_TOPIC_DATA, "no devices exchange bytes directly: %s",
                peers->cuda ? "none reaches another's memory" : cx_cuda_problem());
    else
        cx_log_once(CX_LEVEL_INFO, CX_TOPIC_DATA, "no devices exchange bytes directly: %s",
                    peers->cuda ? "none reaches another's memory" : cx_cuda_problem());
}

void cx_peers_use(struct cx_context *context, uint64_t bytes)
{
    struct cx_peers *peers = context->memory.peers;
    struct cx_cu_uuid uuid[CX_MEMBERS_MAX];
    unsigned n = 0, closed = 0;
    if (!peers || atomic_load_explicit(&peers->opening, memory_order_relaxed) ||
        atomic_fetch_add(&peers->used, bytes) + bytes < cx_options_get()->peer_from << 20 ||
        cx_options_get()->peer != CX_OPTION_PEER_AUTO)
        return;
    for (unsigned m = 0; m < peers->n; m++) {
        if (peers->peer[m].possible && cx_worker_is_open(&context->workers[m]))
            uuid[n++] = peers->peer[m].uuid;
        else if (peers->peer[m].possible)
            closed += atomic_load(&context->workers[m].state) == CX_WORKER_CLOSED;
    }
    if (n > 1 && !closed) /* those that are opened later have no peers */
        atomic_store(&peers->opening, cx_cuda_open_beside(uuid, n));
}

bool cx_peers_possible(const struct cx_context *context)
{
    return context->memory.peers;
}

bool cx_peers_are_open(struct cx_context *context)
{
    struct cx_peers *peers = context->memory.peers;
    if (peers->opened)
        return true;
    if (cx_options_get()->peer == CX_OPTION_PEER_AUTO && !cx_cuda_is_ready(atomic_load(&peers->opening)))
        return false;
    cx_peers_open(context);
    return true;
}

/* ---- memory ---- */

void cx_peer_free(struct cx_context *context, unsigned member, struct cx_peer_memory **memory)
{
    const struct cx_peers *peers = context->memory.peers;
    cx_cu_context before = NULL;
    if (!*memory)
        return;
    const bool entered =
        peers->cuda->current_get(&before) == 0 && peers->cuda->current_set(peers->peer[member].context) == 0;
    peers->cuda->unmap((*memory)->pointer, (*memory)->bytes);
    peers->cuda->address_free((*memory)->pointer, (*memory)->bytes);
    peers->cuda->release((*memory)->handle);
    if (entered)
        peers->cuda->current_set(before);
    free(*memory);
    *memory = NULL;
}

/* Each step is told before it begins: a driver may hang in it. */
static void tell(const struct cx_peers *peers, unsigned member, const char *step)
{
    cx_debug(CX_TOPIC_DATA, "peer: CUDA device %d: %s", peers->peer[member].device, step);
}

/* Lets the member and those that reach its memory read and write it. */
static cx_cu_result give_access(const struct cx_peers *peers, unsigned member,
                                const struct cx_peer_memory *memory)
{
    struct cx_cu_access *access = malloc(peers->n * sizeof(*access));
    size_t count = 0;
    for (unsigned m = 0; m < peers->n && access; m++)
        if (m == member || peers->peer[member].reach >> m & 1)
            access[count++] =
                (struct cx_cu_access){{CX_CU_ON_DEVICE, peers->peer[m].device}, CX_CU_READ_WRITE};
    const cx_cu_result code =
        access ? peers->cuda->set_access(memory->pointer, memory->bytes, access, count) : CX_CU_OUT_OF_MEMORY;
    free(access);
    return code;
}

/* Makes physical memory on the device, which it and its peers see. */
static cx_cu_result map_memory(const struct cx_peers *peers, unsigned member, struct cx_peer_memory *memory)
{
    const struct cx_cuda *cuda = peers->cuda;
    const struct cx_cu_allocation allocation = allocation_on(&peers->peer[member]);
    bool mapped = false;
    tell(peers, member, "cuMemCreate");
    cx_cu_result code = cuda->create(&memory->handle, memory->bytes, &allocation, 0);
    if (code != 0)
        return code;
    tell(peers, member, "cuMemAddressReserve");
    code = cuda->reserve(&memory->pointer, memory->bytes, 0, 0, 0);
    if (code != 0)
        memory->pointer = 0;
    tell(peers, member, "cuMemMap");
    if (code == 0)
        mapped = (code = cuda->map(memory->pointer, memory->bytes, 0, memory->handle, 0)) == 0;
    tell(peers, member, "cuMemSetAccess");
    if (code == 0)
        code = give_access(peers, member, memory);
    if (code != 0 && mapped)
        cuda->unmap(memory->pointer, memory->bytes);
    if (code != 0 && memory->pointer)
        cuda->address_free(memory->pointer, memory->bytes);
    if (code != 0)
        cuda->release(memory->handle);
    return code;
}

static cl_int hand_over_by(const struct peer *peer, hand_over enqueue, cl_mem real)
{
    const cl_int error = enqueue(peer->queue, 1, &real, 0, NULL, NULL);
    return error == CL_SUCCESS ? peer->cl->clFinish(peer->queue) : error;
}

void cx_peer_release(const struct cx_context *context, unsigned member, cl_mem real)
{
    const struct peer *peer = &context->memory.peers->peer[member];
    const cl_int error = hand_over_by(peer, peer->release, real);
    if (error != CL_SUCCESS)
        cx_debug(CX_TOPIC_DATA, "peer: CUDA device %d does not give memory back: %s", peer->device,
                 cx_cl_name(error));
    peer->cl->clReleaseMemObject(real);
}

cl_mem cx_peer_import(struct cx_context *context, unsigned member, const struct cx_peer_memory *memory,
                      cl_int *error)
{
    const struct cx_worker *worker = &context->workers[member];
    const cl_icd_dispatch *cl = worker->device->cl;
    const struct cx_peers *peers = context->memory.peers;
    int fd = -1;
    *error = CL_OUT_OF_RESOURCES;
    tell(peers, member, "cuMemExportToShareableHandle");
    if (peers->cuda->export_handle(&fd, memory->handle, CX_CU_POSIX_FD, 0) != 0)
        return NULL;
    const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)fd,
                                            0};
    tell(peers, member, "clCreateBufferWithProperties");
    cl_mem real = cl->clCreateBufferWithProperties(worker->real_context, properties, CL_MEM_READ_WRITE,
                                                   memory->bytes, NULL, error);
    if (*error != CL_SUCCESS) {
        close(fd); /* a driver that takes the memory owns the descriptor */
        return NULL;
    }
    tell(peers, member, "clEnqueueAcquireExternalMemObjectsKHR");
    *error = hand_over_by(&peers->peer[member], peers->peer[member].acquire, real);
    tell(peers, member, "acquired");
    if (*error == CL_SUCCESS)
        return real;
    cl->clReleaseMemObject(real);
    return NULL;
}

/* By the library, and then by OpenCL. */
static cl_mem allocate(struct cx_context *context, unsigned member, struct cx_peer_memory *memory,
                       cx_cu_result *code, cl_int *error)
{
    const struct cx_peers *peers = context->memory.peers;
    cx_cu_context before = NULL;
    *code = peers->cuda->current_get(&before);
    if (*code == 0)
        *code = peers->cuda->current_set(peers->peer[member].context);
    if (*code != 0)
        return NULL;
    *code = map_memory(peers, member, memory);
    peers->cuda->current_set(before);
    return *code == 0 ? cx_peer_import(context, member, memory, error) : NULL;
}

cl_mem cx_peer_allocate(struct cx_context *context, unsigned member, size_t size,
                        struct cx_peer_memory **memory)
{
    struct cx_peers *peers = context->memory.peers;
    cl_int error = CL_SUCCESS;
    cx_cu_result code;
    if (!peers || !peers->peer[member].possible)
        return NULL;
    if (!cx_peers_are_open(context))
        return NULL;
    struct peer *peer = &peers->peer[member];
    if (!peer->reach || !peer->allocates || size < peers->granularity ||
        size > IMPORT_END - peers->granularity)
        return NULL;
    struct cx_peer_memory *own = calloc(1, sizeof(*own));
    if (!own)
        return NULL;
    own->bytes = (size + peers->granularity - 1) / peers->granularity * peers->granularity;
    cl_mem real = allocate(context, member, own, &code, &error);
    if (real) {
        *memory = own;
        return real;
    }
    peer->allocates = code == CX_CU_OUT_OF_MEMORY || error == CL_MEM_OBJECT_ALLOCATION_FAILURE;
    cx_info(CX_TOPIC_DATA, "%zu bytes of %s cannot be shared with its peers: %s", size,
            context->workers[member].device->name, code ? cx_cuda_name(code) : cx_cl_name(error));
    if (code == 0)
        cx_peer_free(context, member, &own);
    free(own);
    return NULL;
}

/* ---- copies ---- */

bool cx_peer_reaches(const struct cx_peers *peers, unsigned from, unsigned to)
{
    return peers->peer[to].reach >> from & 1;
}

uint64_t cx_peer_reach(const struct cx_mem *root, unsigned place)
{
    const struct cx_context *context = root->context;
    uint64_t places = 0;
    if (!root->storage->peer || place == CX_PLACE_HOST || !root->storage->peer[place - 1])
        return 0;
    for (unsigned m = 0; m < context->nmembers; m++)
        if (cx_peer_reaches(context->memory.peers, m, place - 1) && root->storage->peer[m])
            places |= UINT64_C(1) << (1 + m);
    return places;
}

uint64_t cx_peer_near(const struct cx_mem *root, unsigned place)
{
    const struct cx_context *context = root->context;
    uint64_t near = cx_peer_reach(root, place);
    for (uint64_t rest = near; rest; rest &= rest - 1) {
        const unsigned m = (unsigned)__builtin_ctzll(rest) - 1;
        if (cx_peer_broken(context->memory.peers, m, place - 1) || atomic_load(&context->workers[m].left_out))
            near &= ~(UINT64_C(1) << (1 + m));
    }
    return near;
}

static void raise_dep(uint64_t *dep, uint64_t seq)
{
    *dep = *dep < seq ? seq : *dep;
}

void cx_peers_order_copy(struct cx_peers *peers, const struct cx_worker *source,
                         const struct cx_worker *worker, struct cx_job *job)
{
    raise_dep(&job->deps[source->index], source->timeline.last_user);
    peers->last_copy[(size_t)source->index * peers->timelines + worker->index] = worker->timeline.planned + 1;
}

void cx_peers_order_remote(const struct cx_peers *peers, unsigned owner, const uint64_t *since,
                           struct cx_job *job)
{
    const uint64_t *last_copy = peers->last_copy + (size_t)owner * peers->timelines;
    raise_dep(&job->deps[owner], since[owner]);
    for (unsigned t = 0; t < peers->n; t++) /* later copies wait for the owner's part of this launch */
        raise_dep(&job->deps[t], last_copy[t] < since[t] ? last_copy[t] : since[t]);
}

void cx_peers_note_copies(struct cx_peers *peers, const struct cx_worker *worker, uint64_t seq)
{
    for (unsigned m = 0; m < peers->n; m++)
        if (m != worker->index)
            peers->last_copy[(size_t)m * peers->timelines + worker->index] = seq;
}

cx_cu_result cx_peer_enter(struct cx_peers *peers, unsigned member, struct cx_peer_stream *stream)
{
    struct peer *peer = &peers->peer[member];
    const struct cx_cuda *cuda = peers->cuda;
    *stream = (struct cx_peer_stream){.cuda = cuda};
    cx_cu_result code = cuda->current_get(&stream->before);
    if (code == 0)
        code = cuda->current_set(peer->context);
    if (code != 0)
        return code;
    if (!peer->end && (code = cuda->event_create(&peer->end, CX_CU_EVENT_BLOCKS | CX_CU_EVENT_NO_TIME)) != 0)
        peer->end = NULL;
    if (code == 0 && !peer->stream && (code = cuda->stream_create(&peer->stream, CX_CU_NON_BLOCKING)) != 0) {
        cuda->event_destroy(peer->end); /* there are both or none: cx_peers_finish */
        peer->stream = NULL;
        peer->end = NULL;
    }
    stream->stream = peer->stream;
    stream->end = peer->end;
    if (code != 0)
        cx_peer_leave(stream);
    return code;
}

void cx_peer_leave(const struct cx_peer_stream *stream)
{
    stream->cuda->current_set(stream->before);
}

bool cx_peer_broken(const struct cx_peers *peers, unsigned source, unsigned member)
{
    return atomic_load(&peers->peer[member].broken) >> source & 1;
}

bool cx_peer_break(struct cx_peers *peers, unsigned source, unsigned member)
{
    const uint64_t bit = UINT64_C(1) << source;
    return !(atomic_fetch_or(&peers->peer[member].broken, bit) & bit);
}

bool cx_peer_remote_disabled(const struct cx_peers *peers, unsigned source, unsigned member)
{
    return peers->peer[member].remote_disabled >> source & 1;
}

bool cx_peer_disable_remote(struct cx_peers *peers, unsigned source, unsigned member)
{
    const bool first = !cx_peer_remote_disabled(peers, source, member);
    peers->peer[member].remote_disabled |= UINT64_C(1) << source;
    return first;
}
