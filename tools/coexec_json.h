/* SPDX-License-Identifier: MIT */
/*
 * Building and reading JSON, for the tools. What is read may come from anywhere: an absent member, a null and
 * a value of another type are all answered, none is an error. Any thread; nothing here keeps state.
 */
#ifndef CX_TOOLS_COEXEC_JSON_H
#define CX_TOOLS_COEXEC_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- building ---- */

/* Both take the value over, also where there is no memory to keep it; NULL is written as null. */
void cx_json_add(struct json_object *object, const char *key, struct json_object *value);
void cx_json_append(struct json_object *array, struct json_object *value);

void cx_json_add_text(struct json_object *object, const char *key, const char *text); /* NULL: null */
void cx_json_add_count(struct json_object *object, const char *key, uint64_t count);
void cx_json_add_number(struct json_object *object, const char *key, double number); /* not finite: null */
void cx_json_add_bool(struct json_object *object, const char *key, bool value);
void cx_json_append_text(struct json_object *array, const char *text);

/* ---- reading ---- */

/* The member, which stays the object's. NULL: null, absent, or object is NULL or no object. */
struct json_object *cx_json_get(struct json_object *object, const char *key);

/* The same where it has that type, otherwise NULL. */
struct json_object *cx_json_typed(struct json_object *object, const char *key, enum json_type type);

/* "" where there is none; the object's. */
const char *cx_json_text(struct json_object *object, const char *key);

/* NAN where there is none, or one of 1e18 or more either way: sums and differences of others stay finite. */
double cx_json_number(struct json_object *object, const char *key);

/* otherwise: where there is none. A negative number counts as 0. */
uint64_t cx_json_count(struct json_object *object, const char *key, uint64_t otherwise);

/* 0 for what is no array. */
size_t cx_json_length(struct json_object *array);

#endif
