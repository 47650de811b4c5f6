/* SPDX-License-Identifier: MIT */
/* The inside of the interpreter: generator_run.c (statements), generator_eval.c (values), generator_touch.c
 * (memory). */
#ifndef CX_TESTS_ANALYSER_GENERATOR_RUN_H
#define CX_TESTS_ANALYSER_GENERATOR_RUN_H

#include "generator.h"

enum item_state { RUNS, BREAKS, CONTINUES, RETURNED };

/* Where a byte was last used, to find work-items that race for it. */
struct last_use {
    int32_t writer, reader; /* work-items, -1: none, -2: several */
    int32_t wgroup, rgroup; /* -2: several */
    uint32_t wepoch, repoch;
    uint8_t family; /* 1 + of the atomic, 0: plain store */
    uint8_t type;   /* 1 + element last stored, 0: any */
};

struct pointer {
    int param;
    int64_t offset;
};

struct run {
    const struct gen_kernel *k;
    const struct gen_launch *l;
    struct gen_record *rec;
    uint64_t group[3], lid[GEN_ITEMS][3], local[3];
    unsigned nitem;
    uint64_t group_index; /* of the record */
    uint32_t epoch;       /* barriers so far */
    unsigned long steps;
    int64_t var[GEN_VARS][GEN_ITEMS];
    struct pointer ptr[GEN_PTRS][GEN_ITEMS];
    int32_t mine[GEN_PRIVATE][GEN_ITEMS];
    uint8_t state[GEN_ITEMS];
    unsigned char local_data[GEN_LOCALS][1024];
    bool local_set[GEN_LOCALS][1024];
    struct last_use local_use[GEN_LOCALS][1024];
    struct last_use *use[GEN_PARAMS]; /* by object */
};

/* The work-items that take part. */
struct team {
    unsigned count;
    uint8_t item[GEN_ITEMS];
};

void run_undefined(struct run *r, const char *why);
void run_body(struct run *r, int body, const struct team *team);

int64_t run_convert(unsigned type, int64_t value);
unsigned run_common(unsigned a, unsigned b);
/* a op b with operands of type `type` (of shifts: the left one's). */
int64_t run_binary(struct run *r, unsigned op, unsigned type, int64_t a, int64_t b);
int64_t run_eval(struct run *r, int expr, unsigned item);
int64_t run_helper(struct run *r, unsigned helper, int a, int b, int ref, unsigned item);

/* Where a reference points to; false where it is outside. size 0: only the address. */
bool run_address(struct run *r, int ref, unsigned item, struct pointer *at);
int64_t run_get(unsigned scalar, const unsigned char *from);
void run_put(unsigned scalar, unsigned char *to, int64_t value);

/* In place of a type: bytes of no one type. */
enum { ANY_TYPE = 255 };
void run_stored(struct run *r, int param, unsigned unit);
/* Bytes read or written there, noted; NULL where they are outside. family: as in last_use. */
unsigned char *run_touch(struct run *r, struct pointer at, unsigned size, unsigned how, unsigned type,
                         unsigned family, int item);
unsigned char *run_touch_local(struct run *r, int array, uint64_t index, unsigned how, unsigned family,
                               int item);
int64_t run_load(struct run *r, int ref, unsigned item);
void run_store(struct run *r, int ref, unsigned op, int value, unsigned item);

int64_t run_image_read(struct run *r, const struct gen_expr *e, unsigned item);
int64_t run_image_size(struct run *r, const struct gen_expr *e);
void run_image_write(struct run *r, const struct gen_stmt *s, unsigned item);

#endif
