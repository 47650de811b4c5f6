/* SPDX-License-Identifier: MIT */
/*
 * Aliases: objects over other members' memory. See alias.h.
 */
#include "layer/memory/alias.h"
#include "layer/base/log.h"
#include "layer/memory/peer.h"

#include <stdlib.h>

cl_mem cx_alias_get(struct cx_mem *root, unsigned owner, unsigned member)
{
    struct cx_context *context = root->context;
    const unsigned n = context->nmembers;
    cl_int error;
    if (!root->storage->aliases &&
        !(root->storage->aliases = calloc(n * n, sizeof(root->storage->aliases[0]))))
        return NULL;
    cl_mem *real = &root->storage->aliases[owner * n + member];
    if (!*real && !(*real = cx_peer_import(context, member, root->storage->peer[owner], &error)) &&
        cx_peer_disable_remote(context->memory.peers, owner, member))
        cx_warn(CX_TOPIC_DATA, "%s cannot use the memory of %s: %s; it works on copies from now on",
                context->workers[member].device->name, context->workers[owner].device->name,
                cx_cl_name(error));
    return *real;
}

bool cx_alias_exists(const struct cx_mem *root, unsigned owner, unsigned member)
{
    return root->storage->aliases && root->storage->aliases[owner * root->context->nmembers + member];
}

void cx_alias_finish_all(struct cx_mem *root)
{
    const unsigned n = root->context->nmembers;
    for (unsigned i = 0; root->storage->aliases && i < n * n; i++)
        if (root->storage->aliases[i])
            cx_peer_release(root->context, i % n, root->storage->aliases[i]);
    free(root->storage->aliases);
    root->storage->aliases = NULL;
}
