/* SPDX-License-Identifier: MIT */
/*
 * coexec-knowledge: the program that opens the knowledge base, the only one with SQLite in it.
 *
 * `coexec-knowledge take-in FOLDER` is started by the driver in the background, now and then
 * (layer/knowledge/knowledge.c): takes what processes learned into the base. It takes little of a core that
 * others want, goes on where the process that started it ends, and leaves the work to another one that is at
 * it already. `coexec-knowledge list ...` is started by `coexec knowledge` (coexec_knowledge.c): shows,
 * copies and drops what they learned.
 *
 * Before: knowledge_store.h and knowledge_files.h.
 */
#include "tools/coexec.h"
#include "tools/coexec_guess.h"
#include "tools/coexec_json.h"
#include "tools/knowledge_files.h"
#include "tools/knowledge_store.h"
#include "layer/base/options.h"
#include "layer/knowledge/folder.h"
#include "scheduler/derive.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char me[] = "knowledge";
/* A file to be imported may be as large. */
enum { MOST_IMPORTED = 64 << 20 };

struct request {
    const char *action, *kernel, *file;
    bool json, all;
    uint64_t size[3], dims;
    double older; /* days; 0: not given */
    char *folder;
    struct cx_store *store;
    struct cx_profile_table sets;
    struct json_object *list;
    unsigned shown;
};

/* ---- the command line ---- */

static int read_size(struct request *request, const char *text)
{
    const char *at = text;
    for (request->dims = 0; request->dims < 3; at++) {
        char *end;
        request->size[request->dims] = strtoull(at, &end, 10);
        if (end == at || *at == '-' || request->size[request->dims++] == 0)
            break;
        at = end;
        if (*at == '\0')
            return CX_EXIT_OK;
        if (*at != 'x')
            break;
    }
    return cx_usage_error(me, "--size %s: not of the form N, NxM or NxMxK", text);
}

static int read_days(struct request *request, const char *text)
{
    char *end;
    request->older = strtod(text, &end);
    if (end == text || *end || !(request->older > 0 && request->older < 1e6))
        return cx_usage_error(me, "--older %s: not a number of days above 0", text);
    return CX_EXIT_OK;
}

static int read_valued(struct request *request, const char *name, const char *value)
{
    if (!value)
        return cx_usage_error(me, "%s needs a value", name);
    if (strcmp(name, "--size") == 0)
        return read_size(request, value);
    if (strcmp(name, "--older") == 0)
        return read_days(request, value);
    request->kernel = value;
    return CX_EXIT_OK;
}

static int read_argument(struct request *request, int argc, char **argv, int *i)
{
    static const char *const valued[] = {"--kernel", "--size", "--older"};
    const char *argument = argv[(*i)++];
    struct cx_guess guess;
    for (unsigned k = 0; k < sizeof valued / sizeof *valued; k++) {
        const size_t length = strlen(valued[k]);
        if (strcmp(argument, valued[k]) == 0)
            return read_valued(request, valued[k], *i < argc ? argv[(*i)++] : NULL);
        if (strncmp(argument, valued[k], length) == 0 && argument[length] == '=')
            return read_valued(request, valued[k], argument + length + 1);
    }
    if (strcmp(argument, "--json") == 0)
        request->json = true;
    else if (strcmp(argument, "--all") == 0)
        request->all = true;
    else if (*argument != '-' && !request->file)
        request->file = argument;
    else if (*argument != '-')
        return cx_usage_error(me, "%s: one file can be named", argument);
    else {
        cx_guess_init(&guess, argument);
        cx_guess_offer_words(&guess, "--kernel --size --older --json --all --help");
        return cx_usage_error(me, "unknown option %s%s", argument, cx_guess_text(&guess));
    }
    return CX_EXIT_OK;
}

/* ---- what is shown ---- */

static const char *set_text(const struct request *request, const struct cx_profile *profile)
{
    for (unsigned i = 0; i < request->sets.nsets; i++)
        if (memcmp(request->sets.set[i].hash, profile->key.set, CX_PROFILE_HASH) == 0)
            return request->sets.set[i].text;
    return "?";
}

static void size_text(const struct cx_profile_key *key, char text[80])
{
    int used = 0;
    for (uint64_t d = 0; d < key->dims; d++)
        used += snprintf(text + used, 80 - (size_t)used, "%s%" PRIu64, d ? "x" : "", key->global[d]);
}

