/* SPDX-License-Identifier: MIT */
/* Commands of an attack other than launches. */
#include "world.h"

#include <stdlib.h>
#include <string.h>

static const size_t none[3] = {0, 0, 0};

struct range {
    size_t offset, size;
};

/* A part of a buffer, in whole units. */
static struct range range_of(const struct mem *mem, size_t unit)
{
    const size_t units = mem->bytes / unit, first = roll((unsigned)units);
    return (struct range){first * unit, unit * (1 + roll((unsigned)(units - first)))};
}

struct box {
    size_t origin[3], region[3];
};

static struct box box_of(const struct mem *mem)
{
    const unsigned width = mem->kind == MEM_LINE ? 320 : SIDE, height = mem->kind == MEM_LINE ? 1 : SIDE;
    struct box box = {{roll(width), roll(height), 0}, {0, 0, 1}};
    box.region[0] = 1 + roll(width - (unsigned)box.origin[0]);
    box.region[1] = 1 + roll(height - (unsigned)box.origin[1]);
    return box;
}

static size_t box_bytes(const struct box *box)
{
    return box->region[0] * box->region[1] * 4;
}

static void read_or_write(struct mem *mem)
{
    const struct range range = range_of(mem, 1);
    const bool write = roll(2);
    begin(mem->context, roll(4) == 0);
    touch(mem->root);
    void *bytes = area(range.size, write);
    if (!ready())
        done(0, write ? "write" : "read");
    else if (write)
        done(clEnqueueWriteBuffer(how.queue->handle, mem->handle, how.blocking, range.offset, range.size,
                                  bytes, how.nwait, waits(), event()),
             "write");
    else
        done(clEnqueueReadBuffer(how.queue->handle, mem->handle, how.blocking, range.offset, range.size,
                                 bytes, how.nwait, waits(), event()),
             "read");
}

/* Squares of 8 x 4 x 2 bytes in buffers that are looked at as rows of 32 bytes. */
static void read_or_write_rect(struct mem *mem)
{
    const size_t at[3] = {roll(24), roll(8), roll(2)}, region[3] = {8, 4, 2}, to[3] = {roll(8), roll(3), 0};
    const bool write = roll(2);
    begin(mem->context, roll(4) == 0);
    touch(mem->root);
    void *bytes = area(16 * 8 * 4, write);
    if (!ready())
        done(0, write ? "write rect" : "read rect");
    else if (write)
        done(clEnqueueWriteBufferRect(how.queue->handle, mem->handle, how.blocking, at, to, region, 32, 512,
                                      16, 128, bytes, how.nwait, waits(), event()),
             "write rect");
    else
        done(clEnqueueReadBufferRect(how.queue->handle, mem->handle, how.blocking, at, to, region, 32, 512,
                                     16, 128, bytes, how.nwait, waits(), event()),
             "read rect");
}

static void copy(struct mem *from)
{
    struct mem *to = pick_mem((int)from->context, MEM_BUFFER, true);
    if (!to || to->root == from->root)
        return;
    const bool rect = roll(3) == 0 && from->kind == MEM_BUFFER && to->kind == MEM_BUFFER; /* PoCL crashes */
    struct range range = range_of(from->bytes < to->bytes ? from : to, 1);
    const size_t at = roll((unsigned)(to->bytes - range.size) + 1);
    const size_t src[3] = {roll(8), roll(3), 1}, dst[3] = {roll(16), 2, 0}, region[3] = {5, 4, 2};
    begin(from->context, false);
    touch(from->root);
    touch(to->root);
    if (!ready())
        done(0, rect ? "copy rect" : "copy");
    else if (rect)
        done(clEnqueueCopyBufferRect(how.queue->handle, from->handle, to->handle, src, dst, region, 16, 128,
                                     24, 192, how.nwait, waits(), event()),
             "copy rect");
    else
        done(clEnqueueCopyBuffer(how.queue->handle, from->handle, to->handle, range.offset, at, range.size,
                                 how.nwait, waits(), event()),
             "copy");
}

static void fill(struct mem *mem)
{
    const size_t unit = (size_t)1 << roll(5);
    const struct range range = range_of(mem, unit);
    unsigned char pattern[16];
    noise(pattern, sizeof(pattern));
    begin(mem->context, false);
    touch(mem->root);
    done(ready() ? clEnqueueFillBuffer(how.queue->handle, mem->handle, pattern, unit, range.offset,
                                       range.size, how.nwait, waits(), event())
                 : 0,
         "fill");
    memset(pattern, 0, sizeof(pattern)); /* it is theirs no more */
}

static void map(struct mem *mem)
{
    static const cl_map_flags flags[] = {CL_MAP_READ, CL_MAP_READ | CL_MAP_WRITE,
                                         CL_MAP_WRITE_INVALIDATE_REGION};
    const cl_map_flags chosen = flags[roll(3)];
    const size_t all[3] = {SIDE, SIDE, 1};
    size_t row = 0;
    cl_int code = 0;
    void *mapped = NULL;
    if (mem->kind == MEM_LINE || mem->mapped)
        return;
    begin(mem->context, true);
    touch(mem->root);
    if (ready() && mem->kind == MEM_IMAGE)
        mapped = clEnqueueMapImage(how.queue->handle, mem->handle, CL_TRUE, chosen, none, all, &row, NULL,
                                   how.nwait, waits(), event(), &code);
    else if (!(w.spare && how.tainted))
        mapped = clEnqueueMapBuffer(how.queue->handle, mem->handle, CL_TRUE, chosen, 0, mem->bytes, how.nwait,
                                    waits(), event(), &code);
    done(code, "map");
    if (!mapped || how.tainted)
        return;
    if (mem->kind == MEM_IMAGE && row != SIDE * 4)
        wrong("row pitch %zu", row);
    if (chosen != CL_MAP_WRITE_INVALIDATE_REGION)
        tell(0, "mapped %016llx", (unsigned long long)hash_of(mapped, mem->bytes));
    mem->mapped = mapped;
    mem->map_flags = chosen;
    mem->root->mapped = true;
}

