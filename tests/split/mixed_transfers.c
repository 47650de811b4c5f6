/* SPDX-License-Identifier: MIT */
/* Commands of test_mixed.c other than launches. */
#include "mixed_transfers.h"

#include <stdlib.h>
#include <string.h>

struct range {
    size_t lo, bytes;
};

static struct range range_of(const struct port *port)
{
    const size_t lo = roll((unsigned)port->bytes);
    return (struct range){lo, 1 + roll((unsigned)(port->bytes - lo))};
}

static unsigned char *model_of(const struct port *port, size_t at)
{
    return port->root->model + port->offset + at;
}

static void read_or_write(const struct port *port, bool write)
{
    const struct range range = range_of(port);
    begin(roll(4) == 0);
    touch(port->root, write);
    const bool blocking = !w->ngates && !w->fails && roll(3) == 0;
    unsigned char *bytes = area_new(range.bytes), *model = model_of(port, range.lo),
                  *shared = port->mem ? NULL : port->root->host + port->offset + range.lo;
    note("%s %u.%zu, %zu + %zu", write ? "write" : "read", (unsigned)(port->root - w->root), port->offset,
         range.lo, range.bytes);
    if (!port->mem)
        must(clEnqueueSVMMemcpy(w->to, blocking, write ? shared : bytes, write ? bytes : shared, range.bytes,
                                w->nwait, waits(), &w->event));
    else if (write)
        must(clEnqueueWriteBuffer(w->to, port->mem, blocking, range.lo, range.bytes, bytes, w->nwait, waits(),
                                  &w->event));
    else
        must(clEnqueueReadBuffer(w->to, port->mem, blocking, range.lo, range.bytes, bytes, w->nwait, waits(),
                                 &w->event));
    if (write && !w->fails)
        memcpy(model, bytes, range.bytes);
    else if (!write && !w->fails)
        area_wants(model);
    end();
}

static void fill(const struct port *port)
{
    unsigned char pattern[16];
    const size_t unit = (size_t)4 << roll(3), first = roll((unsigned)(port->bytes / unit)),
                 count = 1 + roll((unsigned)(port->bytes / unit - first));
    noise(pattern, unit);
    begin(false);
    touch(port->root, true);
    if (!port->mem && port->offset % unit)
        return;
    note("fill %u.%zu, %zu + %zu", (unsigned)(port->root - w->root), port->offset, first * unit,
         count * unit);
    must(port->mem ? clEnqueueFillBuffer(w->to, port->mem, pattern, unit, first * unit, count * unit,
                                         w->nwait, waits(), &w->event)
                   : clEnqueueSVMMemFill(w->to, port->root->host + port->offset + first * unit, pattern, unit,
                                         count * unit, w->nwait, waits(), &w->event));
    for (size_t i = 0; i < count && !w->fails; i++)
        memcpy(model_of(port, (first + i) * unit), pattern, unit);
    memset(pattern, 0, sizeof(pattern));
    end();
}

/* Also within one root, through windows of it. */
static void copy(const struct port *to, const struct port *from)
{
    struct range range = range_of(to);
    const size_t at = roll((unsigned)from->bytes);
    range.bytes = range.bytes < from->bytes - at ? range.bytes : from->bytes - at;
    const size_t a = to->offset + range.lo, b = from->offset + at;
    if (!to->mem != !from->mem || (to->root == from->root && a < b + range.bytes && b < a + range.bytes))
        return;
    begin(false);
    touch(to->root, true);
    if (to->root != from->root)
        touch(from->root, false);
    note("copy %zu to %u.%zu + %zu from %u.%zu + %zu", range.bytes, (unsigned)(to->root - w->root),
         to->offset, range.lo, (unsigned)(from->root - w->root), from->offset, at);
    must(to->mem ? clEnqueueCopyBuffer(w->to, from->mem, to->mem, at, range.lo, range.bytes, w->nwait,
                                       waits(), &w->event)
                 : clEnqueueSVMMemcpy(w->to, CL_FALSE, to->root->host + a, from->root->host + b, range.bytes,
                                      w->nwait, waits(), &w->event));
    if (!w->fails)
        memcpy(model_of(to, range.lo), model_of(from, at), range.bytes);
    end();
}

/* Rows of one pitch in both. */
static void copy_rect(const struct port *to, const struct port *from)
{
    const size_t region[3] = {1 + roll(60), 1 + roll(9), 1}, row = region[0] + roll(50),
                 most = row * (region[1] + 1);
    if (!to->mem || !from->mem || to->root == from->root || most > to->bytes || most > from->bytes)
        return;
    const size_t to_row = row + (row + 7) * (region[1] + 1) * 2 < to->bytes ? row + 7 : row;
    const size_t here[3] = {roll(4), 0, 0}, there[3] = {roll(5), 0, 0};
    if (here[0] + to_row * region[1] > to->bytes || there[0] + row * region[1] > from->bytes)
        return;
    begin(false);
    touch(to->root, true);
    touch(from->root, false);
    note("copy rect to %u from %u", (unsigned)(to->root - w->root), (unsigned)(from->root - w->root));
    must(clEnqueueCopyBufferRect(w->to, from->mem, to->mem, there, here, region, row, 0, to_row, 0, w->nwait,
                                 waits(), &w->event));
    for (size_t y = 0; y < region[1] && !w->fails; y++)
        memcpy(model_of(to, here[0] + y * to_row), model_of(from, there[0] + y * row), region[0]);
    end();
}

