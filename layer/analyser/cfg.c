/* SPDX-License-Identifier: MIT */
/*
 * Dominators by Cooper, Harvey and Kennedy's iteration over the reverse post-order ("A Simple, Fast Dominance
 * Algorithm", 2001); post-dominators by the same on the reversed graph with a virtual exit as last node.
 */
#include "layer/analyser/cfg.h"

#include <stdlib.h>

/* A graph as the dominator iteration sees it; node `root` reaches all that count. */
struct graph {
    uint32_t n, root;
    int32_t **out, **in;
    uint32_t *nout, *nin;
};

struct walk {
    uint32_t *order; /* post-order */
    int32_t *number; /* position in it, -1: not reached */
    uint32_t count;
};

static void walk_graph(const struct graph *g, struct walk *w)
{
    uint32_t *stack = cx_alloc(g->n, sizeof(*stack)), *next = cx_alloc(g->n, sizeof(*next)), depth = 0;
    unsigned char *seen = cx_alloc(g->n, 1);

    w->order = cx_alloc(g->n, sizeof(*w->order));
    w->number = cx_alloc(g->n, sizeof(*w->number));
    w->count = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        w->number[i] = -1;
    }
    stack[depth++] = g->root;
    seen[g->root] = 1;
    while (depth) {
        uint32_t at = stack[depth - 1];
        if (next[at] < g->nout[at]) {
            uint32_t to = (uint32_t)g->out[at][next[at]++];
            if (!seen[to]) {
                seen[to] = 1;
                stack[depth++] = to;
            }
        } else {
            w->number[at] = (int32_t)w->count;
            w->order[w->count++] = at;
            depth--;
        }
    }
    free(stack);
    free(next);
    free(seen);
}

static int32_t intersect(const struct walk *w, const int32_t *idom, int32_t a, int32_t b)
{
    while (a != b) {
        while (w->number[a] < w->number[b]) {
            a = idom[a];
        }
        while (w->number[b] < w->number[a]) {
            b = idom[b];
        }
    }
    return a;
}

/* Immediate dominators; the root's and those of unreached nodes are -1. The caller frees the result. */
static int32_t *dominators(const struct graph *g)
{
    int32_t *idom = cx_alloc(g->n, sizeof(*idom));
    struct walk w;
    bool changed = true;

    walk_graph(g, &w);
    for (uint32_t i = 0; i < g->n; i++) {
        idom[i] = -1;
    }
    idom[g->root] = (int32_t)g->root;
    while (changed) {
        changed = false;
        for (uint32_t i = w.count - 1; i-- > 0;) {
            uint32_t at = w.order[i];
            int32_t best = -1;
            for (uint32_t p = 0; p < g->nin[at]; p++) {
                int32_t from = g->in[at][p];
                if (idom[from] >= 0) {
                    best = best < 0 ? from : intersect(&w, idom, from, best);
                }
            }
            if (best != idom[at]) {
                idom[at] = best;
                changed = true;
            }
        }
    }
    idom[g->root] = -1;
    free(w.order);
    free(w.number);
    return idom;
}

/* Numbers a tree given by parents so that a is above b exactly where in[a] <= in[b] and out[b] <= out[a]. */
static void number_tree(const int32_t *parent, uint32_t n, uint32_t root, uint32_t *in, uint32_t *out)
{
    int32_t *child = cx_alloc(n, sizeof(*child)), *sibling = cx_alloc(n, sizeof(*sibling));
    int32_t at = (int32_t)root;
    uint32_t clock = 1;

    for (uint32_t i = 0; i < n; i++) {
        child[i] = sibling[i] = -1;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (parent[i] >= 0) {
            sibling[i] = child[parent[i]];
            child[parent[i]] = (int32_t)i;
        }
    }
    in[root] = clock++;
    while (at >= 0) {
        if (child[at] >= 0) {
            int32_t down = child[at];
            child[at] = sibling[down];
            at = down;
            in[at] = clock++;
        } else {
            out[at] = clock++;
            at = parent[at];
        }
    }
    free(child);
    free(sibling);
}

static void find_blocks(struct cx_cfg *cfg, LLVMValueRef function)
{
    uint32_t i = 0;

    cfg->nblock = LLVMCountBasicBlocks(function);
    cfg->block = cx_alloc(cfg->nblock, sizeof(*cfg->block));
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb)) {
        cx_map_put(&cfg->index, (uintptr_t)bb, 0, (int32_t)i);
        cfg->block[i].idom = cfg->block[i].ipdom = cfg->block[i].loop = -1;
        cfg->block[i++].bb = bb;
    }
    for (i = 0; i < cfg->nblock; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->block[i].bb);
        uint32_t n = LLVMGetNumSuccessors(end);
        cfg->block[i].succ = cx_alloc(n, sizeof(int32_t));
        for (uint32_t s = 0; s < n; s++) {
            int32_t to = cx_cfg_index(cfg, LLVMGetSuccessor(end, s));
            struct cx_cfg_block *b = &cfg->block[to];
            cfg->block[i].succ[cfg->block[i].nsucc++] = to;
            b->pred = cx_realloc(b->pred, b->npred + 1, sizeof(int32_t));
            b->pred[b->npred++] = (int32_t)i;
        }
    }
}

