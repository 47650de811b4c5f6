/* SPDX-License-Identifier: MIT */
/* Tables of names; what is in none of them and not declared free of memory accesses is unknown. */
#include "layer/analyser/builtin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct name {
    char base[64];      /* cut off where longer; no built-in is */
    const char *params; /* mangled parameter types, "" where the name is not mangled */
};

static void demangle(const char *mangled, struct name *name)
{
    char *end;
    unsigned long length;

    name->params = "";
    if (strncmp(mangled, "_Z", 2) == 0 && isdigit((unsigned char)mangled[2])) {
        length = strtoul(mangled + 2, &end, 10);
        if (length <= strlen(end)) {
            name->params = end + length;
            length = length < sizeof(name->base) ? length : sizeof(name->base) - 1;
            memcpy(name->base, end, length);
            name->base[length] = 0;
            return;
        }
    }
    length = strnlen(mangled, sizeof(name->base) - 1);
    memcpy(name->base, mangled, length);
    name->base[length] = 0;
}

static bool starts(const char *string, const char *prefix)
{
    return strncmp(string, prefix, strlen(prefix)) == 0;
}

/* Bytes of a mangled scalar or vector type as it lies in memory; 0 where not known. */
static uint32_t type_bytes(const char *type)
{
    if (starts(type, "Dv")) {
        char *end;
        unsigned long lanes = strtoul(type + 2, &end, 10);
        lanes = lanes == 3 ? 4 : lanes;
        return *end == '_' && lanes <= 16 ? (uint32_t)lanes * type_bytes(end + 1) : 0;
    }
    if (starts(type, "Dh")) {
        return 2;
    }
    switch (*type) {
    case 'c':
    case 'a':
    case 'h':
        return 1;
    case 's':
    case 't':
        return 2;
    case 'i':
    case 'j':
    case 'f':
        return 4;
    case 'l':
    case 'm':
    case 'd':
        return 8;
    default:
        return 0;
    }
}

/* The type the first pointer in a parameter list points to: after P, address space, qualifiers. NULL: no
 * pointer. */
static const char *pointee(const char *params)
{
    const char *at = strchr(params, 'P');

    if (!at) {
        return NULL;
    }
    at++;
    for (;;) {
        if (starts(at, "U3AS")) {
            at += 4;
            while (isdigit((unsigned char)*at)) {
                at++;
            }
        } else if (starts(at, "U7_Atomic")) {
            at += 9;
        } else if (*at == 'V' || *at == 'K') {
            at++;
        } else {
            return at;
        }
    }
}

static const struct {
    const char *name;
    uint32_t use;
    enum cx_expr_op leaf;
} work_item[] = {
    {"get_global_id", CX_USE_GLOBAL_ID, CX_EXPR_GLOBAL_ID},
    {"get_local_id", CX_USE_LOCAL_ID, CX_EXPR_LOCAL_ID},
    {"get_group_id", CX_USE_GROUP_ID, CX_EXPR_GROUP_ID},
    {"get_global_size", CX_USE_GLOBAL_SIZE, CX_EXPR_GLOBAL_SIZE},
    {"get_local_size", CX_USE_LOCAL_SIZE, CX_EXPR_LOCAL_SIZE},
    {"get_enqueued_local_size", CX_USE_ENQUEUED_LOCAL_SIZE, CX_EXPR_ENQ_LOCAL_SIZE},
    {"get_num_groups", CX_USE_NUM_GROUPS, CX_EXPR_NUM_GROUPS},
    {"get_global_offset", CX_USE_GLOBAL_OFFSET, CX_EXPR_GLOBAL_OFFSET},
    {"get_work_dim", CX_USE_WORK_DIM, CX_EXPR_WORK_DIM},
};

