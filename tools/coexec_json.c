/* SPDX-License-Identifier: MIT */
#include "tools/coexec_json.h"

#include <math.h>

void cx_json_add(struct json_object *object, const char *key, struct json_object *value)
{
    if (json_object_object_add(object, key, value) != 0)
        json_object_put(value);
}

void cx_json_append(struct json_object *array, struct json_object *value)
{
    if (json_object_array_add(array, value) != 0)
        json_object_put(value);
}

void cx_json_add_text(struct json_object *object, const char *key, const char *text)
{
    cx_json_add(object, key, text ? json_object_new_string(text) : NULL);
}

void cx_json_add_count(struct json_object *object, const char *key, uint64_t count)
{
    cx_json_add(object, key, json_object_new_uint64(count));
}

void cx_json_add_number(struct json_object *object, const char *key, double number)
{
    cx_json_add(object, key, isfinite(number) ? json_object_new_double(number) : NULL);
}

void cx_json_add_bool(struct json_object *object, const char *key, bool value)
{
    cx_json_add(object, key, json_object_new_boolean(value));
}

void cx_json_append_text(struct json_object *array, const char *text)
{
    cx_json_append(array, json_object_new_string(text));
}

struct json_object *cx_json_get(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    return json_object_object_get_ex(object, key, &value) ? value : NULL;
}

struct json_object *cx_json_typed(struct json_object *object, const char *key, enum json_type type)
{
    struct json_object *value = cx_json_get(object, key);
    return json_object_is_type(value, type) ? value : NULL;
}

const char *cx_json_text(struct json_object *object, const char *key)
{
    const char *text = json_object_get_string(cx_json_get(object, key));
    return text ? text : "";
}

double cx_json_number(struct json_object *object, const char *key)
{
    struct json_object *value = cx_json_get(object, key);
    const double number = value ? json_object_get_double(value) : NAN;
    return fabs(number) < 1e18 ? number : NAN;
}

uint64_t cx_json_count(struct json_object *object, const char *key, uint64_t otherwise)
{
    struct json_object *value = cx_json_get(object, key);
    return value ? json_object_get_uint64(value) : otherwise;
}

size_t cx_json_length(struct json_object *array)
{
    return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}