static void read_or_write_image(struct mem *mem)
{
    const struct box box = box_of(mem);
    const bool write = roll(2);
    const size_t pitch = box.region[0] * 4 * (1 + roll(2));
    begin(mem->context, roll(4) == 0);
    touch(mem->root);
    void *bytes = area(pitch * box.region[1], write);
    if (!ready())
        done(0, write ? "write image" : "read image");
    else if (write)
        done(clEnqueueWriteImage(how.queue->handle, mem->handle, how.blocking, box.origin, box.region, pitch,
                                 0, bytes, how.nwait, waits(), event()),
             "write image");
    else
        done(clEnqueueReadImage(how.queue->handle, mem->handle, how.blocking, box.origin, box.region, pitch,
                                0, bytes, how.nwait, waits(), event()),
             "read image");
}

static void image_beside_buffer(struct mem *image)
{
    struct mem *buffer = pick_mem((int)image->context, MEM_BUFFER, true);
    struct box box = box_of(image);
    const bool out = roll(2);
    if (!buffer || buffer->root == image->root || buffer->kind != MEM_BUFFER) /* PoCL crashes on windows */
        return;
    while (box_bytes(&box) > 1024)
        box.region[box.region[1] > 1] = (box.region[box.region[1] > 1] + 1) / 2;
    const size_t offset = 4 * roll(8);
    begin(image->context, false);
    touch(image->root);
    touch(buffer->root);
    if (!ready())
        done(0, out ? "image to buffer" : "buffer to image");
    else if (out)
        done(clEnqueueCopyImageToBuffer(how.queue->handle, image->handle, buffer->handle, box.origin,
                                        box.region, offset, how.nwait, waits(), event()),
             "image to buffer");
    else
        done(clEnqueueCopyBufferToImage(how.queue->handle, buffer->handle, image->handle, offset, box.origin,
                                        box.region, how.nwait, waits(), event()),
             "buffer to image");
}

static void migrate(struct mem *mem)
{
    static const cl_mem_migration_flags flags[] = {0, CL_MIGRATE_MEM_OBJECT_HOST};
    const cl_mem_migration_flags chosen = flags[roll(2)];
    begin(mem->context, false);
    touch(mem->root);
    done(ready() ? clEnqueueMigrateMemObjects(how.queue->handle, 1, &mem->handle, chosen, how.nwait, waits(),
                                              event())
                 : 0,
         "migrate");
}

/* With a list; without one only where nothing failed that it would have to wait for. */
static void mark(struct mem *mem)
{
    const bool barrier = roll(2), all = roll(2);
    begin(mem->context, false);
    touch(mem->root);
    if (all && !how.tainted && !w.context[how.context].tainted)
        how.nwait = 0;
    if (!ready())
        done(0, barrier ? "barrier" : "marker");
    else if (barrier)
        done(clEnqueueBarrierWithWaitList(how.queue->handle, how.nwait, waits(), event()), "barrier");
    else
        done(clEnqueueMarkerWithWaitList(how.queue->handle, how.nwait, waits(), event()), "marker");
}

/* Waits, flushes and asks, of what is going on. */
static void look(void)
{
    const struct happening *happening = w.nevents ? &w.happening[roll(w.nevents)] : NULL;
    struct context *context = &w.context[roll(CONTEXTS)];
    const unsigned what = roll(4), q = roll(QUEUES);
    cl_int status = 1;
    cl_command_type type = 0;
    if (what == 0 && happening && !happening->tainted) {
        open_gates();
        tell(clWaitForEvents(1, &happening->event), "wait");
    } else if (what == 1 && happening && !happening->tainted) {
        clGetEventInfo(happening->event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL);
        if (type < CL_COMMAND_NDRANGE_KERNEL || type > CL_COMMAND_SVM_MIGRATE_MEM)
            wrong("type %x", type);
        tell(clGetEventInfo(happening->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
                            NULL),
             "event");
        if (status < CL_COMPLETE || status > CL_QUEUED)
            wrong("status %d", status);
    } else if (what == 2 && context->queue[q].handle) {
        tell(clFlush(context->queue[q].handle), "flush");
    } else if (context->queue[q].handle) {
        open_gates();
        tell(clFinish(context->queue[q].handle), "finish");
    }
}

void step_command(void)
{
    const unsigned what = roll(16);
    struct mem *buffer = pick_mem(-1, MEM_BUFFER, true), *image = pick_mem(-1, MEM_IMAGE, true),
               *line = pick_mem(-1, MEM_LINE, true), *any = pick_mem(-1, MEM_NONE, true),
               *mapped = pick_mem(-1, MEM_NONE, false);
    if (what < 3 && buffer)
        read_or_write(buffer);
    else if (what == 3 && buffer)
        read_or_write_rect(buffer);
    else if (what < 6 && buffer)
        copy(buffer);
    else if (what == 6 && buffer)
        fill(buffer);
    else if (what == 7 && any)
        map(any);
    else if (what == 8 && mapped && mapped->mapped)
        unmap(mapped);
    else if (what == 9 && (image || line))
        read_or_write_image(image && (!line || roll(2)) ? image : line);
    else if (what == 10 && image)
        image_beside_buffer(image);
    else if (what == 11 && any)
        migrate(any);
    else if (what == 12 && any)
        mark(any);
    else if (what == 13)
        look();
    else if (what > 13)
        step_shared();
}