static void map(const struct port *port)
{
    static const cl_map_flags ways[] = {CL_MAP_READ, CL_MAP_READ, CL_MAP_READ | CL_MAP_WRITE,
                                        CL_MAP_WRITE_INVALIDATE_REGION};
    struct root *root = port->root;
    const cl_map_flags flags = ways[roll(4)];
    struct range range = range_of(port);
    cl_int code = CL_SUCCESS;
    if (root->mapped || !root_free(root, flags != CL_MAP_READ))
        return;
    if (!port->mem) /* all of it, or where the map begins */
        range = (struct range){0, root->bytes};
    const size_t lo = port->mem ? port->offset + range.lo : 0;
    begin(true);
    touch(root, flags != CL_MAP_READ);
    note("map %u, %zu + %zu, flags %x", (unsigned)(root - w->root), lo, range.bytes, (unsigned)flags);
    if (port->mem) {
        const bool blocking = roll(2);
        root->mapped = clEnqueueMapBuffer(w->to, port->mem, blocking, flags, range.lo, range.bytes, w->nwait,
                                          waits(), &w->event, &code);
        must(code);
        if (!blocking)
            must(clFlush(w->to));
        if (!blocking)
            must(clWaitForEvents(1, &w->event));
    } else {
        root->mapped = root->host;
        must(clEnqueueSVMMap(w->to, CL_TRUE, flags, root->host, root->bytes, w->nwait, waits(), &w->event));
    }
    if (flags != CL_MAP_WRITE_INVALIDATE_REGION)
        must_be(memcmp(root->mapped, root->model + lo, range.bytes) == 0, "mapped %u differs",
                (unsigned)(root - w->root));
    if (flags != CL_MAP_READ) {
        noise(root->mapped, range.bytes);
        memcpy(root->model + lo, root->mapped, range.bytes);
    }
    root->mapped_by = port->mem;
    root->map_writes = flags != CL_MAP_READ;
    end();
}

static void migrate(const struct port *port)
{
    if (!port->mem)
        return;
    begin(false);
    touch(port->root, true);
    must(clEnqueueMigrateMemObjects(w->to, 1, &port->mem, roll(2) ? CL_MIGRATE_MEM_OBJECT_HOST : 0, w->nwait,
                                    waits(), &w->event));
    end();
}

static void mark(struct root *root)
{
    const bool barrier = roll(2);
    begin(false);
    touch(root, true);
    if (!w->nwait)
        return;
    must(barrier ? clEnqueueBarrierWithWaitList(w->to, w->nwait, waits(), &w->event)
                 : clEnqueueMarkerWithWaitList(w->to, w->nwait, waits(), &w->event));
    end();
}

/* ---- images ---- */

struct box {
    size_t origin[3], region[3];
};

static struct box box_of(const struct port *port)
{
    const size_t extent[3] = {port->width, port->height, port->layers};
    struct box box;
    for (unsigned d = 0; d < 3; d++) {
        box.origin[d] = roll(3) ? roll((unsigned)extent[d]) : 0;
        box.region[d] = 1 + roll((unsigned)(extent[d] - box.origin[d]));
    }
    return box;
}

/* Between the texels and plain memory with these pitches. */
static void texels(const struct port *port, const struct box *box, unsigned char *memory, size_t row,
                   size_t slice, bool in)
{
    for (size_t z = 0; z < box->region[2]; z++)
        for (size_t y = 0; y < box->region[1]; y++) {
            cl_uint *at = port_at(port, box->origin[0], box->origin[1] + y, box->origin[2] + z);
            unsigned char *line = memory + z * slice + y * row;
            memcpy(in ? (unsigned char *)at : line, in ? line : (unsigned char *)at, 4 * box->region[0]);
        }
}

static void read_or_write_image(const struct port *port, bool write)
{
    const struct box box = box_of(port);
    const size_t row = 4 * (box.region[0] + roll(3)), slice = row * (box.region[1] + roll(2)),
                 given = box.region[2] > 1 ? slice : 0;
    begin(roll(4) == 0);
    touch(port->root, write);
    unsigned char *bytes = area_new(slice * box.region[2]);
    note("%s image %u", write ? "write" : "read", (unsigned)(port->root - w->root));
    if (write) {
        must(clEnqueueWriteImage(w->to, port->mem, CL_FALSE, box.origin, box.region, row, given, bytes,
                                 w->nwait, waits(), &w->event));
        if (!w->fails)
            texels(port, &box, bytes, row, slice, true);
    } else {
        unsigned char *want = malloc(slice * box.region[2]);
        memcpy(want, bytes, slice * box.region[2]);
        texels(port, &box, want, row, slice, false);
        if (!w->fails)
            area_wants(want);
        free(want);
        must(clEnqueueReadImage(w->to, port->mem, CL_FALSE, box.origin, box.region, row, given, bytes,
                                w->nwait, waits(), &w->event));
    }
    end();
}