static bool classify_work_item(const struct name *n, struct cx_builtin *b)
{
    for (size_t i = 0; i < sizeof(work_item) / sizeof(*work_item); i++) {
        if (strcmp(n->base, work_item[i].name) == 0) {
            b->kind = CX_BUILTIN_WORK_ITEM;
            b->use = work_item[i].use;
            b->leaf = work_item[i].leaf;
            return true;
        }
    }
    if (strcmp(n->base, "get_global_linear_id") == 0 || strcmp(n->base, "get_local_linear_id") == 0) {
        b->kind = CX_BUILTIN_LINEAR_ID;
        b->use = n->base[4] == 'g' ? CX_USE_GLOBAL_LINEAR_ID : CX_USE_LOCAL_LINEAR_ID;
        return true;
    }
    if (strstr(n->base, "sub_group") && starts(n->base, "get_")) {
        b->kind = CX_BUILTIN_SUB_GROUP;
        b->use = CX_USE_SUB_GROUP;
        return true;
    }
    return false;
}

static const struct {
    const char *name;
    enum cx_builtin_integer op;
} integer[] = {
    {"min", CX_INTEGER_MIN},       {"max", CX_INTEGER_MAX},     {"clamp", CX_INTEGER_CLAMP},
    {"abs", CX_INTEGER_ABS},       {"mul24", CX_INTEGER_MUL24}, {"mad24", CX_INTEGER_MAD24},
    {"select", CX_INTEGER_SELECT},
};

/* The scalar type letter of the first parameter. */
static char first_letter(const char *params)
{
    if (starts(params, "Dv")) {
        params = strchr(params, '_');
        return params ? params[1] : 0;
    }
    return *params;
}

static bool classify_integer(const struct name *n, struct cx_builtin *b)
{
    char type = first_letter(n->params);

    if (!type || !strchr("cahstijlm", type)) {
        return false;
    }
    b->is_signed = strchr("casil", type) != NULL;
    for (size_t i = 0; i < sizeof(integer) / sizeof(*integer); i++) {
        if (strcmp(n->base, integer[i].name) == 0) {
            b->kind = CX_BUILTIN_INTEGER;
            b->integer = integer[i].op;
            return true;
        }
    }
    if (starts(n->base, "convert_") && !strstr(n->base, "_sat") && !strstr(n->base, "float") &&
        !strstr(n->base, "double") && !strstr(n->base, "half")) {
        b->kind = CX_BUILTIN_INTEGER;
        b->integer = CX_INTEGER_CONVERT;
        return true;
    }
    return false;
}

/* vloadN, vload_half, vload_halfN, vloada_halfN and the stores, with rounding suffixes. */
static bool classify_vector(const struct name *n, struct cx_builtin *b)
{
    const char *rest = n->base, *type;
    bool aligned = false, half = false;

    if (!starts(rest, "vload") && !starts(rest, "vstore")) {
        return false;
    }
    b->kind = rest[1] == 'l' ? CX_BUILTIN_VLOAD : CX_BUILTIN_VSTORE;
    rest += rest[1] == 'l' ? 5 : 6;
    if (*rest == 'a') {
        aligned = true;
        rest++;
    }
    if (starts(rest, "_half")) {
        half = true;
        rest += 5;
    }
    b->lanes = isdigit((unsigned char)*rest) ? (uint32_t)strtoul(rest, NULL, 10) : 1;
    type = strrchr(n->params, 'P');
    type = type ? pointee(type) : NULL;
    b->elem = !type ? 0 : half ? 2 : type_bytes(type);
    b->pitch = aligned && b->lanes == 3 ? 4 : b->lanes;
    if (b->elem == 0 || b->lanes == 0 || b->lanes > 16) {
        b->kind = CX_BUILTIN_UNKNOWN;
    }
    return true;
}

static const struct {
    const char *name;
    enum cx_atomic_op op;
} atomic_names[] = {
    {"add", CX_ATOMIC_ADD}, {"sub", CX_ATOMIC_SUB}, {"inc", CX_ATOMIC_INC},
    {"dec", CX_ATOMIC_DEC}, {"min", CX_ATOMIC_MIN}, {"max", CX_ATOMIC_MAX},
    {"and", CX_ATOMIC_AND}, {"or", CX_ATOMIC_OR},   {"xor", CX_ATOMIC_XOR},
};

