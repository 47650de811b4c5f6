/* SPDX-License-Identifier: MIT */
/* The world of an attack: see world.h. Random numbers, the log, the way of one command, meetings. */
#include "world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world w;
struct how how;

unsigned roll(unsigned below)
{
    w.state = w.state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(w.state >> 33) % below;
}

void noise(void *room, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)room)[i] = (unsigned char)roll(256);
}

uint64_t hash_of(const void *bytes, size_t size)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
    return hash;
}

void tell(cl_int code, const char *format, ...)
{
    va_list args;
    printf("%u ", w.step);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf(" = %d\n", code);
    fflush(stdout);
}

void wrong(const char *format, ...)
{
    va_list args;
    printf("%u WRONG ", w.step);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(stdout);
    _Exit(3);
}

/* ---- gates ---- */

void open_gate(unsigned g)
{
    struct gate gate = w.gate[g];
    tell(clSetUserEventStatus(gate.handle, gate.fails && !w.spare ? -7 : CL_COMPLETE), "gate opens %s",
         gate.fails ? "badly" : "well");
    clReleaseEvent(gate.handle);
    w.gate[g] = w.gate[--w.ngates];
}

void open_gates(void)
{
    while (w.ngates)
        open_gate(roll(w.ngates));
}

/* ---- one command ---- */

static void wait_for(cl_event event)
{
    for (cl_uint i = 0; i < how.nwait; i++)
        if (how.wait[i] == event)
            return;
    if (how.nwait < WAITS)
        how.wait[how.nwait++] = event;
}

void begin(unsigned context, bool blocking)
{
    how = (struct how){.context = context, .blocking = blocking, .first_area = w.nareas};
    if (blocking)
        open_gates();
    if (w.ngates && roll(3) == 0) {
        struct gate *gate = &w.gate[roll(w.ngates)];
        if (gate->context == context) {
            how.tainted |= gate->fails;
            wait_for(gate->handle);
        }
    }
}

void touch(struct root *root)
{
    for (unsigned i = 0; i < how.ntouched; i++)
        if (how.touched[i] == root)
            return;
    how.touched[how.ntouched++] = root;
    how.tainted |= root->tainted;
    if (root->last)
        wait_for(root->last);
}

/* What fails goes to the queue in which nothing else waits for it. */
bool ready(void)
{
    struct context *context = &w.context[how.context];
    unsigned q = roll(QUEUES);
    how.queue = &context->queue[how.tainted || !context->queue[q].handle ? 0 : q];
    context->tainted |= how.tainted;
    return !(w.spare && how.tainted);
}

const cl_event *waits(void)
{
    return how.nwait ? how.wait : NULL;
}

cl_event *event(void)
{
    return how.blocking ? NULL : &how.event;
}

void done(cl_int code, const char *name)
{
    const bool spared = w.spare && how.tainted;
    const cl_int failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (spared)
        code = how.blocking ? failed : CL_SUCCESS;
    tell(code, "%s%s%s", name, how.blocking ? " blocking" : "", how.tainted ? " tainted" : "");
    for (unsigned i = how.first_area; i < w.nareas; i++)
        w.area[i].tainted = how.tainted || code != CL_SUCCESS;
    if (code != CL_SUCCESS && !(how.blocking && how.tainted && code == failed))
        return;
    if (how.blocking && how.tainted)
        return;
    for (unsigned i = 0; i < how.ntouched; i++) {
        how.touched[i]->last = how.event;
        how.touched[i]->tainted |= how.tainted;
    }
    if (how.blocking)
        return;
    w.happening[w.nevents++] = (struct happening){how.event, how.tainted};
    if (roll(5) == 0)
        event_callback(how.event);
    if (how.nwait && !spared) /* PoCL lets nothing go on behind a gate otherwise */
        clFlush(how.queue->handle);
}

void *area(size_t size, bool filled)
{
    struct area *area = &w.area[w.nareas++];
    *area = (struct area){calloc(1, size), size, false};
    if (filled)
        noise(area->bytes, size);
    return area->bytes;
}

/* ---- meetings ---- */

static void look_at_mem(const struct mem *mem)
{
    static unsigned char bytes[IMAGE_BYTES + MOST_INTS * 4];
    const size_t none[3] = {0, 0, 0}, all[3] = {SIDE, SIDE, 1}, line[3] = {mem->bytes / 4, 1, 1};
    cl_command_queue queue = w.context[mem->context].queue[0].handle;
    cl_int code;
    if (mem->root->mapped)
        return;
    if (mem->kind == MEM_SHARED) {
        look_at_shared(mem, bytes);
        code = CL_SUCCESS;
    } else if (mem->kind == MEM_IMAGE || mem->kind == MEM_LINE)
        code = clEnqueueReadImage(queue, mem->handle, CL_TRUE, none, mem->kind == MEM_IMAGE ? all : line, 0,
                                  0, bytes, 0, NULL, NULL);
    else
        code = clEnqueueReadBuffer(queue, mem->handle, CL_TRUE, 0, mem->bytes, bytes, 0, NULL, NULL);
    tell(code, "mem %u holds %016llx", (unsigned)(mem - w.mem),
         (unsigned long long)hash_of(bytes, mem->bytes));
}

static void look_at_events(void)
{
    for (unsigned i = 0; i < w.nevents; i++) {
        const struct happening *happening = &w.happening[i];
        cl_int status = -1;
        if (happening->event) {
            cl_int code = clWaitForEvents(1, &happening->event);
            if (code != (happening->tainted ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS))
                wrong("event %u of %u: waiting gives %d", i, w.nevents, code);
            clGetEventInfo(happening->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
                           NULL);
            if ((status < 0) != happening->tainted)
                wrong("event %u of %u ends with %d", i, w.nevents, status);
        }
    }
    for (unsigned i = 0; i < w.nevents; i++)
        if (w.happening[i].event)
            clReleaseEvent(w.happening[i].event);
    w.nevents = 0;
}

void meet(void)
{
    open_gates();
    for (unsigned c = 0; c < CONTEXTS; c++)
        for (unsigned q = 0; q < QUEUES; q++)
            if (w.context[c].queue[q].handle && clFinish(w.context[c].queue[q].handle) != CL_SUCCESS)
                wrong("clFinish fails");
    look_at_events();
    for (unsigned i = 0; i < w.nareas; i++) {
        if (!w.area[i].tainted)
            tell(0, "area %u holds %016llx", i, (unsigned long long)hash_of(w.area[i].bytes, w.area[i].size));
        free(w.area[i].bytes);
    }
    w.nareas = 0;
    for (unsigned r = 0; r < w.nroots; r++) {
        w.root[r].last = NULL;
        w.root[r].tainted = false;
    }
    for (unsigned c = 0; c < CONTEXTS; c++)
        w.context[c].tainted = false;
    for (unsigned m = 0; m < MEMS; m++)
        if (w.mem[m].kind)
            look_at_mem(&w.mem[m]);
}
