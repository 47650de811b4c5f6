/* SPDX-License-Identifier: MIT */
/*
 * Random kernels that share small buffers by atomics, split between two devices and checked afterwards. What
 * they leave must be what a plain interpreter leaves that runs the work-groups in their order, or those from
 * some border on before the others: with two participants there is no other order that a launch may stand
 * for. By hand: RANDOM_SEED=n RANDOM_KERNELS=n.
 */
#include "cl_fixture.h"

#include <stdio.h>
#include <unistd.h>

enum { ITEMS = 256, CELLS = 8, STATEMENTS = 5, ROOM = 4000 };

enum kind { ADD, EXCHANGE, COMPARE, LOAD, PUT, MIX, LEAVE, KINDS };

/* Done where in[i] % of == is. */
struct statement {
    enum kind kind;
    unsigned of, is, cell, value, test, object;
};

struct world {
    unsigned in[ITEMS], out[ITEMS], cell[2][CELLS], list[CELLS];
};

static struct statement statements[STATEMENTS];

static void make_kernel(void)
{
    static const unsigned rarely[] = {400, 700, 64, 1, 150};
    bool puts = false;
    for (unsigned k = 0; k < STATEMENTS; k++) {
        struct statement *s = &statements[k];
        s->kind = (enum kind)cl_roll(KINDS);
        if (s->kind == PUT && puts)
            s->kind = MIX;
        puts |= s->kind == PUT;
        s->of = rarely[cl_roll(s->kind < LOAD ? 3 : 5)];
        s->is = cl_roll(s->of);
        s->cell = cl_roll(3);
        s->value = cl_roll(4);
        s->test = cl_roll(2);
        s->object = cl_roll(2);
    }
}

static void print_action(char *text, size_t room, const struct statement *s)
{
    static const char *const calls[] = {"add", "xchg", "cmpxchg", "or"};
    switch (s->kind) {
    case PUT:
        snprintf(text, room, "list[r & 7] = v + 1");
        break;
    case MIX:
        snprintf(text, room, "out[i] = out[i] * 3 + r");
        break;
    case LEAVE:
        snprintf(text, room, "{ if (r == %u) return; }", s->value);
        break;
    case COMPARE:
        snprintf(text, room, "r = atomic_cmpxchg(f%u + %u, %u, %u)", s->object, s->cell, s->test, s->value);
        break;
    default:
        snprintf(text, room, "r = atomic_%s(f%u + %u, %u)", calls[s->kind], s->object, s->cell,
                 s->kind == LOAD ? 0 : s->value);
    }
}

static void print_kernel(char *text)
{
    int used = snprintf(text, ROOM,
                        "__kernel void few(__global const uint *in, __global uint *out, __global uint *f0,\n"
                        "                  __global uint *f1, __global uint *list)\n"
                        "{ uint i = get_global_id(0), v = in[i], r = 0;\n");
    for (unsigned k = 0; k < STATEMENTS; k++) {
        const struct statement *s = &statements[k];
        char action[100];
        print_action(action, sizeof(action), s);
        used +=
            snprintf(text + used, (size_t)(ROOM - used), "  if (v %% %u == %u) %s;\n", s->of, s->is, action);
    }
    snprintf(text + used, (size_t)(ROOM - used), "  out[i] += v; }\n");
}

static void run_item(struct world *w, unsigned i)
{
    unsigned r = 0;
    for (unsigned k = 0; k < STATEMENTS; k++) {
        const struct statement *s = &statements[k];
        unsigned *cell = &w->cell[s->object][s->cell], old = *cell;
        if (w->in[i] % s->of != s->is)
            continue;
        if (s->kind == PUT)
            w->list[r & 7] = w->in[i] + 1;
        else if (s->kind == MIX)
            w->out[i] = w->out[i] * 3 + r;
        else if (s->kind == LEAVE && r == s->value)
            return;
        else if (s->kind < PUT)
            r = old;
        if (s->kind == ADD)
            *cell = old + s->value;
        else if (s->kind == EXCHANGE || (s->kind == COMPARE && old == s->test))
            *cell = s->value;
    }
    w->out[i] += w->in[i];
}

/* Whether the world after is one of those that may come of the world before. */
static bool may_be(const struct world *before, const struct world *after)
{
    for (unsigned border = 0; border < ITEMS; border++) {
        struct world w = *before;
        for (unsigned i = 0; i < ITEMS; i++)
            run_item(&w, (border + i) % ITEMS);
        if (memcmp(&w, after, sizeof(w)) == 0)
            return true;
    }
    return false;
}

static void run_kernel(cl_kernel kernel, struct world *w)
{
    const size_t items = ITEMS, local = 1;
    struct {
        void *at;
        size_t size;
    } part[] = {{w->in, sizeof(w->in)},
                {w->out, sizeof(w->out)},
                {w->cell[0], sizeof(w->cell[0])},
                {w->cell[1], sizeof(w->cell[1])},
                {w->list, sizeof(w->list)}};
    cl_mem mem[5];
    for (unsigned i = 0; i < 5; i++) {
        mem[i] = cl_buffer(CL_MEM_COPY_HOST_PTR, part[i].size, part[i].at);
        cl_set_mem(kernel, i, mem[i]);
    }
    cl_ok(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    for (unsigned i = 0; i < 5; i++) {
        cl_read(mem[i], part[i].at, part[i].size);
        cl_ok(clReleaseMemObject(mem[i]));
    }
}

static unsigned long number(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : otherwise;
}

START_TEST(random_kernels)
{
    const unsigned long first = number("RANDOM_SEED", 1), count = number("RANDOM_KERNELS", 30);
    for (unsigned long seed = first; seed < first + count; seed++) {
        static char text[ROOM];
        cl_seed(seed);
        make_kernel();
        print_kernel(text);
        cl_kernel kernel = cl_kernel_of(text, "few");
        for (unsigned launch = 0; launch < 6; launch++) {
            static struct world before, after;
            memset(&before, 0, sizeof(before));
            for (unsigned i = 0; i < ITEMS; i++) {
                before.in[i] = cl_roll(2000);
                before.out[i] = cl_roll(100);
            }
            for (unsigned i = 0; i < CELLS; i++)
                before.cell[0][i] = before.cell[1][i] = cl_roll(3);
            after = before;
            run_kernel(kernel, &after);
            ck_assert_msg(may_be(&before, &after), "seed %lu, launch %u: what no order leaves:\n%s", seed,
                          launch, text);
        }
        cl_ok(clReleaseKernel(kernel));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("speculation_random");
    tcase_add_test(cl_case(suite, "random"), random_kernels);
    return tap_run(suite);
}