static bool classify_atomic(const struct name *n, struct cx_builtin *b)
{
    const char *op = n->base, *type = pointee(n->params);
    size_t length;

    if (strcmp(op, "atomic_work_item_fence") == 0) {
        b->kind = CX_BUILTIN_FENCE;
        return true;
    }
    if (!starts(op, "atomic_") && !starts(op, "atom_")) {
        return false;
    }
    op += starts(op, "atomic_") ? 7 : 5;
    b->exchange = strcmp(op, "cmpxchg") == 0 ? CX_EXCHANGE_COMPARE
                  : strcmp(op, "xchg") == 0  ? CX_EXCHANGE_ALWAYS
                                             : CX_EXCHANGE_NONE;
    if (starts(op, "fetch_")) {
        op += 6;
        b->order = strstr(op, "_explicit") ? CX_ORDER_EXPLICIT : CX_ORDER_IMPLIED;
    }
    length = strcspn(op, "_");
    b->loads = length == 4 && strncmp(op, "load", 4) == 0;
    b->kind = CX_BUILTIN_ATOMIC;
    b->elem = type ? type_bytes(type) : 0;
    b->atomic_op = CX_ATOMIC_OTHER;
    for (size_t i = 0; i < sizeof(atomic_names) / sizeof(*atomic_names); i++) {
        if (strlen(atomic_names[i].name) == length && strncmp(op, atomic_names[i].name, length) == 0) {
            b->atomic_op = atomic_names[i].op;
        }
    }
    if (type && (*type == 'j' || *type == 'm') && b->atomic_op == CX_ATOMIC_MIN) {
        b->atomic_op = CX_ATOMIC_UMIN;
    } else if (type && (*type == 'j' || *type == 'm') && b->atomic_op == CX_ATOMIC_MAX) {
        b->atomic_op = CX_ATOMIC_UMAX;
    } else if (type && (*type == 'f' || *type == 'd' || starts(type, "Dh"))) {
        bool sum = b->atomic_op == CX_ATOMIC_ADD || b->atomic_op == CX_ATOMIC_SUB;
        b->atomic_op = sum ? CX_ATOMIC_FADD : CX_ATOMIC_OTHER;
    }
    return true;
}

static bool classify_async(const struct name *n, struct cx_builtin *b)
{
    const char *type = pointee(n->params);

    if (strcmp(n->base, "async_work_group_copy") == 0) {
        b->kind = CX_BUILTIN_ASYNC_COPY;
    } else if (strcmp(n->base, "async_work_group_strided_copy") == 0) {
        b->kind = CX_BUILTIN_ASYNC_STRIDED;
    } else {
        return false;
    }
    b->elem = type ? type_bytes(type) : 0;
    if (b->elem == 0) {
        b->kind = CX_BUILTIN_UNKNOWN;
    }
    return true;
}

static const struct {
    const char *name;
    enum cx_image_query query;
} image_queries[] = {
    {"get_image_width", CX_IMAGE_WIDTH},
    {"get_image_height", CX_IMAGE_HEIGHT},
    {"get_image_depth", CX_IMAGE_DEPTH},
    {"get_image_dim", CX_IMAGE_QUERY_COUNT},
    {"get_image_array_size", CX_IMAGE_ARRAY_SIZE},
    {"get_image_channel_data_type", CX_IMAGE_CHANNEL_TYPE},
    {"get_image_channel_order", CX_IMAGE_CHANNEL_ORDER},
};

/* The image type's name is in the mangled parameters: ocl_image2d_array_wo and the like. */
static bool classify_image(const struct name *n, struct cx_builtin *b)
{
    static const char *const formats[] = {"f", "i", "ui", "h"};
    bool read = starts(n->base, "read_image"), write = starts(n->base, "write_image"), known = false;
    const char *type = strstr(n->params, "ocl_image");

    for (size_t i = 0; i < sizeof(image_queries) / sizeof(*image_queries); i++) {
        if (strcmp(n->base, image_queries[i].name) == 0) {
            b->kind = CX_BUILTIN_IMAGE_QUERY;
            b->query = image_queries[i].query;
            return true;
        }
    }
    for (size_t i = 0; (read || write) && i < sizeof(formats) / sizeof(*formats); i++) {
        known |= strcmp(n->base + (read ? 10 : 11), formats[i]) == 0;
    }
    if (!known) {
        return false;
    }
    b->kind = read ? CX_BUILTIN_IMAGE_READ : CX_BUILTIN_IMAGE_WRITE;
    b->image.layers = type && starts(type + 11, "_array");
    b->image.samples = type && strstr(type, "_msaa") != NULL;
    b->image.sampler = strstr(n->params, "ocl_sampler") != NULL;
    if (type && type[9] >= '1' && type[9] <= '3' && type[10] == 'd') {
        b->image.coordinates = (uint8_t)(type[9] - '0' + b->image.layers);
    }
    return true;
}

