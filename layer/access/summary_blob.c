/* SPDX-License-Identifier: MIT */
/*
 * Access summaries as bytes.
 *
 * A blob is a 24-byte header (magic, version, payload size, checksum; little-endian) and a payload of
 * variable-length integers (7 bits a byte, lowest first; signed ones zigzag) and strings (length, bytes). One
 * routine walks a structure for both directions, so that reader and writer cannot drift apart.
 *
 * Previous stage: the analyser's writer. Next stage: summary.c checks what was read.
 */
#include "layer/access/summary.h"

#include <stdlib.h>
#include <string.h>

#define HEADER_SIZE 24
#define MAGIC       0x4d535843u /* "CXSM" */

/* Memory of a parsed summary: blocks in a list, freed together. */
struct block {
    struct block *next;
    _Alignas(16) unsigned char data[];
};

struct parsed {
    struct cx_summary summary; /* first: the public face */
    struct block *blocks;
};

/* Either direction. Reading: bytes come from [pos, end). Writing: buf grows. The first failure sticks in
 * status. */
struct codec {
    bool writing;
    enum cx_summary_status status;
    const unsigned char *pos, *end;
    struct block **blocks;
    unsigned char *buf;
    size_t used, room;
};

static void fail(struct codec *c, enum cx_summary_status status)
{
    if (c->status == CX_SUMMARY_OK) {
        c->status = status;
    }
}

static void put_byte(struct codec *c, unsigned char byte)
{
    if (c->used == c->room) {
        size_t room = c->room ? c->room * 2 : 1024;
        unsigned char *buf = realloc(c->buf, room);
        if (!buf) {
            fail(c, CX_SUMMARY_NO_MEMORY);
            return;
        }
        c->buf = buf;
        c->room = room;
    }
    c->buf[c->used++] = byte;
}

static void put_unsigned(struct codec *c, uint64_t value)
{
    while (value >= 0x80 && c->status == CX_SUMMARY_OK) {
        put_byte(c, (unsigned char)(value | 0x80));
        value >>= 7;
    }
    put_byte(c, (unsigned char)value);
}

static uint64_t get_unsigned(struct codec *c)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (c->status != CX_SUMMARY_OK || c->pos == c->end) {
            break;
        }
        unsigned char byte = *c->pos++;
        if (shift == 63 && byte > 1) {
            break;
        }
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            return value;
        }
    }
    fail(c, CX_SUMMARY_DAMAGED);
    return 0;
}

static uint64_t walk_unsigned(struct codec *c, uint64_t value, uint64_t max)
{
    if (c->writing) {
        put_unsigned(c, value);
        return value;
    }
    value = get_unsigned(c);
    if (value > max) {
        fail(c, CX_SUMMARY_DAMAGED);
        return 0;
    }
    return value;
}

static int64_t walk_signed(struct codec *c, int64_t value, int64_t min, int64_t max)
{
    uint64_t raw = ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);

    raw = walk_unsigned(c, raw, UINT64_MAX);
    value = (int64_t)(raw >> 1) ^ -(int64_t)(raw & 1);
    if (value < min || value > max) {
        fail(c, CX_SUMMARY_DAMAGED);
        return 0;
    }
    return value;
}

#define WALK_U8(c, field)  ((field) = (uint8_t)walk_unsigned((c), (field), UINT8_MAX))
#define WALK_U16(c, field) ((field) = (uint16_t)walk_unsigned((c), (field), UINT16_MAX))
#define WALK_U32(c, field) ((field) = (uint32_t)walk_unsigned((c), (field), UINT32_MAX))
#define WALK_U64(c, field) ((field) = walk_unsigned((c), (field), UINT64_MAX))
#define WALK_S16(c, field) ((field) = (int16_t)walk_signed((c), (field), INT16_MIN, INT16_MAX))
#define WALK_S32(c, field) ((field) = (int32_t)walk_signed((c), (field), INT32_MIN, INT32_MAX))
#define WALK_S64(c, field) ((field) = walk_signed((c), (field), INT64_MIN, INT64_MAX))

/* Zeroed memory that lives as long as the summary; NULL with the status set when there is none. */
static void *take(struct codec *c, size_t count, size_t size)
{
    struct block *block;

    if (c->status != CX_SUMMARY_OK || count > (SIZE_MAX - sizeof(*block)) / size) {
        fail(c, CX_SUMMARY_DAMAGED);
        return NULL;
    }
    block = calloc(1, sizeof(*block) + count * size);
    if (!block) {
        fail(c, CX_SUMMARY_NO_MEMORY);
        return NULL;
    }
    block->next = *c->blocks;
    *c->blocks = block;
    return block->data;
}