/* The control flow as a graph with one more node, the virtual exit; `reversed` swaps the edges. */
static void make_graph(const struct cx_cfg *cfg, struct graph *g, bool reversed, int32_t *ends)
{
    uint32_t n = cfg->nblock, nends = 0;

    *g = (struct graph){.n = n + 1, .root = reversed ? n : 0};
    g->out = cx_alloc(n + 1, sizeof(*g->out));
    g->in = cx_alloc(n + 1, sizeof(*g->in));
    g->nout = cx_alloc(n + 1, sizeof(*g->nout));
    g->nin = cx_alloc(n + 1, sizeof(*g->nin));
    for (uint32_t i = 0; i < n; i++) {
        struct cx_cfg_block *b = &cfg->block[i];
        g->out[i] = reversed ? b->pred : b->succ;
        g->nout[i] = reversed ? b->npred : b->nsucc;
        g->in[i] = reversed ? b->succ : b->pred;
        g->nin[i] = reversed ? b->nsucc : b->npred;
        if (b->nsucc == 0) {
            ends[nends++] = (int32_t)i;
        }
    }
    if (reversed) {
        g->out[n] = ends;
        g->nout[n] = nends;
    }
}

static void free_graph(struct graph *g)
{
    free(g->out);
    free(g->in);
    free(g->nout);
    free(g->nin);
}

static void find_dominators(struct cx_cfg *cfg, bool post)
{
    uint32_t n = cfg->nblock + 1, *in = cx_alloc(n, sizeof(*in)), *out = cx_alloc(n, sizeof(*out));
    /* a block that ends the function has the virtual exit as its only predecessor in the reversed graph */
    int32_t *ends = cx_alloc(n, sizeof(*ends)), to_exit = (int32_t)cfg->nblock, *idom;
    struct graph g;

    make_graph(cfg, &g, post, ends);
    for (uint32_t i = 0; post && i < cfg->nblock; i++) {
        if (g.nin[i] == 0) {
            g.in[i] = &to_exit;
            g.nin[i] = 1;
        }
    }
    idom = dominators(&g);
    number_tree(idom, n, g.root, in, out);
    for (uint32_t i = 0; i < cfg->nblock; i++) {
        struct cx_cfg_block *b = &cfg->block[i];
        if (post) {
            b->ipdom = idom[i] == to_exit ? -1 : idom[i];
            b->pdom_in = in[i];
            b->pdom_out = out[i];
        } else {
            b->idom = idom[i];
            b->dom_in = in[i];
            b->dom_out = out[i];
        }
    }
    free_graph(&g);
    free(idom);
    free(in);
    free(out);
    free(ends);
}

static struct cx_cfg_loop *loop_of_header(struct cx_cfg *cfg, int32_t header)
{
    for (uint32_t i = 0; i < cfg->nloop; i++) {
        if (cfg->loop[i].header == header) {
            return &cfg->loop[i];
        }
    }
    return NULL;
}

/* Adds to the loop all blocks that reach the latch without passing the header. */
static void flood(struct cx_cfg *cfg, struct cx_cfg_loop *loop, int32_t latch)
{
    int32_t *stack = cx_alloc(cfg->nblock + 1, sizeof(*stack));
    uint32_t depth = 0;

    loop->inside[loop->header] = 1;
    if (!loop->inside[latch]) {
        loop->inside[latch] = 1;
        stack[depth++] = latch;
    }
    while (depth) {
        struct cx_cfg_block *b = &cfg->block[stack[--depth]];
        for (uint32_t p = 0; p < b->npred; p++) {
            int32_t from = b->pred[p];
            if (!loop->inside[from] && cx_cfg_reachable(cfg, from)) {
                loop->inside[from] = 1;
                stack[depth++] = from;
            }
        }
    }
    free(stack);
}

static uint32_t loop_size(const struct cx_cfg *cfg, const struct cx_cfg_loop *loop)
{
    uint32_t size = 0;

    for (uint32_t i = 0; i < cfg->nblock; i++) {
        size += loop->inside[i];
    }
    return size;
}