/* All other names. */
static const struct {
    const char *prefix;
    enum cx_builtin_kind kind;
} prefixes[] = {
    {"barrier", CX_BUILTIN_BARRIER},
    {"work_group_barrier", CX_BUILTIN_BARRIER},
    {"sub_group_barrier", CX_BUILTIN_IGNORE},
    {"mem_fence", CX_BUILTIN_IGNORE}, /* orders the accesses of one work-item, no one else's */
    {"read_mem_fence", CX_BUILTIN_IGNORE},
    {"write_mem_fence", CX_BUILTIN_IGNORE},
    {"wait_group_events", CX_BUILTIN_IGNORE},
    {"prefetch", CX_BUILTIN_IGNORE},
    {"work_group_reserve_", CX_BUILTIN_PIPE},
    {"work_group_commit_", CX_BUILTIN_PIPE},
    {"work_group_all", CX_BUILTIN_COLLECTIVE},
    {"work_group_any", CX_BUILTIN_COLLECTIVE},
    {"work_group_broadcast", CX_BUILTIN_COLLECTIVE},
    {"work_group_reduce_", CX_BUILTIN_COLLECTIVE},
    {"work_group_scan_", CX_BUILTIN_COLLECTIVE},
    {"sub_group_reduce_", CX_BUILTIN_COLLECTIVE},
    {"sub_group_scan_", CX_BUILTIN_COLLECTIVE},
    {"sub_group_broadcast", CX_BUILTIN_COLLECTIVE},
    {"sub_group_all", CX_BUILTIN_COLLECTIVE},
    {"sub_group_any", CX_BUILTIN_COLLECTIVE},
    {"get_image_num_", CX_BUILTIN_PURE},
    {"printf", CX_BUILTIN_PRINTF},
    {"__enqueue_", CX_BUILTIN_ENQUEUE},
    {"enqueue_", CX_BUILTIN_ENQUEUE},
    {"get_default_queue", CX_BUILTIN_ENQUEUE},
    {"create_user_event", CX_BUILTIN_ENQUEUE},
    {"set_user_event_status", CX_BUILTIN_ENQUEUE},
    {"retain_event", CX_BUILTIN_ENQUEUE},
    {"release_event", CX_BUILTIN_ENQUEUE},
    {"is_valid_event", CX_BUILTIN_ENQUEUE},
    {"capture_event_profiling_info", CX_BUILTIN_ENQUEUE},
    {"__get_kernel_", CX_BUILTIN_ENQUEUE},
    {"get_kernel_", CX_BUILTIN_ENQUEUE},
    {"__read_pipe_", CX_BUILTIN_PIPE},
    {"__write_pipe_", CX_BUILTIN_PIPE},
    {"__reserve_", CX_BUILTIN_PIPE},
    {"__commit_", CX_BUILTIN_PIPE},
    {"__work_group_", CX_BUILTIN_PIPE},
    {"__sub_group_", CX_BUILTIN_PIPE},
    {"__get_pipe_", CX_BUILTIN_PIPE},
    {"is_valid_reserve_id", CX_BUILTIN_PIPE},
    {"__to_", CX_BUILTIN_SAME_POINTER},
    {"to_global", CX_BUILTIN_SAME_POINTER},
    {"to_local", CX_BUILTIN_SAME_POINTER},
    {"to_private", CX_BUILTIN_SAME_POINTER},
    {"get_fence", CX_BUILTIN_PURE},
    {"__translate_sampler_initializer", CX_BUILTIN_PURE},
    {"fract", CX_BUILTIN_OUT_POINTER},
    {"frexp", CX_BUILTIN_OUT_POINTER},
    {"modf", CX_BUILTIN_OUT_POINTER},
    {"sincos", CX_BUILTIN_OUT_POINTER},
    {"remquo", CX_BUILTIN_OUT_POINTER},
    {"lgamma_r", CX_BUILTIN_OUT_POINTER},
    {"llvm.memcpy.", CX_BUILTIN_MEMCPY},
    {"llvm.memmove.", CX_BUILTIN_MEMCPY},
    {"llvm.memset.", CX_BUILTIN_MEMSET},
    {"llvm.lifetime.", CX_BUILTIN_IGNORE},
    {"llvm.dbg.", CX_BUILTIN_IGNORE},
    {"llvm.assume", CX_BUILTIN_IGNORE},
    {"llvm.invariant.", CX_BUILTIN_IGNORE},
    {"llvm.experimental.noalias.", CX_BUILTIN_IGNORE},
    {"llvm.prefetch.", CX_BUILTIN_IGNORE},
    {"llvm.trap", CX_BUILTIN_IGNORE},
    {"llvm.debugtrap", CX_BUILTIN_IGNORE},
};