/* Parts of the launch that devices would do at their speeds. */
static void print_shares(FILE *out, const struct cx_profile *profile)
{
    double sum = 0;
    for (uint64_t i = 0; i < profile->ndevices; i++)
        sum += profile->device[i].speed;
    for (uint64_t i = 0; i < profile->ndevices && sum > 0; i++)
        fprintf(out, "%s%.1f", i ? ":" : "", 100 * profile->device[i].speed / sum);
    if (!(sum > 0))
        fputc('-', out);
}

static void list_one(void *data, const struct cx_profile *profile)
{
    struct request *request = data;
    char size[80];
    if (profile->key.global[0] == 0)
        return;
    size_text(&profile->key, size);
    if (!request->shown++)
        printf("%-24s %-16s %10s %7s %9s %6s  %s\n", "kernel", "size", "whole ms", "split", "saved ms",
               "runs", "devices, parts in %");
    printf("%-24s %-16s %10.3f ", profile->name, size, profile->length * 1e3);
    if (profile->splits)
        printf("%7.3f ", profile->ratio);
    else
        printf("%7s ", "-");
    printf("%9.3f %6" PRIu64 "  %s, ", profile->saved * 1e3, profile->processes, set_text(request, profile));
    print_shares(stdout, profile);
    putchar('\n');
}

static void list_one_json(void *data, const struct cx_profile *profile)
{
    struct request *request = data;
    struct json_object *object = json_object_new_object(), *speeds = json_object_new_array();
    char size[80];
    if (profile->key.global[0] == 0) {
        json_object_put(object);
        json_object_put(speeds);
        return;
    }
    size_text(&profile->key, size);
    cx_json_add_text(object, "kernel", profile->name);
    cx_json_add_text(object, "size", size);
    cx_json_add_text(object, "devices", set_text(request, profile));
    cx_json_add_number(object, "whole_seconds", profile->length);
    cx_json_add_number(object, "split_ratio", profile->splits ? profile->ratio : NAN);
    cx_json_add_number(object, "saved_seconds", profile->saved);
    cx_json_add_count(object, "splits", profile->splits);
    cx_json_add_count(object, "processes", profile->processes);
    cx_json_add_count(object, "seen", profile->seen);
    for (uint64_t i = 0; i < profile->ndevices; i++)
        cx_json_append(speeds, json_object_new_double(profile->device[i].speed));
    cx_json_add(object, "groups_per_second", speeds);
    cx_json_append(request->list, object);
}

