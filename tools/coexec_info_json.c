/* SPDX-License-Identifier: MIT */
/*
 * coexec info --json: the same facts as coexec_info.c as one JSON object.
 */
#include "tools/coexec_info.h"
#include "tools/coexec_links.h"
#include "tools/coexec.h"
#include "tools/coexec_json.h"
#include "layer/base/options.h"

#include <string.h>

static struct json_object *device_object(const struct cx_machine *machine,
                                         const struct cx_real_device *device)
{
    struct json_object *object = json_object_new_object(), *sizes = json_object_new_array();
    for (unsigned i = 0; i < 3; i++)
        cx_json_append(sizes, json_object_new_uint64(device->limits.max_item_sizes[i]));
    cx_json_add_count(object, "index", device->index);
    cx_json_add_text(object, "name", device->name);
    cx_json_add_text(object, "type", cx_type_name(device->type));
    cx_json_add_bool(object, "used", device->used);
    cx_json_add_text(object, "left_out", device->used ? NULL : cx_device_standing(device));
    cx_json_add_bool(object, "fastest", device == machine->fastest);
    cx_json_add_bool(object, "sub_device", device->is_sub_device);
    cx_json_add_number(object, "nominal_gflops", device->nominal_gflops);
    cx_json_add_count(object, "compute_units", device->compute_units);
    cx_json_add_count(object, "clock_mhz", device->clock_mhz);
    cx_json_add_count(object, "opencl_version", device->version_number);
    cx_json_add_text(object, "opencl_c_version", device->opencl_c_version);
    cx_json_add_count(object, "address_bits", device->limits.address_bits);
    cx_json_add_count(object, "global_memory", device->limits.global_mem);
    cx_json_add_count(object, "max_allocation", device->limits.max_alloc);
    cx_json_add_count(object, "local_memory", device->limits.local_mem);
    cx_json_add_count(object, "max_group_size", device->limits.max_group_size);
    cx_json_add(object, "max_item_sizes", sizes);
    cx_json_add_text(object, "extensions", device->extensions);
    cx_json_add_text(object, "platform", device->platform->name);
    cx_json_add_text(object, "platform_version", device->platform->version);
    cx_json_add_text(object, "driver", device->platform->driver);
    cx_json_add(object, "submits_in_caller",
                device->probe.done ? json_object_new_boolean(device->probe.synchronous) : NULL);
    cx_json_add(object, "in_place",
                device->probe.done ? json_object_new_boolean(device->probe.in_place) : NULL);
    return object;
}

static struct json_object *virtual_object(const struct cx_device *device)
{
    struct json_object *object = device ? json_object_new_object() : NULL;
    if (!device)
        return NULL;
    cx_json_add_text(object, "name", device->name);
    cx_json_add_text(object, "type", cx_type_name(device->type));
    cx_json_add_text(object, "extensions", device->extensions);
    cx_json_add_count(object, "global_memory", device->global_mem);
    cx_json_add_count(object, "max_allocation", device->max_alloc);
    cx_json_add_count(object, "local_memory", device->local_mem);
    cx_json_add_count(object, "max_group_size", device->max_group_size);
    cx_json_add_count(object, "base_align_bits", device->base_align_bits);
    return object;
}

static struct json_object *options_array(void)
{
    const struct cx_option_row *rows;
    size_t count = cx_options_rows(&rows);
    struct json_object *array = json_object_new_array();
    for (size_t i = 0; i < count; i++) {
        struct json_object *object = json_object_new_object();
        cx_json_add_text(object, "name", rows[i].name);
        cx_json_add_text(object, "class", rows[i].class);
        cx_json_add_text(object, "value", rows[i].value);
        cx_json_add_text(object, "origin", rows[i].origin);
        cx_json_add_text(object, "default", rows[i].fallback);
        cx_json_add_text(object, "accepted", rows[i].accepted);
        cx_json_add_text(object, "help", rows[i].help);
        cx_json_append(array, object);
    }
    return array;
}

/* 0 says that there is no such figure. */
static void add_rate(struct json_object *object, const char *key, double gbs)
{
    cx_json_add(object, key, gbs > 0 ? json_object_new_double(gbs) : NULL);
}

static struct json_object *links_object(const struct cx_links *links, const struct cx_machine *machine)
{
    struct json_object *object = json_object_new_object(), *hosts = json_object_new_array(),
                       *between = json_object_new_array();
    for (unsigned d = 0; d < links->n; d++) {
        const struct cx_host_link *link = &links->host[d];
        struct json_object *host = json_object_new_object();
        cx_json_add_count(host, "device", machine->used[d]->index);
        add_rate(host, "pageable_in_gbs", link->pageable_in);
        add_rate(host, "pageable_out_gbs", link->pageable_out);
        add_rate(host, "pinned_in_gbs", link->pinned_in);
        add_rate(host, "pinned_out_gbs", link->pinned_out);
        add_rate(host, "in_place_gbs", link->in_place);
        cx_json_append(hosts, host);
    }
    for (unsigned i = 0; i < links->n * links->n; i++) {
        struct json_object *pair = json_object_new_object();
        cx_json_add_count(pair, "from", machine->used[i / links->n]->index);
        cx_json_add_count(pair, "to", machine->used[i % links->n]->index);
        add_rate(pair, "gbs", links->between[i]);
        add_rate(pair, "peer_gbs", links->peer[i]);
        add_rate(pair, "peer_64k_us", links->peer_us[i]);
        add_rate(pair, "peer_queue_gbs", links->queue[i]);
        add_rate(pair, "peer_queue_64k_us", links->queue_us[i]);
        if (i / links->n == i % links->n)
            json_object_put(pair);
        else
            cx_json_append(between, pair);
    }
    cx_json_add_count(object, "bytes", links->bytes);
    cx_json_add(object, "host", hosts);
    cx_json_add(object, "between", between);
    return object;
}

int cx_info_json(const struct cx_machine *machine, const struct cx_device *device,
                 const struct cx_links *links)
{
    struct json_object *root = json_object_new_object();
    struct json_object *devices = json_object_new_array(), *notes = json_object_new_array();
    for (unsigned i = 0; i < machine->ndevices; i++)
        cx_json_append(devices, device_object(machine, &machine->devices[i]));
    for (unsigned i = 0; i < machine->nnotes; i++)
        cx_json_append_text(notes, machine->notes[i]);
    cx_json_add_text(root, "version", CX_VERSION);
    cx_json_add(root, "devices", devices);
    cx_json_add_text(root, "searched", machine->searched);
    cx_json_add(root, "notes", notes);
    cx_json_add(root, "virtual_device", virtual_object(device));
    cx_json_add(root, "options", options_array());
    const char *state, *config = cx_options_config(&state);
    cx_json_add_text(root, "config_file", strcmp(state, "read") == 0 ? config : NULL);
    cx_json_add_text(root, "cache_dir", cx_options_cache_dir());
    cx_json_add_bool(root, "knowledge", cx_info_knowledge() != NULL);
    if (links)
        cx_json_add(root, "links", links_object(links, machine));
    const char *text =
        json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);
    if (text)
        puts(text);
    json_object_put(root);
    return text ? CX_EXIT_OK : CX_EXIT_FAILED;
}