/* A count and, when reading, room for that many elements. Each takes at least a byte, so the rest of the blob
 * bounds it. */
static void *walk_array(struct codec *c, void *array, uint32_t *count, size_t size)
{
    WALK_U32(c, *count);
    if (c->writing) {
        return array;
    }
    if (*count > (size_t)(c->end - c->pos)) {
        fail(c, CX_SUMMARY_DAMAGED);
    }
    array = c->status == CX_SUMMARY_OK ? take(c, *count, size) : NULL;
    if (!array) {
        *count = 0;
    }
    return array;
}

static const char *walk_string(struct codec *c, const char *string)
{
    uint32_t length = c->writing ? (uint32_t)strlen(string) : 0;
    char *copy;

    WALK_U32(c, length);
    if (c->writing) {
        for (uint32_t i = 0; i < length; i++) {
            put_byte(c, (unsigned char)string[i]);
        }
        return string;
    }
    if (length > (size_t)(c->end - c->pos)) {
        fail(c, CX_SUMMARY_DAMAGED);
    }
    copy = c->status == CX_SUMMARY_OK ? take(c, (size_t)length + 1, 1) : NULL;
    if (!copy) {
        return "";
    }
    memcpy(copy, c->pos, length);
    c->pos += length;
    if (memchr(copy, 0, length)) {
        fail(c, CX_SUMMARY_DAMAGED);
    }
    return copy;
}

static void walk_arg(struct codec *c, struct cx_summary_arg *arg)
{
    arg->name = walk_string(c, arg->name);
    arg->type = walk_string(c, arg->type);
    WALK_U32(c, arg->size);
    WALK_U32(c, arg->elem_size);
    WALK_U32(c, arg->store_width);
    WALK_U8(c, arg->kind);
    WALK_U8(c, arg->touch);
}

static void walk_expr(struct codec *c, struct cx_expr *e)
{
    WALK_U8(c, e->op);
    WALK_U8(c, e->width);
    WALK_S32(c, e->a);
    WALK_S32(c, e->b);
    WALK_S64(c, e->imm);
}

static void walk_guard(struct codec *c, struct cx_guard *g)
{
    WALK_U8(c, g->pred);
    WALK_U8(c, g->hint);
    WALK_S32(c, g->l);
    WALK_S32(c, g->r);
}

static void walk_loop(struct codec *c, struct cx_loop *l)
{
    WALK_U32(c, l->guard);
    WALK_U32(c, l->nguard);
    WALK_U32(c, l->line);
    WALK_U8(c, l->single_exit);
    WALK_U32(c, l->times);
    WALK_U32(c, l->steps);
    WALK_S32(c, l->parent);
}

static void walk_access(struct codec *c, struct cx_access_record *r)
{
    WALK_U16(c, r->arg);
    WALK_U8(c, r->mode);
    WALK_U8(c, r->atomic_op);
    WALK_U8(c, r->flags);
    WALK_U8(c, r->width);
    WALK_S32(c, r->off);
    WALK_S32(c, r->len);
    WALK_S64(c, r->skew);
    WALK_U64(c, r->size);
    WALK_U32(c, r->guard);
    WALK_U32(c, r->nguard);
    WALK_U32(c, r->line);
    WALK_U32(c, r->store);
    WALK_U32(c, r->place);
    WALK_U32(c, r->other);
}

static void walk_note(struct codec *c, struct cx_summary_note *n)
{
    WALK_U8(c, n->reason);
    WALK_S16(c, n->arg);
    WALK_U32(c, n->line);
}

static void walk_file(struct codec *c, const char **file)
{
    *file = walk_string(c, *file);
}

#define WALK_ALL(c, array, count, walk)                                                                      \
    do {                                                                                                     \
        (array) = walk_array((c), (array), &(count), sizeof(*(array)));                                      \
        for (uint32_t i_ = 0; i_ < (count) && (c)->status == CX_SUMMARY_OK; i_++) {                          \
            walk((c), &(array)[i_]);                                                                         \
        }                                                                                                    \
    } while (0)