static int list(struct request *request)
{
    bool ok;
    if (request->json) {
        struct json_object *object = json_object_new_object();
        request->list = json_object_new_array();
        ok = cx_store_each(request->store, request->kernel, list_one_json, request);
        cx_json_add(object, "kernels", request->list);
        if (!request->kernel)
            cx_knowledge_files_add(request->folder, object);
        printf("%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
        json_object_put(object);
    } else {
        ok = cx_store_each(request->store, request->kernel, list_one, request);
        if (!request->kernel)
            request->shown += cx_knowledge_files_print(request->folder);
        if (ok && !request->shown)
            puts("nothing is known yet");
    }
    return ok ? CX_EXIT_OK : cx_tool_error(me, "the base cannot be read");
}

/* ---- prediction ---- */

/* Sizes of one kernel on one set, which derivations begin from. */
struct known {
    struct cx_profile_table table;
    uint64_t dims;
};

static void gather(void *data, const struct cx_profile *profile)
{
    struct known *known = data;
    struct cx_profile *place = profile->key.global[0] && profile->key.dims == known->dims
                                   ? cx_profile_table_make(&known->table, &profile->key)
                                   : NULL;
    if (place)
        *place = *profile;
}

/* By profile `like`'s kernel and set: the value that value_of gives of each, at the request's size. */
static bool derive(const struct request *request, const struct known *known, const struct cx_profile *like,
                   unsigned device, double *value)
{
    struct cx_derive_point *point = calloc(known->table.count + 1u, sizeof *point);
    double at[CX_DERIVE_DIMS] = {0};
    unsigned n = 0;
    for (uint64_t d = 0; d < request->dims; d++)
        at[d] = log((double)request->size[d]);
    for (unsigned i = 0; i < known->table.count && point; i++) {
        const struct cx_profile *other = &known->table.profile[i];
        const double speed = device < other->ndevices ? other->device[device].speed : 0;
        if (memcmp(other->key.kernel, like->key.kernel, CX_PROFILE_HASH) != 0 ||
            memcmp(other->key.set, like->key.set, CX_PROFILE_HASH) != 0)
            continue;
        for (uint64_t d = 0; d < request->dims; d++)
            point[n].at[d] = log((double)other->key.global[d]);
        point[n++].value = device == UINT_MAX ? log(other->length) : log(speed);
    }
    const bool derived = point && cx_derive(point, n, (unsigned)request->dims, at, value);
    free(point);
    *value = exp(*value);
    return derived;
}

static void predict_one(const struct request *request, const struct known *known,
                        const struct cx_profile *like)
{
    struct cx_profile derived = *like;
    double length = 0;
    for (unsigned i = 0; i < derived.ndevices; i++)
        if (!derive(request, known, like, i, &derived.device[i].speed))
            derived.device[i].speed = 0;
    const bool exact = memcmp(like->key.global, request->size, sizeof request->size) == 0;
    printf("%s on %s: ", like->name, set_text(request, like));
    if (derive(request, known, like, UINT_MAX, &length) && length > 0)
        printf("whole %.3f ms, ", length * 1e3);
    printf("parts ");
    print_shares(stdout, &derived);
    printf(" %% (%s)\n", exact ? "measured" : "derived");
}

static bool is_first_of_its_kind(const struct known *known, unsigned i)
{
    const struct cx_profile *profile = &known->table.profile[i];
    for (unsigned k = 0; k < i; k++)
        if (memcmp(known->table.profile[k].key.kernel, profile->key.kernel, CX_PROFILE_HASH) == 0 &&
            memcmp(known->table.profile[k].key.set, profile->key.set, CX_PROFILE_HASH) == 0)
            return false;
    return true;
}

/* Of each kernel and set, the profile of that size where there is one. */
static int predict(struct request *request)
{
    struct known known = {.dims = request->dims};
    if (!request->dims)
        return cx_usage_error(me, "predict needs --size");
    const bool ok = cx_store_each(request->store, request->kernel, gather, &known);
    for (unsigned i = 0; i < known.table.count; i++) {
        if (!is_first_of_its_kind(&known, i))
            continue;
        struct cx_profile_key key = known.table.profile[i].key;
        memcpy(key.global, request->size, sizeof key.global);
        const struct cx_profile *same = cx_profile_table_find(&known.table, &key);
        predict_one(request, &known, same ? same : &known.table.profile[i]);
    }
    const bool any = known.table.count > 0;
    cx_profile_table_free(&known.table);
    if (!ok || !any)
        return cx_tool_error(me, "no such kernel is known with as many dimensions");
    return CX_EXIT_OK;
}

/* ---- copies ---- */

static void put(void *data, const struct cx_profile *profile)
{
    char line[CX_PROFILE_LINE];
    cx_profile_print(profile, line);
    fprintf(data, "%s\n", line);
}

static int export_to(struct request *request)
{
    FILE *out = request->file ? fopen(request->file, "we") : stdout;
    if (!out)
        return cx_tool_error(me, "%s: %s", request->file, strerror(errno));
    char line[CX_PROFILE_LINE];
    cx_profile_table_write(&request->sets, out, line);
    const bool ok =
        cx_store_each(request->store, request->kernel, put, out) && fflush(out) == 0 && !ferror(out);
    if (out != stdout && fclose(out) != 0)
        return cx_tool_error(me, "%s: %s", request->file, strerror(errno));
    return ok ? CX_EXIT_OK : cx_tool_error(me, "not all could be written");
}

/* The file's text, which the caller frees. */
static char *read_text(const char *path, size_t *size)
{
    FILE *in = fopen(path, "re");
    char *text = in ? malloc(MOST_IMPORTED) : NULL;
    *size = text ? fread(text, 1, MOST_IMPORTED, in) : 0;
    if (in)
        fclose(in);
    return text;
}

static int import_from(struct request *request)
{
    struct cx_profile_table table = {.count = 0};
    size_t size;
    if (!request->file)
        return cx_usage_error(me, "import needs a file");
    char *text = read_text(request->file, &size);
    if (!text)
        return cx_tool_error(me, "%s: %s", request->file, strerror(errno));
    const int read = cx_profile_table_read(&table, text, size);
    free(text);
    const bool ok = read >= 0 && cx_store_add(request->store, &table) && cx_store_take_in(request->store);
    cx_profile_table_free(&table);
    if (read < 0)
        return cx_tool_error(me, "%s: not what coexec knowledge export writes", request->file);
    if (!ok)
        return cx_tool_error(me, "the base cannot be written");
    printf("%d profiles of %s were added\n", read, request->file);
    return CX_EXIT_OK;
}

static int forget(struct request *request)
{
    if (!request->all && !request->kernel && !(request->older > 0))
        return cx_usage_error(me, "forget needs --all, --kernel or --older");
    const uint64_t before =
        request->older > 0 ? (uint64_t)fmax((double)time(NULL) - request->older * 86400, 0) : UINT64_MAX;
    const int count = cx_store_forget(request->store, request->kernel, before);
    if (count < 0)
        return cx_tool_error(me, "the base cannot be written");
    if (request->all) /* powers and levels, too */
        cx_knowledge_files_forget(request->folder);
    printf("%d profiles were dropped\n", count);
    return CX_EXIT_OK;
}

/* ---- the file ---- */

static int check(struct request *request)
{
    const char *said = cx_store_check(request->store);
    if (cx_store_was_damaged(request->store))
        printf("a damaged base was set aside as %s/" CX_KNOWLEDGE_BASE ".damaged\n", request->folder);
    printf("%s/" CX_KNOWLEDGE_BASE ": %s\n", request->folder, said);
    return strcmp(said, "ok") == 0 ? CX_EXIT_OK : CX_EXIT_FAILED;
}

static int where(struct request *request)
{
    printf("%s\n", request->folder);
    return CX_EXIT_OK;
}

static const struct action {
    const char *name;
    int (*run)(struct request *request);
    bool needs_base;
} actions[] = {{"list", list, true},          {"predict", predict, true}, {"export", export_to, true},
               {"import", import_from, true}, {"forget", forget, true},   {"check", check, true},
               {"where", where, false}};

static const struct action *find_action(const char *name)
{
    for (unsigned i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

static int act(struct request *request, const struct action *action)
{
    const char *why, *cache = cx_options_cache_dir();
    request->folder = cache ? cx_knowledge_folder(cache) : NULL;
    if (!request->folder)
        return cx_tool_error(me, "there is no cache folder: see COEXEC_CACHE_DIR");
    if (action->needs_base && !(request->store = cx_store_open(request->folder, true, &why)))
        return cx_tool_error(me, "%s: %s", request->folder, why);
    if (request->store) {
        (void)cx_store_take_in(request->store); /* else what is there is shown */
        cx_store_sets(request->store, &request->sets);
    }
    const int status = action->run(request);
    cx_profile_table_free(&request->sets);
    cx_store_close(request->store);
    return status;
}

static int run_action(int argc, char **argv)
{
    struct request request = {.action = argc > 1 ? argv[1] : NULL};
    struct cx_guess guess;
    int status = CX_EXIT_OK;
    if (!request.action)
        return cx_usage_error(me, "list, predict, export, import, forget, check or where is needed");
    const struct action *action = find_action(request.action);
    if (!action) {
        cx_guess_init(&guess, request.action);
        cx_guess_offer_words(&guess, "list predict export import forget check where");
        return cx_usage_error(me, "unknown: %s%s", request.action, cx_guess_text(&guess));
    }
    for (int i = 2; i < argc && status == CX_EXIT_OK;)
        status = read_argument(&request, argc, argv, &i);
    if (status == CX_EXIT_OK)
        status = act(&request, action);
    free(request.folder);
    return fflush(stdout) == 0 && !ferror(stdout) ? status : CX_EXIT_FAILED;
}

static int take_in(const char *folder)
{
    const char *why;
    if (nice(10) < 0)
        fprintf(stderr, "no lower priority\n");
    struct cx_store *store = cx_store_open(folder, false, &why);
    if (!store) {
        fprintf(stderr, "%s\n", why);
        return CX_EXIT_FAILED;
    }
    const bool ok = cx_store_take_in(store);
    cx_store_close(store);
    return ok ? CX_EXIT_OK : CX_EXIT_FAILED;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "take-in") == 0)
        return take_in(argv[2]);
    return run_action(argc, argv);
}