/*
 * A table entry that ends in '_' or '.' stands for all names that begin with it, others for themselves.
 * Built-ins proper are mangled; a function of the program that merely has such a name is not.
 */
static bool matches(const struct name *n, const char *entry)
{
    char last = entry[strlen(entry) - 1];

    if (last == '_' || last == '.') {
        return starts(n->base, entry);
    }
    return strcmp(n->base, entry) == 0;
}

static bool classify_prefix(const struct name *n, struct cx_builtin *b)
{
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
        if (!matches(n, prefixes[i].prefix)) {
            continue;
        }
        b->kind = prefixes[i].kind;
        return true;
    }
    return false;
}

static bool classify_intrinsic(const char *name, struct cx_builtin *b)
{
    static const struct {
        const char *prefix;
        enum cx_builtin_integer op;
        bool is_signed;
    } table[] = {
        {"llvm.smin.", CX_INTEGER_MIN, true},  {"llvm.smax.", CX_INTEGER_MAX, true},
        {"llvm.umin.", CX_INTEGER_MIN, false}, {"llvm.umax.", CX_INTEGER_MAX, false},
        {"llvm.abs.", CX_INTEGER_ABS, true},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        if (starts(name, table[i].prefix)) {
            b->kind = CX_BUILTIN_INTEGER;
            b->integer = table[i].op;
            b->is_signed = table[i].is_signed;
            return true;
        }
    }
    return false;
}

bool cx_builtin_touches_nothing(LLVMValueRef function)
{
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
    unsigned readnone = LLVMGetEnumAttributeKindForName("readnone", 8);
    LLVMAttributeRef found;

    /* LLVM 16 and later: "memory" with two bits (read, write) for each kind of location; earlier: "readnone"
     */
    found = memory ? LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, memory) : NULL;
    if (found) {
        return LLVMGetEnumAttributeValue(found) == 0;
    }
    return readnone && LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, readnone);
}

struct cx_builtin cx_builtin_classify(LLVMValueRef function)
{
    struct cx_builtin b = {.kind = CX_BUILTIN_UNKNOWN};
    size_t length;
    const char *mangled = LLVMGetValueName2(function, &length);
    struct name n;

    demangle(mangled, &n);
    if (classify_intrinsic(mangled, &b) || classify_work_item(&n, &b) || classify_vector(&n, &b) ||
        classify_atomic(&n, &b) || classify_async(&n, &b) || classify_integer(&n, &b) ||
        classify_image(&n, &b) || classify_prefix(&n, &b)) {
        return b;
    }
    if (cx_builtin_touches_nothing(function)) {
        b.kind = CX_BUILTIN_PURE;
        b.is_fma = strcmp(n.base, "mad") == 0 || strcmp(n.base, "fma") == 0 ||
                   starts(mangled, "llvm.fmuladd.") || starts(mangled, "llvm.fma.");
        b.test = !starts(n.params, "Dv")      ? CX_LANES_NONE
                 : strcmp(n.base, "any") == 0 ? CX_LANES_ANY
                 : strcmp(n.base, "all") == 0 ? CX_LANES_ALL
                                              : CX_LANES_NONE;
    }
    return b;
}
