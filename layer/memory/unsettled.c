/* SPDX-License-Identifier: MIT */
/*
 * Unsettled memory objects, and commands that wait for them. See unsettled.h.
 */
#include "layer/memory/unsettled.h"
#include "layer/memory/svm.h"
#include "layer/timeline/command.h"

bool cx_unsettled_blocks(struct cx_command *command, const struct cx_mem *mem)
{
    const struct cx_mem *root = mem ? mem->root : NULL;
    struct cx_command *other = root ? root->storage->unsettled : NULL;
    if (other && other != command) {
        cx_command_block_on(command, other);
        return true;
    }
    if (root && root->storage->svm && root->storage->svm->fine)
        cx_coherence_own(root->storage->coherence, 0, root->size, cx_svm_place(root));
    return false;
}

void cx_unsettled_hold(struct cx_mem *mem, struct cx_command *command)
{
    mem->storage->unsettled = command;
}

void cx_unsettled_release(struct cx_mem *mem, const struct cx_command *command)
{
    if (mem->storage->unsettled == command)
        mem->storage->unsettled = NULL;
}