/* Puts larger loops first, so that a loop comes after those around it, and links parents and blocks. */
static void nest_loops(struct cx_cfg *cfg)
{
    for (uint32_t i = 1; i < cfg->nloop; i++) {
        struct cx_cfg_loop loop = cfg->loop[i];
        uint32_t size = loop_size(cfg, &loop), j = i;
        for (; j > 0 && loop_size(cfg, &cfg->loop[j - 1]) < size; j--) {
            cfg->loop[j] = cfg->loop[j - 1];
        }
        cfg->loop[j] = loop;
    }
    for (uint32_t i = 0; i < cfg->nloop; i++) {
        cfg->loop[i].parent = cfg->block[cfg->loop[i].header].loop;
        for (uint32_t b = 0; b < cfg->nblock; b++) {
            if (cfg->loop[i].inside[b]) {
                cfg->block[b].loop = (int32_t)i;
            }
        }
    }
}

/* A retreating edge (to a block on the depth-first stack) whose target does not dominate its source. */
static bool has_irreducible(const struct cx_cfg *cfg)
{
    struct graph g;
    struct walk w;
    int32_t *ends = cx_alloc(cfg->nblock + 1, sizeof(*ends));
    bool found = false;

    make_graph(cfg, &g, false, ends);
    walk_graph(&g, &w);
    for (uint32_t i = 0; i < cfg->nblock; i++) {
        for (uint32_t s = 0; w.number[i] >= 0 && s < cfg->block[i].nsucc; s++) {
            int32_t to = cfg->block[i].succ[s];
            if (w.number[to] >= w.number[i] && !cx_cfg_dominates(cfg, to, (int32_t)i)) {
                found = true;
            }
        }
    }
    free(w.order);
    free(w.number);
    free_graph(&g);
    free(ends);
    return found;
}

static void find_loops(struct cx_cfg *cfg)
{
    for (uint32_t i = 0; i < cfg->nblock; i++) {
        for (uint32_t s = 0; s < cfg->block[i].nsucc; s++) {
            int32_t header = cfg->block[i].succ[s];
            struct cx_cfg_loop *loop;
            if (!cx_cfg_dominates(cfg, header, (int32_t)i)) {
                continue;
            }
            loop = loop_of_header(cfg, header);
            if (!loop) {
                cfg->loop = cx_realloc(cfg->loop, cfg->nloop + 1, sizeof(*cfg->loop));
                loop = &cfg->loop[cfg->nloop++];
                *loop = (struct cx_cfg_loop){.header = header, .latch = (int32_t)i, .parent = -1};
                loop->inside = cx_alloc(cfg->nblock, 1);
            } else if (loop->latch != (int32_t)i) {
                loop->latch = -1;
            }
            flood(cfg, loop, (int32_t)i);
        }
    }
    nest_loops(cfg);
    cfg->irreducible = has_irreducible(cfg);
}

void cx_cfg_init(struct cx_cfg *cfg, LLVMValueRef function)
{
    *cfg = (struct cx_cfg){0};
    find_blocks(cfg, function);
    find_dominators(cfg, false);
    find_dominators(cfg, true);
    find_loops(cfg);
}

void cx_cfg_finish(struct cx_cfg *cfg)
{
    for (uint32_t i = 0; i < cfg->nblock; i++) {
        free(cfg->block[i].succ);
        free(cfg->block[i].pred);
    }
    for (uint32_t i = 0; i < cfg->nloop; i++) {
        free(cfg->loop[i].inside);
    }
    free(cfg->block);
    free(cfg->loop);
    cx_map_finish(&cfg->index);
}

int32_t cx_cfg_index(const struct cx_cfg *cfg, LLVMBasicBlockRef bb)
{
    int32_t index = -1;

    cx_map_get(&cfg->index, (uintptr_t)bb, 0, &index);
    return index;
}

bool cx_cfg_reachable(const struct cx_cfg *cfg, int32_t block)
{
    return block >= 0 && cfg->block[block].dom_in > 0;
}

bool cx_cfg_dominates(const struct cx_cfg *cfg, int32_t above, int32_t below)
{
    return cx_cfg_reachable(cfg, above) && cx_cfg_reachable(cfg, below) &&
           cfg->block[above].dom_in <= cfg->block[below].dom_in &&
           cfg->block[below].dom_out <= cfg->block[above].dom_out;
}

bool cx_cfg_postdominates(const struct cx_cfg *cfg, int32_t after, int32_t before)
{
    const struct cx_cfg_block *a = &cfg->block[after], *b = &cfg->block[before];

    return a->pdom_in > 0 && b->pdom_in > 0 && a->pdom_in <= b->pdom_in && b->pdom_out <= a->pdom_out;
}
