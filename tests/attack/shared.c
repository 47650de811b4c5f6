/* SPDX-License-Identifier: MIT */
/* Shared virtual memory of an attack: coarse-grained allocations, their copies, fills and mappings. */
#include "world.h"

#include <stdlib.h>
#include <string.h>

/* Gives a new allocation its contents by a command that ends here. */
bool make_shared(unsigned context, struct mem *mem)
{
    static unsigned char bytes[MOST_INTS * 4];
    mem->bytes = 4 * (512 + 64 * roll(5));
    mem->shared = clSVMAlloc(w.context[context].handle, CL_MEM_READ_WRITE, mem->bytes, roll(2) ? 64 : 0);
    noise(bytes, mem->bytes);
    open_gates(); /* a barrier in that queue may wait for one */
    return mem->shared && clEnqueueSVMMemcpy(w.context[context].queue[0].handle, CL_TRUE, mem->shared, bytes,
                                             mem->bytes, 0, NULL, NULL) == CL_SUCCESS;
}

static void CL_CALLBACK free_them(cl_command_queue queue, cl_uint count, void *pointers[], void *data)
{
    cl_context context;
    (void)data;
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL);
    for (cl_uint i = 0; i < count; i++)
        clSVMFree(context, pointers[i]);
}

/* By a command behind all others of it: an allocation may not be freed before these end. */
void release_shared(struct mem *mem)
{
    struct context *context = &w.context[mem->context];
    begin(mem->context, false);
    how.nwait = 0; /* freed in any case */
    how.tainted = false;
    if (mem->root->tainted) {
        open_gates();
        for (unsigned q = 0; q < QUEUES; q++)
            if (context->queue[q].handle)
                clFinish(context->queue[q].handle);
    } else {
        touch(mem->root);
    }
    ready();
    done(clEnqueueSVMFree(how.queue->handle, 1, &mem->shared, roll(2) ? free_them : NULL, NULL, how.nwait,
                          waits(), event()),
         "free");
}

void look_at_shared(const struct mem *mem, void *bytes)
{
    clEnqueueSVMMemcpy(w.context[mem->context].queue[0].handle, CL_TRUE, bytes, mem->shared, mem->bytes, 0,
                       NULL, NULL);
}

static void copy(const struct mem *mem, const struct mem *other)
{
    const size_t size = 1 + roll(1024), at = roll((unsigned)(mem->bytes - size)), to = roll(900);
    const bool out = roll(2);
    begin(mem->context, !other && roll(3) == 0);
    touch(mem->root);
    if (other)
        touch(other->root);
    char *bytes = other ? (char *)other->shared + to : area(size, !out);
    char *own = (char *)mem->shared + at;
    done(ready() ? clEnqueueSVMMemcpy(how.queue->handle, how.blocking, out ? bytes : own, out ? own : bytes,
                                      size, how.nwait, waits(), event())
                 : 0,
         "shared copy");
}

static void fill(const struct mem *mem)
{
    unsigned char pattern[16];
    const size_t unit = (size_t)1 << roll(5), first = roll(32), count = 1 + roll(32);
    noise(pattern, sizeof(pattern));
    begin(mem->context, false);
    touch(mem->root);
    done(ready() ? clEnqueueSVMMemFill(how.queue->handle, (char *)mem->shared + first * unit, pattern, unit,
                                       count * unit, how.nwait, waits(), event())
                 : 0,
         "shared fill");
    memset(pattern, 0, sizeof(pattern));
}

static void map(struct mem *mem)
{
    const cl_map_flags flags = roll(2) ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ;
    begin(mem->context, true);
    touch(mem->root);
    cl_int code = ready() ? clEnqueueSVMMap(how.queue->handle, CL_TRUE, flags, mem->shared, mem->bytes,
                                            how.nwait, waits(), event())
                          : 0;
    const bool tainted = how.tainted;
    done(code, "shared map");
    if (code != CL_SUCCESS || tainted)
        return;
    tell(0, "mapped %016llx", (unsigned long long)hash_of(mem->shared, mem->bytes));
    if (flags & CL_MAP_WRITE)
        noise((char *)mem->shared + 16, 300);
    begin(mem->context, false);
    how.nwait = 0;
    how.tainted = false;
    touch(mem->root);
    ready();
    done(clEnqueueSVMUnmap(how.queue->handle, mem->shared, how.nwait, waits(), event()), "shared unmap");
}

void step_shared(void)
{
    struct mem *mem = pick_mem(-1, MEM_SHARED, true);
    struct mem *other = mem ? pick_mem((int)mem->context, MEM_SHARED, true) : NULL;
    const unsigned what = roll(6);
    if (!mem)
        return;
    if (what < 3)
        copy(mem, what && other->root != mem->root ? other : NULL);
    else if (what == 3)
        fill(mem);
    else
        map(mem);
}