static void fill_image(const struct port *port)
{
    const struct box box = box_of(port);
    const cl_uint color[4] = {roll(1u << 31), 1, 2, 3};
    begin(false);
    touch(port->root, true);
    note("fill image %u", (unsigned)(port->root - w->root));
    must(clEnqueueFillImage(w->to, port->mem, color, box.origin, box.region, w->nwait, waits(), &w->event));
    for (size_t z = 0; z < box.region[2] && !w->fails; z++)
        for (size_t y = 0; y < box.region[1]; y++)
            for (size_t x = 0; x < box.region[0]; x++)
                *port_at(port, box.origin[0] + x, box.origin[1] + y, box.origin[2] + z) = color[0];
    end();
}

static void image_beside(const struct port *image, const struct port *buffer)
{
    const struct box box = box_of(image);
    const size_t row = 4 * box.region[0], slice = row * box.region[1], offset = 4 * (size_t)roll(30);
    const bool out = roll(2);
    if (!buffer->mem || buffer->root == image->root || offset + slice * box.region[2] > buffer->bytes)
        return;
    begin(false);
    touch(image->root, !out);
    touch(buffer->root, out);
    note("%s: %u and %u", out ? "image to buffer" : "buffer to image", (unsigned)(image->root - w->root),
         (unsigned)(buffer->root - w->root));
    must(out ? clEnqueueCopyImageToBuffer(w->to, image->mem, buffer->mem, box.origin, box.region, offset,
                                          w->nwait, waits(), &w->event)
             : clEnqueueCopyBufferToImage(w->to, buffer->mem, image->mem, offset, box.origin, box.region,
                                          w->nwait, waits(), &w->event));
    if (!w->fails)
        texels(image, &box, model_of(buffer, offset), row, slice, !out);
    end();
}

static void map_image(const struct port *port)
{
    const struct box box = box_of(port);
    const cl_map_flags flags = roll(2) ? CL_MAP_READ : CL_MAP_READ | CL_MAP_WRITE;
    struct root *root = port->root;
    size_t row = 0, slice = 0;
    cl_int code;
    if (root->mapped)
        return;
    begin(true);
    touch(root, flags != CL_MAP_READ);
    note("map image %u", (unsigned)(root - w->root));
    root->mapped = clEnqueueMapImage(w->to, port->mem, CL_TRUE, flags, box.origin, box.region, &row, &slice,
                                     w->nwait, waits(), &w->event, &code);
    must(code);
    for (size_t z = 0; z < box.region[2]; z++)
        for (size_t y = 0; y < box.region[1]; y++) {
            cl_uint *at = port_at(port, box.origin[0], box.origin[1] + y, box.origin[2] + z);
            unsigned char *line = root->mapped + z * slice + y * row;
            must_be(memcmp(at, line, 4 * box.region[0]) == 0, "mapped image differs");
            if (flags != CL_MAP_READ) {
                noise(line, 4 * box.region[0]);
                memcpy(at, line, 4 * box.region[0]);
            }
        }
    root->mapped_by = port->mem;
    root->map_writes = flags != CL_MAP_READ;
    end();
}

/* ---- choices ---- */

static bool pick_image(struct port *port, bool write)
{
    static const int kinds[] = {ROOT_BUFFER, ROOT_BUFFER, ROOT_PLANE, ROOT_LAYERS};
    const int kind = kinds[roll(4)];
    struct root *root = root_pick(kind, write);
    if (!root || root->kind == ROOT_SHARED)
        return false;
    *port = kind == ROOT_LAYERS              ? port_of_layers(root)
            : kind == ROOT_BUFFER && roll(2) ? port_of_line(root)
                                             : port_of_plane(root);
    return port->mem != NULL;
}

void transfer_bytes(void)
{
    struct root *to = root_pick(ROOT_BUFFER, true), *from = root_pick(ROOT_BUFFER, false);
    if (!to || !from)
        return;
    const struct port a = port_of_bytes(to), b = port_of_bytes(from);
    switch (roll(9)) {
    case 0:
        read_or_write(&b, false);
        break;
    case 1:
    case 2:
        read_or_write(&a, true);
        break;
    case 3:
        fill(&a);
        break;
    case 4:
    case 5:
        copy(&a, &b);
        break;
    case 6:
        copy_rect(&a, &b);
        break;
    case 7:
        map(&a);
        break;
    default:
        if (roll(2))
            migrate(&a);
        else
            mark(to);
    }
}

void transfer_texels(void)
{
    struct root *root = root_pick(ROOT_BUFFER, true);
    struct port image;
    if (!root || !pick_image(&image, true))
        return;
    const struct port buffer = port_of_bytes(root);
    switch (roll(6)) {
    case 0:
    case 1:
        read_or_write_image(&image, roll(2));
        break;
    case 2:
        fill_image(&image);
        break;
    case 3:
        map_image(&image);
        break;
    default:
        image_beside(&image, &buffer);
    }
}
