/* SPDX-License-Identifier: MIT */
/*
 * coexec info --json: the same facts as coexec_info.c as one JSON object.
 */
#include "tools/coexec_info.h"
#include "tools/coexec.h"
#include "layer/options.h"

#include <json-c/json.h>

/* Adding takes the value over; a value that could not be made shows as null. */
static void add(struct json_object *object, const char *key, struct json_object *value)
{
    if (json_object_object_add(object, key, value) != 0)
        json_object_put(value);
}

static void add_text(struct json_object *object, const char *key, const char *text)
{
    add(object, key, text ? json_object_new_string(text) : NULL);
}

static void add_number(struct json_object *object, const char *key, cl_ulong number)
{
    add(object, key, json_object_new_uint64(number));
}

static void add_bool(struct json_object *object, const char *key, bool value)
{
    add(object, key, json_object_new_boolean(value));
}

static void append(struct json_object *array, struct json_object *value)
{
    if (json_object_array_add(array, value) != 0)
        json_object_put(value);
}

static struct json_object *device_object(const struct cx_machine *machine,
                                         const struct cx_real_device *device)
{
    struct json_object *object = json_object_new_object(), *sizes = json_object_new_array();
    for (unsigned i = 0; i < 3; i++)
        append(sizes, json_object_new_uint64(device->max_item_sizes[i]));
    add_number(object, "index", device->index);
    add_text(object, "name", device->name);
    add_text(object, "type", cx_type_name(device->type));
    add_bool(object, "used", device->used);
    add_text(object, "left_out", device->used ? NULL : cx_device_standing(device));
    add_bool(object, "fastest", device == machine->fastest);
    add_bool(object, "sub_device", device->is_sub_device);
    add(object, "nominal_gflops", json_object_new_double(device->nominal_gflops));
    add_number(object, "compute_units", device->compute_units);
    add_number(object, "clock_mhz", device->clock_mhz);
    add_number(object, "opencl_version", device->version_number);
    add_text(object, "opencl_c_version", device->opencl_c_version);
    add_number(object, "address_bits", device->address_bits);
    add_number(object, "global_memory", device->global_mem);
    add_number(object, "max_allocation", device->max_alloc);
    add_number(object, "local_memory", device->local_mem);
    add_number(object, "max_group_size", device->max_group_size);
    add(object, "max_item_sizes", sizes);
    add_text(object, "extensions", device->extensions);
    add_text(object, "platform", device->platform->name);
    add_text(object, "platform_version", device->platform->version);
    add_text(object, "driver", device->platform->driver);
    add(object, "submits_in_caller",
        device->probed ? json_object_new_boolean(device->submits_in_caller) : NULL);
    add(object, "in_place", device->probed ? json_object_new_boolean(device->in_place) : NULL);
    return object;
}

static struct json_object *virtual_object(const struct cx_device *device)
{
    struct json_object *object = device ? json_object_new_object() : NULL;
    if (!device)
        return NULL;
    add_text(object, "name", device->name);
    add_text(object, "type", cx_type_name(device->type));
    add_text(object, "extensions", device->extensions);
    add_number(object, "global_memory", device->global_mem);
    add_number(object, "max_allocation", device->max_alloc);
    add_number(object, "local_memory", device->local_mem);
    add_number(object, "max_group_size", device->max_group_size);
    add_number(object, "base_align_bits", device->base_align_bits);
    return object;
}

static struct json_object *options_array(void)
{
    const struct cx_option_row *rows;
    size_t count = cx_options_rows(&rows);
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < count; i++) {
        struct json_object *object = json_object_new_object();
        add_text(object, "name", rows[i].name);
        add_text(object, "value", rows[i].value);
        add_text(object, "origin", rows[i].origin);
        add_text(object, "default", rows[i].fallback);
        add_text(object, "accepted", rows[i].accepted);
        add_text(object, "help", rows[i].help);
        append(array, object);
    }
    return array;
}

int cx_info_json(const struct cx_machine *machine, const struct cx_device *device)
{
    struct json_object *root = json_object_new_object();
    struct json_object *devices = json_object_new_array(), *notes = json_object_new_array();
    for (unsigned i = 0; i < machine->ndevices; i++)
        append(devices, device_object(machine, &machine->devices[i]));
    for (unsigned i = 0; i < machine->nnotes; i++)
        append(notes, json_object_new_string(machine->notes[i]));
    add_text(root, "version", CX_VERSION);
    add(root, "devices", devices);
    add_text(root, "searched", machine->searched);
    add(root, "notes", notes);
    add(root, "virtual_device", virtual_object(device));
    add(root, "options", options_array());
    add_text(root, "cache_dir", cx_options_cache_dir());
    const char *text =
        json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);
    if (text)
        puts(text);
    json_object_put(root);
    return text ? CX_EXIT_OK : CX_EXIT_FAILED;
}