static void walk_kernel(struct codec *c, struct cx_summary_kernel *k)
{
    k->name = walk_string(c, k->name);
    WALK_U32(c, k->flags);
    WALK_U32(c, k->uses);
    WALK_U32(c, k->line);
    WALK_U8(c, k->max_dim);
    for (unsigned d = 0; d < 3; d++) {
        WALK_U32(c, k->reqd_size[d]);
        WALK_U32(c, k->size_hint[d]);
    }
    WALK_U32(c, k->steps);
    WALK_ALL(c, k->file, k->nfile, walk_file);
    WALK_ALL(c, k->note, k->nnote, walk_note);
    WALK_ALL(c, k->arg, k->narg, walk_arg);
    WALK_ALL(c, k->expr, k->nexpr, walk_expr);
    WALK_ALL(c, k->guard, k->nguard, walk_guard);
    WALK_ALL(c, k->loop, k->nloop, walk_loop);
    WALK_ALL(c, k->access, k->naccess, walk_access);
}

static uint64_t checksum(const unsigned char *data, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ data[i]) * 0x100000001b3u;
    }
    return hash;
}

static void put_fixed(unsigned char *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        to[i] = (unsigned char)(value >> (8 * i));
    }
}

static uint64_t get_fixed(const unsigned char *from, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < bytes; i++) {
        value |= (uint64_t)from[i] << (8 * i);
    }
    return value;
}

enum cx_summary_status cx_summary_serialise(const struct cx_summary *summary, void **data, size_t *size)
{
    struct codec c = {.writing = true};
    struct cx_summary copy = *summary; /* the walk assigns every field its own value */

    *data = NULL;
    *size = 0;
    if (!cx_summary_check(summary)) {
        return CX_SUMMARY_DAMAGED;
    }
    for (unsigned i = 0; i < HEADER_SIZE; i++) {
        put_byte(&c, 0);
    }
    WALK_ALL(&c, copy.kernel, copy.nkernel, walk_kernel);
    if (c.status != CX_SUMMARY_OK) {
        free(c.buf);
        return c.status;
    }
    put_fixed(c.buf, MAGIC, 4);
    put_fixed(c.buf + 4, CX_SUMMARY_VERSION, 4);
    put_fixed(c.buf + 8, c.used - HEADER_SIZE, 8);
    put_fixed(c.buf + 16, checksum(c.buf + HEADER_SIZE, c.used - HEADER_SIZE), 8);
    *data = c.buf;
    *size = c.used;
    return CX_SUMMARY_OK;
}

static enum cx_summary_status check_header(const unsigned char *data, size_t size)
{
    if (size < 8 || get_fixed(data, 4) != MAGIC || get_fixed(data + 4, 4) != CX_SUMMARY_VERSION) {
        return CX_SUMMARY_FOREIGN;
    }
    if (size < HEADER_SIZE || get_fixed(data + 8, 8) != size - HEADER_SIZE ||
        get_fixed(data + 16, 8) != checksum(data + HEADER_SIZE, size - HEADER_SIZE)) {
        return CX_SUMMARY_DAMAGED;
    }
    return CX_SUMMARY_OK;
}

enum cx_summary_status cx_summary_parse(const void *data, size_t size, struct cx_summary **out)
{
    struct codec c = {.status = data ? check_header(data, size) : CX_SUMMARY_FOREIGN};
    struct parsed *parsed;
    struct cx_summary *summary;

    *out = NULL;
    if (c.status != CX_SUMMARY_OK) {
        return c.status;
    }
    parsed = calloc(1, sizeof(*parsed));
    if (!parsed) {
        return CX_SUMMARY_NO_MEMORY;
    }
    c.pos = (const unsigned char *)data + HEADER_SIZE;
    c.end = (const unsigned char *)data + size;
    c.blocks = &parsed->blocks;
    summary = &parsed->summary;
    WALK_ALL(&c, summary->kernel, summary->nkernel, walk_kernel);
    if (c.status == CX_SUMMARY_OK && (c.pos != c.end || !cx_summary_check(summary))) {
        c.status = CX_SUMMARY_DAMAGED;
    }
    if (c.status != CX_SUMMARY_OK) {
        cx_summary_destroy(&summary);
        return c.status;
    }
    *out = summary;
    return CX_SUMMARY_OK;
}

void cx_summary_destroy(struct cx_summary **summary)
{
    struct parsed *parsed = summary ? (struct parsed *)*summary : NULL;

    if (!parsed) {
        return;
    }
    while (parsed->blocks) {
        struct block *next = parsed->blocks->next;
        free(parsed->blocks);
        parsed->blocks = next;
    }
    free(parsed);
    *summary = NULL;
}
