/* SPDX-License-Identifier: MIT */
/*
 * Containers: header (mark, checksum), then numbers of eight bytes, lowest first, and runs of bytes, each
 * behind its length plus one (0: there is none). The checksum covers everything behind it.
 */
#include "layer/program/container.h"
#include "layer/base/checksum.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "coexec program\r\n" /* a transfer that rewrites line ends is noticed at once */

enum { MAGIC_SIZE = 16, HEADER_SIZE = MAGIC_SIZE + CX_CHECKSUM_SIZE, NUMBER_SIZE = 8, TEXT_SIZE = 32 };

void cx_container_seal(unsigned char *data, size_t size)
{
    if (size >= HEADER_SIZE)
        cx_checksum(data + HEADER_SIZE, size - HEADER_SIZE, data + MAGIC_SIZE);
}

/* ---- writing: once to count, once to copy ---- */

struct writer {
    unsigned char *at; /* NULL: only counts */
    size_t size;
};

static void put_number(struct writer *writer, uint64_t value)
{
    for (unsigned i = 0; writer->at && i < NUMBER_SIZE; i++)
        *writer->at++ = (unsigned char)(value >> (8 * i));
    writer->size += NUMBER_SIZE;
}

static void put_bytes(struct writer *writer, const struct cx_container_bytes *bytes)
{
    put_number(writer, bytes->data ? (uint64_t)bytes->size + 1 : 0);
    if (writer->at && bytes->data && bytes->size) {
        memcpy(writer->at, bytes->data, bytes->size);
        writer->at += bytes->size;
    }
    writer->size += bytes->data ? bytes->size : 0;
}

static void put_all(struct writer *writer, const struct cx_container *container)
{
    put_number(writer, CX_CONTAINER_VERSION);
    put_number(writer, container->type);
    put_bytes(writer, &container->source);
    put_bytes(writer, &container->options);
    put_number(writer, container->nparts);
    for (unsigned i = 0; i < container->nparts; i++) {
        const struct cx_container_part *part = &container->part[i];
        put_bytes(writer, &part->device);
        put_bytes(writer, &part->binary);
        put_bytes(writer, &part->summary);
        put_bytes(writer, &part->text);
    }
}

unsigned char *cx_container_write(const struct cx_container *container, size_t *size)
{
    struct writer writer = {.size = HEADER_SIZE};

    put_all(&writer, container);
    *size = writer.size;
    unsigned char *data = malloc(*size);
    if (!data)
        return NULL;
    memcpy(data, MAGIC, MAGIC_SIZE);
    writer = (struct writer){.at = data + HEADER_SIZE};
    put_all(&writer, container);
    cx_container_seal(data, *size);
    return data;
}

/* ---- reading ---- */

struct reader {
    const unsigned char *at;
    size_t left;
    bool bad;
};

static uint64_t get_number(struct reader *reader)
{
    uint64_t value = 0;

    if (reader->left < NUMBER_SIZE)
        reader->bad = true;
    for (unsigned i = 0; !reader->bad && i < NUMBER_SIZE; i++)
        value |= (uint64_t)reader->at[i] << (8 * i);
    if (!reader->bad) {
        reader->at += NUMBER_SIZE;
        reader->left -= NUMBER_SIZE;
    }
    return value;
}

static struct cx_container_bytes get_bytes(struct reader *reader)
{
    struct cx_container_bytes bytes = {0};
    uint64_t size = get_number(reader);

    if (size == 0)
        return bytes;
    if (--size > reader->left) {
        reader->bad = true;
        return bytes;
    }
    bytes = (struct cx_container_bytes){reader->at, (size_t)size};
    reader->at += size;
    reader->left -= (size_t)size;
    return bytes;
}

/* A text has no 0 in it: it becomes a string of C. */
static struct cx_container_bytes get_text(struct reader *reader)
{
    struct cx_container_bytes text = get_bytes(reader);

    if (text.size && memchr(text.data, 0, text.size))
        reader->bad = true;
    return text;
}

bool cx_container_marked(const void *data, size_t size)
{
    return size >= MAGIC_SIZE && memcmp(data, MAGIC, MAGIC_SIZE) == 0;
}

bool cx_container_read(const void *data, size_t size, struct cx_container *container)
{
    const unsigned char *bytes = data;
    unsigned char sum[CX_CHECKSUM_SIZE];

    *container = (struct cx_container){0};
    if (size < HEADER_SIZE || !cx_container_marked(data, size))
        return false;
    cx_checksum(bytes + HEADER_SIZE, size - HEADER_SIZE, sum);
    if (memcmp(bytes + MAGIC_SIZE, sum, CX_CHECKSUM_SIZE) != 0)
        return false;
    struct reader reader = {.at = bytes + HEADER_SIZE, .left = size - HEADER_SIZE};
    if (get_number(&reader) != CX_CONTAINER_VERSION)
        return false;
    uint64_t type = get_number(&reader);
    container->type = (uint32_t)type;
    container->source = get_text(&reader);
    container->options = get_text(&reader);
    uint64_t nparts = get_number(&reader);
    if (reader.bad || type > UINT32_MAX || nparts > CX_CONTAINER_PARTS || !container->options.data)
        return false;
    container->nparts = (unsigned)nparts;
    for (unsigned i = 0; i < container->nparts; i++) {
        struct cx_container_part *part = &container->part[i];
        part->device = get_text(&reader);
        part->binary = get_bytes(&reader);
        part->summary = get_bytes(&reader);
        part->text = get_bytes(&reader);
        if (!part->device.data || (part->text.data && part->text.size != TEXT_SIZE))
            reader.bad = true;
    }
    return !reader.bad && reader.left == 0;
}
