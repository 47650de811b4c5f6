/* SPDX-License-Identifier: MIT */
/*
 * The table of transports, and the functions that use it. See transport.h.
 */
#include "layer/memory/transport.h"
#include "layer/memory/buffer.h"

#include <string.h>

/* In the order in which they are asked. */
static struct {
    const struct cx_transport *member[CX_TRANSPORTS_MOST], *host[CX_TRANSPORTS_MOST];
    unsigned nmember, nhost;
} table = {
    .member = {&cx_transport_bounce, &cx_transport_peer},
    .nmember = 2,
    .host = {&cx_transport_image, &cx_transport_ring, &cx_transport_host},
    .nhost = 3,
};

static void put_first(const struct cx_transport **list, unsigned *n, const struct cx_transport *transport)
{
    memmove(list + 1, list, sizeof(*list) * (*n)++);
    list[0] = transport;
}

bool cx_transport_register(const struct cx_transport *transport)
{
    if ((transport->takes && table.nhost == CX_TRANSPORTS_MOST) ||
        (transport->near && table.nmember == CX_TRANSPORTS_MOST))
        return false;
    if (transport->takes)
        put_first(table.host, &table.nhost, transport);
    if (transport->near)
        put_first(table.member, &table.nmember, transport);
    return true;
}

/* ---- between host memory and a member's own ---- */

const struct cx_transport *cx_transport_for(struct cx_worker *worker, const struct cx_transfer_item *item,
                                            const struct cx_rows *rows)
{
    unsigned i = 0;
    while (!table.host[i]->takes(worker, item, rows)) /* the last one, host, takes all */
        i++;
    return table.host[i];
}

bool cx_transports_may_wait(const struct cx_worker *worker, uint64_t bytes)
{
    bool may = false;
    for (unsigned i = 0; i < table.nhost && !may; i++)
        may = table.host[i]->may_wait && table.host[i]->may_wait(worker, bytes);
    return may;
}

void cx_transports_release(struct cx_worker *worker)
{
    for (unsigned i = 0; i < table.nhost; i++)
        if (table.host[i]->release)
            table.host[i]->release(worker);
}

/* ---- between members' own memories ---- */

bool cx_transports_possible(const struct cx_context *context)
{
    bool possible = false;
    for (unsigned i = 0; i < table.nmember; i++)
        possible |= !table.member[i]->possible || table.member[i]->possible(context);
    return possible;
}

void cx_transports_near(const struct cx_mem *root, unsigned place, struct cx_near *near)
{
    near->any = near->firm = 0;
    for (unsigned i = 0; i < table.nmember; i++) {
        near->by[i] = table.member[i]->near(root, place);
        near->any |= near->by[i];
        near->firm |= table.member[i]->yields ? 0 : near->by[i];
    }
}

/* The cheapest of those that bring so many bytes from there. NULL: none is left. */
static const struct cx_transport *cheapest(const struct cx_near *near, unsigned from, uint64_t bytes,
                                           unsigned *index)
{
    const struct cx_transport *best = NULL;
    for (unsigned i = 0; i < table.nmember; i++)
        if (near->by[i] >> from & 1 && (!best || table.member[i]->price(bytes) < best->price(bytes))) {
            best = table.member[i];
            *index = i;
        }
    return best;
}

/* Of the moves those that `from` holds. What none can bring is taken out of *near. */
static cl_int plan_from(struct cx_command *command, struct cx_mem *root, unsigned from, unsigned place,
                        struct cx_near *near, const struct cx_move *moves, size_t count)
{
    const struct cx_transport *transport;
    uint64_t bytes = 0;
    unsigned index;
    for (size_t i = 0; i < count; i++)
        bytes += moves[i].from == from ? moves[i].hi - moves[i].lo : 0;
    if (!bytes)
        return CL_SUCCESS;
    while ((transport = cheapest(near, from, bytes, &index)) != NULL) {
        if (!transport->open || transport->open(root->context, from, place))
            return transport->plan(command, root, from, place, moves, count);
        near->by[index] &= ~(UINT64_C(1) << from);
    }
    near->any &= ~(UINT64_C(1) << from);
    return CL_SUCCESS;
}

cl_int cx_transports_plan(struct cx_command *command, struct cx_mem *root, unsigned place,
                          struct cx_near *near, struct cx_move *moves, size_t *count)
{
    size_t left = 0;
    for (uint64_t rest = near->any; rest; rest &= rest - 1) {
        cl_int error = plan_from(command, root, (unsigned)__builtin_ctzll(rest), place, near, moves, *count);
        if (error != CL_SUCCESS)
            return error;
    }
    for (size_t i = 0; i < *count; i++)
        if (moves[i].from >= 64 || !(near->any >> moves[i].from & 1))
            moves[left++] = moves[i];
    *count = left;
    return CL_SUCCESS;
}

const struct cx_transport *cx_transports_copier(unsigned n)
{
    for (unsigned i = 0; i < table.nmember; i++)
        if (table.member[i]->copy && n-- == 0)
            return table.member[i];
    return NULL;
}

void cx_transports_hold(struct cx_context *context)
{
    for (unsigned i = 0; i < table.nmember; i++)
        if (table.member[i]->hold)
            table.member[i]->hold(context);
}

bool cx_transports_let(struct cx_command *command)
{
    bool ok = true;
    for (unsigned i = 0; i < table.nmember; i++)
        if (table.member[i]->let)
            ok = table.member[i]->let(command) && ok;
    return ok;
}

bool cx_transports_flush(struct cx_command *command)
{
    bool ok = true;
    for (unsigned i = 0; i < table.nmember; i++)
        if (table.member[i]->flush)
            ok = table.member[i]->flush(command) && ok;
    return ok;
}

void cx_transports_finish(struct cx_context *context)
{
    for (unsigned i = 0; i < table.nmember; i++)
        if (table.member[i]->finish)
            table.member[i]->finish(context);
}
